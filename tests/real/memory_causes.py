"""Programs that run out of memory for the causes that people name most, as they write them, and each as its first fix says."""

from __future__ import annotations

from dataclasses import dataclass

MIB = 1 << 20
NETWORK = """
import numpy as np
import tensorflow as tf
from tensorflow import keras
from tensorflow.keras import layers

def build(shape=(64, 64, 3)):
    model = keras.Sequential([keras.Input(shape), layers.Conv2D(8, 3, strides=4, activation="relu"), layers.GlobalAveragePooling2D(), layers.Dense(10)])
    model.compile("adam", keras.losses.SparseCategoricalCrossentropy(from_logits=True))
    return model
"""
IMAGES = 'import numpy as np\nnp.save("images.npy", np.zeros((COUNT, 64, 64, 3), "uint8"))\nnp.save("labels.npy", np.zeros(COUNT, "int64"))\n'


@dataclass(frozen=True)
class Cause:
    """A program that takes more than `limit_mib` in the line that has `line`; `edits` do to it what its first fix says.

    prepare: a program that makes its data. roots: of its end. says: words of the first fix. swaps: it is not killed, it
    stalls in swap.
    """

    program: str
    line: str
    says: str
    edits: tuple[tuple[str, str], ...]
    limit_mib: int = 900
    prepare: str = ""
    roots: tuple[str, ...] = ("container-oom-killed",)
    swaps: bool = False


