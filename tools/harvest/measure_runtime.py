"""Installs a release, changes one package in it, and tries whether TensorFlow still imports and trains.

    python -m tools.harvest.measure_runtime 2.19.1 3.11 protobuf 3.20.3 4.25.8 5.29.5 6.31.1

Prints one line for each version: "ok", or the last line of what failed. Needs uv on PATH. This is the source of the
matrix' section `runtime`: metadata tells what was meant, this tells what works. Nothing of it is kept.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path

PROGRAM = """
import numpy, tensorflow as tf
from google.protobuf import __version__ as protobuf
model = tf.keras.Sequential([tf.keras.layers.Dense(4, activation="relu"), tf.keras.layers.Dense(1)])
model.compile("sgd", "mse")
model.fit(numpy.ones((8, 3), "float32"), numpy.ones((8, 1), "float32"), epochs=1, verbose=0)
tf.train.Example.FromString(tf.train.Example().SerializeToString())
print("ok", numpy.__version__, protobuf)
"""


def main() -> int:
    release, python, package, *versions = sys.argv[1:]
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name) / "env"
        interpreter = str(folder / "bin" / "python")
        subprocess.run(["uv", "venv", "-q", "--python", python, str(folder)], check=True)
        install = ["uv", "pip", "install", "-q", "--python", interpreter]
        subprocess.run([*install, f"tensorflow=={release}", "setuptools<81"], check=True)
        for version in versions:
            subprocess.run([*install, "--no-deps", f"{package}=={version}"], check=True)
            tried = subprocess.run(
                [interpreter, "-c", PROGRAM],
                capture_output=True,
                text=True,
                timeout=300,
                check=False,
            )
            said = (tried.stdout if tried.returncode == 0 else tried.stderr).strip().splitlines()
            last = said[-1] if said else tried.returncode
            print(f"{release} {package} {version}: {last}", flush=True)  # noqa: T201  # its result
    return 0


if __name__ == "__main__":
    sys.exit(main())
