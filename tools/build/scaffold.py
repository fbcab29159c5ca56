"""Writes what a new cause needs: `make new-code CODE=my-cause FAMILY=memory`, and proposes a message: `make new-message LOG=paste.txt`.

`code` writes every file that a cause from facts touches, each line to be filled begins with FILL IN, and what it writes compiles
and passes its own scenarios; a test refuses a tree in which such a line is left. `message` prints an entry for the line of a log that no message explains.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

import tfdoctor
from tfdoctor.facts.model import Facts
from tfdoctor.knowledge.catalog import CODES
from tfdoctor.knowledge.messages.catalogue import everything
from tools.build.first_try import Try, try_of
from tools.build.knowledge import build, is_fresh
from tools.build.strict_yaml import SlipError

ROOT = Path(__file__).parents[2]
_CODE = re.compile(r"[a-z][a-z0-9]*(-[a-z0-9]+)+")
_PAGE = """\
---
name: >-
  FILL IN: what is the case, in one sentence of at most fifteen words.
explanation: |-
  FILL IN: what that does to the user.
severity: warning
{marked}fixes: [{{look: check}}]
says:
  found: >-
    FILL IN: what was seen here ({{{{seen}}}}), and what it does.
---
## How tfdoctor knows

FILL IN: which fact or which line shows it.

## Why it happens

- FILL IN: the most frequent way first.

## How to see that it is fixed

```console
tfdoctor check
```

## Not this problem?

- FILL IN: what looks alike, with a link to its page.
"""
_CHECK = '''

@check("{code}", blocks=Ability.NOTHING)
def {function}(case: Case) -> Found | None:
    """FILL IN: by what it is known, and what rules it out."""
    {asked}seen = case.need(case.facts.{fact})
    if {when}:  # FILL IN
        return Found(
            says("{code}", "found", seen={shown}),
            (Evidence("{fact}", {shown}, "FILL IN: what it should be"),),
            (act("look", "check"),),
        )
    return None
'''
_SCENARIOS = """\
seen:
  what: "FILL IN: the machine on which it is the case."
  base: {base}
  facts:
    {differs}
  expect: fires

healthy:
  what: "FILL IN: the nearest machine on which it is not."
  base: {base}
{usual}  expect: quiet

unread:
  what: "FILL IN: the fact could not be read."
  base: {base}
  facts:
    {fact}: !failed no answer
  expect: undecided
"""
_WITHOUT_A_GPU = """
without-a-gpu:
  what: "No GPU is here, and none is needed."
  base: cpu
  expect: quiet
"""
_IMPORTS = {
    "Evidence": "from tfdoctor.knowledge.model import Evidence",
    "act": "from tfdoctor.knowledge.actions import act",
    "says": "from tfdoctor.knowledge.says import says",
}
"""What a family's module may not import yet."""
_OF_A_GPU = {"need_gpu": "from tfdoctor.judge.questions.gpu import need_gpu"}
_NEXT = """
Fill in what says so (make knowledge names each place that a page has left), then:

    make knowledge
    make rings CODE={code}
    .venv-dev/bin/pytest tests/scenarios -k {code}
    make format lint quick"""


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tools.build.scaffold")
    parts = parser.add_subparsers(required=True)
    code = parts.add_parser("code")
    code.set_defaults(do=_code)
    code.add_argument("code")
    code.add_argument("family")
    code.add_argument(
        "--fact", default="host.kernel", help="group.name, of tfdoctor/facts/model.py"
    )
    code.add_argument("--gpu", action="store_true", help="it concerns machines with a GPU alone")
    message = parts.add_parser("message")
    message.set_defaults(do=_message)
    message.add_argument("log", type=Path)
    given = parser.parse_args()
    try:
        given.do(given)
    except (SlipError, ValueError, OSError) as error:
        print(error, file=sys.stderr)
        return 2
    return 0


def _code(given: argparse.Namespace) -> None:
    for path in new_code(ROOT, given.code, given.family, given.fact, gpu=given.gpu):
        print(path.relative_to(ROOT))
    print(_NEXT.format(code=given.code))


def new_code(root: Path, code: str, family: str, fact: str, *, gpu: bool = False) -> list[Path]:
    """The files written. Raises ValueError, before anything is written, for a name that can't be one."""
    families, follows = root / "data/knowledge/families.yaml", root / "data/knowledge/follows.yaml"
    check = root / f"tfdoctor/judge/{family}.py"
    if not _CODE.fullmatch(code) or code in CODES:
        raise ValueError(
            f"{code}: a code is words in small letters with hyphens, and not one that exists"
        )
    if not check.exists() or family not in {each.family for each in CODES.values()}:
        raise ValueError(
            f"{family}: no family; one of {', '.join(sorted({each.family for each in CODES.values()}))}"
        )
    if fact not in dict(Facts().items()):
        raise ValueError(f"{fact}: no fact; tfdoctor/facts/model.py has them")
    base = "gpu" if gpu else "cpu"
    machine = json.loads((root / f"tests/scenarios/_bases/{base}.json").read_text(encoding="utf-8"))
    usual = machine.get(fact, {"status": "failed"})
    tried = try_of(fact, usual.get("value"))
    filled = {
        "code": code,
        "function": code.replace("-", "_"),
        "fact": fact,
        "base": base,
        "marked": "gpu_only: true\n" if gpu else "",
        "asked": "need_gpu(case)\n    " if gpu else "",
        "when": tried.when,
        "shown": tried.shown,
        "differs": _differs(fact, tried, usual),
        "usual": f"  facts:\n    {fact}: !absent FILL IN\n" if usual["status"] == "failed" else "",
    }
    page, scenarios = root / f"docs/codes/{code}.md", root / f"tests/scenarios/codes/{code}.yaml"
    page.write_text(_PAGE.format(**filled), encoding="utf-8")
    scenarios.write_text(
        (_SCENARIOS + (_WITHOUT_A_GPU if gpu else "")).format(**filled), encoding="utf-8"
    )
    names = {**_IMPORTS, **(_OF_A_GPU if gpu else {})}
    _edit(check, lambda text: _with_imports(text, names) + _CHECK.format(**filled))
    _edit(families, lambda text: _last_of(text, family, code))
    _edit(follows, lambda text: text.replace("in-logs:\n", f"  {code}: []\nin-logs:\n", 1))
    return [page, scenarios, check, families, follows]


