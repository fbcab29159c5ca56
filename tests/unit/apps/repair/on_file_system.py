"""A fix and its undo on a file system of its own, run as root in a mount namespace: `python -m … IMAGE KIND FOLDER`."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

from tests.unit.apps.repair import standin


def main(image: str, kind: str, folder: str) -> None:
    subprocess.run(["mount", "-o", "loop", "-t", kind, image, folder], check=True)
    patient = standin.patient(Path(folder, "a"))
    before = standin.picture(patient.environment)
    fixed = patient.fix("--yes")
    links = max(each.stat().st_nlink for each in patient.environment.rglob("*.py"))
    undone = patient.fix("--undo", to=())
    same = standin.picture(patient.environment) == before and patient.beside() == []
    sys.stdout.write(json.dumps([fixed.returncode, links, undone.returncode, undone.stderr, same]))


if __name__ == "__main__":
    main(*sys.argv[1:])
