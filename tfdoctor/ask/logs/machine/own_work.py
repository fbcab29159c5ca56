"""What a program tells of its own work: steps, times, lines of its own log. Whatever was complained of before did not stop it."""

from __future__ import annotations

from tfdoctor.ask.logs.machine.line_index import LineIndex, LogLine
from tfdoctor.ask.logs.passages.open_end import GOES_ON
from tfdoctor.base.expressions import Expression

_REFUSED = " bytes) from device: "
_MEASURED = Expression(
    r"\b(?:TIME|[Tt]ime|[Ee]lapsed|FPS|fps)\b(?: \w{1,20}){0,3}\s{0,3}[:=]\s{0,3}\d{1,9}(?:\.\d{1,20})?(?:\s|s\b|$)"
)
_OF_PROGRESS = ("/step", "loss", "step", "acc", "it/s", "ETA", "poch", "%|", "ime", "TIME", "lapsed", "FPS", "fps", "/", "dtype=")  # fmt: skip
_RESULT = Expression(
    r"^(?:tf\.Tensor\(|<tf\.Tensor: shape=)|^\s{0,20}[\[\]\d., e+-]{1,400}, shape=\([\d, ]{0,60}\), dtype=\w{3,12}\)$"
)
"""A tensor that the program printed, or the last line of one: it was computed."""
_OF_A_LOG = ("INFO", "] ", " - ")
_INFORMED = Expression(r"^\[?INFO\b|\bINFO\b {0,8}[-:\]]|^\[?\d\d:\d\d:\d\d\S{0,8} INFO\b")
_TIMED = Expression(r"^\[?\d\d:\d\d:\d\d(?:[.,]\d{1,6})?(?:\]| - )")
"""A line of a program's own log: information, or a time in front and no level."""
_OF_A_DEVICE = Expression(r"(?i)error|fail|exception|traceback|gpu|cuda|nvidia|device|nccl|\.cc:\d")
_OF_A_GPU = Expression(r"(?i)\bgpus?\b|\bcuda\b")
_AMISS = Expression(
    r"(?i)warn|cannot|can't|could not|unable|kill|abort|stopp|terminat|exit|not found|missing|\bdebug\b"
)
"""In a line without a level that complains, or that may."""
_MOST = 200  # lines from the end that are looked at: in a log that ends within work they tell of it


def worked_after_a_refusal(lines: LineIndex[LogLine]) -> int:
    """The last line of its own progress; 0 where no memory was refused, or nothing is told after it."""
    refused = lines.holding((_REFUSED,))
    if not refused:
        return 0
    behind = (line for line in lines.holding(_OF_PROGRESS) if line.number > refused[-1].number)
    return max(
        (
            line.number
            for line in behind
            if GOES_ON.search(line.text) or _MEASURED.search(line.text)
        ),
        default=0,
    )


def last_step(lines: LineIndex[LogLine]) -> int:
    """The number of the last line that tells of progress; 0 for none near the end."""
    said = lines.holding(_OF_PROGRESS)
    return next((line.number for line in reversed(said[-_MOST:]) if _steps(line.text)), 0)


def last_told(lines: LineIndex[LogLine]) -> int:
    """The number of the last line that tells of progress, or in which the program itself informs; 0 for none near the end.

    A program whose own log speaks of GPUs may want one: what else it informs of says nothing then.
    """
    said = lines.holding(_OF_A_LOG)[-_MOST:]
    if any(_is_logged(line.text) and _OF_A_GPU.search(line.text) for line in said):
        return last_step(lines)
    return max(
        last_step(lines), next((line.number for line in reversed(said) if _informs(line.text)), 0)
    )


def _is_logged(text: str) -> bool:
    return bool(_INFORMED.search(text) or _TIMED.search(text))


def _informs(text: str) -> bool:
    if _OF_A_DEVICE.search(text):
        return False
    return bool(_INFORMED.search(text) or (_TIMED.search(text) and not _AMISS.search(text)))


def _steps(text: str) -> bool:
    return bool(_RESULT.search(text)) or (bool(GOES_ON.search(text)) and "NCCL" not in text)
