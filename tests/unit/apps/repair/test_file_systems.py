"""The fix on other file systems than that of the tests: each makes a clone in its own way, and XFS writes times that others leave alone."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.needs import FILE_SYSTEMS, only_root
from tests.unit.apps.cli.running import CHECKOUT

pytestmark = [pytest.mark.slow, pytest.mark.nightly, only_root]


@pytest.mark.parametrize(("kind", "links"), [("ext4", 2), ("xfs", 1), ("btrfs", 1)])
def test_it_is_undone_to_the_byte(tmp_path: Path, kind: str, links: int) -> None:
    """`links`: 1 where files share their blocks in place of a name."""
    program = shutil.which(f"mkfs.{kind}", path=f"{os.environ['PATH']}:/usr/sbin:/sbin")
    if program is None:
        pytest.skip(FILE_SYSTEMS)
    image, folder = tmp_path / "image", tmp_path / "disk"
    folder.mkdir()
    with image.open("wb") as file:
        file.truncate(400 << 20)
    subprocess.run([program, "-q", image], check=True, capture_output=True)
    words = [
        sys.executable,
        "-m",
        "tests.unit.apps.repair.on_file_system",
        str(image),
        kind,
        str(folder),
    ]
    ran = subprocess.run(
        ["unshare", "--mount", *words], cwd=CHECKOUT, capture_output=True, text=True, check=False
    )
    if "mount: " in ran.stderr:
        pytest.skip(FILE_SYSTEMS)
    assert json.loads(ran.stdout) == [0, links, 0, "", True], ran.stderr
