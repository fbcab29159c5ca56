"""A preview of TensorFlow (alpha, beta, release candidate) that is asked for and that the index no longer has."""

from __future__ import annotations

from tfdoctor.checks.log.installers.listed import Listed
from tfdoctor.checks.log.testimony import Testimony
from tfdoctor.facts.model import Facts
from tfdoctor.findings.model import Fix
from tfdoctor.fixes.commands import interpreter, quoted
from tfdoctor.light.expressions import Expression  # reads no log: a release, as a signature's group holds it

_PREVIEW = Expression(
    r"==(?P<release>\d{1,2}\.\d{1,3}(?:\.\d{1,3})?)[-.]?(?P<stage>alpha|beta|a|b|rc)[-.]?(?P<number>\d{1,2})$"
)
_STAGES = {"alpha": "a", "beta": "b"}


def gone_preview(there: Listed) -> tuple[str, str] | None:
    """Title and words; None where another release is asked for, or pip lists the preview, or nothing at all."""
    found = _PREVIEW.match(there.wanted)
    if found is None or not there.finals or _plain(there) in there.previews:
        return None
    if not there.asker and _release(there) not in there.finals:
        return None  # a Python of another time: what is said of that goes before
    who = there.asker or "What was asked for"
    asks = (
        f"{there.asker} asks for {there.package} {there.wanted.lstrip('=')}"
        if there.asker
        else f"{there.package} {there.wanted.lstrip('=')} was asked for"
    )
    title = f"{asks}, a preview that is not on offer any more."
    words = f"pip lists all that it could install here, from {there.finals[0]} to {there.finals[-1]}, and that preview is not among them: previews are taken from the index when the release is out, or were never meant to stay. So neither the Python nor the index is what is wrong. {who} names it exactly, so no other release will do."
    return title, words


def previews_alone(there: Listed) -> tuple[str, str]:
    """pip's list holds nothing else: title and words."""
    first, last = there.previews[0], there.previews[-1]
    span = first if first == last else f"{first} to {last}"
    title = f"pip is offered only previews of {there.package} for this Python and system ({span})."
    words = f"pip takes a preview where it is asked for by its number or by --pre alone. No release that is {there.wanted or 'asked for'} has a file for this Python and this system: mostly the Python is newer than that release, whose first previews for it are what is listed."
    return title, words


def _release(there: Listed) -> str:
    found = _PREVIEW.match(there.wanted)
    return found["release"] if found else ""


def _plain(there: Listed) -> str:
    """ "2.0.0b1" of "==2.0.0-beta1", as pip lists it."""
    found = _PREVIEW.match(there.wanted)
    return (
        f"{found['release']}{_STAGES.get(found['stage'], found['stage'])}{found['number']}" if found else ""
    )


def preview_fixes(facts: Facts, told: Testimony, there: Listed) -> tuple[Fix, ...]:
    """() where none is asked for in vain."""
    if gone_preview(there) is None:
        return ()
    pip, release = f"{interpreter(facts)} -m pip install", _release(there)
    spec = f"{there.package}=={release}" if release in there.finals else there.package
    if not there.asker:
        return (Fix(f"Ask for {release}, what the preview became", (f"{pip} {quoted(spec)}",), "Where a file of requirements names the preview, correct its line."),)  # fmt: skip
    asker = quoted(there.asker)
    return (
        Fix(f"Take the newest {there.asker}, which asks for releases", (f"{pip} --upgrade {asker}",), f"Where a file of requirements names an older {there.asker}, take the number off its line."),
        Fix(f"Where just that {there.asker} is needed, install it without its needs, and TensorFlow by itself", (f"{pip} {quoted(spec)}", f"{pip} --no-deps {asker}"), f"Name the number of {there.asker} that you need in the second line. What else it needs, python -m pip check names."),
    )  # fmt: skip
