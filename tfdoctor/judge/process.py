"""How programs end, hang or run out of something, and the variables that they are given."""

from __future__ import annotations

import errno
import os
from collections.abc import Sequence

from tfdoctor.base.expressions import Expression
from tfdoctor.base.records import record
from tfdoctor.base.signals import (
    SIGABRT,
    SIGHUP,
    SIGINT,
    SIGKILL,
    SIGPIPE,
    SIGTERM,
    signal_name,
)
from tfdoctor.base.units import seconds
from tfdoctor.facts.death import SentSignal, WaitingThread
from tfdoctor.facts.outcome import Failed, Known, value_or
from tfdoctor.facts.smoke_values import TensorFlowSmoke
from tfdoctor.fix.packages import reinstall
from tfdoctor.judge.engine.case import Ability, Case, Found, Inconclusive, NotApplicable, check
from tfdoctor.judge.engine.evidence import evidence, if_known
from tfdoctor.judge.memory import killed_for_memory, no_kill, reached_limit
from tfdoctor.judge.questions.abilities import abilities_seen
from tfdoctor.judge.questions.deaths import (
    CRASHES,
    LIMITS,
    Victim,
    death_as_evidence,
    end_of,
    ended_by,
    victim,
    who,
    workers,
)
from tfdoctor.judge.questions.last_words import last_words, sentences, why
from tfdoctor.judge.questions.packages import version_of
from tfdoctor.judge.questions.stage_output import (
    died_of,
    failed_stage,
    must_have_listened,
    said,
    words,
)
from tfdoctor.judge.questions.variables import Named, named_in, variables, without
from tfdoctor.judge.smoke import repeat
from tfdoctor.knowledge.actions import act
from tfdoctor.knowledge.compiled import table
from tfdoctor.knowledge.lines import setting, unsetting
from tfdoctor.knowledge.model import Confidence, Evidence, Fix, Severity
from tfdoctor.knowledge.says import says
from tfdoctor.knowledge.variable_names import meant_by

MEASURED = "measured with TensorFlow 2.21.0 on 1 and 2 CPUs (2026-11-20)"
MB = 10**6
_THREADS, _THREADS_PER_CPU = 12, 6
_FEW_FILES = 256
"""Half of macOS' default. TensorFlow itself opens few; input pipelines open one per file that they interleave."""
_FULL = 1 * MB
_LITTLE = 100 * MB
"""A rule of thumb: compiled kernels (CUDA's cache holds up to 1 GB), checkpoints and temporary files need more."""


@check("file-descriptors-exhausted", blocks=Ability.NOTHING)
def open_files(case: Case) -> Found | None:
    """The words of a failed stage, or a limit of open files below a rule of thumb."""
    text = words(case.facts, "file-descriptors-exhausted")
    if text is not None:
        return Found(
            says("file-descriptors-exhausted", "reached"),
            (text,),
            (act("raise-limit", "open-files"),),
        )
    limit = case.need(case.facts.memory.limit_open_files)
    if limit >= _FEW_FILES:
        return None
    return Found(
        says("file-descriptors-exhausted", "low-limit", limit=limit),
        (Evidence("memory.limit_open_files", str(limit), f">={_FEW_FILES}", "a rule of thumb"),),
        (act("raise-limit", "open-files"),),
        Confidence.POSSIBLE,
        Severity.WARNING,
    )


@check("threads-exhausted", blocks=Ability.NOTHING)
def threads(case: Case) -> Found | None:
    """The words of a failed stage, or a limit of processes below the threads that TensorFlow starts on so many CPUs."""
    forbidden = words(case.facts, "threads-forbidden") is not None
    text = None if forbidden else words(case.facts, "threads-exhausted")
    needed = _THREADS + _THREADS_PER_CPU * value_or(case.facts.host.cpu_count, 1)
    low = _limits(case, needed)
    reached = None if low else reached_limit(case)
    if reached is not None and reached[0].fact == "memory.limit_address_space":
        return None  # a thread needs addresses for its stack, and that limit comes first
    refused = None if text is not None or forbidden else _refused_here(case)
    if text is None and refused is None and not low:
        for fact in (case.facts.memory.cgroup_pids_limit, case.facts.memory.limit_processes):
            case.need_outcome(fact)
        return None
    works = Ability.COMPUTE in abilities_seen(case.facts)
    return Found(
        says("threads-exhausted", "found", needed=needed),
        (*(low or (_limits(case) if text else ())), text, refused),
        (act("raise-limit", "processes"), act("set-variable", "start-fewer-threads")),
        Confidence.CERTAIN if text else Confidence.LIKELY,
        Severity.ERROR if text else Severity.INFO if works else Severity.WARNING,
    )


