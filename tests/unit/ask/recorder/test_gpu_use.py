"""Whether TensorFlow computes in a process, by the names of its threads, and without a GPU, by what was said and measured."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator

import pytest

from tfdoctor.ask.recorder.gpu_use import GpuUse, misses_gpu
from tfdoctor.ask.recorder.timeline import Sample
from tfdoctor.facts.death import CpuOnly
from tfdoctor.facts.outcome import Absent, Fact, Known

NAMED = """
import ctypes, threading, time
def work():
    ctypes.CDLL(None).prctl(15, b"tf_Compute", 0, 0, 0)
    print("named", flush=True)
    time.sleep(60)
threading.Thread(target=work, daemon=True).start()
time.sleep(60)
"""
CREATED = "I0000 00:00:1741242560.1 1 gpu_device.cc:2019] Created device /job:localhost/replica:0/task:0/device:GPU:0 with 78755 MB memory:  -> device: 0, name: NVIDIA H100 80GB HBM3, pci bus id: 0000:19:00.0, compute capability: 9.0"
SKIPPED = "Skipping registering GPU devices..."
NOTHING = Absent("it wrote nothing to stderr")
UNTOLD: Fact[int] = Absent("no callback")


def said(*lines: str) -> Fact[tuple[str, ...]]:
    return Known(lines, "stderr")


@pytest.fixture
def at_work() -> Iterator[int]:
    """A process with a thread of TensorFlow's name, and no driver of a GPU."""
    child = subprocess.Popen([sys.executable, "-c", NAMED], stdout=subprocess.PIPE)
    assert child.stdout is not None and child.stdout.readline() == b"named\n"
    yield child.pid
    child.kill()
    child.wait()
    child.stdout.close()


@pytest.mark.slow
def test_a_process_with_tensorflows_threads_and_no_driver_lacks_a_gpu_after_a_moment(
    at_work: int,
) -> None:
    use = GpuUse()
    use.look([at_work], 10.0)
    assert not use.lacks_gpu(NOTHING, (), UNTOLD, 11.0)
    assert use.lacks_gpu(NOTHING, (), UNTOLD, 13.0)
    found = use.cpu_only(NOTHING, (), UNTOLD, ended=False)
    assert isinstance(found, Known) and (found.value.pid, found.value.driver) == (at_work, False)
    assert isinstance(use.cpu_only(said(CREATED), (), UNTOLD, ended=False), Absent)


def test_a_program_that_only_imports_does_not_compute() -> None:
    use = GpuUse()
    use.look([1], 10.0)
    assert not use.lacks_gpu(NOTHING, (), UNTOLD, 99.0)
    assert isinstance(use.cpu_only(NOTHING, (), UNTOLD, ended=False), Absent)


OWN: Sample = {"t": 1.0, "gpus": [{"index": 0, "own_bytes": 5}]}


@pytest.mark.parametrize(
    ("lines", "samples", "told", "lacks"),
    [
        (said(SKIPPED), (), UNTOLD, True),
        (said("failed call to cuInit: UNKNOWN ERROR (303)"), (), UNTOLD, True),
        (NOTHING, (), Known(0, "tfdoctor.keras"), True),
        (said(SKIPPED), (), Known(1, "tfdoctor.keras"), False),
        (said(CREATED, SKIPPED), (), UNTOLD, False),  # a helper of the program went without
        (said(SKIPPED), (OWN,), UNTOLD, False),
        (said("loss: 0.3"), (), UNTOLD, False),
    ],
)
def test_what_shows_that_it_has_no_gpu(
    lines: Fact[tuple[str, ...]], samples: tuple[Sample, ...], told: Fact[int], lacks: bool
) -> None:
    assert GpuUse().lacks_gpu(lines, samples, told, 5.0) == lacks


FAILED = "W0000 00:00:1741242561.1 1 op_kernel.cc:1845] INTERNAL: 'cuLaunchKernel(f)' failed with 'CUDA_ERROR_LAUNCH_FAILED'"


@pytest.mark.parametrize(
    ("lines", "lost"),
    [((CREATED, FAILED, "goes on"), True), ((CREATED, FAILED, CREATED), False), ((CREATED, "loss: 1"), False)],
)  # fmt: skip
def test_a_gpu_that_failed_while_it_worked_is_lost_unless_a_process_gets_one_again(
    lines: tuple[str, ...], lost: bool
) -> None:
    found = GpuUse().cpu_only(said(*lines), (OWN,), UNTOLD, ended=False)
    assert isinstance(found, Known) == lost
    assert misses_gpu(found, (), {}) == lost


def test_who_chose_the_cpu_misses_no_gpu() -> None:
    seen = Known(CpuOnly(7, "python", False, ended=False), "/proc/7/maps")
    there: tuple[Sample, ...] = ({"t": 1.0, "gpus": [{"index": 0}]},)
    assert misses_gpu(seen, there, {})
    assert misses_gpu(seen, (), {"NVIDIA_VISIBLE_DEVICES": "all"})
    assert not misses_gpu(seen, there, {"CUDA_VISIBLE_DEVICES": "-1"})
    assert not misses_gpu(Absent("TensorFlow used a GPU"), there, {})
