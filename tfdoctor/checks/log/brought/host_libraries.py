"""Libraries of the host that a container was handed, and that ask for a newer C library than its image has."""

from __future__ import annotations

from tfdoctor.checks.log.candidate import Candidate
from tfdoctor.checks.log.testimony import Testimony, place
from tfdoctor.facts.log_values import Saying
from tfdoctor.findings.fix import fix
from tfdoctor.findings.model import Confidence, Fix

_NAME = "glibc-version"
_FROM_THE_HOST = "/.singularity.d/libs/"
"""Where Apptainer and Singularity put what --nv and --rocm bring from the host (apptainer/apptainer#2421, 2024-08)."""
_GRAPHICS = ("libGL", "libEGL", "libX", "libnvidia-gl", "libnvidia-egl", "libOpenGL")
_IMAGES = (("2.35", "ubuntu:22.04"), ("2.39", "ubuntu:24.04"), ("2.41", "debian:13"))
"""Base images by the number of their package libc6."""


_FIRST_WITH_ABI = "2.36"
"""The first glibc that answers to GLIBC_ABI_DT_RELR (its release notes, 2022-08)."""


def of_another(saying: Saying) -> Candidate | None:
    """None for files of the image itself, and where the line does not name who asks."""
    if saying.name != _NAME:
        return None
    file, wanted = saying.told.get("library", ""), _wanted_by(saying)
    if _FROM_THE_HOST in file:
        return _from_the_host(saying, file.rpartition("/")[2], wanted)
    return None


def _from_the_host(saying: Saying, library: str, wanted: str) -> Candidate:
    graphics = " It is one for graphics, which TensorFlow does not need." if library.startswith(_GRAPHICS) else ""  # fmt: skip
    words = f"--nv brings libraries of the host's NVIDIA driver into the container. {library} is one of them; it was built for the host's system and asks for glibc {wanted}, and the C library inside of the image is older.{graphics} Neither TensorFlow nor the driver is broken: host and image are of different ages."
    title = f"The host's {library}, which --nv brings into the container, asks for a newer C library (glibc {wanted}) than the image has."
    return Candidate(saying.code, Confidence.CERTAIN, (place(saying),), words, title=title)


def host_library_fixes(told: Testimony) -> tuple[Fix, ...]:
    """() where no library of the host asks."""
    for saying in told.named(_NAME):
        file = saying.told.get("library", "")
        if _FROM_THE_HOST in file:
            return _newer_image(max((_key(each) for each in _wanted(told)), default=(0,)))
    return ()


def _wanted(told: Testimony) -> list[str]:
    return [_wanted_by(each) for each in told.named(_NAME)]


def _wanted_by(saying: Saying) -> str:
    return saying.told.get("wanted", _FIRST_WITH_ABI)


def _newer_image(wanted: tuple[int, ...]) -> tuple[Fix, ...]:
    base = next((image for glibc, image in _IMAGES if _key(glibc) >= wanted), "")
    newer = fix("build-image-from-newer-system-glibc", base=base)
    less = fix("or-have-nvidias-own-tool-choose")
    listed = fix("or-have-hosts-administrator-take-libraries")
    return (newer, less, listed) if base else (less, listed)


def _key(version: str) -> tuple[int, ...]:
    return tuple(int(each) for each in version.split("."))
