"""Every regular expression of the package takes time in proportion to the text, whatever the text is.

Texts that tfdoctor reads were written by strangers. The expressions are looked for in the package's own source, so
that a new one is held to this too, and each is fed the texts on which it takes longest.
"""

from __future__ import annotations

import ast
import math
import re
import signal
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from types import FrameType
from typing import Any

import pytest

import tfdoctor
from tests.unit.worst_texts import worst_texts
from tfdoctor.base.expressions import Expression
from tfdoctor.knowledge.messages.catalogue import everything

pytestmark = pytest.mark.nightly  # measures time

PACKAGE = Path(tfdoctor.__file__).parent
MODES = ("search", "match", "fullmatch", "finditer", "findall", "sub", "subn", "split")
ALL_THROUGH = ("finditer", "sub", "subn", "split")  # to the matcher they are what findall is
SHORT, MIDDLE, LONG = 4_000, 16_000, 128_000  # characters
SLOWEST = 5  # of each way of using an expression, the texts that took longest when short
# From MIDDLE to LONG what is linear takes 8 times as long, what is quadratic 64 times.
MOST_GROWTH = 24
A_CHARACTER_S = 8e-6  # of the processor at most; what is linear takes a tenth of that
SOON_S = 0.005

Found = tuple[str, "re.Pattern[Any]", frozenset[str]]  # its name, itself, the ways of using it


# Expressions that are put together while the program runs, by the module and what is given to `re` there.
MADE: dict[tuple[str, str], Callable[[Any], list[str]]] = {
    (
        "tfdoctor.knowledge.matrix.wheels.texts",
        """f'^[ \\\\t]*#[ \\\\t]*define[ \\\\t]+{name}[ \\\\t]+"?([\\\\w.]+)"?'""",
    ): lambda module: [r'^[ \t]*#[ \t]*define[ \t]+NAME[ \t]+"?([\w.]+)"?'],
    (
        "tfdoctor.knowledge.matrix.wheels.texts",
        "f'64_(\\\\d+?)(\\\\d{{{minor_digits}}})'",
    ): lambda module: [r"64_(\d+?)(\d{1})"],
    (
        "tfdoctor.ask.probes.libraries.search",
        "f'^{re.escape(os.path.relpath(path, site))},[^,\\\\n]*,{size}$'",
    ): lambda module: ["^a/b,[^,\n]*,17$"],
    ("tfdoctor.ask.probes.python.metadata", "f'(?m)^{field_name}:(.*)$'"): lambda module: [
        "(?m)^Tag:(.*)$"
    ],
    ("tfdoctor.ask.probes.tensorflow.build_info", "_DEFINE.format(name=name)"): lambda module: [
        module._DEFINE.format(name="NAME")
    ],
}
MADE |= {
    ("tfdoctor.facts.outcome", "form"): lambda module: [form for _, form in module._KINDS_IN_WORDS],
    # Those without a backtick are held to it by tests/unit/signatures.
    ("tfdoctor.knowledge.messages.signature", "loosened(form)"): lambda module: [
        module.loosened(each.form) for each in everything() if "`" in each.form
    ],
    ("tfdoctor.base.expressions", "self.pattern"): lambda module: [],
    ("tfdoctor.judge.log.cases", "pattern"): lambda module: [],  # `make knowledge` holds them to it
    (
        "tfdoctor.ask.logs.tree",
        "_as_pattern(tree)",
    ): lambda module: [],  # of literals: nothing in it repeats
    (
        "tfdoctor.say.redact.redactor",
        "f'(?<![A-Za-z0-9]){re.escape(name[:_LONGEST_NAME])}(?![A-Za-z0-9])'",
    ): lambda module: ["(?<![A-Za-z0-9])node17(?![A-Za-z0-9])"],
    (
        "tfdoctor.say.redact.redactor",
        "'(?<![\\\\w./~-])' + re.escape(home) + _PATH_ENDS",
    ): lambda module: ["(?<![\\w./~-])/home/alice" + module._PATH_ENDS],
    (
        "tfdoctor.say.redact.redactor",
        "'(?i)(?<![\\\\w.-])(?:[\\\\w-]{1,63}\\\\.){1,8}' + re.escape(domain) + '(?!\\\\w)'",
    ): lambda module: [r"(?i)(?<![\w.-])(?:[\w-]{1,63}\.){1,8}cluster\.example(?!\w)"],
}
ONLY = {  # how an expression is used that is handed to others
    ("tfdoctor.knowledge.matrix.wheels.texts", name): frozenset({"fullmatch"})
    for name in ("METADATA", "BUILD_INFO", "CUDA_H", "CUDNN_H", "NCCL_H", "PROTOBUF_H", "MEMBERS")
}
# Tried only where one of its first words stands; tests/unit/say/test_redact_speed.py holds all rules together to it.
ONLY[("tfdoctor.say.redact.patterns", "NAMED")] = frozenset({"match"})
# Where a line of a key begins.
ONLY[("tfdoctor.say.redact.patterns", "KEY_TAIL")] = frozenset({"match"})
BOUNDED = {  # characters of the longest text that an expression ever sees; where that is held stands behind it
    (
        "tfdoctor.ask.probes.tensorflow.tensorflow",
        "_ASKED_BEFORE",
    ): 300,  # `_asks` looks back no further
    ("tfdoctor.ask.probes.python.metadata", "_FOLDER"): 255,  # the name of a file (NAME_MAX)
    ("tfdoctor.say.redact.patterns", "_VERSION_BEFORE"): 24,  # `rules.py` shows it no more
}


