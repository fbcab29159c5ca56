"""How much processor time `tfdoctor lint` takes for 1,000 build files, against reading the same files with PyYAML alone: files that
say six different things, as those of one organization do, and files of which each says something else, so that no answer serves twice.

python -m benchmarks.lint
"""

from __future__ import annotations

import resource
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

FILES = 1000
YAML = """
import pathlib, sys, yaml
for path in pathlib.Path(sys.argv[1]).rglob("*.yml"):
    yaml.safe_load(path.read_text())
"""
ENVIRONMENT = """\
name: project{number}
channels: [conda-forge, defaults]
dependencies:
{others}  - python=3.10
  - pip
  - pip:
    - tensorflow==2.1{minor}.0
    - numpy<{numpy}
"""


def main() -> None:
    _timed("that say 6 different things", lambda number: "2")
    _timed("that all say something else", lambda number: f"1.{number}")


def _timed(what: str, numpy: Callable[[int], str]) -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for number in range(FILES):
            place = folder / f"project{number}"
            place.mkdir()
            others = "".join(f"  - package{each}>={number % 7}.{each}\n" for each in range(20))
            text = ENVIRONMENT.format(
                number=number, minor=number % 6, others=others, numpy=numpy(number)
            )
            (place / "environment.yml").write_text(text, encoding="utf-8")
        alone = _seconds(sys.executable, "-c", YAML, name)
        lint = _seconds(sys.executable, "-m", "tfdoctor", "lint", "--json", "-o", "/dev/null", name)
    print(
        f"{FILES} environment.yml {what}: PyYAML alone {alone:.2f} s, lint {lint:.2f} s: {lint / alone:.1f} times"
    )


def _seconds(*command: str) -> float:
    """Of the processor, its own and the system's, for what else runs here makes a clock's twice as long."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command, check=False, stdout=subprocess.DEVNULL)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime


if __name__ == "__main__":
    main()
