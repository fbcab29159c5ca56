"""How the program ended, where that is all that the log tells: kills, crashes, exceptions, exit statuses."""

from __future__ import annotations

from collections.abc import Iterator

from tfdoctor.checks.engine.case import Case
from tfdoctor.checks.log.around.large_pieces import OF_A_KILL
from tfdoctor.checks.log.around.macs import illegal_instruction, killed, of_ml_compute
from tfdoctor.checks.log.around.windows_ends import died_of
from tfdoctor.checks.log.candidate import Candidate, question
from tfdoctor.checks.log.companions import import_failed, refused_add_on
from tfdoctor.checks.log.deaths.at_the_end import at_its_end
from tfdoctor.checks.log.deaths.copies import ended_copy
from tfdoctor.checks.log.deaths.grown import retraced
from tfdoctor.checks.log.exception_meanings import meant
from tfdoctor.checks.log.fit.decoded import decoded
from tfdoctor.checks.log.fit.lacking import lacking
from tfdoctor.checks.log.fit.misfit import telling
from tfdoctor.checks.log.fit.own_files import shadowing
from tfdoctor.checks.log.fit.torn import of_ending as of_two_releases
from tfdoctor.checks.log.fit.words import of_ending as of_misfit
from tfdoctor.checks.log.gpus.metal import of_metal
from tfdoctor.checks.log.kinds.incomplete import incomplete
from tfdoctor.checks.log.kinds.processors import arm_instruction
from tfdoctor.checks.log.kinds.standalone import out_of_time
from tfdoctor.checks.log.kinds.syntax import of_another_python
from tfdoctor.checks.log.kinds.tensorflow_1 import asked_in_vain
from tfdoctor.checks.log.modules.absent import absent, absent_name, absent_part, known_title
from tfdoctor.checks.log.modules.gone import of_moved
from tfdoctor.checks.log.other_programs import of_exception as of_other_program
from tfdoctor.checks.log.own.members import without_member
from tfdoctor.checks.log.stops.bus_errors import bus_error
from tfdoctor.checks.log.stops.forked import forked
from tfdoctor.checks.log.testimony import Testimony, place
from tfdoctor.checks.log.uncaught import uncaught, with_a_place
from tfdoctor.facts.log_values import WITHOUT_ITS_HEAD, Ending, Saying
from tfdoctor.facts.model import Facts
from tfdoctor.facts.outcome import Known
from tfdoctor.findings.model import Confidence
from tfdoctor.light.records import replace
from tfdoctor.signatures.heap import heap_overwritten

_NAMES = {4: "SIGILL", 5: "SIGTRAP", 6: "SIGABRT", 7: "SIGBUS", 8: "SIGFPE", 11: "SIGSEGV", 31: "SIGSYS"}
_OF_NATIVE_CODE = "Python code alone can't cause that: native code of a package did."
_BY_HAND = (1, 2, 15)
_OF_A_TASK = "srun: error: "  # and then the node, the task and its signal
_OF_A_JOB = "Exited with exit code "  # LSF's report, which stands before what the job wrote
_BEHIND_A_BUS_ERROR = ("native-crash", "shared-memory-too-small", "tensorflow-install-broken", "disk-full")
_OF_THE_HEAP = (
    "The C library found that compiled code of some package had written where it must not, and stopped the program. Mostly two packages bring the same "
    "library in two builds, or a package was built for another TensorFlow. Where it comes behind the last line of the work, the results are there."
)
_NEEDED = ("avx", "avx2", "fma")  # by TensorFlow's wheels: AVX from 1.6, AVX2 and FMA from 2.x on Windows


def ends(case: Case, told: Testimony) -> Iterator[Candidate]:
    """A candidate for each way in which this run, or a process of it, was seen to end."""
    facts = case.facts
    if told.ended_well:
        return
    endings = [each for each in told.endings if not ended_by_launcher(told, each)]
    if (killings := kills(told)) and ended_copy(told) is None:
        yield killed(facts, told, tuple(map(place, killings))) or _killed(facts, killings)
        yield from retraced(facts)
    for ending in endings:
        if ending.how == "signal" and ending.status != 9:
            yield from _signalled(facts, told, ending)
    yield from _exceptions(case, told)
    refused = [each for each in told.endings if each.how == "refused"]
    if refused:
        yield _refused(refused[-1])
        return
    statuses = [each for each in told.endings if each.how == "exit"]
    if statuses:
        yield Candidate("exited-nonzero", Confidence.CERTAIN, tuple(map(place, statuses[-1:])))


