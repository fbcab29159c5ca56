"""NumPy that was exchanged under a running process: its own parts of two releases meet, and no installation puts that right."""

from __future__ import annotations

from tfdoctor.checks.log.around.releases import shown
from tfdoctor.checks.log.candidate import Candidate
from tfdoctor.checks.log.testimony import Testimony, place
from tfdoctor.facts.log_values import Saying
from tfdoctor.facts.model import Facts
from tfdoctor.findings.fix import fix
from tfdoctor.findings.model import Confidence, Fix
from tfdoctor.fixes.commands import interpreter

_OWN, _SIZES = "numpy", "numpy-dtype-size"
_TYPE = "numpy.dtype"
"""Its length alone parts NumPy 1 from NumPy 2."""
_RESTART = fix("restart-runtime-and-run-cells-again-2")


def exchanged(facts: Facts, told: Testimony, saying: Saying) -> Candidate | None:
    """None where another's compiled part meets NumPy, or nothing shows that it was exchanged."""
    if saying.name != _SIZES:
        return None
    own = _of_its_own(told, saying)
    in_cells = saying.told["symbol"] == _TYPE and _installed_in_cells(facts, told)
    if not own and not in_cells:
        return None
    words = "The two lengths in the message are those of two releases of NumPy. "
    if own:
        words += "The part that complains is one of NumPy's own, and so is what it complains of: files of two releases of NumPy are loaded in one process."
    else:
        words += "The same session installed packages before: so one release of NumPy is loaded, and another one is on the disk."
    words += " That happens where pip exchanges NumPy in a notebook whose kernel has loaded it (Colab's does so at its start). On the disk all may be well."
    title = "NumPy was exchanged while it was loaded: parts of two releases meet in this process."
    return Candidate(saying.code, Confidence.CERTAIN if own else Confidence.LIKELY, (place(saying),), words, title=title)  # fmt: skip


def _of_its_own(told: Testimony, saying: Saying) -> bool:
    compiled = [each.told["module"] for each in told.named("cython-frame") if place(each) < place(saying)]
    at = [each for each in told.endings if each.how == "exception" and place(each) == place(saying)]
    inner = at[0].inside[-1] if at and at[0].inside else ""
    return (bool(compiled) and compiled[-1].partition(".")[0] == _OWN) or inner.partition(".")[0] == _OWN


def _installed_in_cells(facts: Facts, told: Testimony) -> bool:
    """A cell of a notebook ran pip, and no frame names a package of its own that was compiled for another NumPy."""
    around = shown(facts)
    by_cell = any("pip install" in each for each in around.typed)
    return by_cell and bool(around.notebook or around.service) and not told.named("cython-frame")


def exchanged_fixes(facts: Facts, told: Testimony) -> tuple[Fix, ...]:
    """() where NumPy was not exchanged so."""
    if not any(exchanged(facts, told, each) for each in told.named(_SIZES)):
        return ()
    again = fix("where-same-after-have-pip-install", python=interpreter(facts))
    return (_RESTART, again)
