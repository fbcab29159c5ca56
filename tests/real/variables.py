"""How real TensorFlow reads its variables: `python -m tests.real.variables` writes variables.json again, in a quarter of an hour.

Each value is set for a program on the simulated driver, several variables at once, and what TensorFlow then says tells
whether it took the value: "taken", "ignored", or "unread" where this version complains of none. The log level "hides" information
or "shows" it; Keras is looked for as "Keras 2" or "as installed"; of a backend its name stands, or "refused".
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from datetime import date
from pathlib import Path

from tests.driver.simulated import EVERYTHING, SimulatedDriver
from tests.real.environments import environment

KEPT = Path(__file__).with_suffix(".json")
VERSIONS = ("2.15.1", "2.18.1", "2.21.0")
_BOOLEANS = ("0", "1", "true", "FALSE", "yes", "on", " 1")
SPOKEN_OF = {
    "TF_FORCE_GPU_ALLOW_GROWTH": ("true", "false", "1", "True", "TRUE", "0", "yes"),
    "TF_ENABLE_GPU_GARBAGE_COLLECTION": ("true", "false", "1", "True", "TRUE", "0", "no"),
    "TF_ENABLE_ONEDNN_OPTS": _BOOLEANS,
    "TF_CPU_ALLOCATOR_USE_BFC": _BOOLEANS,
    "TF_MATMUL_AUTOTUNE_ENABLE": _BOOLEANS,
    "TF_ENABLE_ZENDNN_OPTS": _BOOLEANS,
}
"""TensorFlow says of each value that it can't read, by the variable's name."""
ALLOCATOR, LOG_LEVEL, LEGACY, BACKEND = (
    "TF_GPU_ALLOCATOR",
    "TF_CPP_MIN_LOG_LEVEL",
    "TF_USE_LEGACY_KERAS",
    "KERAS_BACKEND",
)
ALLOCATORS = (
    "",
    "cuda_malloc",
    "CUDA_MALLOC",
    "cuda_malloc_asynch",
    "bfc",
    "Cuda_Malloc_Async",
    "Memory_Guard",
)
ABORTING = ("memory_guard", "cuda_malloc_async")
"""TensorFlow takes them and aborts: the first moves a tensor off its alignment, for the other the simulated driver has no pools."""
LOG_LEVELS = ("0", "1", "3", "", "ERROR", "1x", " 2")
LEGACY_VALUES = ("true", "True", "1", "TRUE", "yes", "0", "")
BACKENDS = ("tensorflow", "TensorFlow", "jax", "theano", "")
_ON_GPU = """
import tensorflow as tf
a = tf.ones((64, 64))
print(float(tf.reduce_sum(tf.matmul(a, a))))
"""
_KERAS = """
import tensorflow as tf
tf.constant(1) + 1
try:
    print("keras", tf.keras.__version__)
except Exception as error:
    print("refused", error)
"""
_WITHOUT_TF_KERAS = "refused Keras cannot be imported"


def table() -> dict[str, dict[str, dict[str, str]]]:
    """Variable, value and version to what TensorFlow did."""
    found: dict[str, dict[str, dict[str, str]]] = {}
    for version in VERSIONS:
        for name, value, outcome in _of_version(version):
            found.setdefault(name, {}).setdefault(value, {})[version] = outcome
            sys.stderr.write(f"{version} {name}={value!r} {outcome}\n")
    return found


def _of_version(version: str) -> Iterator[tuple[str, str, str]]:
    python = environment(f"tensorflow=={version}")
    rounds = [
        {**{name: values[at] for name, values in SPOKEN_OF.items()}, ALLOCATOR: ALLOCATORS[at]}
        for at in range(len(ALLOCATORS))
    ]
    said = [_run(version, python, _ON_GPU, variables, to_its_end=True)[1] for variables in rounds]
    for name in SPOKEN_OF:
        read = any(_complaints(name, text) for text in said)
        for variables, text in zip(rounds, said, strict=True):
            outcome = "ignored" if _complaints(name, text) else "taken"
            yield name, variables[name], outcome if read else "unread"
    alone = [{ALLOCATOR: each} for each in ABORTING]
    rounds += alone
    said += [_run(version, python, _ON_GPU, variables)[1] for variables in alone]
    for variables, text in zip(rounds, said, strict=True):
        taken = any("Using" in line and "allocator for GPU" in line for line in text.splitlines())
        yield ALLOCATOR, variables[ALLOCATOR], "taken" if taken else "ignored"
    for level, legacy in zip(LOG_LEVELS, LEGACY_VALUES, strict=True):
        printed, text = _run(version, python, _KERAS, {LOG_LEVEL: level, LEGACY: legacy})
        yield LOG_LEVEL, level, "shows" if "cpu_feature_guard" in text else "hides"
        yield (
            LEGACY,
            legacy,
            "Keras 2" if _WITHOUT_TF_KERAS in printed else "as installed",
        )
    for backend in BACKENDS:
        printed, text = _run(
            version, python, "import keras; print(keras.backend.backend())", {BACKEND: backend}
        )
        yield BACKEND, backend, printed.strip().splitlines()[-1] if printed.strip() else "refused"


def _complaints(name: str, text: str) -> str:
    words = ("could not be parsed", "Failed to parse", "is not set to either")
    return "\n".join(
        line for line in text.splitlines() if name in line and any(each in line for each in words)
    )


def _run(
    version: str, python: Path, program: str, variables: dict[str, str], *, to_its_end: bool = False
) -> tuple[str, str]:
    """What it printed, and what it wrote to stderr."""
    with tempfile.TemporaryDirectory() as folder:
        older = {"libcudnn": "libcudnn.so.8"} if version < "2.16" else None
        driver = SimulatedDriver(Path(folder, "driver"), libraries=EVERYTHING, sonames=older)
        environ = driver.environment({"PATH": os.environ["PATH"], "HOME": folder, **variables})
        done = subprocess.run(
            [python, "-c", program],
            env=environ,
            capture_output=True,
            text=True,
            timeout=300,
            check=False,
        )
    assert done.returncode == 0 or not to_its_end, done.stderr[-2000:]
    return done.stdout, done.stderr


def main() -> None:
    document = {"date": date.today().isoformat(), "driver": "simulated", "read": table()}
    KEPT.write_text(json.dumps(document, indent=1) + "\n")


if __name__ == "__main__":
    main()
