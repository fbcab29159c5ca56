"""What reading a log costs: `tfdoctor diagnose` beside `grep -F -f` and `rg -F -f` with the same literals.

    python -m benchmarks.diagnose [MEGABYTES]

Two logs of that size (1,000 by default) are composed: a training that says nothing else, and one of which every fourth
line is noise. Commands run in turn, five times. Then a paste of two kilobytes, against the start of Python.
"""

from __future__ import annotations

import shlex
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from benchmarks.timing import PYTHON, in_turn, table
from tfdoctor.logs.transcript import default_literals
from tfdoctor.signatures.catalogue import everything
from tfdoctor.signatures.signature import NOISE

MEGABYTE = 1_000_000
RUNS, PASTE_RUNS = 5, 15
BLOCK_LINES = 80_000
WITHOUT_HYPERSCAN = "import sys; sys.modules['hyperscan'] = None; from tfdoctor.cli.entry import main; main()"
PASTE = "E cuda_dnn.cc:456] Loaded runtime CuDNN library: 8.4.0 but source was compiled with: 8.6.0.\n"


def lines(noisy: bool) -> Iterator[str]:
    noise = [each.samples[0] for each in everything() if each.role == NOISE]
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


def main() -> None:
    size = int(sys.argv[1]) if len(sys.argv) > 1 and sys.argv[1].isdecimal() else 1000
    with tempfile.TemporaryDirectory() as folder:
        literals = Path(folder) / "literals"
        literals.write_text("\n".join(default_literals().texts) + "\n", encoding="utf-8")
        for noisy, what in ((False, "a training"), (True, "every fourth line noise")):
            log = Path(folder) / "train.log"
            compose(log, size * MEGABYTE, noisy)
            print(f"{size} MB, {what}")
            samples = in_turn(
                {
                    "grep -F -f": counting("grep", literals, log),
                    "rg -F -f": counting("rg", literals, log),
                    "diagnose": [PYTHON, "-m", "tfdoctor", "diagnose", "--json", str(log)],
                    "diagnose without hyperscan": [PYTHON, "-c", WITHOUT_HYPERSCAN, "diagnose", "--json", str(log)],
                },
                RUNS,
            )  # fmt: skip
            print(table(samples, "grep -F -f"))
        paste = Path(folder) / "paste.log"
        paste.write_text((PASTE + "Epoch 1/5\n") * (2000 // len(PASTE)), encoding="utf-8")
        print(f"\nA paste of {paste.stat().st_size} bytes")
        started = {
            "python -c pass": [PYTHON, "-c", "pass"],
            "diagnose": [PYTHON, "-m", "tfdoctor", "diagnose", str(paste)],
        }
        print(table(in_turn(started, PASTE_RUNS), "python -c pass"))


if __name__ == "__main__":
    main()
