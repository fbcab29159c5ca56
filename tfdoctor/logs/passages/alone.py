"""An exception whose traceback was not pasted: its line alone, as the last word of a log or as nearly all of a short one."""

from __future__ import annotations

import re
from collections.abc import Container, Sequence

from tfdoctor.logs.passages.tracebacks import Numbered, Raised

_RAISED = re.compile(
    r"^[ \t]{0,12}(?P<name>(?:[A-Za-z_]\w{0,80}\.){0,10}[A-Z]\w{0,80}(?:Error|Exception|Exhausted|NotFound|Interrupt))(?: \(see above for traceback\))?: (?P<words>\S.{0,4000})$"
)
_TRAILER = re.compile(
    r"^[ \t]|^(?:Process finished with exit code|\[Finished in|Command exited|srun: |make: |Press any key|\[Op:|>>>|In \[|Call arguments received|\([\w.-]{1,60}\) |[\w.@:~/\\-]{1,120}[$#>%])"
)
_WORK = re.compile(r"^\d{4}-\d\d-\d\d|^[IWEF]\d{4} |Epoch \d|\d{1,9}/\d{1,9} \[|it/s\]|^\[I ")
_SHORT, _LAST = 12, 40  # lines that say something


def alone(lines: Sequence[Numbered], harmless: Container[int]) -> Raised | None:
    """The last exception that stands alone and after which nothing worked on; None where there is none.

    `harmless`: numbers of lines that are known to mean nothing.
    """
    said = [(number, text) for number, text in lines[-400:] if text.strip()]
    short = len(said) <= _SHORT and len(lines) <= len(said) * 3
    for place in range(len(said) - 1, max(-1, len(said) - _LAST), -1):
        number, text = said[place]
        if number not in harmless and (found := _RAISED.match(text)):
            return Raised(found["name"], found["words"].strip(), number, number, "", "")
        if _WORK.search(text) or not (short or _TRAILER.match(text)):
            return None
    return None
