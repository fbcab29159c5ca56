"""Shared libraries that are not found, can't be loaded, or are of another release than what asks for them."""

from __future__ import annotations

import re

from tfdoctor.base.records import replace
from tfdoctor.facts.log_values import Saying
from tfdoctor.facts.model import Facts
from tfdoctor.facts.outcome import Known, value_or
from tfdoctor.facts.versions import CudaRelease, CudnnRelease
from tfdoctor.fix.commands import interpreter
from tfdoctor.fix.libraries import bring_libraries, fresh_environment
from tfdoctor.judge.engine.case import Case
from tfdoctor.judge.log.candidate import Candidate, of_page
from tfdoctor.judge.log.companions import key
from tfdoctor.judge.log.gpus import built_with, on_a_board, too_old
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
    own_minor,
    releases_of,
    runtimes,
    shown,
    shows_a_driver,
    shows_a_gpu,
    span,
)
from tfdoctor.judge.log.spans import releases_rows as rows
from tfdoctor.judge.log.testimony import Testimony, place
from tfdoctor.judge.log.wishes import wished
from tfdoctor.judge.log.words import fix_here
from tfdoctor.knowledge.actions import act
from tfdoctor.knowledge.lines import Pip
from tfdoctor.knowledge.matrix.model import Release
from tfdoctor.knowledge.model import Confidence, Fix
from tfdoctor.knowledge.pages import ways_out
from tfdoctor.knowledge.place import Span
from tfdoctor.knowledge.says import says

# TensorFlow's packages for GPUs up to 1.13, which are linked with CUDA: without its libraries they can't even be imported.

_RELEASES = {
    "10.0": ("1.13", "1.13.2"), "9.0": ("1.12", "1.12.3"), "8.0": ("1.4", "1.4.1"),
    "7": ("1.13", "1.13.2"), "6": ("1.4", "1.4.1"),
}  # fmt: skip
"""By the number of the library, CUDA's or cuDNN's: the last minor that is linked with it, and its last release (TensorFlow's table of tested builds, read 2026-11-23)."""


def linked_with(told: Testimony) -> str:
    """CUDA's release where the import itself ended for lack of a library ("10.0"); "" elsewhere."""
    ended = [each for each in told.of("cuda-libraries-missing") if "ImportError: lib" in each.text]
    number = next((each.told.get("library", "").partition(".so.")[2] for each in ended), "")
    return number if number in _RELEASES else ""


# A library that is asked for by its name without a number: NVIDIA's packages bring the numbered file alone, and a link is what is missing.

_WHEELS = {
    "libnvrtc.so": "cuda_nvrtc", "libnvJitLink.so": "nvjitlink", "libcublasLt.so": "cublas", "libcublas.so": "cublas", "libcudart.so": "cuda_runtime", "libcudnn.so": "cudnn",
}  # fmt: skip
"""The folder below nvidia/ of the wheel that holds the numbered file (lists of files of NVIDIA's wheels, read 2026-11-22)."""


def _without_its_number(facts: Facts, told: Testimony, saying: Saying) -> Candidate | None:
    """None where the name that was asked for has a number."""
    library = saying.told.get("library", "")
    if not library.endswith(".so"):
        return None
    asker = "cuDNN" if "libcudnn" in saying.text else "The program"
    fixes: tuple[Fix, ...] = ()
    if (folder := _WHEELS.get(library)) and told.named("dso-not-opened-early"):
        fixes = (act("change-file", "link-to-numbered-file", library=library),)
    elif folder:
        value, cuda = folder.replace("_", "-"), "11" if (own_minor(facts) or (2, 15)) < (2, 15) else "12"
        fixes = (fix_here(facts, "change-file", "link-to-nvidia-package-library", library=library, folder=folder, value=value, cuda=cuda),)  # fmt: skip
    return of_page(
        "cuda-libraries-unreachable", "without-number", (place(saying),), others=_MISSING, fact=_LIBRARIES, fixes=fixes,
        values={"library": library, "asker": asker},
    )  # fmt: skip


# What a library of CUDA that a process did not find means: asked for by no number, there and out of reach, of another release, or not told.

