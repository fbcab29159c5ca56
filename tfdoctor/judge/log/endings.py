"""How a run ended: kills, crashes, exceptions, exit statuses, and what helps."""

from __future__ import annotations

from collections.abc import Iterator

from tfdoctor.base.expressions import Expression
from tfdoctor.base.records import replace
from tfdoctor.base.signals import SIGPIPE, SIGQUIT, signal_name
from tfdoctor.facts.log_values import WITHOUT_ITS_HEAD, Ending, Saying
from tfdoctor.facts.model import Facts
from tfdoctor.facts.outcome import Known, known, value_or
from tfdoctor.fix.batch import largest_batch, most_of_this_batch
from tfdoctor.fix.commands import operand
from tfdoctor.judge.engine.case import Case
from tfdoctor.judge.log.broken_installs import incomplete, of_another_python
from tfdoctor.judge.log.candidate import Candidate, of_page, question
from tfdoctor.judge.log.cases import situated, weighed
from tfdoctor.judge.log.companions import import_failed, refused_add_on
from tfdoctor.judge.log.exceptions import uncaught, uncaught_fixes, with_a_place
from tfdoctor.judge.log.keras_errors import (
    asked_in_vain,
    of_inner_name,
    out_of_time,
    without_member,
)
from tfdoctor.judge.log.memory import dumps_of_gpus, retraced
from tfdoctor.judge.log.misfits import shadowing
from tfdoctor.judge.log.misfits import words_of_ending as of_misfit
from tfdoctor.judge.log.modules import absent, known_title, module_fixes, of_moved
from tfdoctor.judge.log.spans import shown
from tfdoctor.judge.log.testimony import Testimony, hung, place
from tfdoctor.judge.log.windows import died_of
from tfdoctor.judge.log.words import fix_here
from tfdoctor.judge.memory import DOCKER_SHM
from tfdoctor.judge.questions.deaths import LIMITS, ended_by
from tfdoctor.knowledge.actions import act
from tfdoctor.knowledge.lines import quoted
from tfdoctor.knowledge.messages.expressions import (
    MODULE,
    forks_workers,
    heap_overwritten,
    is_loading,
    names_several,
)
from tfdoctor.knowledge.model import Confidence, Fix
from tfdoctor.knowledge.packages import PROJECTS
from tfdoctor.knowledge.pages import ways_out
from tfdoctor.knowledge.says import says

# A copy of a process on a Mac: the system ends one that goes on with what its parent had begun, and says so in words of its own.

COPY_ENDED = "mac-copy-ended"


# A bus error: memory that was mapped could not be filled. Among several processes, and in containers, that is mostly /dev/shm.

_BEHIND_A_BUS_ERROR = (
    "native-crash",
    "shared-memory-too-small",
    "tensorflow-install-broken",
    "disk-full",
)


def bus_error(facts: Facts, told: Testimony, ending: Ending) -> Candidate | None:
    """None on a Mac, where the crash is in the loading of a library, and where it is known that /dev/shm had room."""
    free = facts.memory.shm_free
    if isinstance(free, Known) and free.value >= DOCKER_SHM:
        return None
    if value_or(facts.host.os, "linux") != "linux" or is_loading(ending.frame):
        return None
    several = isinstance(facts.host.container, Known) or ending.container or bool(ending.process)
    said = (ending.what, *(each.text for each in told.sayings))
    sure = Confidence.LIKELY if several or any(map(names_several, said)) else Confidence.POSSIBLE
    at, others = (place(ending),), _BEHIND_A_BUS_ERROR[:1] + _BEHIND_A_BUS_ERROR[2:]
    return of_page(
        "shared-memory-too-small", "bus-error", at, sure=sure, others=others, fact="memory.shm_free"
    )


# Workers of a server that forks, crashing one after another: mostly TensorFlow had started before they were made.

_CRASHES = (6, 10, 11)
_SAID_WHY = ("fatal-line", "fatal-line-absl", "check-failed-line", "llvm-error", "assertion-failed")
"""With which compiled code says why it aborts."""


def forked(told: Testimony, ending: Ending) -> Candidate | None:
    """None for a crash of another kind of process, where a package's own frames stand below it, or its code said why."""
    if ending.status not in _CRASHES or ending.package or not forks_workers(ending.what):
        return None
    if told.named(*_SAID_WHY):
        return None
    return of_page("fork-after-init", "server", (place(ending),), sure=Confidence.POSSIBLE)


# How the program ended, where that is all that the log tells: kills, crashes, exceptions, exit statuses.

