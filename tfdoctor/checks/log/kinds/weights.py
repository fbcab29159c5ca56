"""GPU memory that was used up by the model's own weights: no batch could be smaller."""

from __future__ import annotations

from tfdoctor.checks.log.candidate import Candidate, question
from tfdoctor.checks.log.testimony import Place, Testimony
from tfdoctor.findings.fix import fix
from tfdoctor.findings.model import Confidence, Fix
from tfdoctor.signatures.advice import makes_weights, tensor_of

_OF_MEMORY = ("gpu-out-of-memory", "gpu-dataset-on-device")
_FULL = ("ResourceExhausted", "RESOURCE_EXHAUSTED", "OOM when", "Dst tensor", "failed to allocate memory")
_TITLES = {
    "weights": "The model's weights do not fit into what is free of the GPU's memory.",
    "building": "The GPU's memory was full while the model's variables were made, before any batch.",
    "initial": "The GPU's memory was full while the model's weights got their first values, before any batch.",
    "matrix": "Weights of the model found no room in the GPU's memory, by their shape: mostly those of one large layer.",
    "small": "The GPU's memory was full when a tensor of only {size} MB was asked for: all that the program holds there is too much, or somebody else holds it.",
}
_WORDS = {
    "weights": "The traceback passes through the reading of weights: an array of the model itself was copied to the GPU and found no "
    "room. There is no batch and no dataset in it yet. Either other programs hold the GPU's memory, or the model is too big for it.",
    "building": "The traceback passes through the making of a layer's variables: a weight found no room. There is no batch in it yet. "
    "Either other programs hold the GPU's memory, or the model is too big for it.",
    "initial": "The operation that found no room draws the first values of a layer's weights. There is no batch in it yet. "
    "Either other programs hold the GPU's memory, or the model is too big for it.",
    "matrix": "The tensor that found no room has the shape of weights, not of a batch of samples: mostly those of a Dense, Embedding or convolutional "
    "layer, their gradient, or what the optimizer keeps of them (Adam two more of the same size). A smaller batch does not make it smaller.",
    "small": "The tensor that found no room has the shape of weights, and is small: it only came last. What fills the memory is the model as a whole, with its gradients, what the "
    "optimizer keeps (Adam two more of each weight) and the intermediate results of a batch, or another program on the same GPU. A GPU that shares the machine's memory (Jetson) is full when that is.",
}


_LARGE_MATRIX = (2048, 64)
_MOST_UNITS = 16384
_LARGEST_KERNEL, _CHANNELS = 11, 256
"""Rows and columns from which a matrix is no batch of samples but weights of a Dense or Embedding layer, or their gradient; more columns
are a batch of answers over a vocabulary, or a matrix that the program itself made."""
_SMALL_MB = 256
"""Below that no single layer is to blame: any GPU that TensorFlow takes has several times as much."""


def stage(told: Testimony) -> str:
    """What the last exception about memory was raised in: "weights", "building", "" for anything else."""
    raised = [
        each for each in told.endings if each.how == "exception" and any(word in each.what for word in _FULL)
    ]
    if raised and raised[-1].doing in _WORDS:
        return raised[-1].doing
    texts = [each.text for each in told.of(*_OF_MEMORY) if tensor_of(each.text)[1]]
    if any(makes_weights(each) for each in texts[-1:]):
        return "initial"
    if not texts or not all(_is_matrix(tensor_of(each)[0]) for each in texts):
        return ""
    return "small" if max(map(_megabytes, texts)) < _SMALL_MB else "matrix"


def _megabytes(text: str) -> int:
    return max(1, tensor_of(text)[1] // 1_000_000)


def _is_matrix(shape: tuple[int, ...]) -> bool:
    """Two large sides, or a convolution's kernel: height, width, channels in, channels out."""
    if len(shape) == 4:
        return shape[0] == shape[1] <= _LARGEST_KERNEL and min(shape[2:]) >= _CHANNELS
    if len(shape) != 2 or shape[1] > _MOST_UNITS:
        return False
    return all(size >= least for size, least in zip(shape, _LARGE_MATRIX, strict=True))


def without_a_batch(told: Testimony, code: str, places: tuple[Place, ...]) -> Candidate | None:
    """None where the log shows none of it, or speaks of something else."""
    doing = stage(told) if code in _OF_MEMORY else ""
    if not doing:
        return None
    texts = [each.text for each in told.of(*_OF_MEMORY) if tensor_of(each.text)[1]]
    title = _TITLES[doing].format(size=max(map(_megabytes, texts), default=0))
    return Candidate(
        "gpu-out-of-memory", Confidence.LIKELY, places, _WORDS[doing],
        open=question(("gpu-out-of-memory", "gpu-memory-held"), "nvml.devices"), title=title,
    )  # fmt: skip


def weights_fixes(told: Testimony) -> tuple[Fix, ...]:
    """() where a batch was at work."""
    doing = stage(told)
    if not doing:
        return ()
    if doing == "matrix":
        return _SMALLER_LAYER
    if doing == "small":
        return _LESS_OF_ALL
    return (
        fix("see-who-holds-gpus-memory-while"),
        fix("if-gpu-free-let-model-take"),
        fix("or-run-on-processor-with-machines"),
    )


_LESS_OF_ALL = (
    fix("compute-with-half-batch-or-smaller-2"),
    fix("see-who-else-holds-gpus-memory"),
    fix("or-take-smaller-variant-model-or"),
)
_SMALLER_LAYER = (
    fix("make-layer-smaller-belongs-to-last"),
    fix("or-let-optimizer-keep-less-for"),
    fix("see-whether-somebody-else-holds-gpus"),
)