_LIBRARIES, _MISSING = "cuda_libraries.libraries", ("cuda-libraries-missing",)
_RIVALS = ("cuda-libraries-wrong-version", "cuda-libraries-unreachable", "image-lacks-cuda-libraries")
_RUNTIME_NAMES = ("cudart-not-found", "runtime-stub")


def of_library(case: Case, told: Testimony, saying: Saying) -> Candidate:
    """A saying that a library of CUDA was not opened, weighed by all that the log shows."""
    library, other = saying.told.get("library", ""), _named_in(saying.text.partition("dlerror: ")[2])
    if library and other and stem(other) != stem(library):
        values = {"library": library, "other": other}
        fixes = (act("unset-variable", "unset-ld-library-path"), *ways_out("cuda-libraries-mixed"))
        return of_page(
            "cuda-libraries-mixed",
            "needs",
            (place(saying),),
            values=values,
            sure=Confidence.CERTAIN,
            fixes=fixes,
        )
    return (
        too_old(case, saying)
        or _without_its_number(case.facts, told, saying)
        or on_a_board(case.facts, told, saying)
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
        values={"library": library, "numbered": _NUMBERED.get(library, "")},
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
    "libcusolver.so.11": " CUDA 11.0 has libcusolver.so.10; .11 came with CUDA 11.1.",
    "libcusolver.so.10": " CUDA 10 and 11.0 have it; from CUDA 11.1 on it is libcusolver.so.11.",
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
    of_toolkit = of_toolkit or shown.partition(".")[0] != own.partition(".")[0]  # a cuDNN is for one CUDA
    if not shown or not own or not of_toolkit or (fits(case, told, shown) if cuda else own == shown):
        return None
    return of_page(
        "cuda-libraries-wrong-version", "other-toolkit", (place(saying),), others=_MISSING, fact=_LIBRARIES,
        values={"which": "This TensorFlow", "own": own, "shown": shown},
    )  # fmt: skip


def _own_cuda(case: Case, told: Testimony, cuda: CudaRelease | None) -> str:
    """ "11", or "9.0" of a CUDA that the matrix has no row for; "" where nothing tells."""
    if cuda is None:
        return asked_for(case, told) or cuda_of(span(case, told))
    asked = next((minor for number, minor in runtimes(case, told) if number == cuda.major), cuda.minor)
    return f"{cuda.major}.{asked}" if cuda.major < 11 else str(cuda.major)


def _not_found(case: Case, told: Testimony, saying: Saying) -> Candidate:
    """No more than that this process did not find it."""
    sure = Confidence(saying.sure)
    sure = Confidence.LIKELY if sure is Confidence.CERTAIN else sure
    at, who, what = (place(saying),), _start(told), _what(told)
    if only_asked_for(case.facts, told):
        return of_page(
            "cuda-libraries-missing", "only-asked-for", at, sure=sure, others=_RIVALS, fact=_LIBRARIES,
            values={"who": who, "what": what},
        )  # fmt: skip
    without = _without(told)
    if not (_gpu_shown(case, told) or told.endings or linked_with(told)):
        without = says("cuda-libraries-missing", "without-a-gpu")
    return of_page(
        "cuda-libraries-missing", "not-found", at, sure=sure, others=_RIVALS, fact=_LIBRARIES,
        values={"who": who, "what": what, "without": without},
    )  # fmt: skip


def _without(told: Testimony) -> str:
    """What becomes of TensorFlow without its libraries."""
    linked = linked_with(told)
    return (
        says("cuda-libraries-missing", "linked") if linked else says("cuda-libraries-missing", "on-the-cpu")
    )


def only_asked_for(facts: Facts, told: Testimony) -> bool:
    """All that the log tells is that the runtime was looked for at the start, and TensorFlow's own word that this may mean nothing:
    no GPU, no list of GPUs, no failure, no notebook whose kernel lacks what a terminal has."""
    noise = {each.name for each in value_or(facts.log.noise, ())}
    around = shown(facts)
    meant = _asked(around.typed) or around.notebook or around.node or noise & _OF_A_GPU
    runtime = {stem(each) for each in missing(told)} == {"cudart"}
    return (
        _MAY_MEAN_NOTHING in noise
        and runtime
        and not (meant or told.endings)
        and set(told.codes) == {"cuda-libraries-missing"}
        and not wished(facts, told)
    )


def may_have_no_gpu(facts: Facts, told: Testimony) -> bool:
    """TensorFlow only says that the runtime is not found, as it does on every machine without a GPU, and the log shows none."""
    said = {each.name for each in told.of("cuda-libraries-missing")}
    alone = bool(said) and said <= {"cudart-not-found", "cuda-libraries-error"}
    named = shown(facts).own_gpu or shown(facts).cards or shows_a_gpu(facts) or shows_a_driver(facts)
    return alone and not named


LOOK_FIRST = act("look", "any-gpu")
_MAY_MEAN_NOTHING = "cudart-without-gpu"
_OF_A_GPU = {"numa-negative", "numa-unread"}
"""What TensorFlow says of the place of a GPU on the bus: the driver answered and showed one."""


def _asked(typed: tuple[str, ...]) -> bool:
    """A command that is about more than starting a container, which without --gpus was never to have one."""
    return any(not each.startswith(("docker run", "podman run")) or "gpu" in each for each in typed)


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
        return f"{len(named)} of the CUDA libraries that it opens: {in_a_sentence(named)}"
    if told.named(*_RUNTIME_NAMES):
        return "the CUDA runtime library (libcudart)"
    return "all of the CUDA libraries that it opens"


def _named_in(error: str) -> str:
    found = re.match(r"\s*([\w.+-]{4,80}\.(?:so|dll)[\w.]{0,20})", error)
    return found[1] if found else ""


NOTHING_TO_DO = (
    act("words", "nothing-to-do-without-gpu"),
)  # fmt: skip


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
        (install, lead),
        f"TensorFlow {release} does not search {which} of the directories of NVIDIA's packages. The export is for this shell; to make it permanent, add it to the end of the environment's bin/activate.",
    )  # fmt: skip
    if not _is_final(cured):
        return (stay,)
    newer = act("change-packages", "install-fixed-tensorflow", cured=cured, release=release, python=python)
    return (newer, stay)


