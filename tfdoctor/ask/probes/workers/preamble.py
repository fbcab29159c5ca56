"""What the programs of this folder share: each ends with its parent, leaves no core file, and writes marked lines.

The programs run by themselves, some in the examined interpreter, and import nothing of tfdoctor: they find this file
beside them by its bare name. Python 3.7 syntax; `typing` and `contextlib` would double a program's start-up.
"""

import os
import sys

PR_SET_PDEATHSIG = 1  # prctl(2)
SIGKILL = 9  # a thread that is stuck in a driver's call heeds no other signal


def prepare(parent: int, *, direct: bool = True) -> None:
    """On Linux this process ends with `parent` (a process ID), however that ends.

    direct=False: a wrapper script may stand between both, and then the parent's clock alone ends this process.
    What a sandbox refuses is done without: nothing of it changes an answer.
    """
    no_core_file()
    if sys.platform != "linux":
        return
    if os.getppid() == parent:
        _end_with_parent()
    if direct and os.getppid() != parent:  # it had ended before
        os._exit(0)


def write(**fields: object) -> None:
    """A line for the parent, marked so that nothing that a library prints is taken for it (tfdoctor/ask/probes/messages.py)."""
    import json

    os.write(1, ("\n@tfdoctor " + json.dumps(fields) + "\n").encode("ascii"))


def _end_with_parent() -> None:
    try:
        import ctypes

        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, ctypes.c_ulong(SIGKILL))
    except (ImportError, OSError, AttributeError):  # an interpreter built without ctypes
        return


def no_core_file() -> None:
    try:
        import resource

        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    except (ImportError, OSError, ValueError):  # Windows; refused by a sandbox
        return
