"""A hosted notebook whose log ends in ^C that nobody typed: the platform stopped the cell."""

from __future__ import annotations

from tfdoctor.checks.engine.case import Case
from tfdoctor.checks.log.around.releases import shown
from tfdoctor.checks.log.candidate import Candidate, question
from tfdoctor.checks.log.testimony import Testimony
from tfdoctor.findings.fix import fix
from tfdoctor.findings.model import Confidence, Fix

CODE = "container-oom-killed"
_NAMES = {"colab": "Colab", "kaggle": "Kaggle"}


def stopped_by_the_platform(case: Case, told: Testimony) -> Candidate | None:
    """None elsewhere than on Colab and Kaggle, and where the log tells its end."""
    at, service = shown(case.facts).caret, shown(case.facts).service
    if not at or not service or told.endings:
        return None
    name = _NAMES[service]
    words = (
        f"The last line is ^C, and in a cell of {name} nobody types that: the platform writes it where it stops the command of the cell. Mostly the "
        "machine's memory (RAM, not the GPU's) was used up; the curve of RAM at the top of the page shows it. If you stopped the cell "
        "yourself, it means nothing."
    )
    title = f"{name} stopped the cell (^C that nobody typed): mostly the machine's RAM was used up."
    opened = question((CODE, "killed-by-user"), "memory.available")
    return Candidate(CODE, Confidence.LIKELY, ((0, at),), words, open=opened, title=title)


def platform_fixes(code: str, case: Case, told: Testimony) -> tuple[Fix, ...]:
    """() where the log does not end so."""
    if code != CODE or stopped_by_the_platform(case, told) is None:
        return ()
    more = (
        fix("or-choose-runtime-with-more-ram")
        if shown(case.facts).service == "colab"
        else fix("or-choose-session-with-more-ram")
    )
    return (
        fix("take-less-data-at-time-smaller-2"),
        more,
        fix("watch-ram-while-runs-click-curve"),
    )
