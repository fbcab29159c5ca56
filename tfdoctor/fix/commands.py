"""Commands for the environment at hand: the one place that knows how to call pip, uv, apt and their like."""

from __future__ import annotations

import re

from tfdoctor.base.expressions import Expression
from tfdoctor.base.records import replace
from tfdoctor.facts.model import Facts
from tfdoctor.facts.outcome import Known, value_or
from tfdoctor.knowledge.lines import Change, Pip, Words, named, ours, quoted
from tfdoctor.knowledge.model import Fix


def operand(file: str) -> str:
    """The name of a file as no command takes it for an option."""
    return f"./{file}" if file.startswith("-") else file


def interpreter(facts: Facts) -> str:
    """The one that is examined; where a log does not name it, the name that every environment has, Windows' too."""
    return value_or(facts.interpreter.executable, "python")


def is_version(text: str) -> bool:
    """Whether an installer can be asked for it: metadata may hold any text."""
    from packaging.version import InvalidVersion, Version

    try:
        Version(text)
    except InvalidVersion:
        return False
    return True


_CHECK = Expression(
    r"\btfdoctor check(?![-\w])(?![^`;&|\n]* --(?:python|kernel|facts)\b)([^`;&|\n]*)"
)
_JUDGES_ALONE = ("--no-require-gpu", "--no-plugins")


def aimed(fix: Fix, facts: Facts, report: str = "") -> Fix:
    """The fix, each `tfdoctor check` in it for what was examined, as the user named it; `report`: the saved report that was."""
    return replace(
        fix,
        commands=tuple(
            checking(each, facts, report) if isinstance(each, Words) else each
            for each in fix.commands
        ),
        note=_CHECK.sub(lambda found: f"{_check(found[1], facts, report)}{found[1]}", fix.note),
    )


def checking(line: Words, facts: Facts, report: str = "") -> Words:
    """A command, with the same."""
    checks: dict[str, str] = {}

    def hole(found: re.Match[str]) -> str:
        name = f"check{len(checks)}"
        checks[name] = _check(found[1], facts, report)
        return f"{{{{{name}}}}}{found[1]}"

    template = _CHECK.sub(hole, line.template)
    return Words(template, **{**line.values, **checks}) if checks else line


def _check(options: str, facts: Facts, report: str) -> Words:
    """What stands before these options of a check. The report's name is the user's own word."""
    chosen = value_or(facts.interpreter.chosen_by, "")
    python = facts.interpreter.executable
    which: tuple[str, ...] = ()
    if report and options.strip() in _JUDGES_ALONE:
        which = ("--facts", ours(report))
    elif chosen.startswith("--kernel "):
        which = ("--kernel", chosen.removeprefix("--kernel "))
    elif chosen == "--python" and isinstance(python, Known):
        which = ("--python", python.value)
    return quoted("tfdoctor", "check", *which)


def _pip(facts: Facts) -> list[str]:
    """pip of the examined environment, or uv for one that uv made and that has no pip."""
    if _lacks_pip(facts) and _made_by_uv(facts):
        return ["uv", "pip"]
    return [interpreter(facts), "-m", "pip"]


def _lacks_pip(facts: Facts) -> bool:
    return not value_or(facts.interpreter.has_pip, True)


def _made_by_uv(facts: Facts) -> bool:
    return any(each.installer == "uv" for each in value_or(facts.packages.installed, ()))


def _with_pip(facts: Facts, command: Words) -> Words:
    """Where the environment has no pip and uv is not known to be there, pip is first brought by Python itself."""
    if _lacks_pip(facts) and not _made_by_uv(facts):
        return Words(
            "{{python}} -m ensurepip && {{command}}", python=interpreter(facts), command=command
        )
    return command


def _by_project(facts: Facts) -> list[str]:
    """The start of the command by which the environment's own project adds a package; [] where it has none. What pip installs
    there is gone again after the project's next `uv sync` or `poetry install`."""
    folder, _, lock = value_or(facts.interpreter.project, "").rpartition("/")
    made_by = {
        each.installer.lower().partition(" ")[0] for each in value_or(facts.packages.installed, ())
    }
    if lock == "uv.lock" and "uv" in made_by:
        return ["uv", "add", "--project", folder]
    return (
        ["poetry", "--directory", folder, "add"]
        if lock == "poetry.lock" and "poetry" in made_by
        else []
    )


