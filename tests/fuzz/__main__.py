"""Fuzzes each reader in turn: python -m tests.fuzz [--seconds 300] [--seed N] [--keep] [READER …]. Exit status 1: something was found.

READER is also one kind of build file, such as dockerfile, which `build-file` reads with all the others.

--keep writes the inputs that reach most code, the smallest first, to tests/fuzz/corpora. What was found lies in
.cache/fuzz/READER/findings.
"""

from __future__ import annotations

import argparse
import datetime
import os
import re
import subprocess
import sys
import time
from pathlib import Path

from tests.fuzz.corpora import keep, kept, minimised
from tests.fuzz.readers import KINDS_ALONE, READERS
from tests.fuzz.seeds import MOST, seeds, words
from tests.unit.documents import ROOT

WORK = ROOT / ".cache" / "fuzz"
SLOW_S = 1.0


def main() -> int:
    wishes = _wishes()
    total = 0
    for name in wishes.readers or READERS:
        total += _fuzzed(name, wishes.seconds, wishes.seed)
        if wishes.keep:
            corpus, whole = (WORK / name / "corpus").iterdir(), _whole(name)
            keep(whole, minimised(READERS[whole], [each.read_bytes() for each in corpus]))
    return 1 if total else 0


def _wishes() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz")
    parser.add_argument("--seconds", type=int, default=300, help="of each reader")
    parser.add_argument(
        "--seed",
        type=int,
        default=0,
        help="tries the same inputs in the same order; 0: others each time",
    )
    parser.add_argument("--keep", action="store_true")
    parser.add_argument("readers", nargs="*", choices=[[], *READERS, *KINDS_ALONE])
    return parser.parse_args()


def _whole(name: str) -> str:
    """The reader whose inputs it begins with."""
    return "build-file" if name in KINDS_ALONE else name


def _fuzzed(name: str, seconds: int, seed: int) -> int:
    """Prints one line and returns how much was found."""
    corpus, findings = _prepared(name)
    before = set(findings.iterdir())
    begun = time.monotonic()
    runs = 0
    while (left := int(begun + seconds - time.monotonic())) > 1:
        runs += _one(name, corpus, findings, left, seed)
    found = sorted(
        each for each in set(findings.iterdir()) - before if not _only_instrumented(name, each)
    )
    day = datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%d %H:%M")
    print(
        f"{day} {name}: {seconds} s, {runs} inputs, corpus of {len(list(corpus.iterdir()))}, found {len(found)}",
        flush=True,
    )
    for each in found:
        print(f"  {each}", flush=True)
    return len(found)


def _prepared(name: str) -> tuple[Path, Path]:
    corpus, findings = WORK / name / "corpus", WORK / name / "findings"
    for folder in (corpus, findings):
        folder.mkdir(parents=True, exist_ok=True)
    for number, data in enumerate([*seeds(_whole(name)), *kept(_whole(name))]):
        (corpus / f"seed-{number}").write_bytes(data)
    quoted = ("".join(f"\\x{byte:02x}" for byte in word) for word in words(_whole(name)))
    (WORK / name / "words").write_text("".join(f'"{word}"\n' for word in quoted), encoding="ascii")
    return corpus, findings


def _one(name: str, corpus: Path, findings: Path, seconds: int, seed: int) -> int:
    """How many inputs one process tried; it ends early where one of them hangs, crashes or eats memory."""
    options = [
        f"-max_total_time={seconds}",
        f"-seed={seed}",
        f"-max_len={MOST}",
        "-reload=0",
        "-print_final_stats=1",
        "-verbosity=0",
    ]
    options += [f"-dict={WORK / name / 'words'}"] if words(_whole(name)) else []
    command = [sys.executable, "-m", "tests.fuzz.one", name, str(findings), str(corpus), *options]
    ended = subprocess.run(
        command, cwd=ROOT, capture_output=True, text=True, errors="replace", check=False
    )
    told = re.search(r"number_of_executed_units: (\d+)", ended.stderr)
    if told is None and ended.returncode:
        (findings / f"ended-{ended.returncode}").write_text(ended.stderr[-4000:], encoding="utf-8")
    return int(told[1]) if told else 0


def _only_instrumented(name: str, finding: Path) -> bool:
    """Whether an input was slow by the instruments alone."""
    if not finding.name.startswith("slow-"):
        return False
    read = (READERS | KINDS_ALONE)[name]
    read(b"")
    begun = time.thread_time()
    read(finding.read_bytes())
    return time.thread_time() - begun < SLOW_S


if __name__ == "__main__":
    os.environ.setdefault("PYTHONHASHSEED", "0")
    sys.exit(main())
