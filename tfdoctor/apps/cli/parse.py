"""Reads the command line of the commands in `options.py` without a library: importing typer takes longer than most of them.

Of an option that is typed twice the last one counts.
"""

from __future__ import annotations

from tfdoctor.apps.cli.options import Command, Option

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from typing import Any

TRUE, FALSE = ("1", "true", "yes", "on", "t", "y"), ("0", "false", "no", "off", "f", "n")


class UsageError(Exception):
    """Exit status 2; the message says what, where, and what to do."""


class HelpAsked(Exception):  # noqa: N818  # no error
    """--help was typed."""


class SchemaAsked(Exception):  # noqa: N818  # no error
    """--schema was typed."""


COLOR = {"when": "auto"}
"""What --color said; auto: by the environment and the terminal."""


class Parsed:
    """What was typed and what the variables say, by field, and the words that are no option."""

    def __init__(
        self,
        defaults: dict[str, Any],
        variables: dict[str, Any],
        typed: dict[str, Any],
        words: list[str],
    ) -> None:
        self.defaults, self.variables, self.typed, self.words = defaults, variables, typed, words

    def fields(self, settings: Mapping[str, Any] | None = None) -> dict[str, Any]:
        """A value for each field: the command line goes before the variables, these before the settings."""
        return {**self.defaults, **(settings or {}), **self.variables, **self.typed}


def parse_args(command: Command, arguments: Sequence[str], environ: Mapping[str, str]) -> Parsed:
    """Raises UsageError, HelpAsked and SchemaAsked."""
    typed, words = _typed(command, list(arguments))
    defaults = {each.field: each.default for each in reversed(command.options)}
    variables = _from_variables(command, environ)
    every = (typed, variables, defaults)
    if True in [found.pop("schema", False) for found in every]:
        raise SchemaAsked
    COLOR["when"] = next(filter(None, [found.pop("color", "") for found in every]), "auto")
    return Parsed(defaults, variables, typed, words)


def _typed(command: Command, rest: list[str]) -> tuple[dict[str, Any], list[str]]:
    """The fields that the command line sets, and the other words."""
    named = {name: each for each in command.options for name in each.names}
    off = {f"--no-{each.name[2:]}": each for each in command.options if each.off is not None}
    found: dict[str, Any] = {}
    by: dict[str, Option] = {}
    words: list[str] = []
    while rest:
        word = rest.pop(0)
        if word in ("-h", "--help"):
            raise HelpAsked
        if word == "-" or not word.startswith("-"):
            words += _words(command, [word])
            rest, words = ([], words + rest) if command.words_end else (rest, words)
        elif word == "--":
            rest, words = [], words + _words(command, rest)
        elif word in off:
            found[off[word].field] = not off[word].value
        else:
            name, value = _split(word, named)
            if name not in named:
                raise UsageError(
                    f"no option {name[:40]!r}; {_near(name, {**named, **off}) or _see(command)}"
                )
            option = named[name]
            read = _value(option, value, rest, {**named, **off}, found.get(option.field, ()))
            if by.setdefault(option.field, option) is not option and read != found[option.field]:
                raise UsageError(
                    f"{_shown(by[option.field], option, found, read)}; give one of them"
                )
            found[option.field] = read
    return found, words


def _split(word: str, named: Mapping[str, Option]) -> tuple[str, str | None]:
    """ "--output=FILE" and "-oFILE" in two; None where no value is joined on."""
    if not word.startswith("--") and word[:2] in named and named[word[:2]].word and word[2:]:
        return word[:2], word[2:]
    name, equals, value = word.partition("=")
    return name, value if equals else None


def _value(
    option: Option,
    joined: str | None,
    rest: list[str],
    names: Mapping[str, Option],
    before: tuple[str, ...],
) -> Any:
    """What the option says, its value taken off `rest` where it has one. Neither the name of another option nor `--` is a value."""
    if not option.word:
        if joined is not None:
            raise UsageError(f"{option.name} takes no value")
        return option.value
    follows = rest[0] if rest else "--"
    if joined is None and option.alone is not None and follows.startswith("-"):
        return option.alone
    if joined is None and (not rest or follows == "--" or follows.partition("=")[0] in names):
        raise UsageError(f"{option.name} needs a value ({option.word})")
    text = rest.pop(0) if joined is None else joined
    if option.never_empty and not text:
        name = option.name
        raise UsageError(
            f"{name}: the value is empty; is a variable unset? Name one or leave {name} out"
        )
    read = _read(option, text, option.name)
    return (*before, read) if option.many else read


def _read(option: Option, text: str, where: str) -> Any:
    try:
        if option.choices and text not in option.choices:
            raise ValueError(f"use one of {', '.join(option.choices)}, not {text[:40]!r}")
        return option.convert(text)
    except ValueError as error:
        raise UsageError(f"{where}: {error}") from error


def _words(command: Command, words: list[str]) -> list[str]:
    if words and command.words is None:
        raise UsageError(f"unexpected argument {words[0][:40]!r}; {_see(command)}")
    return words


def _from_variables(command: Command, environ: Mapping[str, str]) -> dict[str, Any]:
    """Of an option's variables the first that says something counts; an empty one says nothing."""
    found: dict[str, Any] = {}
    for option in command.options:
        for variable, off in _variables(command, option):
            text = environ.get(variable, "").strip()
            if not text or text in option.passed_over:
                continue
            if option.many:
                found[option.field] = tuple(_read(option, each, variable) for each in text.split())
            elif option.word:
                found[option.field] = _read(option, text, variable)
            elif _is_true(variable, text):
                found[option.field] = not option.value if off else option.value
            elif off:
                continue
            elif option.off is not None:
                found[option.field] = not option.value
            break
    return found


def _variables(command: Command, option: Option) -> list[tuple[str, bool]]:
    """Each variable of an option, and whether it is of its other half (--no-…)."""
    name = option.key.upper()
    halves = [(name, False)] + ([(f"NO_{name}", True)] if option.off is not None else [])
    return [
        (prefix + half, off)
        for prefix in option.variables or command.variables
        for half, off in halves
    ]


def _is_true(variable: str, text: str) -> bool:
    word = text.lower()
    if word not in (*TRUE, *FALSE):
        raise UsageError(f"{variable}: {word[:40]!r} is neither true nor false")
    return word in TRUE


def _shown(one: Option, other: Option, found: Mapping[str, Any], read: Any) -> str:
    """Two options as they were typed, a flag first."""
    shown = ((one, found[one.field]), (other, read))
    texts = [f"{option.name} {value}" if option.word else option.name for option, value in shown]
    return f"{' and '.join(sorted(texts, key=len))} contradict each other"


def _near(name: str, names: Iterable[str]) -> str:
    import difflib  # only for an option that is none

    near = difflib.get_close_matches(name, names, n=1, cutoff=0.8)
    return f"did you mean {near[0]}?" if near else ""


def _see(command: Command) -> str:
    return f"see tfdoctor {command.name} --help"
