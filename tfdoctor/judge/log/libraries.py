"""Shared libraries that are not found, can't be loaded, or are of another release than what asks for them."""

from __future__ import annotations

import re

from tfdoctor.base.records import replace
from tfdoctor.facts.log_values import Saying
from tfdoctor.facts.model import Facts
from tfdoctor.facts.outcome import Known, value_or
from tfdoctor.facts.versions import CudaRelease
from tfdoctor.fix.commands import interpreter
from tfdoctor.fix.libraries import bring_libraries, fresh_environment
from tfdoctor.judge.engine.case import Case
from tfdoctor.judge.log.candidate import Candidate, of_page
from tfdoctor.judge.log.cases import situated
from tfdoctor.judge.log.gpus import built_with, too_old
from tfdoctor.judge.log.images import (
    CONDA,
    EXPORTED,
    FILE,
    TERMINAL,
    TOOLKIT,
    TOOLKIT_FOLDER,
    Elsewhere,
    asked_for,
    elsewhere,
    fits,
    in_a_sentence,
    of_conda,
    other_numbers,
    stem,
    toolkit_on_the_path,
    toolkit_told,
)
from tfdoctor.judge.log.settings import of_an_old_release, setting
from tfdoctor.judge.log.spans import (
    cuda_of,
    machine_of,
    minor,
    missing_libraries,
    releases_of,
    runs_on,
    runtimes,
    shown,
    shows_a_driver,
    shows_a_gpu,
    span,
)
from tfdoctor.judge.log.testimony import Testimony, place
from tfdoctor.judge.log.words import fix_here
from tfdoctor.knowledge.actions import act
from tfdoctor.knowledge.lines import Pip, Words
from tfdoctor.knowledge.matrix.model import Release
from tfdoctor.knowledge.messages.by_release import key
from tfdoctor.knowledge.model import Confidence, Fix
from tfdoctor.knowledge.pages import ways_out
from tfdoctor.knowledge.place import Span
from tfdoctor.knowledge.says import says

_LINKED = re.compile(r"ImportError: lib(?:cudnn\.so\.[67]|\w{4,12}\.so\.(?:8|9|10)\.0)\b")


def linked_with(told: Testimony) -> bool:
    """Whether an import ended for lack of what TensorFlow's packages for GPUs up to 1.13 are linked with."""
    return any(_LINKED.search(each.text) for each in told.of("cuda-libraries-missing"))


# What a library of CUDA that a process did not find means: asked for by no number, there and out of reach, of another release, or not told.

_LIBRARIES, _MISSING = "cuda_libraries.libraries", ("cuda-libraries-missing",)
_RIVALS = (
    "cuda-libraries-wrong-version",
    "cuda-libraries-unreachable",
    "image-lacks-cuda-libraries",
)
_RUNTIME_NAMES = ("cudart-not-found", "runtime-stub")


def of_library(case: Case, told: Testimony, saying: Saying) -> Candidate:
    """A saying that a library of CUDA was not opened, weighed by all that the log shows."""
    library, other = (
        saying.told.get("library", ""),
        _named_in(saying.text.partition("dlerror: ")[2]),
    )
    if library and other and stem(other) != stem(library):
        fixes = (act("unset-variable", "unset-ld-library-path"), *ways_out("cuda-libraries-mixed"))
        return of_page(
            "cuda-libraries-mixed",
            "needs",
            (place(saying),),
            values={"library": library, "other": other},
            sure=Confidence.CERTAIN,
            fixes=fixes,
        )
    return (
        too_old(case, saying)
        or (
            situated(case, told, "jetson-library", (place(saying),), library=library)
            if told.named("jetson-library")
            else None
        )
        or _neighbors_there(case, told, saying)
        or _out_of_reach(case, told, saying)
        or _of_another_number(told, saying)
        or _of_another_toolkit(case, told, saying)
        or _not_found(case, told, saying)
    )


def missing(told: Testimony) -> tuple[str, ...]:
    """The names that were asked for and not found, each once."""
    named = (each.told.get("library", "") for each in told.of("cuda-libraries-missing"))
    return tuple(dict.fromkeys(each for each in named if each))


def _neighbors_there(case: Case, told: Testimony, saying: Saying) -> Candidate | None:
    """A part of a toolkit whose other parts were opened: that toolkit has it under another number."""
    library = saying.told.get("library", "")
    lacking = {stem(each) for each in missing(told)} & set(TOOLKIT)
    opened = {stem(each) for each in value_or(case.facts.log.opened, ())} & set(TOOLKIT)
    if _renumbered(case, told):
        opened = set(TOOLKIT)
    if stem(library) not in TOOLKIT or not lacking or not opened - lacking - {"cudart"}:
        return None
    return of_page(
        "cuda-libraries-wrong-version", "neighbors", (place(saying),), others=_MISSING, fact=_LIBRARIES,
        values={"library": library, "numbered": says(*_NUMBERED[library]) if library in _NUMBERED else ""},
    )  # fmt: skip


