"""Checks `data/knowledge/` and the pages' front matter and compiles them into the package: `make knowledge`. data/knowledge/README.md says how to add to it.

YAML is for people; what is loaded at run time is the compact JSON that this writes. One run names everything that is refused,
each with file, line and column.
"""

from __future__ import annotations

import json
import os
import re
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from itertools import accumulate, pairwise
from pathlib import Path
from typing import Any

import yaml

from tfdoctor.base.version_ranges import normalised
from tfdoctor.knowledge.actions import KINDS as KINDS_OF_ACTIONS
from tfdoctor.knowledge.actions import named as named_action
from tfdoctor.knowledge.compiled import ACTIONS as COMPILED_ACTIONS
from tfdoctor.knowledge.compiled import ROWS as COMPILED_ROWS
from tfdoctor.knowledge.lines import name_in
from tfdoctor.knowledge.messages.catalogue import (
    COMPILED,
    COMPILED_FAILING,
    COMPILED_WORDS,
    FORMAT,
    loaded,
    signature_to_json,
)
from tfdoctor.knowledge.messages.linear import FILE as LINEAR
from tfdoctor.knowledge.messages.linear import too_many_ways
from tfdoctor.knowledge.messages.signature import (
    CAUSE,
    FACT,
    HINT,
    KINDS_OF_WORDS,
    NOISE,
    SUCCESS,
    SURROUNDINGS,
    Signature,
    compiled,
    costly,
)
from tfdoctor.knowledge.messages.signature import PAGE as OF_PAGE
from tfdoctor.knowledge.model import Severity
from tfdoctor.knowledge.says import COMPILED as COMPILED_SAYS
from tools.build.strict_yaml import (
    TEXT,
    YES,
    Fields,
    Kind,
    Node,
    SlipError,
    Slips,
    by_name,
    choice,
    document,
    known,
    listed,
    mapping,
    meant,
    text,
)

ROOT = Path(__file__).parents[2]
FOLDER = ROOT / "data" / "knowledge"
PAGES = ROOT / "docs" / "codes"
FAMILY_FILE = FOLDER / "families.yaml"
FOLLOWS_FILE = FOLDER / "follows.yaml"
FAILING_FILE = FOLDER / "failing.yaml"
ACTIONS_FOLDER = FOLDER / "actions"
PLACES_FILE = FOLDER / "places.yaml"
PLACEHOLDERS_FILE = FOLDER / "placeholders.yaml"
PACKAGES_FILE = FOLDER / "packages.yaml"
QUESTIONS_FILE = FOLDER / "questions.yaml"
SHELLS_FILE = FOLDER / "variables.yaml"
TOOLS_FILE = FOLDER / "tools.yaml"
NAMES_FILE = FOLDER / "names.yaml"
TABLES_FILE = FOLDER / "tables.yaml"
# findings/catalog.py, which reads it, can't be loaded without.
COMPILED_CODES = ROOT / "tfdoctor" / "knowledge" / "codes.json"
OF_THE_LOG = {"python", "keeping", "tf_keras"}
"""Holes that are filled from the log's machine: its interpreter, what tells pip to keep TensorFlow, and the line that installs its Keras 2."""
_NO_MESSAGES = (
    "sources",
    "families",
    "follows",
    "failing",
    "places",
    "placeholders",
    "packages",
    "questions",
    "variables",
    "tools",
    "names",
    "tables",
)
_INDEX = """# All codes

These files lack the fixes: `tfdoctor explain CODE` and the site show them above a page's "Fix".
`tfdoctor explain --search WORD` finds pages that mention a word.
If you have several problems, fix the first one first."""
KINDS = {"harmless": NOISE, "progress": SUCCESS, "fact": FACT}
_HOLE = re.compile(r"\{\{([a-z][\w.-]*)(?:\|file)?\}\}")
_SOURCE = re.compile(r".+ \(\d{4}(?:-\d{2}(?:-\d{2})?)?\)$")


@dataclass(frozen=True)
class Words:
    """What is said of a message in place of what its code's page says; "" and () for the page."""

    title: str = ""
    explanation: str = ""
    fixes: tuple[tuple[str, str], ...] = ()
    cases: tuple[dict[str, Any], ...] = ()
    defaults: Mapping[str, str] = field(default_factory=dict)
    """What stands in a hole for which the line has nothing."""


@dataclass(frozen=True)
class Entry:
    """A message with what proves it, which is not shipped. `place`: where it stands."""

    signature: Signature
    samples: tuple[str, ...]
    near: tuple[str, ...]
    sources: tuple[str, ...]
    releases: str
    words: Words
    place: str
    cases: tuple[Fields, ...] = ()
    """As they are written, with their samples."""

    @property
    def name(self) -> str:
        return self.signature.name


def _a_path_of_facts(node: Node) -> str:
    said = text(node)
    _hold_fact(said, node)
    return said