KERAS = "keras.py"
"""The callback: it is imported where Keras is, and its one expression reads the name of a kind of numbers."""


def _modules() -> dict[str, str]:
    """The modules that speak of `re`, with their source."""
    found = {}
    for file in sorted(PACKAGE.rglob("*.py")):
        text = file.read_text(encoding="utf-8")
        if file.name != KERAS and re.search(r"\bre\.|Expression\(", text):
            found[".".join(file.relative_to(PACKAGE.parent).with_suffix("").parts)] = text
    return found


SOURCES = _modules()
TREES = {name: ast.parse(text) for name, text in SOURCES.items()}


def expressions(module: str) -> Iterator[Found]:
    """The module's expressions: its constants, those written at the place of use, and those in `MADE`."""
    loaded = import_module(module)
    constants = [
        each for each in TREES[module].body if isinstance(each, (ast.Assign, ast.AnnAssign))
    ]
    theirs = [node for each in constants for node in ast.walk(each)]
    for name in [
        node.id for node in theirs if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)
    ]:
        for pattern in _patterns(getattr(loaded, name, None)):
            yield name, pattern, ONLY.get((module, name)) or _ways(name, module)
    for way, call in _calls(TREES[module]):
        if call in theirs:
            continue
        words = ast.unparse(call.args[0])
        made = (
            [call.args[0].value]
            if isinstance(call.args[0], ast.Constant)
            else MADE[module, words](loaded)
        )
        for each in made:
            ways = frozenset(MODES if way == "compile" else (way,))
            yield words, re.compile(each, _flags(call)), ONLY.get((module, words), ways)


def _patterns(value: Any) -> list[re.Pattern[Any]]:
    if isinstance(value, re.Pattern):
        return [value]
    if isinstance(value, Expression):
        return [value.compiled]
    if isinstance(value, dict):
        return [found for item in (*value, *value.values()) for found in _patterns(item)]
    if isinstance(value, (tuple, list, frozenset)):
        return [found for item in value for found in _patterns(item)]
    return []


def _ways(name: str, module: str) -> frozenset[str]:
    """How the package uses the expression of that name; all ways where that can't be seen."""
    sources = [SOURCES[module]] if name.startswith("_") else SOURCES.values()
    used = re.compile(rf"\b{re.escape(name)}\.({'|'.join(MODES)})\(")
    named = re.compile(rf"\b{re.escape(name)}\b(?!\.(?:{'|'.join(MODES)})\(|\s*[:=][^=]|\.pattern)")
    found = {match[1] for text in sources for match in used.finditer(text)}
    passed_on = any(
        named.search(line) and not line.lstrip().startswith(("from ", "import ", "#"))
        for text in sources
        for line in text.splitlines()
    )
    return frozenset(MODES if passed_on or not found else found)


