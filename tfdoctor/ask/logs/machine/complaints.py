"""People's own sentence that TensorFlow does not use their GPU: often all that a paste holds beside versions.

It tells no cause, and no line of a program's is taken for it: a sentence has words around it, and no time, level or file in front.
"""

from __future__ import annotations

from tfdoctor.ask.logs.machine.line_index import LineIndex, LogLine
from tfdoctor.base.expressions import Expression

_GPU = r"(?:gpus?|graphics? cards?|video cards?)"
_NOT = r"(?:not|never|no longer|cannot|can't|couldn't|isn't|aren't|wasn't|doesn't|don't|didn't|won't|unable|trouble|impossible|fails?|failed|refuses?|without)"
_USED = r"(?:detect|recogni[sz]|found|find|see|seen|visible|available|use|used|using|utili[sz]|listed|list|show|pick|identif|access|support)"
_COMPLAINT = Expression(
    rf"(?i)\b{_GPU}\b[^.:?!]{{0,40}}\b{_NOT}\b[^.:?!]{{0,30}}\b{_USED}\w{{0,6}}\b"
    rf"|\b{_NOT}\b[^.:?!]{{0,40}}\b{_USED}\w{{0,6}}\b[^.:?!]{{0,40}}\b{_GPU}\b"
    rf"|\b{_NOT}\b[^.:?!]{{0,30}}\b{_GPU}\b[^.:?!]{{0,30}}\b{_USED}\w{{0,6}}\b"
    rf"|\bcpu instead of (?:the |my )?{_GPU}\b|\b(?:only|just) (?:uses?|using|runs? on|running on|trains? on) (?:the |my )?cpu\b"
)
_OWN = Expression(
    rf"(?i)\b(?:have|has|got|with|own)\b (?:an? |the |my )?(?:[\w-]{{1,12}} ){{0,3}}{_GPU}\b|\bmy (?:[\w-]{{1,12}} ){{0,2}}{_GPU}\b"
)
_NONE = Expression(
    rf"(?i)(?:n't|\bnot|\bnever) (?:have|got|own)\b[^.?!]{{0,20}}{_GPU}\b|\b(?:have|has|got|with) no (?:[\w-]{{1,12}} ){{0,3}}{_GPU}\b"
)
"""Somebody says that there is none."""
_ABOUT_IT = Expression(r"(?i)\btensor ?flow\b|\btf\b|\bkeras\b")
_OF_A_PROGRAM = Expression(
    r"^\d{4}-\d\d-\d\d|^[IWEF]\d{4} |^[IWEF] (?:tensorflow|external)/|^\W{0,3}\w{1,40}(?:Error|Warning|Exception)\b|^\[|^>>> |^#|\.(?:cc|py):\d|^\s{0,20}(?:print|raise|return|if|assert)\b|\w\(|[=|{}]|\b(?:WARNING|ERROR|INFO)\b"
)
_FEWEST = 5
"""Words of a sentence."""
_FEW_LINES = 200
"""A paste with somebody's words in it is short."""


def complaint(lines: LineIndex[LogLine]) -> int:
    """The number of the line; 0 where nobody says so, or the text is not about TensorFlow."""
    said = lines.holding(("gpu", "graphic", "video card", "cpu"), small=True)
    if not said or sum(1 for _ in lines) > _FEW_LINES:
        return 0
    about = lines.holding(("tensor", "tf", "keras"), small=True)
    if not any(_ABOUT_IT.compiled.search(each.text) for each in about):
        return 0
    return next((each.number for each in said if _is_said(each.text.strip())), 0)


def has_one(lines: LineIndex[LogLine]) -> bool:
    """Whether somebody says that the machine has a GPU."""
    said = lines.holding(("gpu", "graphic", "video card"), small=True)
    if not said or sum(1 for _ in lines) > _FEW_LINES:
        return False
    return any(
        _is_sentence(each.text.strip())
        and _OWN.compiled.search(each.text)
        and not _NONE.compiled.search(each.text)
        for each in said
    )


def _is_said(text: str) -> bool:
    return _is_sentence(text) and bool(_COMPLAINT.compiled.search(text))


def _is_sentence(text: str) -> bool:
    return len(text.split()) >= _FEWEST and not _OF_A_PROGRAM.compiled.search(text)