def _is_final(release: str) -> bool:
    return bool(release) and release.replace(".", "").isdigit()


# The CUDA libraries and the cuDNN that the log's TensorFlow opens.


def of_no_python(facts: Facts) -> Fix:
    """For TensorFlow in Node.js, Java, .NET or C, which takes nothing from a Python's packages."""
    return act("look", "cuda-libraries")


def library_fixes(case: Case, told: Testimony) -> tuple[Fix, ...]:
    """The libraries that the release opens; where the log names them and no release, those of the releases that do."""
    facts, rows = case.facts, releases_of(case, told)
    if shown(facts).node or shown(facts).program:
        return (of_no_python(facts),)
    if not rows:
        here = setting(case, told)
        if (by_conda := of_conda(case, told, here)) is not None:
            return (by_conda,)
        return (of_an_old_release(here),) if missing_libraries(told) and here.span.before(2, 3) else ()
    if not any(isinstance(row.and_cuda, Known) for row in rows):
        return _in_an_environment_of_its_own(case, told, rows)
    if isinstance(facts.tensorflow.version, Known):
        missing = tuple(missing_libraries(told))
        return forgotten_folders(case) or bring_libraries(
            facts, case.matrix, Known(rows[0], "the log's release"), missing
        )
    return _of_its_minor(
        case, told, rows
    )  # else the page's command without a version suits all that have the extra


def _in_an_environment_of_its_own(case: Case, told: Testimony, rows: tuple[Release, ...]) -> tuple[Fix, ...]:
    """An environment of its own for the release that is known, or guessed by its libraries."""
    fix = fresh_environment(rows[0], machine_of(case.facts), case.matrix)
    if isinstance(case.facts.tensorflow.version, Known):
        return (fix,)
    return (replace(fix, note=f"{_by_its_messages(span(case, told), rows[0])}{fix.note}"),)


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
    return (replace(first, note=f"{_by_its_messages(here, rows[0])}{first.note}"), *rest)


