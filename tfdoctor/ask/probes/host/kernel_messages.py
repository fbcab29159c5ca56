"""What the kernel's messages say of GPUs and killed processes, read from its log or from a text that quotes it."""

from __future__ import annotations

import re
from collections.abc import Iterable

from tfdoctor.base.expressions import Expression
from tfdoctor.base.printable import plain
from tfdoctor.base.records import record
from tfdoctor.facts.outcome import Fact
from tfdoctor.facts.values import Xid

_MOST_CHARACTERS = 400
# NVIDIA, XID Errors: "NVRM: Xid (PCI:0000:3b:00): 79, pid=1234, name=python, GPU has fallen off the bus."
_XID = Expression(r"NVRM: Xid \((?:PCI:)?([0-9a-fA-F:.]{4,20})\): (\d{1,5}),?\s*(.*)")
_OOM = Expression(
    r"invoked oom-killer|oom-kill:constraint=|[Oo]ut of memory: Kill|Killed process \d+"
)
_REJECTED = Expression(
    r"(?:module|key|signature)[\w ,]{0,60}(?:rejected|restricted|missing)", re.IGNORECASE
)
_NAMES_PROCESS = Expression(r"\bname=([^,\s]*)[^,]*")  # the name alone, never what stands behind it
_IDENTIFIES = Expression(r"GPU-[0-9a-fA-F]{8}-|serial number", re.IGNORECASE)


@record
class Message:
    """One message of the kernel; `seconds` since boot, where the line tells them."""

    text: str
    seconds: Fact[float]


def xids(messages: Iterable[Message]) -> list[Xid]:
    """GPU errors, in the order in which they came."""
    matches = [(message, _XID.search(message.text)) for message in messages]
    return [
        Xid(int(match[2]), match[1].lower(), _shown(match[3]), message.seconds)
        for message, match in matches
        if match
    ]


def oom_lines(messages: Iterable[Message]) -> list[str]:
    """What the kernel said when it killed a process for lack of memory."""
    return [_shown(message.text) for message in messages if _OOM.search(message.text)]


def nvidia_lines(messages: Iterable[Message]) -> list[str]:
    """The driver's lines that are no Xid. Lines with a GPU's UUID or serial number stay where they are."""
    return [
        _shown(message.text)
        for message in messages
        if _of_the_driver(message.text)
        and not _XID.search(message.text)
        and not _IDENTIFIES.search(message.text)
    ]


def _of_the_driver(text: str) -> bool:
    """Its own lines, and the kernel's where it does not let the module in ("nvidia: Loading of unsigned module is rejected")."""
    return "NVRM:" in text or (
        _REJECTED.search(text) is not None and ("nvidia" in text or "modprobe" in text)
    )


def _shown(text: str) -> str:
    return plain(_NAMES_PROCESS.sub(r"name=\1", text))[:_MOST_CHARACTERS]
