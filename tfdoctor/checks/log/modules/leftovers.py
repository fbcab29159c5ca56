"""A compiled part of TensorFlow itself that belongs to another TensorFlow: two are installed, or one was installed over another."""

from __future__ import annotations

from tfdoctor.checks.log.candidate import Candidate, question
from tfdoctor.checks.log.testimony import Testimony, place
from tfdoctor.facts.log_values import Saying
from tfdoctor.facts.model import Facts
from tfdoctor.findings.fix import fix
from tfdoctor.findings.model import Confidence, Fix
from tfdoctor.fixes.commands import interpreter, quoted
from tfdoctor.light.expressions import Expression  # reads no log: the path of a library that was told already

_CODE = "tensorflow-mixed-distributions"
_SAYINGS = ("custom-op-symbol", "add-on-not-loaded", "add-on-symbol")
_OWN = Expression(
    r"(?P<folder>.{0,300}[\\/](?:site|dist)-packages)[\\/]tensorflow(?:_core)?[\\/](?:core|python|compiler|lite)[\\/]"
)


def left_over(saying: Saying) -> Candidate | None:
    """None for the library of any other package."""
    found = _OWN.match(saying.told.get("library", "")) if saying.name in _SAYINGS else None
    if found is None:
        return None
    library = saying.told["library"].replace("\\", "/").rpartition("/")[2]
    title = (
        f"A part of TensorFlow itself ({library}) is of another release than the TensorFlow that is loaded."
    )
    words = (
        f"{library} in {found['folder']} asks for a function that the TensorFlow in this process does not have. Both are TensorFlow's own: either two are installed, of which the "
        "one finds the other's files (the user's own folder ~/.local and an environment, mostly), or files of an older one stayed behind when a newer one was installed over it."
    )
    opened = question((_CODE, "user-site-leak"), "packages.installed")
    return Candidate(_CODE, Confidence.LIKELY, (place(saying),), words, opened, title)


def leftover_fixes(facts: Facts, told: Testimony) -> tuple[Fix, ...]:
    """() where no part of TensorFlow itself is told."""
    found = [match for each in told.named(*_SAYINGS) if (match := _OWN.match(each.told.get("library", "")))]
    if not found:
        return ()
    python, folder = interpreter(facts), found[0]["folder"]
    clean = fix(
        "remove-every-tensorflow-python-sees-with", python=python, quoted=quoted(f"{folder}/tensorflow")
    )
    alone = fix("or-keep-users-own-folder-out")
    return (clean, alone)
