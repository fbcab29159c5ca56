"""Fixes of variables that a notebook kernel's own file sets: no shell's command reaches them."""

from __future__ import annotations

import re
import shlex

from tfdoctor.facts.model import Facts
from tfdoctor.facts.outcome import Known, value_or
from tfdoctor.facts.values import Kernelspec
from tfdoctor.findings.fix import fix
from tfdoctor.findings.model import Fix
from tfdoctor.fixes.commands import interpreter
from tfdoctor.records import replace

_WITH_THE_REST = re.compile(r"\$\{(\w{1,100}):\+:\$\1\}")  # "${NAME:+:$NAME}": behind what is put first
_LONGEST_TITLE = 8  # words


def in_its_file(facts: Facts, fixes: tuple[Fix, ...]) -> tuple[Fix, ...]:
    """The fixes, with an edit of kernel.json where a line sets or unsets what that file sets."""
    kernel = facts.jupyter.examined_kernel
    if not isinstance(kernel, Known) or not kernel.value.sets:
        return fixes
    return tuple(_edited(facts, kernel.value, each) for each in fixes)


def _edited(facts: Facts, kernel: Kernelspec, found: Fix) -> Fix:
    """Where the file sets one of the fix's variables, all of them belong there. Its argv only a person can edit."""
    named = {name: value for line in found.commands for name, value in _named(line).items()}
    told = [name for name in named if name in kernel.sets]
    if not told:
        return found
    by_hand = any(_in_argv(kernel, name) for name in told)
    lines = [line for line in found.commands if not _named(line)]
    lines += [_edit(facts, kernel, name, value) for name, value in named.items()]
    part = "argv" if by_hand else "env"
    note = fix("edit-kernels-file", file=_file(kernel), called=" and ".join(told), part=part).note
    title = f"{found.title} in kernel.json" if len(found.title.split()) <= _LONGEST_TITLE - 2 else found.title
    return replace(found, title=title, commands=() if by_hand else tuple(lines), note=note)


def _named(line: str) -> dict[str, str | None]:
    """Variables that the line sets, with their values as the shell takes them, or None for one that it unsets."""
    word, _, rest = line.partition(" ")
    if word == "unset":
        return dict.fromkeys(rest.split())
    if word != "export":
        return {}
    pairs = (each.partition("=") for each in shlex.split(rest))
    return {name: value for name, _, value in pairs}


def _edit(facts: Facts, kernel: Kernelspec, name: str, value: str | None) -> str:
    known = value_or(facts.environment.variables, {})
    python, file = shlex.quote(interpreter(facts)), shlex.quote(_file(kernel))
    if value is None:
        return fix("unset-in-kernels-file", interpreter=python, file=file, called=name).commands[0]
    value = _WITH_THE_REST.sub(lambda found: f":{known[found[1]]}" if known.get(found[1]) else "", value)
    return fix(
        "set-in-kernels-file", value=shlex.quote(value), interpreter=python, file=file, called=name
    ).commands[0]


def _in_argv(kernel: Kernelspec, name: str) -> bool:
    return any(word.startswith(f"{name}=") for word in kernel.argv)


def _file(kernel: Kernelspec) -> str:
    return f"{kernel.folder}/kernel.json"
