"""Which releases can have written a log: the one that it names, or those that ask for the libraries that it names."""

from __future__ import annotations

from collections.abc import Iterator

from tfdoctor.checks.engine.case import Case
from tfdoctor.checks.log.around.releases import minor, runs_on, span
from tfdoctor.checks.log.testimony import Testimony
from tfdoctor.facts.model import Facts
from tfdoctor.facts.outcome import Known, value_or
from tfdoctor.facts.versions import ComputeCapability
from tfdoctor.fixes.machine import Machine, machine_from_facts
from tfdoctor.light.records import replace
from tfdoctor.matrix.model import Release

_PLATFORMS = {"windows": "win_amd64"}


_SOME_GPU = ComputeCapability("8.0")  # the log speaks of CUDA, so there is one to install for


def releases_of(case: Case, told: Testimony) -> tuple[Release, ...]:
    """Those that can have written the log, the newest first; () where it does not tell."""
    system = value_or(case.facts.host.os, "linux")
    platform = _PLATFORMS.get(system, "linux_x86_64")
    version = case.facts.tensorflow.version
    if isinstance(version, Known):
        row = case.matrix.release(str(version.value), platform=platform)
        return (row.value,) if isinstance(row, Known) else ()
    every = _of_the_span(case, told, platform)
    known = {name for row in every for name in _opens(row)}
    log_opened = case.facts.log.opened
    opened = log_opened.value if isinstance(log_opened, Known) else ()
    wanted = {*missing_libraries(told), *opened} & known
    if not wanted and missing_libraries(told):
        return ()  # of a CUDA that none of them opens
    if not wanted:
        here = span(case, told)
        narrow = here.before(2, 14) or here.oldest == here.newest
        return every if narrow and len(every) < len(case.matrix.releases(platform)) else ()
    opening = tuple(row for row in every if wanted <= _opens(row))
    return tuple(row for row in opening if runs_on(row, case.facts)) or opening


def _of_the_span(case: Case, told: Testimony, platform: str) -> tuple[Release, ...]:
    """Those that can have written the log by all else that it shows; all where none can."""
    releases, every = span(case, told), case.matrix.releases(platform)
    fitting = (
        row for row in every if (own := minor(row.tensorflow)) and releases.oldest <= own <= releases.newest
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


def rows(case: Case, system: str) -> Iterator[Release]:
    """The log's own release, then all, the newest first; each is read from the matrix when it is asked for."""
    platform = _PLATFORMS.get(system, "linux_x86_64")
    every = case.matrix.document["releases"]["tensorflow"]["order"]
    for version in (str(value_or(case.facts.tensorflow.version, "")), *reversed(every)):
        row = case.matrix.release(version, platform=platform)
        if isinstance(row, Known):
            yield row.value
