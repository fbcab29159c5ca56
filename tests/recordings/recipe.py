"""Makes the recordings: real TensorFlow runs on the simulated driver, and everything that it writes is kept.

    python -m tests.recordings.recipe PYTHON RELEASE [CASE …]

PYTHON is an interpreter with that release of the plain `tensorflow` wheel. What a run says of a simulated fault is what
TensorFlow says of such an answer, never what a real driver answers.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from tests.driver.scenario import GIB, Fault, Gpu, Scenario
from tests.driver.simulated import EVERYTHING, SimulatedDriver

FOLDER = Path(__file__).parent
LIMIT_S = 240

LISTING = "print('GPUs:', tf.config.list_physical_devices('GPU'))"
PRODUCT = "a = tf.random.uniform((64, 64)); print('sum', float(tf.reduce_sum(tf.matmul(a, a))))"
CONVOLUTION = "print(tf.nn.conv2d(tf.ones((1, 8, 8, 1)), tf.ones((3, 3, 1, 1)), 1, 'VALID').shape)"
ADDITION = (
    "print((tf.constant([1.0, 2.0]) + 1.0).shape)  # an operation whose kernel is PTX for this GPU"
)
IN_PIECES = """
gpu = tf.config.list_physical_devices("GPU")[0]
tf.config.set_logical_device_configuration(gpu, [tf.config.LogicalDeviceConfiguration(memory_limit=1024)])
held = [tf.zeros((15, 1 << 18)) for _ in range(64)]  # 15 MiB each
del held[::2]
print(tf.zeros((200, 1 << 18)).shape)
"""
TOO_MUCH = "print(tf.zeros((1024, 1024, 1024, 16)).shape)"


@dataclass(frozen=True)
class Case:
    """One fault. `codes` are those that its recording may lead to: an answer of the driver can leave two meanings."""

    codes: tuple[str, ...]
    program: str = LISTING
    faults: tuple[Fault, ...] = ()
    without: tuple[str, ...] = ()
    gpu: Gpu = field(default_factory=Gpu)
    old_cudnn: bool = False


def _answered(number: int, *codes: str) -> Case:
    return Case(codes, faults=(Fault.error("cuInit", number),))


CASES: Mapping[str, Case] = {
    "healthy": Case((), LISTING + "\n" + PRODUCT),
    "cuinit-100": _answered(100, "gpu-hidden", "gpu-absent", "container-without-gpu"),
    "cuinit-802": _answered(802, "fabric-manager-not-running"),
    "cuinit-803": _answered(803, "driver-versions-differ"),
    "cuinit-804": _answered(804, "forward-compat-unsupported", "driver-versions-differ"),
    "cuinit-999": _answered(999, "uvm-broken", "driver-versions-differ"),
    # 2.15.1 writes nothing of it; where the recording machine's library path names a CUDA toolkit, a GPU is meant to be there
    "no-libcuda": Case(("gpu-absent", "driver-missing"), without=("libcuda",)),
    "no-libcudart": Case(("cuda-libraries-missing",), without=("libcudart",)),
    "no-libcudnn": Case(("cuda-libraries-missing",), without=("libcudnn",)),
    # 2.21 asks for cuBLAS at the first product alone, and then says what it also says where memory is short
    "no-libcublas": Case(("cuda-libraries-missing", "gpu-library-no-memory"), LISTING + "\n" + PRODUCT, without=("libcublas",)),
    "old-cudnn": Case(("cudnn-version-mismatch",), CONVOLUTION, old_cudnn=True),
    "module-load-218": Case(("gpu-too-new-for-build",), ADDITION, (Fault.error("cuModuleLoad*", 218),)),
    "module-load-209": Case(("gpu-too-new-for-build", "compute-capability-too-low"), ADDITION, (Fault.error("cuModuleLoad*", 209),)),
    "too-big": Case(("gpu-out-of-memory",), TOO_MUCH),
    "fragmented": Case(("gpu-memory-fragmented",), IN_PIECES),
    "memory-held": Case(("gpu-memory-held",), PRODUCT, gpu=Gpu(memory_used=22 * GIB + 900 * (1 << 20))),
    "launch-719": Case(("cuda-context-poisoned",), ADDITION, (Fault.error("cuLaunchKernel", 719, sticky=True),)),
    "launch-214": Case(("gpu-hardware-fault",), ADDITION, (Fault.error("cuLaunchKernel", 214, sticky=True),)),
}  # fmt: skip


def scenario_of(release: str, case: Case) -> Scenario:
    """A driver of that release's time, with the cuDNN that it was compiled with, or an older one."""
    old = int(release.split(".")[1]) < 18
    cudnn = (80400 if case.old_cudnn else 8907) if old else (90100 if case.old_cudnn else 90300)
    if old and case.old_cudnn:
        cudnn = 8400
    found = Scenario(gpus=(case.gpu,), faults=case.faults, cudnn_version=cudnn)
    return replace(found, cuda_version=12050, runtime_version=12020 if old else 12050)


def run(python: Path, release: str, case: Case, folder: Path) -> str:
    """What the run writes, both streams in their order, with its last words as a shell would have them."""
    old = int(release.split(".")[1]) < 18
    libraries = [name for name in EVERYTHING if name not in case.without]
    driver = SimulatedDriver(
        folder, scenario_of(release, case), libraries=libraries, sonames={"libcudnn": "libcudnn.so.8"} if old and "libcudnn" in libraries else None
    )  # fmt: skip
    done = subprocess.run(
        [str(python), "-u", "-c", f"import tensorflow as tf\n{case.program}\n"],
        env={**driver.environment(), "PYTHONFAULTHANDLER": "1"},
        cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=LIMIT_S, check=False, encoding="utf-8", errors="replace",
    )  # fmt: skip
    ended = f"Process finished with exit code {done.returncode}\n"
    return plain(done.stdout, python, folder) + ended


def plain(text: str, python: Path, folder: Path) -> str:
    """Without the names of this machine's folders."""
    environment = os.path.dirname(os.path.dirname(os.path.abspath(python)))
    return text.replace(environment, "/opt/venv").replace(str(folder), "/opt/cuda/lib64")


def main() -> None:
    python, release, *names = sys.argv[1:]
    target = FOLDER / release
    target.mkdir(exist_ok=True)
    for name in names or CASES:
        with tempfile.TemporaryDirectory() as folder:
            text = run(Path(python), release, CASES[name], Path(folder))
        (target / f"{name}.log").write_text(text, encoding="utf-8")
        sys.stdout.write(f"{name}: {len(text)} characters\n")


if __name__ == "__main__":
    main()
