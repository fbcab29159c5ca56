"""A program that takes a GPU out of the list that TensorFlow shows it, by a place that the list does not have."""

from __future__ import annotations

from tfdoctor.checks.log.outside.reading import OF_THE_PROGRAM, Meant
from tfdoctor.checks.log.testimony import Testimony
from tfdoctor.facts.log_values import Ending
from tfdoctor.facts.model import Facts
from tfdoctor.findings.model import Fix
from tfdoctor.fixes.commands import interpreter

_LINES_BELOW = 6
"""Lines between a frame's own line and the exception below it; a notebook shows some that follow."""
_RANKS = "rank"
_OF_RANKS = (
    "Each process of the job takes the GPU whose place in TensorFlow's list is the process' own number on its machine (its local rank). This one has a number for which there is no GPU: "
    "more processes were started on the machine than it has GPUs, a variable or the scheduler shows each process its own GPU alone (then every one of them has to take the first), or TensorFlow "
    "did not find its CUDA libraries and the list is empty."
)
_OF_NUMBERS = (
    "TensorFlow lists the GPUs that this process sees, and the list is shorter than the program expects. CUDA_VISIBLE_DEVICES, a scheduler or a container may show fewer than the machine has; where "
    "the list is empty, TensorFlow has no GPU at all."
)


def of_gpu_list(facts: Facts, told: Testimony, last: Ending) -> Meant | None:
    """None for other exceptions, and for the first GPU: that there is none at all has rules of its own."""
    taken = [each for each in told.named("gpu-of-a-list") if each.file == last.file and 0 < last.line - each.line <= _LINES_BELOW]  # fmt: skip
    place = taken[-1].told["value"] if taken else ""
    if not last.what.startswith("IndexError: list index out of range") or place in ("", "0"):
        return None
    ask = f"""{interpreter(facts)} -c "import tensorflow as tf; print(tf.config.list_physical_devices('GPU'))\""""
    look = Fix("See how many GPUs the machine has, and how many TensorFlow shows. It changes nothing", ("nvidia-smi -L", ask))  # fmt: skip
    if _RANKS in place:
        title = (
            "A process of the job takes its GPU by its rank, and TensorFlow shows it no GPU of that number."
        )
        start = Fix(
            "Start as many processes on each machine as it has GPUs: this is for one GPU",
            ("horovodrun -np 1 -H localhost:1 python train.py",),
            "mpirun -np and srun --ntasks-per-node are to be chosen in the same way.",
        )
        own = Fix("Where the scheduler shows each process its own GPU alone, take the first one in each", note="In your files: gpus[0] in place of gpus[hvd.local_rank()].")  # fmt: skip
        return Meant(OF_THE_PROGRAM, title, _OF_RANKS, (look, start, own))
    title = f"The program takes GPU {place} of TensorFlow's list, and the list has fewer."
    if not place.isdigit():
        title = "The program takes a GPU out of TensorFlow's list, and the list has fewer."
    fewer = Fix("Ask for no more GPUs than the list has: its places count from 0", note="It stands in the line that the log shows above the error, or in an option such as --gpu 1.")  # fmt: skip
    return Meant(OF_THE_PROGRAM, title, _OF_NUMBERS, (look, fewer))