def _hold_fact(said: str, at: Node) -> None:
    from tfdoctor.facts.log_values import Surroundings
    from tfdoctor.facts.model import Facts

    group, _, path = said.partition(".")
    found: object = Surroundings() if group == SURROUNDINGS else getattr(Facts(), group, None)
    for part in path.split("."):
        if not hasattr(found, part):
            raise at.slip(f"no fact {said!r}")
        found = getattr(found, part)


CODE = known("code", lambda: {page.stem for page in PAGES.glob("*.md")} - {"index"})


def _action(node: Node) -> tuple[str, str]:
    """The kind and its name: `{look: driver}`; a kind alone where there is only one of it."""
    if isinstance(node.node, yaml.ScalarNode):
        kind, what = text(node), ""
    else:
        pairs = node.pairs()
        if len(pairs) != 1:
            raise node.slip("one action is expected here: {kind: name}")
        kind, what = pairs[0][0], text(pairs[0][2])
    if (kind, what) not in actions():
        known_names = {name for of, name in actions() if of == kind} or set(KINDS_OF_ACTIONS)
        raise node.slip(
            f"no action {_called((kind, what))}{meant(what if kind in KINDS_OF_ACTIONS else kind, known_names)}"
        )
    return kind, what


def _action_or_page(node: Node) -> tuple[str, str]:
    return (OF_PAGE, "") if getattr(node.node, "value", "") == OF_PAGE else _action(node)


_ACTION_SCHEMA = {"type": "object", "maxProperties": 1, "additionalProperties": {"type": "string"}}
FIX = Kind(_action, _ACTION_SCHEMA)
FIX_OR_PAGE = Kind(_action_or_page, {"anyOf": [{"const": OF_PAGE}, _ACTION_SCHEMA]})
PAGE = mapping(
    {
        "name": TEXT,
        "explanation": TEXT,
        "severity": choice(*(each.value for each in Severity)),
        "gpu_only": YES,
        "logs_only": YES,
        "fixes": listed(FIX),
        "says": by_name(TEXT),
    },
    required=("name", "explanation", "severity"),
)
FAMILY = mapping({"title": TEXT, "codes": listed(CODE)}, required=("title", "codes"))
FAMILIES = by_name(FAMILY)
FOLLOWS = mapping(
    {
        "groups": by_name(listed(CODE)),
        "always": by_name(listed(TEXT)),
        "in-logs": by_name(listed(TEXT)),
    },
    required=("groups", "always", "in-logs"),
)
_MESSAGES: set[str] = set()
"""The names of all messages, for those that name others."""
_VERSIONS = re.compile(r"(?:>=(?P<from>\d+\.\d+))?,?(?:<(?P<below>\d+\.\d+))?")


def _versions(node: Node) -> tuple[tuple[int, ...] | None, tuple[int, ...] | None]:
    """The first and the last minor of `>=2.4,<2.15`."""
    found = _VERSIONS.fullmatch(text(node))
    if found is None or not found[0]:
        raise node.slip("minors of TensorFlow are expected here: '>=2.4,<2.15'")
    first, below = (tuple(map(int, each.split("."))) if each else None for each in found.groups())
    return first, (below[0], below[1] - 1) if below else None