def _limits(case: Case, needed: int = 0) -> tuple[Evidence, ...]:
    """The limits of processes; with `needed` those that are too low for it."""
    memory = case.facts.memory
    limits = {
        "cgroup_pids_limit": (memory.cgroup_pids_limit, "the container may have {:,} processes"),
        "limit_processes": (memory.limit_processes, "ulimit -u allows the user {:,} processes"),
    }
    return tuple(
        Evidence(
            f"memory.{name}",
            words.format(limit.value),
            *((f">={needed}", MEASURED) if needed else ()),
        )
        for name, (limit, words) in limits.items()
        if isinstance(limit, Known) and (not needed or limit.value < needed)
    )


def _refused_here(case: Case) -> Evidence | None:
    """The doctor itself was refused a thread or a process. TensorFlow alone may still get the few that it starts at once."""
    for path, fact in case.facts.items():
        if isinstance(fact, Failed) and fact.kind == "no-more-threads":
            return Evidence(
                path,
                fact.error[:300],
                "as many threads as the examination starts",
                "tfdoctor's own start of a thread or process",
            )
    return None


@check("threads-forbidden", blocks=Ability.IMPORT)
def threads_forbidden(case: Case) -> Found | None:
    """The failed stage's words: starting a thread is not permitted, which no limit answers with (pthread_create(3): EPERM)."""
    must_have_listened(case)
    text = words(case.facts, "threads-forbidden")
    if text is None:
        return None
    return Found(
        says("threads-forbidden", "found"),
        (text, if_known(case, "host.container")),
        (
            act("install-software", "update-docker-to-20-10-10"),
            act("choose-image", "glibc-older"),
            act("start-otherwise", "without-seccomp"),
        ),
    )


@check("temporary-folder-missing", blocks=Ability.IMPORT)
def temporary_folder(case: Case) -> Found | None:
    """Absent where no folder in which Python's tempfile looks can be written: importing TensorFlow asks tempfile for one."""
    facts = case.facts
    if (
        isinstance(facts.memory.tmp_writable, Failed)
        and facts.memory.tmp_writable.kind == "not-asked"
    ):
        raise NotApplicable("a report of an older tfdoctor")
    if isinstance(case.need_outcome(facts.memory.tmp_writable), Known):
        return None
    return Found(
        says("temporary-folder-missing", "found"),
        (
            evidence(
                case, "memory.tmp_writable", "a folder that can be written", "Python's tempfile"
            ),
        ),
        (act("set-variable", "set-tmpdir"), act("start-otherwise", "give-container-writable-tmp")),
    )


@check("disk-full", blocks=Ability.NOTHING)
def disk(case: Case) -> Found | None:
    """The words of a failed stage, or little space where temporary files and compiled kernels go. Undecided only where both
    places could not be read.
    """
    text = words(case.facts, "disk-full")
    places = (
        ("memory.tmp_free", case.facts.memory.tmp_free),
        ("memory.home_free", case.facts.memory.home_free),
    )
    low = [
        (path, fact.value)
        for path, fact in places
        if isinstance(fact, Known) and fact.value < _LITTLE
    ]
    if text is None and not low:
        failed = [fact for _, fact in places if isinstance(fact, Failed)]
        if len(failed) == len(places):
            case.cant_tell(failed[0])
        return None
    full = text is not None or any(free < _FULL for _, free in low)
    return Found(
        says("disk-full", "full") if full
        else says("disk-full", "nearly-full"),
        (*(Evidence(path, f"{free / MB:.0f} MB free", f">={_LITTLE // MB} MB", "a rule of thumb") for path, free in low), text),
        (
            act("look", "disk-use"),
            act("set-variable", "move-temporary-files"),
        ),
        Confidence.CERTAIN if full else Confidence.POSSIBLE,
        Severity.ERROR if text else Severity.WARNING,
    )  # fmt: skip


_OWN_CODE = frozenset(
    """
    CUDA_VISIBLE_DEVICES CUDA_HOME CUDA_PATH CUDA_LAUNCH_BLOCKING KERAS_BACKEND KERAS_HOME LD_LIBRARY_PATH LD_PRELOAD
    NVIDIA_VISIBLE_DEVICES PYTHONPATH TF_USE_LEGACY_KERAS TMPDIR VIRTUAL_ENV
    CONDA_PREFIX
    """.split()  # noqa: SIM905  # 15 names with quotation marks read worse
)
"""Other checks judge these, or they hold folders, which a sentence may name for many reasons."""

