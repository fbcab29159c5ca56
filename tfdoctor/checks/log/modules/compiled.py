"""An add-on of TensorFlow whose compiled part was never there: a package's file that was made without it."""

from __future__ import annotations

from tfdoctor.checks.log.candidate import Candidate
from tfdoctor.checks.log.installers.companions import FILES
from tfdoctor.checks.log.testimony import place
from tfdoctor.facts.log_values import Ending
from tfdoctor.facts.model import Facts
from tfdoctor.findings.fix import fix
from tfdoctor.findings.model import Confidence, Fix
from tfdoctor.fixes.commands import interpreter

_NOT_THERE = ".so: cannot open shared object file: No such file or directory"


def own_file_absent(last: Ending, name: str) -> bool:
    """The loader names the add-on's own file, and not one that this file needs."""
    before = last.what.partition(_NOT_THERE)[0]
    return before != last.what and f"/{name.replace('-', '_')}/" in before and "site-packages/" in before


def without_its_file(last: Ending, name: str) -> Candidate:
    note = FILES[name].note if name in FILES else ""
    words = f"{name} brings compiled operations, which TensorFlow loads when {name} is imported, and the file is not there. pip takes it for installed all the same. Mostly there is no build of it for this system or processor, or the installation was cut short. {note}"
    return Candidate("custom-op-mismatch", Confidence.LIKELY, (place(last),), words.rstrip(), title=f"The compiled part of {name} is not there: mostly it was not made for this system.")  # fmt: skip


def absent_fixes(facts: Facts, name: str) -> tuple[Fix, ...]:
    python, there = interpreter(facts), FILES.get(name)
    look = fix("see-processor-and-system-and-whether", python=python, called=name)
    again = fix("where-list-names-file-fetch-package", python=python, called=name)
    other = (
        fix("else-take-package-took-place", instead=there.instead, python=python)
        if there and there.instead
        else fix("else-run-on-linux-with-intel", called=name)
    )
    return (look, again, other)
