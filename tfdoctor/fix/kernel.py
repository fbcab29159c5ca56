"""Fixes of variables that a notebook kernel's own file sets: no shell's command reaches them."""

from __future__ import annotations

from collections.abc import Sequence

from tfdoctor.base.records import replace
from tfdoctor.facts.model import Facts
from tfdoctor.facts.outcome import Known, value_or
from tfdoctor.facts.values import Kernelspec
from tfdoctor.fix.commands import interpreter
from tfdoctor.knowledge.actions import act
from tfdoctor.knowledge.lines import Variable, Variables, variables_in
from tfdoctor.knowledge.model import Action, Fix, Parameter

KERNEL_JSON = "kernel.json"
"""Where a fix is typed that changes a kernel's own file."""
_LONGEST_TITLE = 8  # words


def in_its_file(facts: Facts, fixes: tuple[Fix, ...]) -> tuple[Fix, ...]:
    """The fixes, with an edit of kernel.json where a line sets or unsets what that file sets."""
    kernel = facts.jupyter.examined_kernel
    if not isinstance(kernel, Known) or not kernel.value.sets:
        return fixes
    return tuple(_edited(facts, kernel.value, each) for each in fixes)


def _edited(facts: Facts, kernel: Kernelspec, found: Fix) -> Fix:
    """Where the file sets one of the fix's variables, all of them belong there. Its argv only a person can edit."""
    variables = variables_in(found.commands)
    told = [each.name for each in variables if each.name in kernel.sets]
    if not told:
        return found
    by_hand = any(_in_argv(kernel, name) for name in told)
    lines = [line for line in found.commands if not isinstance(line, Variables)]
    lines += [_edit(facts, kernel, each) for each in variables]
    part = "argv" if by_hand else "env"
    note = act(
        "set-variable",
        "edit-kernels-file",
        file=_file(kernel),
        called=" and ".join(told),
        part=part,
    ).note
    title = (
        f"{found.title} in kernel.json"
        if len(found.title.split()) <= _LONGEST_TITLE - 2
        else found.title
    )
    whole = not by_hand and len(lines) == len(variables)  # nothing else is to be typed
    return replace(
        found, title=title, commands=() if by_hand else tuple(lines), note=note, where=KERNEL_JSON, applies=whole,
        action=_action(facts, found, variables) if whole else found.action,
    )  # fmt: skip


def _action(facts: Facts, found: Fix, variables: Sequence[Variable]) -> Action:
    """With the values that the file is to have."""
    values = {each.name: _value(facts, each) for each in variables}
    done: dict[str, Parameter] = {
        "set": tuple(f"{name}={value}" for name, value in values.items() if value is not None),
        "unset": tuple(name for name, value in values.items() if value is None),
    }
    action = found.action or Action("set-variable" if done["set"] else "unset-variable")
    return action.with_values(**{name: each for name, each in done.items() if each})


def _value(facts: Facts, variable: Variable) -> str | None:
    if variable.value is None:
        return None
    before = (
        value_or(facts.environment.variables, {}).get(variable.name, "") if variable.first else ""
    )
    return ":".join(filter(None, (variable.value, before)))


def _edit(facts: Facts, kernel: Kernelspec, variable: Variable) -> str:
    python, file, name = interpreter(facts), _file(kernel), variable.name
    value = _value(facts, variable)
    if value is None:
        return act(
            "unset-variable", "unset-in-kernels-file", interpreter=python, file=file, called=name
        ).commands[0]
    return act(
        "set-variable",
        "set-in-kernels-file",
        value=value,
        interpreter=python,
        file=file,
        called=name,
    ).commands[0]


def _in_argv(kernel: Kernelspec, name: str) -> bool:
    return any(word.startswith(f"{name}=") for word in kernel.argv)


def _file(kernel: Kernelspec) -> str:
    return f"{kernel.folder}/kernel.json"
