"""Instructions that a processor lacks."""

from __future__ import annotations

from tfdoctor.facts.log_values import Ending, Saying
from tfdoctor.facts.model import Facts
from tfdoctor.facts.outcome import Known, value_or
from tfdoctor.judge.log.candidate import Candidate, question
from tfdoctor.judge.log.spans import shown
from tfdoctor.judge.log.testimony import Place, Testimony, place
from tfdoctor.knowledge.actions import act
from tfdoctor.knowledge.model import Confidence, Fix
from tfdoctor.knowledge.says import says

_IN_ORDER = ("SSE", "SSE2", "SSE3", "SSE4.1", "SSE4.2", "AVX")
"""What TensorFlow asks a processor for first, in this order (core/platform/cpu_feature_guard.cc): it dies at the first that is missing."""

_SMALL = ("Celeron", "Pentium", "Atom")
"""Intel's names for processors of which most have no AVX, all before 2020 (Intel's product pages, "Instruction Set Extensions",
e.g. Celeron J3455: SSE4.2; read 2026-11-23)."""
_VIRTUAL = ("QEMU", "KVM", "Virtual")
_ELSEWHERE = act("change-packages", "use-tensorflow-without-avx")
_SHOW_IT = act("change-setting", "vm-cpu")
_LOOK = act("look", "cpu-flags")


def processor_fixes(facts: Facts) -> tuple[Fix, ...]:
    """By the processor's name, where the log tells it: a small one lacks AVX itself, of a virtual one the host decides."""
    model = value_or(facts.host.cpu_model, "")
    flags = value_or(facts.host.cpu_flags, ())
    looked = bool(flags) and _NEEDED not in flags
    if any(name in model for name in _SMALL):
        return (_ELSEWHERE,) if looked else (_ELSEWHERE, _LOOK)
    if isinstance(facts.host.hypervisor, Known) or any(name in model for name in _VIRTUAL):
        return (_SHOW_IT, _ELSEWHERE)
    return (_SHOW_IT, _ELSEWHERE) if looked else (_LOOK, _SHOW_IT, _ELSEWHERE)


_ARM_WORDS = (
    "On NVIDIA's Jetson boards it is usually NumPy 1.19.5, "
    "whose OpenBLAS takes the CPU for another one (numpy/numpy#18131, 2021-01)."
)

_ARM_WORDS_ELSEWHERE = (
    "Either the installed TensorFlow, or a library beside it, is built for another CPU "
    "(a file of a Mac, or for a newer ARM), or NumPy 1.19.5 takes this CPU for another."
)
_ARM_TITLE = "A library uses an instruction that this ARM CPU lacks: usually NumPy's OpenBLAS."
_ARM_TITLE_ELSEWHERE = "A library uses an instruction that this ARM CPU lacks: it is built for another CPU."


def on_arm(facts: Facts, told: Testimony | None = None) -> bool:
    """A Jetson board, or another machine with ARM that is not Apple's."""
    if told is not None and told.named("arm-board"):
        return True
    arm = str(value_or(facts.host.machine, "")).lower() in ("aarch64", "arm64", "armv7l")
    return shown(facts).jetson or (arm and value_or(facts.host.os, "linux") == "linux")


def _is_nvidias(facts: Facts, told: Testimony) -> bool:
    return shown(facts).jetson or any("jetson" in each.text for each in told.named("arm-board"))


def arm_instruction(facts: Facts, testimony: Testimony, told: Ending | Saying) -> Candidate | None:
    """None for other words, and on other machines."""
    if not on_arm(facts, testimony) or (isinstance(told, Saying) and told.name != "illegal-instruction"):
        return None
    return Candidate(
        "native-crash",
        Confidence.LIKELY,
        (place(told),),
        _ARM_WORDS if _is_nvidias(facts, testimony) else _ARM_WORDS_ELSEWHERE,
        title=_ARM_TITLE if _is_nvidias(facts, testimony) else _ARM_TITLE_ELSEWHERE,
    )


_NEEDED = "avx"
"""By TensorFlow's wheels since 1.6 (its release notes)."""
_OF_SOME_BUILDS = ("avx2", "fma")
"""By the wheels of 2.4.0 and by builds for certain CPUs."""
_OF_ARM = ("asimd", "fp")


def shows_all_instructions(facts: Facts) -> bool:
    """The log lists the CPU's instructions, and none that TensorFlow's builds use is missing."""
    flags = value_or(facts.host.cpu_flags, ())
    return all(each in flags for each in (_NEEDED, *_OF_SOME_BUILDS))


def is_contradicted(facts: Facts, saying: Saying) -> bool:
    """A death by an instruction that the CPU lacks, in a log whose list of the CPU's instructions has all: it crashed otherwise."""
    return saying.name in _DIED and shows_all_instructions(facts)


def lacks_shown(facts: Facts, at: Place) -> Candidate | None:
    """None where the log does not list the CPU's instructions, or lists those of an ARM or all that are needed."""
    flags = value_or(facts.host.cpu_flags, ())
    lacking = [each.upper() for each in (_NEEDED, *_OF_SOME_BUILDS) if each not in flags]
    if not flags or not lacking or any(each in flags for each in _OF_ARM):
        return None
    if _NEEDED not in flags:
        title = says("cpu-instructions-missing", "shown-title", lacking=_NEEDED.upper())
        return Candidate(
            "cpu-instructions-missing",
            Confidence.CERTAIN,
            (at,),
            says("cpu-instructions-missing", "shown"),
            title=title,
        )
    names = " and ".join(lacking)
    words, title = (
        says("cpu-instructions-missing", "shown-newer", lacking=names),
        says("cpu-instructions-missing", "shown-title", lacking=names),
    )
    return Candidate("cpu-instructions-missing", Confidence.LIKELY, (at,), words, title=title)


_DIED = ("illegal-instruction", "illegal-hardware-instruction")
_EMULATED = ("qemu-signal",)
_OLDER = "An old or small CPU lacks it (most Celeron, Pentium and Atom before 2020 have no AVX), a virtual machine hides it, or an Intel build runs emulated on an ARM machine, such as a Mac."
_NEWER = "The CPU has AVX, so it is one from before {flag}, or a virtual machine hides it. Other TensorFlow wheels of today need the same."


def lacks_instructions(facts: Facts, told: Testimony, saying: Saying) -> Candidate | None:
    """None where the log shows an emulator or a Mac: then the program was made for another architecture."""
    flag = saying.told.get("flag", "").strip()
    if saying.name in _DIED:
        return lacks_shown(facts, place(saying))
    if saying.name != "cpu-feature-guard-fatal":
        return None
    older = flag in _IN_ORDER
    apple = str(value_or(facts.host.os, "")) == "macos"
    if older and (told.named(*_EMULATED) or apple or on_arm(facts)):
        return None
    words = (_OLDER if older else _NEWER).format(flag=flag)
    opened = question(("cpu-instructions-missing", "foreign-architecture"), "host.cpu_flags")
    return Candidate("cpu-instructions-missing", Confidence.LIKELY, (place(saying),), words, opened, f"This TensorFlow was compiled for {flag}, which this CPU does not show.")  # fmt: skip
