"""Paths in commands that load code, change what is loaded, or run as root: only where this machine vouches for them.

Whoever writes a log, a report or an environment chooses the paths in it. Quoting keeps such a path from being a command of its own,
but `export LD_PRELOAD=/tmp/x/libgomp.so.1` runs what is there. So what a line got from outside may be a path only where the line is
`Harmless`, where the path is a place of the system, or where `trusts` says that nobody else can change it. Else a placeholder stands
in its place, and a look comes first.
"""

from __future__ import annotations

import shlex
from collections.abc import Callable, Iterator

from tfdoctor.base.expressions import Expression
from tfdoctor.base.records import record, replace
from tfdoctor.knowledge.lines import PROGRAM, Words
from tfdoctor.knowledge.model import Fix
from tfdoctor.knowledge.quoting import UnwritableError, windows
from tfdoctor.knowledge.shells import LEFT_OUT, without_commands


@record
class Trusts:
    """What the machine that was asked vouches for. `path`: whether nobody but root and its user can change what is there; the second
    is whether the command runs as root. `packages`: what is installed there.
    """

    path: Callable[[str, bool], bool]
    packages: frozenset[str] = frozenset()


PLACEHOLDER = "PATH_YOU_TRUST"
_PLACES = """
/dev/shm /opt/rocm /opt/rocm/lib/rocblas/library /tmp /usr/lib/aarch64-linux-gnu/libgomp.so.1 /usr/lib/wsl/lib /usr/local/cuda
/usr/local/cuda/lib64 /usr/local/lib
"""
"""Where everybody expects them, for root alone to change; and mounts for all."""
_OF_THE_SYSTEM = frozenset(_PLACES.split())
_A_LIBRARY_OF_THE_SYSTEM = Expression(r"/usr/lib/x86_64-linux-gnu/lib[\w.+-]{1,80}")
_PATH = Expression(r"(?:~[\w-]{0,40})?/|[A-Za-z]:[/\\]|\\\\")
_UPWARDS = Expression(r"(?:[\w.+@ -]{1,80}/){0,20}\.\.(?:/|$)")
"""A path from the working directory that leaves it."""
_DRIVE = Expression(r"[A-Za-z]:[/\\]")
_ASSIGNED = Expression(r"(?:--?)?[A-Za-z_][\w.-]{0,80}=")
_WORD = Expression(r"[^\s'\"]+")
"""Of a variable that holds options."""
_ADDRESS = Expression(r"[A-Za-z][\w+.-]{1,20}://")
_LIKE_A_PATH = Expression(r"[\w./~\\:+@%-]+")
_FINDS_CODE = frozenset(
    (PROGRAM, "interpreter", "LD_PRELOAD", "LD_LIBRARY_PATH", "LD_AUDIT", "PYTHONPATH", "PATH")
)
"""What is started, and variables by which programs find code: here a path from the working directory, which anybody may have filled,
counts, too."""
_LONGEST = 4_000
_PYTHON = Expression(r"[/\\]python(?:3(?:\.\d{1,2})?)?(?:\.exe)?$")
ACTIVATED = "In the environment of that Python, activated."
UNVOUCHED = "No command is shown: nobody vouches for a path in it."
_UNTYPABLE = "No command is shown: a name in it can't be printed, or is longer than anybody types."


nobody = Trusts(lambda path, as_root: False)
"""For what a log or a saved report tells: no machine was asked."""


def guarded(fix: Fix, trusts: Trusts) -> Fix:
    """The fix with a placeholder for each path that nothing vouches for, and a look at these paths before it; without commands where one
    of them is not what it looks like."""
    if any(len(command) > _LONGEST or not command.isprintable() for command in fix.commands):
        return without_commands(fix, _UNTYPABLE)
    unvouched = [(line, _unvouched(line, trusts)) for line in fix.commands]
    if any(paths and not isinstance(line, Words) for line, paths in unvouched):
        return without_commands(fix, UNVOUCHED)
    named = dict.fromkeys(path for _, paths in unvouched for path in paths)
    foreign = [
        each
        for each in named
        if not any(each.startswith(f"{other.rstrip('/')}/") for other in named if other != each)
    ]
    if not foreign:
        return fix
    pythons = [path for path in foreign if _PYTHON.search(path)]
    if pythons:
        return guarded(_by_name(fix, pythons), trusts)
    try:
        look = _look(foreign)
    except UnwritableError:
        return without_commands(fix, LEFT_OUT)
    one = len(foreign) == 1
    note = (
        f"Replace {PLACEHOLDER} with {'this path' if one else 'one of these paths'} only if nobody but you and root can change "
        "what is there: the first command shows the owner and the permissions."
    )
    safe = _without(fix, foreign, PLACEHOLDER)
    return replace(safe, commands=(look, *safe.commands), note=f"{note} {fix.note}".rstrip())