PLACES = (
    "windows", "macos", "wsl", "docker", "kubernetes", "apptainer", "slurm", "jetson", "colab", "kaggle", "conda", "notebook", "cell", "serving", "jax",
)  # fmt: skip
"""Where a log may have been written, by the names that a case asks for (judge/log/settings.py finds them)."""
OF_A_LIST = ("package", "asked", "release", "spec", "span")
"""Of pip's list of releases."""
RULES = {
    "asker": ("asker",),
    "called-by-tensorflow": (),
    "calling-package": ("package",),
    "gone-from-python": ("what", "since", "value", "owner", "package"),
    "keras-class": ("module",),
    "keras-training-class": ("module",),
    "comes-with": ("comes",),
    "conda-package": ("owned",),
    "file-of-package": ("package",),
    "nvidia-package": ("package", "major"),
    "folder-of-library": ("folder", "value", "cuda"),
    "cudnn-wanted": ("spec", "file"),
    "other-tensorrt": ("wanted", "there"),
    "package-of-op": ("package", "module"),
    "joined-architectures": ("joined",),
    "last-rocm": ("own", "last"),
    "relative-architecture": ("own", "called", "value"),
    "cudnn-numbers": ("version", "wanted"),
    "debian-package": ("owner", "package"),
    "library-of-opencv": ("owner", "package"),
    "library-of-python": ("owner", "feature"),
    "library-owner": ("owner",),
    "package-of-library": ("package", "value"),
    "system-package": ("owner", "own"),
    "lesser-gpu": ("gpu", "capability", "value"),
    "on-arm": (),
    "one-refused-piece": (),
    "probability-of-minor": ("spec", "minor"),
    "raised-here": ("at", "said"),
    "pip-list": OF_A_LIST,
    "pip-unreleased": (*OF_A_LIST, "chosen"),
    "pip-python": (*OF_A_LIST, "feature", "folder", "python", "age", "first", "pythons"),
    "pip-python-of-asker": (*OF_A_LIST, "feature", "folder", "python", "age", "first", "pythons"),
    "pip-python-of-old": (*OF_A_LIST, "feature", "folder", "python", "age", "first", "pythons"),
    "pip-newest": (*OF_A_LIST, "feature", "folder", "minor"),
    "pip-none": (*OF_A_LIST, "python", "first"),
    "pip-none-of": (*OF_A_LIST, "feature", "folder", "pythons"),
    "pip-for-any-python": OF_A_LIST,
    "pip-no-file": (*OF_A_LIST, "feature", "folder", "note"),
    "pip-successor": (*OF_A_LIST, "feature", "folder", "note", "instead"),
    "pip-not-on-windows": (*OF_A_LIST, "last", "note", "value"),
    "pip-passed-over": (*OF_A_LIST, "feature", "folder", "wanted", "python"),
    "rocblas-architecture": ("arch",),
    "rock-not-loaded": (),
}
"""The rules that a case may ask, with the values that each gives (judge/log/cases.py has their functions)."""
CONDITIONS = {
    "said": listed(known("message", lambda: _MESSAGES)),
    "after": listed(known("message", lambda: _MESSAGES)),
    "group": by_name(TEXT),
    "has": listed(TEXT),
    "frame": listed(TEXT),
    "place": listed(known("place", lambda: PLACES)),
    "fact": by_name(TEXT),
    "releases": Kind(_versions, {"type": "string"}),
    "alone": YES,
}
WHEN = mapping({**CONDITIONS, "not": mapping(CONDITIONS), "rule": known("rule", lambda: RULES)})
OPEN = mapping({"codes": listed(CODE), "facts": listed(Kind(_a_path_of_facts, TEXT.schema))})
SURE = choice("certain", "likely", "possible")
CASE = mapping(
    {
        "when": WHEN,
        "code": CODE,
        "confidence": SURE,
        "open": OPEN,
        "title": TEXT,
        "explanation": TEXT,
        "fixes": listed(FIX_OR_PAGE),
        "sample": TEXT,
    }
)


def _cases(node: Node) -> tuple[Fields, ...]:
    read: tuple[Fields, ...] = listed(CASE, block=True).read(node)
    for case, behind in pairwise(read):
        if "when" not in case:
            raise behind.node.slip(
                "this case is never reached: the one before it has no `when`; put that one last"
            )
    return read


MESSAGE = mapping(
    {
        "anchor": listed(TEXT, alone=True),
        "pattern": TEXT,
        "unless": listed(TEXT),
        "role": choice(HINT, NOISE),
        "title": TEXT,
        "explanation": TEXT,
        "fixes": listed(FIX),
        "defaults": by_name(TEXT),
        "cases": Kind(_cases, listed(CASE).schema),
        "why": TEXT,
        "confidence": choice("likely", "possible"),
        "open": OPEN,
        "clears": listed(CODE),
        "samples": listed(TEXT, block=True),
        "not": listed(TEXT, block=True),
        "releases": TEXT,
        "sources": listed(TEXT),
    },
    required=("anchor", "samples"),
)
UNREAD = Kind(lambda node: node, MESSAGE.schema)
"""A message that is read later, so that one in which something is wrong hides no other."""
FILE = mapping(
    {"code": CODE, "kind": choice(*KINDS), "messages": by_name(UNREAD)}, required=("messages",)
)
SOURCES = by_name(TEXT)
PLACES_AND_LACKS = by_name(listed(TEXT))
PLACEHOLDERS = by_name(mapping({"stands": TEXT, "says": TEXT}, required=("stands", "says")))


@cache
def _places() -> dict[str, tuple[str, ...]]:
    """What each place lacks. Raises SlipError."""
    return {
        name: lacks
        for name, (_, lacks) in PLACES_AND_LACKS.read(
            document(PLACES_FILE, PLACES_FILE.parents[2])
        ).items()
    }


@cache
def placeholders() -> dict[str, dict[str, str]]:
    """What stands in a hole whose value is not known. Raises SlipError."""
    read = PLACEHOLDERS.read(document(PLACEHOLDERS_FILE, PLACEHOLDERS_FILE.parents[2]))
    return {name: dict(each) for name, (_, each) in read.items()}


_PLACE = known("place", lambda: _places())
_TEXTS = by_name(TEXT)
_BARE = Kind(
    lambda node: {name: said for name, (_, said) in _TEXTS.read(node).items()}, _TEXTS.schema
)
_NAMES = by_name(listed(TEXT))
NAMES = mapping(
    {
        **dict.fromkeys(("python", "renamed", "public", "projects"), _BARE),
        "every": listed(TEXT),
        "only-1": Kind(
            lambda node: {name: said for name, (_, said) in _NAMES.read(node).items()},
            _NAMES.schema,
        ),
    },
    required=("python", "renamed", "public", "projects", "every", "only-1"),
)
_TABLES = (
    "facts",
    "waits-for",
    "windows",
    "system",
    "debian",
    "nvidia",
    "conda",
    "ops",
    "platforms",
    "why",
    "way",
)
TABLES = mapping(dict.fromkeys(_TABLES, _BARE), required=_TABLES)
PACKAGES = by_name(
    mapping(
        {
            "modules": listed(TEXT),
            "any-python": YES,
            **dict.fromkeys(("newest", "gone", "came"), _BARE),
            **dict.fromkeys(("python", "windows", "instead", "note"), TEXT),
        }
    )
)


