"""Where the kernel's messages are found: its ring buffer and the files of a syslog daemon."""

from __future__ import annotations

import os

TYPE_CHECKING = False  # importing `typing` takes as long as a health check
if TYPE_CHECKING:
    from collections.abc import Iterator

KMSG = "/dev/kmsg"
KERNEL_LOG_FILES = ("/var/log/kern.log", "/var/log/messages", "/var/log/syslog", "/var/log/dmesg")
"""Where a syslog daemon writes the kernel's messages; the first that is there counts."""
_MOST_ENTRIES = 200_000  # a kernel's ring buffer of 16 MiB holds fewer
_ENTRY_BYTES = 8192  # the kernel's own limit on one entry (dev-kmsg ABI; CONSOLE_EXT_LOG_MAX)


def ring_buffer() -> Iterator[bytes]:
    """Its entries, "6,1234,12345678,-;text" each, the third number being microseconds since boot. Raises OSError."""
    handle = os.open(KMSG, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    try:
        for _ in range(_MOST_ENTRIES):
            try:
                entry = os.read(handle, _ENTRY_BYTES)
            except BlockingIOError:  # the end of what is there
                return
            except BrokenPipeError:  # an entry was overwritten while we read: the next one is there
                continue
            if not entry:
                return
            yield entry
    finally:
        os.close(handle)
