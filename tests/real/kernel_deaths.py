"""How kernels die: one list for what the provisioner, a server and the wrapper are tried with, and for what is measured."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from tests.memory_group import can_be_made, memory_group
from tests.real.environments import environment, site_packages, with_jupyter
from tfdoctor.base.records import record

IPYTHON, MEMORY, TENSORFLOW = "python3", "small", "tensorflow"
"""Names of kernelspecs: the environment's own, one with a memory cgroup of its own, one with a real TensorFlow."""
DIES_AT = "import os, time; open('{died}', 'w').write(str(time.time()))"
LAUNCH = ("-m", "ipykernel_launcher", "-f", "{connection_file}")
LIMIT = 150 << 20
ASKS = """
import ctypes, os, tensorflow as tf
lib = ctypes.CDLL(os.path.join(os.path.dirname(tf.__file__), "libtensorflow_cc.so.2"))
lib.TF_AllocateTensor.restype, lib.TF_Dim.argtypes = ctypes.c_void_p, [ctypes.c_void_p, ctypes.c_int]
tensor = lib.TF_AllocateTensor(1, (ctypes.c_int64 * 1)(4), 1, ctypes.c_size_t(16))
"""
"""A tensor of one dimension is asked for its sixth: TensorFlow 2.21 says "Check failed: d < dims() (5 vs. 1)" and aborts."""


@record
class Death:
    """`before`: what the cell does first. `dies`: the statement that it dies of. `outcome` and `ended`: what is said
    of it. `status`: as subprocess tells it."""

    kernel: str
    before: str
    dies: str
    outcome: str
    ended: str
    status: int

    def cell(self, between: str = "") -> str:
        return "\n".join((self.before, between, self.dies))


DEATHS: Mapping[str, Death] = {
    "SIGKILL": Death(IPYTHON, "import os", "os.kill(os.getpid(), 9)", "killed-by-user", "died of SIGKILL", -9),
    "SIGSEGV": Death(IPYTHON, "import ctypes", "ctypes.string_at(0)", "native-crash", "died of SIGSEGV", -11),
    "status 3": Death(IPYTHON, "import os", "os._exit(3)", "exited-nonzero", "ended itself with status 3", 3),
    "memory cgroup": Death(
        MEMORY, "", "all = [bytearray(10 << 20) for _ in range(100)]", "container-oom-killed", "died of SIGKILL", -9
    ),
    "failed check": Death(TENSORFLOW, ASKS, "lib.TF_Dim(tensor, 5)", "check-failed", "died of SIGABRT", -6),
}  # fmt: skip


def can_die_here(name: str) -> bool:
    return DEATHS[name].kernel != MEMORY or can_be_made


@contextlib.contextmanager
def kernelspecs(folder: Path, *kernels: str) -> Iterator[None]:
    """Writes those of MEMORY and TENSORFLOW that are named into a folder for JUPYTER_PATH. Raises CannotBuild."""
    if TENSORFLOW in kernels:
        words = (str(environment("tensorflow==2.21.0")), *LAUNCH)
        _write(folder, TENSORFLOW, words, {"PYTHONPATH": str(site_packages(with_jupyter()))})
    with memory_group(LIMIT) if MEMORY in kernels else contextlib.nullcontext() as group:
        if group:
            _write(folder, MEMORY, group.inside(str(with_jupyter()), *LAUNCH), {})
        yield


def _write(folder: Path, name: str, argv: Sequence[str], env: Mapping[str, str]) -> None:
    kernel = folder / "kernels" / name
    kernel.mkdir(parents=True)
    spec = {"argv": list(argv), "display_name": name, "language": "python", "env": dict(env)}
    (kernel / "kernel.json").write_text(json.dumps(spec))
