"""What `tfdoctor lint` says of the public files that docs/results/lint-files-2.tsv names.

python -m benchmarks.lint_public FOLDER

FOLDER holds them as OWNER+NAME/PATH. A file that is not there or has another content is named, and left out.
"""

from __future__ import annotations

import csv
import hashlib
import sys
from collections import Counter
from pathlib import Path

from tfdoctor.ask.builds.files import read
from tfdoctor.ask.builds.statements import UnreadableError
from tfdoctor.knowledge.matrix.load import load_bundled
from tfdoctor.knowledge.matrix.query import Matrix
from tfdoctor.knowledge.model import Severity
from tfdoctor.report.lint import lint

LABELS = Path(__file__).parents[1] / "docs" / "results" / "lint-files-2.tsv"
NO_FAULT = ("clean", "can't be known")


def main() -> None:
    folder, matrix = Path(sys.argv[1]), load_bundled()
    with LABELS.open(encoding="utf-8", newline="") as file:
        rows = [each for each in csv.DictReader(file, delimiter="\t") if each["label"] != "none"]
    count: Counter[str] = Counter()
    for row in {each["sha256"]: each for each in rows}.values():
        path = folder / row["repository"].replace("/", "+", 1) / row["path"]
        if not path.is_file() or hashlib.sha256(path.read_bytes()).hexdigest() != row["sha256"]:
            print(f"{path}: not that file")
            continue
        labels = [(each["label"], each["line"]) for each in rows if each["sha256"] == row["sha256"]]
        said = _said(path, matrix)
        count["files"] += 1
        count["faults labelled"] += sum(label not in NO_FAULT for label, _ in labels)
        count["findings"] += len(said)
        if said or any(label not in NO_FAULT for label, _ in labels):
            print(f"{path}\n  labels   {labels}\n  findings {said}")
    print(dict(count))


def _said(path: Path, matrix: Matrix) -> list[tuple[str, int]]:
    try:
        findings = lint(read([str(path)]), matrix).findings
    except UnreadableError as error:
        return [(str(error), 0)]
    return [(each.code, each.line) for each in findings if each.severity is not Severity.INFO]


if __name__ == "__main__":
    main()