_LINES = mapping(
    {
        **dict.fromkeys(("set", "prepend"), _TEXTS),
        **dict.fromkeys(("unset", "install", "uninstall", "options"), listed(TEXT)),
        **dict.fromkeys(("environment", "by", "into", "python", "keep"), TEXT),
        "harmless": Kind(lambda node: _shell_line(node), TEXT.schema),
    }
)


def _questions() -> dict[str, str]:
    """By the fact's path. Raises SlipError."""
    read = _TEXTS.read(document(QUESTIONS_FILE, QUESTIONS_FILE.parents[2]))
    for name, (at, _) in read.items():
        _hold_fact(name, at)
    return {name: command for name, (_, command) in read.items()}


FAILING = by_name(
    by_name(
        mapping(
            {
                "pattern": TEXT,
                "samples": listed(TEXT, block=True),
                "not": listed(TEXT, block=True),
                "sources": listed(TEXT),
            },
            required=("pattern", "samples", "not"),
        )
    )
)


def _line(node: Node) -> str | dict[str, Any]:
    """A line of a POSIX shell, or what it does with variables, packages or a new environment."""
    if isinstance(node.node, yaml.ScalarNode):
        return _shell_line(node)
    said = _LINES.read(node)
    if len(said.keys() - {"options", "keep", "python", "into", "by"}) != 1:
        raise node.slip(
            "one of harmless, set, unset, prepend, install, uninstall and environment is expected here"
        )
    return {
        key: {name: value for name, (_, value) in each.items()} if isinstance(each, dict) else each
        for key, each in said.items()
    }


def _shell_line(node: Node) -> str:
    command = text(node)
    if inside := within_quotes(command):
        raise node.slip(
            f"{inside} stands between quotes: write it outside of them, for what fills it is quoted by itself"
        )
    return command


_QUOTING = re.compile(r"\\.|\{\{[a-z][\w.-]*(?:\|file)?\}\}|\$?\(|[)'\"`]", re.DOTALL)


_ENDS = {"'": "'", '"': '"', "`": "`", "(": ")", "$(": ")"}


def within_quotes(command: str) -> str:
    """The first hole of a shell's line that stands between quotes; "" for none. Within `$(…)` another line begins."""
    around = [""]
    for found in _QUOTING.finditer(command):
        piece, innermost = found[0], around[-1]
        if piece.startswith("{{"):
            if innermost in ("'", '"', "`"):
                return piece
        elif piece == _ENDS.get(innermost) or (innermost == "'" and piece == "\\'"):
            around.pop()
        elif innermost != "'" and (
            piece in ("$(", '"', "`") or (piece in ("(", "'") and innermost != '"')
        ):
            around.append(piece)
    return ""


ROW = mapping(
    {
        "at": listed(_PLACE),
        "title": TEXT,
        "commands": listed(Kind(_line, {"anyOf": [TEXT.schema, _LINES.schema]}), block=True),
        "note": TEXT,
        "needs": listed(
            known("need", lambda: {each for lacks in _places().values() for each in lacks})
        ),
        "where": choice("host", "node", "windows", "wsl"),
        "tensorflow": Kind(_versions, {"type": "string"}),
        "examples": listed(TEXT),
        "answers": listed(Kind(_a_path_of_facts, TEXT.schema)),
        "skip": YES,
    }
)


def _rows(node: Node) -> tuple[Fields, ...]:
    """One row, or one for each of several places and a last one for everywhere else."""
    read: tuple[Fields, ...] = listed(ROW, alone=True).read(node)
    for row in read:
        if ("title" in row) == ("skip" in row):
            raise row.node.slip("a row needs a title, or says `skip: true`")
    if "at" in read[-1] or any("at" not in row for row in read[:-1]):
        raise read[-1].node.slip(
            "the last row, and no other, is for everywhere else: it has no `at`"
        )
    return read


SHELLS = listed(
    mapping(
        {
            "at": listed(_PLACE),
            "alone": YES,
            "quote": choice("cmd", "powershell", "cell"),
            **dict.fromkeys(
                ("set", "unset", "prepend", "also", "before", "after", "each", "between"), TEXT
            ),
        },
        required=("at",),
    )
)
TOOLS = listed(
    mapping(
        {
            "at": listed(_PLACE),
            "alone": YES,
            **dict.fromkeys(
                ("install", "upgrade", "uninstall", "run", "pip", "other", "before"), TEXT
            ),
        },
        required=("at", "install", "upgrade"),
    )
)
ACTIONS = by_name(Kind(_rows, listed(ROW, alone=True).schema))


