"""Whether the limits of files, threads and disk space leave TensorFlow room.

Measured with TensorFlow 2.21.0 (2026-11-20): 18 threads on one CPU and 24 on two, after a matrix product and an
XLA-compiled function; no more than a handful of open files.
"""

from __future__ import annotations

from tfdoctor.checks.engine.case import Ability, Case, Found, NotApplicable, check
from tfdoctor.checks.engine.evidence import evidence
from tfdoctor.checks.questions.abilities import abilities_seen
from tfdoctor.checks.questions.stage_output import FOLLOWS, must_have_listened, words
from tfdoctor.facts.outcome import Failed, Known, value_or
from tfdoctor.findings.fix import fix
from tfdoctor.findings.model import Confidence, Evidence, Severity

MEASURED = "measured with TensorFlow 2.21.0 on 1 and 2 CPUs (2026-11-20)"
MB = 10**6
_THREADS, _THREADS_PER_CPU = 12, 6
_FEW_FILES = 256
"""Half of macOS' default. TensorFlow itself opens few; input pipelines open one per file that they interleave."""
_FULL = 1 * MB
_LITTLE = 100 * MB
"""A rule of thumb: compiled kernels (CUDA's cache holds up to 1 GB), checkpoints and temporary files need more."""


@check("file-descriptors-exhausted", prevents=Ability.NOTHING, explains=FOLLOWS)
def open_files(case: Case) -> Found | None:
    """The words of a failed stage, or a limit of open files below a rule of thumb."""
    text = words(case.facts, "file-descriptors-exhausted")
    raised = fix("raise-limit-for-shell")
    if text is not None:
        return Found(
            "A file could not be opened because the process has used up its limit.", (text,), (raised,)
        )
    limit = case.need(case.facts.memory.limit_open_files)
    if limit >= _FEW_FILES:
        return None
    return Found(
        f'A process may open {limit} files here. Input pipelines that read many files at once stop with "Too many open files".',
        (Evidence("memory.limit_open_files", str(limit), f">={_FEW_FILES}", "a rule of thumb"),),
        (raised,),
        Confidence.POSSIBLE,
        Severity.WARNING,
    )


@check("threads-exhausted", prevents=Ability.NOTHING, explains=FOLLOWS)
def threads(case: Case) -> Found | None:
    """The words of a failed stage, or a limit of processes below the threads that TensorFlow starts on so many CPUs."""
    forbidden = words(case.facts, "threads-forbidden") is not None
    text = None if forbidden else words(case.facts, "threads-exhausted")
    needed = _THREADS + _THREADS_PER_CPU * value_or(case.facts.host.cpu_count, 1)
    low = [
        each
        for each in (_limit(case, "cgroup_pids_limit", needed), _limit(case, "limit_processes", needed))
        if each
    ]
    refused = None if text is not None or forbidden else _refused_here(case)
    if text is None and refused is None and not low:
        for fact in (case.facts.memory.cgroup_pids_limit, case.facts.memory.limit_processes):
            case.need_outcome(fact)
        return None
    works = Ability.COMPUTE in abilities_seen(case.facts)
    return Found(
        f"TensorFlow starts about {needed} threads on this machine; where it may not, it aborts.",
        (*low, *(each for each in (text, refused) if each is not None)),
        (
            fix("raise-limit-2"),
            fix("start-fewer-threads"),
        ),
        Confidence.CERTAIN if text else Confidence.LIKELY,
        Severity.ERROR if text else Severity.INFO if works else Severity.WARNING,
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


@check("threads-forbidden", prevents=Ability.IMPORT, explains=(*FOLLOWS, "threads-exhausted"))
def threads_forbidden(case: Case) -> Found | None:
    """The failed stage's words: starting a thread is not permitted, which no limit answers with (pthread_create(3): EPERM)."""
    must_have_listened(case)
    text = words(case.facts, "threads-forbidden")
    if text is None:
        return None
    return Found(
        "No limit is reached: the call itself is not permitted. glibc 2.34 and newer start threads by clone3, which the security profile "
        "(seccomp) of Docker before 20.10.10 and of other old container programs answers with `Operation not permitted`.",
        (text, *((evidence(case, "host.container"),) if isinstance(case.facts.host.container, Known) else ())),
        (
            fix("update-docker-on-host-to-20-10-10"),
            fix("start-container-without-profile-type-on"),
            fix("take-image-with-older-glibc"),
        ),
    )  # fmt: skip


def _limit(case: Case, name: str, needed: int) -> Evidence | None:
    fact = getattr(case.facts.memory, name)
    if not isinstance(fact, Known) or fact.value >= needed:
        return None
    return Evidence(f"memory.{name}", str(fact.value), f">={needed}", MEASURED)


@check("temporary-folder-missing", prevents=Ability.IMPORT, explains=FOLLOWS)
def temporary_folder(case: Case) -> Found | None:
    """Absent where no folder in which Python's tempfile looks can be written: importing TensorFlow asks tempfile for one."""
    facts = case.facts
    if isinstance(facts.memory.tmp_writable, Failed) and facts.memory.tmp_writable.kind == "not-asked":
        raise NotApplicable("a report of an older tfdoctor")
    if isinstance(case.need_outcome(facts.memory.tmp_writable), Known):
        return None
    return Found(
        "`import tensorflow` stops with \"No usable temporary directory found\": it asks Python's tempfile for a folder, and neither "
        "TMPDIR nor /tmp, /var/tmp or the working folder can be written by this user.",
        (evidence(case, "memory.tmp_writable", "a folder that can be written", "Python's tempfile"),),
        (
            fix("name-folder-can-written"),
            fix("give-container-writable-tmp"),
        ),
    )  # fmt: skip


@check("disk-full", prevents=Ability.NOTHING, explains=FOLLOWS)
def disk(case: Case) -> Found | None:
    """The words of a failed stage, or little space where temporary files and compiled kernels go. Undecided only where both
    places could not be read.
    """
    text = words(case.facts, "disk-full")
    places = (
        ("memory.tmp_free", case.facts.memory.tmp_free),
        ("memory.home_free", case.facts.memory.home_free),
    )
    low = [(path, fact.value) for path, fact in places if isinstance(fact, Known) and fact.value < _LITTLE]
    if text is None and not low:
        failed = [fact for _, fact in places if isinstance(fact, Failed)]
        if len(failed) == len(places):
            case.cant_tell(failed[0])
        return None
    full = text is not None or any(free < _FULL for _, free in low)
    return Found(
        "Nothing can be written: no checkpoint, no log, no compiled kernel." if full
        else "Little can be written before the disk is full: compiled kernels alone take up to 1 GB.",
        (*(Evidence(path, f"{free / MB:.0f} MB free", f">={_LITTLE // MB} MB", "a rule of thumb") for path, free in low), *((text,) if text else ())),
        (
            fix("see-what-fills"),
            fix("write-temporary-files-elsewhere"),
        ),
        Confidence.CERTAIN if full else Confidence.POSSIBLE,
        Severity.ERROR if text else Severity.WARNING,
    )  # fmt: skip
