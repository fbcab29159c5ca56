"""Programs that run in a process of their own, since what they touch may hang or die, and how a parent talks with them."""

import os
import sys

_START = (
    "import os, sys; del sys.argv[0]; sys.path.insert(0, os.path.dirname(sys.argv[0])); "
    "its = __import__(os.path.basename(sys.argv[0])[:-3]); del sys.path[0]; its.main(*sys.argv[1:])"
)


def program(name: str) -> str:
    """The path of one of this folder's programs: "ask_driver"."""
    return os.path.join(os.path.dirname(os.path.abspath(__file__)), f"{name}.py")


def in_own_interpreter(name: str, *words: str) -> list[str]:
    """The command that runs one of them with the doctor's own Python and this process as its parent.

    Started by its path, it would be compiled each time: 2 to 5 ms (Python 3.11, 2026-11-22) that an import saves.
    """
    python = [sys.executable, "-I", "-S", "-B", "-c", _START]
    return [*python, program(name), str(os.getpid()), *words]
