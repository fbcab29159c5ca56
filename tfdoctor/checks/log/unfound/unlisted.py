"""A log that only shows that TensorFlow lists no GPU: what its system, its build and its release make likely."""

from __future__ import annotations

from tfdoctor.checks.engine.case import Case
from tfdoctor.checks.log.around.releases import shown, span
from tfdoctor.checks.log.candidate import Candidate, question
from tfdoctor.checks.log.gpus.other_gpus import of_another_maker
from tfdoctor.checks.log.testimony import Place, Testimony
from tfdoctor.checks.log.unfound.elsewhere import toolkit_told
from tfdoctor.checks.log.unfound.images import image_of_gpus, of_cpu_image
from tfdoctor.checks.log.unfound.likely import likelier, likelier_fixes, of_a_mac
from tfdoctor.checks.log.unfound.packaged import packaged, packaged_fixes
from tfdoctor.checks.log.unfound.sessions import over_its_own, without_a_gpu
from tfdoctor.checks.log.ways.libraries import library_fixes, of_no_python
from tfdoctor.facts.model import Facts
from tfdoctor.facts.outcome import Known, value_or
from tfdoctor.findings.fix import fix
from tfdoctor.findings.model import Confidence, Fix
from tfdoctor.findings.pages import ways_out
from tfdoctor.fixes.commands import interpreter
from tfdoctor.light.records import replace

_CREATED = ("gpu-created", "gpu-created-old", "pluggable-created")
_SILENT = "TensorFlow lists no GPU, and no line of this log says why."
_OF_WINDOWS = "TensorFlow's builds for Windows since 2.11 are made without CUDA, so no driver, toolkit or cuDNN changes that; they work on the processor. 2.10 was the last with a GPU on Windows itself."
_OF_JETSON = f"{_SILENT} What pip installs on ARM processors (aarch64) is made without CUDA. For its Jetson boards NVIDIA makes builds of its own, each for one release of JetPack."
_WITHOUT_CUDA = "The installed TensorFlow says that it was built without CUDA. Such a build shows no GPU, whatever driver and libraries are there."
_BY_CONDA = "conda's list shows it: TensorFlow's build is {build}, and conda names its builds with CUDA cuda… or gpu_…. One without it shows no GPU, whatever driver and libraries are there."
_XLA_GPU = "The device XLA_GPU is listed, which TensorFlow 1.14 to 2.3 make where the driver answers and shows a GPU. The device GPU is not: for that one TensorFlow opens CUDA's libraries, and it did not find all of them in the versions that it was built with."
_NO_LIBCUDA = "nvidia-smi works here and shows no CUDA version: it found the part of the driver for management and not the one for computing, libcuda. TensorFlow needs the second one."
_UNKNOWN = f"{_SILENT} Mostly it did not find its CUDA libraries, or the installed build is one without CUDA; a variable that hides the GPUs and a driver that does not answer look the same. TensorFlow computes on the processor."
_CUDA_BUILD = "Have conda replace it by conda-forge's build with CUDA, which brings its libraries along"
_IF_UNSEEN = "The variable in front says which CUDA the driver serves, for an image or a login node where conda sees none; write your driver's, or leave it out on the machine with the GPU."
_MAYBE_WINDOWS = "If this is Windows itself and not WSL2: TensorFlow has had no GPU build for it since 2.11."
_CODES = (
    "cuda-libraries-missing",
    "tensorflow-cpu-only",
    "cuda-libraries-unreachable",
    "gpu-hidden",
    "driver-missing",
)


def unlisted(case: Case, told: Testimony) -> Candidate | None:
    """None where the log tells of anything else, or of work that went on to its end."""
    facts, around = case.facts, shown(case.facts)
    line = around.no_gpu or around.cpu_build
    if not line or told.codes or _ended_otherwise(told, line) or told.named(*_CREATED, "keras-step"):
        return None
    at, releases, system = ((0, line),), span(case, told), value_or(facts.host.os, "linux")
    if system == "macos":
        return of_a_mac(facts, at)
    if (other := of_another_maker(facts, at)) is not None:
        return other
    if _on_windows(facts, told) and (around.cpu_build or releases.since(2, 11)):
        return Candidate("os-gpu-unsupported", Confidence.LIKELY, at, _OF_WINDOWS, title="TensorFlow has had no GPU build for Windows itself since 2.11.")  # fmt: skip
    if around.jetson and not releases.before(2, 4):
        return Candidate("os-gpu-unsupported", Confidence.LIKELY, at, _OF_JETSON, title="The TensorFlow that pip installs on this Jetson is built without CUDA.")  # fmt: skip
    if around.cpu_build:
        why = _BY_CONDA.format(build=around.conda_build) if around.conda_build else _WITHOUT_CUDA
        return Candidate("tensorflow-cpu-only", Confidence.CERTAIN, at, why, title="The installed TensorFlow was built without CUDA.")  # fmt: skip
    if told.named("smi-without-cuda"):
        return Candidate("driver-library-unreachable", Confidence.LIKELY, at, _NO_LIBCUDA, title="nvidia-smi works, and the driver's library for computing (libcuda) is not found.")  # fmt: skip
    if (found := _session(facts, told, at) or of_cpu_image(case, told, at) or packaged(case, told, at) or likelier(case, told, at)) is not None:  # fmt: skip
        return found
    if around.xla_gpu:
        return Candidate("cuda-libraries-missing", Confidence.LIKELY, at, _XLA_GPU, question((_CODES[0], "cuda-libraries-wrong-version"), "cuda_libraries.libraries"), "The driver shows a GPU, and TensorFlow did not find all CUDA libraries that it needs for it.")  # fmt: skip
    words = f"{_UNKNOWN} {_MAYBE_WINDOWS}" if releases.since(2, 11) and system != "windows" else _UNKNOWN
    return Candidate("cuda-libraries-missing", Confidence.POSSIBLE, at, words, question(_CODES, "cuda_libraries.libraries"), "TensorFlow lists no GPU; mostly it did not find its CUDA libraries, or was built without CUDA.")  # fmt: skip


