"""Which paths and packages of the examined machine may stand in a command that loads code, runs as root or installs."""

from __future__ import annotations

from tfdoctor.base.version_ranges import normalised
from tfdoctor.base.vouched import only_ours
from tfdoctor.facts.model import Facts
from tfdoctor.facts.outcome import value_or
from tfdoctor.fix.loading import Trusts


def of_this_machine(facts: Facts) -> Trusts:
    """For facts that were just read here: what nobody but root and this user can change. What is of the examined environment itself
    may also be run and loaded, but not as root: who has it examined runs it.
    """
    executable, prefix = (
        value_or(facts.interpreter.executable, ""),
        value_or(facts.interpreter.prefix, ""),
    )

    installed = value_or(facts.packages.installed, ())

    def trusts(path: str, as_root: bool) -> bool:
        own = bool(path) and (
            path == executable or (bool(prefix) and f"{path}/".startswith(f"{prefix.rstrip('/')}/"))
        )
        return (own and not as_root and ".." not in path) or only_ours(path)

    return Trusts(trusts, frozenset(normalised(each.name) for each in installed))
