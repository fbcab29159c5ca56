"""What Windows' exit statuses say of a crash, by their number, however it is written: decimal, negative or hexadecimal."""

from __future__ import annotations

from tfdoctor.light.expressions import Expression  # reads no log: the number of an exit status

_WORDS = {
    0xC0000005: "a wrong memory access",
    0xC0000006: "a file's page that could not be read from its disk",
    0xC000001D: "an instruction that the processor does not have",
    0xC0000094: "a division by zero",
    0xC00000FD: "a stack that was used up",
    0xC0000374: "a heap that was damaged",
    0xC0000409: "its own fast-fail",
    0xC0000417: "a wrong parameter for the C library",
    0xC0000420: "an assertion that failed",
}
"""The numbers of ntstatus.h, by "Common Process Termination Values" of Microsoft's archived blogs and by public copies of that header
(read 2026-11-22; Microsoft's own table, [MS-ERREF] 2.3.1, could not be opened). 0xC0000409 was a damaged stack once; today any native code ends a process with it that finds something broken."""
_NUMBER = Expression(r"(?<![\w-])(?:0x[0-9a-fA-F]{8}|-?\d{10})\b")
_STACK, _FAST_FAIL = 0xC00000FD, 0xC0000409


def died_of(words: str) -> tuple[str, str]:
    """What the process died of, and who can cause that; "" twice where the words hold no such status."""
    for found in _NUMBER.finditer(words):
        number = int(found[0], 16 if found[0].startswith("0x") else 10) % (1 << 32)
        if number in _WORDS:
            return f"{_WORDS[number]} (0x{number:08X})", _by(number)
    return "", ""


def _by(number: int) -> str:
    if number == _STACK:
        return "Mostly functions that call each other without an end, in native code or in Python, or a very deep model that is walked through piece by piece."
    if number == _FAST_FAIL:
        return "Native code ends a process so when it finds something broken, mostly after it has written why: TensorFlow in a line with Check failed, cuDNN in one that names a DLL. That line is not in this log; editors such as PyCharm often lose it."
    return "Python code alone can't cause that: native code of a package did."
