"""What a companion says itself about the TensorFlow that it is made for: no table is surer."""

from __future__ import annotations

from tfdoctor.checks.log.testimony import Testimony
from tfdoctor.facts.model import Facts
from tfdoctor.findings.model import Fix
from tfdoctor.fixes.commands import interpreter

_NAMES = ("addons-range", "forests-range")


def supported(told: Testimony, package: str) -> str:
    """ ">=2.3.0,<2.5.0" or "==2.15.0"; "" where the package says nothing in this log."""
    for each in told.named(*_NAMES):
        if _distribution(each.told["asker"]) == package:
            wanted, limit = each.told["wanted"].rstrip("."), each.told.get("limit", "")
            return f">={wanted},<{limit}" if limit else f"=={wanted}"
    return ""


def in_words(spec: str) -> str:
    """ "2.3.0 up to, but not with, 2.5.0"."""
    lowest, _, limit = spec.partition(",<")
    number = lowest.lstrip("=>")
    return f"{number} up to, but not with, {limit}" if limit else number


def supported_fix(facts: Facts, told: Testimony, package: str) -> Fix | None:
    """None where the package says nothing of it in this log."""
    spec = supported(told, package)
    if not spec:
        return None
    note = f"The log says it itself: this {package} supports TensorFlow {in_words(spec)}. In Colab, take a line `%tensorflow_version` away and restart the runtime."
    return Fix(f"Take a TensorFlow that the installed {package} supports", (f'{interpreter(facts)} -m pip install "tensorflow{spec}"',), note)  # fmt: skip


def _distribution(words: str) -> str:
    return words.lower().replace(" ", "-")
