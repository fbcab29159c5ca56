"""Prints for which architectures NVIDIA's cuDNN wheels hold binaries. Downloads whole wheels (about 600 MB each).

    python -m tools.harvest.read_cudnn 9.10.2.21 9.11.0.98

This is the source of the matrix' cuDNN rows: an architecture counts as supported where cudnn_ops has binaries for it.
"""

from __future__ import annotations

import shutil
import sys
import tempfile
import zipfile
from pathlib import Path

import requests

from tfdoctor.knowledge.matrix.wheels.index import Index
from tools.harvest.fatbins import architectures

DISTRIBUTION = "nvidia-cudnn-cu12"


def main() -> int:
    wheels = {
        each.release: each
        for each in Index().wheels(DISTRIBUTION)
        if each.platform == "linux_x86_64"
    }
    for release in sys.argv[1:]:
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            with requests.get(wheels[release].url, stream=True, timeout=180) as answer:
                answer.raise_for_status()
                with (folder / "wheel.zip").open("wb") as file:
                    shutil.copyfileobj(answer.raw, file, 1 << 20)
            with zipfile.ZipFile(folder / "wheel.zip") as archive:
                for member in archive.namelist():
                    if ".so." in member:
                        counts = architectures(Path(archive.extract(member, folder)))
                        found = " ".join(
                            f"{arch}:{count}" for arch, count in sorted(counts.items())
                        )
                        print(release, member.rpartition("/")[2], found or "none")  # noqa: T201  # its result
    return 0


if __name__ == "__main__":
    sys.exit(main())
