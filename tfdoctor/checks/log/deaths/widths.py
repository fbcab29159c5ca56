"""A file for 64 bits in a program for 32, or the other way round: the loader names the file and its own width, so the program has the other."""

from __future__ import annotations

from tfdoctor.checks.log.candidate import Candidate
from tfdoctor.checks.log.testimony import Testimony, place
from tfdoctor.facts.log_values import Saying
from tfdoctor.facts.model import Facts
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
_LOOK_NODE = Fix(
    "See what Node.js is made for: arm and ia32 are 32 bits, arm64 and x64 are 64. It changes nothing",
    ("node -p process.arch",),
)
_PLAIN_JS = Fix(
    "Where the system shall stay as it is, use TensorFlow.js without its native part: slower, and the same calls",
    ("npm uninstall @tensorflow/tfjs-node", "npm install @tensorflow/tfjs"),
    "In your files: require('@tensorflow/tfjs') in place of '@tensorflow/tfjs-node'.",
)
_NODE_64 = Fix(
    "For the native part, use a 64-bit system with a 64-bit Node.js, and install the modules there",
    ("rm -rf node_modules", "npm install"),
    "On a Raspberry Pi: the 64-bit Raspberry Pi OS.",
)
_NODE_AGAIN = Fix("Install the modules again, by the Node.js that runs them", ("rm -rf node_modules", "npm install"))  # fmt: skip
_PATH = Fix(
    "See from where libraries are taken before the system's own, and start without that",
    ('echo "$LD_LIBRARY_PATH"', "unset LD_LIBRARY_PATH"),
    "For this shell. Folders such as lib32 and i386-linux-gnu hold libraries for 32 bits.",
)


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
    look = Fix(
        "See how many bits this Python has. It changes nothing",
        (f"{python} -c \"import struct, platform; print(struct.calcsize('P') * 8, platform.machine())\"",),
    )
    if have == "64":
        new = Fix(
            "Make an environment with a 64-bit Python, and install TensorFlow there",
            ("python3 -m venv tensorflow-new", "tensorflow-new/bin/python -m pip install tensorflow"),
            "On a 64-bit system: on a Raspberry Pi that is the 64-bit Raspberry Pi OS. The present environment stays as it is.",
        )
        return (new, look)
    again = Fix(
        "Install TensorFlow again, by the Python that runs the program",
        (f"{python} -m pip install --force-reinstall --no-cache-dir tensorflow",),
        "Without a file (.whl) or an index for another system.",
    )
    return (again, look)
