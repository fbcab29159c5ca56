"""Whether the cuDNN that this process loads fits the build and the GPU.

TensorFlow compares at the first convolution: the same major, and a minor that is not older than the one it was
compiled with (its log line `Loaded runtime CuDNN library: A but source was compiled with: B`).
"""

from __future__ import annotations

from tfdoctor.checks.engine.case import Ability, CantTell, Case, Found, NotApplicable, check
from tfdoctor.checks.engine.evidence import evidence, not_climbed
from tfdoctor.checks.libraries.lacks import CUDNN, lacks
from tfdoctor.checks.questions.build import build_of
from tfdoctor.checks.questions.gpu import devices, need_gpu
from tfdoctor.facts.outcome import Absent, Fact, Failed, Known, map_known
from tfdoctor.facts.values import Library
from tfdoctor.facts.versions import CudnnRelease, LibraryRelease
from tfdoctor.findings.model import Evidence, Fix
from tfdoctor.fixes.install import first_cudnn_without
from tfdoctor.fixes.libraries import again, bring_libraries, exact, search_wheel, searched_by_itself
from tfdoctor.fixes.variables import convolve, path_without
from tfdoctor.light.records import replace

FOLLOWS = ("smoke-tensorflow-failed",)
WHEEL = "nvidia-cudnn-cu"


def main_library(case: Case) -> Library:
    """cuDNN as this build opens it. Raises NotApplicable where it opens none or no GPU is expected."""
    need_gpu(case)
    case.need(build_of(case).cuda)
    for library in case.need(case.facts.cuda_libraries.libraries):
        if library.soname.startswith(CUDNN):
            return library
    raise NotApplicable("this build opens no cuDNN")


def loaded_version(case: Case, library: Library) -> Fact[CudnnRelease]:
    """Its own version call's answer where the libraries stage made it, else what its files say."""
    smoke = case.facts.smoke.libraries
    for each in smoke.value.libraries if isinstance(smoke, Known) else ():
        if each.soname == library.soname and isinstance(each.version, Known):
            return map_known(each.version, _of_cudnn)
    return map_known(library.version, _of_cudnn)


def _of_cudnn(release: LibraryRelease) -> CudnnRelease:
    return release.as_kind(CudnnRelease)


def release_of(case: Case) -> CudnnRelease:
    """The loaded cuDNN's release. Raises NotApplicable where none is loaded, CantTell where its version is unknown."""
    library = main_library(case)
    if isinstance(case.need_outcome(library.path), Absent):
        raise NotApplicable("no cuDNN is found; other codes speak of that")
    version = loaded_version(case, library)
    if not isinstance(version, Known):
        why = version.reason if isinstance(version, Absent) else version.error
        unasked = not_climbed(case.facts.smoke.libraries)
        hint = "; the libraries stage, which did not run, asks the library itself" if unasked else ""
        raise CantTell(f"the version of {library.soname}: {why}{hint}", not_live=unasked)
    return version.value


def _where(library: Library) -> str:
    return library.path.value if isinstance(library.path, Known) else library.soname


@check(
    "cudnn-version-mismatch",
    prevents=Ability.GPU,
    explains=(*FOLLOWS, "cudnn-incomplete", "cudnn-drops-gpu", "cudnn-bug"),
)
def cudnn_version_mismatch(case: Case) -> Found | None:
    """The version that cuDNN itself names where the libraries stage asked it, else that of its files, against the one the
    build was compiled with: the same major, and no older minor.
    """
    library = main_library(case)
    if any(
        each.library.soname == library.soname and each.kind == "cudnn-version-mismatch"
        for each in lacks(case)
    ):
        return _other_major(case, library)
    loaded = release_of(case)
    built = case.need(build_of(case).cudnn)
    if loaded.major == built.major and (loaded.minor >= built.minor or "." not in built.text):
        return None
    shadowed = f" It comes first and shadows {', '.join(library.shadows)}." if library.shadows else ""
    return Found(
        f"The process loads cuDNN {loaded} from {_where(library)}, but this TensorFlow was compiled with {built} and takes no "
        f"older one.{shadowed} The GPU is listed; the first convolution fails with `DNN library is not found`.",
        (
            Evidence(
                "cuda_libraries.libraries",
                f"cuDNN {loaded} ({_where(library)}, by {library.found_via})",
                _wanted(built),
            ),
            evidence(case, "tensorflow.build", observed=f"compiled with cuDNN {built}"),
        ),
        way_out(case, library, built),
    )


def _wanted(built: CudnnRelease) -> str:
    return f">={built.major}.{built.minor},<{built.major + 1}"


def _other_major(case: Case, library: Library) -> Found:
    built = build_of(case).cudnn
    name = f"cuDNN {built.value}" if isinstance(built, Known) else library.soname
    return Found(
        f"This TensorFlow was compiled with {name} and opens {library.soname}. The loader finds another major release only, "
        "which can't take its place; TensorFlow shows no GPU.",
        (
            Evidence(
                "cuda_libraries.libraries",
                f"found instead: {', '.join(library.other_versions)}",
                library.soname,
            ),
        ),
        (
            *(way_out(case, library, built.value) if isinstance(built, Known) else ()),
            *bring_libraries(case.facts, case.matrix, build_of(case).row, (library.soname,)),
        ),
    )


