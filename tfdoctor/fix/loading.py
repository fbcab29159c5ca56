"""Paths in commands that load code, change what is loaded, or run as root: only where this machine vouches for them.

Whoever writes a log, a report or an environment chooses the paths in it. Quoting keeps such a path from being a command of its own,
but `export LD_PRELOAD=/tmp/x/libgomp.so.1` runs what lies there. So a path may stand in a command that only looks (`ls`, `grep`); in
every other one it must be a path that our own words name, or one that `trusts` says nobody else can change. Else a placeholder stands
in its place, and a look comes first.
"""

from __future__ import annotations

import shlex
from collections.abc import Callable, Iterator

from tfdoctor.base.expressions import Expression
from tfdoctor.base.records import record, replace
from tfdoctor.knowledge.lines import Environment, Variables, requirement
from tfdoctor.knowledge.model import Action, Fix
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
_LOOKING = """
cat command cp curl df dir du file find findmnt free fuser grep head icacls journalctl kill ls lsof mkdir move mv nvidia-smi ps
readlink stat tail test type uname wc where.exe which
"""
"""Programs that neither load code from the paths they get nor change what others load."""
_NAMED = r"""
/ /^D/ /d /f /t /v /cache //tensorflow/tools/pip_package /work /tmp /tmp/miopen- /dev/dri /dev/kfd /dev/nvidia-uvm /dev/nvidia0
/dev/nvidiactl /dev/shm /dev/tty /dev/null /etc/cdi/nvidia.yaml /etc/ld.so.conf.d/*.conf /etc/ld.so.conf.d/cuda.conf
/etc/ld.so.conf.d/ld.wsl.conf /etc/modprobe.d/nvidia-profiling.conf /etc/nvidia-container-runtime/config.toml
/opt/homebrew/bin/python3.12 /opt/rocm /opt/rocm/bin /opt/rocm/lib/rocblas/library /opt/rocm/llvm/bin /swapfile /usr/bin/time
/usr/lib/aarch64-linux-gnu/libgomp.so.1 /usr/lib/wsl/lib /usr/local/cuda /usr/local/cuda/bin /usr/local/cuda/lib64
/usr/local/lib /var/lib/shim-signed/mok/MOK.der C:\tf C:\tf\Scripts\python C:\tfdml C:\tfdml\Scripts\python C:\tools\cudnn\bin
~/.keras/keras.json ~/tf
"""
"""What our own commands name: places of the system, options of Windows' programs, and examples that the user replaces."""
_LOOKS, _OURS = frozenset(_LOOKING.split()), frozenset(_NAMED.split())
_OUR_LIBRARY = Expression(r"/usr/lib/x86_64-linux-gnu/lib[\w.+-]{1,80}")
_PATH = Expression(r"(?:~[\w-]{0,40})?/|[A-Za-z]:[/\\]|\\\\")
_UPWARDS = Expression(r"(?:[\w.+@ -]{1,80}/){0,20}\.\.(?:/|$)")
"""A path from the working directory that leaves it."""
_DRIVE = Expression(r"[A-Za-z]:[/\\]")
_INSIDE = Expression(r"(?<=[\^#])/[\w.+@-][\w.+@/-]{0,400}(?<!/)")
"""In an expression of grep or sed."""
_ASSIGNED = Expression(r"(?:--?)?[A-Za-z_][\w.-]{0,80}=")
_JOINS = frozenset(("|", "||", "&&", ";", "&", "(", ")"))
_RUNS_CODE = ("-c",)
_READS_DATA = ("tfdoctor", "--facts")
_FIND_CODE = ("LD_PRELOAD", "LD_LIBRARY_PATH", "LD_AUDIT", "PYTHONPATH", "PATH")
_DEEPEST = 4
_LONGEST = 4_000
_PYTHON = Expression(r"[/\\]python(?:3(?:\.\d{1,2})?)?(?:\.exe)?$")
ACTIVATED = "In the environment of that Python, activated."
_UNTYPABLE = "No command is shown: a name in it can't be printed, or is longer than anybody types."


