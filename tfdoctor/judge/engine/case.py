"""What a check is: a function from a case to what it found, registered under its code.

A check asks its case for what it needs. `need` hands out a known value; where the fact is Absent the check does
not apply, where it Failed (or the matrix does not know) the code is undecided, which is printed and never green.
A check that judges absence itself matches on the fact. So a check reads only what its branch needs, and a fact
that does not matter can't make it undecided.
"""

from __future__ import annotations

from collections.abc import Callable
from enum import Enum
from typing import NoReturn, TypeVar

from tfdoctor.base.records import field, record
from tfdoctor.facts.model import Facts
from tfdoctor.facts.outcome import Absent, Fact, Failed, Known
from tfdoctor.fix.loading import Trusts, nobody
from tfdoctor.judge.engine.policy import Policy as Policy
from tfdoctor.knowledge.catalog import CODES
from tfdoctor.knowledge.matrix.query import Matrix
from tfdoctor.knowledge.model import Confidence, Evidence, Fix, Severity

T = TypeVar("T")


class NotApplicable(Exception):  # noqa: N818  # an answer, not an error
    """The question does not arise here: the code is not there."""


class Inconclusive(Exception):  # noqa: N818  # an answer, not an error
    """Something that the answer needs could not be found out."""

    def __init__(self, because: str, *, not_live: bool = False) -> None:
        super().__init__(because)
        self.not_live = not_live


class Ability(Enum):
    """What a fault takes away. Where the ability was seen at work, the fault is no more than a note."""

    IMPORT = "import"  # TensorFlow can be imported
    COMPUTE = "compute"  # TensorFlow computes right on the CPU
    DRIVER = "driver"  # a kernel of the driver API ran on every visible GPU
    GPU = "gpu"  # TensorFlow computes right on every GPU of this machine
    NOTHING = "nothing"  # a loss or a risk that working once does not disprove


@record
class Case:
    """One machine to be judged. `trusts` says which of its paths and packages may stand in a command that loads code, runs as root or installs."""

    facts: Facts
    matrix: Matrix
    policy: Policy = field(default_factory=Policy)
    trusts: Trusts = nobody

    @property
    def has(self) -> str:
        """How a sentence begins that says what is there."""
        return "the build has" if self.policy.to_be_built else "you have"

    @property
    def environment(self) -> str:
        """What a fix's title calls what packages are installed into."""
        return "the image" if self.policy.to_be_built else "this environment"

    def need(self, fact: Fact[T]) -> T:
        """The value. Raises NotApplicable where it is Absent, Inconclusive where it Failed."""
        if isinstance(fact, Known):
            return fact.value
        if isinstance(fact, Absent):
            raise NotApplicable(fact.reason)
        return self.cant_tell(fact)

    def need_outcome(self, fact: Fact[T]) -> Known[T] | Absent:
        """The fact, for a check that judges absence itself. Raises Inconclusive where it Failed."""
        if isinstance(fact, Failed):
            self.cant_tell(fact)
        return fact

    def cant_tell(self, fact: Failed) -> NoReturn:
        """Raises Inconclusive with the fact's path, where it is one of the facts, was asked, and its error."""
        path = self._path_of(fact) if fact.kind != "not-asked" else ""
        raise Inconclusive(f"{path}: {fact.error}" if path else fact.error, not_live=fact.not_live)

    def _path_of(self, fact: Failed) -> str:
        """ "" where it is none of the facts, or several."""
        paths = [path for path, candidate in self.facts.items() if candidate is fact]
        return paths[0] if len(paths) == 1 else ""


@record
class Found:
    """What a check saw. `severity` None: the code's default. `explanation`: what it does to the user. `title`: what is
    the case here, where the code's own title speaks of more than one thing; "" for that one. Evidence or a fix that is
    None is left out.

    `explains` None: all that follows from the code; else the part of it that follows from the fault as it is here. `untried`: what was
    seen to work did not need it.
    """

    explanation: str
    evidence: tuple[Evidence | None, ...]
    fixes: tuple[Fix | None, ...] = ()
    confidence: Confidence = Confidence.CERTAIN
    severity: Severity | None = None
    explains: frozenset[str] | None = None
    title: str = ""
    untried: bool = False


Judge = Callable[[Case], "Found | None"]


@record
class Check:
    """`watched`: it judges the death of a program that was watched, and nothing else."""

    code: str
    judge: Judge
    blocks: Ability
    watched: bool

    @property
    def module(self) -> str:
        """A code's family is its module."""
        return f"tfdoctor.judge.{CODES[self.code].family}"


REGISTRY: dict[str, Check] = {}


def check(code: str, *, blocks: Ability, watched: bool = False) -> Callable[[Judge], Judge]:
    """Registers the check of a code."""

    def register(judge: Judge) -> Judge:
        if code not in CODES or code in REGISTRY:
            raise ValueError(f"{code}: it has no page, or a check already")
        REGISTRY[code] = Check(code, judge, blocks, watched)
        return judge

    return register