_FOLDER = "nvidia/cudnn/lib"


def way_out(case: Case, library: Library, floor: CudnnRelease, title: str = "") -> tuple[Fix, ...]:
    """A wheel helps only where the process loads it: not behind LD_LIBRARY_PATH, nor where TensorFlow does not look for it."""
    wheel = _the_right_wheel(case, floor, title)
    if library.found_via == "LD_LIBRARY_PATH" and not _holds_others(case, library):
        return _past_the_path(case, library, wheel)
    if library.found_via == "LD_LIBRARY_PATH" or not searched_by_itself(case.facts, case.matrix, _FOLDER):
        line = search_wheel(case.facts, _FOLDER)
        note = "The last line puts the wheel's folder before all others in this shell, for TensorFlow does not come to it by itself; keep it in a start file."
        return (
            tuple(
                replace(each, commands=(*each.commands, *line), note=f"{note} {each.note}") for each in wheel
            )
            if line
            else wheel
        )
    return wheel


def _holds_others(case: Case, library: Library) -> bool:
    """Whether other libraries come from the same folder: to take it off the path would lose them (conda's lib)."""
    folder = _where(library).rpartition("/")[0]
    every = case.need(case.facts.cuda_libraries.libraries)
    return any(
        _where(each).rpartition("/")[0] == folder
        for each in every
        if each.soname != library.soname and isinstance(each.path, Known)
    )


def _past_the_path(case: Case, library: Library, wheel: tuple[Fix, ...]) -> tuple[Fix, ...]:
    """LD_LIBRARY_PATH comes before the wheel's folder: as long as it leads to the old copy, no installation helps."""
    command = path_without(case.facts, _where(library).rpartition("/")[0])
    note = (
        f"LD_LIBRARY_PATH leads to {_where(library)} before anything else. It holds in this shell; then take that folder out of "
        "the line that sets LD_LIBRARY_PATH."
    )
    if library.shadows:
        return (Fix("Take its folder out of LD_LIBRARY_PATH", (command,), note), *wheel)
    own = () if searched_by_itself(case.facts, case.matrix, _FOLDER) else search_wheel(case.facts, _FOLDER)
    return tuple(
        replace(each, commands=(*each.commands, command, *own), note=f"{note} {each.note}") for each in wheel
    )


def _the_right_wheel(case: Case, floor: CudnnRelease, title: str = "") -> tuple[Fix, ...]:
    """The wheel of that release or a newer one of its major, as far as it serves the GPUs; () where none does both."""
    cuda = build_of(case).cuda
    top = _first_without_these_gpus(case)
    if not isinstance(cuda, Known) or floor.major < 8 or (top is not None and top <= floor):
        return ()
    bound = (
        f"{top.major}.{top.minor}" if top is not None and top.major == floor.major else f"{floor.major + 1}"
    )
    return (
        exact(
            case.facts,
            f"{WHEEL}{cuda.value.major}>={_numbers(floor)},<{bound}",
            title=title or f"Install a cuDNN that fits TensorFlow's {floor.major}.{floor.minor}",
            note=f"Another framework in this environment (PyTorch) may ask for its own cuDNN; it then belongs into another one. "
            f"See that it helped: {convolve(case.facts)}",
        ),
    )


def _numbers(floor: CudnnRelease) -> str:
    return (
        floor.text
        if floor.text.count(".") == 2 and not floor.text.endswith(".0")
        else f"{floor.major}.{floor.minor}"
    )


def _first_without_these_gpus(case: Case) -> CudnnRelease | None:
    try:
        oldest = min(each.capability for each in devices(case))
    except (CantTell, NotApplicable):
        return None
    return first_cudnn_without(oldest, case.matrix)


@check("cudnn-incomplete", prevents=Ability.GPU, explains=FOLLOWS)
def cudnn_incomplete(case: Case) -> Found | None:
    """The main library is found, and one of the parts that it opens is not."""
    library = main_library(case)
    if isinstance(case.need_outcome(library.path), Absent):
        return None
    parts = case.need(case.facts.cuda_libraries.cudnn_parts)
    missing = [part for part in parts if isinstance(part.path, Absent)]
    if not missing:
        for part in parts:
            if isinstance(part.path, Failed):
                raise CantTell(f"{part.soname}: {part.path.error}")
        return None
    names = ", ".join(part.soname for part in missing)
    return Found(
        f"cuDNN consists of several libraries; the main one is found, but not {names}. The first convolution ends the program "
        "with `Unable to load any of …` or `Invalid handle`.",
        (
            Evidence(
                "cuda_libraries.cudnn_parts", f"not found: {names}", "every part beside the main library"
            ),
            Evidence("cuda_libraries.libraries", _where(library)),
        ),
        _complete(case),
    )


def _complete(case: Case) -> tuple[Fix, ...]:
    wheels = case.facts.cuda_libraries.wheels
    found = [
        each for each in (wheels.value if isinstance(wheels, Known) else ()) if each.name.startswith(WHEEL)
    ]
    if found:
        spec = f"{found[0].name}=={found[0].version}"
        return (again(case.facts, spec, title="Reinstall cuDNN's files", note="The version stays."),)
    return bring_libraries(case.facts, case.matrix, build_of(case).row, (main_library(case).soname,))
