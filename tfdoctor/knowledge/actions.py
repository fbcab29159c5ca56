"""What a fix does, and its words for the place where it is typed: tables by kind (`data/knowledge/actions/`), compiled by `make knowledge`."""

from __future__ import annotations

import shlex
from collections.abc import Hashable, Iterator, Mapping, Sequence
from functools import cache
from operator import attrgetter
from typing import TYPE_CHECKING, Any

from tfdoctor.base.records import record, replace
from tfdoctor.facts.outcome import Failed
from tfdoctor.knowledge.compiled import ROWS, Lines, actions, filled
from tfdoctor.knowledge.lines import (
    NO_NAME,
    Change,
    Environment,
    Harmless,
    Pip,
    Words,
    prepending,
    setting,
    unsetting,
    variables_in,
    word,
)
from tfdoctor.knowledge.model import Action, Fix, Parameter
from tfdoctor.knowledge.place import Place, Span

if TYPE_CHECKING:
    from tfdoctor.facts.model import Facts

IN_FILES = "In your files: "
"""How the last sentence of a note begins: what is to be written into a file."""
KINDS = {
    "look": "nothing", "rerun": "nothing", "plan": "nothing", "ask": "nothing", "words": "nothing",
    "set-variable": "shell", "unset-variable": "shell", "change-path": "shell", "start-otherwise": "shell", "choose-session": "shell",
    "change-packages": "environment", "reinstall": "environment", "new-environment": "environment",
    "edit-program": "files", "use-less-memory": "files", "change-file": "files", "choose-image": "files",
    "install-driver": "machine", "install-software": "machine", "raise-limit": "machine", "give-gpu": "machine", "change-setting": "machine",
    "restart": "machine", "end-processes": "machine",
}  # fmt: skip
"""Every kind of action, with what it changes at most."""


ADDED: dict[str, tuple[dict[str, Any], ...]] = {}
"""Rows of plug-ins, by `named`."""
Command = str | dict[str, Any]
"""A line of a POSIX shell, {"harmless": line}, or {"set": {name: value}}, {"unset": [name]}, {"prepend": {name: directory}}, {"install": [requirement],
"options": [option], "keep": words, "python": another environment's, "into": one that uv fills}, {"uninstall": [name]}, {"environment": directory, "python": version,
"by": program, "options": [option]}."""


@record
class Row:
    """An action's words at some places. `at`: their names, () for everywhere else. `needs`: what has to be there.
    `examples`: packages that stand in the words as examples alone. `where`: on which other machine or system it is typed, "" for here. `tensorflow`: the minors that it is for.
    `answers`: the facts that a look asks for. `holes`: what its words leave to be filled.
    """

    title: str = ""
    commands: tuple[Command, ...] = ()
    note: str = ""
    at: tuple[str, ...] = ()
    needs: frozenset[str] = frozenset()
    where: str = ""
    tensorflow: Span = Span()
    examples: tuple[str, ...] = ()
    answers: tuple[str, ...] = ()
    holes: frozenset[str] = frozenset()

    def fits(self, place: Place) -> bool:
        """Whether it can be done there, with the TensorFlow that is there."""
        other = (
            place.span.before(*self.tensorflow.oldest) or place.span.oldest > self.tensorflow.newest
        )
        return not other and (bool(self.where) or not self.needs & lacking(place.names))


def _holes(said: Mapping[str, Any]) -> frozenset[str]:
    texts = (said.get("title", ""), *said.get("commands", ()), said.get("note", ""))
    parts = [part for text in texts for part in str(text).split("{{")[1:]]
    named = {part.partition("}}")[0] for part in parts if "}}" in part}
    return frozenset(named | ({"python"} if any(map(_by_pip, said.get("commands", ()))) else set()))


def _by_pip(command: Command) -> bool:
    return (
        not isinstance(command, str)
        and not command.keys().isdisjoint(("install", "uninstall"))
        and "into" not in command
    )


def act(kind: str, what: str = "", /, **values: object) -> Fix:
    """The action in the words of an unnamed place; in a command a value is one word, unless it is `Words`. Raises LookupError
    for one that no table has, OSError for a damaged installation.
    """
    own = rows(kind, what)
    texts = {
        name: value if isinstance(value, str) else str(value)
        for name, value in values.items()
        if any(name in row.holes for row in own)
    }
    return _drawn(own[-1], Action(kind, what, tuple(texts.items())), _NOWHERE)


