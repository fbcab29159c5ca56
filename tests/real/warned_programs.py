"""Trainings whose memory grows until the kernel ends them, and others whose memory looks as if it would, in the kinds of
`tests/unit/ask/recorder/memory_stories.py`.

`PACE` sleeps stand for a step of a larger network, so that a run takes as long on each machine.
"""

from __future__ import annotations

from dataclasses import dataclass

START = """
import collections, time
import numpy as np
import tensorflow as tf
from tensorflow import keras
from tensorflow.keras import layers

def network():
    model = keras.Sequential([keras.Input((64, 64, 3)), layers.Conv2D(8, 3, strides=4, activation="relu"), layers.GlobalAveragePooling2D(), layers.Dense(10)])
    model.compile("adam", keras.losses.SparseCategoricalCrossentropy(from_logits=True))
    return model

def batch(size=32):
    return np.random.rand(size, 64, 64, 3).astype("float32"), np.random.randint(0, 10, size)

class Pace(keras.callbacks.Callback):
    def on_train_batch_end(self, batch, logs=None):
        time.sleep(PACE)

PACE = 0.4
data = np.ones(DATA_MIB << 18, "float32")  # what such a program holds from its start
model = network()
"""
IMAGE = "lambda index: (tf.random.uniform((64, 64, 3)), index % 10)"
SLOW_IMAGE = "lambda index: (tf.py_function(lambda: time.sleep(0.04), [], []), (tf.random.uniform((128, 128, 3)), index % 10))[1]"
HALF_SIZE = "lambda x, y: (x[::2, ::2], y)"


@dataclass(frozen=True)
class Story:
    """kind: as the generator's stories call it. warned: of one that dies, that it has to be told; of one that lives, that nobody can
    tell it from one that dies."""

    kind: str
    program: str
    limit_mib: int = 700
    data_mib: int = 0
    warned: bool = False


