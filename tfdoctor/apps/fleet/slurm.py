"""Slurm: one srun for each node with an output of its own, so that no node holds up another.

Only a record proves that a node answered: srun ends with status 0 where the node died. Those that are down or drained are
known from sinfo before the start.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from tfdoctor.apps.fleet.launch import LATE_S, Ended, EngineError, record_in, run_program
from tfdoctor.apps.fleet.nodes import expand
from tfdoctor.apps.fleet.record import Record, State, unavailable
from tfdoctor.base.records import record

_SINFO_S = 30.0  # without a controller sinfo says so after nine seconds
_CLOSED = ("down", "drain", "fail", "error", "unknown", "inval", "perfctrs", "future", "blocked")
_SIGNS = (
    (State.LOST, re.compile(r"node failure|NODE_FAIL|has failed|zero bytes were transmitted", re.IGNORECASE)),
    (State.BUSY, re.compile(r"nodes? (?:are|is) busy|Immediate execution impossible|temporarily unavailable")),
    (State.UNAVAILABLE, re.compile(r"not available|Invalid node name|configuration is not available")),
    (State.NO_DOCTOR, re.compile(
        r"execve\(\):|No module named '?tfdoctor|command not found|: not found$|no command 'fleet'", re.MULTILINE
    )),
)  # fmt: skip


@record
class Slurm:
    """`wait_s`: how long a node may take to become free; `options` are srun's; `doctor` starts tfdoctor on a node."""

    options: tuple[str, ...]
    doctor: tuple[str, ...]
    check: tuple[str, ...]
    limit_s: float
    wait_s: float
    inside: bool
    idle: frozenset[str] = frozenset()

    name = "slurm"

    async def ask(self, node: str) -> Record:
        """One node's record."""
        place = ("--overlap",) if self.inside else (f"--immediate={max(1, round(self.wait_s))}",)
        command = (
            "srun", "-Q", "-w", node, "-N1", "-n1", "--input=none", "--kill-on-bad-exit=0", *place, *self.options,
            *self.doctor, "fleet", "node", "--node-name", node, *self.check,
        )  # fmt: skip
        limit_s = self.limit_s + LATE_S + (0 if self.inside or node in self.idle else self.wait_s)
        try:
            ended = await run_program(command, limit_s)
        except OSError as error:
            raise EngineError(f"srun: can't be started ({error.strerror or error})") from error
        return record_of(node, ended, limit_s)


def record_of(node: str, ended: Ended, limit_s: float) -> Record:
    """What became of a node."""
    if found := record_in(ended.out, node, "slurm"):
        return found
    lines = ended.err.strip().splitlines()
    reason = lines[-1] if lines else f"srun ended with status {ended.status} and no record"
    state = next((state for state, sign in _SIGNS if sign.search(ended.err)), State.SILENT)
    if ended.late:
        state, reason = State.TIMEOUT, f"no answer within {limit_s:g} s"
    return Record(
        node, "slurm", state, reason, ended.started_at, ended.duration_s, ended.status, ended.err
    )


async def nodes_of(
    wanted: str, environ: Mapping[str, str]
) -> tuple[list[str], list[Record], frozenset[str]]:
    """The nodes to ask, records of those that can't be asked, and which are idle. Raises EngineError and NodesError."""
    wanted = wanted or environ.get("SLURM_JOB_NODELIST", "")
    names = expand(wanted) if wanted else []
    states = await _states()
    known = [name for name in names if name in states] if names else list(states)
    reasons = {name: _closed(*states[name]) for name in known}
    unknown = {name: "Slurm knows no such node" for name in names if name not in states}
    idle = frozenset(name for name in known if states[name][0].startswith("idle"))
    return (
        [name for name in known if not reasons[name]],
        unavailable("slurm", {**reasons, **unknown}),
        idle,
    )


def _closed(state: str, reason: str) -> str:
    """Why a node takes no job; "" where it does. A star: it does not respond."""
    if not state.lower().startswith(_CLOSED) and "*" not in state:
        return ""
    return f"{state}: {reason}" if reason and reason != "none" else state


async def _states() -> dict[str, tuple[str, str]]:
    """(state, reason) by node; a node of several partitions is listed several times."""
    try:
        ended = await run_program(("sinfo", "-h", "-N", "-o", "%N|%T|%E"), _SINFO_S)
    except OSError as error:
        raise EngineError(
            f"sinfo: can't be started ({error.strerror or error}); is this a node of Slurm?"
        ) from error
    if ended.late or ended.status:
        said = ended.err.strip().splitlines()
        raise EngineError(
            f"Slurm's controller does not answer: {said[-1] if said else 'sinfo took too long'}"
        )
    rows = (line.split("|", 2) for line in ended.out.decode("utf-8", "replace").splitlines())
    return {row[0]: (row[1], row[2].strip()) for row in rows if len(row) == 3}