@cache
def entries() -> tuple[Entry, ...]:
    """Every message: causes in the catalogue's order of codes, then harmless lines, progress, facts. Raises SlipError."""
    return read_entries()


def read_entries() -> tuple[Entry, ...]:
    """The same, read again."""
    slips = Slips()
    order: dict[str, int] = {}
    files: list[tuple[Path, Node]] = []
    named: dict[str, str] = {}
    with slips:
        action_slips().raise_any()
    with slips:
        order = {code: number for number, code in enumerate(codes()["codes"])}
    with slips:
        named = {
            name: said
            for name, (_, said) in SOURCES.read(document(FOLDER / "sources.yaml", ROOT)).items()
        }
    for path in sorted(each for each in FOLDER.rglob("*.yaml") if _holds_messages(each)):
        with slips:
            files.append((path, document(path, ROOT)))
    _MESSAGES.clear()
    for _, node in files:
        with slips:
            _MESSAGES.update(_names_in(node))
    read = []
    for path, node in files:
        with slips:
            read.append((path, node, FILE.read(node)))
    kinds = ["", *KINDS]
    read.sort(
        key=lambda each: (
            kinds.index(each[2].get("kind", "")),
            order.get(each[2].get("code", ""), 0),
            each[0],
        )
    )
    found: dict[str, Entry] = {}
    for path, node, said in read:
        with slips:
            for name, (key, message) in _of_file(path, node, said).items():
                with slips:
                    entry = _entry(name, key, MESSAGE.read(message), said, named)
                    if not entry.sources:
                        raise key.slip(
                            "where was it seen, or where is it produced? It needs `sources`"
                        )
                    if name in order:
                        raise key.slip(f"{name}: a message can't have the name of a code")
                    if name in found:
                        raise key.slip(f"there is a message {name!r} in {found[name].place}, too")
                    found[name] = entry
    slips.raise_any()
    return tuple(found.values())


def _names_in(node: Node) -> Iterator[str]:
    """The names of a file's messages, whatever else is wrong in it."""
    for key, _, value in node.pairs():
        if key == "messages":
            yield from (name for name, _, _ in value.pairs())


def _holds_messages(path: Path) -> bool:
    return path.parent != ACTIONS_FOLDER and not (
        path.parent == FOLDER and path.stem in _NO_MESSAGES
    )


@cache
def codes() -> dict[str, Any]:
    """Every code with what its page says, in order, and the families. Raises SlipError."""
    families = FAMILIES.read(document(FAMILY_FILE, FAMILY_FILE.parents[2]))
    always, in_logs = _effects("always"), _effects("in-logs")
    found: dict[str, dict[str, Any]] = {}
    slips = Slips()
    for family, (_, said) in families.items():
        for number, code in enumerate(said["codes"]):
            page = PAGES / f"{code}.md"
            with slips:
                if code in found:
                    raise said.at("codes", number).slip(f"{code} stands in two families")
                found[code] = {
                    "family": family,
                    "gpu_only": False,
                    "logs_only": False,
                    "fixes": (),
                    "says": {},
                    "effects": always.get(code, ()),
                    "effects_in_logs": in_logs.get(code, ()),
                    **PAGE.read(document(page, page.parents[2])),
                }
    slips.raise_any()
    lacking = sorted({page.stem for page in PAGES.glob("*.md")} - {"index", *found})
    if lacking:
        raise SlipError(
            f"docs/codes/{lacking[0]}.md:1:1: this code is in no family of data/knowledge/families.yaml"
        )
    return {
        "families": {family: said["title"] for family, (_, said) in families.items()},
        "codes": found,
    }


def _effects(when: str) -> dict[str, tuple[str, ...]]:
    """The codes that follow from each code, groups spelled out. Raises SlipError."""
    said = FOLLOWS.read(document(FOLLOWS_FILE, FOLLOWS_FILE.parents[2]))
    groups = {name: codes for name, (_, codes) in said["groups"].items()}
    found = {}
    for code, (key, effects) in said[when].items():
        spelled = {each for effect in effects for each in groups.get(effect, (effect,))}
        unknown = sorted(each for each in (code, *spelled) if not (PAGES / f"{each}.md").is_file())
        if unknown:
            raise key.slip(f"{unknown[0]} is neither a code nor a group of this file")
        found[code] = tuple(sorted(spelled))
    return found


def failing() -> dict[str, str]:
    """The words by which a line tells that something failed, one pattern for each kind. Raises SlipError."""
    slips, found = Slips(), {}
    for kind, (key, words) in FAILING.read(document(FAILING_FILE, ROOT)).items():
        with slips:
            if kind not in KINDS_OF_WORDS:
                raise key.slip(f"no kind {kind!r}{meant(kind, KINDS_OF_WORDS)}")
            found[kind] = "|".join(said["pattern"] for _, said in words.values())
        for _, said in words.values():
            with slips:
                _hold_words(said)
    slips.raise_any()
    if lacking := [each for each in KINDS_OF_WORDS if each not in found]:
        raise SlipError(f"{FAILING_FILE.name}: {', '.join(lacking)} is missing")
    return found


