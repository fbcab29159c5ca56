"""Who died: the command itself, or a process below it whose death the command only passed on."""

from __future__ import annotations

from tfdoctor.base.records import record
from tfdoctor.base.signals import (
    SIGABRT,
    SIGBUS,
    SIGFPE,
    SIGILL,
    SIGKILL,
    SIGSEGV,
    SIGSYS,
    SIGTRAP,
    SIGXCPU,
    SIGXFSZ,
    signal_name,
)
from tfdoctor.base.units import seconds
from tfdoctor.facts.death import CommandEnd, LostProcess
from tfdoctor.facts.model import Facts
from tfdoctor.facts.outcome import value_or
from tfdoctor.judge.engine.case import Case
from tfdoctor.judge.questions.stage_output import said
from tfdoctor.knowledge.model import Confidence, Evidence

CRASHES = {
    SIGILL: "an instruction that this CPU lacks",
    SIGABRT: "an abort by the program's own native code",
    SIGBUS: "a mapped file shrank, or shared memory (/dev/shm) is full",
    SIGFPE: "an arithmetic error",
    SIGSEGV: "invalid memory access",
    SIGSYS: "a system call that is forbidden here",
    SIGTRAP: "a trap of the program's own native code",
}
"""signal(7). Names are looked up by number, so that a report of another system is read alike."""

LIMITS = {
    SIGXCPU: "its limit on CPU time (`ulimit -t`)",
    SIGXFSZ: "its limit on the size of files (`ulimit -f`)",
}


def ended_by(who: str, number: int) -> str:
    """Of a signal that is no crash."""
    limit = LIMITS.get(number)
    return f"{who} reached {limit}." if limit else f"{who} was ended by {signal_name(number)}."


_PASSED_ON = (
    128  # a shell's status for a child that died of a signal is 128 and the signal's number
)


@record
class Victim:
    """A process that died of a signal. `pid` is 0 and `name` "" where a wrapper only passed its status on.

    itself: it is the command; else it is known by `known_by`.
    """

    signal: int
    pid: int
    name: str
    itself: bool
    known_by: str
    cgroup: str
    core: bool = False
    called: str = "command"

    @property
    def confidence(self) -> Confidence:
        return Confidence.CERTAIN if self.pid else Confidence.LIKELY


def end_of(case: Case) -> CommandEnd:
    """How the command ended. Raises NotApplicable where none was watched, Inconclusive where nobody saw the end."""
    return case.need(case.facts.death.end)


def victim(case: Case) -> Victim | None:
    """Whose death ended the command; None where it ended by its own decision, well or not."""
    return victim_of(case.facts, end_of(case))


def victim_of(facts: Facts, end: CommandEnd) -> Victim | None:
    if end.how == "signal":
        return Victim(
            end.status, end.pid, end.name, True, "wait(2)", _home(facts), end.core, end.called
        )
    if (
        end.how == "unknown"
    ):  # whatever ended the recorder as well: SIGKILL is what nobody can outlive
        return Victim(SIGKILL, end.pid, end.name, True, "the black box", _home(facts))
    if end.how != "exit" or end.status == 0:
        return None
    lost = [each for each in value_or(facts.death.lost, ()) if each.signal]
    passed_on = end.status - _PASSED_ON
    for process in reversed(lost):
        if process.signal == passed_on:
            return _of(process)
    if _is_violent(passed_on):
        return Victim(passed_on, 0, "", False, "the exit status alone", _home(facts))
    for process in reversed(lost):
        if _is_violent(process.signal) and (process.signal != SIGKILL or _told_of_a_child(facts)):
            return _of(process)
    return None


def _told_of_a_child(facts: Facts) -> bool:
    """Whether it said that a child had died: a SIGKILL alone may be its own way to end its children."""
    from tfdoctor.knowledge.messages.expressions import NAMES

    return said(facts, *NAMES) is not None


def workers(case: Case) -> list[Victim]:
    """Every process below the command that died violently, the last first."""
    lost = value_or(case.facts.death.lost, ())
    return [_of(each) for each in reversed(lost) if _is_violent(each.signal)]


def _is_violent(number: int) -> bool:
    return number == SIGKILL or number in CRASHES


def _of(process: LostProcess) -> Victim:
    return Victim(
        process.signal, process.pid, process.name, False, process.known_by, process.cgroup
    )


def _home(facts: Facts) -> str:
    """The folder of the memory cgroup that the command lived in."""
    counters = value_or(facts.death.counters, ())
    return next((each.folder for each in counters if each.holds_command), "")


def who(dead: Victim) -> str:
    """For the beginning of a sentence."""
    if dead.itself:
        return f"The {dead.called}"
    return (
        f"Its process {dead.pid} ({dead.name})"
        if dead.pid
        else "A child process (by the exit status)"
    )


def death_as_evidence(case: Case, dead: Victim) -> tuple[Evidence, ...]:
    name = signal_name(dead.signal)
    end = end_of(case)
    if end.how == "unknown":
        words = f"the recorder ended, too: its record stops after {seconds(end.after_s)}"
        return (Evidence("death.end", words, "", dead.known_by),)
    if dead.itself:
        core = ", core dumped" if dead.core else ""
        return (
            Evidence(
                "death.end", f"died of {name}{core} after {seconds(end.after_s)}", "", dead.known_by
            ),
        )
    passed = Evidence(
        "death.end", f"ended with status {end.status} after {seconds(end.after_s)}", "", "wait(2)"
    )
    if not dead.pid:
        said = f"status {end.status} is 128 + {dead.signal} ({name}), as a shell passes on a death"
        return (passed, Evidence("death.end", said, "", "POSIX, Shell Command Language, 2.8.2"))
    return (
        Evidence(
            "death.lost", f"process {dead.pid} ({dead.name}) died of {name}", "", dead.known_by
        ),
        passed,
    )
