"""What the paste shows as done already comes last: it did not help, or it was not enough."""

from __future__ import annotations

import shlex

from tfdoctor.checks.log.around.releases import shown
from tfdoctor.checks.log.testimony import Testimony
from tfdoctor.facts.model import Facts
from tfdoctor.findings.model import Fix
from tfdoctor.light.expressions import (
    Expression,
)  # reads no log: commands, as they were typed and as our own pages write them

_OPTION = Expression(r"--gpus\b|--nv\b|--device nvidia\.com/gpu|--gres=gpu")
"""By which a container or a job asks for a GPU."""
_EDITED = "In "
"""A file has to be changed before the command, which so is another one than that which was typed."""
_FILLING = ("sudo", "-y", "--yes", "--assumeyes", "-U", "--upgrade", "--no-cache-dir", "--user", "-q", "-c=0")
_PIP = Expression(r"^(?:\S{1,200}/)?(?:python[\d.]{0,5} -m pip|pip[\d.]{0,4}) install ")


def done_last(fixes: tuple[Fix, ...], facts: Facts, told: Testimony) -> tuple[Fix, ...]:
    """In their order, with those that were done behind the others."""
    around = shown(facts)
    known = [_words(each) for each in around.typed]
    seen = bool(told.named("smi-banner"))
    return tuple(sorted(fixes, key=lambda each: _is_done(each, known, seen=seen, asked=around.asked)))


def _is_done(fix: Fix, known: list[frozenset[str]], *, seen: bool, asked: bool) -> bool:
    if not fix.commands:
        return asked and bool(_OPTION.search(f"{fix.title} {fix.note}"))
    if fix.title.startswith(_EDITED):
        return False
    return all(_was_typed(_words(line), known) or (seen and line == "nvidia-smi") for line in fix.commands)


def _was_typed(words: frozenset[str], known: list[frozenset[str]]) -> bool:
    """The very words, or some of those that were typed: one installation may have named more packages."""
    return any(words <= each for each in known)


def _words(line: str) -> frozenset[str]:
    """What is left of a command when its ways of writing are taken off: pip's several names, quotes, options that change nothing here."""
    line = _PIP.sub("pip install ", line.removeprefix("sudo "))
    try:
        words = shlex.split(line)
    except ValueError:  # a quotation that the paste cuts off
        words = line.split()
    return frozenset(each for each in words if each not in _FILLING)
