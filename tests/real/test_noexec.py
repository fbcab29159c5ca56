"""A mount namespace in which the folder of a small package named tensorflow forbids to run code."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.needs import MOUNTS

pytestmark = pytest.mark.real

_MOUNTED = """
mount --bind "$1" "$1" && mount -o remount,bind,noexec "$1" || exit 77
exec "$2" -m tfdoctor check --smoke none --no-redact --json --python "$3"
"""


def test_the_mount_itself_is_named(tmp_path: Path) -> None:
    environment = tmp_path / "env"
    subprocess.run(
        [sys.executable, "-m", "venv", "--without-pip", str(environment)], check=True, timeout=120
    )
    package = (
        next(environment.glob("lib/python3*/site-packages")) / "tensorflow" / "python" / "platform"
    )
    package.mkdir(parents=True)
    (package / "build_info.py").write_text("build_info = {}\n")
    (package.parent.parent / "__init__.py").write_text("")
    site = package.parents[2]
    python = environment / "bin" / "python"
    ran = subprocess.run(
        ["unshare", "-m", "bash", "-c", _MOUNTED, "bash", str(site), sys.executable, str(python)],
        capture_output=True, text=True, timeout=120, check=False,
    )  # fmt: skip
    if ran.returncode == 77 or not ran.stdout:
        pytest.skip(MOUNTS)
    report = json.loads(ran.stdout)
    assert report["facts"]["tensorflow.noexec_mount"]["value"] == str(site)
    assert "noexec-mount" in [each["code"] for each in report["findings"]]
