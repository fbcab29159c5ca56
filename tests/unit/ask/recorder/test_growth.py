"""Steady leaks are found from 60 looks on, and next to nothing else is taken for one."""

from __future__ import annotations

from benchmarks.growth import rates
from tests.unit.ask.recorder.timelines import MB
from tfdoctor.ask.recorder.growth import FEWEST, Step, growth_of
from tfdoctor.ask.recorder.timeline import Sample
from tfdoctor.facts.death import Growth
from tfdoctor.facts.outcome import Absent, Known


def found(samples: list[Sample], steps: tuple[Step, ...] = (), limit: int = 0) -> Growth:
    fact = growth_of(samples, steps, Known(limit, "test") if limit else Absent("none"))
    assert isinstance(fact, Known), fact
    return fact.value


def test_a_sample_of_made_up_timelines() -> None:
    """`make growth` counts 4,000 of them for each of three seeds."""
    leaks_found, others_taken_for_one = rates(7, 600)
    assert leaks_found > 0.95
    assert others_taken_for_one < 0.01


def line(count: int, rate: float, base: float = 500 * MB) -> list[Sample]:
    return [{"t": float(at), "anon_bytes": int(base + rate * at)} for at in range(count)]


def test_a_leak_says_how_much_and_how_long_it_lasts() -> None:
    growth = found(line(100, MB), limit=700 * MB)
    assert (growth.kind, growth.unit) == ("slope", "second")
    assert isinstance(growth.per_unit, Known) and abs(growth.per_unit.value - MB) < 0.05 * MB
    assert isinstance(growth.until_limit, Known) and abs(growth.until_limit.value - 101) < 6


def test_by_steps() -> None:
    steps = tuple(Step(at / 2, at, 0) for at in range(200))
    growth = found(line(100, 2 * MB), steps)
    assert (growth.kind, growth.unit) == ("per-step", "step")
    assert isinstance(growth.per_unit, Known) and abs(growth.per_unit.value - MB) < 0.1 * MB


def test_by_epochs() -> None:
    samples = [{"t": float(at), "anon_bytes": 500 * MB + 20 * MB * (at // 10)} for at in range(200)]
    steps = tuple(Step(at / 1.0, at, at // 10) for at in range(200))
    assert found(samples, steps).kind == "per-epoch"


def test_what_comes_before_the_first_step_is_loading() -> None:
    samples = line(60, 10 * MB) + [{"t": 60.0 + at, "anon_bytes": 1100 * MB} for at in range(70)]
    assert found(samples, (Step(61.0, 0, 0), Step(120.0, 100, 0))).kind == "level"


def test_tidying_up_at_the_end_hides_no_leak() -> None:
    samples = [*line(100, 2 * MB), {"t": 100.0, "anon_bytes": 10 * MB}]
    assert found(samples).kind == "slope"


def starting(count: int, pause: float, files_after: int) -> list[Sample]:
    """Memory that rises from look to look while the program's files come into memory, too."""
    return [
        {"t": at * pause, "anon_bytes": 50 * MB + MB * at, "rss_bytes": 50 * MB + MB * at + 300 * MB * min(at, files_after) // files_after}
        for at in range(count)
    ]  # fmt: skip


def test_a_start_that_other_work_stretches_is_no_leak() -> None:
    assert isinstance(growth_of(starting(160, 0.25, 160)), Absent)
    assert isinstance(growth_of(starting(160, 0.25, 120)), Known), (
        "40 looks after it: it rises, and no more is said"
    )
    assert found(starting(160, 0.25, 120)).kind == "rising"
    assert found(starting(160, 0.25, 20)).kind == "slope"


def test_files_that_are_read_for_hours_are_no_start() -> None:
    assert found(starting(200, 10.0, 200)).kind == "slope"


def squeezed(held: int, read_back: int) -> list[Sample]:
    """60 looks of rising up to a limit of 500 MB, then so many at it."""
    rising: list[Sample] = [{"t": at / 4, "anon_bytes": (40 + 8 * at) * MB, "cgroup_bytes": (20 + 8 * at) * MB, "major_faults": 0} for at in range(60)]  # fmt: skip
    full: list[Sample] = [{"t": 15 + at / 4, "anon_bytes": 512 * MB, "cgroup_bytes": 495 * MB, "major_faults": at * read_back} for at in range(held)]  # fmt: skip
    return [{**each, "cgroup_limit_bytes": 500 * MB} for each in rising + full]


def test_a_leak_that_stands_at_its_limit_for_long_before_it_dies() -> None:
    """The kernel takes its files out of memory again and again: it can't grow, whatever it wants."""
    assert found(squeezed(600, 20)).kind == "slope"
    assert found(squeezed(600, 0)).kind == "level", (
        "nothing was taken from it: it has what it wants"
    )


def test_too_few_looks_tell_nothing() -> None:
    assert isinstance(growth_of(line(FEWEST - 1, 0)), Absent)
    assert isinstance(growth_of(line(4, 50 * MB)), Absent)


def test_a_short_rise_to_the_end_is_no_leak_yet() -> None:
    assert found(line(FEWEST - 1, MB)).kind == "rising"
    assert found(line(6, 20 * MB)).kind == "rising", "six seconds"
    one_jump = [*line(4, 0), *({**each, "anon_bytes": 900 * MB} for each in line(7, 0)[4:])]
    assert isinstance(growth_of(one_jump), Absent)
    fell = [*line(30, 10 * MB), *({"t": 30.0 + at, "anon_bytes": 500 * MB} for at in range(10))]
    assert isinstance(growth_of(fell), Absent)
