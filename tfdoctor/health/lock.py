"""At most one health check of a user asks the driver: a lock in the runtime folder.

Its children inherit the lock, so one that can't be ended keeps it, and no second one is added to it.
"""

from __future__ import annotations

import fcntl
import os
import time

from tfdoctor.health import clock
from tfdoctor.health.state import runtime_folder

POLL_S = 0.02


class Lock:
    """`held`: whether this process may ask. `trouble`: why at most one at a time can't be promised.

    overdue: whoever holds it should have answered long ago. waited: whether another one had it first.
    """

    def __init__(self, limit: float, until: float) -> None:
        """Waits for it until `until` (time.monotonic()). `limit`: the seconds that this check may take."""
        self.held, self.waited, self.overdue, self.trouble = True, False, False, ""
        self._file = -1
        try:
            folder, _ = runtime_folder(dict(os.environ))
            flags = os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC
            self._file = os.open("driver.lock", flags, 0o600, dir_fd=folder)
            os.close(folder)
        except OSError as error:
            self.trouble = f"no private folder for a lock ({error.filename or 'none'}: {error.strerror})"
            return
        while not self._taken():
            self.waited = True
            if time.monotonic() >= until:
                self.held, self.overdue = False, self._holder_is_overdue()
                return
            time.sleep(POLL_S)
        os.ftruncate(self._file, 0)
        os.pwrite(self._file, b"%f %f\n" % (clock.since_boot(), limit), 0)

    def release(self) -> None:
        if self._file >= 0 and self.held:
            fcntl.flock(self._file, fcntl.LOCK_UN)

    def share(self) -> None:
        """Programs that are started from now on have it, too."""
        if self._file >= 0:
            os.set_inheritable(self._file, True)

    def _taken(self) -> bool:
        try:
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True

    def _holder_is_overdue(self) -> bool:
        """By when it began and the time that it had, which it wrote into the file."""
        try:
            since, limit = map(float, os.pread(self._file, 100, 0).split())
        except (OSError, ValueError):
            return False
        return clock.since_boot() > since + limit
