"""Which releases of TensorFlow can have written a log, and what their matrix rows say."""

from __future__ import annotations

import re

from tfdoctor.base.expressions import Expression
from tfdoctor.base.records import replace
from tfdoctor.facts.log_values import Surroundings
from tfdoctor.facts.model import Facts
from tfdoctor.facts.outcome import Known, value_or
from tfdoctor.facts.versions import ComputeCapability
from tfdoctor.fix.machine import Machine, machine_from_facts
from tfdoctor.judge.engine.case import Case
from tfdoctor.judge.log.testimony import Testimony
from tfdoctor.knowledge.matrix.model import Release
from tfdoctor.knowledge.place import FIRST, LAST, Minor, Span

# Which releases of TensorFlow can have written a log that names none: by its lines' forms, its libraries, Python and date.

_PUBLISHED = {
    (1, 12): "2018-11", (1, 13): "2019-02", (1, 14): "2019-06", (2, 0): "2019-09", (2, 1): "2020-01", (2, 2): "2020-05",
    (2, 3): "2020-07", (2, 4): "2020-12", (2, 5): "2021-05", (2, 6): "2021-08", (2, 7): "2021-11", (2, 8): "2022-02", (2, 9): "2022-05",
    (2, 10): "2022-09", (2, 11): "2022-11", (2, 12): "2023-03", (2, 13): "2023-07", (2, 14): "2023-09", (2, 15): "2023-11", (2, 16): "2024-03",
    (2, 17): "2024-07", (2, 18): "2024-10", (2, 19): "2025-03", (2, 20): "2025-08",
}  # fmt: skip
"""When each was announced: on TensorFlow's blog from 2.15 on (read 2026-11-22), before that by the dates of its tags."""
_RUNTIME = Expression(
    r"(?:libcudart\.so\.|cudart64_)(?P<major>\d{1,2})(?:[._]?(?P<minor>\d))?|lib(?:cublas|cufft|curand|cusolver|cusparse)\.so\.(?P<of>8|9|10)\.(?P<own>\d)$"
    r"|(?:cublas|cufft|curand|cusolver|cusparse)64_(?P<dll>8|9|10)(?P<part>\d)\.dll$|(?:libcublas\.so\.|cublas64_)(?P<later>10)(?:\.dll)?$"
)
"""Up to CUDA 10.0 all libraries of a toolkit carry its own number; from 10.1 on cuBLAS carries the major alone."""
_FIRST_WITH_MAJOR_ALONE = 1


def shown(facts: Facts) -> Surroundings:
    return value_or(facts.log.surroundings, Surroundings())


def shows_a_gpu(facts: Facts) -> bool:
    """The bus, the driver or nvidia-smi names a GPU of this machine."""
    found = (facts.host.gpus_on_bus, facts.driver.devices, facts.nvml.devices)
    return any(isinstance(each, Known) for each in found)


def shows_a_driver(facts: Facts) -> bool:
    """The driver's kernel module, or nvidia-smi, answers."""
    return isinstance(facts.driver.module_version, Known) or isinstance(
        facts.nvml.driver_version, Known
    )


def span(case: Case, told: Testimony) -> Span:
    """By the release itself where it is named, else by all that the log shows; what contradicts the rest is left out."""
    if own := own_minor(case.facts):
        return Span(own, own)
    around = shown(case.facts)
    low, high = _by_runtime(case, told)
    by_forms = (minor(around.oldest) or FIRST, minor(around.newest) or LAST)
    for first, last in (by_forms, _by_python(case), (FIRST, _by_date(around.written))):
        if max(low, first) <= min(high, last):
            low, high = max(low, first), min(high, last)
    return Span(low, high)


def minor(version: str) -> Minor | None:
    numbers = [int(each) for each in re.findall(r"\d+", version)[:2]]
    return (numbers[0], numbers[1]) if len(numbers) == 2 else None


def own_minor(facts: Facts) -> Minor | None:
    """That of the release that the log names."""
    return minor(str(value_or(facts.tensorflow.version, "")))


def runtimes(case: Case, told: Testimony) -> tuple[Minor, ...]:
    """The CUDA runtimes that TensorFlow opened or looked for, as (major, minor); CUDA 11 and 12 name no minor (0)."""
    missing = told.of("cuda-libraries-missing", "cuda-libraries-wrong-version")
    named = [
        *value_or(case.facts.log.opened, ()),
        *(each.told.get("library", "") for each in missing),
    ]
    found = [match for each in named if (match := _RUNTIME.search(each))]
    return tuple(dict.fromkeys(map(_minor_of, found)))


def _minor_of(found: re.Match[str]) -> Minor:
    if found["later"]:
        return int(found["later"]), _FIRST_WITH_MAJOR_ALONE
    major, own = (
        found["major"] or found["of"] or found["dll"],
        found["minor"] or found["own"] or found["part"],
    )
    return int(major), int(own or 0)


