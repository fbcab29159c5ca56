"""What reading a log costs: `tfdoctor diagnose` beside `grep -F -f`, and `rg -F -f` where it is installed, with the same literals.

    python -m benchmarks.diagnose [MEGABYTES] [training|noise|training-without|noise-without|paste …]

Two logs of that size (1,000 by default) are composed: a training that says nothing else, and one of which every fourth
line is noise. Commands run in turn, five times. `-without` is the same log read without hyperscan. Then a paste of two
kilobytes, against the start of Python.
"""

from __future__ import annotations

import shlex
import shutil
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from benchmarks.timing import PYTHON, in_turn, table
from tfdoctor.ask.logs.transcript import default_literals
from tfdoctor.knowledge.messages.signature import NOISE
from tools.build.knowledge import entries

MEGABYTE = 1_000_000
RUNS, PASTE_RUNS = 5, 15
BLOCK_LINES = 80_000
PARTS = ("training", "noise", "training-without", "noise-without", "paste")
WITHOUT_HYPERSCAN = (
    "import sys; sys.modules['hyperscan'] = None; from tfdoctor.apps.cli.entry import main; main()"
)
PASTE = (
    "E cuda_dnn.cc:456] Loaded runtime CuDNN library: 8.4.0 but source was compiled with: 8.6.0.\n"
)


def lines(noisy: bool) -> Iterator[str]:
    noise = [each.samples[0] for each in entries() if each.signature.role == NOISE]
    for number in range(BLOCK_LINES):
        if noisy and number % 4 == 0:
            yield f"2024-05-01 10:00:00.{number:06d}: {noise[number // 4 % len(noise)]}\n"
        else:
            done = number % 100 // 4
            yield f"{number % 100}/100 [{'=' * done}>{'.' * (25 - done)}] - ETA: {number % 60}s - loss: 0.{number:06d} - accuracy: 0.{BLOCK_LINES - number:06d}\n"


def compose(file: Path, size: int, noisy: bool) -> None:
    block = "".join(lines(noisy)).encode()
    with file.open("wb") as out:
        for _ in range(size // len(block) + 1):
            out.write(block)


def counting(program: str, literals: Path, log: Path) -> list[str]:
    """Through a pipe: with /dev/null as its output grep stops at the first match."""
    words = shlex.join([*program.split(), "-c", "-F", "-f", str(literals), str(log)])
    return ["sh", "-c", f"LC_ALL=C {words} | cat"]


def programs(part: str, literals: Path, log: Path) -> dict[str, list[str]]:
    slow = [PYTHON, "-c", WITHOUT_HYPERSCAN, "diagnose", "--json", str(log)]
    if part.endswith("-without"):
        return {"grep -F -f": counting("grep", literals, log), "diagnose without hyperscan": slow}
    beside = {
        f"{name} -F -f": counting(name, literals, log)
        for name in ("grep", "rg")
        if shutil.which(name)
    }
    return {**beside, "diagnose": [PYTHON, "-m", "tfdoctor", "diagnose", "--json", str(log)]}


def read_a_log(part: str, size: int, folder: Path) -> None:
    literals, log = folder / "literals", folder / "train.log"
    literals.write_text("\n".join(default_literals().texts) + "\n", encoding="utf-8")
    compose(log, size * MEGABYTE, part.startswith("noise"))
    print(f"{size} MB, {'every fourth line noise' if part.startswith('noise') else 'a training'}")
    print(table(in_turn(programs(part, literals, log), RUNS), "grep -F -f"), flush=True)


def read_a_paste(folder: Path) -> None:
    paste = folder / "paste.log"
    paste.write_text((PASTE + "Epoch 1/5\n") * (2000 // len(PASTE)), encoding="utf-8")
    print(f"A paste of {paste.stat().st_size} bytes")
    started = {
        "python -c pass": [PYTHON, "-c", "pass"],
        "diagnose": [PYTHON, "-m", "tfdoctor", "diagnose", str(paste)],
    }
    print(table(in_turn(started, PASTE_RUNS), "python -c pass"), flush=True)


def main() -> None:
    words = sys.argv[1:]
    size = int(words.pop(0)) if words and words[0].isdecimal() else 1000
    for part in words or PARTS:
        with tempfile.TemporaryDirectory() as folder:
            if part == "paste":
                read_a_paste(Path(folder))
            else:
                read_a_log(part, size, Path(folder))


if __name__ == "__main__":
    main()
