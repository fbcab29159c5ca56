"""The sayings that count: those of the run that is judged, without what a later success disproves."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import cached_property
from itertools import chain
from operator import attrgetter, itemgetter

from tfdoctor.base.records import record
from tfdoctor.facts.log_values import Ending, Saying, Surroundings
from tfdoctor.facts.model import Facts
from tfdoctor.facts.outcome import known, value_or

Place = tuple[int, int]
_Numbered = dict[str, list[tuple[int, Saying]]]


def _numbered(sayings: Iterable[Saying], of: Callable[[Saying], str]) -> _Numbered:
    """By what they are asked for hundreds of times: a log may have thousands."""
    found: _Numbered = {}
    for number, each in enumerate(sayings):
        found.setdefault(of(each), []).append((number, each))
    return found


def _in_order(known: _Numbered, wanted: Iterable[str]) -> tuple[Saying, ...]:
    parts = [known[each] for each in dict.fromkeys(wanted) if each in known]
    whole = parts[0] if len(parts) == 1 else sorted(chain(*parts), key=itemgetter(0))
    return tuple(each for _, each in whole)


@record
class Testimony:
    """One run of a log."""

    sayings: tuple[Saying, ...]
    endings: tuple[Ending, ...]
    earlier: tuple[Ending, ...]  # how the runs before it ended
    worked: bool = False  # progress of its own is told after the driver had refused memory
    stepped: Place = (-1, -1)  # the last line that tells of the program's own progress
    # The same, or the last in which the program itself informs of something.
    spoke: Place = (
        -1,
        -1,
    )

    def of(self, *codes: str) -> tuple[Saying, ...]:
        return _in_order(self._by_code, codes)

    def named(self, *names: str) -> tuple[Saying, ...]:
        return _in_order(self._by_name, names)

    @cached_property
    def _by_code(self) -> _Numbered:
        return _numbered(self.sayings, attrgetter("code"))

    @cached_property
    def _by_name(self) -> _Numbered:
        return _numbered(self.sayings, attrgetter("name"))

    @cached_property
    def raised(self) -> tuple[Ending, ...]:
        """The exceptions, in their order."""
        return tuple(each for each in self.endings if each.how == "exception")

    @cached_property
    def _raised_at(self) -> dict[Place, Ending]:
        return {place(each): each for each in reversed(self.raised)}

    def raised_at(self, saying: Saying) -> Ending | None:
        """The exception that this line is the last one of."""
        return self._raised_at.get(place(saying))

    def package_at(self, saying: Saying) -> str:
        """The package in whose code the exception of this line arose; "" for the user's own, or where it is not told."""
        last = self.raised_at(saying)
        return last.package if last is not None else ""

    @property
    def codes(self) -> tuple[str, ...]:
        """Of the causes, in the order of their first lines."""
        return tuple(dict.fromkeys(each.code for each in self.sayings if each.role == "cause"))

    @property
    def ended_well(self) -> bool:
        """The last that is told of an end is a success, or the work was told to be complete after all that was complained of, or
        somebody stopped it at work."""
        if self.stopped or self._recovered():
            return True
        told = self._ends
        if told and told[-1].how == "success":
            return True
        return self.caught or (not told and self._completed())

    @property
    def _ends(self) -> list[Ending]:
        return [each for each in self.endings if each.how != "exit" or each.status]

    @property
    def caught(self) -> bool:
        """Its exceptions were: the one process that the log tells of did all of its work after the last of them."""
        told = self._ends
        processes = {each.process for each in self.sayings} | {each.process for each in told}
        raised = bool(told) and all(each.how == "exception" for each in told)
        return raised and len(processes) == 1 and self._completed(max(map(place, told)))

    def _recovered(self) -> bool:
        """All tests are told to have passed after what some of them raised, or pip to have installed what it first failed to build."""
        last = max(map(place, self.endings), default=_NOWHERE)
        if any(place(each) > last for each in self.named(*TESTS)):
            return True
        of_pip = all(any(words in each.what for words in _OF_A_BUILD) for each in self.endings)
        of_conda = all(each.what.startswith(_OF_CONDA) for each in self.endings)
        done = (("pip-installed", of_pip), ("work-of-conda", of_conda))
        return bool(self.endings) and any(
            theirs and any(place(each) > last for each in self.named(name)) for name, theirs in done
        )

    def _completed(self, after: Place = (-1, -1)) -> bool:
        """A log without any end is not known to have ended well, unless its program says that its work is done."""
        done = max((place(each) for each in self.sayings if _is_done(each)), default=_NOWHERE)
        last_epoch = [
            each for each in self.named("epoch") if each.told["epoch"] == each.told["total"]
        ]
        if last_epoch:
            steps = (
                each for each in self.named("keras-step") if each.told["step"] == each.told["total"]
            )
            done = max(
                done,
                *(place(each) for each in steps if place(each) > place(last_epoch[-1])),
                _NOWHERE,
            )
        return done > after and self._after_the_causes(done)

    @property
    def computed(self) -> bool:
        """Work went on after all that was complained of, and no end of another kind is told."""
        return self.ended_well or (not self.endings and self._after_the_causes(self.last_work))

    @property
    def last_work(self) -> Place:
        """Where the program's own work is told last."""
        steps = [
            place(each)
            for each in self.named("keras-step")
            if each.told["step"] == each.told["total"]
        ]
        return max((*steps, self.stepped))

    @property
    def informed(self) -> bool:
        """The program has something to tell after all that was complained of, and no end is told: it went on with what it had."""
        return self.computed or (not self.endings and self._after_the_causes(self.spoke))

    def went_on(self, file: int) -> int:
        """The last line of a log at which work, an installation or a service is told to go on: what stands above it stopped nothing."""
        done = (
            each
            for each in self.sayings
            if each.role == "success" and (_is_done(each) or each.name in _GOES_ON)
        )
        ends = (each for each in self.endings if each.how == "success")
        told = (self.last_work, *map(place, done), *map(place, ends), *self._behind_earlier())
        return max((at[1] for at in told if at[0] == file), default=0)

    def _behind_earlier(self) -> Iterator[Place]:
        """Where runs before a last one that has a success to tell were over."""
        worked = any(each.role == "success" or each.name == "gpu-listed" for each in self.sayings)
        ends = map(place, self.earlier) if worked else ()
        return ((file, line + 1) for file, line in ends)

    def succeeded(self, file: int) -> bool:
        """Whether a log itself tells of an end without a failure, or of work that went on."""
        return self.went_on(file) > 0

    @property
    def stopped(self) -> bool:
        """Somebody pressed Ctrl+C while it worked, and nothing else ended it. One that waited for a thread of its own may have hung."""
        ends = [each for each in self.endings if each.how != "success"]
        by_hand: tuple[Saying | Ending, ...] = (
            *self.named("keyboard-interrupt", "interrupted-traceback"),
            *ends,
        )
        worked = _NOWHERE < self.spoke < min(map(place, by_hand), default=_NOWHERE)
        others = any(
            each.role == "cause" and each.code != "killed-by-user" for each in self.sayings
        )
        others = others or not all(each.by_hand for each in ends)
        return worked and not others and not self.named("waits-in-frame")

    def _after_the_causes(self, last: Place) -> bool:
        causes = (place(each) for each in self.sayings if each.role == "cause")
        return last != _NOWHERE and last > max(causes, default=_NOWHERE)

    @property
    def cut(self) -> bool:
        """The text ends within a traceback, and its error is not known: whatever was complained of before may be what it says."""
        return bool(self.endings) and all(each.how == "cut" for each in self.endings)

    @property
    def ended_badly(self) -> bool:
        return not self.ended_well and any(each.how != "success" for each in self.endings)