def trusted(commands: tuple[str, ...], trusts: Trusts) -> tuple[str, ...]:
    """The commands; () where one of them has a path that nothing vouches for."""
    return () if any(_unvouched(line, trusts) for line in commands) else commands


def _unvouched(line: str, trusts: Trusts) -> list[str]:
    as_root = "sudo " in line
    return [path for path in loaded(line) if not trusts.path(path, as_root)]


def _by_name(fix: Fix, pythons: list[str]) -> Fix:
    """With the name that every environment has for its Python, in place of a path that nobody vouches for."""
    safe = _without(fix, pythons, "python")
    return replace(safe, note=f"{ACTIVATED} {fix.note}".rstrip())


def _without(fix: Fix, foreign: list[str], instead: str) -> Fix:
    """The fix without these paths. A line for pip is then one of words alone: `tfdoctor fix` changes no environment whose Python nobody
    vouches for.
    """

    def replaced(value: str) -> str:
        for path in sorted(foreign, key=len, reverse=True):
            value = value.replace(path, instead)
        return value

    def changed(value: str) -> str:
        return value.changed(replaced) if isinstance(value, Words) else replaced(value)

    action = fix.action
    values = action.values if action is not None else {}
    return replace(
        fix,
        commands=tuple(map(changed, fix.commands)),
        action=action
        and action.with_values(
            **{
                name: changed(value) if isinstance(value, str) else tuple(map(changed, value))
                for name, value in values.items()
            }
        ),
    )


def _look(paths: list[str]) -> str:
    """Raises UnwritableError for what no shell of Windows takes as one word."""
    if any("\\" in path for path in paths):
        return " && ".join(f"dir {windows(path)}" for path in paths)
    return f"ls -ld -- {' '.join(map(_quoted, paths))}"


def _quoted(path: str) -> str:
    """For a shell, which takes a ~ for the home only outside of quotes."""
    home, slash, rest = path.partition("/")
    return (
        f"{home}/{shlex.quote(rest) if rest else ''}"
        if home == "~" and slash
        else shlex.quote(path)
    )


def loaded(line: str) -> tuple[str, ...]:
    """The paths of a line that have to be vouched for. A text that knows nothing of its values may have got all of them from outside."""
    values = (
        line.foreign()
        if isinstance(line, Words)
        else (("" if found.start() else PROGRAM, found[0]) for found in _LIKE_A_PATH.finditer(line))
    )
    found = (path for name, value in values for path in _paths(name, value))
    return tuple(path for path in dict.fromkeys(found) if not _is_of_the_system(path))


def _is_of_the_system(path: str) -> bool:
    return path in _OF_THE_SYSTEM or _A_LIBRARY_OF_THE_SYSTEM.fullmatch(path) is not None


def _paths(name: str, value: str) -> Iterator[str]:
    """Those that fill the hole, or the variable, of that name."""
    words = [value] if _PATH.match(value) else [each[0] for each in _WORD.finditer(value)]
    for word in words:
        yield from _paths_of_word(name, word)


def _paths_of_word(name: str, value: str) -> Iterator[str]:
    if _ADDRESS.match(value):
        return
    while found := _ASSIGNED.match(value):
        value = value[found.end() :]
    for path in [value] if _DRIVE.match(value) else value.split(":"):
        relative = name in _FINDS_CODE and "/" in path
        if relative or _PATH.match(path) or _UPWARDS.match(path):
            yield path
