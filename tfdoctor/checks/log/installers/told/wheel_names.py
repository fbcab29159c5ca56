"""A wheel that pip was given by its file and did not take: what its name says that it is for, and what this machine is."""

from __future__ import annotations

from tfdoctor.checks.engine.case import Case
from tfdoctor.checks.log.candidate import Candidate
from tfdoctor.checks.log.testimony import Testimony, place
from tfdoctor.facts.log_values import Saying, Surroundings
from tfdoctor.facts.model import Facts
from tfdoctor.facts.outcome import value_or
from tfdoctor.findings.fix import fix
from tfdoctor.findings.model import Confidence, Fix
from tfdoctor.fixes.commands import interpreter

FILE = "wheel-not-supported"
_MACHINES = {
    "x86_64": "Intel's and AMD's processors", "amd64": "Intel's and AMD's processors", "aarch64": "ARM processors", "arm64": "ARM processors",
    "armv7l": "ARM processors of 32 bits", "armv6l": "ARM processors of 32 bits", "i686": "32 bits", "win32": "32 bits",
}  # fmt: skip
_SYSTEMS = {"linux": "Linux", "manylinux": "Linux", "musllinux": "Alpine Linux", "macosx": "macOS", "win": "Windows"}  # fmt: skip
"""How a wheel's last tag begins and ends (packaging.python.org, platform compatibility tags, 2026)."""


def of_a_file(facts: Facts, told: Testimony, saying: Saying) -> Candidate:
    """pip was given a wheel itself, whose name tells what it is for."""
    said = saying.told
    pythons = " and ".join(map(_python_of, said["value"].split(".")))
    words = "A wheel's name tells what it is made for: the release, the Python and the system. pip takes it only where both are those of the Python that pip itself runs with."
    here = "pip runs on a Jetson, whose processor is another one" if _on_jetson(facts, said["host"]) else "pip runs on another Python or system"  # fmt: skip
    title = f"This file of {said['package'].replace('_', '-')} {said['version']} is for {pythons} on {_system_of(said['host'])}, and {here}."
    return Candidate(saying.code, Confidence.CERTAIN, (place(saying),), words, title=title)


def _on_jetson(facts: Facts, tags: str) -> bool:
    jetson = value_or(facts.log.surroundings, Surroundings()).jetson
    return jetson and tags.endswith(("x86_64", "amd64"))


def _python_of(tag: str) -> str:
    """ "Python 3.8" of cp38, "any Python 3" of py3."""
    if not tag[2:].isdecimal():
        return tag
    return f"Python {tag[2]}.{tag[3:]}" if tag[3:] else f"any Python {tag[2]}"


def _system_of(tags: str) -> str:
    """ "Linux on ARM processors" of manylinux2014_aarch64; the tags themselves where they can't be read."""
    system = next((name for begin, name in _SYSTEMS.items() if tags.startswith(begin)), "")
    machine = next((name for end, name in _MACHINES.items() if tags.endswith(end)), "")
    return f"{system} ({machine})" if system and machine else tags


def file_fixes(case: Case, told: Testimony, saying: Saying) -> tuple[Fix, ...]:
    facts, name = case.facts, saying.told["package"].replace("_", "-").removesuffix("-gpu")
    python = interpreter(facts)
    look = fix("see-python-and-system-pip-runs", python=python)
    if name == "tensorflow" and _on_jetson(facts, saying.told["host"]):
        return (_OF_JETSON, look)
    if name == "tensorflow" and saying.told["host"].endswith(_32_BITS):
        return _OF_32_BITS
    return (fix("give-pip-name-in-place-file", python=python, called=name), look)


_32_BITS = ("armv7l", "armv6l")
_OF_32_BITS = (
    fix("take-system-64-bits-raspberry-pi"),
    fix("or-run-tflite-model-alone-for"),
)  # fmt: skip
_OF_JETSON = fix("see-jetpack-jetson-and-take-nvidias")
