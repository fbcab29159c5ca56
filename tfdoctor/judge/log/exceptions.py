"""An exception that no message of the knowledge explains: whose code raised it, and in which line of the program."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from tfdoctor.base.expressions import Expression
from tfdoctor.base.records import record
from tfdoctor.facts.log_values import Ending, Saying
from tfdoctor.facts.model import Facts
from tfdoctor.judge.engine.case import Case
from tfdoctor.judge.log.candidate import Candidate
from tfdoctor.judge.log.companions import partner, updated
from tfdoctor.judge.log.testimony import Testimony, place
from tfdoctor.judge.log.words import fix_here
from tfdoctor.knowledge.actions import act
from tfdoctor.knowledge.messages.expressions import MODULE, OF_A_LAYER, WRAPPED
from tfdoctor.knowledge.model import Confidence, Fix
from tfdoctor.knowledge.says import says

CODE = "python-exception"
_CALLED_DIRECTLY = {
    "tensorflow": "TensorFlow", "tensorflow-core": "TensorFlow", "tensorflow-cpu": "TensorFlow", "keras": "Keras", "tf-keras": "Keras", "numpy": "NumPy",
    "pandas": "pandas", "scipy": "SciPy", "scikit-learn": "scikit-learn", "h5py": "h5py", "pillow": "Pillow", "opencv-python": "OpenCV", "matplotlib": "Matplotlib",
    "optree": "Keras", "protobuf": "protobuf", "absl-py": "absl-py", "six": "six", "wrapt": "wrapt", "gast": "gast", "astunparse": "astunparse",
}  # fmt: skip
"""Packages whose exceptions are nearly always about the arguments of the call, so about the line that calls them."""
_KERAS = ("keras", "tf-keras")
_RUNNERS = ("ipython", "ipykernel", "click", "pytest", "pluggy", "fire", "typer")
"""Packages that only start the user's code."""
_OF_ARGUMENTS = Expression(
    r"^(?:\w{1,60}\.){0,8}(?:Value|Type|Key|Index|Assertion|NotImplemented|ZeroDivision|InvalidArgument|OutOfRange)?Error: (?!.{0,300}unexpected keyword argument)"
)
"""What a called package raises where its arguments are wrong, and the environment is not."""
_OF_VALUES = ("ValueError", "IndexError", "InvalidArgumentError")
_OF_THE_ENVIRONMENT = Expression(
    r"^(?:\w{1,60}\.){0,8}(?:Import|ModuleNotFound|Attribute|OS|IO|Environment|System|Connection|Timeout|Memory)Error\b"
)
_OF_A_VERSION = Expression(
    r"cannot import name|No module named|has no attribute|got an unexpected keyword argument"
)
_FRAME = Expression(r"^(?P<function>.{1,300}?) \((?P<file>.{1,1000}):(?P<line>\d{1,9}|\?)\)$")
_CLASS = Expression(r"^(?P<whole>(?:[A-Za-z_]\w{0,80}\.){0,10}(?P<name>[A-Za-z_]\w{1,80}))(?:: |$)")
"""An exception's class before its words; a message that was pasted alone has none."""
IN_ONE_LINE = Expression(
    r"\s{0,8}(?:\w{1,60}\.){0,8}(?:[A-Z]\w{1,60}Error|[A-Z]\w{0,60}Exception|Exception|BadZipFile): "
)
"""An exception, which a paste may bring without its traceback."""
_STATUS = Expression(r"^(?:[A-Z_]{5,30}|Invalid argument): ")
"""TensorFlow's status before its words: the class says it already."""
_OF_A_GRAPH = Expression(
    r"\bin user code:|\{\{(?:function_)?node |Graph execution error|\bat node '"
)
_LONGEST_IN_TITLE = 160


@record
class Answer:
    """What a general rule says: the title, a sentence or two, and what to do.

    explains: the title tells more than the exception itself.
    """

    title: str
    words: str
    fixes: tuple[Fix, ...]
    explains: bool = True
    beside: str = ""  # the title without its claim about the environment, "" where it has none


def uncaught(facts: Facts, last: Ending, raised: Ending, known: str = "") -> Candidate:
    """The finding for the exception `last`; `raised` is the one of its chain that has a place in the program, `known` its title."""
    answer = _answer(facts, last, raised)
    title, message = known or answer.title, _message(last.what).rstrip(". ")
    said = "" if message in title else says("python-exception", "last-line", message=message)
    explanation = " ".join(filter(None, (said, answer.words)))
    confidence = Confidence.CERTAIN if known or answer.explains else Confidence.POSSIBLE
    beside = "" if known else answer.beside
    return Candidate(CODE, confidence, (place(last),), explanation, title=title, beside=beside)


def _capital(words: str) -> str:
    return words[:1].upper() + words[1:]


def uncaught_fixes(facts: Facts, last: Ending, raised: Ending) -> tuple[Fix, ...]:
    return _answer(facts, last, raised).fixes


def with_a_place(raised: Sequence[Ending], last: Ending) -> Ending:
    """The exception of the run that the last one names within its own words, or that says the same where the last one shows no line of
    the user's: another process, or the one that raised it again, may have none."""
    before = (each for each in reversed(raised[:-1]) if each.frame and _is_of(last, each))
    return next(before, last)


def _is_of(last: Ending, earlier: Ending) -> bool:
    words = earlier.what.rstrip(".")
    wrapper, found, after = last.what.partition(words)
    if not wrapper:
        return bool(found) and not after.strip(".") and not last.own
    return bool(found) and not wrapper[-1].isalnum() and not after[:1].isalnum()


