"""Variables of a shell that hide GPUs or lead the loader, and the commands that show whether it helped."""

from __future__ import annotations

from os.path import normpath

from tfdoctor.facts.model import Facts
from tfdoctor.facts.outcome import Known, value_or
from tfdoctor.knowledge.actions import act
from tfdoctor.knowledge.lines import AsWord, Variables, Words, prepending, setting, unsetting
from tfdoctor.knowledge.model import Fix

LASTING = "Lasts for this shell. Also remove the line that sets it (~/.bashrc, job script, IDE)."


def unset(name: str, value: str = "") -> Fix:
    """Without the variable, or with a value that fits."""
    if value:
        return act("set-variable", "set-visible-devices", called=name, value=value)
    return act("unset-variable", "unset-visible-devices", called=name)


def search_here(facts: Facts, folders: tuple[str, ...]) -> tuple[Fix, ...]:
    """Puts folders on the loader's path: for this shell, then for every start of the environment."""
    line = search_line(folders)
    now = Fix("Add the libraries to LD_LIBRARY_PATH", (line,), "Lasts for this shell.")
    prefix, kind = facts.interpreter.prefix, value_or(facts.interpreter.environment, "")
    started_by_jupyter = isinstance(facts.jupyter.examined_kernel, Known)  # it activates nothing
    if not isinstance(prefix, Known) or kind not in ("venv", "conda") or started_by_jupyter:
        return (now,)
    if kind == "conda":
        folder = f"{prefix.value}/etc/conda/activate.d"
        file = f"{folder}/cuda-libraries.sh"
        keep: tuple[str, ...] = (Words("mkdir -p {{folder}}", folder=folder),)
    else:
        file, keep = f"{prefix.value}/bin/activate", ()
    keep = (
        *keep,
        Words("echo {{line}} >> {{file}}", line=AsWord("{{line}}", line=line), file=file),
        line,
    )
    note = f"Adds one line to {file}, which each activation runs."
    return (now, Fix("Set LD_LIBRARY_PATH in the environment", keep, note))


def search_line(folders: tuple[str, ...]) -> Variables:
    """The shell line that puts folders before what LD_LIBRARY_PATH has already."""
    return prepending("LD_LIBRARY_PATH", *folders)


def without_entries(facts: Facts, variable: str, *entries: str) -> Variables:
    """The line that sets a path variable again without these entries; without any other left, it is unset."""
    whole = value_or(facts.environment.variables, {}).get(variable, "")
    away = {normpath(each) for each in entries}
    rest = [each for each in whole.split(":") if each and normpath(each) not in away]
    return setting({variable: ":".join(rest)}) if rest else unsetting(variable)


def leave_out(facts: Facts, variable: str, *entries: str) -> Fix:
    """Takes the entries away for this shell, and says how to do it for good."""
    command = without_entries(facts, variable, *entries)
    title = (
        f"Remove {' and '.join(entries)} from {variable}"
        if "export" in command
        else f"Unset {variable}"
    )
    return Fix(title, (command,), LASTING)
