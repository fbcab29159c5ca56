"""Deaths of a real TensorFlow under `tfdoctor run`, too long for every run of the tests: `make deaths`.

`LONG` is the table: a program, the place where it dies, and what has to be said of it. Where a fault of a GPU is needed, GPU
and driver are simulated. Each dies twice, the second time with recorder and command as a user without privileges, and prints a
row for docs/results/deaths.md.
"""

from __future__ import annotations

import contextlib
import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.driver.scenario import Fault, Scenario
from tests.driver.simulated import EVERYTHING, SimulatedDriver
from tests.memory_group import MemoryGroup, memory_group
from tests.needs import ROOT, SYSTEM_PYTHON
from tests.real.environments import site_packages
from tests.real.test_run_deaths import NOBODY
from tests.unit.ask.recorder.watched import watched

pytestmark = [pytest.mark.slow, pytest.mark.real]

REFUSING = Path(__file__).parent / "refusing.py"
MIB = 1 << 20
OFTEN = ("--interval", "0.25")
LIMIT_S = 600.0  # beside much other work
SMALL_GPU = "import tensorflow as tf\ntf.config.set_logical_device_configuration(tf.config.list_physical_devices('GPU')[0], [tf.config.LogicalDeviceConfiguration(memory_limit=128)])\n"

RETRACING = """
import numpy, tensorflow as tf
@tf.function
def f(x, n):  # a number of Python's is a new function each time, and here a new table of 1 MB, too
    return x + tf.cast(n, tf.float64) * tf.reduce_sum(tf.constant(numpy.random.rand(128, 1024)))
step = 0
while True:
    f(tf.ones((), tf.float64), step)
    step += 1
"""
SHUFFLE = """
import time, tensorflow as tf
def slow():  # TensorFlow tells of the buffer every ten seconds
    for at in range(1_000_000):
        time.sleep(0.01)
        yield at
d = tf.data.Dataset.from_generator(slow, output_signature=tf.TensorSpec((), tf.int64))
d = d.map(lambda at: tf.random.uniform((64, 512)))
for batch in d.shuffle(50_000).batch(32): pass
"""
LEAK = """
import time
kept = []
while True:
    kept.append(bytearray(1 << 20))
    time.sleep(0.12)
"""
MATMUL = "import tensorflow as tf\na = tf.random.uniform((64, 64))\nprint(float(tf.reduce_sum(tf.matmul(a, a))))"
ADDITION = "import tensorflow as tf\nprint((tf.constant([1.0, 2.0]) + 1.0).shape)"
FRAGMENTS = "import tensorflow as tf\nkept = [tf.zeros((512 << 20,)) for _ in range(10)]\ndel kept[::2]\nprint(tf.zeros((1 << 30,)).shape)"  # 2 GiB each of 23, then 4
DATASET = (
    SMALL_GPU
    + "import numpy\nprint(tf.data.Dataset.from_tensor_slices(numpy.zeros((64 << 20,), 'float32')))"
)
TOO_LATE = "import tensorflow as tf\ntf.ones(3) + 1\ntf.config.set_logical_device_configuration(tf.config.list_physical_devices('CPU')[0], [tf.config.LogicalDeviceConfiguration()] * 2)"
POOL = "import tensorflow as tf\nprint(tf.ones(3) + 1)"
LOCKED = """
import h5py, subprocess, sys
hold = "import h5py, sys; f = h5py.File(sys.argv[1], 'w'); print('held', flush=True); sys.stdin.read()"
other = subprocess.Popen([sys.executable, "-c", hold, sys.argv[0] + ".h5"], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
other.stdout.readline()
h5py.File(sys.argv[0] + ".h5", "a")
"""
FORK = """
import os, sys, tensorflow as tf
tf.ones((4, 4)) + 1
child = os.fork()
if not child:
    tf.ones((4, 4)) + 1
    os._exit(0)
sys.exit(os.waitpid(child, 0)[1] != 0)
"""
WORKER = """
import json, os, signal, sys
index, ports = int(sys.argv[1]), sys.argv[2:]
cluster = {"worker": [f"localhost:{port}" for port in ports]}
os.environ["TF_CONFIG"] = json.dumps({"cluster": cluster, "task": {"type": "worker", "index": index}})
import tensorflow as tf
strategy = tf.distribute.MultiWorkerMirroredStrategy()
@tf.function
def step():
    return strategy.reduce("sum", strategy.run(lambda: tf.ones(())), axis=None)
for number in range(1_000_000):
    if index and number == 3:
        os.kill(os.getpid(), signal.SIGKILL)
    step()
"""


@dataclass(frozen=True)
class Long:
    """`limit_mib`: of the memory cgroup in which recorder and command live. `before`: what starts the command.

    faults: of the simulated driver; None where no GPU is simulated. outcome: "" where it is the code itself. workers: it gets its
    number, 0, and so many free ports; the others run beside it, where the recorder does not see them.
    """

    program: str
    limit_mib: int = 0
    faults: tuple[Fault, ...] | None = None
    before: tuple[str, ...] = ()
    outcome: str = ""
    workers: int = 0