def is_drawn(fix: Fix) -> bool:
    """Whether its words are those of its action at an unnamed place, and nothing said them otherwise."""
    own = _drawn(_rows_of(fix)[-1], fix.action, _NOWHERE) if fix.action and _rows_of(fix) else None
    return own is not None and (fix.title, fix.commands, fix.note) == (
        own.title,
        own.commands,
        own.note,
    )


def is_one_of(fix: Fix, *names: str) -> bool:
    """Whether it is the action of one of these names."""
    return fix.action is not None and fix.action.what in names


def _rows_of(fix: Fix) -> tuple[Row, ...]:
    """() for what no table words."""
    action = fix.action
    known = action is not None and is_known(action.kind, action.what)
    return rows(action.kind, action.what) if action is not None and known else ()


def examples_in(fix: Fix) -> tuple[str, ...]:
    """The packages that a fix names as examples alone: which of them it is about has to be seen."""
    return (
        rows(fix.action.kind, fix.action.what)[-1].examples if fix.action and is_drawn(fix) else ()
    )


def examples() -> tuple[str, ...]:
    """Those of all actions."""
    return tuple(actions()["examples"])


def placed(fix: Fix, place: Place) -> Fix | None:
    """A drawn fix in the words of the place; None where it can't be done there. Raises LookupError for one of no table."""
    action = fix.action or Action("")
    own = next(
        (row for row in rows(action.kind, action.what) if not row.at or place.has(*row.at)), None
    )
    return _drawn(own, action, place) if own is not None and own.title and own.fits(place) else None


def unanswered(fixes: tuple[Fix, ...], facts: Facts) -> tuple[Fix, ...]:
    """Without the looks that would only show what is known already, or known not to be there."""
    return tuple(each for each in fixes if not _is_answered(each, facts))


def _is_answered(fix: Fix, facts: Facts) -> bool:
    asked = tuple(each for row in _rows_of(fix) for each in row.answers)
    return bool(asked) and not any(isinstance(attrgetter(each)(facts), Failed) for each in asked)


def described(fix: Fix) -> Fix:
    """The fix with what its lines do in its action: packages to install and to remove, variables to set and to unset."""
    lines = _parameters(fix)
    if not lines:
        return fix
    action = fix.action or Action(_kind_of(fix, lines))
    return replace(
        fix,
        action=action.with_values(**lines),
        changes=fix.changes or KINDS[action.kind],
    )


def applicable(fix: Fix) -> Fix:
    """The described fix, marked where its action says all that its lines do: packages that pip changes in the environment here, or that
    a new one gets.
    """
    values = fix.action.values if fix.action is not None else {}
    if not fix.where and {"environment", "install", "pythons"} <= values.keys():
        return replace(fix, applies=True)
    by_pip = all(isinstance(line, Change) and _is_whole(line) for line in fix.commands)
    applies = by_pip and bool(fix.commands) and not fix.where and fix.changes == "environment"
    applies = applies and not _leaves_a_choice(fix)
    return replace(fix, applies=True) if applies else fix


def _leaves_a_choice(fix: Fix) -> bool:
    """Whether its packages are examples, or it installs twice, as a table's row says it of two cases."""
    found = _rows_of(fix)
    lines = [line for line in fix.commands if isinstance(line, Change) and not line.uninstalls]
    return bool(found) and (
        bool(found[-1].examples) or sum(_NO_DEPS not in line.options for line in lines) > 1
    )


def _is_whole(line: Change) -> bool:
    asks_the_shell = isinstance(line, Pip) and bool(line.keep)
    return line.tool != "conda" and not asks_the_shell and NO_NAME not in line.packages


