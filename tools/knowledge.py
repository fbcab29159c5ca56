"""Checks `data/knowledge/` and the pages' front matter and compiles them into the package: `make knowledge`. data/knowledge/README.md says how to add to it.

YAML is for people; what is loaded at run time is the compact JSON that this writes. Everything that is refused is named with
file, line and column.
"""

from __future__ import annotations

import json
import os
import re
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from difflib import get_close_matches
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Any

from tfdoctor.findings.fix import COMPILED as COMPILED_FIXES
from tfdoctor.findings.model import Severity
from tfdoctor.signatures.catalogue import COMPILED, COMPILED_WORDS, FORMAT, signature_to_json
from tfdoctor.signatures.signature import (
    CAUSE,
    FACT,
    GROUPS,
    HINT,
    NOISE,
    PLACES,
    RULES,
    SUCCESS,
    Signature,
    compiled,
)
from tfdoctor.signatures.signature import PAGE as OF_PAGE
from tools.linear import runaway
from tools.strict_yaml import (
    TEXT,
    YES,
    Kind,
    Node,
    SlipError,
    by_name,
    choice,
    document,
    known,
    listed,
    mapping,
)

ROOT = Path(__file__).parent.parent
FOLDER = ROOT / "data" / "knowledge"
PAGES = ROOT / "docs" / "codes"
FAMILY_FILE = FOLDER / "families.yaml"
FOLLOWS_FILE = FOLDER / "follows.yaml"
FIXES_FOLDER = FOLDER / "fixes"
COMPILED_CODES = (
    ROOT / "tfdoctor" / "findings" / "codes.json"
)  # findings/catalog.py, which reads it, can't be loaded without
OF_THE_LOG = {"python", "keeping"}
"""Holes that are filled from the log's machine: its interpreter, and what tells pip to keep TensorFlow."""
KINDS = {"harmless": NOISE, "progress": SUCCESS, "fact": FACT}
_HOLE = re.compile(r"\{\{([a-z][\w.-]*)(?:\|file)?\}\}")
_SOURCE = re.compile(r".+ \(\d{4}(?:-\d{2}(?:-\d{2})?)?\)$")


@dataclass(frozen=True)
class Words:
    """What is said of a message in place of what its code's page says; "" and () for the page."""

    title: str = ""
    explanation: str = ""
    fixes: tuple[str, ...] = ()
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
    cases: tuple[dict[str, Any], ...] = ()
    """As they are written, with their samples."""

    @property
    def name(self) -> str:
        return self.signature.name


def _a_path_of_facts(node: Node) -> str:
    from tfdoctor.facts.model import Facts

    said, at = TEXT.read(node), Facts()
    for part in said.split("."):
        if not hasattr(at, part):
            raise node.slip(f"no fact {said!r}")
        at = getattr(at, part)
    return str(said)


