"""Gives each probe a clock, runs them side by side, and turns what goes wrong with one into Failed facts.

A probe runs in a thread of its own as soon as the groups that it needs are there. One that does not answer is
left behind (a thread can't be ended): its facts are Failed, and the report says `timeout`.
"""

from __future__ import annotations

import queue
import threading
import time
from collections.abc import Callable, Iterable
from functools import partial
from typing import Any, TypeVar

from tfdoctor.ask.probes.request import Ahead, Request, RequestError
from tfdoctor.base.memory_limits import fit_threads
from tfdoctor.base.records import names, record, replace
from tfdoctor.facts.model import Facts
from tfdoctor.facts.outcome import Absent, Fact, Failed, Known, kind_of_error
from tfdoctor.facts.probe_run import ProbeRun

T = TypeVar("T")
_HEAD_START_S = 0.1  # it takes 0.02 s; on a file system that hangs it never ends


Progress = Callable[[str, "float | None"], None]
"""Called with what begins and its limit in seconds; with None at its end."""


def no_progress(what: str, limit_s: float | None) -> None:
    """For whom nobody waits."""


@record
class Probe:
    """`name` is the group of `Facts` that it fills; `needs` are the groups that it reads; `limit_s` its clock.

    `begin` is what can be started before its needs are there. It promises nothing: whatever it can't do, `ask` does
    again and reports.
    """

    name: str
    ask: Callable[[Request, Facts], Any]
    needs: tuple[str, ...] = ()
    limit_s: float = 5.0
    begin: Callable[[Request], None] | None = None


def attempt(ask: Callable[[], T | Fact[T]], source: str) -> Fact[T]:
    """The answer as a fact, with an exception that a broken machine can cause as Failed.

    `ask` returns a fact, or a value, which is Known from `source`.
    """
    try:
        answer = ask()
    except (OSError, ValueError, KeyError, IndexError, TypeError, RecursionError) as error:
        return Failed(f"{source}: {type(error).__name__}: {error}", kind_of_error(error))
    return answer if isinstance(answer, (Known, Absent, Failed)) else Known(answer, source)


def failed_group(group: type[T], failed: Failed) -> T:
    """A group in which every fact failed for the same reason."""
    return group(**dict.fromkeys(names(group), failed))


class _Clocked(threading.Thread):
    """One probe at work."""

    def __init__(
        self, probe: Probe, request: Request, facts: Facts, done: queue.Queue[_Clocked]
    ) -> None:
        super().__init__(daemon=True, name=f"probe-{probe.name}")
        self.probe, self._request, self._facts, self._done = probe, request, facts, done
        self.started = time.monotonic()
        self.group: Any = None
        self.error = ""
        self.refused: RequestError | None = None

    def begin(self) -> None:
        """In a thread of its own; where no more threads may be started, here and now, without the clock: the process that
        stands beside the examination has one. The limit itself is among what is asked.
        """
        try:
            self.start()
        except RuntimeError:
            self.run()

    def run(self) -> None:
        try:
            self.group = self.probe.ask(self._request, self._facts)
        except RequestError as error:
            self.refused = error
        except Exception as error:  # noqa: BLE001  # whatever a probe dies of, the examination goes on and says so
            self.error = f"{type(error).__name__}: {error}"
        self._done.put(self)


def run_probes(
    probes: Iterable[Probe],
    request: Request,
    facts: Facts,
    *,
    deadline: float,
    progress: Progress = no_progress,
    learned: Callable[[str, Facts], None] = lambda name, facts: None,
) -> tuple[Facts, tuple[ProbeRun, ...]]:
    """Runs all probes; returns what they found and how each went. `deadline` is in time.monotonic() seconds.

    learned: told after each probe which group is there now, so that others can start early.
    Raises RequestError where a probe says that what was asked for can't be examined.
    """
    fit_threads()
    waiting, working, runs = list(probes), dict[str, _Clocked](), list[ProbeRun]()
    done: queue.Queue[_Clocked] = queue.Queue()
    finished: set[str] = set()
    names = {probe.name for probe in waiting}
    while waiting or working:
        for probe in [item for item in waiting if set(item.needs) & names <= finished]:
            waiting.remove(probe)
            working[probe.name] = _Clocked(probe, request, facts, done)
            working[probe.name].begin()
            progress(probe.name, max(min(probe.limit_s, deadline - time.monotonic()), 0.0))
        for thread in _next_finished(done, working, deadline):
            del working[thread.probe.name]
            progress(thread.probe.name, None)
            finished.add(thread.probe.name)
            if thread.refused is not None:
                raise thread.refused
            facts, run = _take(thread, facts)
            runs.append(run)
            learned(thread.probe.name, facts)
    return facts, tuple(runs)


def begin_early(probes: Iterable[Probe], request: Request) -> None:
    """Starts what may be started before all else. Waits for it, so that nothing else slows it down, but not for long."""
    fit_threads()
    for probe in probes:
        if probe.begin is not None:
            # What it raises, `ask` meets again and reports.
            Ahead(partial(probe.begin, request), f"begin-{probe.name}").wait_at_most(_HEAD_START_S)


def _next_finished(
    done: queue.Queue[_Clocked], working: dict[str, _Clocked], deadline: float
) -> list[_Clocked]:
    """The next probe that answered, or those whose clock ran out."""
    ends = {
        name: min(item.started + item.probe.limit_s, deadline) for name, item in working.items()
    }
    try:
        thread = done.get(timeout=max(min(ends.values()) - time.monotonic(), 0.001))
    except queue.Empty:
        return [item for name, item in working.items() if ends[name] <= time.monotonic()]
    return [thread] if thread.probe.name in working else []


def _take(thread: _Clocked, facts: Facts) -> tuple[Facts, ProbeRun]:
    name, duration = thread.probe.name, time.monotonic() - thread.started
    if thread.group is not None:
        return replace(facts, **{name: thread.group}), ProbeRun(name, "ok", round(duration, 3))
    status = "failed" if thread.error else "timeout"
    error = thread.error or f"the probe {name} did not answer within {duration:.1f} s"
    failed = Failed(error, "raised" if thread.error else "out-of-time")
    group = failed_group(type(getattr(facts, name)), failed)
    return replace(facts, **{name: group}), ProbeRun(name, status, round(duration, 3), error)
