"""The three answers that a question about a machine can have.

`Known`: found out. `Absent`: it is certain that there is none. `Failed`: it could not be found out.
There is no fourth: None, 0 and "" are never an answer, and a fact has no truth value, so that
"not found out" can't slip through an `if`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar, Generic, Literal, NoReturn, TypeAlias, TypeVar, get_args

from tfdoctor.base.records import record
from tfdoctor.facts.codec import DocumentError

T = TypeVar("T")
U = TypeVar("U")

Kind: TypeAlias = Literal[
    "not-asked",  # nobody asked
    "skipped",  # a stage of the smoke ladder that was left out
    "not-live",  # only a running system has it, and an unpacked one is examined (`--sysroot`)
    "out-of-time",  # the time was over before its turn came, or before its probe had an answer
    "not-started",  # the program that was to ask could not be started
    "no-more-threads",  # the system refused a thread or a process that was to ask
    "timed-out",  # the call or program that was asked did not come back in its time
    "died",  # what was asked died of a signal
    "ended",  # what was asked ended its process instead of answering
    "over-memory",  # what was asked was ended at a bound of memory
    "refused",  # permission was denied
    "call-failed",  # the call answered with an error
    "unloadable",  # the library is there and the loader can't load it
    "raised",  # the program that was asked raised an exception
    "lost",  # the device is gone
    "hidden",  # it exists and can't be seen from this process
    "missing",  # what would tell it is not there, or does not say it
    "unreadable",  # what would tell it has a form that can't be read
    "unsupported",  # tfdoctor does not know how to ask for it on this system
    "unknown-to-matrix",  # the compatibility matrix does not know it
    "other",  # an older report's words that say none of these, or a newer tfdoctor's kind
]
"""Why something could not be found out: what programs go by. The words beside it are for people alone."""


class _NoTruthValue:
    def __bool__(self) -> NoReturn:
        raise TypeError("a fact is neither true nor false: match on Known, Absent or Failed")


@record
class Known(_NoTruthValue, Generic[T]):
    """The answer, and where it was read (`source`: a file, a call, a program)."""

    JSON: ClassVar = "status value from=source"
    status: ClassVar = "known"

    value: T
    source: str


@record
class Absent(_NoTruthValue):
    """It is certain that there is none; `reason` says how that is known."""

    JSON: ClassVar = "status reason"
    status: ClassVar = "absent"

    reason: str


@record
class Failed(_NoTruthValue):
    """It could not be found out. Proves nothing in either direction.

    `error` says why to people and may be reworded at any time; `kind` says it to programs.
    """

    JSON: ClassVar = "status kind error"
    SCHEMA: ClassVar = {
        "": {"required": ["status", "error"]},
        "kind": "Why it could not be found out. Reports of before 2026-11-22 lack it.",
    }
    status: ClassVar = "failed"

    error: str
    kind: Kind

    @classmethod
    def from_document(cls, document: dict[str, Any]) -> Failed:
        """From JSON. A kind that only a newer tfdoctor knows is "other"; older reports have it in their words alone."""
        error, kind = document.get("error"), document.get("kind")
        if not isinstance(error, str):
            raise DocumentError("a text is expected", "error")
        if kind is None:
            return cls(error, _kind_in(error))
        return cls(error, kind if kind in get_args(Kind) else "other")

    @property
    def not_live(self) -> bool:
        """True where the question makes no sense for an unpacked system, which is no fault of anything."""
        return self.kind == "not-live"

    @property
    def plainly(self) -> str:
        """The words without the kind, which some of them begin with."""
        return self.error.removeprefix(f"{self.kind}: ")

    @property
    def on_purpose(self) -> bool:
        """True where nobody wanted to know it, or where only a running system could tell."""
        return self.kind in ("not-asked", "skipped", "not-live")


_KINDS_IN_WORDS: tuple[tuple[Kind, str], ...] = (
    ("not-asked", r"^the probe that asks for this did not run$"),
    ("skipped", r"^skipped"),
    ("not-live", r"^not-live"),
    ("out-of-time", r"^the probe \w+ did not answer|^not tried: an earlier one"),
    ("raised", r"^the probe "),
    ("timed-out", r"did not (answer|return)"),
    ("died", r"died of"),
    ("ended", r"ended the process"),
    ("over-memory", r"was ended at"),
    ("unloadable", r"^(?:\S{0,300}/)?lib[\w.-]{1,100}\.so|^\S{0,300}\.dll"),
    ("not-started", r"could not be started"),
    ("refused", r"[Pp]ermission|not permitted"),
    ("lost", r"\bis lost\b"),
    ("call-failed", r"\banswered -?\d"),
    ("unknown-to-matrix", r"the matrix does not know"),
)
"""What reports said before they had kinds (until November 2026), the first that fits counts."""


def _kind_in(words: str) -> Kind:
    """The kind behind an older report's words: the one place that reads what is written for people."""
    import re  # for these reports alone

    return next((kind for kind, form in _KINDS_IN_WORDS if re.search(form, words)), "other")


Fact: TypeAlias = Known[T] | Absent | Failed
AnyFact: TypeAlias = Known[Any] | Absent | Failed


def kind_of_error(error: BaseException) -> Kind:
    """The kind of what an exception kept from being found out."""
    if isinstance(error, PermissionError):
        return "refused"
    if isinstance(error, (FileNotFoundError, NotADirectoryError)):
        return "missing"
    return "timed-out" if isinstance(error, TimeoutError) else "unreadable"


def known(fact: Fact[T]) -> T | None:
    """The value, or None where it is not known."""
    return fact.value if isinstance(fact, Known) else None


def map_known(fact: Fact[T], change: Callable[[T], U]) -> Fact[U]:
    """The same outcome with its value changed; Absent and Failed pass through."""
    if isinstance(fact, Known):
        return Known(change(fact.value), fact.source)
    return fact


def part_of(whole: Fact[int], part: Fact[int], what: str) -> Fact[int]:
    """The part; Failed where it is more than the whole, for then one of the two is wrong. `what`: "SwapFree of SwapTotal"."""
    if isinstance(whole, Known) and isinstance(part, Known) and part.value > whole.value:
        return Failed(
            f"{what} can't be: {part.value} of {whole.value} ({part.source})", "unreadable"
        )
    return part


def value_or(fact: Fact[T], fallback: T) -> T:
    """The value where it is known. For showing only: a judgement has to look at the outcome."""
    return fact.value if isinstance(fact, Known) else fallback


NOT_ASKED = Failed("the probe that asks for this did not run", "not-asked")
UNASKED = Absent("it was not asked for")
"""For what a report of before this fact was known lacks: it may not hold up the verdict on such a report."""
NOT_WATCHED = Absent("no program was watched")