DIES = {
    "predictions kept in a list": Story(
        "steady leak",
        """
kept = []
for step in range(5000):
    x, y = batch(64)
    model.train_on_batch(x, y)
    kept.append(tf.image.resize(x, (48, 48)))
    time.sleep(PACE)
""",
        warned=True,
    ),
    "a callback that logs its inputs": Story(
        "steady leak",
        """
x, y = batch(512)

class Log(keras.callbacks.Callback):
    log = []
    def on_train_batch_end(self, batch, logs=None):
        self.log.append({"loss": logs["loss"], "input": np.array(x[:32])})

model.fit(x, y, batch_size=32, epochs=500, verbose=0, callbacks=[Log(), Pace()])
""",
        warned=True,
    ),
    "a generator that keeps what it yields": Story(
        "steady leak",
        """
cache = []

def generator():
    for index in range(100000):
        cache.append(np.random.rand(64, 64, 3).astype("float32"))
        yield cache[-1], index % 10

spec = tf.TensorSpec((64, 64, 3)), tf.TensorSpec((), tf.int64)
dataset = tf.data.Dataset.from_generator(generator, output_signature=spec).batch(32)
model.fit(dataset, verbose=0, callbacks=[Pace()])
""",
        warned=True,
    ),
    "cache() of more than fits": Story(
        "steady leak",
        f"""
dataset = tf.data.Dataset.range(100000).map({IMAGE}).cache().batch(32)
model.fit(dataset, verbose=0, callbacks=[Pace()])
""",
        warned=True,
    ),
    "a shuffle buffer of more than fits": Story(
        "TensorFlow tells of it",
        f"""
dataset = tf.data.Dataset.range(100000).map({SLOW_IMAGE}).shuffle(7500)
model.fit(dataset.map({HALF_SIZE}).batch(32), verbose=0)
""",
        warned=True,
    ),
    "a function traced for each step": Story(
        "steady leak",
        """
table = np.random.rand(1300, 64).astype("float32")

@tf.function
def train_step(x, step):
    return tf.reduce_mean(tf.matmul(x, tf.constant(table), transpose_b=True)) * step

for step in range(5000):
    train_step(tf.ones((32, 64)), float(step))
    time.sleep(PACE)
""",
        warned=True,
    ),
    "predictions of an epoch kept": Story(
        "leak once an epoch",
        """
kept = []
x, y = batch(256)
for epoch in range(100):
    model.fit(x, y, batch_size=16, verbose=0, callbacks=[Pace()])
    kept.append(tf.image.resize(x, (96, 96)))
""",
    ),
    "half of a buffer kept": Story(
        "leak under a sawtooth",
        """
kept, buffer = [], []
for step in range(5000):
    buffer.append(batch(64)[0])
    model.train_on_batch(*batch())
    if len(buffer) == 20:
        kept += buffer[::2]
        buffer.clear()
    time.sleep(PACE)
""",
        800,
    ),
    "kept from the eighteenth epoch on": Story(
        "leak that begins late",
        """
kept = []
x, y = batch(512)

class Keep(keras.callbacks.Callback):
    def on_train_batch_end(self, batch, logs=None):
        if self.epoch >= 17:
            kept.append(np.array(x[:40]))
    def on_epoch_begin(self, epoch, logs=None):
        self.epoch = epoch

model.fit(x, y, batch_size=64, epochs=500, verbose=0, callbacks=[Keep(), Pace()])
""",
    ),
    "evaluated on everything at the end": Story(
        "all at once",
        """
for step in range(130):
    model.train_on_batch(*batch())
    time.sleep(PACE)
x, y = batch(20000)
print(model.evaluate(x, y, batch_size=20000))
""",
    ),
}
LIVES = {
    "a loop that keeps nothing": Story(
        "flat",
        """
for step in range(200):
    model.train_on_batch(*batch())
    time.sleep(PACE)
""",
        data_mib=240,
    ),
    "an evaluation after each epoch": Story(
        "evaluates each epoch",
        """
x, y = batch(256)
for epoch in range(14):
    model.fit(x, y, batch_size=16, verbose=0, callbacks=[Pace()])
    model.evaluate(tf.random.uniform((3000, 64, 64, 3)), tf.zeros(3000), batch_size=500, verbose=0)
""",
        data_mib=40,
    ),
    "a shuffle buffer that fits": Story(
        "buffer that fills and stops",
        f"""
dataset = tf.data.Dataset.range(1900).map({SLOW_IMAGE}).shuffle(1300)
model.fit(dataset.map({HALF_SIZE}).batch(32), verbose=0)
""",
        data_mib=80,
    ),
    "cache() of what fits": Story(
        "cache that fills in the first epoch",
        f"""
dataset = tf.data.Dataset.range(5000).map({IMAGE}).cache().batch(64)
model.fit(dataset, epochs=3, verbose=0, callbacks=[Pace()])
""",
        data_mib=100,
        warned=True,
    ),
    "a data set that is loaded first": Story(
        "warm-up",
        """
x, y = np.empty((5000, 64, 64, 3), "float32"), np.zeros(5000)
for first in range(0, 5000, 100):
    x[first : first + 100] = batch(100)[0]
    time.sleep(PACE)
for first in 2 * list(range(0, 5000, 64)):
    model.train_on_batch(x[first : first + 64], y[first : first + 64])
    time.sleep(PACE)
""",
        data_mib=100,
    ),
    "batches of three sizes": Story(
        "jumps",
        """
for step in range(200):
    model.train_on_batch(*batch((16, 128, 1024)[step // 15 % 3]))
    time.sleep(PACE)
""",
        data_mib=60,
    ),
    "a buffer that is written and emptied": Story(
        "sawtooth",
        """
buffer = []
for step in range(200):
    buffer.append(batch(64)[0])
    model.train_on_batch(*batch())
    if len(buffer) == 40:
        buffer.clear()
    time.sleep(PACE)
""",
        data_mib=220,
    ),
    "predictions of an epoch, then their mean": Story(
        "sawtooth",
        """
for epoch in range(4):
    kept = []
    for step in range(50):
        x, y = batch(64)
        model.train_on_batch(x, y)
        kept.append(tf.image.resize(x, (48, 48)))
        time.sleep(PACE)
    print(float(tf.reduce_mean(tf.concat(kept, 0))))
""",
        data_mib=60,
    ),
    "text of different lengths": Story(
        "wanders",
        """
words = keras.Sequential([layers.Embedding(5000, 64), layers.GlobalAveragePooling1D(), layers.Dense(2)])
words.compile("adam", keras.losses.SparseCategoricalCrossentropy(from_logits=True))
for step in range(200):
    length = 64 * np.random.randint(1, 9)
    words.train_on_batch(np.random.randint(0, 5000, (64, length)), np.random.randint(0, 2, 64))
    time.sleep(PACE)
""",
        data_mib=330,
    ),
    "a replay buffer of fixed length": Story(
        "buffer that fills and stops",
        """
replay = collections.deque(maxlen=5000)
for step in range(220):
    replay.extend(batch(64)[0])
    model.train_on_batch(*batch())
    time.sleep(PACE)
""",
        data_mib=100,
        warned=True,
    ),
}