def _hold_words(said: Fields) -> None:
    """The samples have these words, and what stands under `not` has none of them."""
    _hold_pattern(said["pattern"], said.at("pattern"))
    form = re.compile(said["pattern"])
    for key, meant_so in (("samples", True), ("not", False)):
        for number, line in enumerate(said[key]):
            if bool(form.search(line)) is not meant_so:
                raise said.at(key, number).slip(
                    f"{line!r} is {'not ' if meant_so else ''}recognized"
                )


def actions() -> dict[tuple[str, str], tuple[Fields, ...]]:
    """The rows of every action by its kind and name; those of a file in which something is wrong are left out."""
    return _actions()[0]


def action_slips() -> Slips:
    """What is wrong in the actions."""
    return _actions()[1]


@cache
def _actions() -> tuple[dict[tuple[str, str], tuple[Fields, ...]], Slips]:
    found: dict[tuple[str, str], tuple[Fields, ...]] = {}
    slips = Slips()
    for path in sorted(ACTIONS_FOLDER.glob("*.yaml")):
        with slips:
            if path.stem not in KINDS_OF_ACTIONS:
                raise SlipError(
                    f"{path.name}:1:1: there is no such kind of action{meant(path.stem, KINDS_OF_ACTIONS)}"
                )
            for name, _, value in document(path, path.parents[3]).pairs():
                with slips:
                    found[path.stem, "" if name == path.stem else name] = _rows(value)
    return found, slips


def holes(action: tuple[str, str]) -> set[str]:
    """What has to be filled in where the action is used."""
    said = [
        (row.get("title", ""), *row.get("commands", ()), row.get("note", ""))
        for row in actions()[action]
    ]
    return {
        hole for texts in said for each in texts for hole in _HOLE.findall(str(each))
    } - placeholders().keys()


def _of_file(path: Path, node: Node, said: Fields) -> dict[str, tuple[Node, Node]]:
    """Its messages, each behind its name, unread."""
    if ("code" in said) == ("kind" in said):
        raise node.slip("either code or kind is needed here")
    code = said.get("code", "")
    if code and code not in (path.stem, path.parent.name):
        raise said.at("code").slip(
            f"the messages of {code} stand in causes/{code}.yaml, or in a folder of that name"
        )
    messages: dict[str, tuple[Node, Node]] = said["messages"]
    return messages


def _entry(name: str, key: Node, said: Fields, file: Fields, named: Mapping[str, str]) -> Entry:
    """Raises SlipError."""
    role = KINDS.get(file.get("kind", ""), CAUSE)
    anchor, *also = said["anchor"]
    rivals = said.get("open", {})
    signature = Signature(
        name=name, code=file.get("code") or ("noise" if role == NOISE else ""), anchor=anchor, also=tuple(also),
        form=said.get("pattern", ""), unless=said.get("unless", ()), role=said.get("role", role),
        rivals=rivals.get("codes", ()), decided_by=rivals.get("facts", ()), clears=said.get("clears", ()),
        why=said.get("why", ""), sure=said.get("confidence", "certain"),
    )  # fmt: skip
    slips = Slips()
    _hold_pattern(signature.form, said.at("pattern"))
    with slips:
        for part in (_hold_lines, _hold_rest):
            with slips:
                part(signature, said, key)
        with slips:
            _hold_sources(said, named)
    defaults = {hole: text for hole, (_, text) in said.get("defaults", {}).items()}
    common = {each: said[each] for each in ("title", "explanation") if each in said}
    cases = []
    if "cases" not in said:  # its own words are filled by its line
        _fill(slips, common, said, set(compiled(signature.form).groupindex))
    for case in said.get("cases", ()):
        with slips:
            cases.append(_case(case, signature, common, set(defaults)))
    slips.raise_any()
    return Entry(
        signature, said["samples"], said.get("not", ()), tuple(named.get(each, each) for each in said.get("sources", ())),
        said.get("releases", ""),
        Words(said.get("title", ""), said.get("explanation", ""), said.get("fixes", ()), tuple(cases), defaults),
        key.place, said.get("cases", ()),
    )  # fmt: skip


def _case(
    said: Fields, signature: Signature, common: dict[str, Any], defaults: set[str]
) -> dict[str, Any]:
    """A case as it is compiled. Raises SlipError for a hole or a condition that no group of the pattern can serve."""
    slips = Slips()
    groups = set(compiled(signature.form).groupindex)
    when: dict[str, Any] = {}
    with slips:
        when = _conditions(said.get("when", Fields(said.node)), groups)
    _fill(
        slips,
        {**common, **said},
        said,
        groups | defaults | set(RULES.get(when.get("rule", ""), ())),
    )
    slips.raise_any()
    shipped = {key: each for key, each in said.items() if key != "sample"}
    return {**shipped, **({"when": when} if when else {})}


