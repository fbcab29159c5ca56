"""What each program of this folder does first: it ends with its parent and leaves no core file.

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
