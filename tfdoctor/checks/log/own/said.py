"""A program's own error whose words are known: what they mean, the message itself, and the place in the program."""

from __future__ import annotations

from tfdoctor.checks.log.candidate import Candidate
from tfdoctor.checks.log.files.kinds import OF_FILES
from tfdoctor.checks.log.own.calls import OF_CALLS
from tfdoctor.checks.log.own.data import OF_DATA
from tfdoctor.checks.log.own.graphs import OF_GRAPHS
from tfdoctor.checks.log.own.models import OF_OWN_MODELS
from tfdoctor.checks.log.own.refused import OF_REFUSED
from tfdoctor.checks.log.own.scopes import OF_SCOPES
from tfdoctor.checks.log.own.values import OF_VALUES
from tfdoctor.checks.log.own_words import fixes_of_text, words_of
from tfdoctor.checks.log.testimony import Testimony, place
from tfdoctor.checks.log.titles import OF_A_TEXT
from tfdoctor.facts.log_values import Ending, Saying
from tfdoctor.facts.model import Facts
from tfdoctor.facts.outcome import value_or
from tfdoctor.findings.model import Confidence, Fix
from tfdoctor.fixes.commands import quoted
from tfdoctor.signatures.catalogue import named
from tfdoctor.signatures.own_errors import INSTALLED_AT

_CODE = "python-exception"
_OWN = frozenset(
    (*OF_CALLS, *OF_DATA, *OF_FILES, *OF_GRAPHS, *OF_OWN_MODELS, *OF_SCOPES, *OF_VALUES, *OF_REFUSED)
)
_MOST = 200
_GOES_ON = 40
"""Lines below an exception's heading in which what it says may go on (the nodes of a graph stand there)."""


def is_aside(told: Testimony, saying: Saying) -> bool:
    """An error that the program met before, and that is not what ended it."""
    if saying.name not in _OWN:
        return False
    last = _last(told)
    if last is None or last.file != saying.file or 0 <= saying.line - last.line <= _GOES_ON:
        return False
    return not any(named(saying.name).hit(each) for each in (last.what, last.frame, *last.chained))


def known_error(told: Testimony, saying: Saying) -> Candidate | None:
    """None for what is no such text."""
    if saying.name not in _OWN:
        return None
    words = words_of(saying.name)
    last = _last(told)
    where = f" It arose in {last.frame}." if last is not None and last.frame else ""
    shown = " ".join((last.what if last is not None else saying.text).split()).rstrip(".")
    shown = shown if len(shown) <= _MOST else f"{shown[:_MOST]} …"
    named_too = [value for value in saying.told.values() if value and value not in shown]
    more = f" ({', '.join(named_too)[:_MOST]})" if named_too else ""
    return Candidate(_CODE, Confidence.CERTAIN, (place(saying),), f"{words} The message: {shown}{more}.{where}", title=OF_A_TEXT.get(saying.name, ""))  # fmt: skip


def _last(told: Testimony) -> Ending | None:
    raised = [each for each in told.endings if each.how == "exception"]
    return raised[-1] if raised else None


_FOLDER, _METRIC, _IN_GRAPHS, _FROM_R = (
    "saved-model-not-at-path",
    "metric-of-another-name",
    "graph-code-runs-at-once",
    "r-call",
)
_IN_R = Fix("Have TensorFlow 2 work as TensorFlow 1 did, in the first lines of the R program", note="In your files: library(tensorflow); tf$compat$v1$disable_eager_execution(), before the model is made and after R was started again. Keras 3 (TensorFlow 2.16 and newer) can't work so.")  # fmt: skip


def _of_old_names(value: str) -> Fix:
    """The name that was asked for in vain is the newer one."""
    older = value.replace("accuracy", "acc")
    return Fix(f"Take the name that this Keras gives it: mostly {older}", note=f"In your files: print(history.history.keys()), then history.history['{older}']. The monitor of callbacks wants the same name. It is also missing where compile got no metrics=['accuracy'], and val_ without validation data.")  # fmt: skip


def _look_into(facts: Facts, folder: str) -> Fix:
    windows = value_or(facts.host.os, "") == "windows" or "\\" in folder
    command = f'dir "{folder}"' if windows else quoted("ls", "-l", folder)
    return Fix("See what is in the folder: saved_model.pb and variables have to be in it, not one level below", (command,), "In a container or on a server the path counts there, not on your own machine.")  # fmt: skip


def said_fixes(facts: Facts, told: Testimony) -> tuple[Fix, ...]:
    """What the words of the error that ended the run are answered with, then the line of the user's own; () for others."""
    known = [each for each in told.of(_CODE) if not is_aside(told, each)]
    fixes = fixes_of_text(known[-1].name, facts) if known else ()
    if known and known[-1].name == _FOLDER:
        fixes = (_look_into(facts, known[-1].told.get("file", "")), *fixes)
    if known and known[-1].name == _METRIC and known[-1].told.get("value", "").endswith("accuracy"):
        fixes = (_of_old_names(known[-1].told["value"]), *fixes[1:])
    if known and known[-1].name == _IN_GRAPHS and told.named(_FROM_R):
        fixes = (_IN_R, *fixes[1:])
    if known and known[-1].name not in _OWN:
        return fixes
    last = _last(told)
    if not fixes or last is None or not last.frame:
        return fixes
    if any(each in last.frame for each in INSTALLED_AT):
        return fixes
    return (*fixes, Fix(f"Look at {last.frame}: it is the last line of your own code before the error"))
