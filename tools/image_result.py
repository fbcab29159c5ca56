"""Writes docs/results/image.md: when the image was last built and tried, and from what. `make image` runs it after the tests."""

from __future__ import annotations

import datetime
import hashlib
import platform
from pathlib import Path

TOP = Path(__file__).parents[1]
PAGE = TOP / "docs" / "results" / "image.md"
WORDS = """# The container image, built and tried

`make image` builds the Dockerfile with buildah on a stand-in base (Debian by debootstrap) with plain TensorFlow, and runs the
health command in it as its own user: never examined, examined, with a file of TensorFlow removed, with a simulated GPU handed
in, lost, and not there. A test of every run compares the digest below (Dockerfile, .dockerignore, docker/) with the files.

| when | on | digest of its parts | came of it |
| --- | --- | --- | --- |
| {when} | {where} | `{digest}` | all as expected |
"""


def digest() -> str:
    """Of names and bytes of all that the image is built from, but the doctor and the packages that the locks name."""
    parts = [TOP / "Dockerfile", TOP / ".dockerignore", *sorted((TOP / "docker").rglob("*"))]
    whole = hashlib.sha256()
    for part in parts:
        if part.is_file():
            whole.update(f"{part.relative_to(TOP)}\0{part.stat().st_size}\0".encode() + part.read_bytes())
    return whole.hexdigest()[:16]


def main() -> None:
    where = f"{platform.system()} {platform.release().partition('-')[0]}, Python {platform.python_version()}"
    when = datetime.datetime.now(datetime.timezone.utc).date()
    PAGE.write_text(WORDS.format(when=when, where=where, digest=digest()), encoding="utf-8")


if __name__ == "__main__":
    main()