def _renumbered(case: Case, told: Testimony) -> bool:
    """cuSOLVER alone is missing, whose number changed within CUDA 11: the log names a toolkit that has the other one, or tells of no other library.

    From 2.6 on only those that are not found are told, each in a line of its own, before the word about all of them.
    """
    asked = [each for each in missing(told) if stem(each) in TOOLKIT]
    if len(asked) != 1 or asked[0] not in _NUMBERED:
        return False
    toolkit = toolkit_told(told) or toolkit_on_the_path(told)
    has = (
        ""
        if not toolkit.startswith("11.")
        else "libcusolver.so.10"
        if toolkit == "11.0"
        else "libcusolver.so.11"
    )
    if has:
        return asked != [has]
    return bool(told.named("gpu-libraries-not-opened")) and span(case, told).since(2, 6)


_NUMBERED = {
    "libcusolver.so.11": ("cuda-libraries-missing", "numbered-11"),
    "libcusolver.so.10": ("cuda-libraries-missing", "numbered-10"),
}
"""TensorFlow 2.4, built with CUDA 11.0, opens .so.10, and 2.5, built with 11.2, .so.11 (the matrix' sonames, 2026-11-20); 11.1: probes/tensorflow/build_info.py."""


def _out_of_reach(case: Case, told: Testimony, saying: Saying) -> Candidate | None:
    found = elsewhere(case, told, missing(told))
    if found is None:
        return None
    return of_page(
        "cuda-libraries-unreachable", "elsewhere", (place(saying),), others=_MISSING, fact=_LIBRARIES, fixes=_reach(case, found),
        values={"who": _start(told), "what": _what(told), "where": found.words},
    )  # fmt: skip


def _of_another_number(told: Testimony, saying: Saying) -> Candidate | None:
    """The log lists a file of that library, and none that answers to the name that was asked for."""
    shown = other_numbers(told, missing(told))
    if not shown:
        return None
    wanted = next(each for each in missing(told) if stem(each) == stem(shown[0]))
    return of_page(
        "cuda-libraries-wrong-version", "other-number", (place(saying),), others=_MISSING, fact=_LIBRARIES,
        values={"who": _start(told), "wanted": wanted, "shown": in_a_sentence(shown), "without": _without(told)},
    )  # fmt: skip


def _of_another_toolkit(case: Case, told: Testimony, saying: Saying) -> Candidate | None:
    """The log names a toolkit, and it is of another CUDA than this TensorFlow's."""
    shown, cuda = toolkit_told(told) or toolkit_on_the_path(told), built_with(case, told)
    of_toolkit = any(stem(each) in TOOLKIT for each in missing(told)) or not missing(told)
    own = _own_cuda(case, told, cuda)
    # A cuDNN is for one CUDA.
    of_toolkit = of_toolkit or shown.partition(".")[0] != own.partition(".")[0]
    if (
        not shown
        or not own
        or not of_toolkit
        or (fits(case, told, shown) if cuda else own == shown)
    ):
        return None
    return of_page(
        "cuda-libraries-wrong-version", "other-toolkit", (place(saying),), others=_MISSING, fact=_LIBRARIES,
        values={"which": "This TensorFlow", "own": own, "shown": shown},
    )  # fmt: skip


def _own_cuda(case: Case, told: Testimony, cuda: CudaRelease | None) -> str:
    """ "11", or "9.0" of a CUDA that the matrix has no row for; "" where nothing tells."""
    if cuda is None:
        return asked_for(case, told) or cuda_of(span(case, told))
    asked = next(
        (minor for number, minor in runtimes(case, told) if number == cuda.major), cuda.minor
    )
    return f"{cuda.major}.{asked}" if cuda.major < 11 else str(cuda.major)


def _not_found(case: Case, told: Testimony, saying: Saying) -> Candidate:
    """No more than that this process did not find it."""
    sure = Confidence(saying.sure)
    sure = Confidence.LIKELY if sure is Confidence.CERTAIN else sure
    at, who, what = (place(saying),), _start(told), _what(told)
    without = _without(told)
    if not (_gpu_shown(case, told) or told.endings or linked_with(told)):
        without = says("cuda-libraries-missing", "without-a-gpu")
    return of_page(
        "cuda-libraries-missing", "not-found", at, sure=sure, others=_RIVALS, fact=_LIBRARIES,
        values={"who": who, "what": what, "without": without},
    )  # fmt: skip