_OF_RUNTIME = {
    9: ((1, 5), (1, 12)),
    10: ((1, 13), (2, 3)),
    11: ((2, 4), (2, 14)),
    12: ((2, 15), LAST),
}
_OF_CUDA_10 = {0: ((1, 13), (2, 0)), 1: ((2, 1), (2, 3))}
"""The releases of TensorFlow by the major of their CUDA, those of CUDA 10 by its minor (tested build configurations; 2.3 is the last for CUDA 10)."""


def cuda_of(releases: Span) -> str:
    """The CUDA that all releases of the span are built with ("10.1"), by the table of tested builds; "" where they differ or are too old."""
    known = [(f"10.{own}", span) for own, span in _OF_CUDA_10.items()] + [
        ("9.0", ((1, 5), (1, 12)))
    ]
    return next((cuda for cuda, (first, last) in known if first <= releases.oldest and releases.newest <= last), "")  # fmt: skip


def _by_runtime(case: Case, told: Testimony) -> tuple[Minor, Minor]:
    for major, own in runtimes(case, told):
        if major in _OF_RUNTIME:
            return _OF_CUDA_10.get(own, _OF_RUNTIME[major]) if major == 10 else _OF_RUNTIME[major]
    return FIRST, LAST


def _by_python(case: Case) -> tuple[Minor, Minor]:
    """The first and last minor release of the matrix that has wheels for this Python."""
    if not isinstance(case.facts.interpreter.version, Known):
        return FIRST, LAST
    having = [
        found for row in rows(case) if runs_on(row, case.facts) and (found := minor(row.tensorflow))
    ]
    if not having:
        return FIRST, LAST
    first = min(having)
    return (FIRST if first <= (2, 3) else first), max(having)


def _by_date(written: str) -> Minor:
    """What was published by then; a release candidate comes up to two months before."""
    if not written:
        return LAST
    year, month = (int(each) for each in written.split("-"))
    known = {each: _months(date) for each, date in _PUBLISHED.items()}
    if year * 12 + month >= max(known.values()):
        return LAST
    return max(
        (each for each, date in known.items() if date <= year * 12 + month + 2), default=(1, 12)
    )


def _months(date: str) -> int:
    year, month = date.split("-")
    return int(year) * 12 + int(month)


def rows(case: Case) -> tuple[Release, ...]:
    """All of the log's platform, the newest first."""
    return tuple(case.matrix.releases(_platform(case.facts)))


def _platform(facts: Facts) -> str:
    return "win_amd64" if value_or(facts.host.os, "") == "windows" else "linux_x86_64"


def runs_on(row: Release, facts: Facts) -> bool:
    python = facts.interpreter.version
    known = [each.feature for each in row.python.value] if isinstance(row.python, Known) else []
    return not isinstance(python, Known) or python.value.feature in known


# Which releases can have written a log: the one that it names, or those that ask for the libraries that it names.

_SOME_GPU = ComputeCapability("8.0")  # the log speaks of CUDA, so there is one to install for


def releases_of(case: Case, told: Testimony) -> tuple[Release, ...]:
    """Those that can have written the log, the newest first; () where it does not tell."""
    version = case.facts.tensorflow.version
    if isinstance(version, Known):
        row = case.matrix.release(str(version.value), platform=_platform(case.facts))
        return (row.value,) if isinstance(row, Known) else ()
    every = _of_the_span(case, told)
    known = {name for row in every for name in _opens(row)}
    opened = value_or(case.facts.log.opened, ())
    wanted = {*missing_libraries(told), *opened} & known
    if not wanted and missing_libraries(told):
        return ()  # of a CUDA that none of them opens
    if not wanted:
        here = span(case, told)
        narrow = here.before(2, 14) or here.oldest == here.newest
        return every if narrow and len(every) < len(rows(case)) else ()
    opening = tuple(row for row in every if wanted <= _opens(row))
    return tuple(row for row in opening if runs_on(row, case.facts)) or opening


def _of_the_span(case: Case, told: Testimony) -> tuple[Release, ...]:
    """Those that can have written the log by all else that it shows; all where none can."""
    releases, every = span(case, told), rows(case)
    fitting = (
        row
        for row in every
        if (own := minor(row.tensorflow)) and releases.oldest <= own <= releases.newest
    )
    return tuple(fitting) or every


def _opens(row: Release) -> set[str]:
    return set(row.sonames.value) if isinstance(row.sonames, Known) else set()


def missing_libraries(told: Testimony) -> list[str]:
    missing = told.of("cuda-libraries-missing", "cuda-libraries-wrong-version")
    return [each.told["library"] for each in missing if each.told.get("library")]


def machine_of(facts: Facts) -> Machine:
    machine = machine_from_facts(facts)
    if isinstance(machine.gpus, Known):
        return machine
    return replace(machine, gpus=Known((_SOME_GPU,), "the log speaks of CUDA"))
