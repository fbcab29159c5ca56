"""Lines for a shell that take single entries out of a search path and leave the others where they are."""

from __future__ import annotations

import os

from tfdoctor.facts.model import Facts
from tfdoctor.facts.outcome import value_or
from tfdoctor.findings.model import Fix
from tfdoctor.fixes.commands import check_again, quoted


def without_entries(facts: Facts, variable: str, *entries: str) -> str:
    """The line that sets a path variable again without these entries; without any other left, it is unset."""
    whole = value_or(facts.environment.variables, {}).get(variable, "")
    away = {_plain(each) for each in entries}
    rest = [each for each in whole.split(":") if each and _plain(each) not in away]
    return quoted("export", f"{variable}={':'.join(rest)}") if rest else f"unset {variable}"


def _plain(entry: str) -> str:
    return os.path.normpath(entry)


def leave_out(facts: Facts, variable: str, *entries: str) -> Fix:
    """Takes the entries away for this shell, and says how to do it for good."""
    named = " and ".join(entries)
    others = (
        "the other entries stay"
        if "export" in without_entries(facts, variable, *entries)
        else "it has no other entry"
    )
    return Fix(
        f"Take {named} out of {variable}",
        (without_entries(facts, variable, *entries),),
        f"For this shell; {others}, and nothing on disk changes. Then change the line that sets it (shell start files, a module "
        f"of the cluster, job script, IDE). `{check_again(facts)}` afterwards shows that it helped.",
    )
