"""Command lines that know what they do, so that another shell's words can be found for them without reading them again."""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, NamedTuple

from tfdoctor.base.expressions import Expression

if TYPE_CHECKING:
    from typing_extensions import Self


class Words(str):
    """Words of a POSIX shell: one or several, or none. Any other text is one word, and has to be quoted."""

    __slots__ = ()


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
    """A line in the words of the place where it is typed, such as a notebook's cell."""

    __slots__ = ()


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
        text: str,
        *packages: str,
        tool: str,
        options: tuple[str, ...] = (),
        uninstalls: bool = False,
    ) -> Self:
        line = super().__new__(cls, text)
        line.packages, line.options, line.tool, line.uninstalls = (
            packages,
            options,
            tool,
            uninstalls,
        )
        return line


class Pip(Change):
    """A line of pip. `python` and `keep` are a shell's words already; `keep` asks the shell which TensorFlow is installed, so that
    pip leaves it. `into`: another environment, into which uv installs. `asks`: it has words of its own, such as uv's.
    """

    __slots__ = ("asks", "into", "keep", "python")
    asks: bool
    into: str
    python: str
    keep: str

    def __new__(
        cls,
        *packages: str,
        python: str = "python",
        options: tuple[str, ...] = (),
        keep: str = "",
        into: str = "",
        uninstalls: bool = False,
        text: str = "",
    ) -> Self:
        packages = tuple(map(named, packages))
        word = "uninstall --yes" if uninstalls else "install"
        start = ("uv pip", word, f"--python={into}") if into else (python, "-m pip", word)
        words = (*start, *options, *map(requirement, packages), keep)
        line = super().__new__(
            cls,
            text or " ".join(filter(None, words)),
            *packages,
            tool="pip",
            options=options,
            uninstalls=uninstalls,
        )
        line.asks, line.into, line.python, line.keep = bool(text), into, into or python, keep
        return line

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
    """A line that makes a new environment. `folder`: where; `python`: its version, "" for whichever is there; `by`: uv, or a Python.
    All are a shell's words already.
    """

    __slots__ = ("by", "folder", "options", "python")
    by: str
    folder: str
    options: tuple[str, ...]
    python: str

    def __new__(
        cls, folder: str, *, python: str = "", by: str = "uv", options: tuple[str, ...] = ()
    ) -> Self:
        which = ("--python", python) if python else ()
        start = (by, "venv", *options, *which) if by == "uv" else (by, "-m venv", *options)
        line = super().__new__(cls, " ".join((*start, folder)))
        line.folder, line.python, line.by, line.options = folder, python, by, options
        return line

    def by_way_of(self, start: str) -> Environment:
        """The same behind a tool's own words, such as `poetry run`."""
        return Environment(
            self.folder, python=self.python, by=f"{start} {self.by}", options=self.options
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
