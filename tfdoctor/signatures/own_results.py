"""What a program writes where nothing fails and what comes of it is still not what was wanted: numbers that are none, data that end."""

from __future__ import annotations

from functools import partial

from tfdoctor.light.expressions import Expression
from tfdoctor.signatures.signature import FACT, PYTHON, Signature

_result = partial(Signature, code="", role=FACT, speaker=PYTHON)

SIGNATURES = (
    _result(
        "loss-not-a-number",
        anchor="oss: nan",
        also=("oss: inf", "oss: -inf", " nan", "=nan", " NaN", "=NaN", "nvalid loss, terminating training"),
        form=r"\b(?:\w{1,40}_)?[Ll]oss['\"]?\s{0,12}[:=]?\s{0,12}(?:nan|NaN|-?inf)\b|\bInvalid loss, terminating training",
        samples=(
            "512/512 [==============================] - 127s 247ms/step - loss: nan - acc: nan",
            "  3/234 [..............................] - ETA: 33:37:24 - loss: 44.4110Batch 3: Invalid loss, terminating training",
            "ERROR:tensorflow:Model diverged with loss = NaN.",
            "step 1655 - loss        nan - moving ave loss        nan",
            "{'loss': nan, 'reward': 5.7646, 'learning_rate': 5e-05}",
            "INFO:tensorflow:loss = nan, step = 1901 (133.367 sec)",
            "100/100 ━━━━━━━━━━━━━━━━━━━━ 1s 9ms/step - loss: 0.5 - val_loss: nan",
        ),
        near=("loss: 0.31 - nandrolone: 3", "dross: nanometres"),
        releases="Keras 1 to 3",
        sources=("divamgupta/image-segmentation-keras#50 (2018-12)", "manishsoni1908/Mobilenet-ssd-keras#21 (2022-10)", "keras-team/keras#14215 (2020-09)", "ardiya/HashtagPrediction#6 (2016-11)"),
    ),
    _result(
        "input-ran-out",
        anchor="our input ran out of data; interrupting training",
        samples=(
            "WARNING:tensorflow:Your input ran out of data; interrupting training. Make sure that your dataset or generator can generate at least `steps_per_epoch * epochs` batches (in this case, 28100 batches). You may need to use the repeat() function when building your dataset.",
            "UserWarning: Your input ran out of data; interrupting training. Make sure that your dataset or generator can generate at least `steps_per_epoch * epochs` batches.",
        ),
        near=("the input ran out of paper",),
        releases="Keras 2.3 to 3",
        sources=("keras-team/keras-io#285 (2020-10)", "fizyr/keras-retinanet#1449 (2020-09)", "tensorflow/tensorflow#64476 (2024-03)"),
    ),
    _result(
        "monitor-not-available",
        anchor=" available",
        form=r"Can save best model only with (?P<value>\w{1,60}) available, skipping|conditioned on metric `(?P<wanted>\w{1,60})` which is not available",
        samples=(
            "WARNING:tensorflow:Can save best model only with val_loss available, skipping.",
            "WARNING:tensorflow:Early stopping conditioned on metric `val_loss` which is not available. Available metrics are: loss,accuracy",
        ),
        near=("the best model is available",),
        releases="Keras 2 and 3",
        sources=("tensorflow/tensorflow#64035 (2024-03)",),
    ),
    _result(
        "several-gpus-train",
        anchor="MirroredStrategy with devices (",
        also=("all-reduces with algorithm", "all_reduce: ", "umber of devices: "),
        form=r"MirroredStrategy with devices \(.{1,200}GPU:1\b|\d all-reduces with algorithm|_all_reduce: \d{1,6} all-reduces|[Nn]umber of devices: (?:[2-9]|\d\d)\b",
        samples=(
            "INFO:tensorflow:Using MirroredStrategy with devices ('/job:localhost/replica:0/task:0/device:GPU:0', '/job:localhost/replica:0/task:0/device:GPU:1')",
            "INFO:tensorflow:batch_all_reduce: 6 all-reduces with algorithm = nccl, num_packs = 1",
            "Number of devices: 2",
        ),
        near=("INFO:tensorflow:Using MirroredStrategy with devices ('/job:localhost/replica:0/task:0/device:GPU:0',)", "Number of devices: 1"),
        releases="1.12 to 2.21",
        sources=("tensorflow/tensorflow#62915 (2024-02)", "OpenNMT/OpenNMT-tf#918 (2022-01)"),
    ),
)  # fmt: skip
SEVERAL = "several-gpus-train"
NO_METRICS = Expression(r"Available metrics are: ?(?:lr|learning_rate)?\s{0,5}$")
"""Keras' callbacks where no batch was trained on (nayash/stock_cnn_blog_pub#3, 2020-08); LearningRateScheduler's own entry may be there."""
NAMES = tuple(each.name for each in SIGNATURES if each.name != SEVERAL)
