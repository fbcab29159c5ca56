"""Sets each variable that TensorFlow's libraries name to a value that nobody knows, and writes what TensorFlow and the doctor make of
it: docs/results/variables.md. The driver is simulated."""

from __future__ import annotations

import os
import platform
import re
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from datetime import datetime, timezone
from functools import partial
from pathlib import Path

from tests.driver.scenario import Scenario
from tests.driver.simulated import EVERYTHING, SimulatedDriver
from tests.logs.judged import judged
from tests.real.command import doctor
from tests.real.environments import environment
from tfdoctor.signatures.catalogue import read
from tfdoctor.signatures.signature import NOISE

RESULT = Path(__file__).parents[1] / "docs" / "results" / "variables.md"
RELEASES = ("2.21.0", "2.16.2")
VALUE = "maybe"
LIMIT_S = 120
REFUSED = "environment-variable-refused"
BESIDE = (
    "AUTOGRAPH_VERBOSITY", "CUDA_CACHE_MAXSIZE", "CUDA_DEVICE_ORDER", "CUDA_LAUNCH_BLOCKING", "CUDA_MODULE_LOADING", "KERAS_BACKEND", "KERAS_MAX_EPOCHS",
    "KERAS_MAX_STEPS_PER_EPOCH", "OMP_NUM_THREADS", "PROTOCOL_BUFFERS_PYTHON_IMPLEMENTATION", "TF_CONFIG", "TF_USE_LEGACY_KERAS", "XLA_FLAGS",
)  # fmt: skip
"""Those of Python, CUDA and Keras, which no library of TensorFlow names."""
_NAME = re.compile(rb"\bTF_[A-Z0-9_]{4,60}\b")
_NO_VARIABLE = ("STRUCT_SIZE", "TF_RESOURCE", "TF_PLAT_STR")
PROGRAM = """
import numpy, tensorflow as tf
print("GPUs:", tf.config.list_physical_devices("GPU"))
a = tf.random.normal((8, 8)); print((a @ a).shape)
print(sum(1 for _ in tf.data.Dataset.range(4).map(lambda x: x + 1)))
import keras
model = keras.Sequential([keras.layers.Dense(1)]); model.compile("sgd", "mse")
model.fit(numpy.zeros((8, 2)), numpy.zeros((8, 1)), epochs=2, verbose=0); print("trained")
"""
HEAD = """# Variables with a value that nobody knows

`make variables`: each variable that TensorFlow's libraries name, and some of Keras and CUDA, set to `{value}`, one at a time; a small
training on the simulated driver, then `tfdoctor diagnose` of what it wrote and, where it ended, `tfdoctor check`. {date}, {where}.

| TensorFlow | tried | refused, and the program ended | passed over with a word | nothing said |
| --- | --- | --- | --- | --- |
"""
ROWS = """
What was refused. "Not reached" means that the few computations of `check` do not need what reads it.

| TensorFlow | variable | its words | diagnose | check |
| --- | --- | --- | --- | --- |
"""


@dataclass(frozen=True)
class Tried:
    name: str
    status: int
    text: str

    @property
    def words(self) -> str:
        """The line that speaks of it, the last one of those; else the last line of all."""
        lines = self.text.strip().splitlines() or [""]
        return next((line for line in reversed(lines) if self.name in line), lines[-1])


def variables(python: Path) -> list[str]:
    folder = next(python.parents[1].glob("lib/python*/site-packages/tensorflow"))
    found = {
        name for file in folder.glob("libtensorflow_*.so.2") for name in _NAME.findall(file.read_bytes())
    }
    names = {name.decode() for name in found}
    return sorted(name for name in names if not any(each in name for each in _NO_VARIABLE)) + list(BESIDE)


def tried(python: Path, driver: SimulatedDriver, name: str) -> Tried:
    """A status of -1000: it did not end in time."""
    env = {**driver.environment(), name: VALUE} if name else driver.environment()
    try:
        done = subprocess.run(
            [str(python), "-c", PROGRAM], env=env, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=LIMIT_S, check=False,
            encoding="utf-8", errors="replace",
        )  # fmt: skip
    except subprocess.TimeoutExpired:
        return Tried(name, -1000, "")
    sys.stderr.write("." if done.returncode == 0 else "x")
    return Tried(name, done.returncode, done.stdout)


def passed_over(each: Tried) -> bool:
    """A line names the variable and calls it passed over: noise, as diagnose has it."""
    hits = (hit for line in each.text.splitlines() if each.name in line for hit in read(line))
    return any(hit.signature.role == NOISE and hit.told.get("variable") == each.name for hit in hits)


def by_diagnose(each: Tried) -> str:
    roots = [one.finding for one in judged(each.text).roots]
    named = [one.code for one in roots if one.code == REFUSED and each.name in one.title]
    return "named" if named else ", ".join(one.code for one in roots) or "no cause"


def by_check(python: Path, driver: SimulatedDriver, each: Tried) -> str:
    options = ("--smoke", "tf", "--json", "--no-redact")
    run = doctor(
        "check", "--python", python, *options, env={**driver.environment(), each.name: VALUE}, limit_s=LIMIT_S
    )
    named = REFUSED in run.roots and each.name in run.finding(REFUSED)["title"]
    reached = "Not reached" if run.report["verdict"] == "healthy" else ", ".join(run.roots)
    return "named" if named else reached


def row(release: str, python: Path, driver: SimulatedDriver, each: Tried) -> str:
    words = re.sub(r"^\S{0,60}\d{4,}.{0,60}?\] ", "", each.words).replace("|", "\\|")[:160]
    return (
        f"| {release} | `{each.name}` | {words} | {by_diagnose(each)} | {by_check(python, driver, each)} |\n"
    )


def main() -> None:
    sums, rows = "", ""
    with tempfile.TemporaryDirectory() as folder:
        for release in RELEASES:
            python = environment(f"tensorflow=={release}")
            driver = SimulatedDriver(Path(folder) / release, Scenario(), libraries=EVERYTHING)
            healthy = tried(python, driver, "")
            assert healthy.status == 0, healthy.text[-2000:]
            with ThreadPoolExecutor(2) as pool:
                every = list(pool.map(partial(tried, python, driver), variables(python)))
            refused = [each for each in every if each.status != 0]
            over = [each for each in every if each.status == 0 and passed_over(each)]
            silent = len(every) - len(refused) - len(over)
            sums += f"| {release} | {len(every)} | {len(refused)} | {len(over)} | {silent} |\n"
            rows += "".join(row(release, python, driver, each) for each in refused)
    where = f"{os.cpu_count()} cores, {platform.system()} {platform.release().partition('-')[0]}, Python {platform.python_version()}"
    head = HEAD.format(value=VALUE, date=datetime.now(timezone.utc).date(), where=where)
    RESULT.write_text(head + sums + ROWS + rows, encoding="utf-8")
    sys.stderr.write(f"\n{RESULT}\n")


if __name__ == "__main__":
    main()