_REFUSING = (
    "unknown", "invalid", "illegal", "unsupported", "not supported", "n't", "not ", "cannot", "must", "fail", "unable",
    "malformed", "pars", "expected", "out of range", "no such",
)  # fmt: skip
"""One of these stands in a sentence that refuses something; a sentence without them only mentions the variable."""


@check("environment-variable-refused", blocks=Ability.NOTHING)
def environment_variable_refused(case: Case) -> Found | None:
    """By the words of an interpreter that does not start, else by a sentence of the failed stage that names the variable and
    refuses its value.
    """
    said = _by_python(case)
    if said is None:
        must_have_listened(case)
        said = _by_tensorflow(case) or _by_docstrings(case)
    if said is None:
        return None
    named, evidence = said
    if named.name == _OPTIMIZE:
        return _without_docstrings(named, evidence)
    what = f"{named.part} in {named.name}" if named.part else named.shown
    return Found(
        says("environment-variable-refused", "found"),
        (
            Evidence("environment.variables", named.shown, f"no {named.part or named.name}, or a value that is taken"),
            evidence,
        ),
        (without(named),),
        title=says("environment-variable-refused", "title", what=what),
    )  # fmt: skip


_OPTIMIZE = "PYTHONOPTIMIZE"
_NO_DOCSTRING = ("NoneType", "__doc__", "docstring")
"""What an exception says where code works on its own documentation and finds none."""


def _without_docstrings(named: Named, evidence: Evidence) -> Found:
    once = act("set-variable", "use-optimization-level-keeps-docstrings")
    return Found(
        says("environment-variable-refused", "without-docstrings"),
        (Evidence("environment.variables", named.shown, "not set, or 1", "TensorFlow issue 96900, Keras pull request 22189"), evidence),
        (without(named), once),
        Confidence.LIKELY,
        title=says("environment-variable-refused", "without-docstrings-title", shown=named.shown),
    )  # fmt: skip


def _by_docstrings(case: Case) -> tuple[Named, Evidence] | None:
    """PYTHONOPTIMIZE as Python reads it (Python/initconfig.c of 3.13): a number counts, any other text is 1."""
    text = variables(case.facts).get(_OPTIMIZE, "").strip()
    if not text.isdigit() or int(text) < 2:
        return None
    for sentence in sentences(case.facts):
        if any(each in sentence for each in _NO_DOCSTRING):
            return Named(_OPTIMIZE, text), _as_said(sentence)
    return None


def _as_said(sentence: str) -> Evidence:
    return Evidence(
        "smoke.tensorflow",
        sentence[:300],
        "TensorFlow is imported and computes",
        "the TensorFlow stage",
    )


def _by_tensorflow(case: Case) -> tuple[Named, Evidence] | None:
    for sentence in sentences(case.facts):
        if any(each in sentence.lower() for each in _REFUSING):
            named = named_in(sentence, case.facts)
            if named is not None and named.name not in _OWN_CODE:
                return named, _as_said(sentence)
    return None


def _by_python(case: Case) -> tuple[Named, Evidence] | None:
    """An interpreter that does not start says which of its variables it can't read."""
    answer = case.facts.interpreter.implementation
    if not isinstance(answer, Failed):
        return None
    named = named_in(answer.error, case.facts)
    if named is None or not named.name.startswith("PYTHON") or named.name in _OWN_CODE:
        return None
    return named, Evidence("interpreter.implementation", answer.error[:300], "it starts")


_NUMBER = Expression(r"\s{0,20}[+-]?\d")  # C++ reads a number's beginning and leaves the rest
_WHOLE_NUMBER = Expression(r"\s{0,20}[+-]?\d{1,9}\s{0,20}$")
Version = tuple[int, int]


@record
class Reader:
    """How a variable is read. `values` are taken as they stand; `any_case`: in capitals, too; `number`: so is what begins with
    a number, and since `whole_since` only a number.
    """

    values: tuple[str, ...]
    source: str
    any_case: bool = False
    number: bool = False
    whole_since: Version = (99, 0)

    def takes(self, value: str, version: Version) -> bool:
        if self.number and (_NUMBER if version < self.whole_since else _WHOLE_NUMBER).match(value):
            return True
        return (value.lower() if self.any_case else value) in self.values


