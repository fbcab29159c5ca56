"""Messages as people quote them, without a detail, and as older releases wrote them: they mean the same."""

from __future__ import annotations

import pytest

from tests.logs.judged import judged, log, root


@pytest.mark.parametrize(
    ("line", "gpu"),
    [
        (
            "Ignoring visible gpu device (device: 0, name: GeForce GTX 780M compute capability: 3.0) with Cuda compute capability 3.0. The minimum required Cuda capability is 3.5.",
            "GeForce GTX 780M",
        ),
        (
            "Ignoring visible gpu device (device: 0, name: NVS 5200M) with Cuda compute capability 2.1. The minimum required Cuda capability is 3.5.",
            "NVS 5200M",
        ),
        (
            "Ignoring visible gpu device (GeForce GTX 550 Ti) with Cuda compute capability 2.1. The minimum required Cuda capability is 3.0.",
            "GeForce GTX 550 Ti",
        ),
        (
            "I tensorflow/core/common_runtime/gpu/gpu_device.cc:813] Ignoring gpu device (device: 0, name: GeForce GT 750M, pci bus id: 0000:01:00.0) with Cuda compute capability 3.0. The minimum required Cuda capability is 3.5.",
            "GeForce GT 750M",
        ),
        (
            "Ignoring gpu device (device: 0, name: GeForce GT 650M pci bus id: 0000:01:00.0) with Cuda compute capability 3.0.",
            "GeForce GT 650M",
        ),
    ],
)
def test_a_gpu_that_is_too_old_is_named_in_every_form(line: str, gpu: str) -> None:
    found = judged(log([line]))
    assert root(found) == "compute-capability-too-low"
    assert gpu in found.roots[0].finding.title
    assert "compute capability:" not in found.roots[0].finding.title


@pytest.mark.parametrize(
    "line",
    [
        "Ignoring visible gpu device (AMD Radeon RX 7900 XT) with AMDGPU version: gfx1100.",
        "Ignoring visible gpu device (device: 0, name: AMD Radeon RX 7600) with AMDGPU version : gfx1102.",
    ],
)
def test_an_amd_gpu_without_its_bus_id_is_known(line: str) -> None:
    assert root(judged(log([line]))) == "rocm-gpu-unsupported"


@pytest.mark.parametrize(
    "line",
    [
        "I tensorflow/core/common_runtime/gpu/gpu_device.cc:1032] Ignoring gpu device (device: 1, name: Quadro K2200, pci bus id: 0000:03:00.0) with Cuda multiprocessor count: 5. The minimum required count is 8.",
        "I tensorflow/core/common_runtime/gpu/gpu_device.cc:2006] Ignoring visible gpu device (device: 1, name: AMD Radeon Graphics, pci bus id: 0000:1a:00.0) with core count: 1. The minimum required count is 8. You can adjust this requirement with the env var TF_MIN_GPU_MULTIPROCESSOR_COUNT.",
        "Ignoring visible gpu device (Quadro K620) with core count: 3. The minimum required count is 8.",
    ],
)
def test_a_small_gpu_that_is_skipped_gets_the_variable_that_lets_it_in(line: str) -> None:
    found = judged(log([line]))
    assert root(found) == "gpu-hidden"
    assert "TF_MIN_GPU_MULTIPROCESSOR_COUNT=" in found.roots[0].finding.fixes[0].commands[0]


@pytest.mark.parametrize(
    "line",
    [
        "E0000 00:00:1795410694.752290   19755 gpu_process_state.cc:356] GetGpuHostAllocator: Failed to parse the env-var ${TF_GPU_HOST_MEM_LIMIT_IN_MB} into int64: . Use the default value: 131072",
        "Unknown option for environment variable TF_CUDA_PLATFORM_GPU_DEVICE_SCHEDULE  should be one of {blocking_sync, spin, yield}",
        "Check failed: tsl::ReadInt64FromEnvVar(name, 0, &value) is OK (INVALID_ARGUMENT: Failed to parse the env-var ${TF_NUM_INTEROP_THREADS} into int64: . Use the default value: 0)",
    ],
)
def test_a_message_that_lacks_a_detail_of_its_title_keeps_its_code(line: str) -> None:
    assert root(judged(log([line]))) == "environment-variable-refused"
