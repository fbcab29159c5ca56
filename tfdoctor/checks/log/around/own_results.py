"""Nothing failed, and the program's own numbers are not what was wanted: what is told of that, and where to look."""

from __future__ import annotations

from tfdoctor.checks.log.testimony import Testimony
from tfdoctor.signatures.own_results import NAMES

_WORDS = {
    "loss-not-a-number": "the loss became NaN or infinite. Nearly always the program's own numbers are the reason, not the machine: first look for such values in the "
    "data (np.isnan(x).any(), np.isinf(x).any()), then take a learning rate ten times smaller or clip the gradients (clipnorm=1.0 in the "
    "optimizer), then look for log(0), a division by 0 and labels beyond the last layer's units. tf.debugging.enable_check_numerics() at the "
    "program's start names the first operation that makes one.",
    "input-ran-out": "the dataset or generator had fewer batches than fit was told to take, so Keras ended the training or this part of it early. Leave "
    "steps_per_epoch and validation_steps out of fit, or make the data endless with dataset.repeat(); for a generator, steps_per_epoch = "
    "samples // batch_size, and validation_steps likewise from the validation data.",
    "monitor-not-available": "a callback watches {value}, which this training does not compute, so it does nothing. Give fit validation_data (and see that the "
    "validation does not run out of data), or let the callback watch a name that the progress line shows.",
}


def own_result(told: Testimony) -> str:
    """A sentence about the first of them; "" where the log shows none."""
    found = min(told.named(*NAMES), key=lambda each: NAMES.index(each.name), default=None)
    if found is None:
        return ""
    value = found.told.get("value") or found.told.get("wanted", "")
    return f"TensorFlow and the machine did what they were asked to, but {_WORDS[found.name].format(value=value)} (Line {found.line}.)"
