"""A disk that Docker filled: its images and layers are elsewhere than a user's own files."""

from __future__ import annotations

from tfdoctor.checks.log.testimony import Testimony
from tfdoctor.findings.fix import fix
from tfdoctor.findings.model import Fix


def room_fixes(told: Testimony) -> tuple[Fix, ...]:
    """() where no image was being built."""
    if not told.named("of-docker-build"):
        return ()
    return (
        fix("see-what-docker-keeps-and-on"),
        fix("remove-layers-earlier-builds-and-images"),
    )  # fmt: skip
