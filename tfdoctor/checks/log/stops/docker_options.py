"""Docker does not take --gpus: it is older than the option, or got the option and its value as one word."""

from __future__ import annotations

from tfdoctor.checks.log.candidate import Candidate
from tfdoctor.checks.log.testimony import Testimony, place
from tfdoctor.facts.log_values import Saying
from tfdoctor.findings.fix import fix
from tfdoctor.findings.model import Confidence, Fix

_NAME, _CODE = "docker-gpus-unknown", "command-not-started"
_ONE_WORD_TITLE = "Docker was given --gpus and its value as one word, and knows no such option."
_ONE_WORD = (
    "The message quotes the option with its value behind a blank. Whatever starts Docker here (runArgs of a dev container, a list of arguments in a program or a task) hands over each text as one word, so Docker looks for an "
    "option whose name has a blank in it. Nothing was started."
)
_OLD_TITLE = "This Docker does not know the option --gpus, which came with Docker 19.03."
_OLD = "The option --gpus is there from Docker 19.03 (2019) on; an older one, as some distributions and NAS systems bring it, hands GPUs in by NVIDIA's runtime. Nothing was started."
_TWO_WORDS = (fix("write-with-equals-sign-or-as"),)
_NEWER = (
    fix("see-docker-and-bring-to-19-03"),
    fix("until-then-hand-gpus-in-by"),
)  # fmt: skip


def gpus_unknown(saying: Saying) -> Candidate | None:
    """None for any other text."""
    if saying.name != _NAME:
        return None
    title, words = (_ONE_WORD_TITLE, _ONE_WORD) if _in_one_word(saying) else (_OLD_TITLE, _OLD)
    return Candidate(_CODE, Confidence.CERTAIN, (place(saying),), words, title=title)


def _in_one_word(saying: Saying) -> bool:
    return saying.told.get("value", "").startswith(" ")


def docker_option_fixes(code: str, told: Testimony) -> tuple[Fix, ...]:
    """() where Docker knows the option."""
    said = told.named(_NAME)
    if code != _CODE or not said:
        return ()
    return _TWO_WORDS if _in_one_word(said[0]) else _NEWER
