"""The kernel's messages about GPUs and killed processes, where this user may read them.

Asked in this order, the first that answers counts: /dev/kmsg, `dmesg`, the files of a syslog daemon, `journalctl`.
Below a root only the files. What is read is of the running boot: messages of an earlier one are left out.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable
from typing import TypeVar

from tfdoctor.ask.probes.host.kernel_messages import Message, nvidia_lines, oom_lines, xids
from tfdoctor.ask.probes.request import Request
from tfdoctor.ask.probes.text_files import guarded, not_live
from tfdoctor.base.child import run_child
from tfdoctor.base.expressions import Expression
from tfdoctor.base.kernel_log import KERNEL_LOG_FILES, KMSG, ring_buffer
from tfdoctor.base.printable import plain
from tfdoctor.base.safe_open import open_regular
from tfdoctor.base.sysroot import System
from tfdoctor.facts.model import Facts, KernelLog
from tfdoctor.facts.outcome import Absent, Fact, Failed, Known, kind_of_error

T = TypeVar("T")
_TAIL_BYTES = 4 << 20  # of a log file, and of what a program writes
_CHILD_S = 1.5
_JOURNAL_LINES = "20000"
_MOST_XIDS, _MOST_LINES = 100, 20

# "[   12.345678] text" of dmesg, "<6>[   12.345678] text" of BusyBox
_STAMPED = Expression(r"^(?:<\d{1,3}>)?\[\s*(\d{1,12}\.\d{1,9})\]\s?(.*)$")
# "Nov 20 12:21:01 host kernel: text", "2026-11-20T12:21:01+00:00 host kernel: text": the tag stands before any colon
_SYSLOG = Expression(r"^(?:\S*[^\s:]\s+){2,4}kernel(?:\[\d+\])?: (.*)$")
_JOURNAL_TAG = Expression(r"^\S+ kernel: ")
_BOOT = Expression(r"^Linux version \d")
# What the others look for; the rest is not read.
_TELLING = re.compile(rb"NVRM|rejected|restricted|signature|oom|[Oo]ut of memory|Killed process")


def ask(request: Request, facts: Facts) -> KernelLog:
    """Fills the group KernelLog."""
    messages = guarded(lambda: kernel_messages(request.system), "the kernel log")
    if not isinstance(messages, Known):
        return KernelLog(messages, messages, messages)
    source, found = messages.source, messages.value
    return KernelLog(
        xids=_some(xids(found)[-_MOST_XIDS:], source, "Xid"),
        oom_kills=_some(oom_lines(found)[-_MOST_LINES:], source, "killed process"),
        nvidia_messages=_some(
            nvidia_lines(found)[-_MOST_LINES:], source, "further message of the NVIDIA driver"
        ),
    )


def _some(found: list[T], source: str, what: str) -> Fact[tuple[T, ...]]:
    return Known(tuple(found), source) if found else Absent(f"{source} was read and has no {what}")


def kernel_messages(system: System) -> Fact[list[Message]]:
    """The messages of this boot from the first place that answers; Failed with every place's reason.

    The ring buffer's are those alone that may tell of a GPU or of a killed process.
    """
    asks: list[tuple[str, Callable[[], Fact[list[Message]]]]] = []
    if system.live:
        asks = [(KMSG, _from_kmsg), ("dmesg", lambda: _from_program("dmesg"))]
    asks += [(name, lambda name=name: _from_file(system, name)) for name in KERNEL_LOG_FILES]  # type: ignore[misc]  # a default binds the name
    if system.live:
        journal = (
            "journalctl",
            "-k",
            "-b",
            "--no-pager",
            "-q",
            "-o",
            "short-monotonic",
            "-n",
            _JOURNAL_LINES,
        )
        asks.append(("journalctl", lambda: _from_program(*journal)))
    failed: list[Failed] = []
    errors = []
    for name, read in asks:
        messages = guarded(read, name)
        if isinstance(messages, Known):
            return messages
        errors.append(messages.reason if isinstance(messages, Absent) else messages.error)
        failed += [messages] if isinstance(messages, Failed) else []
    if not system.live:
        return not_live("; ".join(errors))
    return Failed("; ".join(errors), failed[0].kind if failed else "missing")


def _from_kmsg() -> Fact[list[Message]]:
    entries = list(ring_buffer())
    if not entries:
        return Failed(f"{KMSG} is empty", "missing")
    messages = [_of_entry(entry) for entry in entries if _TELLING.search(entry)]
    return Known([each for each in messages if each is not None], KMSG)


def _of_entry(entry: bytes) -> Message | None:
    head, mark, text = entry.decode("utf-8", "replace").partition(";")
    fields = head.split(",")
    if not mark or len(fields) < 3 or not fields[2].isdecimal():
        return None
    # Further lines are the device's properties.
    first = text.split("\n", 1)[0].replace("\\x0a", " ")
    return Message(first, Known(int(fields[2][:18]) / 1e6, KMSG))


def _from_program(*argv: str) -> Fact[list[Message]]:
    result = run_child(argv, timeout_s=_CHILD_S, keep_bytes=_TAIL_BYTES)
    if not result.ok:
        said = plain(result.stderr.decode("utf-8", "replace"))[:200]
        words = f" ({said})" if said and result.how == "exit" else ""
        return Failed(f"{argv[0]} {result.describe()}{words}", result.kind)
    return _read_lines(
        result.stdout.decode("utf-8", "replace").splitlines(), argv[0], kernel_only=False
    )


def _from_file(system: System, name: str) -> Fact[list[Message]]:
    """The end of a log file. syslog's files hold other programs' lines, too: only the kernel's count."""
    try:
        with open_regular(system.path(name)) as file:
            file.seek(max(0, file.seek(0, os.SEEK_END) - _TAIL_BYTES))
            content = file.read(_TAIL_BYTES)
    except (FileNotFoundError, NotADirectoryError):
        return Absent(f"{name} does not exist")
    except OSError as error:
        return Failed(f"{name}: {error.strerror}", kind_of_error(error))
    return _read_lines(
        content.decode("utf-8", "replace").splitlines(), name, kernel_only=name != "/var/log/dmesg"
    )


def _read_lines(lines: Iterable[str], source: str, *, kernel_only: bool) -> Fact[list[Message]]:
    """Lines as messages, those before the last boot left out. No line at all proves nothing: Failed."""
    found: list[Message] = []
    for line in lines:
        message = _of_line(line, source, kernel_only)
        if message is None:
            continue
        if (
            message.text.startswith(" ")
            and message.text.strip()
            and found
            and _goes_on(found[-1], message)
        ):
            found[-1] = Message(f"{found[-1].text} {message.text.strip()}", found[-1].seconds)
            continue
        if _BOOT.match(message.text):
            found = []
        found.append(message)
    return (
        Known(found, source)
        if found
        else Failed(f"{source} shows no message of the kernel", "missing")
    )


def _of_line(line: str, source: str, kernel_only: bool) -> Message | None:
    text = line
    if kernel_only:
        tagged = _SYSLOG.match(line)
        if not tagged:
            return None
        text = tagged[1]
    if stamped := _STAMPED.match(text):
        return Message(_JOURNAL_TAG.sub("", stamped[2]), Known(float(stamped[1]), source))
    return Message(text, Absent("the line tells no time since boot")) if text.strip() else None


def _goes_on(before: Message, message: Message) -> bool:
    """The driver writes one message over several lines, the later ones indented and without a time of their own."""
    return (
        "NVRM:" in before.text and "NVRM:" in message.text and isinstance(message.seconds, Absent)
    )
