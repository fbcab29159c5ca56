"""How a fix is taken back, and how it is seen to have helped, in commands for the machine that was examined."""

from __future__ import annotations

from tfdoctor.base.records import replace
from tfdoctor.facts.model import Facts
from tfdoctor.facts.outcome import Failed, value_or
from tfdoctor.fix.commands import BREAKS, checking, is_version, pip_put, pip_uninstall
from tfdoctor.fix.loading import Trusts, trusted
from tfdoctor.knowledge.lines import Change, Pip, Variable, Variables, Words, name_in, variables_in
from tfdoctor.knowledge.model import Fix


def with_proof(fix: Fix, facts: Facts, trusts: Trusts, *options: str) -> Fix:
    """The fix with the lines that take it back and those that show whether it helped. `options`: of the check, as it was made."""
    if fix.changes in ("", "nothing") or not fix.commands:
        return fix
    again = checking(Words(" ".join(("tfdoctor", "check", *options))), facts)
    return replace(fix, undo=trusted(_undo(fix, facts), trusts), verify=trusted((again,), trusts))


def _undo(fix: Fix, facts: Facts) -> tuple[str, ...]:
    """() where one of its lines can't be taken back by what is known. What an installer moved along stays moved."""
    variables = variables_in(fix.commands)
    by_pip = [line for line in fix.commands if isinstance(line, Change)]
    if len(by_pip) + sum(isinstance(line, Variables) for line in fix.commands) < len(fix.commands):
        return ()
    if variables and not by_pip:
        return _as_set(variables, facts)
    return () if variables else _as_installed(by_pip, facts)


def _as_set(variables: list[Variable], facts: Facts) -> tuple[str, ...]:
    if isinstance(facts.environment.variables, Failed):
        return ()
    before = value_or(facts.environment.variables, {})
    return (Variables(Variable(each.name, before.get(each.name)) for each in variables),)


def _as_installed(lines: list[Change], facts: Facts) -> tuple[str, ...]:
    there = {each.name: each.version for each in value_or(facts.packages.installed, ())}
    by_pip = all(
        isinstance(line, Pip) and not line.keep and BREAKS not in line.options for line in lines
    )
    if not there or not by_pip:
        return ()
    removed = {name for line in lines if line.uninstalls for name in line.packages}
    named = {name_in(each): each for line in lines if not line.uninstalls for each in line.packages}
    before = {name: there.get(name, "") for name in (*removed, *named)}
    if any(version and not is_version(version) for version in before.values()):
        return ()
    moved = {
        name: version
        for name, version in before.items()
        if version and (name in removed or not named[name].endswith(f"=={version}"))
    }
    new = [name for name, version in before.items() if not version]
    return (
        *((pip_uninstall(facts, *sorted(new)),) if new else ()),
        *(
            (pip_put(facts, *(f"{name}=={moved[name]}" for name in sorted(moved))),)
            if moved
            else ()
        ),
    )
