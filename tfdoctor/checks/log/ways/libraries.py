"""The CUDA libraries and the cuDNN that the log's TensorFlow opens."""

from __future__ import annotations

import re  # reads no log: numbers of a version

from tfdoctor.checks.engine.case import Case
from tfdoctor.checks.log.around.instead import of_an_old_release
from tfdoctor.checks.log.around.releases import shown, span
from tfdoctor.checks.log.around.settings import setting
from tfdoctor.checks.log.brought.linked import linked_fixes
from tfdoctor.checks.log.gpus.cudnns import conda_fixes, jax_cudnn_fixes
from tfdoctor.checks.log.testimony import Testimony
from tfdoctor.checks.log.unfound.toolkits import cudnn_of_conda, into_this_environment, module_fixes, of_conda
from tfdoctor.checks.log.unfound.ways import THERE_ALREADY, forgotten_folders
from tfdoctor.checks.log.ways.releases import machine_of, missing_libraries, releases_of, rows
from tfdoctor.facts.model import Facts
from tfdoctor.facts.outcome import Known, value_or
from tfdoctor.facts.versions import CudnnRelease
from tfdoctor.findings.fix import fix
from tfdoctor.findings.model import Fix
from tfdoctor.findings.pages import ways_out
from tfdoctor.fixes.commands import interpreter
from tfdoctor.fixes.libraries import bring_libraries, fresh_environment
from tfdoctor.light.records import replace
from tfdoctor.matrix.model import Release


def of_no_python(facts: Facts) -> Fix:
    """For TensorFlow in Node.js, Java, .NET or C, which takes nothing from a Python's packages."""
    windows = value_or(facts.host.os, "linux") == "windows"
    look = "where.exe cudart64*.dll cublas64*.dll cudnn64*.dll" if windows else "ldconfig -p | grep -E 'libcudart|libcublas|libcudnn'"  # fmt: skip
    return Fix("See which libraries of CUDA the system finds", (look,), "The names in the log carry the release of CUDA that this program's TensorFlow opens. Its folder has to be on LD_LIBRARY_PATH (Windows: PATH) before the program starts.")  # fmt: skip


def library_fixes(case: Case, told: Testimony) -> tuple[Fix, ...]:
    """The libraries that the release opens; where the log names them and no release, those of the releases that do."""
    facts, rows = case.facts, releases_of(case, told)
    if shown(facts).node or shown(facts).program:
        return (of_no_python(facts),)
    if found := module_fixes(case, told) or _linked(case, told):
        return found
    if not rows:
        here = setting(case, told)
        if (by_conda := of_conda(case, told, here)) is not None:
            return (by_conda,)
        return (of_an_old_release(here),) if missing_libraries(told) and here.span.before(2, 3) else ()
    if (cudnn := cudnn_of_conda(told, rows[0])) is not None:
        return (cudnn,)
    if (there := into_this_environment(told, rows[0], setting(case, told))) is not None:
        return (there, *_anew(case, rows))
    if not any(isinstance(row.and_cuda, Known) for row in rows):
        return _anew(case, rows)
    if isinstance(facts.tensorflow.version, Known):
        missing = tuple(missing_libraries(told))
        return forgotten_folders(case) or bring_libraries(
            facts, case.matrix, Known(rows[0], "the log's release"), missing
        )
    return _of_its_minor(
        case, told, rows
    )  # else the page's command without a version suits all that have the extra


def _anew(case: Case, rows: tuple[Release, ...]) -> tuple[Fix, ...]:
    """An environment of its own for the release that is known, or guessed by its libraries."""
    fix = fresh_environment(rows[0], machine_of(case.facts), case.matrix)
    if isinstance(case.facts.tensorflow.version, Known):
        return (fix,)
    return (replace(fix, note=f"{_by_its_libraries(rows)}{fix.note}"),)


def _linked(case: Case, told: Testimony) -> tuple[Fix, ...]:
    """The ways of a TensorFlow that is linked with CUDA, with its image behind them; () for any other."""
    found = linked_fixes(told)
    return (*found, of_an_old_release(setting(case, told))) if found else ()


def _of_its_minor(case: Case, told: Testimony, rows: tuple[Release, ...]) -> tuple[Fix, ...]:
    """Where the log's lines tell one minor, and a release of it does not look into all folders of NVIDIA's wheels; else ()."""
    here = span(case, told)
    if here.oldest != here.newest:
        return ()
    found = (fixes for row in rows if (fixes := forgotten_folders(case, row.tensorflow)))
    first, *rest = next(found, ()) or (None,)
    if first is None:
        return () if missing_libraries(told) else (_extra(case), THERE_ALREADY)
    return (replace(first, note=f"{_by_its_libraries(rows)}{first.note}"), *rest)