LONG: Mapping[str, Long] = {
    "retracing-memory-growth": Long(RETRACING, limit_mib=600, outcome="container-oom-killed"),
    "shuffle-buffer-too-large": Long(SHUFFLE, limit_mib=600, outcome="container-oom-killed"),
    "host-memory-leak": Long(LEAK, limit_mib=200, outcome="container-oom-killed"),
    "threads-forbidden": Long(POOL, before=(sys.executable, "-I", str(REFUSING), "EPERM", "clone3")),
    "device-configured-too-late": Long(TOO_LATE),
    "file-locked": Long(LOCKED),
    "cuda-context-poisoned": Long(ADDITION, faults=(Fault.error("cuLaunchKernel", 719, sticky=True),)),
    "gpu-library-no-memory": Long(MATMUL, faults=(Fault.error("cublasCreate*", 3),)),
    "gpu-memory-fragmented": Long(FRAGMENTS, faults=()),
    "gpu-dataset-on-device": Long(DATASET, faults=()),
    "fork-after-init": Long(FORK, faults=()),
    "worker-lost": Long(WORKER, workers=2),
}  # fmt: skip


@pytest.fixture
def group(request: pytest.FixtureRequest) -> Iterator[MemoryGroup | None]:
    """Where the code needs a limit."""
    limit = LONG[request.node.callspec.params["code"]].limit_mib
    with memory_group(limit * MIB) if limit else contextlib.nullcontext() as found:
        yield found


@pytest.fixture
def as_user(request: pytest.FixtureRequest) -> tuple[tuple[str, ...], Path]:
    """What starts a program as root, or as nobody where that can be done, and a Python with TensorFlow that may be started so."""
    python: Path = request.getfixturevalue("tensorflow_python")
    if request.node.callspec.params["who"] == "root":
        return (), python
    # the system's own, since ours may lie where only its owner may look
    made: Path = request.getfixturevalue("anybodys") / "env"
    subprocess.run(
        ["/usr/bin/python3", "-m", "venv", "--without-pip", str(made)],
        capture_output=True,
        check=False,
    )
    for packages in made.glob("lib/python3*/site-packages"):
        (packages / "tensorflow.pth").write_text(str(site_packages(python)))
    inner = ("sh", "-c", f"exec {made}/bin/python -c 'import numpy'")
    if (
        os.geteuid()
        or subprocess.run([*NOBODY, *inner], capture_output=True, check=False).returncode
    ):
        pytest.skip(SYSTEM_PYTHON if os.geteuid() == 0 else ROOT)
    return NOBODY, made / "bin/python"


@contextlib.contextmanager
def others(workers: int, *command: str) -> Iterator[tuple[str, ...]]:
    """The words for the first worker, while the others run."""
    if not workers:
        yield ()
        return
    sockets = [socket.socket() for _ in range(workers)]
    for each in sockets:
        each.bind(("localhost", 0))
    ports = [str(each.getsockname()[1]) for each in sockets]
    for each in sockets:
        each.close()
    beside = [
        subprocess.Popen([*command, str(number), *ports], stderr=subprocess.DEVNULL)
        for number in range(1, workers)
    ]
    try:
        yield ("0", *ports)
    finally:
        for process in beside:
            process.kill()
            process.wait()


@pytest.mark.parametrize("code", LONG)
@pytest.mark.parametrize("who", ["root", "nobody"])
def test_a_long_death_some_on_a_simulated_gpu(
    code: str, who: str, anybodys: Path, group: MemoryGroup | None, as_user: tuple[tuple[str, ...], Path], monkeypatch: pytest.MonkeyPatch
) -> None:  # fmt: skip
    long, script = LONG[code], anybodys / "program.py"
    if long.faults is not None:
        driver = SimulatedDriver(
            anybodys / "driver", Scenario(faults=long.faults), libraries=EVERYTHING
        )
        for name, value in driver.environment().items():
            monkeypatch.setenv(name, value)
        subprocess.run(["chmod", "-R", "a+rwX", str(anybodys)], check=True)
    script.write_text(long.program)
    drop, python = as_user
    starts = [str(python) if word == sys.executable else word for word in long.before]
    command = (*starts, str(python), str(script))
    before = (*(group.inside() if group else ()), *drop)
    began = time.monotonic()
    with others(long.workers, *command) as words:
        run = watched(anybodys, *command, *words, options=OFTEN, before=before, limit_s=LIMIT_S)
    took = time.monotonic() - began
    found = run.finding(code) if code in run.codes else {}
    sys.stdout.write(
        f"\n| `{code}` | {who} | `{run.outcome}` | {', '.join(run.roots)} | {found.get('confidence', '')} | {took:.0f} s |"
    )
    assert run.outcome == (long.outcome or code), run.stderr.decode()[-3000:]
    assert run.roots == [code], run.codes
    assert found["evidence"] and all(each["observed"] for each in found["evidence"])
