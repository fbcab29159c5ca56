"""A package that none of conda's channels has for this system: no set can be found, whatever else is asked for."""

from __future__ import annotations

from tfdoctor.checks.log.candidate import Candidate
from tfdoctor.checks.log.testimony import Testimony, place
from tfdoctor.facts.log_values import Saying
from tfdoctor.facts.model import Facts
from tfdoctor.facts.outcome import value_or
from tfdoctor.findings.model import Confidence, Fix
from tfdoctor.fixes.commands import quoted
from tfdoctor.light.records import record, replace

_NAME, _ASKERS = "conda-nowhere", "conda-would-require"
_OF_A_TREE = ("conda-python", "conda-pin", "conda-installable")
"""What conda lists where there is more than one way, and each is closed by something else."""


_ON_WINDOWS = "Let pip bring TensorFlow, and then what needs it, in a new environment: conda's channels hardly have it for Windows"


@record
class Nowhere:
    """`wanted` as conda writes ranges, "" for any; `asker` "" for what was asked for itself, or where it is not told."""

    package: str
    wanted: str
    asker: str

    @property
    def spec(self) -> str:
        return f"{self.package}{self.wanted.replace(' ', '')}"


def nowhere(told: Testimony) -> Nowhere | None:
    """The first that is in no channel, TensorFlow before others; None for what a machine brings itself (__cuda), and where that closes only
    one of several ways."""
    if told.named(*_OF_A_TREE):
        return None
    every = [_of(told, each) for each in told.named(_NAME)]
    named = [each for each in every if not each.package.startswith("_")]
    return min(named, key=lambda each: not each.package.startswith("tensorflow"), default=None)


def _of(told: Testimony, said: Saying) -> Nowhere:
    package = said.told.get("package") or said.told.get("module", "")
    wanted = (said.told.get("wanted") or said.told.get("value", "")).strip(" *,")
    above = [each.told["asker"] for each in told.named(_ASKERS) if place(each) < place(said)]
    return Nowhere(package, wanted, said.told.get("asker") or (above[-1] if above else ""))


def of_nowhere(told: Testimony, saying: Saying) -> Candidate | None:
    """None where conda does not say so."""
    lacking = nowhere(told)
    if lacking is None:
        return None
    what = f"{lacking.package} {lacking.wanted}".strip()
    by = f", which {lacking.asker} requires" if lacking.asker else ""
    title = f"conda finds no {what}{by}: the channels that it was given have none for this system."
    words = "It is not that packages exclude each other: conda looked into the channels that it was given, for the builds of this system, and there is none. Either the channel that has it was not named, or it has none for this system or Python. Nothing was changed."
    return Candidate(saying.code, Confidence.CERTAIN, (place(saying),), words, title=title)


def nowhere_fixes(facts: Facts, told: Testimony) -> tuple[Fix, ...]:
    """() where conda does not say so."""
    lacking = nowhere(told)
    if lacking is None:
        return ()
    target = lacking.asker or lacking.package
    look = Fix("See whether the largest channel has it for this system, and in which releases", (quoted("conda", "search", "--override-channels", "--channel", "conda-forge", lacking.spec),), "An empty answer means that there is no build of it for this system: conda search --subdir linux-64 with the same words shows Linux's.")  # fmt: skip
    again = Fix("If it has, name that channel, in a new environment", (quoted("conda", "create", "--yes", "--name", f"{target}-new", "--override-channels", "--channel", "conda-forge", target), quoted("conda", "activate", f"{target}-new")), "The present one stays as it is.")  # fmt: skip
    if not lacking.package.startswith("tensorflow"):
        return (look, again)
    pip = Fix("If it has none, let pip bring TensorFlow, and then what needs it, in a new environment", ("conda create --yes --name tensorflow-pip python=3.11", "conda activate tensorflow-pip", "python -m pip install tensorflow"))  # fmt: skip
    return (
        (replace(pip, title=_ON_WINDOWS), look, again)
        if value_or(facts.host.os, "") == "windows"
        else (look, again, pip)
    )
