"""Makes the recordings of real ends: programs are really killed, starved or refused, and what they, the shell and pip say is kept.

    python -m tests.recordings.programs [CASE …]

Paths of the machine that makes them are replaced; nothing else is touched.
"""

from __future__ import annotations

import re
import shlex
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

FOLDER = Path(__file__).parent / "programs"
LIMIT_S = 120
ENVIRONMENT = "/opt/env"


@dataclass(frozen=True)
class Program:
    """A line for bash in an empty folder, in which PYTHON stands for the interpreter; `codes` are those that it really has."""

    codes: tuple[str, ...]
    line: str
    fetches: bool = False  # it asks a package index


def _python(statement: str, options: str = "") -> str:
    return f"PYTHON {options} -c '{statement}'"


CASES: Mapping[str, Program] = {
    "killed": Program(("host-oom-killed",), _python("import os; os.kill(os.getpid(), 9)") + "; echo"),
    "killed-status": Program(("host-oom-killed",), "(" + _python("import os; os.kill(os.getpid(), 9)") + '); echo "exit code $?"'),
    "terminated": Program(("killed-by-user",), _python("import os; os.kill(os.getpid(), 15)") + "; echo"),
    "segmentation-fault": Program(("native-crash",), _python("import ctypes; ctypes.string_at(0)", "-X faulthandler") + "; echo"),
    "aborted": Program(("native-crash",), _python("import os; os.abort()", "-X faulthandler") + "; echo"),
    "worker-killed": Program(("host-oom-killed", "worker-lost"), "PYTHON pool.py"),
    "memory-limit": Program(("host-memory-exhausted",), "ulimit -v 400000; " + _python("bytearray(1 << 32)")),
    "too-many-files": Program(("file-descriptors-exhausted",), "ulimit -n 20; " + _python("[open(\"/dev/null\") for _ in range(30)]; x")),
    "disk-full": Program(("disk-full",), _python("f = open(\"/dev/full\", \"w\"); f.write(\"x\"); f.flush()")),
    "broken-pipe": Program(("output-closed",), _python("for n in range(100000): print(n)") + " | head -n 1"),
    "command-not-found": Program(("command-not-started",), "tarin --epochs 3"),
    "no-such-program": Program(("command-not-started",), "/opt/app/bin/train --epochs 3"),
    "bad-interpreter": Program(("command-not-started",), "printf '#!/no/such/python\\n' > t.py; chmod +x t.py; ./t.py"),
    "hash-seed": Program(("environment-variable-refused",), "PYTHONHASHSEED=abc " + _python("pass")),
    "shapes": Program(("python-exception",), _python("raise ValueError(\"shapes (3,4) and (5,6) not aligned\")")),
    "pip-no-version": Program(("python-unsupported",), "PYTHON -m pip download -q --no-deps tensorflow==1.15.5", fetches=True),
    "pip-conflict": Program(
        ("installer-stopped",), "PYTHON -m pip install -q --dry-run --ignore-installed tensorflow==2.16.2 numpy==2.1.0", fetches=True
    ),
}  # fmt: skip
_POOL = """
import os
from concurrent.futures import ProcessPoolExecutor

if __name__ == "__main__":
    with ProcessPoolExecutor(1) as pool:
        pool.submit(os.kill, os.getpid(), 0).result()
        pool.submit(os._exit, 9).result()
"""


def output_of(program: Program) -> str:
    """Its stdout and stderr together, as a terminal or a file would have them."""
    with tempfile.TemporaryDirectory(prefix="tfdoctor-record-") as folder:
        (Path(folder) / "pool.py").write_text(_POOL, encoding="utf-8")
        line = re.sub(r"\bPYTHON\b", lambda _: shlex.quote(sys.executable), program.line)
        ended = subprocess.run(
            ["bash", "-c", line], cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=LIMIT_S, check=False
        )  # fmt: skip
        text = ended.stdout.decode("utf-8", "replace")
        return _elsewhere(
            text, {folder: "/home/me/project", sys.prefix: ENVIRONMENT, sys.base_prefix: "/usr"}
        )


def _elsewhere(text: str, places: Mapping[str, str]) -> str:
    for place in sorted(places, key=len, reverse=True):
        text = text.replace(place, places[place])
    return "".join(
        line
        for line in text.splitlines(keepends=True)
        if not line.startswith(("WARNING: Location", "Looking in"))
    )


if __name__ == "__main__":
    FOLDER.mkdir(exist_ok=True)
    for name in sys.argv[1:] or CASES:
        (FOLDER / f"{name}.log").write_text(output_of(CASES[name]), encoding="utf-8")
