"""What the knowledge says of a log, line by line, and why it says nothing: `make try LOG=paste.txt`."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

from tfdoctor.knowledge.messages.catalogue import everything
from tools.build.knowledge import build, is_fresh

_SHOWN = 160  # characters of a line


def main() -> int:
    if len(sys.argv) != 2:
        print("which log? make try LOG=paste.txt", file=sys.stderr)
        return 2
    if not is_fresh():
        build()
    lines = Path(sys.argv[1]).read_text(encoding="utf-8", errors="replace").splitlines()
    for number, line in enumerate(lines, 1):
        for said in _said(line):
            print(f"{number}: {line.strip()[:_SHOWN]}\n    {said}")
    print(f"\n{len(lines)} lines. What diagnose makes of them:\n")
    sys.stdout.flush()
    from tfdoctor.apps.cli.entry import main as tfdoctor

    sys.argv[:] = ["tfdoctor", "diagnose", sys.argv[1]]
    tfdoctor()
    return 0


def _said(line: str) -> Iterator[str]:
    """Each message that the line has at least the anchor of."""
    for each in everything():
        if not any(anchor in line for anchor in each.anchors):
            continue
        where = f"{each.code}: {each.name}" if each.code else f"{each.role}: {each.name}"
        if hit := each.hit(line):
            values = ", ".join(f"{name}={value}" for name, value in hit.told.items())
            yield f"is {where}" + (f" ({values})" if values else "")
        elif excluding := [text for text in each.unless if text in line]:
            yield f"is not {where}: {excluding[0]!r} stands in its `unless`"
        else:
            yield f"is not {where}: it has the anchor, but the pattern does not fit"


if __name__ == "__main__":
    sys.exit(main())
