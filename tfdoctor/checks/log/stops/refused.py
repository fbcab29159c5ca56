"""GPU memory that the driver refused: by itself no death, for TensorFlow asks for less then or takes another way."""

from __future__ import annotations

from tfdoctor.checks.log.candidate import Candidate, question
from tfdoctor.checks.log.gpu_memory import size
from tfdoctor.checks.log.gpus.held import starved
from tfdoctor.checks.log.testimony import Testimony, place
from tfdoctor.facts.log_values import Saying
from tfdoctor.findings.fix import fix
from tfdoctor.findings.model import Confidence, Fix

_REFUSED = "driver-refused-memory"
_POOL = 4 << 30
"""Bytes. TensorFlow asks for a larger piece only at its start, when it reserves all that is free."""
_TITLE_PIECE = "The GPU had no room left for a piece of {size} that TensorFlow asked for"
_TITLE_POOL = "The GPU had less free memory than TensorFlow wanted to reserve for itself"
_ALONE = "That line alone ends nothing: TensorFlow then asks for less, or takes another way. "
_WORDS_PIECE = (
    "The driver refused {size} of GPU memory. {alone}Mostly the model with this batch needs more than this GPU has left; or another process holds a part of it. "
    "nvidia-smi tells which."
)
_WORDS_POOL = (
    "By itself TensorFlow reserves nearly all free GPU memory at its start, and the driver refused the whole of it: {size}. {alone}Another process may hold some, or took "
    "it in the meantime; on Windows the system keeps a part back."
)
_LESS_AT_ONCE = fix("use-half-batch-for-predictions-too")
_WHO = fix("see-what-else-holds-memory-gpu")
_GROWTH = fix("let-tensorflow-take-only-what-needs-3")


def refused(told: Testimony, saying: Saying) -> Candidate | None:
    """The driver's refusal by itself, which is no death. None for any other text."""
    if saying.name != _REFUSED:
        return None
    piece = _is_a_piece(told)
    code, title, words = (
        ("gpu-out-of-memory", _TITLE_PIECE, _WORDS_PIECE)
        if piece
        else ("gpu-memory-held", _TITLE_POOL, _WORDS_POOL)
    )
    asked = size(int(saying.told["size"]))
    after = "; the program went on" if survived_a_refusal(told, code) else ""
    alone = _ALONE if not told.ended_badly else ""
    opened = question(("gpu-out-of-memory", "gpu-memory-held", "gpu-preallocation-clash"), "nvml.devices")
    return Candidate(
        code, Confidence(saying.sure), (place(saying),), words.format(size=asked, alone=alone), opened,
        f"{title.format(size=asked)}{after}.",
    )  # fmt: skip


def refused_fixes(code: str, told: Testimony) -> tuple[Fix, ...]:
    """() where more than the driver's refusal is told of it."""
    said = told.of("gpu-memory-held", "gpu-out-of-memory")
    if (
        code not in ("gpu-memory-held", "gpu-out-of-memory")
        or not said
        or starved(told)
        or any(each.name != _REFUSED for each in said)
    ):
        return ()
    return (_LESS_AT_ONCE, _WHO, _GROWTH) if _is_a_piece(told) else (_WHO, _GROWTH, _LESS_AT_ONCE)


def _is_a_piece(told: Testimony) -> bool:
    """A piece for the work, and not the pool of the start: that is large, and asked for again in ever smaller sizes."""
    sizes = {int(each.told["size"]) for each in told.named(_REFUSED)}
    return len(sizes) == 1 and max(sizes) < _POOL


def survived_a_refusal(told: Testimony, code: str) -> bool:
    """Whether all that is told of the GPU's memory is that the driver refused some, and the program worked on after it."""
    said = told.of(code) if code == "gpu-memory-held" else told.named(_REFUSED)
    others = told.of("gpu-out-of-memory", "gpu-memory-fragmented", "gpu-dataset-on-device")
    return (
        code in ("gpu-memory-held", "gpu-out-of-memory")
        and bool(said)
        and all(each.name == _REFUSED for each in (*said, *others))
        and told.worked
        and not told.ended_badly
    )