CAUSES = {
    "whole data set in memory": Cause(
        NETWORK
        + """
images = np.load("images.npy")
labels = np.load("labels.npy")
images = images.astype("float32") / 255.0
model = build()
model.fit(images, labels, batch_size=32, epochs=1, verbose=2)
""",
        'images.astype("float32")',
        "Read the data piece by piece",
        (
            ('np.load("images.npy")', 'np.load("images.npy", mmap_mode="r")'),
            ('images = images.astype("float32") / 255.0\n', 'spec = tf.TensorSpec(images.shape[1:], images.dtype), tf.TensorSpec((), labels.dtype)\ndataset = tf.data.Dataset.from_generator(lambda: zip(images, labels), output_signature=spec).batch(64)\ndataset = dataset.map(lambda x, y: (tf.cast(x, tf.float32) / 255.0, y))\n'),
            ("model.fit(images, labels, batch_size=32,", "model.fit(dataset,"),
        ),
        prepare=IMAGES.replace("COUNT", "20000"),
    ),
    "shuffle buffer": Cause(
        NETWORK
        + """
def load(path):
    return tf.random.uniform((64, 64, 3)), 0  # stands for a decoded image

dataset = tf.data.Dataset.range(30000)
dataset = dataset.map(load, num_parallel_calls=2)
dataset = dataset.shuffle(buffer_size=30000).batch(32).prefetch(1)
model = build()
model.fit(dataset, epochs=1, steps_per_epoch=50, verbose=2)
""",
        ".shuffle(buffer_size=30000)",
        "smaller",
        ((".shuffle(buffer_size=30000)", ".shuffle(buffer_size=1000)"),),
    ),
    "batch too large": Cause(
        """
import numpy as np
import tensorflow as tf
from tensorflow import keras
from tensorflow.keras import layers

x = np.random.rand(600, 128, 128, 1).astype("float32")
y = np.random.randint(0, 10, 600)
model = keras.Sequential([
    keras.Input((128, 128, 1)),
    layers.Conv2D(16, 3, activation="relu", padding="same"),
    layers.Conv2D(16, 3, activation="relu", padding="same"),
    layers.GlobalAveragePooling2D(),
    layers.Dense(10),
])
model.compile("adam", keras.losses.SparseCategoricalCrossentropy(from_logits=True))
model.fit(x, y, batch_size=512, epochs=1, verbose=2)
""",
        "model.fit(x, y",
        "Halve the batch size",
        (("batch_size=512", "batch_size=32"),),
    ),
    "growing list of tensors": Cause(
        NETWORK
        + """
model = build()
losses = []
outputs = []
for step in range(1200):
    batch = np.random.rand(64, 64, 64, 3).astype("float32")
    prediction = tf.nn.sigmoid(tf.image.resize(batch, (32, 32)))
    loss = tf.reduce_mean(model(batch, training=False))
    losses.append(loss)
    outputs.append(prediction)
    if step % 50 == 0:
        print("step", step, float(loss))
print("mean", float(tf.add_n(losses)))
""",
        "outputs.append(prediction)",
        "Keep less",
        (
            ("losses.append(loss)", "losses.append(float(loss))"),
            ("outputs.append(prediction)", "outputs.append(float(tf.reduce_mean(prediction)))"),
            ("float(tf.add_n(losses))", "sum(losses)"),
        ),
    ),
    "retracing": Cause(
        """
import numpy as np
import tensorflow as tf

table = np.random.rand(2000, 64).astype("float32")
weights = tf.Variable(tf.ones((64, 64)))

@tf.function
def train_step(batch, step, rate):
    embedded = tf.matmul(tf.constant(table), weights)
    weights.assign_sub(rate * tf.reduce_mean(embedded) * tf.ones_like(weights))
    return tf.reduce_mean(batch) * tf.cast(step, tf.float32)

for step in range(3000):
    rate = 0.01 / (1 + step)
    loss = train_step(tf.ones((32, 64)), step, rate)
""",
        "train_step(tf.ones((32, 64)), step, rate)",
        "Pass tensors of fixed shape",
        (("train_step(tf.ones((32, 64)), step, rate)", "train_step(tf.ones((32, 64)), tf.constant(step), tf.constant(rate))"),),
        limit_mib=600,
        roots=("retracing-memory-growth",),
    ),
    "generator that keeps": Cause(
        NETWORK
        + """
cache = {}

def generator():
    for index in range(12000):
        if index not in cache:
            image = np.random.rand(64, 64, 3).astype("float32")  # stands for a file that is decoded
            cache[index] = image
        yield cache[index], index % 10

dataset = tf.data.Dataset.from_generator(
    generator, output_signature=(tf.TensorSpec((64, 64, 3)), tf.TensorSpec((), tf.int64))
).batch(32)
model = build()
model.fit(dataset, epochs=1, verbose=2)
""",
        "cache[index] = image",
        "Keep less",
        (("            cache[index] = image\n        yield cache[index], index % 10", "            yield image, index % 10"),),
    ),
    "logging of arrays": Cause(
        NETWORK
        + """
class Log(keras.callbacks.Callback):
    def __init__(self):
        super().__init__()
        self.log = []

    def on_train_batch_end(self, batch, logs=None):
        activations = self.model(images[:64], training=False)
        self.log.append({"batch": batch, "loss": logs["loss"], "weights": self.model.get_weights(), "input": np.array(images[batch : batch + 8])})

images = np.random.rand(2000, 64, 64, 3).astype("float32")
labels = np.random.randint(0, 10, 2000)
model = build()
model.fit(images, labels, batch_size=8, epochs=10, verbose=2, callbacks=[Log()])
""",
        "self.log.append(",
        "Keep less",
        ((', "weights": self.model.get_weights(), "input": np.array(images[batch : batch + 8])', ""),),
    ),
    "swapping": Cause(
        """
import time
import numpy as np

data = np.ones((100_000, 1024), "float32")
total, end = 0.0, time.monotonic() + 20
while time.monotonic() < end:
    for start in range(0, len(data), 1024):
        total += float(data[start : start + 1024].mean())
""",
        "np.ones((100_000, 1024)",
        "Read the data piece by piece",
        (("np.ones((100_000, 1024)", "np.ones((10_000, 1024)"),),
        limit_mib=300,
        roots=("swap-thrashing",),
        swaps=True,
    ),
}  # fmt: skip
