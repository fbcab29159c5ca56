"""TensorFlow's packages for GPUs up to 1.13, which are linked with CUDA: without its libraries they can't even be imported."""

from __future__ import annotations

from tfdoctor.checks.log.testimony import Testimony
from tfdoctor.findings.model import Fix

LINKED = "The packages tensorflow-gpu up to 1.13 are linked with these libraries: without them TensorFlow can't be imported at all, not even for the processor."
_RELEASES = {"10.0": ("1.13", "1.13.2"), "9.0": ("1.12", "1.12.3"), "8.0": ("1.4", "1.4.1")}
"""By the number of the library: the last minor that is linked with that CUDA, and its last release (TensorFlow's table of tested builds, read 2026-11-23)."""


def linked_with(told: Testimony) -> str:
    """CUDA's release where the import itself ended for lack of a library ("10.0"); "" elsewhere."""
    ended = [each for each in told.of("cuda-libraries-missing") if "ImportError: lib" in each.text]
    number = next((each.told.get("library", "").partition(".so.")[2] for each in ended), "")
    return number if number in _RELEASES else ""


def linked_fixes(told: Testimony) -> tuple[Fix, ...]:
    """() where TensorFlow opens its libraries by itself."""
    cuda = linked_with(told)
    if not cuda:
        return ()
    minor, last = _RELEASES[cuda]
    return (
        Fix(
            f"With the GPU: let conda bring TensorFlow {minor} together with its CUDA, in an environment of its own",
            (
                f"conda create --yes --name tensorflow-{minor} python=3.6 tensorflow-gpu={minor}",
                f"conda activate tensorflow-{minor}",
            ),
            f"It comes with CUDA and cuDNN in the releases that it is made for; the driver stays. Where CUDA {cuda} is installed already, lead the loader there: export LD_LIBRARY_PATH=/usr/local/cuda-{cuda}/lib64",
        ),
        Fix(
            "Or without the GPU: take the package for the processor in its place",
            (
                "python -m pip uninstall --yes tensorflow-gpu",
                f"python -m pip install --force-reinstall --no-deps tensorflow=={last}",
            ),
        ),
    )