def _refused(ending: Ending) -> Candidate:
    """A run that ended before it began, whatever TensorFlow said of the GPU while it was imported."""
    program = ending.frame or "The program"
    return Candidate(
        "exited-nonzero", Confidence.CERTAIN, (place(ending),), f"{program} does not accept its command line and ends before it does any work.",
        title=f"The program refused its command line: {ending.what[:160].rstrip('.')}.",
    )  # fmt: skip


def kills(told: Testimony) -> tuple[Ending, ...]:
    """Those by SIGKILL, but for what a launcher did after another process had failed."""
    killed_ones = (each for each in told.endings if each.how == "signal" and each.status == 9)
    return tuple(each for each in killed_ones if not ended_by_launcher(told, each))


def _signalled(facts: Facts, told: Testimony, ending: Ending) -> Iterator[Candidate]:
    """A death by any signal but SIGKILL, and what such a death mostly comes from."""
    if ending.status == 4:
        yield illegal_instruction(facts, (place(ending),)) or _illegal_instruction(facts, told, ending)
    elif ending.status in _BY_HAND:
        yield Candidate("killed-by-user", Confidence.POSSIBLE, (place(ending),))
    else:
        yield of_ml_compute(told, place(ending)) or of_metal(facts, ending) or at_its_end(told, ending) or _crashed(ending)  # fmt: skip
        behind = forked(ending) or (bus_error(facts, told, ending) if ending.status == 7 else None)
        if behind is not None:
            yield behind


def ended_by_launcher(told: Testimony, each: Ending | Saying) -> bool:
    """After one process ended badly its launcher ends the others: nobody's hand, and no lack of memory."""
    if isinstance(each, Ending) and not (
        each.how == "signal"
        and (each.status in _BY_HAND or (each.status == 9 and each.what.startswith(_OF_A_TASK)))
    ):
        return False
    return any(place(other) < place(each) and _ended_badly(other) for other in told.endings)


def _ended_badly(ending: Ending) -> bool:
    if ending.what.startswith(_OF_A_JOB):
        return False
    return ending.how == "exit" or (ending.how == "signal" and ending.status not in _BY_HAND)


def _killed(facts: Facts, killings: tuple[Ending, ...]) -> Candidate:
    """A bare kill: mostly for lack of memory; of a container where the text shows one."""
    boxed = isinstance(facts.host.container, Known) or any(each.container for each in killings)
    code, other = (
        ("container-oom-killed", "host-oom-killed") if boxed else ("host-oom-killed", "container-oom-killed")
    )
    fact = "memory.cgroup_oom_kills" if boxed else "kernel_log.oom_kills"
    return Candidate(
        code, Confidence.POSSIBLE, tuple(map(place, killings)),
        "The process was killed from outside (SIGKILL) and could say nothing. On Linux that is mostly the kernel, because memory "
        "ran out; the log itself does not tell who it was.",
        open=question((code, other, "killed-by-user"), fact), title=OF_A_KILL[code],
    )  # fmt: skip


def _illegal_instruction(facts: Facts, told: Testimony, ending: Ending) -> Candidate:
    flags = facts.host.cpu_flags
    if isinstance(flags, Known):
        lacking = [each for each in _NEEDED if each not in flags.value]
        if not lacking:
            return _crashed(ending)
        return Candidate(
            "cpu-instructions-missing", Confidence.CERTAIN, (place(ending),),
            f"The processor met an instruction that it does not have. It lacks {', '.join(lacking)}, which TensorFlow's builds use.",
        )  # fmt: skip
    if (arm := arm_instruction(facts, told, ending)) is not None:
        return arm
    return Candidate(
        "cpu-instructions-missing", Confidence.LIKELY, (place(ending),),
        open=question(("cpu-instructions-missing", "native-crash"), "host.cpu_flags"),
    )  # fmt: skip


