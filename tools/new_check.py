"""Lays out a new cause: `make new-check CODE=tmp-too-small FAMILY=process TITLE="The folder for temporary files is too small."`

SEVERITY=warning or info says that it is no error, FOLDER=variables that its function belongs to another folder of checks/
than most of its family. It writes the line of the catalogue, the function, the page, three scenarios and the line of the
changelog, each with TODO where your words belong, and names them. While a TODO is left, tests fail and name the file. docs/ARCHITECTURE.md ("A new cause, step by step") says how
it goes on. A code that the catalogue has already, but that no check finds yet, keeps its line and its page.
"""

from __future__ import annotations

import argparse
import re
import sys
from pathlib import Path

ROOT = Path(__file__).parent.parent
FOLDERS = {
    "platform": "installation", "packages": "packages", "driver": "driver", "devices": "gpu", "libraries": "libraries",
    "memory": "resources", "process": "resources", "smoke": "smoke", "notes": "installation",
}  # fmt: skip
"""Of each family the folder of checks/ where most of its checks are."""
SEVERITIES = ("error", "warning", "info")
_NAMED = {"": "error", "note": "info"}
"""What is meant by no severity, and by the word that reports have for info."""
ANSWERS = ("fires", "quiet", "undecided")
HEADINGS = ("What it means", "How tfdoctor knows", "Why it happens", "Fix", "How to see that it is fixed")

_FUNCTION = '''"""TODO: what this file judges, in one sentence."""

from __future__ import annotations

from tfdoctor.checks.engine.case import Ability, Case, Found, check
from tfdoctor.checks.engine.evidence import evidence
from tfdoctor.findings.model import Fix


@check("{code}", prevents=Ability.NOTHING)
def {name}(case: Case) -> Found | None:
    """TODO: how it decides, not what is wrong: that stands in the catalogue."""
    value = case.need(case.facts.host.os)  # TODO: the fact that tells; Absent ends here as quiet, Failed as undecided
    if value == "linux":
        return None
    return Found(
        "TODO: what it does to the user.",
        (evidence(case, "host.os", "TODO: what would be right", "TODO: who says so"),),
        (Fix("TODO: the least invasive way out", ("TODO",), "TODO: what it changes, and how to see that it helped."),),
    )
'''
_SCENARIO = """what: "TODO: what is particular about this machine."
base: gpu
facts: {{}}  # TODO: only what differs from the base, each by a path (tests/scenarios/overlay.py)
expect: {answer}
"""


class Refused(Exception):  # noqa: N818  # it says what happened, as its reader sees it
    """What stands in the way, in one sentence."""


def laid_out(
    root: Path, code: str, family: str, title: str, severity: str = "", folder: str = ""
) -> list[Path]:
    """The files that were written or changed. Raises Refused before anything is."""
    catalogue = root / "tfdoctor" / "findings" / "catalog.py"
    text = catalogue.read_text(encoding="utf-8")
    known = re.search(rf'_code\("(\w+)", "{re.escape(code)}", "(.+?)"[,)]', text)
    family, title = (known[1], known[2]) if known else (family, title)
    name, severity = code.replace("-", "_"), _NAMED.get(severity, severity)
    function = root / "tfdoctor" / "checks" / (folder or FOLDERS.get(family, "")) / f"{name}.py"
    scenarios = root / "tests" / "scenarios" / code
    _refuse_what_does_not_fit(code, family, title, scenarios)
    if severity not in SEVERITIES:
        raise Refused(f"SEVERITY={severity}: give one of {', '.join(SEVERITIES)}")
    if not function.parent.is_dir() and folder:
        raise Refused(f"FOLDER={folder}: checks/ has no such folder")
    changelog = root / "CHANGELOG.md"
    page = root / "docs" / "codes" / f"{code}.md"
    new = {function: _FUNCTION.format(code=code, name=name)}
    new |= {scenarios / f"{answer}.yaml": _SCENARIO.format(answer=answer) for answer in ANSWERS}
    if known is None:
        new |= {
            page: page_of(code, family, title, severity),
            catalogue: with_code(text, code, family, title, severity),
            changelog: with_line(changelog.read_text(encoding="utf-8"), code),
        }
    for file, content in new.items():
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(content, encoding="utf-8")
    return list(new) if known is None else [*new, page]


def _refuse_what_does_not_fit(code: str, family: str, title: str, scenarios: Path) -> None:
    if not re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)+", code):
        raise Refused(f"CODE={code}: a code is words in small letters, joined by hyphens")
    if family not in FOLDERS:
        raise Refused(f"FAMILY={family}: give one of {', '.join(FOLDERS)}")
    if not re.fullmatch(r"\w.*\.", title) or '"' in title:
        raise Refused(f"TITLE={title!r}: give one sentence that says what is the case, with its full stop")
    if scenarios.exists():
        raise Refused(f"{code} has its scenarios already")


def with_line(changelog: str, code: str) -> str:
    """The changelog with a line of its own for the code, the first under "Added" of what is not released yet."""
    return re.sub(
        r"(## \[Unreleased\]\n.*?### Added\n\n?)",
        lambda begin: f"{begin[1]}- New code `{code}`: TODO: what it finds, for a user.\n",
        changelog,
        count=1,
        flags=re.DOTALL,
    )


def with_code(catalogue: str, code: str, family: str, title: str, severity: str = "error") -> str:
    """The catalogue with the code at the end of its family."""
    lines = catalogue.split("\n")
    last = max(place for place, line in enumerate(lines) if line.startswith(f'    _code("{family}", '))
    alone = ", gpu_only=True" if family in ("driver", "devices", "libraries") else ""
    weight = f", {severity.upper()}" if severity != SEVERITIES[0] else ""
    lines.insert(last + 1, f'    _code("{family}", "{code}", "{title}"{weight}{alone}),')
    return "\n".join(lines)


def page_of(code: str, family: str, title: str, severity: str = "error") -> str:
    alone = " · concerns the GPU alone" if family in ("driver", "devices", "libraries") else ""
    parts = "".join(f"## {heading}\n\nTODO: plain words for whoever has this.\n\n" for heading in HEADINGS)
    return (
        f"# {title}\n\n`{code}` · family: {family} · severity: {severity} by default{alone}\n\n{parts}"
        "## When tfdoctor is wrong\n\nTODO: what looks alike, and what it can't see.\n\n"
        f"`tfdoctor check --ignore {code}` leaves this finding out of the\nverdict and the exit status. It stays listed, as ignored.\n"
    )


def main() -> int:
    parser = argparse.ArgumentParser(prog="make new-check")
    for option in ("code", "family", "title", "severity", "folder"):
        parser.add_argument(option, nargs="?", default="")
    given = parser.parse_args()
    try:
        files = laid_out(ROOT, given.code, given.family, given.title, given.severity, given.folder)
    except Refused as error:
        sys.stderr.write(f"{error}\n")
        return 2
    for file in files:
        sys.stdout.write(f"{file.relative_to(ROOT)}\n")
    sys.stdout.write(f"\nPut your words in place of each TODO there, then: make cause CODE={given.code}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
