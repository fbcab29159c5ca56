"""A file for 64 bits in a program for 32, or the other way round: the loader names the file and its own width, so the program has the other."""

from __future__ import annotations

from tfdoctor.checks.log.candidate import Candidate
from tfdoctor.checks.log.testimony import Testimony, place
from tfdoctor.facts.log_values import Saying
from tfdoctor.facts.model import Facts
from tfdoctor.findings.fix import fix
from tfdoctor.findings.model import Confidence, Fix
from tfdoctor.fixes.commands import interpreter

_NAME, _MAC = "elf-class", "mach-o-other-processor"
_OF_NODE = ("node_modules/", ".node")
_OF_PYTHON = ("site-packages/", "dist-packages/")
_WORDS = {
    "64": "The file is for a 64-bit system, and the program that loads it is a 32-bit one. That is so on a 32-bit Raspberry Pi OS, whose kernel may well say aarch64: what counts is the program. TensorFlow has ready files for 64 bits alone.",
    "32": "The file is for a 32-bit system, and the program that loads it is a 64-bit one: it was installed by another Python, was copied from another system, or is in a folder of 32-bit libraries that is looked into first.",
}
"""By the file's width."""
_LOOK_NODE = fix("see-what-node-js-made-for")
_PLAIN_JS = fix("where-system-shall-stay-as-use")
_NODE_64 = fix("for-native-part-use-64-bit")
_NODE_AGAIN = fix("install-modules-again-by-node-js")
_PATH = fix("see-from-where-libraries-are-taken")


def of_width(saying: Saying) -> Candidate | None:
    """None for all but the loader's words of a width."""
    if saying.name != _NAME:
        return None
    file, have = saying.told["library"], saying.told["value"]
    title = f"{file.rpartition('/')[2]} is made for {have} bits, and the program that loads it for {'32' if have == '64' else '64'}."
    return Candidate(saying.code, Confidence.CERTAIN, (place(saying),), _WORDS[have], title=title)


def width_fixes(facts: Facts, told: Testimony) -> tuple[Fix, ...]:
    """() where no width is told, and no Node.js got a file for another processor."""
    said = told.named(_NAME)
    if not said:
        mac = [each for each in told.named(_MAC) if any(part in each.text for part in _OF_NODE)]
        return (_NODE_AGAIN, _LOOK_NODE) if mac else ()
    file, have = said[-1].told["library"], said[-1].told["value"]
    if any(part in file for part in _OF_NODE):
        return (_PLAIN_JS, _NODE_64, _LOOK_NODE) if have == "64" else (_NODE_AGAIN, _LOOK_NODE)
    if not any(part in file for part in _OF_PYTHON):
        return (_PATH,)
    return _of_python(interpreter(facts), have)


def _of_python(python: str, have: str) -> tuple[Fix, ...]:
    look = fix("see-how-many-bits-python-changes", python=python)
    if have == "64":
        new = fix("make-environment-with-64-bit-python")
        return (new, look)
    again = fix("install-tensorflow-again-by-python-runs", python=python)
    return (again, look)
