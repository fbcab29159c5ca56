"""The one tensor that did not fit: how large it is, what half of the batch makes of it, and where no batch is small enough."""

from __future__ import annotations

from tfdoctor.checks.log.gpu_memory import dumps_of_gpus
from tfdoctor.checks.log.testimony import Testimony
from tfdoctor.facts.model import Facts
from tfdoctor.facts.outcome import Known
from tfdoctor.findings.fix import fix
from tfdoctor.findings.model import Fix
from tfdoctor.light.expressions import Expression  # reads no log: the shape in a line that was heard already
from tfdoctor.signatures.advice import tensor_of

_BATCH = "It is batch_size where the program or its configuration says so, .batch(…) of a dataset, or the size of a generator's own batches; with any of the last two, model.fit takes none."
_GB = 10**9
_AT_ONCE = 3
"""Tensors of one size that a training step holds at least: a layer's result, its activation's, and a gradient."""
_PICTURES = 3 * _GB
"""Bytes of one sample from which no usual GPU (16 GB) has room for a whole model of such tensors, where the log names no GPU."""
SMALLER = "Make the samples smaller before they reach the model"
_AT_MOST = 4096  # samples of a batch that somebody chose
_MANY = 512  # a first dimension beyond it is hardly a batch


def half_of(told: Testimony) -> str:
    """What to say beside the advice to halve the batch."""
    shape, size = asked_for(told)
    if (
        len(shape) < 2 or not 2 <= shape[0] <= _AT_MOST
    ):  # a plain piece of memory, or samples that nobody put into batches
        return _BATCH
    return f"The tensor that did not fit begins with {shape[0]} and takes {_size(size)}; if that is the batch, try {shape[0] // 2}. {_BATCH}"


def too_large(facts: Facts, told: Testimony) -> tuple[Fix, ...]:
    """Where one sample alone needs more than the GPU has; () where a smaller batch may do."""
    shape, size = asked_for(told)
    if len(shape) < 3 or shape[0] > _MANY:
        return ()
    sample, room = size // shape[0], _room(facts, told)
    if sample * _AT_ONCE < (room or _PICTURES * _AT_ONCE):
        return ()
    numbers = f"This one tensor, [{','.join(map(str, shape))}], takes {_size(size)}: {_size(sample)} for each sample, and a training step holds at least {_AT_ONCE} of its kind at once"
    have = f", on a GPU of which TensorFlow may use {_size(room)}" if room else ""
    return (
        fix(
            "make-samples-smaller-before-they-reach",
            size=_size(sample * _AT_ONCE),
            numbers=numbers,
            have=have,
        ),
        fix("half-memory-for-activations-on-gpus"),
    )


def one_sample(told: Testimony) -> tuple[Fix, ...]:
    """Where the tensor that did not fit holds a single sample, which no smaller batch makes smaller; () for any other.

    A first dimension of one is a batch only where height and width follow: weights of convolutions have 1 to 11 there.
    """
    found = (_SHAPE.search(each.text) for each in told.sayings)
    shapes = [tuple(map(int, each["shape"].split(","))) for each in found if each]
    single = next(
        (
            each
            for each in shapes
            if len(each) == _OF_PICTURES and each[0] == 1 and min(each[1:3]) > _WIDEST_KERNEL
        ),
        None,
    )
    if single is None:
        return ()
    shape = ",".join(map(str, single))
    return (
        fix("make-samples-smaller-before-they-reach-2", shape=shape),
        fix("see-who-else-holds-gpus-memory-2"),
    )  # fmt: skip


_SHAPE = Expression(r"shape ?\[(?P<shape>\d{1,6}(?:,\d{1,6}){1,6})\]")
_OF_PICTURES, _WIDEST_KERNEL = 4, 11


def all_at_once(told: Testimony) -> tuple[Fix, ...]:
    """Of the machine's own memory: a first dimension of thousands are samples that nobody put into batches; () for any other."""
    shape, size = asked_for(told)
    if len(shape) < 2 or shape[0] <= _AT_MOST or size < _GB:
        return ()
    return (
        Fix(
            f"Hand the {shape[0]:,} samples over in batches: as one tensor they take {_size(size)} in a single layer",
            note="In your files: model.predict(x, batch_size=256), which works through x in pieces; model(x) and a function of one's own take all of it at once, so call them in a loop over x[i : i + 256].",
        ),
    )


def asked_for(told: Testimony) -> tuple[tuple[int, ...], int]:
    """The largest tensor that the log says did not fit."""
    return max((tensor_of(each.text) for each in told.sayings), key=lambda each: each[1], default=((), 0))


def _room(facts: Facts, told: Testimony) -> int:
    """Bytes that TensorFlow may use of the GPU; 0 where the log does not tell."""
    limits = [each.limit.value for each in dumps_of_gpus(facts) if isinstance(each.limit, Known)]
    created = [
        int(each.told["size"].partition(" ")[0]) << 20
        for each in told.named("gpu-created", "gpu-created-old")
    ]
    return max(*limits, *created, 0, 0)


def _size(count: int) -> str:
    return f"{count / _GB:.1f} GB" if count >= _GB else f"{count / 1e6:.0f} MB"