_NAMES = {each: signal_name(each) for each in (4, 5, 6, 7, 8, 11, 31)}
_BY_HAND = (1, 2, 15)
_OF_A_TASK = "srun: error: "  # and then the node, the task and its signal
_OF_A_JOB = "Exited with exit code "  # LSF's report, which stands before what the job wrote


def ends(case: Case, told: Testimony) -> Iterator[Candidate]:
    """A candidate for each way in which this run, or a process of it, was seen to end."""
    facts = case.facts
    if told.caught:
        yield from _exceptions(case, told)
    if told.ended_well:
        return
    endings = [each for each in told.endings if not ended_by_launcher(told, each)]
    if (killings := kills(told)) and not told.named(COPY_ENDED):
        if (killed := _killed(case, told, killings)) is not None:
            yield killed
        yield from retraced(facts)
    for ending in endings:
        if ending.how == "signal" and ending.status != 9:
            yield from _signalled(case, told, ending)
    yield from _exceptions(case, told)
    refused = [each for each in told.endings if each.how == "refused"]
    if refused:
        yield _refused(refused[-1])
        return
    statuses = [each for each in told.endings if each.how == "exit"]
    if statuses:
        yield Candidate("exited-nonzero", Confidence.POSSIBLE, tuple(map(place, statuses[-1:])))


def _refused(ending: Ending) -> Candidate:
    """A run that ended before it began, whatever TensorFlow said of the GPU while it was imported."""
    own = (
        act("edit-program", "parser-empty")
        if "ipykernel" in ending.frame
        else _options_of(ending.frame)
    )
    return of_page(
        "exited-nonzero", "refused", (place(ending),), sure=Confidence.CERTAIN, fixes=(own,),
        values={"program": ending.frame or "The program", "said": ending.what[:160].rstrip(".")},
    )  # fmt: skip


def _options_of(program: str) -> Fix:
    started = ("python", operand(program)) if program.endswith(".py") else (program or "PROGRAM",)
    return act(
        "look", "program-options", called=program or "the program", asked=quoted(*started, "--help")
    )


def kills(told: Testimony) -> tuple[Ending, ...]:
    """Those by SIGKILL, but for what a launcher did after another process had failed."""
    killed_ones = (each for each in told.endings if each.how == "signal" and each.status == 9)
    return tuple(each for each in killed_ones if not ended_by_launcher(told, each))


def _signalled(case: Case, told: Testimony, ending: Ending) -> Iterator[Candidate]:
    """A death by any signal but SIGKILL, and what such a death mostly comes from."""
    facts = case.facts
    if ending.status == 4:
        # What the message of that name would mean at this place.
        said = Saying(
            "illegal-instruction", "cpu-instructions-missing", "cause", "likely", *place(ending), "",
            rivals=("native-crash",), decided_by=("host.cpu_flags",),
        )  # fmt: skip
        yield weighed(case, told, said) or _crashed(facts, ending)
    elif ending.status in _BY_HAND:
        yield Candidate("killed-by-user", Confidence.POSSIBLE, (place(ending),))
    elif _is_no_crash(facts, ending):
        yield _sent(ending)
    else:
        yield _of_metal(facts, ending) or _crashed(facts, ending)
        behind = forked(told, ending) or (
            bus_error(facts, told, ending) if ending.status == 7 else None
        )
        if behind is not None:
            yield behind


_BUS_OF_MACOS = 10
"""SIGUSR1 on Linux."""
_SENT = frozenset({SIGQUIT, *range(12, 31)} - set(_BY_HAND))
"""Numbers of signals that a person, a scheduler, a timer or a limit sends, on Linux and macOS."""


def _is_no_crash(facts: Facts, ending: Ending) -> bool:
    if ending.status == _BUS_OF_MACOS:
        mac = shown(facts).metal or value_or(facts.host.os, "") == "macos"
        return not mac and "bus" not in ending.what.lower()
    return ending.status in _SENT


def _sent(ending: Ending) -> Candidate:
    """The status alone does not show whether the signal came: a program may choose its number."""
    if ending.status == SIGPIPE:
        return Candidate("output-closed", Confidence.POSSIBLE, (place(ending),))
    limit = ending.status in LIMITS
    return Candidate(
        "killed-by-user", Confidence.POSSIBLE, (place(ending),),
        says("killed-by-user", "of-a-limit") if limit else says("killed-by-user", "of-a-signal"),
        title=ended_by("The program", ending.status),
        fixes=(act("look", "limits-of-shell"),) if limit else (),
    )  # fmt: skip


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


