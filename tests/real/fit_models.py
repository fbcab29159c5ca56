"""Twelve models as programs have them, each a function that `tfdoctor fit FILE.py:NAME` builds.

`python fit_models.py NAME BATCH` trains three steps of one, as a program of a user's would. FIT_GPU_MIB: so much of a GPU may be used.
"""

from __future__ import annotations

import os
import sys
from importlib import import_module
from typing import Any

keras: Any = import_module("keras")  # of the Python that the trials run in
layers, Input, Sequential = keras.layers, keras.Input, keras.Sequential
if mib := int(os.environ.get("FIT_GPU_MIB", "0")):
    tf: Any = import_module("tensorflow")
    for gpu in tf.config.list_physical_devices("GPU"):
        part = tf.config.LogicalDeviceConfiguration(memory_limit=mib)
        tf.config.set_logical_device_configuration(gpu, [part])
SPARSE = "sparse_categorical_crossentropy"


def dense() -> Any:
    model = Sequential(
        [Input((64,)), *(layers.Dense(256, "relu") for _ in range(3)), layers.Dense(10)]
    )
    return compiled(model, "mse")


def convolutions() -> Any:
    parts = [layers.Conv2D(32, 3, activation="relu") for _ in range(3)]
    model = Sequential(
        [Input((48, 48, 3)), *parts, layers.GlobalAveragePooling2D(), layers.Dense(10, "softmax")]
    )
    return compiled(model, SPARSE)


def batch_norm() -> Any:
    parts = [
        part
        for _ in range(3)
        for part in (layers.Conv2D(32, 3), layers.BatchNormalization(), layers.ReLU())
    ]
    model = Sequential([Input((32, 32, 3)), *parts, layers.Flatten(), layers.Dense(10, "softmax")])
    return compiled(model, SPARSE)


def lstm() -> Any:
    return compiled(Sequential([Input((100, 32)), layers.LSTM(128), layers.Dense(4)]), "mse")


def attention() -> Any:
    inputs = Input((128, 64))
    told = layers.MultiHeadAttention(4, 32)(inputs, inputs)
    told = layers.LayerNormalization()(told + inputs)
    return compiled(keras.Model(inputs, layers.Dense(2)(layers.Flatten()(told))), "mse")


def embedding() -> Any:
    parts = [
        layers.Embedding(20_000, 128),
        layers.GlobalAveragePooling1D(),
        layers.Dense(2, "softmax"),
    ]
    return compiled(Sequential([Input((200,), dtype="int32"), *parts]), SPARSE)


def unet() -> Any:
    inputs = Input((64, 64, 3))
    one = layers.Conv2D(16, 3, padding="same", activation="relu")(inputs)
    two = layers.Conv2D(32, 3, padding="same", activation="relu")(layers.MaxPooling2D()(one))
    back = layers.Concatenate()([layers.UpSampling2D()(two), one])
    return compiled(keras.Model(inputs, layers.Conv2D(1, 3, padding="same")(back)), "mse")


def mixed_precision() -> Any:
    keras.mixed_precision.set_global_policy("mixed_bfloat16")
    parts = [layers.Dense(512, "relu") for _ in range(3)]
    return compiled(Sequential([Input((256,)), *parts, layers.Dense(1, dtype="float32")]), "mse")


def custom_step() -> Any:
    import tensorflow as tf

    class Own(keras.Model):  # type: ignore[misc]  # of a library without types
        def train_step(self, data: Any) -> Any:
            x, y, _ = keras.utils.unpack_x_y_sample_weight(data)
            with tf.GradientTape() as tape:
                loss = tf.reduce_mean((self(x, training=True) - y) ** 2)
            gradients = tape.gradient(loss, self.trainable_variables)
            self.optimizer.apply_gradients(zip(gradients, self.trainable_variables, strict=True))
            return {"loss": loss}

    inputs = Input((256,))
    return compiled(Own(inputs, layers.Dense(1)(layers.Dense(4096, "tanh")(inputs))), "mse")


def accumulation() -> Any:
    model = Sequential([Input((64,)), layers.Dense(4096, "relu"), layers.Dense(64)])
    model.compile(keras.optimizers.Adam(gradient_accumulation_steps=4), "mse")
    return model


def two_inputs() -> Any:
    image, facts = Input((32, 32, 3)), Input((16,))
    seen = layers.Flatten()(layers.Conv2D(32, 3, activation="relu")(image))
    return compiled(
        keras.Model([image, facts], layers.Dense(1)(layers.Concatenate()([seen, facts]))), "mse"
    )


def tiny() -> Any:
    return compiled(Sequential([Input((4,)), layers.Dense(1)]), "mse")


def without_xla() -> Any:
    """Products and activations alone, each of which takes memory of its own."""
    parts = [
        layers.Dense(4),
        layers.Dense(20_000),
        *(layers.Activation("tanh") for _ in range(4)),
        layers.Dense(2),
    ]
    model = Sequential([Input((4,)), *parts])
    model.compile("adam", "mse", jit_compile=False)
    return model


def compiled(model: Any, loss: str) -> Any:
    model.compile("adam", loss)
    return model


def train(name: str, batch: int) -> None:
    import numpy as np

    model = globals()[name]()
    x = [np.zeros((batch, *each.shape[1:]), each.dtype) for each in model.inputs]
    sparse = model.loss == SPARSE
    y = np.zeros(
        (batch, *([] if sparse else model.outputs[0].shape[1:])), "int64" if sparse else "float32"
    )
    for _ in range(5 if name == "accumulation" else 3):
        model.train_on_batch(x[0] if len(x) == 1 else x, y)


if __name__ == "__main__":
    train(sys.argv[1], int(sys.argv[2]))