def _conditions(when: Fields, groups: set[str]) -> dict[str, Any]:
    """With patterns alone under `group`. Raises SlipError for a group that the message's pattern does not have."""
    found: dict[str, Any] = dict(when)
    for group, (key, pattern) in when.get("group", {}).items():
        if group not in groups:
            raise key.slip(f"the pattern has no group {group!r}{meant(group, groups)}")
        _hold_pattern(pattern, key)
    for number, group in enumerate(when.get("has", ())):
        if group not in groups:
            raise when.at("has", number).slip(
                f"the pattern has no group {group!r}{meant(group, groups)}"
            )
    for path, (key, pattern) in when.get("fact", {}).items():
        _hold_fact(path, key)
        _hold_pattern(pattern, key)
    for each in ("group", "fact"):
        if each in when:
            found[each] = {name: pattern for name, (_, pattern) in when[each].items()}
    if "not" in when:
        found["not"] = _conditions(when["not"], groups)
    return found


def _fill(slips: Slips, texts: Mapping[str, Any], case: Fields, groups: set[str]) -> None:
    """Notes a hole that no group can fill."""
    for key in ("title", "explanation"):
        with slips:
            _hold_holes(_HOLE.findall(texts.get(key, "")), groups, f"`{key}`", case.at(key))
    for number, name in enumerate(case.get("fixes", ())):
        if name == (OF_PAGE, ""):
            continue
        with slips:
            _hold_holes(
                sorted(holes(name) - OF_THE_LOG), groups, _called(name), case.at("fixes", number)
            )


def _called(action: tuple[str, str]) -> str:
    kind, what = action
    return f"{{{kind}: {what}}}" if what else kind


def _hold_holes(needed: list[str], groups: set[str], what: str, at: Node) -> None:
    for hole in needed:
        if "." in hole and hole.partition(".")[0] in _MESSAGES:
            continue  # what another message told; without it the case does not apply
        if "." in hole:
            _hold_fact(hole, at)
            continue
        if hole not in groups:
            raise at.slip(
                f"{what} asks for {{{{{hole}}}}}, and the pattern has no such group{meant(hole, groups)}"
            )


def _hold_rest(signature: Signature, said: Fields, key: Node) -> None:
    if min(len(each.encode()) for each in signature.anchors) < 4:
        raise said.at("anchor").slip("an anchor has at least 4 bytes, to be rare")
    for number, name in enumerate(said.get("fixes", ())):
        if unfilled := holes(name) - OF_THE_LOG:
            raise said.at("fixes", number).slip(
                f"{_called(name)} has a hole that nothing fills here: {{{{{min(unfilled)}}}}}"
            )
    if (signature.role == NOISE) != bool(signature.why):
        raise key.slip(
            "`why` says why a harmless message is harmless; it needs one, and no other has one"
        )


def _hold_sources(said: Fields, named: Mapping[str, str]) -> None:
    for number, source in enumerate(said.get("sources", ())):
        if not _SOURCE.match(named.get(source, source)):
            raise said.at("sources", number).slip(
                f"the source {source!r} is neither in sources.yaml nor ends with its date: (2026-11)"
            )


def _hold_lines(signature: Signature, said: Fields, key: Node) -> None:
    """The samples are recognized, what stands under `not` has the anchor and is not."""
    if not said["samples"]:
        raise said.at("samples").slip("it needs a sample")
    for number, sample in enumerate(said["samples"]):
        if signature.hit(sample) is None:
            raise said.at("samples", number).slip(f"the sample {sample!r} is not recognized")
    for number, near in enumerate(said.get("not", ())):
        if signature.hit(near):
            raise said.at("not", number).slip(
                f"{near!r} under `not` is recognized: it should not be"
            )
        if not any(anchor in near for anchor in signature.anchors):
            raise said.at("not", number).slip(
                f"{near!r} under `not` lacks the anchor, so it proves nothing"
            )
    if not said.get("not") and signature.hit(signature.anchor) is None:
        raise key.slip("it needs a line under `not` that has the anchor and is not meant")


def _hold_pattern(pattern: str, at: Node) -> None:
    """A pattern costs linear time in any engine: no look-around, no back-reference, no repeat without a bound, few ways back."""
    if why := costly(pattern):
        raise at.slip(why)
    if pattern not in _tried() and (why := too_many_ways(pattern)):
        raise at.slip(why)


@cache
def _tried() -> frozenset[str]:
    """The patterns that were compiled since knowledge/messages/linear.py was last changed: to try all of them takes two seconds."""
    try:
        if COMPILED.stat().st_mtime < LINEAR.stat().st_mtime:
            return frozenset()
        return frozenset(each.form for each in loaded())
    except OSError:
        return frozenset()


