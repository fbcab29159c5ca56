"""Stories by the hundred: each TensorFlow on a Python, broken in each way that fits it, one way or two at a time.

The order is that of a hash, so that the first so many are a fair sample of all.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import combinations

from tests.real.stories import TRAINS, Story, cpu

VERSIONS = (
    ("2.15.1", "3.11"), ("2.16.2", "3.11"), ("2.17.1", "3.12"), ("2.18.1", "3.10"), ("2.19.1", "3.12"), ("2.20.0", "3.13"),
    ("2.21.0", "3.11"), ("2.22.0rc0", "3.11"),
)  # fmt: skip
_LINES = 'cp "$SITE/{0}" "$SITE/{0}.new"; {1} "$SITE/{0}.new"; mv "$SITE/{0}.new" "$SITE/{0}"'
"""Changes a file that is a link into uv's cache in a copy."""
_FRAMEWORK = "tensorflow/libtensorflow_framework.so.2"
_REQUIRED = "absl-py astunparse flatbuffers gast google-pasta h5py keras ml-dtypes numpy opt-einsum protobuf tensorboard termcolor wrapt"


@dataclass(frozen=True)
class Breakage:
    """`minors`: the first and the last TensorFlow 2.x that it breaks; `pythons`: the first and the last 3.x that it can be done on.

    `group`: two of one group exclude each other.
    """

    kind: str
    group: str
    done: str
    minors: tuple[int, int] = (15, 99)
    pythons: tuple[int, int] = (10, 13)
    program: str = TRAINS
    env: dict[str, str] = field(default_factory=dict)

    def fits(self, minor: int, python: int) -> bool:
        return (
            self.minors[0] <= minor <= self.minors[1]
            and self.pythons[0] <= python <= self.pythons[1]
        )


def _other(package: str, version: str, more: str = "") -> str:
    return f"pip install --no-deps {package}=={version} {more}".strip()


