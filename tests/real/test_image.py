"""What the image installs can be resolved; `make image` builds and tries it."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).parents[2]
LOCKS = sorted((REPOSITORY / "locks").glob("*.txt"))


@pytest.mark.slow
@pytest.mark.real
@pytest.mark.parametrize(
    "lock", [path for path in LOCKS if path.name.endswith("-cuda.txt")], ids=lambda path: path.name
)
def test_the_cuda_requirements_resolve_for_the_images_python(lock: Path) -> None:
    """Nothing is downloaded but metadata: every locked version exists for Python 3.12 on Linux, with these hashes."""
    uv = shutil.which("uv") or str(Path(sys.executable).with_name("uv"))
    if not os.path.exists(uv):
        pytest.skip("uv is not installed")
    target = [
        "--python-version",
        "3.12",
        "--python-platform",
        "x86_64-manylinux_2_28",
        "--target",
        "/nonexistent",
    ]
    done = subprocess.run(
        [uv, "pip", "install", "--dry-run", "--require-hashes", *target, "-r", str(lock)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-2000:]
    assert "nvidia-cudnn-cu12==9.10" in done.stderr, (
        "older than 9.11, which has no kernels below 7.5 any more"
    )