_LASTING = "Lasts for this shell. Also correct the line that sets it."
_TRUE = ("1", "true", "True", "yes", "YES", "on", "ON", "y", "Y", "TRUE", "t")

READERS = {
    "TF_USE_LEGACY_KERAS": Reader(
        ("true", "True", "1", "false", "False", "0", ""),
        "tensorflow/python/util/lazy_loader.py of 2.21.0, which knows true, True and 1",
    ),
    "TF_ENABLE_ONEDNN_OPTS": Reader(
        ("0", "1", "true", "false"),
        "TensorFlow 2.21.0 says so and takes its default (run 2026-11-22)",
        any_case=True,
    ),
    **dict.fromkeys(
        ("TF_CPU_ALLOCATOR_USE_BFC", "TF_MATMUL_AUTOTUNE_ENABLE", "TF_ENABLE_ZENDNN_OPTS"),
        Reader(
            ("0", "1", "true", "false"),
            "TensorFlow 2.21.0 says so and takes its default (run 2026-11-23)",
            any_case=True,
        ),
    ),
    "TF_ENABLE_GPU_GARBAGE_COLLECTION": Reader(
        ("true", "false"), "TensorFlow 2.21.0 says so and takes its default (run 2026-11-23)"
    ),
    "TF_CPP_MIN_LOG_LEVEL": Reader(
        ("", "0", "1", "2", "3"),
        "TensorFlow 2.20.0 shows all lines under TF_CPP_MIN_LOG_LEVEL=ERROR (run 2026-11-22): only a number counts",
        number=True,
        whole_since=(
            2,
            21,
        ),  # 2.18.1 reads 1x as 1, 2.21.0 does not (tests/real/variables.json, 2026-11-28)
    ),
    "TF_GPU_ALLOCATOR": Reader(
        ("", "cuda_malloc", "cuda_malloc_async", "memory_guard"),
        "tensorflow/core/common_runtime/gpu/gpu_process_state.cc, which compares with these alone (read 2026-11-24)",
    ),
    "TF_FORCE_GPU_ALLOW_GROWTH": Reader(
        ("true", "false"), "tensorflow/core/common_runtime/gpu/gpu_bfc_allocator.cc of 2.4 to 2.21"
    ),
}
"""Variables of which it was looked up, or tried, how they are read. Every other one is left alone."""


@check("environment-variable-ignored", blocks=Ability.NOTHING)
def environment_variable_ignored(case: Case) -> Found | None:
    """Only worth knowing: TensorFlow works as if the variable were not set."""
    case.need_outcome(case.facts.environment.variables)
    misspelt = _misspelt(case) or _parted(case)
    if misspelt is not None:
        return misspelt
    version = _version(case)
    hit = [
        (name, value)
        for name, value in variables(case.facts).items()
        if name in READERS and not READERS[name].takes(value, version)
    ]
    if not hit:
        return None
    named = " and ".join(f"{name}={value}" for name, value in hit)
    return Found(
        f"TensorFlow goes on as if {'it' if len(hit) == 1 else 'they'} were not set.",
        tuple(
            Evidence("environment.variables", f"{name}={value}", " or ".join(each for each in READERS[name].values if each), READERS[name].source)
            for name, value in hit
        ),
        tuple(_meant(name, value) for name, value in hit),
        severity=Severity.INFO,
        title=says("environment-variable-ignored", "title", named=named),
    )  # fmt: skip


def _version(case: Case) -> Version:
    """(0, 0) where it is not known."""
    known = case.facts.tensorflow.version
    if not isinstance(known, Known):
        return (0, 0)
    version = version_of(known.value)
    return (version.major, version.minor)


def _misspelt(case: Case) -> Found | None:
    """A variable whose name is that of another one but for underscores, capitals or an S, which is not set."""
    found = variables(case.facts)
    for name, value in found.items():
        meant = meant_by(name)
        if meant and meant not in found:
            return Found(
                says("environment-variable-ignored", "misspelt", name=name),
                (Evidence("environment.variables", f"{name}={value}", meant),),
                (
                    Fix(
                        f"Write {meant}",
                        (setting({meant: value}), unsetting(name)),
                        _LASTING,
                    ),
                ),
                Confidence.LIKELY,
                severity=Severity.INFO,
                title=says(
                    "environment-variable-ignored", "misspelt-title", name=name, meant=meant
                ),
            )
    return None


