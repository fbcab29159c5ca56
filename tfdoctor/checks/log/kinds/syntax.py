"""An installed package whose own file this Python can't read: it was written for another Python."""

from __future__ import annotations

from tfdoctor.checks.log.candidate import Candidate
from tfdoctor.checks.log.companions import keeping_tensorflow
from tfdoctor.checks.log.testimony import Testimony, place
from tfdoctor.facts.log_values import Ending
from tfdoctor.facts.model import Facts
from tfdoctor.facts.outcome import Known
from tfdoctor.findings.fix import fix
from tfdoctor.findings.model import Confidence, Fix
from tfdoctor.fixes.commands import interpreter

_ERRORS = ("SyntaxError", "IndentationError", "TabError")
_OF_PYTHON_2 = ("Missing parentheses in call to", "multiple exception types must be parenthesized")
"""Python 3's words for what only Python 2 took."""
_OF_A_NEWER = ("future feature annotations is not defined", "positional-only", "f-string: ")
"""Words of Pythons that do not know yet what stands there (3.6 and 3.7)."""
_TENSORFLOW = ("tensorflow", "tensorflow-core")
_ASYNC = "3.7"
"""async is a word of the language since then, and TensorFlow before 1.11 called an argument so (tensorflow/tensorflow#20690, 2018-07)."""


def of_another_python(facts: Facts, last: Ending) -> Candidate | None:
    """None where the file is the user's own, and for other errors."""
    if last.how != "exception" or not last.package or not _of_syntax(last):
        return None
    python = facts.interpreter.version
    here = f"Python {python.value.feature}" if isinstance(python, Known) else "this Python"
    for_another = "another"
    if any(each in last.what for each in _OF_PYTHON_2):
        for_another = "an older"
    elif any(each in last.what for each in _OF_A_NEWER):
        for_another = "a newer"
    own = last.package in _TENSORFLOW
    name = "TensorFlow" if own else last.package
    words = f"The file that can't be read is one of {name}'s own, {_module(last)}, so your program is not what is wrong. The words of the language change from Python to Python, and this release of {name} was made for {for_another} one."
    if own:
        words += f" TensorFlow 1.10 and older have a name in it that is a word of the language since Python {_ASYNC} (async)."
    code = "python-unsupported" if own else "package-import-failed"
    return Candidate(code, Confidence.CERTAIN, (place(last),), words, title=f"The installed {name} was written for {for_another} Python: {here} can't read one of its files.")  # fmt: skip


def _of_syntax(last: Ending) -> bool:
    return last.what.partition(":")[0] in _ERRORS


def _module(last: Ending) -> str:
    return last.inside[-1] if last.inside else last.package


def syntax_fixes(facts: Facts, told: Testimony) -> tuple[Fix, ...]:
    """() where the run did not end so."""
    raised = [each for each in told.endings if each.how == "exception"]
    if not raised or of_another_python(facts, raised[-1]) is None:
        return ()
    python, package = interpreter(facts), raised[-1].package
    if package not in _TENSORFLOW:
        return (
            fix("let-pip-take-made-for-python", package=package, python=python, keeping=keeping_tensorflow(facts)),
        )  # fmt: skip
    return (
        fix("let-pip-take-tensorflow-made-for", python=python),
        fix("or-keep-old-release-in-environment"),
    )  # fmt: skip