def place(each: Saying | Ending) -> Place:
    return (each.file, each.line)


def hung(facts: Facts) -> bool:
    """Whether somebody pressed Ctrl+C where the log shows what the program waited for: that comes before the hand that ended it."""
    end = known(facts.log.open_end)
    return end is not None and end.kind not in ("epoch", "progress", "stopped", "large-alloc")


def testimony(facts: Facts) -> Testimony:
    """What the last run says. Sayings that a success of the same process disproves are left out."""
    run = value_or(facts.log.run, 0)
    sayings = [each for each in value_or(facts.log.sayings, ()) if each.run == run]
    endings, around = (
        value_or(facts.log.endings, ()),
        value_or(facts.log.surroundings, Surroundings()),
    )
    last = _last_successes(sayings)
    return Testimony(
        tuple(
            each
            for each in sayings
            if each.role != "cause" or last.get((each.code, each.process), _NOWHERE) <= place(each)
        ),
        tuple(each for each in endings if each.run == run),
        tuple(each for each in endings if each.run < run and each.how != "success"),
        bool(around.worked),
        *_own_work(around, len(value_or(facts.log.files, ()))),
    )


def _own_work(around: Surroundings, files: int) -> Iterator[Place]:
    """Of one log alone: what several tell of their surroundings does not say in which of them it stands."""
    for line in (around.stepped, around.spoke):
        yield (0, line) if line and files == 1 else _NOWHERE


_OF_A_BUILD = ("ommand errored out with exit status", "exit code: ")
"""pip's words for a command of its own that failed."""
_OF_CONDA = "Conda"
"""What its own errors begin with: it asks an index again that did not answer (CondaHTTPError, CondaSSLError)."""
TESTS = ("tests-passed", "tests-ok")
_GOES_ON = ("pip-installed", "pod-assigned", "serving-loaded", *TESTS)
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