_PARTED = Expression(r"\d{1,3}(?:[ ;:|/]{1,4}\d{1,3}){1,63}")


def _parted(case: Case) -> Found | None:
    """GPU numbers that anything but commas separates: CUDA reads the first one alone."""
    name = "CUDA_VISIBLE_DEVICES"
    value = variables(case.facts).get(name, "").strip()
    if not _PARTED.fullmatch(value):
        return None
    meant = ",".join("".join(each if each.isdigit() else " " for each in value).split())
    return Found(
        says("environment-variable-ignored", "parted"),
        (
            Evidence(
                "environment.variables",
                f"{name}={value}",
                meant,
                "NVIDIA, CUDA C programming guide (2026-11)",
            ),
        ),
        (Fix(f"Write {name}={meant}", (setting({name: meant}),), _LASTING),),
        Confidence.LIKELY,
        severity=Severity.INFO,
        title=says("environment-variable-ignored", "parted-title", name=name, value=value),
    )


def _meant(name: str, value: str) -> Fix:
    """The spelling that is taken, of what the value seems to mean."""
    if name == "TF_CPP_MIN_LOG_LEVEL":
        return act("set-variable", "set-log-level", called=name)
    from difflib import get_close_matches  # only for a value that is ignored: 2 ms

    taken = [each for each in READERS[name].values if each]
    near = get_close_matches(value.strip().lower(), taken, n=1)
    if name == "TF_GPU_ALLOCATOR" and not near:
        return Fix(
            f"Remove {name}",
            (unsetting(name),),
            _LASTING,
        )
    wanted = near[0] if near else "true" if value.strip() in _TRUE else "false"
    return Fix(f"Write {name}={wanted}", (setting({name: wanted}),), _LASTING)


_CRASHES = {each: signal_name(each) for each in (4, 6, 7, 8, 11, 31)}


@check("native-crash", blocks=Ability.NOTHING)
def native_crash(case: Case) -> Found | None:
    """The TensorFlow stage died of a signal that native code raises; an abort that TensorFlow explained is check-failed."""
    if isinstance(case.facts.death.end, Known):
        return _watched_crash(case)
    must_have_listened(case)
    smoke, stage = case.facts.smoke.tensorflow, failed_stage(case.facts)
    if stage is None and isinstance(smoke, Known) and smoke.value.end.how == "signal":
        return _on_its_way_out(case, smoke.value)
    if stage is None or stage.end.how != "signal" or stage.end.status not in _CRASHES:
        return None
    if stage.end.status == SIGABRT and words(case.facts, "check-failed") is not None:
        return None  # TensorFlow ended itself and said why: check-failed
    name, frame = _CRASHES[stage.end.status], _frame(case)
    where = f" in {frame}" if frame else ""
    step = f" at the step {stage.last_step}" if stage.last_step else ""
    sentence = why(case.facts)
    return Found(
        says("native-crash", "found", name=name, where=where, step=step),
        (
            Evidence(
                "smoke.tensorflow", f"died of {name}{step}", "ends well", "the TensorFlow stage"
            ),
            Evidence("smoke.tensorflow", frame, "", "the innermost Python frame (faulthandler)")
            if frame
            else None,
            *last_words(case.facts),
        ),
        (*repeat(case.facts), *_whole_files(case)),
        title=says("native-crash", "sentence-title", name=name, step=step, sentence=sentence)
        if sentence
        else says("native-crash", "title", name=name, step=step),
    )


def _on_its_way_out(case: Case, stage: TensorFlowSmoke) -> Found:
    name = _CRASHES.get(stage.end.status, f"signal {stage.end.status}")
    return Found(
        f"TensorFlow computed everything right, and then the process died of {name} while it was ending. Results are not "
        f"touched, but programs report status {128 + stage.end.status} though their work is done: whatever runs when Python "
        "ends (atexit, destructors of native libraries) is where to look.",
        (Evidence("smoke.tensorflow", f"died of {name} after the last computation", "ends with status 0", "the TensorFlow stage"),),
        repeat(case.facts),
        severity=Severity.WARNING,
        title=says("native-crash", "on-its-way-out-title", name=name),
    )  # fmt: skip


def _frame(case: Case) -> str:
    """The innermost Python frame that faulthandler wrote, as "function (file:line)"."""
    frame = said(case.facts, "faulthandler-frame")
    return _place(frame.told) if frame else ""


def _place(frame: dict[str, str]) -> str:
    return f"{frame['function']} ({frame['file']}:{frame['line']})"


