"""The sayings that count: those of the run that is judged, without what a later success disproves."""

from __future__ import annotations

from collections.abc import Iterable

from tfdoctor.facts.log_values import Ending, Saying
from tfdoctor.facts.model import Facts
from tfdoctor.facts.outcome import Known, value_or
from tfdoctor.light.records import record

Place = tuple[int, int]


@record
class Testimony:
    """One run of a log."""

    sayings: tuple[Saying, ...]
    endings: tuple[Ending, ...]
    earlier: tuple[Ending, ...]  # how the runs before it ended
    worked: bool = False  # progress of its own is told after the driver had refused memory

    def of(self, *codes: str) -> tuple[Saying, ...]:
        return tuple(each for each in self.sayings if each.code in codes)

    def named(self, *names: str) -> tuple[Saying, ...]:
        return tuple(each for each in self.sayings if each.name in names)

    @property
    def codes(self) -> tuple[str, ...]:
        """Of the causes, in the order of their first lines."""
        return tuple(dict.fromkeys(each.code for each in self.sayings if each.role == "cause"))

    @property
    def ended_well(self) -> bool:
        """The last that is told of an end is a success, or the work was told to be complete after all that was complained of."""
        told = [each for each in self.endings if each.how != "exit" or each.status]
        return told[-1].how == "success" if told else self._completed()

    def _completed(self) -> bool:
        """A log without any end is not known to have ended well, unless its program says that its work is done."""
        done = max((place(each) for each in self.sayings if _is_done(each)), default=_NOWHERE)
        last_epoch = [each for each in self.named("epoch") if each.told["epoch"] == each.told["total"]]
        if last_epoch:
            steps = (each for each in self.named("keras-step") if each.told["step"] == each.told["total"])
            done = max(
                done, *(place(each) for each in steps if place(each) > place(last_epoch[-1])), _NOWHERE
            )
        causes = (place(each) for each in self.sayings if each.role == "cause")
        return done > max(causes, default=_NOWHERE) and done != _NOWHERE

    @property
    def computed(self) -> bool:
        """Work went to its last step after all that was complained of, and no end of another kind is told."""
        if self.ended_well:
            return True
        steps = [place(each) for each in self.named("keras-step") if each.told["step"] == each.told["total"]]
        causes = (place(each) for each in self.sayings if each.role == "cause")
        return bool(steps) and not self.endings and steps[-1] > max(causes, default=_NOWHERE)

    @property
    def ended_badly(self) -> bool:
        return not self.ended_well and any(each.how != "success" for each in self.endings)


def place(each: Saying | Ending) -> Place:
    return (each.file, each.line)


def testimony(facts: Facts) -> Testimony:
    """What the last run says. Sayings that a success of the same process disproves are left out."""
    run = value_or(facts.log.run, 0)
    sayings = [each for each in value_or(facts.log.sayings, ()) if each.run == run]
    endings, around = value_or(facts.log.endings, ()), facts.log.surroundings
    last = _last_successes(sayings)
    return Testimony(
        tuple(
            each
            for each in sayings
            if each.role != "cause" or last.get((each.code, each.process), _NOWHERE) <= place(each)
        ),
        tuple(each for each in endings if each.run == run),
        tuple(each for each in endings if each.run < run and each.how != "success"),
        isinstance(around, Known) and bool(around.value.worked),
    )


_NOWHERE = (-1, -1)


def _is_done(each: Saying) -> bool:
    return each.role == "success" and each.name.startswith("work-")


def _last_successes(sayings: Iterable[Saying]) -> dict[tuple[str, str], Place]:
    """Where each process last showed that a code is not the case."""
    return {
        (code, each.process): place(each)
        for each in sorted(sayings, key=place)
        if each.role == "success"
        for code in each.clears
    }
