"""Jupyter's kernels, read from their kernelspec folders in Jupyter's own search order.

The order is that of jupyter_core.paths.jupyter_path (jupyter_core 5.8): JUPYTER_PATH, then the user's folder and the
environment's (a virtual environment's comes before the user's), then the system's. The first of a name counts.
"""

from __future__ import annotations

import contextlib
import os
import re
import shlex
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from tfdoctor.ask.probes.python.environments import has_tensorflow
from tfdoctor.ask.probes.python.others import kernels_with_tensorflow
from tfdoctor.ask.probes.request import Request
from tfdoctor.ask.probes.text_files import guarded
from tfdoctor.base.expressions import Expression
from tfdoctor.base.foreign_json import read_json
from tfdoctor.base.printable import plain
from tfdoctor.base.records import field, record
from tfdoctor.base.safe_open import folder_names, whole_of
from tfdoctor.base.sysroot import System
from tfdoctor.facts.model import Facts, Jupyter
from tfdoctor.facts.outcome import UNASKED, Absent, Fact, Failed, Known, value_or
from tfdoctor.facts.values import Kernelspec
from tfdoctor.knowledge.variable_names import counts

# jupyter_client.kernelspec._is_valid_kernel_name.
_NAME = Expression(r"[a-z0-9._-]+", re.IGNORECASE)
_MOST_KERNELS, _MOST_BYTES, _MOST_WORDS, _LONGEST_WORD = 500, 1 << 20, 100, 4096
_BARE_PYTHON = Expression(r"python[\d.]*(?:\.exe)?")
_SYSTEM_FOLDERS = ("/usr/local/share/jupyter", "/usr/share/jupyter")


def ask(request: Request, facts: Facts) -> Jupyter:
    """Fills the group Jupyter. Needs the group Interpreter, for the environment's own kernels."""
    prefixes = environments(request.system, facts)
    kernels = guarded(lambda: all_kernels(request.system, prefixes), "kernelspec folders")
    return Jupyter(
        kernels, _named(kernels, request.kernel), _with_tensorflow(kernels, request.system, facts)
    )


def _with_tensorflow(
    kernels: Fact[tuple[Kernelspec, ...]], system: System, facts: Facts
) -> Fact[tuple[str, ...]]:
    examined = facts.interpreter.sys_path
    if not isinstance(kernels, Known) or (
        isinstance(examined, Known) and has_tensorflow(examined.value)
    ):
        return UNASKED
    return kernels_with_tensorflow(kernels.value, system)


def environments(system: System, facts: Facts) -> list[str]:
    """The folders of the environments whose Jupyter the user may start: the active one, then the examined one."""
    active = [system.environ.get(name, "") for name in ("VIRTUAL_ENV", "CONDA_PREFIX")]
    named = [*active, value_or(facts.interpreter.prefix, "")]
    return [prefix for prefix in dict.fromkeys(named) if prefix]


def _named(kernels: Fact[tuple[Kernelspec, ...]], name: str) -> Fact[Kernelspec]:
    if not name:
        return Absent("no kernel was named")
    if isinstance(kernels, Failed):
        return kernels
    listed = value_or(kernels, ())
    for kernel in listed:
        if kernel.name == name.lower():
            return Known(kernel, kernel.folder)
    names = ", ".join(kernel.name for kernel in listed) or "none"
    return Failed(f"no kernel is called {plain(name)}; there are: {names}", "missing")


def all_kernels(
    system: System, prefixes: Iterable[str], platform: str = sys.platform
) -> Fact[tuple[Kernelspec, ...]]:
    """The kernels that Jupyter would offer to this user. `prefixes` are the examined environments' folders.

    A kernel whose kernel.json can't be read is listed with the reason in `interpreter`.
    """
    found: dict[str, Kernelspec] = {}
    folders = data_folders(system, prefixes, platform)
    for folder, prefix in folders:
        for name in folder_names(_real(system, folder) / "kernels")[:_MOST_KERNELS]:
            if _NAME.fullmatch(name) and _is_spec(_real(system, folder) / "kernels" / name):
                found.setdefault(
                    name.lower(), _kernel(system, f"{folder}/kernels/{name}", name.lower(), prefix)
                )
    if found:
        return Known(tuple(found[name] for name in sorted(found)), "kernelspec folders")
    return Absent("no kernelspec in " + ", ".join(plain(folder) for folder, _ in folders))


def data_folders(
    system: System, prefixes: Iterable[str], platform: str = sys.platform
) -> list[tuple[str, str]]:
    """Jupyter's data folders in its search order, each with the prefix of the environment that it belongs to, or ""."""
    environ = system.environ
    folders = [(folder, "") for folder in system.folders("JUPYTER_PATH") if folder]
    own = [(f"{prefix}/share/jupyter", prefix) for prefix in prefixes]
    user = [(folder, "") for folder in _user_folders(environ, platform)]
    virtual = [pair for pair in own if _is_environment(system, pair[1])]
    folders += [*virtual, *user] if _prefers_environment(environ, bool(virtual)) else [*user, *own]
    folders += own
    if platform == "win32":
        folders += [(f"{environ['PROGRAMDATA']}/jupyter", "")] if environ.get("PROGRAMDATA") else []
    else:
        folders += [(folder, "") for folder in _SYSTEM_FOLDERS]
    first: dict[str, str] = {}
    for folder, prefix in folders:
        first.setdefault(folder, prefix)
    return list(first.items())