def _parameters(fix: Fix) -> dict[str, Parameter]:
    changes = [line for line in fix.commands if isinstance(line, Change)]
    variables = variables_in(fix.commands)
    made = next((line for line in fix.commands if isinstance(line, Environment)), None)
    found: dict[str, Parameter] = {
        "environment": made.folder if made is not None else "",
        "python_version": made.python if made is not None else "",
        "install": tuple(each for line in changes if not line.uninstalls for each in line.packages),
        "remove": tuple(each for line in changes if line.uninstalls for each in line.packages),
        "alone": tuple(
            each for line in changes if _NO_DEPS in line.options for each in line.packages
        ),
        "options": tuple(dict.fromkeys(each for line in changes for each in line.options)),
        "set": tuple(f"{each.name}={each.value}" for each in variables if each.value is not None),
        "unset": tuple(each.name for each in variables if each.value is None),
    }
    return {name: each for name, each in found.items() if each}


def _kind_of(fix: Fix, lines: Mapping[str, Parameter]) -> str:
    """Of a fix that no table words, by what it does."""
    if "environment" in lines:
        return "new-environment"
    if "--force-reinstall" in lines.get("options", ()) or "--reinstall" in lines.get("options", ()):
        return "reinstall"
    if "install" in lines or "remove" in lines:
        return "change-packages"
    return "set-variable" if "set" in lines else "unset-variable"


def meaning(fix: Fix) -> Hashable:
    """What two fixes that do the same have in common: the action and on which other machine it is done. A fix whose action is none
    that is known, or says too little, is its title and its commands.
    """
    action = fix.action
    known = action is not None and action.kind in KINDS and (action.what or action.parameters)
    return (action, fix.where) if known else (fix.title, fix.commands)


def for_several(fixes: Sequence[Fix]) -> Fix:
    """One fix for several machines, of fixes of one meaning: as it is where all are alike, else in words that hold for each."""
    first = fixes[0]
    if all(each == first for each in fixes) or first.action is None:
        return first
    action = first.action
    if _rows_of(first):
        drawn = act(action.kind, action.what, **action.values)
        return replace(drawn, action=action)
    note = first.note if all(each.note == first.note for each in fixes) else ""
    title = (
        first.title if all(each.title == first.title for each in fixes) else "Change these packages"
    )
    commands = _lines(action) or first.commands
    return replace(
        first, title=title, commands=commands, note=note, applies=False, undo=(), verify=()
    )


def _lines(action: Action) -> tuple[Words, ...]:
    """What an action about packages alone does, as pip does it in the environment that is active; () for any other."""
    if "environment" in action.values:
        return ()
    removed, wanted, alone, options = (
        tuple(action.values.get(name, ())) for name in ("remove", "install", "alone", "options")
    )
    others = tuple(each for each in wanted if each not in alone)
    rest = tuple(each for each in options if each != _NO_DEPS)
    lines = (
        (removed, Pip(*removed, uninstalls=True)),
        (others, Pip(*others, options=rest)),
        (alone, Pip(*alone, options=options)),
    )
    return tuple(line for packages, line in lines if packages)


_NO_DEPS = "--no-deps"
_NOWHERE = Place()
_TYPED_ELSEWHERE = {
    "host": " (on the host)",
    "node": " (on the node; whoever runs the cluster can)",
    "administrator": " (on the host; its administrator can)",
}
"""What a title ends in where somebody else's machine is meant."""


def _drawn(row: Row, action: Action, place: Place) -> Fix:
    known = {**place.values, **action.values}
    placeholders = _placeholders()
    open_holes = {
        name: placeholders[name] for name in placeholders if name in row.holes and name not in known
    }
    values = {
        **{name: each["stands"] for name, each in open_holes.items()},
        **{name: each for name, each in known.items() if isinstance(each, str)},
    }
    whose = _whose(row, place)
    return Fix(
        filled(row.title, values) + _TYPED_ELSEWHERE.get(whose, ""),
        tuple(_command(each, values) for each in row.commands),
        _saying(
            _said(row.note, values),
            list(dict.fromkeys(each["says"] for each in open_holes.values())),
        ),
        action,
        KINDS[action.kind],
        "host" if whose == "administrator" else whose,
    )


def _said(note: str, values: Mapping[str, str]) -> str:
    """A note; what stands in it between backticks is typed."""
    typed = _typed(values)
    parts = (
        filled(part, typed if number % 2 else values) for number, part in enumerate(note.split("`"))
    )
    return "`".join(parts)


def _typed(values: Mapping[str, str]) -> dict[str, str]:
    return {name: word(value) for name, value in values.items()}