def _killed(case: Case, told: Testimony, killings: tuple[Ending, ...]) -> Candidate | None:
    """A bare kill: mostly for lack of memory; of a container where the text shows one."""
    boxed = isinstance(case.facts.host.container, Known) or any(each.container for each in killings)
    found = situated(
        case, told, "ended-with-137" if boxed else "shell-killed", tuple(map(place, killings))
    )
    said_why = found is not None and any(each.sure == "certain" for each in told.of(found.code))
    return replace(found, fixes=()) if found is not None and said_why else found


_METAL_CRASHES = (5, 6, 10, 11)
"""SIGTRAP, SIGABRT, SIGBUS by macOS' own number, SIGSEGV."""


def _of_metal(facts: Facts, ending: Ending) -> Candidate | None:
    """A crash of compiled code beside Apple's plug-in for the GPU. None elsewhere, and for a death in another package's code."""
    if not shown(facts).metal or ending.status not in _METAL_CRASHES or ending.package:
        return None
    fact, others, at = "packages.installed", ("native-crash",), (place(ending),)
    return of_page("metal-plugin-mismatch", "crashed", at, others=others, fact=fact)


def _crashed(facts: Facts, ending: Ending) -> Candidate:
    status, causer = died_of(ending.what)
    headless, bus, heap = (
        ending.what == WITHOUT_ITS_HEAD,
        ending.status == 7,
        heap_overwritten(ending.what),
    )
    name = "a fatal signal" if headless else _NAMES.get(ending.status, f"signal {ending.status}")
    words = causer or (says("native-crash", "dumped") if headless else says("native-crash", "of-the-heap") if heap else "")  # fmt: skip
    where = says("native-crash", "stood", frame=ending.frame) if ending.frame else ""
    nameless = "" if ending.package else says("native-crash", "nameless")
    return Candidate(
        "native-crash", Confidence.LIKELY if bus or headless else Confidence.CERTAIN, (place(ending),),
        " ".join(filter(None, (where, words or nameless))),
        open=question(_BEHIND_A_BUS_ERROR, "memory.shm_free") if bus else None,
        title=says("native-crash", "by-status-title", status=status) if status else _title_of_a_crash(ending.package, name, heap=heap),
        fixes=_of_the_package_at_work(facts, ending.package),
    )  # fmt: skip


def _title_of_a_crash(package: str, name: str, *, heap: bool) -> str:
    if heap and package:
        return says("native-crash", "heap-of-title", package=package)
    if heap:
        return says("native-crash", "heap-title")
    if package:
        return says("native-crash", "of-package-title", name=name, package=package)
    return says("native-crash", "bare-title", name=name)


def diverged(told: Testimony) -> str:
    """What is said of a training whose loss is NaN; "" of another."""
    said = told.named("loss-is-nan")
    return says("python-exception", "loss-is-nan", line=said[0].line) if said else ""


def _exceptions(case: Case, told: Testimony) -> Iterator[Candidate]:
    """The last exception of the run; the user's innermost frame says where in the program it arose."""
    if not told.raised or (told.raised[-1].by_hand and hung(case.facts)):
        return
    last, facts = behind_a_stop(told, told.raised[-1]), case.facts
    if any(place(each) == place(last) for each in told.of("jupyter-kernel-died")):
        return  # what a client raises where its kernel died tells of that death
    if (shadowed := shadowing(last)) is not None:
        yield shadowed
    if (failed := _misfit(case, told, last)) is not None:
        yield failed
    if last.package in _FRAMEWORKS:
        yield from _of_a_framework(case, told, last)
    if last.package in _FRAMEWORKS or _is_told_by_another(told, last):
        return
    yield uncaught(facts, last, with_a_place(told.raised, last), known_title(last))


_OTHERS_CODE, _REPORTED = "other-program-failed", "reported-by-"
_FRAMEWORKS = {"torch": "torch", "jax": "jax", "jaxlib": "jax", "cupy": "cupy", "numba": "numba"}
"""By the package in whose code an exception arose, how the message of such a framework is called."""
_LANGUAGES = ("reported-by-node", "reported-by-java", "reported-by-dotnet")
"""Their messages may look like an exception of Python's, with frames of their own below."""
_OF_A_LIBRARY = ("shared-library-missing", "tensorflow-install-broken", "windows-runtime-missing")


