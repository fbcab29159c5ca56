"""A disk that Docker filled: its images and layers are elsewhere than a user's own files."""

from __future__ import annotations

from tfdoctor.checks.log.testimony import Testimony
from tfdoctor.findings.model import Fix


def room_fixes(told: Testimony) -> tuple[Fix, ...]:
    """() where no image was being built."""
    if not told.named("of-docker-build"):
        return ()
    return (
        Fix("See what Docker keeps, and on which disk; it changes nothing", ("docker system df", "docker info --format '{{.DockerRootDir}}'"), "In CI the runner's disk is what is full: df -h shows it."),
        Fix("Remove the layers of earlier builds and the images that no container uses; they are built or fetched again", ("docker builder prune --force", "docker image prune --all --force"), "In the Dockerfile, pip install --no-cache-dir leaves less behind, and tensorflow-cpu is smaller where no GPU is used. Docker Desktop has a limit of its own under Settings, Resources."),
    )  # fmt: skip