def _by_its_messages(here: Span, row: Release) -> str:
    """A log of a version before the matrix gets a later one that opens the same libraries."""
    which = str(here)
    if not which:
        return f"TensorFlow {row.tensorflow} needs the libraries that it asks for. "
    later = (minor(row.tensorflow) or here.newest) > here.newest
    return f"By its messages it is TensorFlow {which}{f'; {row.tensorflow} needs the same libraries' if later else ''}. "


def newer_cudnn_fixes(case: Case, told: Testimony) -> tuple[Fix, ...]:
    """The cuDNN that the build was compiled with, for the CUDA of the releases that were."""
    floor, system = _compiled_with(told), value_or(case.facts.host.os, "linux")
    if floor is None:
        return ()
    fitting = next(
        (
            row
            for row in rows(case)
            if isinstance(row.cudnn, Known)
            and (row.cudnn.value.major, row.cudnn.value.minor) == (floor.major, floor.minor)
            and not shown(case.facts).jax
        ),
        None,
    )
    page = ways_out("cudnn-version-mismatch")
    path = tuple(
        replace(each, title="Unset LD_LIBRARY_PATH if it points to that copy")
        for each in page
        if system == "linux" and "unset LD_LIBRARY_PATH" in each.commands
    )
    if system == "windows":
        path = (act("change-path", "remove-old-cudnn-from-path", file=f"cudnn64_{floor.major}.dll"),)
    if fitting is not None:
        own = _cudnn_of(fitting, floor, case)
        return (
            (own, *path) if system == "linux" else (*path, own)
        )  # by public threads the newer cuDNN helps more often
    newer = "" if told.named("cudnn-loaded-other-old") else f" or a newer {floor.major}"
    return (
        *path,
        act("change-packages", "install-cudnn-from-archive", wanted=f"{floor.major}.{floor.minor}{newer}"),
    )


def _compiled_with(told: Testimony) -> CudnnRelease | None:
    """ "8.6.0", or "7004" as old releases wrote it."""
    for each in told.of("cudnn-version-mismatch"):
        wanted = each.told.get("wanted", "").rstrip(".")
        if re.fullmatch(r"\d{4,5}", wanted):
            number = int(wanted)
            wanted = f"{number // 1000}.{number // 100 % 10}.{number % 100}"
        if re.fullmatch(r"\d{1,2}(?:\.\d{1,3}){1,2}", wanted):
            return CudnnRelease.parse(wanted)
    return None


def _cudnn_of(release: Release, floor: CudnnRelease, case: Case) -> Fix:
    cuda = release.cuda.value.major if isinstance(release.cuda, Known) else 0
    if cuda < 11 or floor.major < 8 or value_or(case.facts.host.os, "linux") != "linux":
        return fresh_environment(release, machine_of(case.facts), case.matrix)
    spec = f"nvidia-cudnn-cu{cuda}>={floor.major}.{floor.minor},<{floor.major + 1}"
    if isinstance(release.and_cuda, Known):
        return fix_here(case.facts, "change-packages", "install-matching-cudnn", version=floor, spec=spec)
    return fix_here(
        case.facts, "change-packages", "matching-cudnn-with-library-path", version=floor, spec=spec
    )


# A TensorFlow for a system whose C library is too old.

_OLD = "2.17"
"""glibc of CentOS 7 and RHEL 7, the oldest systems that people still use."""


def glibc_fixes(case: Case, told: Testimony) -> tuple[Fix, ...]:
    """The newest release that has a wheel for this Python and is content with glibc 2.17; () where no Python is told, or no such release."""
    python = case.facts.interpreter.version
    if not isinstance(python, Known):
        return ()
    for row in case.matrix.releases():
        pythons = [each.feature for each in row.python.value] if isinstance(row.python, Known) else []
        if python.value.feature in pythons and isinstance(row.glibc, Known) and key(str(row.glibc.value)) <= key(_OLD):  # fmt: skip
            command = Pip(f"tensorflow=={row.tensorflow}", python=interpreter(case.facts))
            older = replace(act("change-packages", "tensorflow-for-glibc-2-17"), commands=(command,))
            return (older, *ways_out("glibc-too-old")[1:])
    return ()
