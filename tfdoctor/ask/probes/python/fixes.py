"""Whether a `tfdoctor fix` of the examined environment was interrupted: read from its journals, changed by nobody here."""

from __future__ import annotations

import os
from pathlib import Path

from tfdoctor.ask.probes.request import Request
from tfdoctor.ask.probes.text_files import not_live
from tfdoctor.base.fix_files import ENDED, beside, last_states
from tfdoctor.facts.model import Interpreter
from tfdoctor.facts.outcome import Absent, Fact, Known, value_or
from tfdoctor.facts.values import InterruptedFix


def interrupted_fix(request: Request, interpreter: Interpreter) -> Fact[InterruptedFix]:
    """Raises OSError."""
    if not request.system.live:
        return not_live("fixes are made on the running system")
    place = os.path.realpath(value_or(interpreter.prefix, ""))
    for line in last_states(request.system.environ):
        if (
            line.get("environment") == place
            and line.get("state") not in ENDED
            and not _at_work(Path(place))
        ):
            return Known(
                InterruptedFix(int(line["id"]), _is_exchanged(place, line.get("inodes"))),
                str(beside(Path(place))),
            )
    return Absent("every fix of this environment came to its end")


def _is_exchanged(place: str, inodes: object) -> bool:
    return isinstance(inodes, list) and len(inodes) == 2 and os.lstat(place).st_ino == inodes[1]


def _at_work(place: Path) -> bool:
    """Whether a tfdoctor has the lock (`apps/repair/journal.py`): this may be the check in its own clone."""
    try:
        import fcntl

        handle = os.open(beside(place), os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
    except (ImportError, OSError):  # no Linux, or nothing of ours
        return False
    try:
        fcntl.flock(handle, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    finally:
        os.close(handle)
    return False