def _whole_files(case: Case) -> tuple[Fix, ...]:
    """Files that differ from those of the wheel can crash; where they were compared and are whole, that is no way out."""
    record = case.facts.tensorflow.record
    whole = isinstance(record, Known) and not (
        record.value.missing_count or record.value.wrong_size_count or record.value.wrong_hash_count
    )
    return (
        ()
        if whole or not isinstance(case.facts.tensorflow.version, Known)
        else (reinstall(case.facts),)
    )


@check("check-failed", blocks=Ability.NOTHING)
def check_failed(case: Case) -> Found | None:
    """The TensorFlow stage aborted (SIGABRT) and its words show a failed check."""
    text, aborted = words(case.facts, "check-failed"), _watched_aborted(case)
    if aborted is None:
        must_have_listened(case)
        aborted = died_of(case.facts, SIGABRT)
    if text is None or not aborted:
        return None
    version = value_or(case.facts.tensorflow.version, "its version")
    return Found(
        says("check-failed", "found"),
        last_words(case.facts) or (text,),
        (*repeat(case.facts), act("words", "search-tensorflow-issues", version=version)),
        title=says("check-failed", "title", why=why(case.facts)),
    )


def _watched_aborted(case: Case) -> bool | None:
    """Whether a watched program, or a process of its, aborted itself; None where none was watched."""
    if not isinstance(case.facts.death.end, Known):
        return None
    dead = crashed(case)
    return dead is not None and dead.signal == SIGABRT


def _watched_crash(case: Case) -> Found | None:
    """Of the command or of a process whose death it passed on, else of a worker that it survived."""
    dead = crashed(case)
    if dead is None or (dead.signal == SIGABRT and words(case.facts, "check-failed") is not None):
        return None
    frame = _crash_frame(case)
    where = f" in {frame}" if frame else ""
    below = f" called at {frame.split(' ', 1)[0]}" if frame else ""
    shown = (
        (Evidence("death.said", frame, "", "the innermost Python frame (faulthandler)"),)
        if frame
        else ()
    )
    return Found(
        f"{who(dead)} died of {signal_name(dead.signal)}{where}: {CRASHES[dead.signal]}.",
        (*death_as_evidence(case, dead), *shown),
        (act("look", "native-module"),),
        dead.confidence,
        title=says("native-crash", "watched-crash-title", who=who(dead), below=below),
    )


def crashed(case: Case) -> Victim | None:
    end_of(case)
    dead = victim(case)
    if dead is not None:
        return dead if dead.signal in CRASHES else None
    return next((each for each in workers(case) if each.signal in CRASHES), None)


def _crash_frame(case: Case) -> str:
    """The innermost of the thread that crashed: faulthandler lists the others, too, and some before it."""
    from tfdoctor.knowledge.messages.catalogue import first

    lines = value_or(case.facts.death.said, ())
    current = next(
        (place for place, line in enumerate(lines) if first(line, "faulthandler-current-thread")), 0
    )
    hits = (first(line, "faulthandler-frame") for line in lines[current:])
    return next((_place(hit.told) for hit in hits if hit), "")


_LONGEST_TITLE = 160
_BEFORE_ITS_START = ("syntax-error", "indentation-error")

_MEANING = {
    SIGINT: "was interrupted, as by Ctrl-C",
    SIGTERM: "was asked to end",
    SIGHUP: "lost its terminal or session",
}
"""What each is sent for (signal(7))."""


@check("success", blocks=Ability.NOTHING, watched=True)
def success(case: Case) -> Found | None:
    """It ended with status 0. A SIGTERM that it answered by that is no fault."""
    end = end_of(case)
    if end.how != "exit" or end.status:
        return None
    return Found(
        says("success", "found"),
        (
            Evidence(
                "death.end", f"ended with status 0 after {seconds(end.after_s)}", "", "wait(2)"
            ),
        ),
    )


