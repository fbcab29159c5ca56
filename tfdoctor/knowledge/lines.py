"""Command lines that know what they do and which of their words come from outside, so that nobody has to read them again."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, NamedTuple

from tfdoctor.base.expressions import Expression
from tfdoctor.knowledge.compiled import filled

if TYPE_CHECKING:
    from typing_extensions import Self


class Words(str):
    """Words of a POSIX shell: one or several, or none. Any other text is one word, and has to be quoted.

    `template`: a text of ours, with holes. `values`: what fills them. One that is `Words` is as it is; any other came from outside.
    """

    __slots__ = ("template", "values")
    template: str
    values: Mapping[str, str]

    def __new__(cls, template: str = "", /, **values: str) -> Self:
        values = {name: each for name, each in values.items() if f"{{{{{name}}}}}" in template}
        typed = {name: word(each) for name, each in values.items()}
        line = super().__new__(cls, cls.drawn(filled(template, typed)))
        line.template, line.values = template, values
        return line

    @staticmethod
    def drawn(text: str) -> str:
        """The filled template as it stands in a line."""
        return text

    def foreign(self) -> Iterator[tuple[str, str]]:
        """What came from outside and acts on what is run or loaded, each with the name of its hole."""
        for name, value in self.values.items():
            if isinstance(value, Words):
                yield from value.foreign()
            else:
                yield name, value

    def changed(self, change: Callable[[str], str]) -> Words:
        """The same with each value changed. What installs packages or makes an environment is then a line of words alone."""
        own = type(self) if isinstance(self, Harmless | AsWord) else Words
        return own(
            self.template,
            **{
                name: each.changed(change) if isinstance(each, Words) else change(each)
                for name, each in self.values.items()
            },
        )


class Harmless(Words):
    """A line that neither loads code from a path in it nor changes what others load: it looks, or renames."""

    __slots__ = ()

    def foreign(self) -> Iterator[tuple[str, str]]:
        """Nothing that anybody has to vouch for."""
        return iter(())


class AsWord(Words):
    """A line as one word, for a program that takes lines."""

    __slots__ = ()

    @staticmethod
    def drawn(text: str) -> str:
        """In quotes."""
        return requirement(text)


def quoted(*words: str) -> Words:
    """The words as one command, whose program is the first."""
    holes = {f"word{number}" if number else PROGRAM: each for number, each in enumerate(words)}
    return Words(" ".join(f"{{{{{name}}}}}" for name in holes), **holes)


PROGRAM = "python"
"""The hole for what a line starts."""


def ours(text: str) -> Words:
    """One word that holds nothing from outside."""
    return Words(requirement(text))


def word(value: str) -> str:
    """The value as it stands in a shell's line."""
    return value if isinstance(value, Words) else requirement(value)


class Variable(NamedTuple):
    """`value` None: it is taken away. `first`: a directory that goes before what the variable holds."""

    name: str
    value: str | None
    first: bool = False

    @property
    def posix(self) -> str:
        """As `export` takes it."""
        rest = f'"${{{self.name}:+:${self.name}}}"' if self.first else ""
        return f"{self.name}={shlex.quote(self.value or '')}{rest}"

    def changed(self, change: Callable[[str], str]) -> Variable:
        """The same with its value changed."""
        return self if self.value is None else self._replace(value=change(self.value))


class Variables(Words):
    """A line that sets or takes away variables; as a text it is a POSIX shell's line."""

    __slots__ = ("variables",)
    variables: tuple[Variable, ...]

    def __new__(cls, variables: Iterable[Variable]) -> Variables:
        every = tuple(variables)
        words = (each.posix for each in every if each.value is not None)
        names = (each.name for each in every if each.value is None)
        line = super().__new__(
            cls, " && ".join(filter(None, (_line("export", words), _line("unset", names))))
        )
        line.variables = every
        return line

    def foreign(self) -> Iterator[tuple[str, str]]:
        """Each value under its variable's name."""
        return ((each.name, each.value) for each in self.variables if each.value is not None)

    def changed(self, change: Callable[[str], str]) -> Variables:
        """Still a line that sets variables."""
        return Variables(each.changed(change) for each in self.variables)


def variables_in(commands: Iterable[str]) -> list[Variable]:
    return [each for line in commands if isinstance(line, Variables) for each in line.variables]


def setting(variables: Mapping[str, str]) -> Variables:
    """Sets them for this shell."""
    return Variables(Variable(name, value) for name, value in variables.items())


def unsetting(*names: str) -> Variables:
    """Takes them away for this shell."""
    return Variables(Variable(name, None) for name in names)


def prepending(name: str, *directories: str) -> Variables:
    """Puts the directories before what a path variable holds."""
    return Variables([Variable(name, ":".join(directories), first=True)])


def _line(word: str, rest: Iterable[str]) -> str:
    words = " ".join(rest)
    return f"{word} {words}" if words else ""


class Placed(Words):
    """A line in the words of the place where it is typed, such as a notebook's cell, that sets or takes away a variable. `write` draws it."""

    __slots__ = ("variable", "write")
    variable: Variable
    write: Callable[[Variable], str]

    def __new__(cls, variable: Variable, write: Callable[[Variable], str]) -> Placed:
        line = super().__new__(cls, write(variable))
        line.variable, line.write = variable, write
        return line

    def foreign(self) -> Iterator[tuple[str, str]]:
        """The value under the variable's name."""
        return Variables((self.variable,)).foreign()

    def changed(self, change: Callable[[str], str]) -> Placed:
        """Still in these words."""
        return Placed(self.variable.changed(change), self.write)


