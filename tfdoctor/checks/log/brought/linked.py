"""TensorFlow's packages for GPUs up to 1.13, which are linked with CUDA: without its libraries they can't even be imported."""

from __future__ import annotations

from tfdoctor.checks.log.testimony import Testimony
from tfdoctor.findings.fix import fix
from tfdoctor.findings.model import Fix

LINKED = "The packages tensorflow-gpu up to 1.13 are linked with these libraries: without them TensorFlow can't be imported at all, not even for the processor."
_RELEASES = {
    "10.0": ("1.13", "1.13.2"), "9.0": ("1.12", "1.12.3"), "8.0": ("1.4", "1.4.1"),
    "7": ("1.13", "1.13.2"), "6": ("1.4", "1.4.1"),
}  # fmt: skip
"""By the number of the library, CUDA's or cuDNN's: the last minor that is linked with it, and its last release (TensorFlow's table of tested builds, read 2026-11-23)."""
_CUDNNS = ("7", "6")
LINKED_DRIVER = (
    "The packages tensorflow-gpu up to 1.13 are linked with the driver's library, libcuda.so.1, which NVIDIA's driver installs: on a machine without that driver they can't be imported at all, not even for the processor. "
    "A cluster's login nodes and its nodes without GPUs are such machines, and so is a container that was started without a GPU."
)
_NO_LIBCUDA = "ImportError: libcuda.so.1: "
_TO_PROCESSOR = (
    "python -m pip uninstall --yes tensorflow-gpu",
    "python -m pip install --force-reinstall --no-deps tensorflow=={last}",
)


def linked_with(told: Testimony) -> str:
    """CUDA's release where the import itself ended for lack of a library ("10.0"); "" elsewhere."""
    ended = [each for each in told.of("cuda-libraries-missing") if "ImportError: lib" in each.text]
    number = next((each.told.get("library", "").partition(".so.")[2] for each in ended), "")
    return number if number in _RELEASES else ""


def linked_with_the_driver(told: Testimony) -> bool:
    """Whether TensorFlow's import itself ended for lack of the driver's library."""
    others = [each.package for each in told.endings if _NO_LIBCUDA in f"{each.what}: "]
    said = any(_NO_LIBCUDA in each.text for each in told.named("libcuda-not-opened"))
    return said and all(each in ("", "tensorflow", "tensorflow-core") for each in others)


def linked_driver_fixes(told: Testimony) -> tuple[Fix, ...]:
    """() where TensorFlow opens the driver's library by itself."""
    if not linked_with_the_driver(told):
        return ()
    return (
        fix("see-whether-machine-on-runs-driver"),
        Fix(
            "Without the GPU: take the package for the processor in its place",
            tuple(each.format(last="1.13.2") for each in _TO_PROCESSOR),
            "In a shared installation: in an environment of your own.",
        ),
    )


def _there_already(number: str) -> str:
    if number in _CUDNNS:
        return f"Where cuDNN {number} is installed already, lead the loader to its folder by LD_LIBRARY_PATH; a cluster has it as a module: module avail cudnn"
    return f"Where CUDA {number} is installed already, lead the loader there: export LD_LIBRARY_PATH=/usr/local/cuda-{number}/lib64"


def linked_fixes(told: Testimony) -> tuple[Fix, ...]:
    """() where TensorFlow opens its libraries by itself."""
    cuda = linked_with(told)
    if not cuda:
        return ()
    minor, last = _RELEASES[cuda]
    return (
        fix("with-gpu-let-conda-bring-tensorflow", minor=minor, there_already=_there_already(cuda)),
        Fix(
            "Or without the GPU: take the package for the processor in its place",
            tuple(each.format(last=last) for each in _TO_PROCESSOR),
        ),
    )
