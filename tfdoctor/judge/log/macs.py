"""What is peculiar to Macs and to the devices that plug-ins bring: Metal, DirectML, ML Compute."""

from __future__ import annotations

from tfdoctor.facts.log_values import Ending, Saying
from tfdoctor.facts.model import Facts
from tfdoctor.facts.outcome import value_or
from tfdoctor.judge.log.candidate import Candidate, one_of, question
from tfdoctor.judge.log.spans import shown
from tfdoctor.judge.log.testimony import Place, Testimony, place
from tfdoctor.judge.log.words import title_of_text, words_of
from tfdoctor.knowledge.model import Confidence

# Ends of programs on Macs: the same words as elsewhere, other causes behind them, and other commands to ask with.

ILLEGAL = ("illegal-instruction", "illegal-hardware-instruction")
_SIGNED = ("mac-code-signature", "mac-code-signing")
_IMPORTED = "tensorflow-imported"
_AT_WORK = ("epoch", "keras-step", "gpu-created", "gpu-created-old", "pluggable-created")
_BROKEN = "tensorflow-install-broken"


def on_a_mac(facts: Facts) -> bool:
    return value_or(facts.host.os, "") == "macos"


def killed(facts: Facts, told: Testimony, places: tuple[Place, ...]) -> Candidate | None:
    """SIGKILL while TensorFlow was imported: hardly memory. None for a program that was at work, and elsewhere than on Macs."""
    if not on_a_mac(facts):
        return None
    signed = told.named(*_SIGNED)
    if signed:
        words = "A loaded compiled file has an invalid signature: it was changed or is incomplete, usually after an interrupted installation."
        title = "macOS ended the program: a compiled file has no valid code signature."
        return Candidate(_BROKEN, Confidence.CERTAIN, (*map(place, signed), *places), words, title=title)
    if not told.named(_IMPORTED) or told.named(*_AT_WORK):
        return None
    words = "The process was killed (SIGKILL) during the import, which needs little memory. macOS does that if a compiled file (TensorFlow's, NumPy's, or Python's own) has no valid code signature, for instance after an interrupted installation or copying. The log itself does not show who it was."
    title = "macOS killed Python while importing TensorFlow, usually for a compiled file without a valid signature."
    opened = question((_BROKEN, "host-oom-killed", "killed-by-user"), "kernel_log.crash_reports")
    return Candidate(_BROKEN, Confidence.POSSIBLE, places, words, open=opened, title=title)


def illegal_instruction(facts: Facts, places: tuple[Place, ...]) -> Candidate | None:
    """A TensorFlow for Intel under Rosetta, which has no AVX before macOS 15; None elsewhere than on Macs."""
    if not on_a_mac(facts):
        return None
    words = "Usually an Intel Python runs on an Apple CPU: Rosetta has no AVX before macOS 15. An Intel Mac from before 2011 has no AVX at all."
    title = "This TensorFlow is for Intel CPUs: on an Apple CPU, Rosetta lacks the AVX instructions it uses."
    opened = question(("foreign-architecture", "cpu-instructions-missing"), "interpreter.machine")
    return Candidate("foreign-architecture", Confidence.LIKELY, places, words, open=opened, title=title)


def of_a_mac(facts: Facts, told: Testimony, saying: Saying) -> Candidate | None:
    """What a shell's words mean on a Mac; None where they mean there what they mean everywhere."""
    if saying.name in ILLEGAL:
        return illegal_instruction(facts, (place(saying),))
    return killed(facts, told, (place(saying),)) if saying.name == "shell-killed" else None


# A crash of compiled code on a Mac while Apple's plug-in for its GPU was loaded.

_CODE = "metal-plugin-mismatch"
_METAL_CRASHES = (5, 6, 10, 11)
"""SIGTRAP, SIGABRT, SIGBUS by macOS' own number, SIGSEGV."""
_TITLE = "The program crashed in compiled code while Apple's GPU plug-in tensorflow-metal was in use."
_WORDS = "The log shows the plug-in starting and then a crash in compiled code. Apple has released no tensorflow-metal since 1.2 (2025-01); with newer TensorFlow versions, and in some operations, it crashes. If the program works on the CPU, the plug-in is the cause."


def of_metal(facts: Facts, ending: Ending) -> Candidate | None:
    """None elsewhere than where the plug-in is named, and for a death in another package's code."""
    if not shown(facts).metal or ending.status not in _METAL_CRASHES or ending.package:
        return None
    return one_of((_CODE, "native-crash"), "packages.installed", (place(ending),), _WORDS, _TITLE)


_CHECKS = ("fatal-line", "fatal-line-absl", "check-failed-line", "libprotobuf-check")
_CHECK_TITLE = "TensorFlow aborted on an internal check ({message}) while Apple's GPU plug-in tensorflow-metal was in use."


def of_metal_check(facts: Facts, saying: Saying) -> Candidate | None:
    """A check of TensorFlow that failed beside the plug-in; None elsewhere."""
    if saying.name not in _CHECKS or not shown(facts).metal:
        return None
    message = saying.told.get("message", "").strip()[:80] or saying.name
    title = _CHECK_TITLE.format(message=message)
    return one_of((_CODE, "check-failed"), "packages.installed", (place(saying),), _WORDS, title)


# A GPU that Windows or macOS took away, or that gives nothing: DirectML's and Metal's words, what they mean and what helps.


def of_plugin(told: Testimony, saying: Saying) -> Candidate | None:
    """What the same plug-in says more exactly beside it; None where it means what it says."""
    if saying.name == "metal-command-buffer" and (full := told.named("metal-no-memory")):
        words = words_of("metal-no-memory")
        return Candidate("gpu-out-of-memory", Confidence.CERTAIN, (place(full[0]), place(saying)), words, title=title_of_text("metal-no-memory"))  # fmt: skip
    if saying.name == "dml-no-adapter" and (shadowed := told.of("wsl-driver-shadowed")):
        return Candidate("wsl-driver-shadowed", Confidence.LIKELY, (place(shadowed[0]), place(saying)))
    if saying.name == "plugin-stopped" and (lost := told.named("dml-device-removed")):
        words = words_of("dml-device-removed")
        return Candidate("cuda-context-poisoned", Confidence.LIKELY, (place(lost[0]), place(saying)), words, title=title_of_text("dml-device-removed"))  # fmt: skip
    return None
