"""Nothing failed, and the program's own numbers are not what was wanted: what is told of that, and where to look."""

from __future__ import annotations

from tfdoctor.checks.log.kinds.requires import in_words
from tfdoctor.checks.log.testimony import Testimony
from tfdoctor.facts.log_values import Ending
from tfdoctor.findings.model import Fix
from tfdoctor.signatures.own_errors import NOT_A_NUMBER
from tfdoctor.signatures.own_results import NAMES, NO_METRICS, SEVERAL

_ALL = (*NAMES, "no-pictures-found")

_WORDS = {
    "loss-not-a-number": "the loss became NaN or infinite. Nearly always the program's own numbers are the reason, not the machine: first look for such values in the "
    "data (np.isnan(x).any(), np.isinf(x).any()), then take a learning rate ten times smaller or clip the gradients (clipnorm=1.0 in the "
    "optimizer), then look for log(0), a division by 0 and labels beyond the last layer's units. tf.debugging.enable_check_numerics() at the "
    "program's start names the first operation that makes one.",
    "input-ran-out": "the dataset or generator had fewer batches than fit was told to take, so Keras ended the training or this part of it early. Leave "
    "steps_per_epoch and validation_steps out of fit, or make the data endless with dataset.repeat(); for a generator, steps_per_epoch = "
    "samples // batch_size, and validation_steps likewise from the validation data.",
    "no-pictures-found": "Keras found no pictures where it was sent to look (Found 0 images), and trains and predicts on nothing. flow_from_directory looks into the sub-folders of the folder that it is "
    "given, one for each class: print(os.listdir(directory)) shows them. Names in classes=[…] have to be those of sub-folders, and files have to end in .png, .jpg, .jpeg, .bmp, .ppm, .tif or .gif.",
    "monitor-not-available": "a callback watches {value}, which this training does not compute, so it does nothing. Give fit validation_data (and see that the "
    "validation does not run out of data), or let the callback watch a name that the progress line shows.",
}
_NO_BATCH = (
    "Keras computed no metric at all: not one batch was trained on, so the callbacks found nothing to watch. The data are empty, or the training stopped before the first batch came. "
    "See what arrives: print(len(x), len(y)) before fit, for a dataset next(iter(dataset)), for a generator len(generator); then the folders, files and filters that they come from."
)
_ON_SEVERAL = (
    "the loss became NaN or infinite while several GPUs trained together. Run it once on one of them (CUDA_VISIBLE_DEVICES=0). If NaN stays, the program's own numbers "
    "are the reason: look for NaN in the data (np.isnan(x).any()) and take a learning rate ten times smaller, for several GPUs see a larger batch. If it is gone, run it on "
    "all with NCCL_P2P_DISABLE=1: where that helps, direct copies between the GPUs arrive wrong, because of the machine's IOMMU, PCI ACS or the driver."
)
_ONE_GPU = (
    Fix(
        "Run it once on one GPU. If NaN stays, the data or the learning rate are the reason",
        ("export CUDA_VISIBLE_DEVICES=0",),
    ),
    Fix(
        "If it is gone on one, run it on all of them without direct copies between the GPUs (P2P)",
        ("unset CUDA_VISIBLE_DEVICES", "export NCCL_P2P_DISABLE=1"),
        "Where that helps, copies from GPU to GPU arrive wrong: switch the IOMMU or PCI ACS off in the machine's firmware, or update the driver.",
    ),
)
"""Peer-to-peer copies that arrive wrong show as NaN, and only with several GPUs (tensorflow/tensorflow#57893, 2022; OpenNMT/OpenNMT-tf#918, 2022)."""


def together_fixes(told: Testimony, last: Ending) -> tuple[Fix, ...]:
    """What tells the program's numbers from the machine's copies; () where one GPU trained, or where it is about something else."""
    return _ONE_GPU if told.named(SEVERAL) and NOT_A_NUMBER.compiled.search(last.what) else ()


def own_result(told: Testimony) -> str:
    """A sentence about the first of them, or about packages that pip tells of; "" where the log shows none."""
    found = min(told.named(*_ALL), key=lambda each: _ALL.index(each.name), default=None)
    if found is None:
        return in_words(told)
    if found.name == "loss-not-a-number" and told.named(SEVERAL):
        return f"TensorFlow did what it was asked to, but {_ON_SEVERAL} (Line {found.line}.)"
    if any(NO_METRICS.search(each.text) for each in told.named("monitor-not-available")):
        return f"TensorFlow and the machine did what they were asked to, but {_NO_BATCH} (Line {found.line}.)"
    value = found.told.get("value") or found.told.get("wanted", "")
    return f"TensorFlow and the machine did what they were asked to, but {_WORDS[found.name].format(value=value)} (Line {found.line}.)"