CODE = known("code", lambda: {page.stem for page in PAGES.glob("*.md")} - {"index"})
FIX = known("fix", lambda: _names_of_fixes())
FIX_OR_PAGE = known("fix", lambda: {*_names_of_fixes(), OF_PAGE})
PAGE = mapping(
    {
        "name": TEXT,
        "explanation": TEXT,
        "severity": choice(*(each.value for each in Severity)),
        "gpu_only": YES,
        "fixes": listed(FIX),
    },
    required=("name", "explanation", "severity"),
)
FAMILY = mapping({"title": TEXT, "codes": listed(CODE)}, required=("title", "codes"))
FAMILIES = by_name(FAMILY)
FOLLOWS = mapping(
    {"groups": by_name(listed(CODE)), "always": by_name(listed(TEXT)), "in-logs": by_name(listed(TEXT))},
    required=("groups", "always", "in-logs"),
)
_MESSAGES: set[str] = set()
"""The names of all messages, for those that name others."""
CONDITIONS = {
    "said": listed(known("message", lambda: _MESSAGES)),
    "group": by_name(TEXT),
    "has": listed(TEXT),
    "place": listed(known("place", lambda: PLACES)),
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


def _cases(node: Node) -> tuple[tuple[Node, dict[str, Any]], ...]:
    """In their order, each with its place."""
    read = listed(CASE, block=True).read(node)
    pairs = tuple(zip(node.children(), read, strict=True))
    for (_, case), (behind, _) in pairwise(pairs):
        if "when" not in case:
            raise behind.slip(
                "this case is never reached: the one before it has no `when`; put that one last"
            )
    return pairs


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
FILE = mapping({"code": CODE, "kind": choice(*KINDS), "messages": by_name(MESSAGE)}, required=("messages",))
SOURCES = by_name(TEXT)
FIXES = by_name(
    mapping({"title": TEXT, "commands": listed(TEXT, block=True), "note": TEXT}, required=("title",))
)


@cache
def entries() -> tuple[Entry, ...]:
    """Every message: causes in the catalogue's order of codes, then harmless lines, progress, facts. Raises SlipError."""
    return read_entries()


def read_entries() -> tuple[Entry, ...]:
    """The same, read anew."""
    named = {name: said for name, (_, said) in SOURCES.read(document(FOLDER / "sources.yaml", ROOT)).items()}
    known_codes = codes()["codes"]
    order = {code: number for number, code in enumerate(known_codes)}
    files = [(path, document(path, ROOT)) for path in sorted(FOLDER.rglob("*.yaml")) if _holds_messages(path)]
    _MESSAGES.clear()
    _MESSAGES.update(name for _, node in files for name in _names_in(node))
    read = [(path, node, FILE.read(node)) for path, node in files]
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
        for entry in _of_file(path, node, said, named):
            if entry.name in known_codes:
                raise SlipError(entry.place, f"{entry.name}: a message can't have the name of a code")
            if entry.name in found:
                raise SlipError(
                    entry.place, f"there is a message {entry.name!r} in {found[entry.name].place}, too"
                )
            found[entry.name] = entry
    return tuple(found.values())


def _names_in(node: Node) -> Iterator[str]:
    """The names of a file's messages, whatever else is wrong in it."""
    for key, _, value in node.pairs():
        if key == "messages":
            yield from (name for name, _, _ in value.pairs())


def _holds_messages(path: Path) -> bool:
    return path.name not in ("sources.yaml", "families.yaml", "follows.yaml") and path.parent.name != "fixes"


@cache
def codes() -> dict[str, Any]:
    """Every code with what its page says, in order, and the families. Raises SlipError."""
    families = FAMILIES.read(document(FAMILY_FILE, FAMILY_FILE.parents[2]))
    always, in_logs = _effects("always"), _effects("in-logs")
    found: dict[str, dict[str, Any]] = {}
    for family, (key, said) in families.items():
        for code in said["codes"]:
            if code in found:
                raise key.slip(f"{code} stands in two families")
            page = PAGES / f"{code}.md"
            found[code] = {
                "family": family,
                "gpu_only": False,
                "fixes": (),
                "effects": always.get(code, ()),
                "effects_in_logs": in_logs.get(code, ()),
                **PAGE.read(document(page, page.parents[2])),
            }
    lacking = sorted({page.stem for page in PAGES.glob("*.md")} - {"index", *found})
    if lacking:
        raise SlipError(
            f"docs/codes/{lacking[0]}.md:1:1", "this code is in no family of data/knowledge/families.yaml"
        )
    return {"families": {family: said["title"] for family, (_, said) in families.items()}, "codes": found}


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


def _names_of_fixes() -> set[str]:
    return set(fixes())


@cache
def fixes() -> dict[str, dict[str, Any]]:
    """Every fix by its name. Raises SlipError."""
    found: dict[str, dict[str, Any]] = {}
    for path in sorted(FIXES_FOLDER.glob("*.yaml")):
        for name, (key, said) in FIXES.read(document(path, path.parents[3])).items():
            if name in found:
                raise key.slip(f"there is a fix {name!r} in another file, too")
            found[name] = said
    return found


def holes(name: str) -> set[str]:
    """What has to be filled in where the fix of that name is used."""
    said = fixes()[name]
    texts = (said["title"], *said.get("commands", ()), said.get("note", ""))
    return {hole for text in texts for hole in _HOLE.findall(text)}


def _of_file(path: Path, node: Node, said: dict[str, Any], named: dict[str, str]) -> Iterator[Entry]:
    if ("code" in said) == ("kind" in said):
        raise node.slip("either code or kind is needed here")
    code, role = said.get("code", ""), KINDS.get(said.get("kind", ""), CAUSE)
    if code and code not in (path.stem, path.parent.name):
        raise node.slip(f"the messages of {code} stand in causes/{code}.yaml, or in a folder of that name")
    for name, (key, message) in said["messages"].items():
        yield _entry(name, key, message, code or ("noise" if role == NOISE else ""), role, named)


def _entry(name: str, key: Node, said: dict[str, Any], code: str, role: str, named: dict[str, str]) -> Entry:
    anchor, *also = said["anchor"]
    rivals = said.get("open", {})
    signature = Signature(
        name=name, code=code, anchor=anchor, also=tuple(also), form=said.get("pattern", ""),
        unless=said.get("unless", ()), role=said.get("role", role), rivals=rivals.get("codes", ()),
        decided_by=rivals.get("facts", ()), clears=said.get("clears", ()), why=said.get("why", ""),
        sure=said.get("confidence", "certain"),
    )  # fmt: skip
    sources = tuple(named.get(each, each) for each in said.get("sources", ()))
    defaults = {name: text for name, (_, text) in said.get("defaults", {}).items()}
    common = {key: said[key] for key in ("title", "explanation") if key in said}
    cases = tuple(_case(each, at, signature, common, set(defaults)) for at, each in said.get("cases", ()))
    words = Words(said.get("title", ""), said.get("explanation", ""), said.get("fixes", ()), cases, defaults)
    entry = Entry(
        signature, said["samples"], said.get("not", ()), sources, said.get("releases", ""), words, key.place,
        tuple(each for _, each in said.get("cases", ())),
    )  # fmt: skip
    if problem := _problem(entry):
        raise key.slip(f"{name}: {problem}")
    return entry


def _case(
    said: dict[str, Any], at: Node, signature: Signature, common: dict[str, Any], defaults: set[str]
) -> dict[str, Any]:
    """A case as it is compiled. Raises SlipError for a hole or a condition that no group of the pattern can serve."""
    groups = set(compiled(signature.form).groupindex)
    when = _conditions(said.get("when", {}), at, groups)
    if "not" in when:
        when["not"] = _conditions(when["not"], at, groups)
    of_rule = set(RULES[when["rule"]]) if "rule" in when else set()
    _fill({**common, **said}, at, groups | defaults | of_rule)
    shipped = {key: each for key, each in said.items() if key != "sample"}
    return {**shipped, **({"when": when} if when else {})}


def _conditions(when: dict[str, Any], at: Node, groups: set[str]) -> dict[str, Any]:
    """With patterns alone under `group`. Raises SlipError for a group that the message's pattern does not have."""
    for group, (key, pattern) in when.get("group", {}).items():
        if group not in groups:
            raise key.slip(f"the pattern has no group {group!r}{_near(group, groups)}")
        if problem := _problem_of_pattern(pattern):
            raise key.slip(problem)
    if unknown := [each for each in when.get("has", ()) if each not in groups]:
        raise at.slip(f"the pattern has no group {unknown[0]!r}{_near(unknown[0], groups)}")
    if "group" not in when:
        return dict(when)
    return {**when, "group": {group: pattern for group, (_, pattern) in when["group"].items()}}


def _fill(said: dict[str, Any], at: Node, groups: set[str]) -> None:
    """Raises SlipError for a hole that no group can fill, and for one between quotes."""
    texts = [(said.get(key, ""), key) for key in ("title", "explanation")]
    needed = [(hole, f"`{key}`") for text, key in texts for hole in _HOLE.findall(text)]
    needed += [
        (hole, f"the fix {name!r}")
        for name in said.get("fixes", ())
        if name != OF_PAGE
        for hole in holes(name) - OF_THE_LOG
    ]
    for hole, where in needed:
        if "." in hole and hole.partition(".")[0] in _MESSAGES:
            continue  # what another message told; without it the case does not apply
        if hole not in groups:
            raise at.slip(
                f"{where} asks for {{{{{hole}}}}}, and the pattern has no such group{_near(hole, groups)}"
            )
    for name in said.get("fixes", ()):
        for command in fixes().get(name, {}).get("commands", ()):
            if inside := _within_quotes(command, groups):
                raise at.slip(
                    f"the fix {name!r} has {{{{{inside}}}}} between quotes in a command: write it outside of them, for what a log says is quoted by itself"
                )


def _near(name: str, names: set[str]) -> str:
    found = get_close_matches(name, sorted(names), 1)
    return f" ({found[0]}?)" if found else ""


def _within_quotes(command: str, groups: set[str]) -> str:
    """The first hole for a group that stands between quotes; "" for none."""
    for found in _HOLE.finditer(command):
        before = command[: found.start()].replace("\\'", "").replace('\\"', "")
        if found[1] in groups and (before.count("'") % 2 or before.count('"') % 2 or before.count("`") % 2):
            return found[1]
    return ""


def _problem(entry: Entry) -> str:
    """What is wrong with a message, in words; "" where nothing is."""
    signature = entry.signature
    if problem := _problem_of_pattern(signature.form) or _problem_of_lines(entry):
        return problem
    if min(len(each.encode()) for each in signature.anchors) < 4:
        return "an anchor has at least 4 bytes, to be rare"
    if unfilled := [each for each in entry.words.fixes if holes(each) - OF_THE_LOG]:
        return f"the fix {unfilled[0]!r} has a hole that nothing fills here: {{{{{min(holes(unfilled[0]) - OF_THE_LOG)}}}}}"
    if (signature.role == NOISE) != bool(signature.why):
        return "`why` says why a harmless message is harmless; it needs one, and no other has one"
    if undated := [each for each in entry.sources if not _SOURCE.match(each)]:
        return f"the source {undated[0]!r} is neither in sources.yaml nor ends with its date: (2026-11)"
    return ""


def _problem_of_lines(entry: Entry) -> str:
    """The samples are recognized, what stands under `not` has the anchor and is not."""
    signature = entry.signature
    if not entry.samples:
        return "it needs a sample"
    if unmatched := [each for each in entry.samples if signature.hit(each) is None]:
        return f"the sample {unmatched[0]!r} is not recognized"
    if found := [each for each in entry.near if signature.hit(each)]:
        return f"{found[0]!r} under `not` is recognized: it should not be"
    if idle := [each for each in entry.near if not any(anchor in each for anchor in signature.anchors)]:
        return f"{idle[0]!r} under `not` lacks the anchor, so it proves nothing"
    if not entry.near and signature.hit(signature.anchor) is None:
        return "it needs a line under `not` that has the anchor and is not meant"
    return ""


def _problem_of_pattern(pattern: str) -> str:
    """A pattern costs linear time in any engine: no look-around, no back-reference, no repeat without a bound."""
    try:
        groups = compiled(pattern).groupindex
    except re.error as error:
        return f"the pattern can't be compiled: {error}"
    if unknown := sorted(set(groups) - set(GROUPS)):
        return f"no group {unknown[0]!r} (see GROUPS in tfdoctor/signatures/signature.py)"
    if re.search(r"\(\?(?:[=!<](?!P)[=!]?|P=)", re.sub(r"\(\?P<\w+>", "(", pattern)):
        return "a pattern has no look-around and no back-reference: use `unless`"
    bare = re.sub(r"\[(?:\\.|[^\]\\])*\]", "S", re.sub(r"\\.", "E", pattern))
    if re.search(r"[*+]|\{\d*,\}", bare):
        return "a pattern has no repeat without a bound: write {0,200} for *, {1,200} for +"
    if runaway(pattern):
        return (
            "a repeat of a repeat with nothing between the rounds takes for ever: part them, or repeat once"
        )
    return "" if not re.search(r"\\[1-9]", pattern) else "a pattern has no back-reference"


def build() -> int:
    """How many messages were compiled; codes and fixes with them. Raises SlipError."""
    fixes.cache_clear()
    codes.cache_clear()
    _write(COMPILED_CODES, codes())
    every = read_entries()
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
    ways = {
        name: (each["title"], each.get("commands", ()), each.get("note", ""))
        for name, each in fixes().items()
    }
    _write(COMPILED_FIXES, ways)
    _write(COMPILED_WORDS, words)
    _write(COMPILED, {"format": FORMAT, "messages": messages})
    return len(messages)


def _write(target: Path, content: Any) -> None:
    temporary = target.with_name(f"{target.name}.{os.getpid()}")
    temporary.write_text(json.dumps(content, ensure_ascii=False, separators=(",", ":")), encoding="utf-8")
    temporary.replace(target)


def is_fresh() -> bool:
    """Whether the compiled file is newer than everything that it is made of."""
    sources = [
        *FOLDER.rglob("*"),
        *PAGES.iterdir(),
        Path(__file__),
        ROOT / "tfdoctor" / "signatures" / "catalogue.py",
    ]
    compiled_files = (COMPILED, COMPILED_WORDS, COMPILED_FIXES, COMPILED_CODES)
    return all(each.exists() for each in compiled_files) and COMPILED.stat().st_mtime >= max(
        each.stat().st_mtime for each in sources
    )


def main() -> int:
    if sys.argv[1:] == ["--schema"]:
        print(
            json.dumps({"$schema": "https://json-schema.org/draft/2020-12/schema", **FILE.schema}, indent=2)
        )
        return 0
    try:
        print(f"{build()} messages in {COMPILED.relative_to(ROOT)}")
    except SlipError as slip:
        print(slip, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
