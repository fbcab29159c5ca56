"""A shuffle buffer that did not fit: how many elements it was to hold, and where that number is set."""

from __future__ import annotations

from tfdoctor.checks.log.testimony import Testimony
from tfdoctor.findings.model import Fix
from tfdoctor.findings.pages import ways_out

_CODE = "shuffle-buffer-too-large"
_FILLING = "shuffle-filling"
_SMALL = 20
"""Elements below which a tenth of them shuffles nothing any more."""


def smaller_buffer(told: Testimony) -> tuple[Fix, ...]:
    """() where the log does not tell the buffer's size."""
    said = told.named(_FILLING)
    total = max((int(each.told["total"]) for each in said), default=0)
    if total < _SMALL:
        return ()
    number = total // 10
    return (
        Fix(
            f"Let the buffer hold fewer elements, for a test: {number:,} in place of {total:,}",
            note=f"In your files: .shuffle({number}); where a configuration sets it, its own name (shuffle_buffer_size in a pipeline.config of the Object Detection API). A buffer after .batch() holds whole batches: shuffle before.",
        ),
        *ways_out(_CODE),
    )
