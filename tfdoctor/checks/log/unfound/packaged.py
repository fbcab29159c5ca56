"""A list of packages beside an empty list of GPUs: the build for processors, NVIDIA's packages that are not there, or those of another CUDA."""

from __future__ import annotations

from tfdoctor.checks.engine.case import Case
from tfdoctor.checks.log.around.releases import shown, span
from tfdoctor.checks.log.candidate import Candidate, question
from tfdoctor.checks.log.testimony import Place, Testimony
from tfdoctor.checks.log.unfound.elsewhere import toolkit_told
from tfdoctor.checks.log.unfound.ways import forgotten_folders
from tfdoctor.facts.outcome import Known, value_or
from tfdoctor.findings.fix import fix
from tfdoctor.findings.model import Confidence, Fix
from tfdoctor.fixes.commands import interpreter
from tfdoctor.light.expressions import Expression  # reads no log: names of distributions
from tfdoctor.matrix.model import Release

_CPU = "TensorFlow shows no GPU and computes on the processor."
_CPU_ONLY, _BOTH, _MISSING, _WRONG = "tensorflow-cpu-only", "tensorflow-mixed-distributions", "cuda-libraries-missing", "cuda-libraries-wrong-version"  # fmt: skip
_CUDNN = Expression(r"^nvidia-cudnn-cu(?P<cuda>1[123])$")
_SYSTEM = "cuda_libraries.libraries"


def packaged(case: Case, told: Testimony, at: tuple[Place, ...]) -> Candidate | None:
    """None where the log shows no list of packages, or one that fits."""
    listed = {each.name: each.version for each in value_or(case.facts.packages.installed, ())}
    named = shown(case.facts).cpu_package
    if named or "tensorflow-cpu" in listed:
        return _of_cpu(listed, named or f"tensorflow-cpu {listed['tensorflow-cpu']}", at)
    release = str(value_or(case.facts.tensorflow.version, ""))
    row = case.matrix.release(release) if release else None
    if not isinstance(row, Known):
        return None
    return _cudnn_of_another(case, told, row.value, at) or _without(case, told, listed, row.value, at)


def _of_cpu(listed: dict[str, str], named: str, at: tuple[Place, ...]) -> Candidate:
    if "tensorflow" in listed:
        words = (
            f"The list holds tensorflow {listed['tensorflow']} and {named}. Both write their files into the same folder, so what was installed last is what "
            f"runs, and tensorflow-cpu is built without CUDA. {_CPU}"
        )
        title = "tensorflow and tensorflow-cpu are installed together; the one without CUDA takes the other's place."
        return Candidate(_BOTH, Confidence.LIKELY, at, words, title=title)
    words = f"The log shows {named}, which is built without CUDA: it computes on the processor, whatever driver and libraries are there."
    return Candidate(_CPU_ONLY, Confidence.CERTAIN, at, words, title=f"{named} is installed, a build without CUDA.")  # fmt: skip


def _cudnn_of_another(case: Case, told: Testimony, row: Release, at: tuple[Place, ...]) -> Candidate | None:
    """The cuDNN of pip or conda has another major than the one that this release opens, or is for another CUDA."""
    if not isinstance(row.cudnn, Known) or not isinstance(row.cuda, Known):
        return None
    wanted, cuda = row.cudnn.value.major, row.cuda.value.major
    for _name, version, its_cuda in _cudnns(case, told):
        if version.partition(".")[0] == str(wanted) and its_cuda in ("", str(cuda)):
            return None
    found = next(iter(_cudnns(case, told)), None)
    if found is None:
        return None
    name, version, _ = found
    words = f"TensorFlow {row.tensorflow} opens cuDNN {wanted} for CUDA {cuda}, by its exact name, and the list shows {name} {version}. {_CPU}"
    title = f"TensorFlow {row.tensorflow} opens cuDNN {wanted} for CUDA {cuda}, and what is installed is {name} {version}."
    return Candidate(_WRONG, Confidence.LIKELY, at, words, question((_WRONG, _MISSING), _SYSTEM), title)


def _cudnns(case: Case, told: Testimony) -> list[tuple[str, str, str]]:
    """Name, version and CUDA of each that is listed; conda's tells no CUDA by its name."""
    found = [
        (each.name, each.version, match["cuda"])
        for each in value_or(case.facts.packages.installed, ())
        if (match := _CUDNN.match(each.name))
    ]
    conda = [each.told for each in told.named("conda-cuda-package") if each.told["package"] == "cudnn"]
    return found + [("cudnn", each["version"], "") for each in conda]


def _without(
    case: Case, told: Testimony, listed: dict[str, str], row: Release, at: tuple[Place, ...]
) -> Candidate | None:
    """A whole list without a cuDNN, where nothing speaks for a toolkit of the system's."""
    there = toolkit_told(told) or told.named("cuda-file-there", "cuda-file-listed", "conda-cuda-package")
    linux = value_or(case.facts.host.os, "linux") == "linux" and not shown(case.facts).jetson
    if not listed or there or not linux or not isinstance(row.and_cuda, Known) or _cudnns(case, told):
        return None
    words = (
        f"The list holds tensorflow {row.tensorflow} and none of NVIDIA's packages (nvidia-cudnn-cu12 and its like). The wheel of TensorFlow opens CUDA's libraries and does not bring them; nvidia-smi shows "
        f"the driver alone. Where they are not installed for the whole system, they are missing. {_CPU}"
    )
    title = f"The list of packages shows tensorflow {row.tensorflow} without NVIDIA's CUDA libraries."
    return Candidate(_MISSING, Confidence.LIKELY, at, words, question((_MISSING, _WRONG), _SYSTEM), title)


def packaged_fixes(code: str, case: Case, told: Testimony) -> tuple[Fix, ...]:
    """() where no list of packages decided."""
    found = packaged(case, told, ())
    if found is None or found.code != code:
        return ()
    python, release = interpreter(case.facts), str(value_or(case.facts.tensorflow.version, ""))
    if code in (_CPU_ONLY, _BOTH):
        extra = "" if span(case, told).before(2, 14) else "[and-cuda]"
        version = f"=={release}" if release else ""
        return (fix("uninstall-build-without-cuda-and-install", python=python, extra=extra, version=version),)
    return forgotten_folders(case) or (
        fix("install-cuda-libraries-tensorflow-into-environment", release=release, python=python),
    )