def _differs(fact: str, tried: Try, usual: Mapping[str, object]) -> str:
    """A line of a scenario (tests/scenarios/overlay.py): the part that is asked where the base knows the rest, else the whole fact."""
    if usual.get("value"):
        return f"{fact}{tried.at}: {json.dumps(tried.part)}"
    whole = {"status": "known", "value": tried.value, "from": "scenario"}
    return f"{fact}: {json.dumps(whole)}"


def _with_imports(text: str, names: Mapping[str, str]) -> str:
    lacking = [
        line
        for name, line in names.items()
        if not re.search(rf"^from .*\b{name}\b", text, re.MULTILINE)
    ]
    return (
        text.replace("from tfdoctor.", "\n".join([*lacking, "from tfdoctor."]), 1)
        if lacking
        else text
    )


def _last_of(families: str, family: str, code: str) -> str:
    """With the code at the end of its family; its place there is the order in which faults have to be fixed."""
    head, of_family, rest = families.partition(f"\n{family}:\n")
    own = re.match(r"(?:  .*\n)+", rest)
    if own is None:
        raise ValueError(f"data/knowledge/families.yaml: {family} is not written as the others are")
    return f"{head}{of_family}{own[0]}    - {code}\n{rest[own.end() :]}"


def _edit(path: Path, change: Callable[[str], str]) -> None:
    path.write_text(change(path.read_text(encoding="utf-8")), encoding="utf-8")


def _message(given: argparse.Namespace) -> None:
    if not is_fresh():
        build()
    line = unexplained(given.log.read_bytes())
    if not line:
        raise ValueError(
            f"{given.log}: no line that tells of a failure and that no message knows; make try LOG={given.log}"
        )
    print(proposed(line))
    print(_NAMES_STAND_HERE)


def unexplained(log: bytes) -> str:
    """The line that tells most of a failure and that no message knows; "" for none."""
    # not redacted, since a pattern has to know the line as it is printed
    said = tfdoctor.diagnose(log).to_dict(redact=False)
    general = (
        line
        for each in said["diagnoses"]
        if each["code"] == "python-exception"
        for line in each["evidence"]
    )
    lines = (each["text"].strip() for each in (*said["suspects"], *general))
    return next((line for line in lines if not any(known.hit(line) for known in everything())), "")


_NAMES_STAND_HERE = """
# For data/knowledge/causes/CODE.yaml. Names of people, hosts and folders stand here as in the log: write others into the
# sample, and a group into the pattern for what varies. data/knowledge/README.md says the rest."""
_VARYING = re.compile(
    r"""(?P<open>['"`])(?P<quoted>[^'"`]{1,200})(?P=open)|(?P<path>(?:[A-Za-z]:)?[\\/][\w.\\/+@-]{2,300})|(?P<number>0x[0-9a-fA-F]{1,16}\b|\d+(?:\.\d+)*)"""
)
_NAMES = {"quoted": ("value", "package", "module"), "path": ("file", "library")}


def proposed(line: str) -> str:
    """An entry for `data/knowledge/causes/CODE.yaml`: what varies from machine to machine is a group, the longest rest the anchor."""
    fixed, pattern, at = [""], "", 0
    left = {kind: iter(names) for kind, names in _NAMES.items()}
    for found in _VARYING.finditer(line):
        fixed.append(line[at : found.start()])
        pattern += _escaped(fixed[-1]) + _form(found, left)
        at = found.end()
    fixed.append(line[at:])
    return (
        "code: FILL IN\nmessages:\n"
        "  fill-in-a-name:\n"
        f"    anchor: {_quoted(max(fixed, key=len))}\n"
        f"    pattern: {_quoted(pattern + _escaped(fixed[-1]))}\n"
        f"    samples:\n      - {_quoted(line)}\n"
        "    not:\n      - 'FILL IN: a line with the anchor that means something else'\n"
        "    sources: ['FILL IN: where it is printed or was seen (2026-01)']"
    )


def _form(found: re.Match[str], left: Mapping[str, Iterator[str]]) -> str:
    if found["number"]:
        return r"[\da-fA-Fx.]{1,20}"
    kind = "path" if found["path"] else "quoted"
    each = r"[^\s:]" if kind == "path" else r"[^'\"`]"
    name = next(left[kind], "")
    text = f"(?P<{name}>{each}{{1,300}})" if name else f"{each}{{1,300}}"
    return text if kind == "path" else f"{found['open']}{text}{found['open']}"


def _escaped(text: str) -> str:
    return re.escape(text).replace("\\ ", " ").replace("\\-", "-")


def _quoted(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"


if __name__ == "__main__":
    sys.exit(main())