def _extra(case: Case) -> Fix:
    return fix("install-them-into-environment-for-own-2", python=interpreter(case.facts))


def _by_its_libraries(rows: tuple[Release, ...]) -> str:
    first, last = rows[-1].tensorflow, rows[0].tensorflow
    which = f"{first} to {last}" if first != last else last
    return f"The log does not name its TensorFlow; what it shows is of {which}. "


def newer_cudnn_fixes(case: Case, told: Testimony) -> tuple[Fix, ...]:
    """The cuDNN that the build was compiled with, for the CUDA of the releases that were."""
    floor, system = _compiled_with(told), value_or(case.facts.host.os, "linux")
    if floor is None:
        return ()
    if shown(case.facts).jax:
        return jax_cudnn_fixes(floor, conda=setting(case, told).has("conda"))
    fitting = next(
        (
            row
            for row in rows(case, system)
            if isinstance(row.cudnn, Known) and _same_minor(row.cudnn.value, floor)
        ),
        None,
    )
    page = ways_out("cudnn-version-mismatch")
    path = tuple(
        replace(
            each, title="If LD_LIBRARY_PATH leads to the one that was loaded, do without it; this shell only"
        )
        for each in page
        if system == "linux" and "unset LD_LIBRARY_PATH" in each.commands
    )
    if system == "windows":
        title = f"See which copies of cudnn64_{floor.major}.dll Windows finds, the first one being loaded, and take the folder of the old one off PATH"
        path = (Fix(title, (f"where.exe cudnn64_{floor.major}.dll",)),)
    if setting(case, told).has("conda"):
        path = (*conda_fixes(told), *path)
    if fitting is not None:
        own = _cudnn_of(fitting, floor, case)
        return (
            (own, *path) if system == "linux" else (*path, own)
        )  # by public threads the newer cuDNN helps more often
    newer = "" if told.named("cudnn-loaded-other-old") else f" or a newer {floor.major}"
    title = f"Install cuDNN {floor.major}.{floor.minor}{newer}, for the CUDA of this TensorFlow"
    archive = Fix(title, note="NVIDIA keeps it in its archive of cuDNN; conda's channels have it, too.")
    together = _with_its_own(floor) if system == "linux" and not setting(case, told).has("conda") else ()
    return (*together, archive, *path) if together else (*path, archive)


def _with_its_own(floor: CudnnRelease) -> tuple[Fix, ...]:
    """TensorFlow 1 as conda made it, with the CUDA and cuDNN that it asks for; () for a cuDNN that its builds do not have."""
    minor = "1.12" if floor.major == 7 and floor.minor < 4 else "1.15"
    command = f"conda create --yes --name tensorflow-{minor} python=3.6 tensorflow-gpu={minor}"
    title = f"Let conda bring TensorFlow {minor} together with its own CUDA and cuDNN, in an environment of its own"
    note = "The present environment stays as it is, and the driver too. Then: conda activate and the environment's name."
    return (Fix(title, (command,), note),) if floor.major == 7 else ()


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


def _same_minor(one: CudnnRelease, other: CudnnRelease) -> bool:
    return (one.major, one.minor) == (other.major, other.minor)


def _cudnn_of(release: Release, floor: CudnnRelease, case: Case) -> Fix:
    cuda = release.cuda.value.major if isinstance(release.cuda, Known) else 0
    if cuda < 11 or floor.major < 8 or value_or(case.facts.host.os, "linux") != "linux":
        return fresh_environment(release, machine_of(case.facts), case.matrix)
    name = f"nvidia-cudnn-cu{cuda}"
    command = (
        f"{interpreter(case.facts)} -m pip install '{name}>={floor.major}.{floor.minor},<{floor.major + 1}'"
    )
    if isinstance(release.and_cuda, Known):
        return Fix(f"Install a cuDNN that fits what this TensorFlow was compiled with, {floor}", (command,))
    search = "export LD_LIBRARY_PATH=$(python -c 'import sysconfig; print(sysconfig.get_paths()[\"purelib\"])')/nvidia/cudnn/lib:$LD_LIBRARY_PATH"
    return Fix(
        f"Install a cuDNN that fits what this TensorFlow was compiled with, {floor}",
        (command, search),
        "TensorFlow before 2.14 does not look into that package by itself; the second line leads this shell there.",
    )