@check("command-not-started", blocks=Ability.NOTHING, watched=True)
def not_started(case: Case) -> Found | None:
    """There is no such program, or it may not be executed."""
    end = end_of(case)
    if end.how != "not-started":
        return None
    missing = end.status in (errno.ENOENT, errno.ENOTDIR)
    first = (
        act("look", "which-program", process=end.name or "PROGRAM")
        if missing
        else act("change-file", "make-executable-or-name-interpreter")
    )
    return Found(
        says("command-not-started", "not-found") if missing else says("command-not-started", "not-executable"),
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


@check("output-closed", blocks=Ability.NOTHING, watched=True)
def output_closed(case: Case) -> Found | None:
    """It died of SIGPIPE, or ended with the 141 by which a shell passes that on."""
    dead = _of_sigpipe(case)
    if dead is None:
        return None
    return Found(
        says("output-closed", "found", who=who(dead)),
        death_as_evidence(case, dead),
        confidence=dead.confidence,
    )


def _of_sigpipe(case: Case) -> Victim | None:
    end = end_of(case)
    if (end.how, end.status) == ("signal", SIGPIPE):
        return Victim(SIGPIPE, end.pid, "", True, "wait(2)", "", end.core, end.called)
    return _told_by_status(case, SIGPIPE)


@check("killed-by-user", blocks=Ability.NOTHING, watched=True)
def killed(case: Case) -> Found | None:
    """A signal ended it that is neither a crash nor the kernel's answer to a lack of memory."""
    end = end_of(case)
    dead = victim(case) or _told_by_status(case) or next(iter(_killed_workers(case)), None)
    if dead is None or dead.signal in CRASHES or dead.signal == SIGPIPE:
        return None
    stall = case.facts.death.stall
    if isinstance(stall, Known) and stall.value.ended_by_us:
        return None  # --kill-stalled did it
    if dead.signal == SIGKILL:
        try:
            if killed_for_memory(case):
                return None
        except Inconclusive:
            return _killed(case, dead, Confidence.POSSIBLE)
    return _killed(case, dead, Confidence.POSSIBLE if end.how == "unknown" else dead.confidence)


def _told_by_status(case: Case, *signals: int) -> Victim | None:
    """Status 130 or 143: a shell, or a program that tidied up, tells of a signal that came."""
    end = end_of(case)
    if end.how == "exit" and end.status - 128 in (signals or (SIGINT, SIGTERM, SIGHUP)):
        return Victim(end.status - 128, 0, "", False, "the exit status alone", "")
    return None


def _killed_workers(case: Case) -> list[Victim]:
    """Of a command that went on: its workers that somebody killed."""
    end = end_of(case)
    return [each for each in workers(case) if each.signal == SIGKILL] if not end.status else []


def _killed(case: Case, dead: Victim, confidence: Confidence) -> Found:
    if dead.signal == SIGKILL and not dead.pid and not dead.itself:
        return Found(
            says("killed-by-user", "status-alone"), (*death_as_evidence(case, dead), *no_kill(case)),
            confidence=Confidence.POSSIBLE, title=says("killed-by-user", "status-alone-title", status=end_of(case).status),
        )  # fmt: skip
    signals = value_or(case.facts.death.signals, ())
    sent = next((each for each in reversed(signals) if each.number == dead.signal), None)
    by = f" It came {_came(sent)}." if sent else ""
    limit = LIMITS.get(dead.signal)
    short = (
        "; nothing shows that the system did it for lack of memory"
        if dead.signal == SIGKILL
        else ""
    )
    words = (
        f"{who(dead)} reached {limit}." if limit
        else f"{who(dead)} was ended by {signal_name(dead.signal)}{short}.{by}"
    )  # fmt: skip
    signal_shown = (Evidence("death.signals", f"{signal_name(sent.number)} {_came(sent)} after {seconds(sent.after_s)}", "", "the signal's own record"),) if sent else ()  # fmt: skip
    against = no_kill(case) if dead.signal == SIGKILL else ()
    return Found(
        words, (*death_as_evidence(case, dead), *signal_shown, *against),
        (act("look", "who-killed"),) if dead.signal == SIGKILL else (), confidence=confidence, title=_killed_title(dead, confidence),
    )  # fmt: skip


def _killed_title(dead: Victim, confidence: Confidence) -> str:
    if dead.signal == SIGKILL:
        killed = who(dead)
        did = "may have killed" if confidence is Confidence.POSSIBLE else "killed"
        return f"A user or another program {did} {killed[0].lower()}{killed[1:]}."
    meant = _MEANING.get(dead.signal)
    return f"{who(dead)} {meant}." if meant else ended_by(who(dead), dead.signal)


def _came(sent: SentSignal) -> str:
    if sent.from_terminal:
        return "from the terminal (a key such as Ctrl-C, or its closing)"
    return f"from {sent.sender}" if sent.sender else "from another process"


@check("python-exception", blocks=Ability.NOTHING, watched=True)
def exception(case: Case) -> Found | None:
    """A traceback was its last word, or an error in its own syntax, and no other code explains it."""
    end = end_of(case)
    if end.how != "exit" or end.status == 0:
        return None
    last = _raised(case)
    if not last:
        case.need_outcome(case.facts.death.said)
        return None
    return Found(
        "",
        (Evidence("death.said", last, "", "its last words"), _own_status(case)),
        title=says("python-exception", "title", last=last[:_LONGEST_TITLE].rstrip(".")),
    )


def _raised(case: Case) -> str:
    """The line that names the exception; "" where none ended it."""
    from tfdoctor.knowledge.messages.catalogue import first

    lines = value_or(case.facts.death.said, ())
    if said(case.facts, "traceback") is None:
        last = lines[-1] if lines else ""
        return last if " " not in last.partition(":")[0] and first(last, *_BEFORE_ITS_START) else ""
    starts = [
        place
        for place, line in enumerate(lines)
        if "Traceback (most recent call last)" in line
        and not (place and lines[place - 1].startswith(_PASSED_OVER))
    ]
    if not starts:
        return ""
    below = lines[starts[-1] :]
    raised = [place for place, line in enumerate(below) if place and line[:1] not in (" ", "\t")]
    if not raised:
        return "an exception, whose own line is cut off"
    if end_of(case).status != _UNCAUGHT and below[raised[0] + 1 :]:
        return ""  # the program went on, and chose another status
    return _inner(below, below[raised[0]])


_UNCAUGHT = 1
"""Python's status after an exception that nobody caught (pylifecycle.c, pythonrun.c; 2026-11)."""
_PASSED_OVER = ("Exception ignored in", "--- Logging error ---")
"""What Python says before a traceback that it passes over: in a destructor, or in the program's own logging."""


def _inner(lines: Sequence[str], raised: str) -> str:
    """Of "TypeError: in user code:" (AutoGraph) the words that stand below it, behind the program's own frames."""
    name, _, message = raised.partition(": ")
    if message != "in user code:":
        return raised
    inner = [
        line.strip() for line in lines if line[:1] == " " and line.strip().startswith(f"{name}: ")
    ]
    return inner[-1] if inner else raised


@check("exited-nonzero", blocks=Ability.NOTHING, watched=True)
def nonzero(case: Case) -> Found | None:
    """It chose a status other than 0, and nothing says why."""
    end = end_of(case)
    if end.how != "exit" or end.status == 0 or victim(case) is not None:
        return None
    if _raised(case) or _of_sigpipe(case) or _told_by_status(case):
        return None
    lines = value_or(case.facts.death.said, ())
    last = (Evidence("death.said", lines[-1], "", "its last words"),) if lines else ()
    return Found(
        says("exited-nonzero", "last-line", line=lines[-1])
        if lines
        else says("exited-nonzero", "found"),
        (_own_status(case), *last),
        () if lines else (act("look", "exits-in-source"),),
        title=says("exited-nonzero", "title", status=end.status),
    )


def _own_status(case: Case) -> Evidence:
    end = end_of(case)
    return Evidence(
        "death.end", f"ended with status {end.status} after {seconds(end.after_s)}", "0", "wait(2)"
    )


def _waits(thread: WaitingThread) -> str:
    words = waits_for(thread.stack[0]) if thread.stack else ""
    told = f", which waits for {words}" if words and len(thread.stack) == 1 else ""
    return f"{thread.process}, {thread.thread}: {' < '.join(thread.stack[:4])}{told}"


@check("stalled", blocks=Ability.NOTHING, watched=True)
def stalled(case: Case) -> Found | None:
    """It stood still, and somebody ended it."""
    end_of(case)
    stall = case.need(case.facts.death.stall)
    dead = victim(case) or _told_by_status(case)
    if not stall.ended_by_us and (
        dead is None or dead.signal in CRASHES or killed_for_memory(case)
    ):
        return None
    stacks = tuple(
        Evidence("death.stall", _waits(each), "", stall.seen_by) for each in stall.threads[:8]
    )
    return Found(
        says("stalled", "found", seconds=seconds(stall.for_s)),
        (Evidence("death.stall", f"nothing since {seconds(stall.since_s)} after its start", "", "samples"), *stacks),
        (act("look", "threads"),),
        Confidence.CERTAIN if isinstance(case.facts.death.reading, Known) else Confidence.LIKELY,
    )  # fmt: skip


def waits_for(channel: str) -> str:
    """ "" for a name that nobody listed."""
    return next((words for part, words in table("waits-for").items() if part in channel), "")
