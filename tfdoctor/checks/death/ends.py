"""Ends by the command's own decision or by somebody's: what is left where no cause has a code of its own."""

from __future__ import annotations

import errno
import os
import signal
from collections.abc import Sequence

from tfdoctor.checks.death.memory_kills import killed_for_memory, no_kill
from tfdoctor.checks.death.wait_channels import waits_for
from tfdoctor.checks.death.whose import (
    CRASHES,
    Victim,
    death_as_evidence,
    end_of,
    seconds,
    victim,
    who,
    workers,
)
from tfdoctor.checks.engine.case import Ability, CantTell, Case, Found, check
from tfdoctor.checks.questions.stage_output import said
from tfdoctor.facts.death import SentSignal, WaitingThread
from tfdoctor.facts.outcome import Failed, Known, value_or
from tfdoctor.findings.fix import fix
from tfdoctor.findings.model import Confidence, Evidence
from tfdoctor.system.signal_names import signal_name

_LONGEST_TITLE = 160
_BEFORE_ITS_START = ("syntax-error", "indentation-error")
_LIMITS = {
    int(signal.SIGXCPU): "its limit on CPU time (`ulimit -t`)",
    int(signal.SIGXFSZ): "its limit on the size of files (`ulimit -f`)",
}
_MEANING = {
    int(signal.SIGINT): "was interrupted, as by Ctrl-C",
    int(signal.SIGTERM): "was asked to end",
    int(signal.SIGHUP): "lost its terminal or session",
    int(signal.SIGKILL): "was killed from outside",
}
"""What each is sent for (signal(7))."""


@check("success", prevents=Ability.NOTHING)
def success(case: Case) -> Found | None:
    """It ended with status 0. A SIGTERM that it answered by that is no fault."""
    end = end_of(case)
    if end.how != "exit" or end.status:
        return None
    return Found(
        "The command ended with status 0.",
        (Evidence("death.end", f"ended with status 0 after {seconds(end.after_s)}", "", "wait(2)"),),
    )


@check("command-not-started", prevents=Ability.NOTHING)
def not_started(case: Case) -> Found | None:
    """There is no such program, or it may not be executed."""
    end = end_of(case)
    if end.how != "not-started":
        return None
    missing = end.status in (errno.ENOENT, errno.ENOTDIR)
    first = (
        fix("check-name-and-path")
        if missing
        else fix("make-executable-or-start-by-interpreter")
    )  # fmt: skip
    return Found(
        "It was not found, so nothing ran." if missing else "It was found and can't be executed, so nothing ran.",
        (Evidence("death.end", os.strerror(end.status), "", "execve(2)"),),
        (first,),
        title=_not_started_title(end.name, missing=missing),
    )  # fmt: skip


def _not_started_title(name: str, *, missing: bool) -> str:
    """By the command's first word, which older reports lack."""
    if not name:
        return "The command was not found." if missing else "The command can't be executed."
    if not missing:
        return f"{name} can't be executed."
    return f"There is no file {name}." if "/" in name else f"There is no program {name} on PATH."


@check("output-closed", prevents=Ability.NOTHING)
def output_closed(case: Case) -> Found | None:
    """It died of SIGPIPE, or ended with the 141 by which a shell passes that on."""
    dead = _of_signal(case, signal.SIGPIPE)
    if dead is None:
        return None
    return Found(
        f"{who(dead)} wrote to a pipe that nobody read any more, as behind `| head` or a pager that was left.",
        death_as_evidence(case, dead),
        confidence=dead.confidence,
    )


def _of_signal(case: Case, number: int) -> Victim | None:
    end = end_of(case)
    if end.how == "exit" and end.status == 128 + number:
        return Victim(number, 0, "", False, "the exit status alone", "")
    return (
        Victim(number, end.pid, "", True, "wait(2)", "", end.core, end.called)
        if (end.how, end.status) == ("signal", number)
        else None
    )


@check("killed-by-user", prevents=Ability.NOTHING, explains=("python-exception", "exited-nonzero"))
def killed(case: Case) -> Found | None:
    """A signal ended it that is neither a crash nor the kernel's answer to a lack of memory."""
    end = end_of(case)
    dead = victim(case) or _told_by_status(case) or next(iter(_killed_workers(case)), None)
    if dead is None or dead.signal in CRASHES or dead.signal == signal.SIGPIPE:
        return None
    stall = case.facts.death.stall
    if isinstance(stall, Known) and stall.value.ended_by_us:
        return None  # --kill-stalled did it
    if dead.signal == signal.SIGKILL:
        try:
            if killed_for_memory(case):
                return None
        except CantTell:
            return _killed(case, dead, end.after_s, Confidence.POSSIBLE)
    return _killed(case, dead, end.after_s, Confidence.POSSIBLE if end.how == "unknown" else dead.confidence)


def _told_by_status(case: Case) -> Victim | None:
    """Status 130 or 143: a shell, or a program that tidied up, tells of a signal that came."""
    end = end_of(case)
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        if end.how == "exit" and end.status == 128 + number:
            return Victim(number, 0, "", False, "the exit status alone", "")
    return None


def _killed_workers(case: Case) -> list[Victim]:
    """Of a command that went on: its workers that somebody killed."""
    end = end_of(case)
    return [each for each in workers(case) if each.signal == signal.SIGKILL] if not end.status else []


