"""A name that a package around TensorFlow took away, or got, with a release that is known: which side has to move, and to what."""

from __future__ import annotations

from tfdoctor.checks.log.candidate import Candidate
from tfdoctor.checks.log.companions import keeping_tensorflow
from tfdoctor.checks.log.testimony import Testimony, place
from tfdoctor.facts.log_values import Ending
from tfdoctor.facts.model import Facts
from tfdoctor.findings.fix import fix
from tfdoctor.findings.model import Confidence, Fix
from tfdoctor.fixes.commands import interpreter
from tfdoctor.light.records import record
from tfdoctor.signatures.by_release import asked
from tfdoctor.signatures.software.removed import CAME, OF_PACKAGES

_CODES = ("package-import-failed", "dependency-mismatch")


_OF_THEIR_OWN = ("", "jax", "jaxlib", "ml-dtypes")
"""What asks for a new NumPy there is told by rules of their own; a frame of no package is the user's."""


@record
class Moved:
    """`bound` is the range of the distribution that has the name, as pip writes it."""

    name: str
    project: str
    release: str
    bound: str
    came: bool


def moved(last: Ending) -> Moved | None:
    """None for names that no table knows."""
    wanted = asked(last.what, last.source) if last.how == "exception" else None
    if wanted is None:
        return None
    module, _, end = (f"{wanted[0]}.{wanted[1]}" if wanted[1] else wanted[0]).rpartition(".")
    for table, sign in ((OF_PACKAGES, "<"), (CAME, ">=")):
        project, release, names = table.get(module, ("", "", ()))
        if end in names and (table is OF_PACKAGES or last.package not in _OF_THEIR_OWN):
            return Moved(f"{module}.{end}", project, release, f"{project}{sign}{release}", table is CAME)
    return None


def of_moved(last: Ending) -> Candidate | None:
    """None for names that no table knows."""
    found = moved(last)
    if found is None:
        return None
    who = _asker(last, found)
    has = f"has only since {found.release}" if found.came else f"removed in {found.release}"
    words = f"{who or 'The code'} was written for an older {found.project} than the installed one. Each of the two is in order; they are of different times. TensorFlow is not what fails."
    if found.came:
        words = f"The installed {found.project} is older than what a package or the program asks for. Nothing is damaged; TensorFlow is not what fails."
    code = _CODES[0] if who else _CODES[1]
    return Candidate(code, Confidence.CERTAIN, (place(last),), words, title=f"{who or 'The code'} asks for {found.name}, which {found.project} {has}.")  # fmt: skip


def _asker(last: Ending, found: Moved) -> str:
    """The package whose frame asked; "" for the user's own code, where no frame is told, and where the one that answers is the last one."""
    if found.came:
        return ""
    others = [each for each in last.through if each != found.project]
    return others[-1] if last.package and others else ""


def moved_fixes(code: str, facts: Facts, told: Testimony) -> tuple[Fix, ...]:
    """() where the run did not end so."""
    raised = [each for each in told.endings if each.how == "exception"]
    found = moved(raised[-1]) if raised and code in _CODES else None
    if found is None:
        return ()
    python, who, keep = interpreter(facts), _asker(raised[-1], found), keeping_tensorflow(facts)
    title = f"Bring {found.project} up to date" if found.came else f"Go back to the last {found.project} that has the name"  # fmt: skip
    own = fix("and-keep-tensorflow-as", title=title, python=python, bound=found.bound, keep=keep)
    if not who or found.came:
        return (own,)
    return (own, fix("or-update-asks-for", who=who, python=python, keep=keep))
