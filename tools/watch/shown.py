"""Looks for machines that show what the checks declare, and writes tests/scenarios/shown.yaml: `make rings`.

Run it after `blocks=` of a check or data/knowledge/follows.yaml changed, or a check was added; `make rings CODE=my-cause` looks only at
what concerns that code and keeps the rest of the file. What the file shows already is kept.
For the rest it puts scenarios over each other: of each edge those in which its two ends show, of each ability those in
which the code shows and those in which something was seen to work. What it finds nothing for it prints, with status 1:
write a scenario in which both ends show, or take the edge out. With --pin an edge that nothing shows is listed as such and kept.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from itertools import product

from tests.scenarios.shown import (
    CANT_BE_TOLD,
    ENDS,
    FILE,
    Edge,
    edge_of,
    edges,
    edges_shown,
    ends_of,
    listed,
    machine,
    parts,
    told_apart,
)
from tfdoctor.judge.engine.case import Ability, Check
from tfdoctor.judge.engine.families import in_catalog_order
from tfdoctor.knowledge.catalog import CODES
from tfdoctor.knowledge.model import Severity
from tools.build.strict_yaml import meant

CHECKED = {check.code: check for check in in_catalog_order()}
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
    found: dict[str, set[Edge]] = {}

    def take(name: str) -> None:
        if wanted and (new := shows(name) & wanted):
            found[name] = new
            wanted.difference_update(new)

    for name in (*listed_before, *parts()):
        take(name)
    names = firing() if wanted else {}
    for cause, effect in sorted(wanted):
        pairs = product(names.get(cause, [])[:_MOST], names.get(effect, [])[:_MOST])
        for one, other in pairs:
            if (cause, effect) not in wanted:
                break
            take(f"{one} + {other}")
            take(f"{other} + {one}")
    return found


def find_abilities(check: Check) -> tuple[list[str], set[Ability]]:
    """Machines that tell the declared ability from the others, and the others that none tells apart."""
    code = check.code
    mine = [name for name in parts() if name.startswith(f"{code}/")]
    left, found = set(Ability) - {check.blocks}, list[str]()
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
        yield "# Written by `make rings`, not by hand. What it means says tests/scenarios/shown.py."
        yield "explains:  # machine: cause > what follows"
        for name in sorted(found):
            yield f'  "{name}": [{", ".join(f"{cause} > {effect}" for cause, effect in sorted(found[name]))}]'
        yield "unshown:  # edges that no machine here shows: they are only pinned"
        yield from (f"  - {cause} > {effect}" for cause, effect in sorted(unshown))
        yield "ends:  # which ways to end follow from which cause (ENDS)"
        yield from (
            f"  {code}: [{', '.join(ends)}]" for code, ends in ends_of(CHECKED.values()).items()
        )
        yield "blocks:  # machines that tell a check's ability from all others"
        for code, check in CHECKED.items():
            names = ", ".join(f'"{name}"' for name in abilities[code])
            yield f"  {code}: {{{check.blocks.value}: [{names}]}}"

    return "\n".join(lines()) + "\n"


def main() -> int:
    parser = argparse.ArgumentParser(prog="make rings")
    parser.add_argument("code", nargs="?")
    parser.add_argument("--pin", action="store_true")
    given = parser.parse_args()
    if given.code and given.code not in CHECKED:
        parser.error(f"no check has the code {given.code}{meant(given.code, CHECKED)}")
    codes = {given.code} if given.code else set(CHECKED)
    before = listed() if FILE.exists() else {"explains": {}, "unshown": [], "blocks": {}}
    told = {name: set(map(edge_of, edges)) for name, edges in before["explains"].items()}
    unshown_before = set(map(edge_of, before["unshown"] or ()))
    wanted = {edge for edge in edges() if edge[1] not in ENDS and not codes.isdisjoint(edge)}
    kept = {edge for edge in edges() if codes.isdisjoint(edge)}
    found = find_edges(wanted, list(told))
    for name, shown in told.items():
        if still := shown & kept:
            found[name] = found.get(name, set()) | still
    new = sorted(wanted - unshown_before)
    pinned = wanted if given.pin else wanted - set(new)
    abilities, untold = {}, {}
    for code, check in CHECKED.items():
        if code in codes or code not in before["blocks"]:
            abilities[code], untold[code] = find_abilities(check)
        else:
            [abilities[code]] = before["blocks"][code].values()
    FILE.write_text(text(found, pinned | (unshown_before & kept), abilities), encoding="utf-8")
    for cause, effect in new:
        sys.stdout.write(
            f"no scenario shows that {cause} explains {effect}: add one to tests/scenarios/codes/{cause}.yaml in which both are found, "
            f"or take it out of data/knowledge/follows.yaml\n"
        )
    unclear = [_unclear(CHECKED[code], others) for code, others in untold.items()]
    sys.stdout.writelines(unclear)
    return 1 if new or any(unclear) else 0


def _unclear(check: Check, untold: set[Ability]) -> str:
    """What to do about abilities that no machine tells from the check's own; "" for nothing."""
    code, own = check.code, check.blocks.value
    others = sorted({each.value for each in untold} - CANT_BE_TOLD.get(code, set()))
    if not others:
        return ""
    one_works = (
        "where that was seen to work"
        if check.blocks is Ability.NOTHING
        else f"where one of {own} and that was seen to work and the other was not"
    )
    return (
        f"no scenario in tests/scenarios/codes/{code}.yaml tells its blocks= ({own}, in {place_of(code)}) from {', '.join(others)}.\n"
        f"For each of these, add one in which {code} is found as a warning or an error, {one_works}: a base or facts that\n"
        f"tests/scenarios/whole/_seen.yaml can be laid over (it has each ability seen alone). If it blocks one of them, change blocks=.\n"
    )


if __name__ == "__main__":
    sys.exit(main())