def _are_met(facts: Facts, specs: tuple[str, ...]) -> bool:
    """Whether all of these are installed in a version that is asked for; of an extra that is not known."""
    from packaging.requirements import InvalidRequirement, Requirement
    from packaging.version import InvalidVersion

    there = {each.name: each.version for each in value_or(facts.packages.installed, ())}
    try:
        asked = [Requirement(each) for each in specs]
        found = [there.get(each.name.lower().replace("_", "-"), "") for each in asked]
        return all(
            version and not each.extras and each.specifier.contains(version, prereleases=True)
            for each, version in zip(asked, found, strict=True)
        )
    except (InvalidRequirement, InvalidVersion):
        return False


def pip_install(facts: Facts, *specs: str, options: tuple[str, ...] = ()) -> Change:
    """Installs into the examined environment and no other, by the project that keeps it where there is one. What is installed in
    a version that is asked for is reinstalled: pip would leave it as it is.
    """
    specs = tuple(map(named, specs))
    if specs and not options and _are_met(facts, specs):
        return pip_reinstall(facts, *specs)
    if (add := _by_project(facts)) and options in ((), ("--upgrade",)):
        newest = options and add[0] == "poetry"
        newer = [word for each in specs if options for word in ("--upgrade-package", each)]
        wanted = [f"{each}@latest" for each in specs] if newest else list(specs)
        line = quoted(*add, *(newer if add[0] == "uv" else ()), *wanted)
        return Change(line, *specs, tool=add[0], options=options)
    return pip_put(facts, *specs, options=options)


def pip_put(facts: Facts, *specs: str, options: tuple[str, ...] = ()) -> Pip:
    """Installs into the examined environment, whatever is installed there and whichever project keeps it."""
    tool = _pip(facts)
    where = ("--python", interpreter(facts)) if tool[0] == "uv" else ()
    return Pip(
        *specs,
        options=options,
        line=_with_pip(facts, quoted(*tool, "install", *where, *options, *specs)),
    )


def pip_uninstall(facts: Facts, *names: str) -> Pip:
    """Removes distributions from the examined environment without asking back."""
    names = tuple(map(named, names))
    tool = _pip(facts)
    if tool[0] == "uv":
        line = quoted(*tool, "uninstall", "--python", interpreter(facts), *names)
    else:
        line = _with_pip(facts, quoted(*tool, "uninstall", "--yes", *names))
    return Pip(*names, uninstalls=True, line=line)


def pip_reinstall(facts: Facts, *specs: str) -> Pip:
    """Reinstalls the files of these distributions and touches no other."""
    again = "--reinstall" if _pip(facts)[0] == "uv" else "--force-reinstall"
    return pip_put(facts, *map(named, specs), options=(again, "--no-deps"))


BREAKS = "--break-system-packages"


def against_its_will(line: Pip) -> Pip:
    """The same for a Python that its system keeps from pip (PEP 668)."""
    return Pip(
        *line.packages,
        options=(*line.options, BREAKS),
        uninstalls=line.uninstalls,
        line=Words("{{line}} {{option}}", line=line, option=BREAKS),
    )


def by_own_tool(facts: Facts, line: str) -> str:
    """A table's line for pip in the words of what installs into the examined environment."""
    if not isinstance(line, Pip) or line.asks or line.python != "python":
        return line
    if line.uninstalls:
        return pip_uninstall(facts, *line.packages)
    kept = (line.keep,) if line.keep else ()
    return pip_install(facts, *line.packages, *kept, options=line.options)


def conda_install(facts: Facts, *specs: str, options: tuple[str, ...] = ()) -> Change:
    """Installs into the examined conda environment and no other."""
    prefix, specs = facts.interpreter.prefix, tuple(map(named, specs))
    where = ("--prefix", prefix.value) if isinstance(prefix, Known) else ()
    line = quoted("conda", "install", "--yes", *where, *options, *specs)
    return Change(line, *specs, tool="conda", options=options)


def system_install(facts: Facts, *, apt: str, dnf: str) -> tuple[str, ...]:
    """The host's own package manager's command; () where that is unknown."""
    manager = value_or(facts.host.package_manager, "")
    sudo = "" if value_or(facts.host.user_is_root, False) else "sudo "
    if manager == "apt":
        return (f"{sudo}apt-get install --yes {apt}",)
    if manager in ("dnf", "yum"):
        return (f"{sudo}{manager} install --assumeyes {dnf}",)
    return ()