def _prefers_environment(environ: Any, virtual: bool) -> bool:
    said = environ.get("JUPYTER_PREFER_ENV_PATH", "").lower()
    return virtual if not said else said not in ("no", "n", "false", "off", "0", "0.0")


def _is_environment(system: System, prefix: str) -> bool:
    real = _real(system, prefix)
    return any(_exists(real / mark) for mark in ("pyvenv.cfg", "conda-meta"))


def _user_folders(environ: Any, platform: str) -> Iterator[str]:
    if environ.get("JUPYTER_DATA_DIR"):
        yield environ["JUPYTER_DATA_DIR"]
        return
    home = environ.get("HOME") or environ.get("USERPROFILE") or ""
    if platform == "win32":
        if environ.get("APPDATA"):
            yield f"{environ['APPDATA']}/jupyter"
    elif platform == "darwin":
        if home:
            yield f"{home}/Library/Jupyter"
    elif environ.get("XDG_DATA_HOME"):
        yield f"{environ['XDG_DATA_HOME']}/jupyter"
    elif home:
        yield f"{home}/.local/share/jupyter"


def _real(system: System, folder: str) -> Path:
    """Where a folder really is. A path that is below the root already is taken as it is."""
    if system.live or Path(folder).is_relative_to(system.root):
        return Path(folder)
    return system.path(folder if folder.startswith("/") else f"/{folder}")


def _exists(path: Path) -> bool:
    return os.path.exists(path)


def _is_spec(folder: Path) -> bool:
    return _exists(folder / "kernel.json")


def kernel_environment(system: System, prefixes: Iterable[str], name: str) -> dict[str, str]:
    """What the kernel's file adds to its environment; ${NAME} stands for the user's (jupyter_client 8, Template.safe_substitute).
    {} where the file has nothing that can be read.
    """
    for kernel in value_or(all_kernels(system, prefixes), ()):
        if kernel.name == name.lower():
            by_env = started(kernel.argv).added if kernel.argv else {}
            with contextlib.suppress(OSError, ValueError, RecursionError, AttributeError):
                added = read_json(
                    whole_of(_real(system, kernel.folder) / "kernel.json", _MOST_BYTES)
                ).get("env")
                own = _substituted(added, system.environ) if isinstance(added, dict) else {}
                return {**own, **by_env}
    return {}


def _substituted(added: dict[Any, Any], environ: Mapping[str, str]) -> dict[str, str]:
    from string import Template  # only for a kernel that was named

    pairs = list(added.items())[:_MOST_WORDS]
    return {
        name: Template(value[:_LONGEST_WORD]).safe_substitute(environ)
        for name, value in pairs
        if isinstance(name, str)
        and isinstance(value, str)
        and name
        and "=" not in name
        and "\0" not in name + value
    }


def _kernel(system: System, folder: str, name: str, prefix: str) -> Kernelspec:
    file = f"{folder}/kernel.json"
    try:
        document = read_json(whole_of(_real(system, folder) / "kernel.json", _MOST_BYTES))
        argv = document["argv"]
        if (
            not isinstance(argv, list)
            or not argv
            or not all(isinstance(word, str) for word in argv)
        ):
            raise ValueError("argv is no list of words")
        shown = document.get("display_name", name)
    except (OSError, ValueError, KeyError, TypeError, RecursionError, AttributeError) as error:
        reason = f"its {error} is missing" if isinstance(error, KeyError) else str(error)
        return Kernelspec(
            name,
            "",
            plain(folder),
            (),
            Failed(f"{plain(file)} can't be read: {plain(reason)}", "unreadable"),
        )
    added, run = document.get("env"), started(argv)
    interpreter = (
        guarded(lambda: _program(system, run.program, folder, prefix, run.at_first), plain(argv[0]))
        if run.program
        else Failed(plain(run.why), "unsupported")
    )
    words = tuple(plain(word[:_LONGEST_WORD]) for word in argv[:_MOST_WORDS])
    return Kernelspec(
        name,
        plain(shown[:_LONGEST_WORD]) if isinstance(shown, str) else name,
        plain(folder),
        words,
        interpreter,
        _names_set(added if isinstance(added, dict) else {}, run.added),
    )


def _names_set(*environments: Mapping[Any, Any]) -> tuple[str, ...]:
    """Of the variables that count, as everywhere."""
    return tuple(
        name
        for each in environments
        for name in list(each)[:_MOST_WORDS]
        if isinstance(name, str) and counts(name)
    )


