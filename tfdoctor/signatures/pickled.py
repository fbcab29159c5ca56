"""What Python says where an object could not be sent to a new process, and what that process says then."""

from __future__ import annotations

import re

from tfdoctor.light.expressions import Expression

_FOLLOWS = Expression(
    r"EOFError: Ran out of input|(?:_pickle\.)?UnpicklingError: pickle data was truncated|EOFError$"
)
_NOT_SENT = Expression(
    r"(?:TypeError|AttributeError|PicklingError)\b.{0,40}can(?:'t|not) (?:get )?(?:pickle|local object)",
    re.IGNORECASE,
)


def could_not_be_sent(words: str) -> bool:
    """An exception's words in the process that sends."""
    return bool(_NOT_SENT.search(words))


def got_only_a_part(words: str) -> bool:
    """An exception's words in the process that receives."""
    return bool(_FOLLOWS.match(words))
