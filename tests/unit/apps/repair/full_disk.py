"""A fix on a small disk of its own that is full, or fills while it is at work. Run in a mount namespace: `python -m … ROOT SIZE LEFT AFTER`."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

from tests.unit.apps.cli.running import CHECKOUT
from tests.unit.apps.repair import standin
from tests.unit.apps.repair.standin import Patient


def told(
    root: Path, size: str, left: int, after_s: float, of: str = ""
) -> tuple[int, str, bool, int, list[str]]:
    """Exit status and words of the fix, whether all was as before, the status of --recover, and what is then beside the environment.

    left: bytes; after_s: counted from its journal on, 0: the disk is full before it. of: a directory with `tf` and `wheels`.
    """
    words = [
        sys.executable,
        "-m",
        "tests.unit.apps.repair.full_disk",
        str(root),
        size,
        str(left),
        str(after_s),
        of,
    ]
    shell = ("unshare", "--user", "--map-root-user", "--mount")
    ran = subprocess.run(
        [*shell, *words], cwd=CHECKOUT, capture_output=True, text=True, timeout=600, check=False
    )
    assert ran.returncode == 0, ran.stderr
    status, said, same, recovered, beside = json.loads(ran.stdout)
    return status, said, same, recovered, beside


def assert_right(outcome: tuple[int, str, bool, int, list[str]]) -> None:
    """It helped; or the environment is as it was, with nothing beside it."""
    status, said, same, recovered, beside = outcome
    assert "Traceback" not in said and "internal error" not in said, said
    assert recovered == 0
    if status:
        assert status in (1, 3), said
        assert (same, beside) == (True, []), said


def _main(root: Path, size: str, left: int, after_s: float, of: str) -> None:
    subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={size}", "small", root], check=True)
    patient = _patient(root, Path(of)) if of else standin.patient(root / "a")
    before = standin.picture(patient.environment)
    filler = root / "filler"
    if not after_s:
        _fill(filler, left)
    program = subprocess.Popen(
        patient.command("--yes"), env=patient.variables(), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
        text=True,
    )  # fmt: skip
    if after_s:
        journal = patient.root / "state" / "tfdoctor" / "fixes" / "1.journal"
        while not journal.exists() and program.poll() is None:
            time.sleep(0.01)
        time.sleep(after_s)
        _fill(filler, left)
    said, _ = program.communicate(timeout=400)
    same = standin.picture(patient.environment) == before
    filler.unlink()
    recovered = patient.fix("--recover", to=())
    outcome = program.returncode, said, same, recovered.returncode, patient.beside()
    sys.stdout.write(json.dumps(outcome))


def _patient(root: Path, of: Path) -> Patient:
    (root / "home").mkdir()
    shutil.copytree(of / "tf", root / "envs" / "tf", symlinks=True)
    shutil.copytree(of / "wheels", root / "wheels")
    return Patient(root, root / "envs" / "tf", root / "wheels")


def _fill(filler: Path, left: int) -> None:
    """The fix may write at the same time: it goes on until nothing more is free."""
    with open(filler, "wb", buffering=0) as file, contextlib.suppress(OSError):
        while (free := os.statvfs(filler.parent)).f_bavail * free.f_frsize > left:
            file.write(bytes(min(free.f_bavail * free.f_frsize - left, 1 << 24)))


if __name__ == "__main__":
    _main(Path(sys.argv[1]), sys.argv[2], int(sys.argv[3]), float(sys.argv[4]), sys.argv[5])