def _saying(note: str, sentences: list[str]) -> str:
    """With sentences more, before the lines for a file."""
    words, files, code = note.partition(IN_FILES)
    return " ".join(filter(None, (words.rstrip(), *sentences, files + code)))


def _whose(row: Row, place: Place) -> str:
    """On which other machine or system it is typed; a container can't do what needs the host."""
    on_the_host = row.where == "host" or (not row.where and "host" in row.needs)
    if on_the_host and place.has("kubernetes"):
        return "node"
    if on_the_host and place.has("apptainer"):
        return "administrator"
    return "host" if on_the_host and (row.where or place.has("docker")) else row.where


def _placeholders() -> dict[str, dict[str, str]]:
    """What stands where a value is not known, and the sentence that says so."""
    found: dict[str, dict[str, str]] = actions()["placeholders"]
    return found


def placeholder(name: str, **values: str) -> str:
    """The sentence that says what to put in its place."""
    return filled(_placeholders()[name]["says"], values)


def _command(said: Command, values: Mapping[str, str]) -> str:
    def words(text: str) -> Words:
        return Words(text, **values)

    if isinstance(said, str):
        alone = values.get(said[2:-2]) if said.startswith("{{") else None
        return alone if isinstance(alone, Words) else words(said)
    if "harmless" in said:
        return Harmless(said["harmless"], **values)
    if "install" in said or "uninstall" in said:
        packages = said["install"] if "install" in said else said["uninstall"]
        return Pip(
            *(each for text in packages for each in shlex.split(words(text))),
            python=words(said.get("python", "{{python}}" if "python" in values else "python")),
            options=tuple(said.get("options", ())),
            keep=words(said.get("keep", "")),
            into=words(said.get("into", "")),
            uninstalls="uninstall" in said,
        )
    if "environment" in said:
        folder, python, by = (
            words(said.get(key, default))
            for key, default in (("environment", ""), ("python", ""), ("by", "uv"))
        )
        return Environment(folder, python=python, by=by, options=tuple(said.get("options", ())))
    if "unset" in said:
        return unsetting(*(filled(each, values) for each in said["unset"]))
    if "prepend" in said:
        [(name, directory)] = said["prepend"].items()
        return prepending(name, filled(directory, values))
    return setting(
        {filled(name, values): filled(value, values) for name, value in said["set"].items()}
    )


@cache
def rows(kind: str, what: str = "") -> tuple[Row, ...]:
    """The action's rows: those of named places first, that for everywhere else last. Raises LookupError for one of no table."""
    name = named(kind, what)
    return tuple(map(_row, ADDED[name] if name in ADDED else _tables()[name]))


def is_known(kind: str, what: str) -> bool:
    """Whether a table has it."""
    name = named(kind, what)
    return name in ADDED or name in _tables()


def named(kind: str, what: str) -> str:
    """What the compiled rows of an action stand under."""
    return f"{kind}: {what}"


def names() -> Iterator[tuple[str, str]]:
    """The kind and the name of every action."""
    for each in (*_tables(), *ADDED):
        kind, _, what = each.partition(": ")
        yield kind, what


@cache
def _tables() -> Lines:
    return Lines(ROWS)


def _row(said: dict[str, Any]) -> Row:
    oldest, newest = said.get("tensorflow", (None, None))
    known = Span()
    return Row(
        said.get("title", ""),
        tuple(said.get("commands", ())),
        said.get("note", ""),
        tuple(said.get("at", ())),
        frozenset(said.get("needs", ())),
        said.get("where", ""),
        Span(tuple(oldest or known.oldest), tuple(newest or known.newest)),
        tuple(said.get("examples", ())),
        tuple(said.get("answers", ())),
        _holes(said),
    )


@cache
def lacking(names: frozenset[str]) -> frozenset[str]:
    """What can't be had at a place of these names; one of them may bring what another lacks."""
    lacks: dict[str, list[str]] = actions()["places"]
    return frozenset(each for name in names for each in lacks.get(name, ())) - names


def for_files(note: str) -> tuple[str, tuple[str, ...]]:
    """A note's words, and the lines behind them that a file gets where there are several."""
    words, _, code = note.partition(IN_FILES)
    lines = tuple(code.splitlines())
    return (words + IN_FILES.rstrip(), lines) if len(lines) > 1 else (note, ())
