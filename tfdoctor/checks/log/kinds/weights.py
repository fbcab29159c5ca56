"""GPU memory that was used up while weights were read or variables made: there is no batch yet that could be smaller."""

from __future__ import annotations

from tfdoctor.checks.log.candidate import Candidate, question
from tfdoctor.checks.log.testimony import Place, Testimony
from tfdoctor.findings.model import Confidence, Fix

_OF_MEMORY = ("gpu-out-of-memory", "gpu-dataset-on-device")
_FULL = ("ResourceExhausted", "RESOURCE_EXHAUSTED", "OOM when", "Dst tensor", "failed to allocate memory")
_TITLES = {
    "weights": "The model's weights do not fit into what is free of the GPU's memory.",
    "building": "The GPU's memory was full while the model's variables were made, before any batch.",
}
_WORDS = {
    "weights": "The traceback passes through the reading of weights: an array of the model itself was copied to the GPU and found no "
    "room. There is no batch and no dataset in it yet. Either other programs hold the GPU's memory, or the model is too big for it.",
    "building": "The traceback passes through the making of a layer's variables: a weight found no room. There is no batch in it yet. "
    "Either other programs hold the GPU's memory, or the model is too big for it.",
}


def stage(told: Testimony) -> str:
    """What the last exception about memory was raised in: "weights", "building", "" for anything else."""
    raised = [
        each for each in told.endings if each.how == "exception" and any(word in each.what for word in _FULL)
    ]
    return raised[-1].doing if raised else ""


def without_a_batch(told: Testimony, code: str, places: tuple[Place, ...]) -> Candidate | None:
    """None where the log shows none of it, or speaks of something else."""
    doing = stage(told) if code in _OF_MEMORY else ""
    if not doing:
        return None
    return Candidate(
        "gpu-out-of-memory", Confidence.LIKELY, places, _WORDS[doing],
        open=question(("gpu-out-of-memory", "gpu-memory-held"), "nvml.devices"), title=_TITLES[doing],
    )  # fmt: skip


def weights_fixes(told: Testimony) -> tuple[Fix, ...]:
    """() where a batch was at work."""
    if not stage(told):
        return ()
    return (
        Fix(
            "See who holds the GPU's memory, while your program does not run. It changes nothing",
            ("nvidia-smi",),
            "What is in use then belongs to others: an earlier run, a notebook, a desktop. End it, or take another GPU.",
        ),
        Fix(
            "If the GPU is free, let the model take half the room: smaller, or with weights of 16 bits",
            note='In your files, before the model is made: tf.keras.backend.set_floatx("float16"), for inference alone',
        ),
        Fix("Or run it on the processor, with the machine's memory", ("export CUDA_VISIBLE_DEVICES=-1",)),
    )