def _session(facts: Facts, told: Testimony, at: tuple[Place, ...]) -> Candidate | None:
    """A hosted notebook whose own TensorFlow finds no GPU has none; another TensorFlow may miss its libraries there."""
    another = any(" install " in each and ("tensorflow" in each or "tf-nightly" in each) for each in shown(facts).typed)  # fmt: skip
    if another:
        return over_its_own(facts, at)
    return None if told.named("smi-banner") else without_a_gpu(facts, at)


def _on_windows(facts: Facts, told: Testimony) -> bool:
    """Windows itself: by its paths and words, or by the driver model that nvidia-smi shows there alone."""
    if isinstance(facts.host.wsl, Known) or isinstance(facts.host.container, Known):
        return False
    return value_or(facts.host.os, "linux") == "windows" or bool(told.named("smi-of-windows"))


def _ended_otherwise(told: Testimony, line: int) -> bool:
    """An end that is not the very exception that there is no such device, or no GPU."""
    return told.ended_badly and not any(
        "available devices are [" in each.what or each.line == line for each in told.endings
    )


def unlisted_fixes(code: str, case: Case, told: Testimony) -> tuple[Fix, ...]:
    """() for the page's own."""
    found = unlisted(case, told)
    if found is None or found.code != code:
        return ()
    if fixes := image_of_gpus(code, case, told) or packaged_fixes(code, case, told) or likelier_fixes(code, case, told):  # fmt: skip
        return fixes
    if found.explanation == _OF_WINDOWS:
        return _last_for_windows(case, told)
    if found.explanation == _OF_JETSON:
        return JETSON[-1:]
    if shown(case.facts).conda_build and code == "tensorflow-cpu-only":
        return tuple(
            replace(each, title=_CUDA_BUILD, note=_IF_UNSEEN)
            for each in ways_out(code)
            if any("conda install" in line for line in each.commands)
        )
    if found.explanation == _NO_LIBCUDA and isinstance(case.facts.host.container, Known):
        return tuple(
            each
            for each in ways_out(code)
            if any("NVIDIA_DRIVER_CAPABILITIES" in line for line in each.commands)
        )
    if not found.explanation.startswith(_UNKNOWN):
        return ()
    if shown(case.facts).program == "dotnet":
        return (of_no_python(case.facts),)
    python = interpreter(case.facts)
    made = library_fixes(case, told) if isinstance(case.facts.tensorflow.version, Known) and span(case, told).before(2, 14) else ()  # fmt: skip
    return (
        *made,
        fix("have-driver-build-and-libraries-looked"),
        fix("have-tensorflow-itself-say-library-does", python=python),
    )  # fmt: skip


_PYTHONS_OF_2_10 = ("3.7", "3.8", "3.9", "3.10")
"""Files of 2.10.1 on the package index (2026-11-20)."""


def _last_for_windows(case: Case, told: Testimony) -> tuple[Fix, ...]:
    """() where the Python is too new for 2.10, or nothing shows CUDA 11, which it opens."""
    python = case.facts.interpreter.version
    if not isinstance(python, Known) or not toolkit_told(told).startswith("11."):
        return ()
    if str(python.value.feature) not in _PYTHONS_OF_2_10:
        return ()
    last = fix("install-tensorflow-2-10-last-with-gpu", python=interpreter(case.facts))
    return (last, *ways_out("os-gpu-unsupported"))


JETSON = (
    fix("in-container-start-with-nvidias-runtime"),
    fix("on-board-itself-install-cuda-and"),
    fix("use-nvidias-own-build-tensorflow-for"),
)  # fmt: skip
"""Wheels and packages of conda are made for other processors."""