def _program(system: System, word: str, folder: str, prefix: str, at_first: bool) -> Fact[str]:
    """The program as a file. A bare "python" at first stands for the Python that runs Jupyter, not for the one on PATH."""
    word = word.replace("{prefix}", prefix or "{prefix}").replace("{resource_dir}", folder)
    if at_first and _BARE_PYTHON.fullmatch(word):
        if not prefix:
            return Failed(
                f"{word!r} without a folder stands for whichever Python runs Jupyter", "unsupported"
            )
        names = (
            f"{prefix}/bin/{word}",
            f"{prefix}/bin/python",
            f"{prefix}/python.exe",
            f"{prefix}/Scripts/python.exe",
        )
        return _first_of(system, names, f"{folder}/kernel.json: the environment's own Python")
    if "/" in word or "\\" in word:
        return _first_of(system, (word,), f"{folder}/kernel.json")
    found = next(system.programs(word), None)
    if found is not None:
        return Known(plain(system.inside(found)), "PATH")
    return Absent(f"no folder of PATH has the program {plain(word)}")


def _first_of(system: System, names: Iterable[str], source: str) -> Fact[str]:
    listed = list(names)
    for name in listed:
        if _exists(_real(system, name)):
            return Known(plain(name), plain(source))
    return Absent(f"{plain(listed[0])} does not exist")


_PYTHON = Expression(r"(?:python|pypy)[\w.-]{0,20}(?:\.exe)?", re.IGNORECASE)
_ASSIGNMENT = Expression(r"(?P<name>[A-Za-z_]\w{0,100})=(?P<value>.{0,4000})", re.DOTALL)
_SHELLS = ("sh", "bash", "dash", "zsh", "ksh")
_WITH_WORD = (
    "-u",
    "--unset",
    "-C",
    "--chdir",
    "--argv0",
    "-a",
)  # env's options that take the next word (coreutils 9.1)
_DEEPEST = 4


@record
class Started:
    """`program` is "" where only the launcher knows it; `why` says so. `added` is what `env` sets."""

    program: str
    at_first: bool
    """It is argv[0], for which Jupyter puts its own Python where "python" stands bare."""
    why: str = ""
    added: dict[str, str] = field(default_factory=dict)


def started(argv: Sequence[str]) -> Started:
    """The program of an argv of at least one word."""
    return _started(list(argv), 0)


def _started(words: list[str], depth: int) -> Started:
    name = _name(words[0]) if words else ""
    if depth > _DEEPEST or not name:
        return Started("", False, "its argv is too deep to follow")
    if name in ("env", "env.exe"):
        return _by_env(words[1:], depth)
    if name in _SHELLS and (line := _line_of(words[1:])):
        return _by_shell(line, depth)
    if not _PYTHON.fullmatch(name) and (python := _before_ipykernel(words[1:])):
        if "/" in python or "\\" in python:
            return Started(python, False)
        return Started("", False, f"it is started through {name}, which chooses the Python")
    return Started(words[0], depth == 0)


def _by_env(words: list[str], depth: int) -> Started:
    added, rest = dict[str, str](), words
    while rest:
        word = rest[0]
        if found := _ASSIGNMENT.fullmatch(word):
            added[found["name"]] = found["value"]
            rest = rest[1:]
        elif word in ("-S", "--split-string") and len(rest) > 1:
            rest = [*_split(rest[1]), *rest[2:]]
        elif word.startswith("-"):
            rest = rest[2:] if word in _WITH_WORD else rest[1:]
        else:
            break
    inner = _started(rest, depth + 1) if rest else Started("", False, "env is given no program")
    return Started(inner.program, False, inner.why, {**added, **inner.added})


def _line_of(words: list[str]) -> str:
    """What follows -c, also of `-l -c` and `-lc`; "" for a script in a file, which is started as it is."""
    for number, word in enumerate(words[:-1]):
        if not word.startswith("-"):
            return ""
        if word.startswith("-") and not word.startswith("--") and word.endswith("c"):
            return words[number + 1]
    return ""


def _by_shell(line: str, depth: int) -> Started:
    """The last command of the line: what stands before it prepares (source, module load, export)."""
    last = re.split(r"&&|;|\n", line.strip().rstrip(";"))[-1]
    words = _split(last)
    words = words[1:] if words[:1] == ["exec"] else words
    unknown = Started(
        "", False, "it is started by a shell's line, and only the shell knows which Python that is"
    )
    if not words or "$" in words[0] or (last != line and not words[0].startswith(("/", "~"))):
        return unknown
    if _ASSIGNMENT.fullmatch(words[0]):
        return _by_env(words, depth)
    return _started(words, depth + 1)


def _before_ipykernel(words: list[str]) -> str:
    """The word before `-m ipykernel…`, which is the Python."""
    for number in range(1, len(words) - 1):
        if words[number] == "-m" and words[number + 1].startswith("ipykernel"):
            return words[number - 1] if _PYTHON.fullmatch(_name(words[number - 1])) else ""
    return ""


def _split(line: str) -> list[str]:
    try:
        return shlex.split(line)
    except ValueError:
        return []


def _name(word: str) -> str:
    return re.split(r"[\\/]", word)[-1]
