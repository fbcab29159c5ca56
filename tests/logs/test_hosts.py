"""TensorFlow in programs without Python, servers of models, containers that do not start, and a GPU that ran full while it worked."""

from __future__ import annotations

import pytest

from tests.logs.judged import judged, log, root
from tfdoctor.ask.logs import extract
from tfdoctor.ask.logs.read import read_of
from tfdoctor.ask.logs.transcript import Transcript, default_literals
from tfdoctor.facts.log_values import Surroundings
from tfdoctor.facts.outcome import Fact, Known
from tfdoctor.knowledge.model import Finding

_STEPS = "870/1875 [============>.................] - ETA: 4s - loss: 0.2912 - 1s 2ms/step"
_NO_ROOM = "ResourceExhaustedError: OOM when allocating tensor with shape[{}] and type float on /job:localhost/replica:0/task:0/device:GPU:0 by allocator GPU_0_bfc [Op:Mul]"


def _found(*lines: str) -> Finding:
    return judged(log(lines)).roots[0].finding


def _commands(found: Finding) -> str:
    return " && ".join(found.fixes[0].commands)


@pytest.mark.parametrize(
    "lines",
    [
        ("Exception: java.lang.UnsatisfiedLinkError: /tmp/libtensorflow_jni.so: libcublas.so.10.0: cannot open shared object file: No such file or directory", "\tat org.tensorflow.NativeLibrary.load(NativeLibrary.java:101)"),
        ("$ cargo run", "W tensorflow/stream_executor/platform/default/dso_loader.cc:64] Could not load dynamic library 'libcudnn.so.8'; dlerror: libcudnn.so.8: cannot open shared object file: No such file or directory"),
    ],
)  # fmt: skip
def test_its_cuda_is_found_by_the_loader_alone(lines: tuple[str, ...]) -> None:
    assert "ldconfig" in _commands(_found(*lines))


def test_spark_is_a_program_of_python() -> None:
    found = _found(
        "java.lang.RuntimeException: org.tensorflow.x",
        "Traceback (most recent call last):",
        '  File "/opt/env/lib/python3.8/site-packages/tensorflow/python/pywrap_tensorflow.py", line 64, in <module>',
        "ImportError: libcublas.so.10.0: cannot open shared object file: No such file or directory",
    )
    assert "cuda-10.0" not in _commands(found)


_TWENTY = "{}/1875 [>.................] - ETA: 4s - loss: 0.2912 - 1s 2ms/step"


@pytest.mark.parametrize(
    "lines",
    [
        (_NO_ROOM.format("64,1000"),),
        (_TWENTY.format(19), _NO_ROOM.format("64,1000")),
        (_STEPS, _NO_ROOM.format("17,1024,1024")),
        (_STEPS, _NO_ROOM.format("64,512,512,64")),
    ],
)
def test_a_batch_that_never_fit_is(lines: tuple[str, ...]) -> None:
    assert _found(*lines).fixes[0].title == "Halve the batch size until it fits"


def test_an_old_card_that_goes_by_a_newer_ones_name_is_asked_first() -> None:
    line = "Ignoring visible gpu device (device: 0, name: Radeon RX Vega, pci bus id: 0000:03:00.0) with AMDGPU version : gfx900. The supported AMDGPU versions are gfx1030, gfx906."
    found = _found(line)
    assert "tensorflow-cpu" in _commands(found)
    assert "ROCm 4.5" in found.fixes[1].note


def test_a_kernel_for_an_amd_gpu_needs_no_libdevice() -> None:
    at_work = "I external/local_xla/xla/stream_executor/rocm/rocm_executor.cc:920] successful NUMA node read from SysFS had negative value (-1)"
    failed = (
        "tensorflow.python.framework.errors_impl.UnknownError: JIT compilation failed. [Op:Rsqrt]"
    )
    assert root(judged(log([at_work, failed]))) == "cuda-libraries-unreachable"
    assert root(judged(log([failed]))) == "libdevice-missing"


def test_a_stub_beside_no_module_is_no_driver_that_is_out_of_reach() -> None:
    lines = (
        "E tensorflow/stream_executor/cuda/cuda_driver.cc:314] failed call to cuInit: UNKNOWN ERROR (-1)",
        "I tensorflow/stream_executor/cuda/cuda_diagnostics.cc:156] kernel driver does not appear to be running on this host (n17): /proc/driver/nvidia/version does not exist",
    )
    assert root(judged(log(lines))) == "gpu-absent"


_METAL = "I metal_plugin/src/device/metal_device.cc:1154] Metal device set to: Apple M3 Max"
_FREED = "python(2714,0x1f1f4f840) malloc: *** error for object 0x315008234: pointer being freed was not allocated"


def test_a_crash_beside_the_plug_in_of_a_mac() -> None:
    assert root(judged(log([_METAL, _FREED]))) == "metal-plugin-mismatch"
    assert root(judged(log([_FREED]))) == "native-crash"


_NO_LIBCUDA = "web_1  | W tensorflow/stream_executor/platform/default/dso_loader.cc:64] Could not load dynamic library 'libcuda.so.1'; dlerror: libcuda.so.1: cannot open shared object file: No such file or directory; LD_LIBRARY_PATH: /usr/local/nvidia/lib"


def test_a_container_with_the_drivers_utility_alone() -> None:
    found = _found("$ docker-compose up web", "          - capabilities:", "            - gpu", "            - utility", _NO_LIBCUDA)  # fmt: skip
    assert found.code == "container-without-gpu"
    assert "compute, utility" in found.fixes[0].note


def _surroundings(lines: list[str]) -> Fact[Surroundings]:
    transcript = Transcript(default_literals(""))
    transcript.feed(log(lines).encode())
    transcript.end()
    return extract.extract_facts([read_of(transcript, "a.log")]).log.surroundings


def test_cuda_10_2_on_intels_processor_is_no_jetson() -> None:
    opened = "I tensorflow/stream_executor/platform/default/dso_loader.cc:44] Successfully opened dynamic library libcudart.so.10.2"
    intel = "I tensorflow/core/platform/cpu_feature_guard.cc:142] This TensorFlow binary is optimized to use the following CPU instructions in performance-critical operations:  SSE4.1 AVX FMA"
    around = _surroundings([opened, intel])
    assert isinstance(around, Known)
    assert not around.value.jetson