def _calls(tree: ast.AST) -> Iterator[tuple[str, ast.Call]]:
    """The calls that make an expression, with what is done with it."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and node.args:
            made_by = ast.unparse(node.func)
            if made_by == "Expression":
                yield "compile", node
            elif made_by.startswith("re.") and made_by[3:] in (*MODES, "compile"):
                yield made_by[3:], node


def _flags(call: ast.Call) -> int:
    """The flags of a call: what is written as `re.MULTILINE`."""
    told = [*call.args[1:], *(word.value for word in call.keywords)]
    names = [
        node.attr for each in told for node in ast.walk(each) if isinstance(node, ast.Attribute)
    ]
    return sum(int(getattr(re, name, 0)) for name in names if name.isupper())


@contextmanager
def clock(seconds: float) -> Iterator[None]:
    """Raises TooSlowError in whatever runs inside after that much time of the processor; the matcher looks for
    signals as it goes."""

    def ring(number: int, frame: FrameType | None) -> None:
        raise TooSlowError

    before = signal.signal(signal.SIGPROF, ring)
    signal.setitimer(signal.ITIMER_PROF, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)


class TooSlowError(Exception):
    """The clock ran out."""


def seconds_of(expression: re.Pattern[Any], way: str, text: str) -> float:
    """How long it takes of the processor, so that a busy machine changes little; infinite for more than A_CHARACTER_S."""
    given: Any = (
        text.encode("latin-1", "replace") if isinstance(expression.pattern, bytes) else text
    )
    begun = time.thread_time()
    try:
        with clock(A_CHARACTER_S * max(len(text), SHORT)):
            getattr(expression, way)(given)
    except TooSlowError:
        return math.inf
    return time.thread_time() - begun


def distinct(ways: frozenset[str]) -> set[str]:
    return {"findall" if way in ALL_THROUGH else way for way in ways}


def too_slow(expression: re.Pattern[Any], ways: frozenset[str]) -> str:
    """A text on which it takes more than linear time, with the way of using it; "" where there is none."""
    texts = list(worst_texts(expression.pattern, expression.flags, SHORT))
    for way in distinct(ways):
        taken = [(seconds_of(expression, way, text), text) for text in texts]
        for _, text in sorted(taken, reverse=True)[:SLOWEST]:
            # what else runs on the machine may disturb one measurement
            if all(grows(expression, way, text) for _ in range(3)):
                return f"{way} of {text[:40]!r}…{text[-10:]!r}"
    return ""


def grows(expression: re.Pattern[Any], way: str, text: str) -> bool:
    """Whether a longer text of this kind takes longer than its length accounts for."""
    middle = seconds_of(expression, way, _longer(text, MIDDLE))
    return (
        middle == math.inf
        or seconds_of(expression, way, _longer(text, LONG)) > MOST_GROWTH * middle
    )


def _longer(text: str, length: int) -> str:
    """The same with its long run repeated."""
    return text[: len(text) // 2] * (2 * length // SHORT) + text[len(text) // 2 :]


@pytest.mark.parametrize("module", SOURCES)
def test_no_expression_takes_more_than_linear_time(module: str) -> None:
    for name, expression, ways in expressions(module):
        if (module, name) not in BOUNDED:
            assert too_slow(expression, ways) == "", name


@pytest.mark.parametrize(
    ("form", "way"),
    [
        (r"(?:a|a)*b", "match"),  # exponential
        (r"\s+$", "search"),
        (r"[a-z]+#", "search"),
        (r"(?s)<.*?>", "sub"),
        (r"[^ ]*\.so", "search"),  # quick for each place where it begins, and begins everywhere
    ],
)
def test_one_that_takes_more_is_found(form: str, way: str) -> None:
    assert too_slow(re.compile(form), frozenset({way}))


@pytest.mark.parametrize(("module", "name"), BOUNDED)
def test_an_expression_that_sees_short_texts_alone_is_done_with_them_at_once(
    module: str, name: str
) -> None:
    length = BOUNDED[module, name]
    [(expression, ways)] = [
        (each, ways) for found, each, ways in expressions(module) if found == name
    ]
    for text in worst_texts(expression.pattern, expression.flags, length):
        for way in distinct(ways):
            assert min(seconds_of(expression, way, text) for _ in range(3)) < SOON_S, text
