"""`tfdoctor fleet run`: who is asked, records to a file as they come, and all of them summed up."""

from __future__ import annotations

import asyncio
import contextlib
import os
from collections.abc import Callable, Iterator
from typing import BinaryIO, Protocol

from tfdoctor.apps.cli.guard import UsageError, install_extra, say
from tfdoctor.apps.cli.output import wants_progress
from tfdoctor.apps.fleet.gather import MOST_BYTES, Found, gather
from tfdoctor.apps.fleet.launch import EngineError, examine
from tfdoctor.apps.fleet.nodes import NodesError, expand
from tfdoctor.apps.fleet.record import START, Record, State, line_of, record_line, unavailable
from tfdoctor.apps.fleet.reports import DamagedError
from tfdoctor.apps.fleet.summary import Fleet
from tfdoctor.ask.logs.forms.opening import LogError
from tfdoctor.base.records import record, replace


class Engine(Protocol):
    """Starts the examination on one node."""

    name: str

    async def ask(self, node: str) -> Record: ...


@record
class Plan:
    """The command line. `check` are the options for every node, which take `limit_s` at most."""

    engine: str
    nodes: str
    parallel: int
    wait_s: float
    srun: tuple[str, ...]
    doctor: tuple[str, ...]
    check: tuple[str, ...]
    limit_s: float
    output: str
    resume: str
    address: str = ""
    gpus: float = 0.0


class _Records:
    """Takes each record as it comes. A disk that is full loses the file and not the summary."""

    def __init__(self, fleet: Fleet, file: BinaryIO | None, name: str) -> None:
        self.fleet = fleet
        self._file, self._name = file, name
        self.lost: OSError | None = None

    def take(self, made: Record) -> None:
        line = line_of(made).encode()
        try:
            self.fleet.add(Found(self._name, made.node, line))
        except DamagedError as error:  # of another tfdoctor; the node has a state all the same
            self.take(replace(made, state=State.SILENT, reason=str(error), report=None))
            return
        if self._file is None or self.lost is not None:
            return
        try:
            self._file.write(line)
            self._file.flush()
        except OSError as error:
            self.lost = OSError(error.errno, error.strerror, self._name)


def run_fleet(plan: Plan) -> tuple[Fleet, OSError | None]:
    """All that was answered, and why the file of records is not whole. Raises UsageError before any node is asked."""
    fleet = Fleet()
    name = plan.resume or plan.output
    answered = _resumed(plan.resume, fleet)
    try:
        file = open(name, "ab" if plan.resume else "wb") if name else None  # noqa: SIM115  # closed below
    except OSError as error:
        raise UsageError(f"{name}: can't be written ({error.strerror or error})") from error
    records = _Records(fleet, file, name or "-")
    try:
        asyncio.run(_examine(plan, answered, records.take))
    except EngineError as error:
        raise OSError(None, str(error)) from error
    except NodesError as error:
        raise UsageError(str(error)) from error
    finally:
        if file is not None:
            with contextlib.suppress(OSError):
                file.close()
    return fleet, records.lost


def _resumed(name: str, fleet: Fleet) -> set[str]:
    """The nodes that have answered in that file, which is taken into the fleet."""
    if not name:
        return set()
    try:
        _end_last_line(name)
        fleet.read(gather([name], None))
    except OSError as error:
        raise UsageError(f"--resume {name}: {error.strerror or error}") from error
    except LogError as error:
        raise UsageError(f"--resume {error}") from error
    return {node for node in fleet.nodes if fleet.has_answered(node)}


def _end_last_line(name: str) -> None:
    """Takes out a record that is cut, as a killed launcher leaves it: that node is asked again."""
    with open(name, "r+b") as file:
        size = file.seek(0, os.SEEK_END)
        file.seek(max(0, size - MOST_BYTES))
        last = file.read().rpartition(b"\n")[2]
        if last[: len(START)] == START[: len(last)] and record_line(last) is None:
            file.truncate(size - len(last))
        elif last:
            file.write(b"\n")


async def _examine(plan: Plan, answered: set[str], take: Callable[[Record], None]) -> None:
    with contextlib.ExitStack() as stack:
        engine, nodes, closed = _ray(plan, stack) if plan.engine == "ray" else await _slurm(plan)
        for each in closed:
            if each.node not in answered:
                take(each)
        wanted = [node for node in nodes if node not in answered]
        advance = stack.enter_context(_progress(len(wanted)))

        def done(made: Record) -> None:
            take(made)
            advance()

        whole = await examine(
            wanted, engine.ask, min(plan.parallel, max(len(wanted), 1)), engine.name, done
        )
    if not whole:
        say("interrupted; the summary holds what was answered until then")


async def _slurm(plan: Plan) -> tuple[Engine, list[str], list[Record]]:
    from tfdoctor.apps.fleet import slurm

    nodes, closed, idle = await slurm.nodes_of(plan.nodes, os.environ)
    inside = "SLURM_JOB_ID" in os.environ
    engine = slurm.Slurm(
        plan.srun, plan.doctor, plan.check, plan.limit_s, plan.wait_s, inside, idle
    )
    return engine, nodes, closed


def _ray(plan: Plan, stack: contextlib.ExitStack) -> tuple[Engine, list[str], list[Record]]:
    try:
        from tfdoctor.apps.fleet import ray
    except ModuleNotFoundError:
        raise UsageError(f"--engine ray needs one more package: {install_extra('ray')}") from None
    found = stack.enter_context(ray.connected(plan.address))
    wanted = expand(plan.nodes) if plan.nodes else list(found)
    reasons = {
        name: found[name][1] if name in found else "Ray knows no such node" for name in wanted
    }
    closed = unavailable("ray", reasons)
    ids = {name: found[name][0] for name, reason in reasons.items() if not reason}
    return (
        ray.Ray(plan.doctor, plan.check, plan.limit_s, plan.wait_s, plan.gpus, ids),
        list(ids),
        closed,
    )


@contextlib.contextmanager
def _progress(total: int) -> Iterator[Callable[[], None]]:
    """A bar for a person at a terminal alone."""
    if not wants_progress(os.environ):
        yield lambda: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    count = (MofNCompleteColumn(), TextColumn("nodes"), TimeElapsedColumn())
    columns = (TextColumn("examining"), BarColumn(), *count)
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("", total=total)
        yield lambda: bar.advance(task)
