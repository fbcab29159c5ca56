"""Makes the recordings of notebooks whose kernels really died: `jupyter execute` (nbclient) runs one cell, and all that it writes is kept.

    python -m tests.recordings.notebooks PYTHON [CASE …]

PYTHON has nbclient and ipykernel. Paths of the machine are replaced; nothing else is touched.
"""

from __future__ import annotations

import json
import os
import shlex
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

FOLDER = Path(__file__).parent / "notebooks"
LIMIT_S = 120


@dataclass(frozen=True)
class Notebook:
    """A cell; `codes` are those that the real run has."""

    codes: tuple[str, ...]
    cell: str
    before: str = ""
    """A line of bash in front, such as a limit."""


CASES: Mapping[str, Notebook] = {
    "killed": Notebook(("jupyter-kernel-died",), "import os\nos.kill(os.getpid(), 9)"),
    "segmentation-fault": Notebook(("jupyter-kernel-died",), "import ctypes\nctypes.string_at(0)"),
    "memory-limit": Notebook(("host-memory-exhausted",), "held = bytearray(1 << 40)", "ulimit -v 40000000; "),
    "no-tensorflow": Notebook(("tensorflow-missing",), "import tensorflow as tf"),
    "shapes": Notebook(("python-exception",), "raise ValueError('shapes (3,4) and (5,6) not aligned')"),
}  # fmt: skip


def output_of(python: Path, notebook: Notebook, folder: Path) -> str:
    """stdout and stderr together, and the last words that a shell would add."""
    file = folder / "train.ipynb"
    file.write_text(json.dumps(_document(notebook.cell)), encoding="utf-8")
    done = subprocess.run(
        ["bash", "-c", f"{notebook.before}{shlex.quote(str(python))} -m jupyter execute {file.name}; echo \"exit code $?\""],
        env={"PATH": f"{python.parent}:{os.environ.get('PATH', '')}", "HOME": str(folder), "LC_ALL": "C.UTF-8"},
        cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=LIMIT_S, check=False, encoding="utf-8", errors="replace",
    )  # fmt: skip
    text = done.stdout.replace(str(folder), "/home/me/project").replace(
        str(python.parent.parent), "/opt/venv"
    )
    return text.replace(str(python.resolve().parent.parent), "/usr")


def _document(cell: str) -> dict[str, object]:
    code: dict[str, object] = {
        "cell_type": "code",
        "id": "a1",
        "execution_count": None,
        "metadata": {},
        "outputs": [],
        "source": cell,
    }
    kernel = {"name": "python3", "display_name": "Python 3", "language": "python"}
    return {"cells": [code], "metadata": {"kernelspec": kernel}, "nbformat": 4, "nbformat_minor": 5}


def main() -> None:
    python, *names = sys.argv[1:]
    FOLDER.mkdir(exist_ok=True)
    for name in names or CASES:
        with tempfile.TemporaryDirectory(prefix="tfdoctor-record-") as folder:
            text = output_of(Path(python), CASES[name], Path(folder))
        (FOLDER / f"{name}.log").write_text(text, encoding="utf-8")
        sys.stdout.write(f"{name}: {len(text)} characters\n")


if __name__ == "__main__":
    main()
