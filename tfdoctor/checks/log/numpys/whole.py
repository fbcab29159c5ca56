"""Pictures of a whole data set that went to the GPU as one tensor: its first number is far beyond any batch, its last one counts colours."""

from __future__ import annotations

from tfdoctor.checks.log.candidate import Candidate, question
from tfdoctor.checks.log.testimony import Testimony, place
from tfdoctor.findings.model import Confidence
from tfdoctor.signatures.advice import tensor_of

_CODE = "gpu-dataset-on-device"
_LARGEST_BATCH = 4096  # samples of a batch that somebody chose
_COLOURS = (1, 3, 4)
_LARGE_TENSOR = 10**9
_TITLE = "{count:,} pictures were to go to the GPU as one tensor ({size:.1f} GB): a whole data set."
_WORDS = (
    "The tensor that did not fit, [{shape}], holds {count:,} pictures. That is no batch: TensorFlow made one tensor of the whole NumPy array, as fit(x, y), validation_split, tf.constant(x) and from_tensor_slices(x) do, "
    "and put it on the GPU. A smaller batch changes nothing about that."
)


def whole_dataset(told: Testimony) -> Candidate | None:
    """None for a tensor that may be a batch, or the result of a layer."""
    for each in told.of("gpu-out-of-memory"):
        shape, size = tensor_of(each.text)
        if len(shape) == 4 and shape[0] > _LARGEST_BATCH and shape[3] in _COLOURS and size >= _LARGE_TENSOR:
            words = _WORDS.format(shape=",".join(map(str, shape)), count=shape[0])
            title = _TITLE.format(count=shape[0], size=size / 1e9)
            opened = question((_CODE, "gpu-out-of-memory"), "nvml.devices")
            return Candidate(_CODE, Confidence.LIKELY, (place(each),), words, opened, title)
    return None