def _of_a_framework(case: Case, told: Testimony, last: Ending) -> Iterator[Candidate]:
    """An exception that another framework raised, as its own message would tell it."""
    name, words = f"{_REPORTED}{_FRAMEWORKS[last.package]}", last.what.rstrip(". ")
    short = words if len(words) <= _OTHERS_LONGEST else f"{words[:_OTHERS_LONGEST]} …"
    said = Saying(
        name, _OTHERS_CODE, "cause", "certain", *place(last), last.what, told={"message": short}
    )
    if (found := weighed(case, told, said)) is not None:
        yield found


_OTHERS_LONGEST = 160  # characters of a message in a title


def _is_told_by_another(told: Testimony, last: Ending) -> bool:
    """Whether a message of another framework or language stands in this line, or is what the exception without a traceback is of."""
    bare = not last.through and not last.frame
    said = (each for each in told.of(_OTHERS_CODE) if each.name.startswith(_REPORTED))
    return any(place(each) == place(last) or (bare and each.name in _LANGUAGES) for each in said)


def of_another_language(told: Testimony, saying: Saying) -> bool:
    """Whether the loader's words are about the library of a program in Node.js, Java or .NET, and not of a Python package."""
    return saying.code in _OF_A_LIBRARY and bool(told.named(*_LANGUAGES))


def _misfit(case: Case, told: Testimony, last: Ending) -> Candidate | None:
    """Packages that do not fit each other, or that lack something; None for an error of the program's own."""
    facts, said = case.facts, _ends_said(told, last)
    return (
        of_misfit(case, told, last)
        or out_of_time(facts, last)
        or asked_in_vain(facts, last)
        or of_another_python(facts, last)
        or of_moved(facts, last)
        or incomplete(facts, last)
        or (None if said else without_member(case, told, last))
        or refused_add_on(facts, last)
        or (None if said else absent(facts, last))
        or of_inner_name(facts, told, last)
        or (None if said else import_failed(told, last))
    )


def _ends_said(told: Testimony, last: Ending) -> bool:
    """A text of the catalogue gives the cause of this very line."""
    return any(each.role == "cause" and place(each) == place(last) for each in told.sayings)


_STOPS = (
    "StopIteration",
    "RuntimeError: generator raised StopIteration",
    "EOFError: Ran out of input",
)


def behind_a_stop(told: Testimony, last: Ending) -> Ending:
    """A generator that failed ends its caller with StopIteration, a process that could not send ends its child: the first says why."""
    before = (each for each in told.raised if place(each) < place(last))
    why = [each for each in before if not each.what.startswith(_STOPS)]
    return why[-1] if why and last.what.startswith(_STOPS) else last


# A crash whose stack the log already shows: the package that was at work is the one to change.

_LIBRARY = Expression(r"\.(?:so|dylib)(?:\.\d{1,5}){0,4}$")
_TENSORFLOW = ("tensorflow", "tensorflow-core", "keras", "tf-keras")


def _of_the_package_at_work(facts: Facts, module: str) -> tuple[Fix, ...]:
    """() where no stack is shown, or only that of the user's own files."""
    if not module or _LIBRARY.search(module):
        return ()
    page = ways_out("native-crash")
    if module in _TENSORFLOW:
        return (act("rerun", "run-once-on-cpu"), *page[1:])
    project = PROJECTS.get(module.replace("-", "_"), module)
    return (
        fix_here(facts, "change-packages", "update-crashed-package", project=project),
        *page[2:],
    )


# What a program that ran needs: a smaller batch, no second process, a file without locks, the reading of its own error.


def smaller_batch(case: Case, told: Testimony) -> tuple[Fix, ...]:
    """By what the allocator could not give, before the page's ways."""
    page = ways_out("gpu-out-of-memory")
    training = known(case.facts.death.training)
    share = most_of_this_batch(dumps_of_gpus(case.facts))
    if share is None or (training is not None and isinstance(largest_batch(training), Known)):
        return page  # nothing is known of the batch, or steps of it ran
    batch = training.batch if training is not None else None
    if isinstance(batch, Known):
        most = int(share * batch.value)
        own = act("use-less-memory", "largest-batch", most=f"{most:,}", batch=f"{batch.value:,}")
        return (own, *page)
    return (act("use-less-memory", "share-of-batch", share=int(share * 100)), *page)


def read_it(case: Case, told: Testimony) -> tuple[Fix, ...]:
    """What the general rules say of the last exception, with the package of a module that is not installed."""
    if not told.raised:
        return ()
    last = behind_a_stop(told, told.raised[-1])
    general = uncaught_fixes(case.facts, last, with_a_place(told.raised, last))
    missing = MODULE.search(last.what)
    if missing is not None and not last.package:
        return (*module_fixes(case.facts, last, missing["module"]), *general[:1])
    return general
