"""A finding: a code, how bad, how sure, how it is known, and what to type.

Severity says what it does to the user, confidence how it is known; the two never mix. `certain` is measured
on this machine, `likely` inferred from what was measured, `possible` a rule of thumb.
"""

from __future__ import annotations

from enum import Enum
from typing import Any, ClassVar

from tfdoctor.base.records import record, replace
from tfdoctor.facts.codec import from_json, to_json

CODE = {"type": "string", "pattern": "^([a-z0-9]+/)?[a-z0-9]+(-[a-z0-9]+)*$"}
"""What a schema says of a code; before a slash stands the plug-in that it is from."""


class _Ordered(Enum):
    """The first of a class is the least."""

    def __lt__(self, other: Any) -> bool:
        order = list(type(self))
        return order.index(self) < order.index(other)

    def __le__(self, other: Any) -> bool:
        return not other < self


class Severity(_Ordered):
    """The worst first."""

    ERROR = "error"
    WARNING = "warning"
    INFO = "info"


class Confidence(_Ordered):
    """The surest first."""

    CERTAIN = "certain"
    LIKELY = "likely"
    POSSIBLE = "possible"


class Role(Enum):
    ROOT = "root"
    CONSEQUENCE = "consequence"
    NOTE = "note"


class Verdict(Enum):
    HEALTHY = "healthy"
    DEGRADED = "degraded"
    BROKEN = "broken"
    UNKNOWN = "unknown"


@record
class Evidence:
    """One observation against what was expected. `fact` is a path of `facts/model.py`; `source` says who expects it."""

    SCHEMA: ClassVar = {"source": "Where the expectation comes from."}

    fact: str
    observed: str
    expected: str = ""
    source: str = ""


Parameter = str | tuple[str, ...]


@record
class Action:
    """What a fix does, for programs: its kind, what of that kind, and the parameters. In JSON all stand side by side."""

    JSON: ClassVar = "kind what?"
    SCHEMA: ClassVar = {
        "kind": "Readers show a fix of a kind that they don't know by its title and commands.",
        "what": "The action's name in its kind's table; left out where the parameters say all.",
        "": {
            "additionalProperties": {
                "anyOf": [{"type": "string"}, {"type": "array", "items": {"type": "string"}}]
            }
        },
    }

    kind: str
    what: str = ""
    parameters: tuple[tuple[str, Parameter], ...] = ()

    @property
    def values(self) -> dict[str, Parameter]:
        """The parameters by name."""
        return dict(self.parameters)

    def with_values(self, **values: Parameter) -> Action:
        """The same action with these parameters, too."""
        return replace(self, parameters=tuple({**self.values, **values}.items()))

    def to_document(self) -> dict[str, Any]:
        """The action as JSON."""
        parameters = {name: to_json(value) for name, value in self.values.items()}
        return {"kind": self.kind, **({"what": self.what} if self.what else {}), **parameters}

    @classmethod
    def from_document(cls, document: Any) -> Action:
        """The action that `to_document` wrote, also one of a kind that this tfdoctor does not know. Raises DocumentError."""
        named = from_json(document, dict[str, Any])
        kind, what = (from_json(named.pop(key, ""), str) for key in ("kind", "what"))
        texts = {
            name: value if isinstance(value, str) else from_json(value, tuple[str, ...])
            for name, value in named.items()
        }
        return cls(kind, what, tuple(texts.items()))


@record
class Fix:
    """A way out. `commands` run unedited in a shell, in order; `note` says what they change and how to see it helped.

    `action`: the same for programs. `applies`: whether the action says all that the commands do, so that `tfdoctor fix` can do it.
    `where`: on which other machine or system it is typed; "" for here. `undo` and `verify`: commands, too; () where none is known.
    """

    JSON: ClassVar = "title commands note action? applies? changes? where? undo? verify?"
    SCHEMA: ClassVar = {
        "commands": "They run unedited in a POSIX shell, in this order.",
        "applies": "True where the action says all of it, so that `tfdoctor fix` can try it.",
        "changes": "What it changes at most: nothing, the shell, files, the environment or the machine.",
        "where": "On which other machine or system it is typed.",
        "undo": "They take back what the commands name; what an installer moved along stays moved.",
        "verify": "They show whether it helped; left out where only another run of the program can.",
    }

    title: str
    commands: tuple[str, ...] = ()
    note: str = ""
    action: Action | None = None
    changes: str = ""
    where: str = ""
    applies: bool = False
    undo: tuple[str, ...] = ()
    verify: tuple[str, ...] = ()

    def parameter(self, name: str) -> tuple[str, ...]:
        """Of its action; () where it has none of that name."""
        values = self.action.values.get(name, ()) if self.action else ()
        return (values,) if isinstance(values, str) else values


@record
class Finding:
    """What is wrong. `explanation` says what it does to the user; `fixes` come least invasive first."""

    JSON: ClassVar = "code severity confidence role caused_by title explanation evidence fixes docs"
    SCHEMA: ClassVar = {
        "": {
            "if": {"properties": {"role": {"const": "consequence"}}},
            "then": {"properties": {"caused_by": {"minItems": 1}}},
        },
        "code": CODE,
        "confidence": "Measured here, inferred, a rule of thumb.",
        "caused_by": {"items": CODE, "description": "The roots of a consequence."},
        "title": {"minLength": 1},
        "fixes": "Least invasive first.",
    }

    code: str
    severity: Severity
    confidence: Confidence
    title: str
    explanation: str
    evidence: tuple[Evidence, ...]
    fixes: tuple[Fix, ...] = ()
    role: Role = Role.ROOT
    caused_by: tuple[str, ...] = ()
    explains: frozenset[str] | None = (
        None  # the codes that follow from it here; None: all that follows from its code
    )
    untried: bool = False  # what was seen to work did not need it

    @property
    def docs(self) -> str:
        """The code's page, as a command that prints it anywhere."""
        return f"tfdoctor explain {self.code}"


@record
class Undecided:
    """A code that could be neither found nor ruled out. `not_live`: only because the system is an unpacked one.

    `settled`: its worst case was seen not to be there (TensorFlow computed right), so no verdict waits for it.
    """

    JSON: ClassVar = "code because not_live? settled?"
    SCHEMA: ClassVar = {
        "code": CODE,
        "not_live": "True where it was not asked on purpose: a stage that was not climbed, or an unpacked system.",
        "settled": "True where what was seen to work disproves the worst of it, so that no verdict waits for it.",
    }

    code: str
    because: str
    not_live: bool = False
    settled: bool = False


@record
class Ignored:
    """A finding that the user chose not to hear of."""

    SCHEMA: ClassVar = {"code": CODE}

    code: str
    reason: str