def _without(told: Testimony) -> str:
    """What becomes of TensorFlow without its libraries."""
    if linked_with(told):
        return says("cuda-libraries-missing", "linked")
    return says("cuda-libraries-missing", "on-the-cpu")


def may_have_no_gpu(facts: Facts, told: Testimony) -> bool:
    """TensorFlow only says that the runtime is not found, as it does on every machine without a GPU, and the log shows none."""
    said = {each.name for each in told.of("cuda-libraries-missing")}
    alone = bool(said) and said <= {"cudart-not-found", "cuda-libraries-error"}
    named = (
        shown(facts).own_gpu or shown(facts).cards or shows_a_gpu(facts) or shows_a_driver(facts)
    )
    return alone and not named


LOOK_FIRST = act("look", "any-gpu")


def _gpu_shown(case: Case, told: Testimony) -> bool:
    """TensorFlow speaks of libraries for GPUs only where the driver showed it one."""
    driver, nvml = case.facts.driver, case.facts.nvml
    return bool(told.named("gpu-libraries-not-opened", "smi-banner")) or any(
        isinstance(each, Known) for each in (driver.devices, nvml.devices)
    )


def _start(told: Testimony) -> str:
    return (
        "TensorFlow"
        if any(
            "tensorflow" in each.text or "gpu_device.cc" in each.text or "cudart_stub" in each.text
            for each in told.of("cuda-libraries-missing")
        )
        else "This process"
    )


def _what(told: Testimony) -> str:
    """ "libcudnn.so.8, a library of CUDA" or, where no name is told, what kind it is."""
    named = missing(told)
    if len(named) == 1:
        return named[0]
    if named:
        names = in_a_sentence(named)
        return says("cuda-libraries-missing", "several", count=len(named), names=names)
    if told.named(*_RUNTIME_NAMES):
        return says("cuda-libraries-missing", "runtime")
    return says("cuda-libraries-missing", "every")


def _named_in(error: str) -> str:
    found = re.match(r"\s*([\w.+-]{4,80}\.(?:so|dll)[\w.]{0,20})", error)
    return found[1] if found else ""


# What to type where a process did not find CUDA's libraries: lead the loader to them, or take the release that looks by itself.

_BEHIND = "${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}"
_SITE = "$(python -c 'import sysconfig; print(sysconfig.get_paths()[\"purelib\"])')"

TO_THE_KERNEL = (
    act("restart", "jupyter-from-terminal"),
    act("change-setting", "create-kernel-with-library-path"),
    act("look", "library-path-in-both"),
)  # fmt: skip
TO_THE_EDITOR = (act("restart", "editor-from-terminal"), act("look", "library-path-for-editor"))
_ALL_FOLDERS = act("change-path", "add-nvidia-packages-to-library-path")


def _reach(case: Case, found: Elsewhere) -> tuple[Fix, ...]:
    """By where the libraries are."""
    if found.kind == CONDA:
        return (
            act("change-path", "add-conda-libraries-to-library-path"),
            act("set-variable", "set-ld-library-path-at-each-activation"),
        )
    if found.kind == TERMINAL:
        return TO_THE_KERNEL if shown(case.facts).notebook else TO_THE_EDITOR
    if found.kind in (FILE, TOOLKIT_FOLDER):
        return _folder(found)
    if found.kind == EXPORTED:
        return (act("start-otherwise", "pass-variable-to-launched-processes"), _folder(found)[1])
    return forgotten_folders(case) or (_ALL_FOLDERS,)


THERE_ALREADY = replace(_ALL_FOLDERS, title="Add the installed libraries to LD_LIBRARY_PATH")


def _folder(found: Elsewhere) -> tuple[Fix, ...]:
    return (
        act("change-path", "add-directory-to-library-path", folder=found.folder),
        act("change-path", "add-directory-for-whole-machine", folder=found.folder),
    )  # fmt: skip


def forgotten_folders(case: Case, presumed: str = "") -> tuple[Fix, ...]:
    """For a release that does not look into all folders of NVIDIA's wheels; () for the others. `presumed` where the log names none."""
    release = str(value_or(case.facts.tensorflow.version, presumed))
    defects = case.matrix.defects(release) if release else ()
    defect = next((each for each in defects if each.kind == "runpath-incomplete"), None)
    if defect is None:
        return ()
    python, cured = interpreter(case.facts), defect.detail.get("fixed_in", "")
    folders = defect.detail.get("missing", "").split()
    which = "one" if len(folders) == 1 else len(folders)
    install = Pip(f"tensorflow[and-cuda]=={release}", python=python)
    lead = f'export LD_LIBRARY_PATH="{":".join(f"{_SITE}/{each}" for each in folders)}{_BEHIND}"'
    stay = Fix(
        f"Keep {release} and set LD_LIBRARY_PATH" if _is_final(cured) else "Install its CUDA libraries and set LD_LIBRARY_PATH",
        (install, Words(lead)),
        f"TensorFlow {release} does not search {which} of the directories of NVIDIA's packages. The export is for this shell; to make it permanent, add it to the end of the environment's bin/activate.",
    )  # fmt: skip
    if not _is_final(cured):
        return (stay,)
    newer = act(
        "change-packages", "install-fixed-tensorflow", cured=cured, release=release, python=python
    )
    return (newer, stay)


