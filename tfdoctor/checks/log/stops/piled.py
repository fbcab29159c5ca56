"""A GPU that ran full while the program worked: the batch had fit until then, so something is kept from step to step."""

from __future__ import annotations

from tfdoctor.checks.log.candidate import Candidate
from tfdoctor.checks.log.gpu_memory import size
from tfdoctor.checks.log.testimony import Testimony, place
from tfdoctor.checks.log.ways.tensors import asked_for
from tfdoctor.facts.log_values import Saying
from tfdoctor.findings.fix import fix
from tfdoctor.findings.model import Confidence, Fix

_CODE = "gpu-out-of-memory"
_JOINED = "outputs-joined"
_SMALL_PIECE = 64 << 20
"""Bytes. A GPU of 2 GB has room for a piece of this size unless it is full already."""
_STEPS_ENOUGH = 20
"""Steps after which a batch of usual size has shown that it fits."""
_JOINED_TITLE = "The GPU had no memory left for the outputs of all batches: model.predict joined them there."
_JOINED_WORDS = (
    "All batches were computed, so model and batch fit. What did not fit are the outputs: model.predict keeps those of all batches on the GPU and joins them there at its end{asked}. A smaller batch changes nothing, "
    "for the sum of the outputs is the same."
)
_PILED_TITLE = "The GPU's memory ran full while the program worked: {steps} steps had fit, and then {size} found no room."
_PILED_WORDS = (
    "Model and batch fit, for {steps} steps had been computed. What then found no room is small ({size}), so the memory was full before it: something is kept from step to step. Mostly results that are collected in a list "
    "while they are still on the GPU (outputs, losses), a model or a graph that is made anew in each turn of a loop, or an evaluation beside the training. Batches of different sizes (texts, pictures) end so, too."
)
_IN_PARTS = fix("predict-in-parts-and-take-each")
_BY_HAND = fix("or-call-model-for-each-batch")
_KEEP_NUMBERS = fix("keep-numbers-in-place-tensors-take")
_CLEAR = fix("where-model-made-in-loop-clear")
_SMALLER = fix("where-samples-differ-in-size-use")


def piled(told: Testimony, saying: Saying) -> Candidate | None:
    """None for any other text, and where nothing shows that the same batch had fit before."""
    if saying.code != _CODE or saying.role != "cause":
        return None
    if told.named(_JOINED):
        wanted = _asked(told)
        words = _JOINED_WORDS.format(asked=f" ({size(wanted)} here)" if wanted else "")
        return Candidate(_CODE, Confidence.CERTAIN, (place(saying),), words, title=_JOINED_TITLE)
    steps, wanted = _steps_before(told, saying), _asked(told)
    if steps < _STEPS_ENOUGH or not 0 < wanted <= _SMALL_PIECE:
        return None
    told_size = size(wanted)
    return Candidate(
        _CODE, Confidence.CERTAIN, (place(saying),), _PILED_WORDS.format(steps=steps, size=told_size),
        title=_PILED_TITLE.format(steps=steps, size=told_size),
    )  # fmt: skip


def _asked(told: Testimony) -> int:
    """Bytes of the tensor that the message names; 0 where it names none."""
    shape, wanted = asked_for(told)
    return wanted if shape else 0


def _steps_before(told: Testimony, saying: Saying) -> int:
    steps = (int(each.told["step"]) for each in told.named("keras-step") if place(each) <= place(saying))
    return max(steps, default=0)


def piled_fixes(code: str, told: Testimony) -> tuple[Fix, ...]:
    """() where nothing shows that the same batch had fit before."""
    if code != _CODE:
        return ()
    found = next((each for each in (piled(told, said) for said in told.of(_CODE)) if each is not None), None)
    if found is None:
        return ()
    return (_IN_PARTS, _BY_HAND) if found.title == _JOINED_TITLE else (_KEEP_NUMBERS, _CLEAR, _SMALLER)
