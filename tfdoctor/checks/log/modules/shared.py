"""A library that the loader of Linux does not find: who is linked with it, and the package that brings it."""

from __future__ import annotations

from tfdoctor.checks.log.candidate import Candidate
from tfdoctor.checks.log.kinds.loaders import OWNERS
from tfdoctor.checks.log.testimony import Testimony, place
from tfdoctor.facts.log_values import Ending, Saying
from tfdoctor.facts.model import Facts
from tfdoctor.findings.fix import fix
from tfdoctor.findings.model import Confidence, Fix
from tfdoctor.fixes.commands import interpreter

_NAME = "library-not-found"
_OF_DEBIAN = {
    "libGL.so.1": "libgl1", "libEGL.so.1": "libegl1", "libgthread-2.0.so.0": "libglib2.0-0", "libglib-2.0.so.0": "libglib2.0-0", "libSM.so.6": "libsm6",
    "libICE.so.6": "libice6", "libXext.so.6": "libxext6", "libXrender.so.1": "libxrender1", "libX11.so.6": "libx11-6", "libgomp.so.1": "libgomp1",
    "libsndfile.so.1": "libsndfile1", "libnuma.so.1": "libnuma1", "libusb-1.0.so.0": "libusb-1.0-0", "libopenblas.so.0": "libopenblas0", "libgfortran.so.5": "libgfortran5",
    "libf77blas.so.3": "libatlas-base-dev", "libcblas.so.3": "libatlas-base-dev", "libatlas.so.3": "libatlas-base-dev", "liblapack_atlas.so.3": "libatlas-base-dev",
    "libhdf5.so": "libhdf5-dev", "libhdf5_hl.so": "libhdf5-dev", "libopenjp2.so.7": "libopenjp2-7",
}  # fmt: skip
"""Debian's and Ubuntu's packages by the library that they bring (the names asked of Debian 12's lists, 2026-11-23)."""
_DRAWING = ("libGL.so.1", "libgthread-2.0.so.0", "libSM.so.6", "libXext.so.6", "libXrender.so.1")
"""What OpenCV's usual build wants for its windows."""
_PYTHON = "libpython3."
_IN_WORDS = {"PortAudio": "libportaudio2", "sndfile": "libsndfile1"}
"""Libraries that packages name without their file (sounddevice, soundfile), and Debian's packages of them (the same lists)."""


def not_found(told: Testimony, saying: Saying) -> Candidate | None:
    """None for what another rule knows."""
    if saying.name == "system-library-in-words":
        return _named_in_words(told, saying)
    if saying.name != _NAME:
        return None
    library, who = saying.told["library"], _asker(told, saying)
    owner = who or "The program"
    words = f"{owner} has a compiled part that is linked with {library}, and the loader finds that in none of the folders in which it looks. The log does not tell whether it is nowhere on this machine, or in a folder where the loader does not look."
    return Candidate(saying.code, Confidence(saying.sure), (place(saying),), words, title=f"{owner} is linked with {library}, which this process does not find.")  # fmt: skip


def _named_in_words(told: Testimony, saying: Saying) -> Candidate:
    library, who = saying.told["library"], _asker(told, saying) or "A package"
    words = f"{who} works by the library {library}, which is a part of the system and not of Python: pip does not bring it. TensorFlow is not what fails."
    return Candidate(saying.code, Confidence(saying.sure), (place(saying),), words, title=f"{who} needs the system's library {library}, which is not installed.")  # fmt: skip


def _ending(told: Testimony, saying: Saying) -> Ending | None:
    return next(
        (each for each in told.endings if each.how == "exception" and place(each) == place(saying)), None
    )


def _asker(told: Testimony, saying: Saying) -> str:
    last = _ending(told, saying)
    return last.package if last is not None else ""


def not_found_fixes(facts: Facts, told: Testimony) -> tuple[Fix, ...]:
    """() where nothing is known of the library."""
    if words := told.named("system-library-in-words"):
        own = _IN_WORDS[words[0].told["library"]]
        return (fix("install-brings-on-debian-and-ubuntu-2", own=own),)
    said = told.named(_NAME)
    if not said:
        return ()
    library, who, python = said[0].told["library"], _asker(told, said[0]), interpreter(facts)
    if library.startswith(_PYTHON):
        feature = (
            f"3.{library.removeprefix(_PYTHON).partition('.')[0].rstrip('dmu')}"  # "3.7m": how it was built
        )
        return (fix("make-environment-again-with-python-2", feature=feature),)
    conda = next((name for stem, name in OWNERS.items() if library.startswith(stem)), "")
    if conda and told.named("of-conda", "of-miniforge"):
        return _of_conda(who, library, conda)
    if package := _OF_DEBIAN.get(library):
        system = fix("install-brings-on-debian-and-ubuntu", package=package, library=library)
        if library in _DRAWING and who.startswith("opencv"):
            return (fix("take-opencv-without-windows-needs-none", python=python), system)
        return (system,)
    return ()


def _of_conda(who: str, library: str, owner: str) -> tuple[Fix, ...]:
    name = owner.partition(" ")[0]
    both = " ".join(dict.fromkeys(filter(None, (who, name))))
    again = fix(
        "let-conda-bring-from-one-channel", value=both.replace(" ", " and "), both=both, library=library
    )
    new = fix("make-new-environment-with-tensorflow-from")
    return (again, new)