def _crashed(ending: Ending) -> Candidate:
    if ending.what == WITHOUT_ITS_HEAD:
        return _dumped(ending)
    status, causer = died_of(ending.what)
    name = status or _NAMES.get(ending.status, f"signal {ending.status}")
    where = f" in {ending.frame}" if ending.frame else ""
    of = f", in code of {ending.package}" if ending.package else ""
    bus, heap = ending.status == 7, heap_overwritten(ending.what)
    return Candidate(
        "native-crash", Confidence.LIKELY if bus else Confidence.CERTAIN, (place(ending),),
        f"The program died of {name}{where}{of}. {causer or (_OF_THE_HEAP if heap else _OF_NATIVE_CODE)}",
        open=question(_BEHIND_A_BUS_ERROR, "memory.shm_free") if bus else None,
        title=f"The program crashed: Windows ended it for {status}." if status else _title_of_a_crash(ending.package, name, heap=heap),
    )  # fmt: skip


def _dumped(ending: Ending) -> Candidate:
    """A stack of faulthandler's alone: which signal it was stood above it."""
    where = f" It stood in {ending.frame}." if ending.frame else ""
    words = f"Python's faulthandler writes the stack of the current thread where compiled code kills the program; the line above it, with the kind of crash, was not copied along.{where}"
    title = _title_of_a_crash(ending.package, "a fatal signal", heap=False)
    return Candidate("native-crash", Confidence.LIKELY, (place(ending),), words, title=title)


def _title_of_a_crash(package: str, name: str, *, heap: bool) -> str:
    if heap:
        where = f" while code of {package} was at work" if package else ""
        return f"The program crashed{where}: compiled code had overwritten its heap."
    if package:
        return f"The program crashed while {package} was at work."
    return f"The program crashed in compiled code ({name}), and the log does not say in which package's."


def _exceptions(case: Case, told: Testimony) -> Iterator[Candidate]:
    """The last exception of the run; the user's innermost frame says where in the program it arose."""
    raised = [each for each in told.endings if each.how == "exception"]
    if not raised:
        return
    last, facts = behind_a_stop(told, raised[-1]), case.facts
    if (shadowed := shadowing(last)) is not None:
        yield shadowed
    told_otherwise = meant(facts, told, last)
    failed = _misfit(case, told, raised, last)
    if failed is None and told_otherwise is not None and told_otherwise.code != "python-exception":
        failed = Candidate(told_otherwise.code, Confidence.LIKELY, (place(last),), told_otherwise.words, title=told_otherwise.title)  # fmt: skip
    if failed is not None:
        yield failed
    if (reported := of_other_program(told, last)) is not None:
        yield reported
        return
    answer = uncaught(facts, told, last, with_a_place(raised, last))
    special = known_title(last)
    if told_otherwise is not None and told_otherwise.code == "python-exception":
        words = f"{told_otherwise.words} The last line: {last.what.rstrip('.')}."
        answer = replace(answer, explanation=words, title=told_otherwise.title)
    elif special:
        answer = replace(answer, title=special)
    yield answer


def _misfit(case: Case, told: Testimony, raised: list[Ending], last: Ending) -> Candidate | None:
    """Packages that do not fit each other, or that lack something; None for an error of the program's own."""
    facts, said = case.facts, _said(told, last)
    return (
        (None if said else of_two_releases(last))
        or of_misfit(case, told, telling(raised))
        or out_of_time(last)
        or asked_in_vain(facts, told, last)
        or of_another_python(facts, last)
        or of_moved(last)
        or incomplete(told, last)
        or lacking(facts, last)
        or (without_member(case, told, last) if not _said(told, last) else None)
        or decoded(told, last)
        or refused_add_on(told, last)
        or (None if said else absent(told, last) or absent_part(told, last) or absent_name(told, last))
        or (None if meant(facts, told, last) else import_failed(told, last))
    )


def _said(told: Testimony, last: Ending) -> bool:
    """A text of the catalogue gives the cause of this very line."""
    return any(each.role == "cause" and place(each) == place(last) for each in told.sayings)


_STOPS = ("StopIteration", "RuntimeError: generator raised StopIteration", "EOFError: Ran out of input")


def behind_a_stop(told: Testimony, last: Ending) -> Ending:
    """A generator that failed ends its caller with StopIteration, a process that could not send ends its child: the first says why."""
    before = [each for each in told.endings if each.how == "exception" and place(each) < place(last)]
    why = [each for each in before if not each.what.startswith(_STOPS)]
    return why[-1] if why and last.what.startswith(_STOPS) else last
