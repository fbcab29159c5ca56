"""A log that ends after something began: what it waits for, as far as its last lines tell."""

from __future__ import annotations

from tfdoctor.checks.log.candidate import Candidate
from tfdoctor.checks.log.testimony import Testimony
from tfdoctor.facts.log_values import OpenEnd
from tfdoctor.facts.model import Facts
from tfdoctor.facts.outcome import Known
from tfdoctor.findings.model import Confidence, Fix

_STACKS = Fix(
    "See what it waits in, while it stands still. It changes nothing",
    ("python -m pip install py-spy", 'sudo env "PATH=$PATH" py-spy dump --pid "$(pgrep -n -f python)"'),
    "The number of the process is that of the newest Python; name yours where there are several.",
)
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
        Fix(
            "Let the worker work in its own process, without a copy, for a test. If it answers then, the fork was it",
            ("celery -A app worker --pool=solo",),
            "With your own application's name. To stay with several: --pool=threads, or several workers with --pool=solo.",
        ),
        Fix(
            "Or import TensorFlow and load the model inside of the task, once for each worker",
            note="In your files: the import and load_model(…) in a function for the signal worker_process_init, or at the task's first call; not at the top of the module.",
        ),
        _STACKS,
    ),
    "nccl": (
        Fix(
            "Run it with direct transfers switched off, for a test. If it goes on, it was they",
            ("export NCCL_P2P_DISABLE=1",),
            "Faster again: switch the IOMMU or ACS off in the firmware, or update the driver.",
        ),
        Fix("Run it on one GPU, which needs no exchange", ("export CUDA_VISIBLE_DEVICES=0",)),
        _STACKS,
    ),
    "server-localhost": (
        Fix(
            "Write the machines' own names or addresses into TF_CONFIG, the same list on each, and start all tasks",
            note="Each port has to be open between the machines; a container needs them published, or --network host.",
        ),
        Fix(
            "Try from one machine whether the other's port answers, with its name and port",
            ("nc -vz worker-1 12345",),
        ),
        _STACKS,
    ),
    "large-alloc": (
        Fix("Take less data at a time, or a machine or runtime with more RAM"),
        Fix(
            "See whether the kernel ended it, on a machine of your own",
            ("sudo dmesg -T | grep -i -E 'killed process|out of memory'",),
        ),
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