nobody = Trusts(lambda path, as_root: False)
"""For what a log or a saved report tells: no machine was asked."""


def guarded(fix: Fix, trusts: Trusts) -> Fix:
    """The fix with a placeholder for each path that nothing vouches for, and a look at these paths before it; without commands where one
    of them is not what it looks like."""
    if any(len(command) > _LONGEST or not command.isprintable() for command in fix.commands):
        return without_commands(fix, _UNTYPABLE)
    named = [(path, _as_root(command)) for command in fix.commands for path in loaded(command)]
    foreign = list(dict.fromkeys(path for path, as_root in named if not trusts.path(path, as_root)))
    foreign = [each for each in foreign if not each.startswith(_made(fix))]
    foreign = [
        each
        for each in foreign
        if not any(each.startswith(f"{other.rstrip('/')}/") for other in foreign if other != each)
    ]
    pythons = [path for path in foreign if _PYTHON.search(path)]
    if pythons:
        return guarded(_by_name(fix, pythons), trusts)
    if not foreign:
        return fix
    try:
        look = _look(foreign)
    except UnwritableError:
        return without_commands(fix, LEFT_OUT)
    commands = tuple(_without(command, foreign, PLACEHOLDER) for command in fix.commands)
    if any(not set(foreign).isdisjoint(loaded(command)) for command in commands):
        return without_commands(fix, LEFT_OUT)  # written in a way that is not found again
    one = len(foreign) == 1
    note = (
        f"Replace {PLACEHOLDER} with {'this path' if one else 'one of these paths'} only if nobody but you and root can change "
        "what is there: the first command shows the owner and the permissions."
    )
    action = _acting(fix, foreign, PLACEHOLDER)
    return replace(
        fix, commands=(look, *commands), note=f"{note} {fix.note}".rstrip(), action=action
    )


def trusted(commands: tuple[str, ...], trusts: Trusts) -> tuple[str, ...]:
    """The commands; () where one of them has a path that nothing vouches for."""
    vouched = all(trusts.path(path, _as_root(line)) for line in commands for path in loaded(line))
    return commands if vouched else ()


def _made(fix: Fix) -> tuple[str, ...]:
    """The environments below the working directory that the fix itself makes."""
    folders = (line.folder for line in fix.commands if isinstance(line, Environment))
    return tuple(
        f"{each}/" for each in folders if not _PATH.match(each) and not each.startswith("..")
    )


def _by_name(fix: Fix, pythons: list[str]) -> Fix:
    """With the name that every environment has for its Python, in place of a path that nobody vouches for."""
    commands = tuple(_without(command, pythons, "python") for command in fix.commands)
    return replace(
        fix,
        commands=commands,
        note=f"{ACTIVATED} {fix.note}".rstrip(),
        action=_acting(fix, pythons, "python"),
    )


