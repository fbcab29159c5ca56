"""A log that ends after something began: what it waits for, as far as its last lines tell."""

from __future__ import annotations

from tfdoctor.checks.log.candidate import Candidate
from tfdoctor.checks.log.testimony import Testimony
from tfdoctor.facts.log_values import OpenEnd
from tfdoctor.facts.model import Facts
from tfdoctor.facts.outcome import Known
from tfdoctor.findings.fix import fix
from tfdoctor.findings.model import Confidence, Fix

_STACKS = fix("see-what-waits-in-while-stands")
_CODES = {
    "celery": "stalled",
    "nccl": "stalled",
    "server-localhost": "stalled",
    "large-alloc": "host-oom-killed",
}
"""Where the last lines tell what is likely; the other kinds only tell that nothing else is told."""
_TITLES = {
    "celery": "The log ends where Celery's worker began a task, and nothing came of it: if it stands still there, TensorFlow was mostly loaded before Celery copied its workers.",
    "nccl": "The log ends where the GPUs were connected (NCCL) and no step came: if it stands still there, they do not reach each other.",
    "server-localhost": "The worker waits for others that nobody can reach: each address of its cluster is localhost.",
    "large-alloc": "The log ends right behind very large allocations: if the program died there, its memory ran out.",
}
_WORDS = {
    "celery": "Celery's default pool makes its workers by fork: each is a copy of a process that has run already, without its threads. Where TensorFlow was imported, or the model loaded, in the parent, the first prediction in a copy "
    "waits for threads that are not there, for ever and without a word. A first prediction that only takes long looks the same.",
    "nccl": "NCCL was set up on all GPUs, and after that neither a step nor an error is told. Where it stays so, the first exchange "
    "between the GPUs hangs: mostly direct transfers (P2P) that the machine's IOMMU or its PCIe switches do not pass on, or the "
    "driver. A first step that compiles takes minutes, too.",
    "server-localhost": "The server has started and waits for all tasks of its cluster. On one machine these addresses are right, and "
    "another task has not started; across several machines localhost is each machine itself, so they never meet.",
    "large-alloc": "tcmalloc tells of large pieces of memory that it gave. That is no error; but nothing is told after it, and a program "
    "that is killed for lack of memory can say nothing.",
}
_FIXES: dict[str, tuple[Fix, ...]] = {
    "celery": (
        fix("let-worker-work-in-own-process"),
        fix("or-import-tensorflow-and-load-model"),
        _STACKS,
    ),
    "nccl": (
        fix("run-with-direct-transfers-switched-off"),
        fix("run-on-one-gpu-needs-no"),
        _STACKS,
    ),
    "server-localhost": (
        fix("write-machines-own-names-or-addresses"),
        fix("try-from-one-machine-whether-others"),
        _STACKS,
    ),
    "large-alloc": (
        fix("take-less-data-at-time-or"),
        fix("see-whether-kernel-ended-on-machine"),
    ),
}


def open_end(facts: Facts, told: Testimony) -> Candidate | None:
    """A rule of thumb where no cause and no end is told; None where the last lines do not tell what is likely."""
    end = facts.log.open_end
    if not isinstance(end, Known) or end.value.kind not in _CODES or told.codes or told.endings:
        return None
    kind, at = end.value.kind, (end.value.file, end.value.line)
    return Candidate(_CODES[kind], Confidence.POSSIBLE, (at,), _WORDS[kind], title=_TITLES[kind])


def open_end_fixes(code: str, facts: Facts, told: Testimony) -> tuple[Fix, ...]:
    """() where the code does not rest on the log's end."""
    found = open_end(facts, told)
    end = facts.log.open_end
    return (
        _FIXES[end.value.kind] if found is not None and found.code == code and isinstance(end, Known) else ()
    )


def unfinished(end: OpenEnd) -> str:
    """What to say of a log that ends so, for a headline."""
    after = {
        "epoch": "after an epoch began, before its first step",
        "progress": "before the first step of its progress bar",
        "server": "where a server of the cluster waits for its other tasks",
        "shuffle": "while a shuffle buffer is being filled",
        "nccl-alone": "where NCCL was set up, before any step",
        "gpus": "where several GPUs begin to work together, before any step",
        "celery": "where Celery's worker began a task",
        "stopped": "in ^C, before any step",
    }[end.kind]
    then = {
        "server": "If it stands still there, another task has not started or can't be reached: look at its log and at the addresses in TF_CONFIG.",
        "gpus": "If it stands still there, the GPUs do not reach each other, mostly through NCCL's direct transfers (P2P), an IOMMU or ACS: try NCCL_P2P_DISABLE=1, then one GPU (CUDA_VISIBLE_DEVICES=0); NCCL_DEBUG=INFO shows where it waits. Else the first step may still compile.",
        "shuffle": "If the program (or the notebook's kernel) died there, its memory ran out: the buffer holds whole elements, so take a smaller number in .shuffle(…), or shuffle the names of the files before they are read. If it still runs, wait until the buffer is full.",
        "stopped": "Somebody pressed Ctrl+C; or, in a notebook's cell (Colab, Kaggle), the platform ended the command, mostly because the machine's memory (RAM) was used up: the curve of RAM shows that. If you pressed it because nothing went on, `py-spy dump` shows in the next run where it stands still.",
        "nccl-alone": "If it stands still there, try NCCL_P2P_DISABLE=1, then one GPU.",
    }.get(
        end.kind,
        "The first step takes minutes where it compiles or fills buffers; if the program ended there, how it ended (exit status, the kernel's messages) is told elsewhere; if it stands still, `py-spy dump` shows where.",
    )
    return f"The log ends {after} (line {end.line}), with no failure and no end told. {then}"
