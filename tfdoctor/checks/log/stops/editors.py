"""An editor's word for a run that it ended itself, or whose connection it lost."""

from __future__ import annotations

from tfdoctor.checks.log.candidate import Candidate
from tfdoctor.checks.log.testimony import Testimony, place
from tfdoctor.facts.log_values import Ending
from tfdoctor.findings.model import Confidence, Fix

_BY_PYCHARM = "Process finished with exit code -1"
_TITLE = "PyCharm ended the run or lost it: it shows exit code -1 for that, and the program itself told no failure."
_WORDS = (
    "PyCharm writes -1 where the run was stopped (its Stop button, or the window that was closed), and where the connection to an interpreter on another machine broke off. It is no "
    "exit status of Python's. A program that was killed or that crashed has another number there: 137, 139, or -1073741819 on Windows."
)
_FIXES = (
    Fix(
        "Run the same file in a terminal of the machine that computes; there its own end shows",
        ("python -X faulthandler train.py; echo $?",),
        "0: it ended well. 137: killed, mostly for lack of memory. 139: a crash, whose stack then stands above.",
    ),
    Fix(
        "Where it runs on another machine for hours, start it so that a lost connection does not end it",
        ("nohup python train.py > run.log 2>&1 &",),
    ),
)


def stopped_by_its_editor(ending: Ending) -> Candidate | None:
    """None for an end that anybody else tells."""
    if _BY_PYCHARM not in ending.what or ending.status != 1:
        return None
    return Candidate("killed-by-user", Confidence.POSSIBLE, (place(ending),), _WORDS, title=_TITLE)


def editor_fixes(told: Testimony) -> tuple[Fix, ...]:
    """() where no editor's word is the end."""
    return _FIXES if any(stopped_by_its_editor(each) is not None for each in told.endings) else ()