def _acting(fix: Fix, foreign: list[str], instead: str) -> Action | None:
    """The fix's action without these paths."""
    if fix.action is None:
        return None
    return fix.action.with_values(
        **{
            name: _without(value, foreign, instead)
            if isinstance(value, str)
            else tuple(_without(each, foreign, instead) for each in value)
            for name, value in fix.action.values.items()
        }
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


def _without(command: str, foreign: list[str], instead: str) -> str:
    """A line that sets variables still knows them. One for pip is plain text: `tfdoctor fix` changes no environment whose Python
    nobody vouches for.
    """
    if isinstance(command, Variables):
        return Variables(
            each
            if each.value is None
            else each._replace(value=_replaced(each.value, foreign, instead))
            for each in command.variables
        )
    return _replaced(command, foreign, instead)


def _replaced(command: str, foreign: list[str], instead: str) -> str:
    for path in sorted(foreign, key=len, reverse=True):
        for written in (requirement(path), shlex.quote(path), path):
            command = command.replace(written, instead)
    return command


def loaded(command: str) -> tuple[str, ...]:
    """The paths of a command in which they must be vouched for, but for our own."""
    if "/" not in command and "\\" not in command:
        return ()
    found = _of_commands(command, as_root=_as_root(command), depth=0)
    return tuple(
        path for path in dict.fromkeys(found) if path not in _OURS and not _is_our_library(path)
    )


def _as_root(command: str) -> bool:
    return "sudo " in command


def _is_our_library(path: str) -> bool:
    found = _OUR_LIBRARY.match(path)
    return found is not None and found.end() == len(path)


def _of_commands(text: str, *, as_root: bool, depth: int, runs: bool = True) -> Iterator[str]:
    """`runs`: a shell gets the text as a command; else it is a word in which a path may stand."""
    inner, rest = _substituted(text) if depth < _DEEPEST else ([], text)
    for command in inner:
        yield from _of_commands(command, as_root=as_root, depth=depth + 1)
    simple: list[str] = []
    for word in (*_words(rest), ";"):
        if word not in _JOINS:
            simple.append(word)
            continue
        yield from _of_one(simple, as_root=as_root, depth=depth, runs=runs)
        simple = []


def _substituted(text: str) -> tuple[list[str], str]:
    """What a shell runs behind `$(`, and the text with `$X` in its place; one that nothing closes stays."""
    commands, rest = [], ""
    while (start := text.find("$(")) >= 0:
        depth, end = 1, start + 2
        while depth and end < len(text):
            depth += {"(": 1, ")": -1}.get(text[end], 0)
            end += 1
        if depth:
            break
        commands.append(text[start + 2 : end - 1])
        rest, text = f"{rest}{text[:start]}$X", text[end:]
    return commands, rest + text


def _words(text: str) -> list[str]:
    lexer = shlex.shlex(text, posix=True, punctuation_chars="();<>|&")
    lexer.whitespace_split, lexer.commenters = True, ""
    if "\\" in text and ("'" not in text or _DRIVE.search(text)):
        lexer.escape = ""  # the folders of a Windows path
    try:
        return list(lexer)
    except ValueError:
        return text.split()


def _of_one(words: list[str], *, as_root: bool, depth: int, runs: bool) -> Iterator[str]:
    program = next((each for each in words if not _ASSIGNED.match(each)), "")
    assigns = bool(words) and words[0] != program
    if program.lstrip("!%") in _LOOKS and not as_root and not assigns:
        return
    if runs and _is_relative(program):
        yield program
    code = data = False
    for word in words:
        if data:
            data = False
            continue
        data = (program, word) == _READS_DATA
        if code:
            if program in ("sh", "bash", "sudo"):
                yield from _of_commands(word, as_root=as_root, depth=depth + 1)
            code = False
            continue
        code = word in _RUNS_CODE
        yield from _of_word(word, as_root=as_root, depth=depth)


def _relative(word: str) -> Iterator[str]:
    """Paths from the working directory, which anybody may have filled, in a variable by which programs find code."""
    name, assigned, value = word.partition("=")
    if assigned and name in _FIND_CODE:
        yield from (each.partition("$")[0] for each in value.split(":") if _is_relative(each))


def _is_relative(path: str) -> bool:
    return "/" in path and path[0] not in "/~$%" and "://" not in path


def _of_word(word: str, *, as_root: bool, depth: int) -> Iterator[str]:
    if "://" in word and " " not in word:
        return  # an address
    yield from _relative(word)
    while found := _ASSIGNED.match(word):
        word = word[found.end() :]
    if not _PATH.match(word) and depth < _DEEPEST and any(each in word for each in " '\""):
        yield from _of_commands(word, as_root=as_root, depth=depth + 1, runs=False)
    elif as_root and (inside := _INSIDE.search(word)):
        yield inside[0]
    else:
        pieces = [word] if _DRIVE.match(word) else word.split(":")
        paths = (each for each in pieces if _PATH.match(each) or _UPWARDS.match(each))
        yield from (each.partition("$")[0].rstrip(";") for each in paths)