def _killed(case: Case, dead: Victim, after_s: float, confidence: Confidence) -> Found:
    sent = _sender(case, dead)
    by = f" It came {_came(sent)}." if sent else ""
    limit = _LIMITS.get(dead.signal)
    short = (
        "; nothing shows that the kernel did it for lack of memory" if dead.signal == signal.SIGKILL else ""
    )
    words = (
        f"{who(dead)} reached {limit}." if limit
        else f"{who(dead)} was ended by {signal_name(dead.signal)} from outside{short}.{by}"
    )  # fmt: skip
    signal_shown = (Evidence("death.signals", f"{signal_name(sent.number)} {_came(sent)} after {seconds(sent.after_s)}", "", "the signal's own record"),) if sent else ()  # fmt: skip
    against = no_kill(case) if dead.signal == signal.SIGKILL else ()
    return Found(
        words, (*death_as_evidence(case, dead), *signal_shown, *against), confidence=confidence, title=_killed_title(dead)
    )  # fmt: skip


def _killed_title(dead: Victim) -> str:
    limit = _LIMITS.get(dead.signal)
    return (
        f"{who(dead)} {f'reached {limit}' if limit else _MEANING.get(dead.signal, 'was ended from outside')}."
    )


def _sender(case: Case, dead: Victim) -> SentSignal | None:
    sent = value_or(case.facts.death.signals, ())
    return next((each for each in reversed(sent) if each.number == dead.signal), None)


def _came(sent: SentSignal) -> str:
    if sent.from_terminal:
        return "from the terminal (a key such as Ctrl-C, or its closing)"
    return f"from {sent.sender}" if sent.sender else "from another process"


@check("python-exception", prevents=Ability.NOTHING, explains=("exited-nonzero",))
def exception(case: Case) -> Found | None:
    """A traceback was its last word, or an error in its own syntax, and no other code explains it."""
    end = end_of(case)
    if end.how != "exit" or end.status == 0:
        return None
    last = _raised(case)
    if not last:
        if isinstance(case.facts.death.said, Failed):
            case.cant_tell(case.facts.death.said)
        return None
    return Found(
        "The program raised an exception that it did not catch.",
        (Evidence("death.said", last, "", "its last words"), _own_status(case)),
        (fix("read-traceback-from-end"),),
        title=f"The program ended by {last[:_LONGEST_TITLE].rstrip('.')}.",
    )


def _raised(case: Case) -> str:
    """The line that names the exception; "" where none ended it."""
    from tfdoctor.signatures.catalogue import first

    lines = value_or(case.facts.death.said, ())
    if said(case.facts, "traceback") is None:
        last = lines[-1] if lines else ""
        return last if " " not in last.partition(":")[0] and first(last, *_BEFORE_ITS_START) else ""
    start = max(place for place, line in enumerate(lines) if "Traceback (most recent call last)" in line)
    raised = [line for line in lines[start + 1 :] if line[:1] not in (" ", "\t")]
    return _inner(lines[start:], raised[0]) if raised else lines[-1]


def _inner(lines: Sequence[str], raised: str) -> str:
    """Of "TypeError: in user code:" (AutoGraph) the words that stand below it, behind the program's own frames."""
    name, _, message = raised.partition(": ")
    if message != "in user code:":
        return raised
    inner = [line.strip() for line in lines if line[:1] == " " and line.strip().startswith(f"{name}: ")]
    return inner[-1] if inner else raised


@check("exited-nonzero", prevents=Ability.NOTHING)
def nonzero(case: Case) -> Found | None:
    """It chose a status other than 0, and nothing says why."""
    end = end_of(case)
    if end.how != "exit" or end.status == 0 or victim(case) is not None:
        return None
    if _raised(case) or _of_signal(case, signal.SIGPIPE) or _told_by_status(case):
        return None
    lines = value_or(case.facts.death.said, ())
    last = (Evidence("death.said", lines[-1], "", "its last words"),) if lines else ()
    return Found(
        f"The program ended itself with status {end.status}; what that means only the program can tell.",
        (_own_status(case), *last),
        (fix("see-what-program-says-about-status"),),
        title=f"The program ended itself with status {end.status}.",
    )  # fmt: skip


def _own_status(case: Case) -> Evidence:
    end = end_of(case)
    return Evidence(
        "death.end", f"ended with status {end.status} after {seconds(end.after_s)}", "0", "wait(2)"
    )


def _waits(thread: WaitingThread) -> str:
    words = waits_for(thread.stack[0]) if thread.stack else ""
    told = f", which waits for {words}" if words and len(thread.stack) == 1 else ""
    return f"{thread.process}, {thread.thread}: {' < '.join(thread.stack[:4])}{told}"


@check("stalled", prevents=Ability.NOTHING, explains=("killed-by-user", "exited-nonzero", "python-exception"))
def stalled(case: Case) -> Found | None:
    """It stood still, and somebody ended it."""
    end_of(case)
    stall = case.need(case.facts.death.stall)
    dead = victim(case) or _told_by_status(case)
    if not stall.ended_by_us and (dead is None or dead.signal in CRASHES or killed_for_memory(case)):
        return None
    stacks = tuple(Evidence("death.stall", _waits(each), "", stall.seen_by) for each in stall.threads[:8])
    return Found(
        f"It had stood still for {seconds(stall.for_s)} when it was ended: no CPU, no GPU, no disk, no output.",
        (Evidence("death.stall", f"nothing since {seconds(stall.since_s)} after its start", "", "samples"), *stacks),
        (fix("see-what-threads-wait-for"),),
        Confidence.CERTAIN if isinstance(case.facts.death.reading, Known) else Confidence.LIKELY,
    )  # fmt: skip