def _is_final(release: str) -> bool:
    return bool(release) and release.replace(".", "").isdigit()


# The CUDA libraries and the cuDNN that the log's TensorFlow opens.


OF_NO_PYTHON = act("look", "cuda-libraries")
"""For TensorFlow in Node.js, Java, .NET or C, which takes nothing from a Python's packages."""


def library_fixes(case: Case, told: Testimony) -> tuple[Fix, ...]:
    """The libraries that the release opens; where the log names them and no release, those of the releases that do."""
    facts, rows = case.facts, releases_of(case, told)
    if shown(facts).node or shown(facts).program:
        return (OF_NO_PYTHON,)
    if not rows:
        here = setting(case, told)
        if (by_conda := of_conda(case, told, here)) is not None:
            return (by_conda,)
        return (
            (of_an_old_release(here),) if missing_libraries(told) and here.span.before(2, 3) else ()
        )
    if not any(isinstance(row.and_cuda, Known) for row in rows):
        return _in_an_environment_of_its_own(case, told, rows)
    if isinstance(facts.tensorflow.version, Known):
        missing = tuple(missing_libraries(told))
        return forgotten_folders(case) or bring_libraries(
            facts, case.matrix, Known(rows[0], "the log's release"), missing
        )
    # Else the page's command without a version suits all that have the extra.
    return _of_its_minor(case, told, rows)


def _in_an_environment_of_its_own(
    case: Case, told: Testimony, rows: tuple[Release, ...]
) -> tuple[Fix, ...]:
    """An environment of its own for the release that is known, or guessed by its libraries."""
    fix = fresh_environment(rows[0], machine_of(case.facts), case.matrix)
    if isinstance(case.facts.tensorflow.version, Known):
        return (fix,)
    return (
        replace(fix, note=f"{_by_its_messages(span(case, told), rows[0])} {fix.note}".rstrip()),
    )


def _of_its_minor(case: Case, told: Testimony, rows: tuple[Release, ...]) -> tuple[Fix, ...]:
    """Where the log's lines tell one minor, and a release of it does not look into all folders of NVIDIA's wheels; else ()."""
    here = span(case, told)
    if here.oldest != here.newest:
        return ()
    found = (fixes for row in rows if (fixes := forgotten_folders(case, row.tensorflow)))
    first, *rest = next(found, ()) or (None,)
    if first is None:
        return (
            ()
            if missing_libraries(told)
            else (fix_here(case.facts, "change-packages", "cuda-libraries"), THERE_ALREADY)
        )
    return (replace(first, note=f"{_by_its_messages(here, rows[0])} {first.note}".rstrip()), *rest)


def _by_its_messages(here: Span, row: Release) -> str:
    """A log of a version before the matrix gets a later one that opens the same libraries."""
    which = str(here)
    if not which:
        return says("cuda-libraries-missing", "same-libraries", release=row.tensorflow)
    if (minor(row.tensorflow) or here.newest) > here.newest:
        return says(
            "cuda-libraries-missing", "by-messages-and-later", which=which, release=row.tensorflow
        )
    return says("cuda-libraries-missing", "by-messages", which=which)


# A TensorFlow for a system whose C library is too old.

_OLD = "2.17"
"""glibc of CentOS 7 and RHEL 7, the oldest systems that people still use."""


def glibc_fixes(case: Case, told: Testimony) -> tuple[Fix, ...]:
    """The newest release that has a wheel for this Python and is content with glibc 2.17; () where no Python is told, or no such release."""
    if not isinstance(case.facts.interpreter.version, Known):
        return ()
    for row in case.matrix.releases():
        if runs_on(row, case.facts) and isinstance(row.glibc, Known) and key(str(row.glibc.value)) <= key(_OLD):  # fmt: skip
            command = Pip(f"tensorflow=={row.tensorflow}", python=interpreter(case.facts))
            older = replace(
                act("change-packages", "tensorflow-for-glibc-2-17"), commands=(command,)
            )
            return (older, *ways_out("glibc-too-old")[1:])
    return ()
