"""Looks for machines that show what the checks declare, and writes tests/scenarios/shown.yaml: `python -m tools.watch.shown`.

Run it after `blocks=` of a check or data/knowledge/follows.yaml changed, or a check was added. What the file shows already is kept.
For the rest it puts scenarios over each other: of each edge those in which its two ends show, of each ability those in
which the code shows and those in which something was seen to work. What it finds nothing for it prints, with status 1:
write a scenario in which both ends show, or take the edge out. With --pin an edge that nothing shows is listed as such and kept.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from itertools import product

from tests.scenarios.shown import (
    CANT_BE_TOLD,
    ENDS,
    FILE,
    Edge,
    edges,
    edges_shown,
    ends_of,
    listed,
    machine,
    parts,
    told_apart,
)
from tfdoctor.judge.engine.case import Ability
from tfdoctor.judge.engine.families import in_catalog_order
from tfdoctor.knowledge.catalog import CODES
from tfdoctor.knowledge.model import Severity

PIN = "--pin"
_MOST = 6  # scenarios of each end that are tried
_WORKS = (
    "",
    *(
        f"_seen/{name}"
        for name in (
            "gpu",
            "gpu-too",
            "gpu-heard",
            "compute",
            "compute-too",
            "import",
            "import-too",
            "driver",
        )
    ),
)


def firing() -> dict[str, list[str]]:
    """For each code the scenarios in which it is a fault, the shortest first."""
    found: dict[str, list[str]] = {}
    for name, each in parts().items():
        for finding in each.judged().findings:
            if finding.severity is not Severity.INFO:
                found.setdefault(finding.code, []).append(name)
    for names in found.values():
        names.sort(key=lambda name: len(parts()[name].said.get("facts") or {}))
    return found


def place_of(code: str) -> str:
    """The file of the function that judges it."""
    return f"tfdoctor/judge/{CODES[code].family}.py"


def shows(name: str) -> set[Edge]:
    try:
        return edges_shown(machine(name).judged().findings)
    except (KeyError, ValueError):
        return set()  # these two can't be put over each other


def find_edges(wanted: set[Edge], listed_before: list[str]) -> dict[str, set[Edge]]:
    """Machines, each with the wanted edges that none before it shows."""
    names = firing()
    found: dict[str, set[Edge]] = {}

    def take(name: str) -> None:
        if new := shows(name) & wanted:
            found[name] = new
            wanted.difference_update(new)

    for name in (*listed_before, *parts()):
        take(name)
    for cause, effect in sorted(wanted):
        pairs = product(names.get(cause, [])[:_MOST], names.get(effect, [])[:_MOST])
        for one, other in pairs:
            if (cause, effect) not in wanted:
                break
            take(f"{one} + {other}")
            take(f"{other} + {one}")
    return found


def find_abilities(code: str) -> tuple[list[str], set[Ability]]:
    """Machines that tell the declared ability from the others, and the others that none tells apart."""
    mine = [name for name in parts() if name.startswith(f"{code}/")]
    left, found = set(Ability), list[str]()
    left.discard(next(each.blocks for each in in_catalog_order() if each.code == code))
    for work, name in product(_WORKS, mine):
        if not left:
            break
        whole = f"{name} + {work}" if work else name
        if new := _told_apart(code, whole) & left:
            found.append(whole)
            left -= new
    return found, left


def _told_apart(code: str, name: str) -> set[Ability]:
    try:
        return told_apart(code, machine(name))
    except (KeyError, ValueError):
        return set()


def text(found: dict[str, set[Edge]], unshown: set[Edge], abilities: dict[str, list[str]]) -> str:
    def lines() -> Iterator[str]:
        yield "# Written by `python -m tools.watch.shown`, not by hand. What it means says tests/scenarios/shown.py."
        yield "explains:  # machine: cause > what follows"
        for name in sorted(found):
            yield f'  "{name}": [{", ".join(f"{cause} > {effect}" for cause, effect in sorted(found[name]))}]'
        yield "unshown:  # edges that no machine here shows: they are only pinned"
        yield from (f"  - {cause} > {effect}" for cause, effect in sorted(unshown))
        yield "ends:  # which ways to end follow from which cause (ENDS)"
        yield from (
            f"  {code}: [{', '.join(ends)}]" for code, ends in ends_of(in_catalog_order()).items()
        )
        yield "blocks:  # machines that tell a check's ability from all others"
        for check in in_catalog_order():
            names = ", ".join(f'"{name}"' for name in abilities[check.code])
            yield f"  {check.code}: {{{check.blocks.value}: [{names}]}}"

    return "\n".join(lines()) + "\n"


def main() -> int:
    wanted = {edge for edge in edges() if edge[1] not in ENDS}
    listed_before = list(listed()["explains"]) if FILE.exists() else []
    unshown_before = set(listed()["unshown"] or ()) if FILE.exists() else set()
    found = find_edges(wanted, listed_before)
    abilities, untold = {}, {}
    for check in in_catalog_order():
        abilities[check.code], untold[check.code] = find_abilities(check.code)
    new = sorted(edge for edge in wanted if " > ".join(edge) not in unshown_before)
    pinned = wanted if PIN in sys.argv else wanted - set(new)
    FILE.write_text(text(found, pinned, abilities), encoding="utf-8")
    for cause, effect in new:
        sys.stdout.write(
            f"no scenario shows that {cause} explains {effect}: add one to tests/scenarios/codes/{cause}.yaml in which both are found, "
            f"or take it out of data/knowledge/follows.yaml\n"
        )
    unclear = {
        code: sorted({each.value for each in others} - CANT_BE_TOLD.get(code, set()))
        for code, others in untold.items()
    }
    for code, others in unclear.items():
        if others:
            sys.stdout.write(
                f"no scenario in tests/scenarios/codes/{code}.yaml tells its blocks= (in {place_of(code)}) from {', '.join(others)}\n"
            )
    return 1 if new or any(unclear.values()) else 0


if __name__ == "__main__":
    sys.exit(main())
