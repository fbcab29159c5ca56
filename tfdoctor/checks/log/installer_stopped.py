"""An installer that stopped: its own sentence whole, then the one thing that is known here, which versions fit together."""

from __future__ import annotations

from tfdoctor.checks.log.candidate import Candidate
from tfdoctor.checks.log.testimony import Testimony, place
from tfdoctor.facts.log_values import Saying
from tfdoctor.facts.model import Facts
from tfdoctor.facts.outcome import Known
from tfdoctor.findings.fix import fix
from tfdoctor.findings.model import Confidence, Fix
from tfdoctor.fixes.commands import interpreter

CODE = "installer-stopped"
_TOOLS = ("pip", "conda", "poetry", "uv", "pixi", "pdm", "pipenv", "bazel")
_UNREACHED = "pip-index-unreached"
_NO_INDEX = "pip asked for the list of releases again and again, and the connection broke off each time. Where it says at the end that nothing fits, that only follows: it saw no list. It says nothing of this Python."
_LASTING = ("Retry(total=0", "ertificate", "SSLError", "name resolution", "getaddrinfo failed")
"""What no next try takes away."""
_LONGEST = 240  # characters of a title


def installer_stopped(told: Testimony, saying: Saying) -> Candidate | None:
    """The last of the messages that say most; None for a message of another code."""
    if saying.code != CODE:
        return None
    said = told.of(CODE)
    sure = min((Confidence(each.sure) for each in said), key=lambda each: each.rank)
    last = [each for each in said if each.sure == sure.value][-1]
    tool, sentence = _tool(last), last.told.get("message") or last.text
    if reason := _of_the_build(told):
        sentence = f"{sentence.rstrip('.:')} ({reason})"
    short = sentence if len(sentence) <= _LONGEST else f"{sentence[:_LONGEST].rpartition(' ')[0]} …"
    whole = "" if short == sentence else f"{tool}'s whole message: {_ended(sentence)} "
    words = f"{whole}The message is {tool}'s own. tfdoctor knows which versions of TensorFlow, Python and CUDA work together, not what other packages require."
    return Candidate(
        CODE, Confidence.CERTAIN, (place(last),), words, title=f"{tool} stopped: {_ended(short)}"
    )


def index_unreached(told: Testimony, saying: Saying) -> Candidate | None:
    """None where pip reached its index, or found releases all the same."""
    broken = told.named(_UNREACHED)
    if (
        not broken
        or saying.code != "python-unsupported"
        or saying.told.get("version", "none") not in ("none", "")
    ):
        return None
    return Candidate(CODE, Confidence.CERTAIN, (place(broken[0]), place(saying)), _NO_INDEX, title="pip could not reach the package index.")  # fmt: skip


def never_reached(told: Testimony) -> Candidate | None:
    """pip's tries alone, where its last word was not pasted and no later line shows that it got on."""
    broken = told.named(_UNREACHED)
    if not broken or told.codes or told.ended_well or not any(each in broken[-1].text for each in _LASTING):
        return None
    if any(place(each) > place(broken[-1]) for each in told.named("pip-at-work")):
        return None
    return Candidate(CODE, Confidence.LIKELY, (place(broken[0]),), _NO_INDEX, title="pip could not reach the package index.")  # fmt: skip


def _of_the_build(told: Testimony) -> str:
    """What the build of a package says beside the installer: the compiler's error, or the last exception."""
    compilers = [each.text for each in told.named("build-lacks")]
    raised = [each.what for each in told.endings if each.how == "exception"]
    return next((each.strip()[:_LONGEST] for each in (*compilers[-1:], *raised[-1:])), "")


def _ended(sentence: str) -> str:
    return sentence if sentence.endswith((".", "?", "!", "…")) else f"{sentence.rstrip(':')}."


def _tool(saying: Saying) -> str:
    """The tool that a message is named for."""
    name = saying.name.partition("-")[0]
    return name if name in _TOOLS else "pip"


def stopped_fixes(facts: Facts, told: Testimony) -> tuple[Fix, ...]:
    """A look at pip's index where it was not reached, else the command that prints an install line that works."""
    if told.named(_UNREACHED):
        return (fix("see-index-pip-asks-and-whether", python=interpreter(facts)),)
    python = facts.interpreter.version
    of = (
        f" --python {python.value.feature}"
        if isinstance(python, Known) and python.value.feature.startswith("3.")
        else ""
    )
    return (fix("print-tensorflow-install-line-works-2", of=of),)
