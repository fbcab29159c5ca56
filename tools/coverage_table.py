"""Writes what can be counted about the finding codes: docs/codes/index.md and docs/coverage.md.

Run it after each change of the catalog, the checks or the scenarios: `python -m tools.coverage_table`. A test
fails while the files differ from what it would write.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from tfdoctor.checks.engine.families import in_catalog_order
from tfdoctor.checks.log.weigh import BY_OTHER_WORDS
from tfdoctor.findings.catalog import CODES, FAMILIES, Code
from tfdoctor.signatures.catalogue import everything
from tfdoctor.signatures.signature import CAUSE, HINT, NOISE

ROOT = Path(__file__).parent.parent
SCENARIOS = ROOT / "tests" / "scenarios"
INDEX = ROOT / "docs" / "codes" / "index.md"
COVERAGE = ROOT / "docs" / "coverage.md"

_EXPECT = re.compile(r"^expect: *(\w+)", re.MULTILINE)  # reading hundreds of files as YAML takes seconds
ANSWERS = ("fires", "quiet", "undecided")
NEVER = {
    (
        "probe-failed",
        "undecided",
    ): "it speaks of what could not be found out, so it is never undecided itself",
}
"""Answers that a check can't give, with the reason."""

WATCHED = "tfdoctor.checks.death."
"""Where the checks are that judge a death by `tfdoctor run`, and nothing else."""

SPEAKS_OF = {
    "platform": "The system under TensorFlow: Python, C library, processor, Windows, WSL",
    "packages": "TensorFlow's own files and the packages beside it",
    "driver": "NVIDIA's driver, and whether the GPU reaches the program",
    "devices": "The GPU itself: too old, too new, busy, faulty",
    "libraries": "CUDA's libraries, cuDNN and the tools of XLA",
    "memory": "Memory of the GPU, the machine and the container",
    "process": "How programs end, hang or run out of something",
    "smoke": "The trial run, where nothing else explains it",
    "notes": "Worth knowing, and no fault",
}


@cache
def recognised() -> frozenset[str]:
    """The codes that `tfdoctor check` can find: those with a check that needs no watched program."""
    return frozenset(check.code for check in in_catalog_order()) - watched()


@cache
def watched() -> frozenset[str]:
    """The codes whose check judges the end of a program under `tfdoctor run` alone."""
    return frozenset(check.code for check in in_catalog_order() if check.module.startswith(WATCHED))


@cache
def read_in_logs() -> frozenset[str]:
    """The codes that `tfdoctor diagnose` can find: those with a text, and those that an end or an account tells."""
    texts = {each.code for each in everything() if each.role in (CAUSE, HINT, NOISE)}
    return frozenset(texts | set(BY_OTHER_WORDS))


def found_by(code: str) -> str:
    """ "check", "diagnose", "run", several of them, or "neither"."""
    by = (("check", recognised()), ("diagnose", read_in_logs()), ("run", watched()))
    ways = [name for name, codes in by if code in codes]
    return ", ".join(ways) or "neither"


@cache
def scenario_counts() -> dict[str, Counter[str]]:
    """For each code with a folder of scenarios, how many expect each answer."""
    counts: dict[str, Counter[str]] = {}
    for file in sorted(SCENARIOS.glob("*/*.yaml")):
        if file.parent.name in CODES:
            expected = _EXPECT.findall(file.read_text(encoding="utf-8"))
            counts.setdefault(file.parent.name, Counter()).update(expected)
    return counts


def neither() -> list[str]:
    return [code for code in CODES if found_by(code) == "neither"]


def by_family() -> Iterator[tuple[str, list[Code]]]:
    for family in FAMILIES:
        yield family, [code for code in CODES.values() if code.family == family]


def index_page() -> str:
    lines = [
        "# All finding codes",
        "",
        "Each code names one problem and has a page: what it means, how it is known,",
        "and what to do. `tfdoctor explain CODE` prints the page, and",
        "`tfdoctor explain --search WORD` finds the codes whose pages speak of a word.",
        "The families stand in the order in which faults have to be fixed.",
        "",
        "Codes marked with ° are not recognised by `tfdoctor check`; most of them show in",
        "logs, where `tfdoctor diagnose` finds them, or in the end of a program that",
        "`tfdoctor run` watches. Their pages say how to recognise them by eye.",
    ]
    for family, codes in by_family():
        lines += ["", f"## {SPEAKS_OF[family]}", ""]
        lines += [f"- [{code.name}]({code.name}.md){_mark(code.name)} – {code.title}" for code in codes]
    return "\n".join(lines) + "\n"


def _mark(code: str) -> str:
    return "" if code in recognised() else " °"


def coverage_page() -> str:
    here = len(recognised())
    lines = [
        "# Where each code is recognised",
        "",
        f"Of {len(CODES)} codes `tfdoctor check` recognises {here}, by facts about the machine and by its own trial run.",
        f"`tfdoctor diagnose` recognises {len(read_in_logs())} in logs, {len(read_in_logs() - recognised())} of them only there. `tfdoctor run` recognises {len(watched())}",
        f"by the way a program ends. {len(neither())} are recognised by none of them.",
        "",
        "Each check is held by scenarios: facts of a machine, and the answer that the check must give. `fires`: the",
        "code is there. `quiet`: it is not. `undecided`: it could not be found out, which is said and never counts as",
        "good. The table is written by `python -m tools.coverage_table`, and a test holds it current.",
        "",
        "| code | family | recognised by | fires | quiet | undecided |",
        "| --- | --- | --- | --- | --- | --- |",
    ]
    for _, codes in by_family():
        lines += [_row(code) for code in codes]
    lines += ["", "## Answers that a check can't give", ""]
    lines += [f"- `{code}`, {answer}: {reason}." for (code, answer), reason in NEVER.items()]
    return "\n".join(lines) + "\n"


def _row(code: Code) -> str:
    link = f"[{code.name}](codes/{code.name}.md)"
    if code.name not in recognised() | watched():
        return f"| {link} | {code.family} | {found_by(code.name)} | – | – | – |"
    counts = scenario_counts().get(code.name, Counter())
    cells = ["can't be" if (code.name, answer) in NEVER else str(counts[answer]) for answer in ANSWERS]
    return f"| {link} | {code.family} | {found_by(code.name)} | {' | '.join(cells)} |"


def main() -> None:
    INDEX.write_text(index_page(), encoding="utf-8")
    COVERAGE.write_text(coverage_page(), encoding="utf-8")


if __name__ == "__main__":
    main()
