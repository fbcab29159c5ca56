"""A GPU that ran full while the program worked: the batch had fit until then, so something is kept from step to step."""

from __future__ import annotations

from tfdoctor.checks.log.candidate import Candidate
from tfdoctor.checks.log.gpu_memory import size
from tfdoctor.checks.log.testimony import Testimony, place
from tfdoctor.checks.log.ways.tensors import asked_for
from tfdoctor.facts.log_values import Saying
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
_IN_PARTS = Fix(
    "Predict in parts, and take each part's result to the machine's memory before the next",
    note="In your files: y = np.concatenate([model.predict(part, batch_size=4) for part in np.array_split(x, 20)])",
)
_BY_HAND = Fix(
    "Or call the model for each batch and keep NumPy's arrays",
    note="In your files: y = np.concatenate([model(batch, training=False).numpy() for batch in tf.data.Dataset.from_tensor_slices(x).batch(4)])",
)
_KEEP_NUMBERS = Fix(
    "Keep numbers in place of tensors: take each result to the machine's memory in its own step",
    note="In your files: losses.append(float(loss)) and outputs.append(y.numpy()); model.predict(part) a part at a time.",
)
_CLEAR = Fix(
    "Where a model is made in a loop, clear what the last turn left",
    note="In your files: tf.keras.backend.clear_session() at the start of each turn, and del model at its end.",
)
_SMALLER = Fix(
    "Where samples differ in size, use half of the batch, or limit their size",
    note="In your files: batch_size=16 where it says 32, for instance; maxlen or tf.image.resize for the largest.",
)


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