def build() -> int:
    """How many messages were compiled; codes and fixes with them. Raises SlipError."""
    _places.cache_clear()
    placeholders.cache_clear()
    _actions.cache_clear()
    codes.cache_clear()
    entries.cache_clear()
    every = entries()
    pages = codes()["codes"]
    _write(
        COMPILED_SAYS,
        {
            code: {name: text for name, (_, text) in page["says"].items()}
            for code, page in pages.items()
        },
    )
    bare = {code: {key: page[key] for key in page if key != "says"} for code, page in pages.items()}
    _write(COMPILED_CODES, {**codes(), "codes": bare})
    messages = [signature_to_json(each.signature) for each in every]
    words = {
        each.name: (
            each.words.title,
            each.words.explanation,
            each.words.fixes,
            each.words.cases,
            each.words.defaults,
        )
        for each in every
        if each.words != Words()
    }
    shells = SHELLS.read(document(SHELLS_FILE, SHELLS_FILE.parents[2]))
    tools = TOOLS.read(document(TOOLS_FILE, TOOLS_FILE.parents[2]))
    _write(
        COMPILED_ACTIONS,
        {
            "places": _places(),
            "placeholders": placeholders(),
            "questions": _questions(),
            "packages": {
                name: said
                for name, (_, said) in PACKAGES.read(
                    document(PACKAGES_FILE, PACKAGES_FILE.parents[2])
                ).items()
            },
            "shells": shells,
            "tools": tools,
            "tables": {
                **NAMES.read(document(NAMES_FILE, NAMES_FILE.parents[2])),
                **TABLES.read(document(TABLES_FILE, TABLES_FILE.parents[2])),
            },
            "examples": sorted({name for row in _every_row() for name in row.get("examples", ())}),
            "named": sorted(_named()),
        },
    )
    _write(COMPILED_FAILING, failing())
    _write_lines(COMPILED_WORDS, words)
    _write_lines(COMPILED_ROWS, {named_action(*each): rows for each, rows in actions().items()})
    _write(COMPILED, {"format": FORMAT, "messages": messages})
    return len(messages)


def _every_row() -> Iterator[Fields]:
    return (row for rows in actions().values() for row in rows)


def _named() -> set[str]:
    """The packages that actions install and remove by name."""
    lines = [
        line for row in _every_row() for line in row.get("commands", ()) if isinstance(line, dict)
    ]
    said = (
        each for line in lines for key in ("install", "uninstall") for each in line.get(key, ())
    )
    return {normalised(name_in(each)) for each in said if "{{" not in each}


def _write(target: Path, content: Any) -> None:
    _replace(target, _json(content))


def _write_lines(target: Path, content: Mapping[str, Any]) -> None:
    """A line for each, behind one that says where they begin (`Lines`)."""
    lines = [_json(each) + b"\n" for each in content.values()]
    starts = accumulate(map(len, lines), initial=0)
    _replace(target, _json(dict(zip(content, starts, strict=False))) + b"\n" + b"".join(lines))


def _replace(target: Path, content: bytes) -> None:
    temporary = target.with_name(f"{target.name}.{os.getpid()}")
    temporary.write_bytes(content)
    temporary.replace(target)


def _json(content: Any) -> bytes:
    return json.dumps(content, ensure_ascii=False, separators=(",", ":")).encode()


def is_fresh() -> bool:
    """Whether the compiled file is newer than everything that it is made of."""
    sources = [
        *FOLDER.rglob("*"),
        *PAGES.iterdir(),
        Path(__file__),
        ROOT / "tfdoctor" / "knowledge" / "messages" / "catalogue.py",
    ]
    compiled_files = (
        COMPILED,
        COMPILED_FAILING,
        COMPILED_WORDS,
        COMPILED_ACTIONS,
        COMPILED_ROWS,
        COMPILED_CODES,
        COMPILED_SAYS,
    )
    return all(each.exists() for each in compiled_files) and COMPILED.stat().st_mtime >= max(
        each.stat().st_mtime for each in sources
    )


def index() -> str:
    """The page of all codes, in the order in which problems must be fixed. Raises SlipError."""
    read = codes()
    lines = [_INDEX]
    for family, title in read["families"].items():
        pages = (
            (code, page["name"]) for code, page in read["codes"].items() if page["family"] == family
        )
        lines += [
            "",
            f"## {title}",
            "",
            *(f"- [{code}]({code}.md): {name}" for code, name in pages),
        ]
    return "\n".join(lines) + "\n"


def main() -> int:
    if sys.argv[1:] == ["--schema"]:
        print(
            json.dumps(
                {"$schema": "https://json-schema.org/draft/2020-12/schema", **FILE.schema}, indent=2
            )
        )
        return 0
    try:
        number = build()
        (PAGES / "index.md").write_text(index(), encoding="utf-8")
        from tools.build.idle import idle  # it reads what was just compiled

        if found := list(idle(entries())):
            raise SlipError(*found)
    except SlipError as slips:
        print(slips, file=sys.stderr)
        return 1
    print(f"{number} messages in {COMPILED.relative_to(ROOT)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