class Change(Words):
    """A line by which packages are installed or removed; as a text it is a POSIX shell's line.

    `packages`: requirements ("numpy<2"), or names to remove. `options`: the tool's own. `tool`: "pip" stands for uv, too, where uv does
    the same with the environment alone; a project's tool also writes it down, and conda changes what conda keeps.
    """

    __slots__ = ("options", "packages", "tool", "uninstalls")
    packages: tuple[str, ...]
    options: tuple[str, ...]
    tool: str
    uninstalls: bool

    def __new__(
        cls,
        line: Words,
        *packages: str,
        tool: str,
        options: tuple[str, ...] = (),
        uninstalls: bool = False,
    ) -> Self:
        change = super().__new__(cls, line.template, **line.values)
        change.packages, change.options, change.tool, change.uninstalls = (
            packages,
            options,
            tool,
            uninstalls,
        )
        return change


class Pip(Change):
    """A line of pip. `keep` asks the shell which TensorFlow is installed, so that pip leaves it. `into`: another environment, into
    which uv installs. `line`: it has words of its own, such as uv's. `rest`: what stands behind pip's name.
    """

    __slots__ = ("asks", "into", "keep", "python", "rest")
    asks: bool
    into: str
    python: str
    keep: str
    rest: Words

    def __new__(
        cls,
        *packages: str,
        python: str = "python",
        options: tuple[str, ...] = (),
        keep: str = "",
        into: str = "",
        uninstalls: bool = False,
        line: Words | None = None,
    ) -> Self:
        packages, python = tuple(map(named, packages)), Words("{{python}}", python=python)
        does = Words("uninstall --yes" if uninstalls else "install")
        words = tuple(filter(None, (*options, *packages, keep)))
        rest = quoted(does, *words)
        own = (
            quoted(Words("uv pip"), does, Words("--python={{into}}", into=into), *words)
            if into
            else Words("{{python}} -m pip {{rest}}", python=python, rest=rest)
        )
        change = super().__new__(
            cls,
            line or own,
            *packages,
            tool="pip",
            options=options,
            uninstalls=uninstalls,
        )
        change.asks, change.into, change.python, change.keep = (
            line is not None,
            into,
            into or python,
            keep,
        )
        change.rest = rest
        return change

    def with_packages(self, *packages: str) -> Pip:
        """The same with other packages; itself where it has words of its own."""
        if self.asks or packages == self.packages:
            return self
        return Pip(
            *packages,
            python=self.python,
            options=self.options,
            keep=self.keep,
            into=self.into,
            uninstalls=self.uninstalls,
        )


def name_in(spec: str) -> str:
    """ "numpy" in "numpy>=1.26,<2", "tensorflow" in "tensorflow[and-cuda]==2.21.0"."""
    for position, char in enumerate(spec):
        if char in "[<>=!~ ;":
            return spec[:position]
    return spec


class Environment(Words):
    """A line that makes a new environment. `folder`: where; `python`: its version, "" for whichever is there; `by`: uv, or a Python."""

    __slots__ = ("by", "folder", "options", "python")
    by: str
    folder: str
    options: tuple[str, ...]
    python: str

    def __new__(
        cls, folder: str, *, python: str = "", by: str = "uv", options: tuple[str, ...] = ()
    ) -> Self:
        which = ("--python", python) if python else ()
        start = (by, "venv", *options, *which) if by == "uv" else (by, Words("-m venv"), *options)
        own = quoted(*start, folder)
        line = super().__new__(cls, own.template, **own.values)
        line.folder, line.python, line.by, line.options = folder, python, by, options
        return line

    def by_way_of(self, start: str) -> Environment:
        """The same behind a tool's own words, such as `poetry run`."""
        return Environment(
            self.folder,
            python=self.python,
            by=Words("{{start}} {{by}}", start=Words(start), by=self.by),
            options=self.options,
        )


_BEGINS_AS_ONE = Expression(r"[A-Za-z0-9]")
_OPTION_FOR_A_VERSION = Expression(r"[<>=!~]\s{0,8}-")
NO_NAME = "PACKAGE"


_FROM_AN_ADDRESS = Expression(r"@|://")
"""pip takes what is there in place of what the name says: `name @ https://…`."""


def named(requirement: str) -> str:
    """The requirement, or a placeholder where its name or a version is none: metadata and logs can hold an option of pip."""
    is_one = _BEGINS_AS_ONE.match(requirement) and not _OPTION_FOR_A_VERSION.search(requirement)
    return requirement if is_one and not _FROM_AN_ADDRESS.search(requirement) else NO_NAME


_PLAIN = Expression(r"(?:[\w.,:/\[\]<>=~*;' -]|\\[\w. -]|!=){1,400}")
"""A backslash before one of these is itself in each of the three: it parts the folders of Windows' paths. No shell takes a `!` before `=`
for a word of its history."""


def requirement(text: str) -> str:
    """The text as one word of a shell: in double quotes, which POSIX shells, PowerShell and cmd all take, wherever that is possible."""
    quoted = shlex.quote(text)
    return f'"{text}"' if quoted != text and _PLAIN.fullmatch(text) else quoted