BREAKAGES = (
    Breakage("numpy-2", "numpy", _other("numpy", "2.1.3"), (15, 17)),
    Breakage("numpy-1.23", "numpy", _other("numpy", "1.23.5"), (18, 99), (10, 11)),
    Breakage("numpy-half-removed", "numpy", 'rm -r "$SITE"/numpy/*core'),
    Breakage("numpy-removed", "numpy", "pip uninstall numpy"),
    Breakage("protobuf-3.20", "protobuf", _other("protobuf", "3.20.3"), (20, 99)),
    Breakage("protobuf-4.25", "protobuf", _other("protobuf", "4.25.3"), (20, 99)),
    Breakage("protobuf-7", "protobuf", _other("protobuf", "7.36.2"), (15, 19)),
    Breakage("protobuf-removed", "protobuf", "pip uninstall protobuf"),
    Breakage("keras-2", "keras", _other("keras", "2.15.0"), (16, 99)),
    Breakage("keras-3", "keras", _other("keras", "3.3.3", "namex optree rich markdown-it-py mdurl pygments"), (15, 15)),
    Breakage("keras-removed", "keras", "pip uninstall keras"),
    Breakage("ml-dtypes-0.2", "ml-dtypes", _other("ml-dtypes", "0.2.0"), (16, 99), (10, 11)),
    Breakage("ml-dtypes-0.3", "ml-dtypes", _other("ml-dtypes", "0.3.2"), (19, 99), (10, 12)),
    Breakage("typing-extensions-4.0", "typing-extensions", _other("typing-extensions", "4.0.1"), (16, 99)),
    Breakage("wrapt-removed", "wrapt", "pip uninstall wrapt"),
    Breakage("absl-and-flatbuffers-removed", "absl", "pip uninstall absl-py flatbuffers"),
    Breakage("requirements-removed", "many", f"pip uninstall {_REQUIRED}"),
    Breakage("h5py-for-numpy-1", "h5py", _other("h5py", "3.8.0"), (20, 99), (10, 11)),
    Breakage("h5py-half-removed", "h5py", 'rm -r "$SITE/h5py/_hl"', program=f"{TRAINS}; m.save('m.h5')"),
    Breakage("scipy-for-numpy-1", "scipy", _other("scipy", "1.11.4"), (20, 99), (10, 11), "import tensorflow, scipy.signal"),
    Breakage("text-of-2.18", "companion", _other("tensorflow-text", "2.18.1"), (19, 99), (10, 12), "import tensorflow_text"),
    Breakage("text-of-2.18-and-older", "companion", _other("tensorflow-text", "2.18.1"), (15, 17), (10, 12), "import tensorflow_text"),
    Breakage("tf-keras-of-2.16", "tf-keras", _other("tf-keras", "2.16.0"), (17, 99), env={"TF_USE_LEGACY_KERAS": "1"}),
    Breakage("tf-keras-missing", "tf-keras", "true", (16, 99), env={"TF_USE_LEGACY_KERAS": "1"}),
    Breakage("probability-without-tf-keras", "companion", _other("tensorflow-probability", "0.24.0", "dm-tree cloudpickle decorator attrs"), (16, 99), program="import tensorflow_probability as tfp; tfp.layers.DenseFlipout(1)"),
    Breakage("setuptools-82", "setuptools", _other("setuptools", "82.0.0"), (15, 20), program="import tensorboard.default"),
    Breakage("tensorboard-2.10", "tensorboard", _other("tensorboard", "2.10.1"), (18, 99), program="import tensorflow as tf\nwith tf.summary.create_file_writer('logs').as_default(): tf.summary.scalar('a', 1.0, step=1)"),
    Breakage("second-tensorflow-2.16", "second", _other("tensorflow", "2.16.2"), (15, 15), (11, 11)),
    Breakage("second-tensorflow-2.20", "second", _other("tensorflow", "2.20.0"), (21, 21), (11, 11)),
    Breakage("second-tensorflow-removed", "second", _other("tensorflow", "2.20.0") + "; pip uninstall tensorflow", (21, 21), (11, 11)),
    Breakage("library-truncated", "tensorflow", _LINES.format(_FRAMEWORK, "truncate -s 20000000")),
    Breakage("library-deleted", "tensorflow", f'rm "$SITE/{_FRAMEWORK}"'),
    Breakage("module-deleted", "tensorflow", 'rm "$SITE/tensorflow/python/framework/dtypes.py"'),
    Breakage("module-emptied", "tensorflow", _LINES.format("tensorflow/python/framework/ops.py", "truncate -s 0")),
    Breakage("pip-killed", "tensorflow", 'for each in "$SITE"/tensorflow "$SITE"/tensorflow_cpu-*.dist-info; do mv "$each" "$SITE/~ensorflow${each#"$SITE/tensorflow"}"; done; mkdir "$SITE/tensorflow"; cp -r "$SITE/~ensorflow/core" "$SITE/tensorflow/"'),
    Breakage("pip-killed-leftovers", "leftovers", 'mkdir "$SITE/~umpy"; cp -r "$SITE"/numpy/core "$SITE"/numpy/_core "$SITE/~umpy/" || true'),
    Breakage("numpy-on-pythonpath", "path", "pip install --no-deps --target old numpy==1.23.5", (20, 99), (10, 11), env={"PYTHONPATH": "$PWD/old"}),
    Breakage("protobuf-of-the-user-site", "protobuf", 'pip uninstall protobuf; pip install --no-deps --target user/lib/$(basename "$(dirname "$SITE")")/site-packages protobuf==3.20.3; sed -i s/packages.=.false/packages\\ =\\ true/ environment/pyvenv.cfg', (20, 99), env={"PYTHONUSERBASE": "$PWD/user"}),
    Breakage("own-keras.py", "own", "echo 'model = 1' > keras.py"),
)  # fmt: skip
_PAIRED = (
    "numpy",
    "protobuf",
    "keras",
    "ml-dtypes",
    "typing-extensions",
    "tensorflow",
    "setuptools",
    "h5py",
    "wrapt",
    "leftovers",
)


def stories() -> list[Story]:
    """All of them."""
    found = [each for version, python in VERSIONS for each in _of(version, python)]
    return sorted(found, key=lambda each: hashlib.sha256(each.name.encode()).hexdigest())


def _of(version: str, python: str) -> Iterator[Story]:
    fitting = [
        each
        for each in BREAKAGES
        if each.fits(int(version.split(".")[1]), int(python.split(".")[1]))
    ]
    for each in fitting:
        yield _story(version, python, each)
    pairs = combinations([each for each in fitting if each.group in _PAIRED], 2)
    for number, (one, other) in enumerate(pair for pair in pairs if pair[0].group != pair[1].group):
        if number % 7 == int(version.split(".")[1]) % 7:
            yield _story(version, python, one, other)


def _story(version: str, python: str, *broken: Breakage) -> Story:
    kinds = "+".join(each.kind for each in broken)
    env = {name: value for each in broken for name, value in each.env.items()}
    done = tuple(each.done for each in broken)
    program = "\n".join(dict.fromkeys(each.program for each in broken))
    return Story(f"{kinds}/{version}/{python}", cpu(version), done, program, python, env)