def _answer(facts: Facts, last: Ending, raised: Ending) -> Answer:
    return (
        _third_party(facts, last, raised)
        or _own_code(last, raised)
        or _without_traceback(last, raised)
    )


def raised_here(case: Case, told: Testimony, saying: Saying) -> Mapping[str, str] | None:
    """The program's line that raised the run's last exception, and its words; None for the line of another exception, or of none.
    A line that was pasted alone is one where it begins with an exception's class.
    """
    alone = Ending("exception", 1, saying.text, saying.file, saying.line)
    last = told.raised[-1] if told.raised else alone
    if place(last) != place(saying) or (last is alone and not IN_ONE_LINE.match(saying.text)):
        return None
    raised = with_a_place(told.raised, last)
    return {
        "at": _place(raised, short=True) if raised.own else "The program",
        "said": _cut(_message(last.what)),
    }


def package_below(raised: Ending) -> str:
    """The innermost third-party package below the user's code; "" where the user's code itself, or its call of TensorFlow, Keras, NumPy or the like, raised."""
    others = (
        each
        for each in reversed(raised.below)
        if each not in _CALLED_DIRECTLY and each not in _RUNNERS
    )
    return next(others, "")


def _third_party(facts: Facts, last: Ending, raised: Ending) -> Answer | None:
    package = package_below(raised)
    if not package:
        return None
    of_keras, said = raised.below[-1] in _KERAS, _in_title(last.what)
    if not of_keras and _class(last.what) in _OF_VALUES:
        words = says("python-exception", "of-values")
        title = says("python-exception", "of-values-title", package=package, said=said)
    else:
        words = (
            says("python-exception", "calls-keras", package=package)
            if of_keras
            else says("python-exception", "of-versions")
        )
        title = says("python-exception", "of-package-title", package=package, said=said)
    if raised.own:
        called = says("python-exception", "called-in", place=_in_words(raised))
        words = f"{words} {called}"
    return Answer(title, words, (
        fix_here(facts, "look", "package-versions", package=package),
        updated(facts, partner(package)),
        act("new-environment", "try-new-environment", package=package),
    ))  # fmt: skip


def _own_code(last: Ending, raised: Ending) -> Answer | None:
    if not raised.own:
        return None
    name = _class(last.what) or "an exception"
    at, called = _place(raised, short=True), raised.below[-1] if raised.below else ""
    is_own = (
        _OF_ARGUMENTS.search(last.what) if called else not _OF_THE_ENVIRONMENT.search(last.what)
    )
    sure = says("python-exception", "no-environment") if is_own else ""
    if called:
        package = _CALLED_DIRECTLY.get(called, called)
        title = says("python-exception", "called-title", called=package, name=name, place=at)
    else:
        title = says("python-exception", "own-title", name=name, place=at)
    words = says("python-exception", "innermost", place=_in_words(raised))
    if _OF_A_VERSION.search(last.what):
        written = says("python-exception", "of-a-version")
        words = f"{words} {written}"
    beside = _capital(title) if sure else ""
    return Answer(_capital(f"{sure}{title}"), words, _eagerly(last), beside=beside)


def _without_traceback(last: Ending, raised: Ending) -> Answer:
    said = _in_title(last.what)
    if _class(last.what):
        title = says("python-exception", "ended-title", said=said)
    else:
        title = says("python-exception", "own-error-title", said=said)
    if raised.frame:
        fixes = (act("edit-program", "whole-traceback"), *_eagerly(last))
        return Answer(title, says("python-exception", "raised-in", place=_in_words(raised)), fixes)
    words = says("python-exception", "no-traceback")
    if (missing := MODULE.search(last.what)) is not None:
        title = says("python-exception", "module-title", module=missing["module"])
        return Answer(title, words, (act("look", "own-line"),))
    return Answer(title, words, (act("look", "own-line"), *_eagerly(last)), explains=False)


def _eagerly(last: Ending) -> tuple[Fix, ...]:
    """() where the exception did not come out of a graph."""
    return (act("edit-program", "eager"),) if _OF_A_GRAPH.search(last.what) else ()


def _in_words(raised: Ending) -> str:
    found = _FRAME.match(raised.frame)
    within = (
        f", in {found['function']}" if found is not None and found["function"] != "<module>" else ""
    )
    return f"{_place(raised)}{within}"


def _place(raised: Ending, *, short: bool = False) -> str:
    """ "train.py, line 12"."""
    found = _FRAME.match(raised.frame)
    if found is None:
        return raised.frame
    file = found["file"].replace("\\", "/").rpartition("/")[2] if short else found["file"]
    return file if found["line"] == "?" else f"{file}, line {found['line']}"


def _class(words: str) -> str:
    """The exception's class without its modules, as "ValueError" or "cv2.error"; "" for a message alone."""
    found = _CLASS.match(words)
    if found is None:
        return ""
    return found["name"] if found["name"][:1].isupper() else found["whole"]


def _message(words: str) -> str:
    """ "SomeError: why", on one line, without the modules before the class and without wrappers that say nothing."""
    name = _class(words)
    message = " ".join(
        (words.partition(":")[2] if name else words)
        .replace("Graph execution error:", "", 1)
        .split()
    )
    message = OF_A_LAYER.sub("", WRAPPED.sub("", message, count=1), count=1).strip()
    message = _STATUS.sub("", message, count=1)
    return ": ".join(filter(None, (name, message)))


def _in_title(words: str) -> str:
    text = _cut(_message(words))
    return text if text.endswith("…") else f"{text}."


def _cut(message: str) -> str:
    text = message.rstrip(".: ")
    return text if len(text) <= _LONGEST_IN_TITLE else f"{text[:_LONGEST_IN_TITLE]} …"
