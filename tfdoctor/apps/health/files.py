"""Reads, in a child, the files that a probe looks at: memory, kernel log, the last examination."""

from __future__ import annotations

import os

from tfdoctor.apps.health.state import changed, read_state, text_of
from tfdoctor.base import cgroup
from tfdoctor.base.cgroup import SELF, group_in, path_in, trees
from tfdoctor.base.kernel_log import KERNEL_LOG_FILES, ring_buffer
from tfdoctor.base.mounts import MOUNTINFO, mounts_in
from tfdoctor.facts.codec import to_json
from tfdoctor.knowledge.xids import HARDWARE_XIDS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from tfdoctor.apps.health.options import Options
    from tfdoctor.base.forked import Send


def read(options: Options, send: Send) -> None:
    """Says each reading as it is done, what can hang on a network last."""
    root = options.sysroot
    if not options.node:
        _limit(send, root)
        _told(send, "available", "available_error", lambda: available(root))
        if not root:
            _told(send, "shm", "shm_error", shared_memory)
    send("at", "the kernel log")
    _told(send, "xids", "xids_error", lambda: hardware_xids(root))
    read_last_examination(options, send)


def _told(send: Send, key: str, error_key: str, ask: Any) -> None:
    try:
        send(key, ask())
    except (OSError, ValueError, IndexError) as error:
        send(error_key, getattr(error, "strerror", None) or str(error))


def _limit(send: Send, root: str) -> None:
    send("at", "the memory limit")
    try:
        limit = memory_limit(root)
    except (OSError, ValueError) as error:
        send("memory_error", getattr(error, "strerror", None) or str(error))
        return
    if limit is None:
        send("no_memory_limit", True)
    else:
        send("memory", limit)


def read_last_examination(options: Options, send: Send) -> None:
    send("at", "the state file")
    # Driver and devices are all that counts of a node.
    python = "" if options.node else options.python
    said = read_state(options.state, python, dict(os.environ))
    for key, value in said.items():
        send(key, to_json(value))
    if "state" in said:
        send("at", "TensorFlow's files")
        send("changed", changed(said["state"].files))


SHM = "/dev/shm"  # noqa: S108  # the folder asked about; nothing is written there


def memory_limit(root: str = "") -> tuple[int, int] | None:
    """The smallest limit from the own group upwards, and what counts against it; None: no limit. Raises OSError."""

    def read(name: str) -> str | None:
        try:
            return text_of(root + name, 1 << 20)
        except FileNotFoundError:
            return None

    version, path = path_in(_lines(root + SELF), "memory")
    if not version:
        return None
    shown = [
        group_in(mount, version, path)
        for mount in trees(mounts_in(_lines(root + MOUNTINFO)), version, "memory")
    ]
    group = next((each for each in shown if each and os.path.isdir(root + each.folder)), None)
    if group is None:
        raise FileNotFoundError(2, "the own control group can't be seen from here")
    limit = cgroup.memory_limit(group, read)
    if limit is None:
        return None
    if not limit.folder:
        raise OSError(2, "the group that sets the limit can't be seen from here")
    return limit.value, cgroup.memory_used(group, limit, read)[0]


def _lines(path: str) -> list[str]:
    return text_of(path, 1 << 20).splitlines()


def available(root: str = "") -> int:
    """Bytes that the machine can still give (MemAvailable). Raises OSError."""
    total = None
    for line in _lines(root + "/proc/meminfo"):
        if line.startswith("MemTotal:"):
            total = int(line.split()[1])
        if line.startswith("MemAvailable:"):
            free = int(line.split()[1])
            if total is not None and free > total:
                raise ValueError(f"MemAvailable of MemTotal can't be: {free} kB of {total} kB")
            return free * 1024  # "kB" means KiB (proc(5))
    raise OSError(61, "/proc/meminfo tells no MemAvailable")


def shared_memory() -> tuple[int, int]:
    """Size and free bytes of /dev/shm. Raises OSError where there is none."""
    status = os.statvfs(SHM)
    return status.f_blocks * status.f_frsize, status.f_bfree * status.f_frsize


MARK = b"NVRM: Xid ("
TAIL_BYTES = 1 << 20
READ_ALL, SIZE_BUFFER = 3, 10  # syslog(2)


def hardware_xids(root: str = "") -> list[tuple[int, str, float]]:
    """Number, bus and seconds since boot (-1: not told) of each. Raises OSError where no log can be read."""
    lines, stamped_from_boot = _log(root)
    # What stands before is an earlier boot's.
    start = 0 if stamped_from_boot else lines.rfind(b"Linux version ") + 1
    found = [_parsed(line) for line in _marked(lines, start)]
    return [xid for xid in found if xid is not None and xid[0] in HARDWARE_XIDS]


def _log(root: str) -> tuple[bytes, bool]:
    reasons = []
    if not root:
        for read in (_by_call, _by_device):
            try:
                return read(), True
            except OSError as error:
                reasons.append(error)
    for name in KERNEL_LOG_FILES:
        try:
            return _tail(root + name), False
        except FileNotFoundError:
            continue
        except OSError as error:
            reasons.append(error)
    raise reasons[0] if reasons else FileNotFoundError(2, "there is no kernel log")


def _by_call() -> bytes:
    """klogctl(3). Open to everybody unless kernel.dmesg_restrict is set."""
    import ctypes

    call = ctypes.CDLL(None, use_errno=True).klogctl
    size = call(SIZE_BUFFER, None, 0)
    if size < 0:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
    # Room for the time stamps, which are written in.
    buffer = ctypes.create_string_buffer(max(size, 1) * 2)
    length = call(READ_ALL, buffer, len(buffer))
    if length <= 0:
        raise OSError(ctypes.get_errno() or 61, "the kernel log is empty")
    return buffer.raw[:length]


def _by_device() -> bytes:
    """/dev/kmsg, brought into the form of dmesg."""
    lines = []
    for entry in ring_buffer():
        head, _, text = entry.partition(b";")
        if MARK in text:
            microseconds = int(head.split(b",")[2])
            lines.append(b"[%d.%06d] " % divmod(microseconds, 1_000_000) + text.split(b"\n", 1)[0])
    return b"\n".join(lines)


def _tail(path: str) -> bytes:
    # a pipe is opened without waiting for a writer, and then can't be sought in
    with os.fdopen(os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC), "rb") as file:
        file.seek(max(0, file.seek(0, os.SEEK_END) - TAIL_BYTES))
        return file.read(TAIL_BYTES)


def _marked(log: bytes, start: int) -> Iterator[bytes]:
    place = log.find(MARK, start)
    while place >= 0:
        begin, end = log.rfind(b"\n", 0, place) + 1, log.find(b"\n", place)
        yield log[begin : end if end >= 0 else len(log)]
        place = log.find(MARK, place + 1)


def _parsed(line: bytes) -> tuple[int, str, float] | None:
    """ "<4>[   12.345678] NVRM: Xid (PCI:0000:3b:00): 79, pid=…"; None where it is no such line."""
    before, _, after = line.partition(MARK)
    bus, _, rest = after.partition(b"): ")
    digits = rest[: len(rest) - len(rest.lstrip(b"0123456789"))]
    if not digits or len(digits) > 5:
        return None
    stamp = before.rpartition(b"[")[2].partition(b"]")[0].strip()
    try:
        seconds = float(stamp)
    except ValueError:
        seconds = -1.0
    return (
        int(digits),
        bus.removeprefix(b"PCI:").decode("ascii", "replace").lower(),
        round(seconds, 6),
    )
