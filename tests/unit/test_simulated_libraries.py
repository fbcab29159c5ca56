"""The simulated libraries above the driver, NVML, the runtime, cuBLAS and cuDNN, do what their scenario says."""

from __future__ import annotations

from pathlib import Path

import pytest
from elftools.elf.dynamic import DynamicSection
from elftools.elf.elffile import ELFFile

from tests.driver.asked import python
from tests.driver.scenario import GIB, Fault, Gpu, Process, Scenario
from tests.driver.simulated import CUDA, EVERYTHING, SimulatedDriver

pytestmark = pytest.mark.slow


def test_simulated_nvml_answers_pynvml(tmp_path: Path) -> None:
    gpu = Gpu(
        xid=79,
        memory_used=GIB,
        ecc_uncorrected_volatile=3,
        processes=(Process(4242, GIB, "python train.py"),),
    )
    driver = SimulatedDriver(tmp_path, Scenario(gpus=(gpu,), driver_version="580.65.06", cuda_version=13000))
    program = """
    import pynvml as n
    n.nvmlInit()
    h = n.nvmlDeviceGetHandleByUUID("GPU-5a1d0000-0000-4000-8000-000000000001")
    print(n.nvmlSystemGetDriverVersion(), n.nvmlSystemGetCudaDriverVersion(), n.nvmlDeviceGetName(h))
    print(n.nvmlDeviceGetMemoryInfo(h).used, n.nvmlDeviceGetMemoryInfo(h, n.nvmlMemory_v2).used)
    print([(p.pid, p.usedGpuMemory) for p in n.nvmlDeviceGetComputeRunningProcesses(h)], n.nvmlSystemGetProcessName(4242))
    print(n.nvmlDeviceGetTotalEccErrors(h, n.NVML_MEMORY_ERROR_TYPE_UNCORRECTED, n.NVML_VOLATILE_ECC))
    events = n.nvmlEventSetCreate()
    n.nvmlDeviceRegisterEvents(h, n.nvmlEventTypeXidCriticalError, events)
    print(n.nvmlEventSetWait_v2(events, 1).eventData)
    try:
        n.nvmlEventSetWait_v2(events, 1)
    except n.NVMLError_Timeout:
        print("once")
    """
    assert python(driver, program).splitlines() == [
        "580.65.06 13000 NVIDIA L4",
        f"{GIB} {GIB}",
        f"[(4242, {GIB})] python train.py",
        "3",
        "79",
        "once",
    ]


def test_simulated_nvml_fails_as_told(tmp_path: Path) -> None:
    program = """
    import pynvml as n
    try:
        n.nvmlInit()
        n.nvmlDeviceGetHandleByIndex(0)
    except n.NVMLError as error:
        print(error.value, type(error).__name__)
    """
    driver = SimulatedDriver(tmp_path, Scenario(faults=(Fault.error("nvmlInit*", 18),)))
    assert python(driver, program) == "18 NVMLError_LibRmVersionMismatch"
    driver.write(Scenario(gpus=(Gpu(lost=True),)))
    assert python(driver, program) == "15 NVMLError_GpuIsLost"


def test_simulated_nvml_sees_what_another_process_holds(tmp_path: Path) -> None:
    driver = SimulatedDriver(tmp_path)
    program = f"""
    import subprocess, sys, pynvml as n
    holder = subprocess.Popen([sys.executable, "-c", '''
    import ctypes, sys
    cuda, context, p = ctypes.CDLL("libcuda.so.1"), ctypes.c_void_p(), ctypes.c_uint64()
    cuda.cuInit(0), cuda.cuDevicePrimaryCtxRetain(ctypes.byref(context), 0), cuda.cuCtxSetCurrent(context)
    cuda.cuMemAlloc_v2(ctypes.byref(p), ctypes.c_size_t({GIB}))
    print("holding", flush=True); sys.stdin.read()
    '''.replace("\\n    ", "\\n")], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    holder.stdout.readline()
    n.nvmlInit()
    h = n.nvmlDeviceGetHandleByIndex(0)
    held = [(p.pid == holder.pid, p.usedGpuMemory) for p in n.nvmlDeviceGetComputeRunningProcesses(h)]
    print(held, n.nvmlDeviceGetMemoryInfo(h).used)
    holder.kill(); holder.wait()
    print(n.nvmlDeviceGetComputeRunningProcesses(h), n.nvmlDeviceGetMemoryInfo(h).used)
    """
    held = GIB + Gpu().context_bytes
    assert python(driver, program).splitlines() == [f"[(True, {held})] {held}", "[] 0"]


def test_simulated_runtime_and_blas_compute_on_the_driver(tmp_path: Path) -> None:
    driver = SimulatedDriver(tmp_path, Scenario(cublas_version=120503), libraries=EVERYTHING)
    program = """
    import ctypes
    runtime, blas = ctypes.CDLL("libcudart.so.12"), ctypes.CDLL("libcublas.so.12")
    count, handle, version, p = ctypes.c_int(), ctypes.c_void_p(), ctypes.c_int(), [ctypes.c_void_p() for _ in range(3)]
    print(runtime.cudaGetDeviceCount(ctypes.byref(count)), count.value, runtime.cudaSetDevice(0), runtime.cudaSetDevice(1))
    print(blas.cublasCreate_v2(ctypes.byref(handle)), blas.cublasGetVersion_v2(handle, ctypes.byref(version)), version.value)
    four, one, zero = ctypes.c_float * 4, ctypes.c_float(1), ctypes.c_float(0)
    a, c = four(1, 2, 3, 4), four()
    for pointer in p:
        runtime.cudaMalloc(ctypes.byref(pointer), ctypes.c_size_t(16))
        runtime.cudaMemcpy(pointer, a, ctypes.c_size_t(16), 1)
    sizes = [ctypes.c_int(2)] * 3
    lead = ctypes.c_int(2)
    print(blas.cublasSgemm_v2(handle, 0, 0, *sizes, ctypes.byref(one), p[0], lead, p[1], lead, ctypes.byref(zero), p[2], lead))
    runtime.cudaMemcpy(c, p[2], ctypes.c_size_t(16), 2)
    print(list(c))
    """
    assert python(driver, program).splitlines() == ["0 1 0 101", "0 0 120503", "0", "[7.0, 10.0, 15.0, 22.0]"]


def test_simulated_runtime_without_a_driver_says_35(tmp_path: Path) -> None:
    program = """
    import ctypes
    print(ctypes.CDLL("libcudart.so.12").cudaGetDeviceCount(ctypes.byref(ctypes.c_int())))
    """
    assert python(SimulatedDriver(tmp_path, libraries=CUDA), program) == "35"


@pytest.mark.parametrize(("soname", "version"), [("libcudnn.so.9", 90300), ("libcudnn.so.8", 8907)])
def test_simulated_cudnn_comes_in_other_versions(tmp_path: Path, soname: str, version: int) -> None:
    scenario = Scenario(cudnn_version=version)
    driver = SimulatedDriver(tmp_path, scenario, libraries=["libcudnn"], sonames={"libcudnn": soname})
    assert python(driver, f"import ctypes; print(ctypes.CDLL({soname!r}).cudnnGetVersion())") == str(version)
    with (tmp_path / soname).open("rb") as file:
        dynamic = ELFFile(file).get_section_by_name(".dynamic")
        assert isinstance(dynamic, DynamicSection)
        assert [tag.soname for tag in dynamic.iter_tags("DT_SONAME")] == [soname]  # type: ignore[attr-defined]  # pyelftools sets it by name


def test_simulated_libraries_export_only_their_own(tmp_path: Path) -> None:
    program = """
    import ctypes
    cuda, nvml = ctypes.CDLL("libcuda.so.1"), ctypes.CDLL("libnvidia-ml.so.1")
    print(hasattr(cuda, "nvmlInit_v2"), hasattr(nvml, "cuInit"), nvml.nvmlDeviceGetFanSpeed(0, 0))
    """
    assert python(SimulatedDriver(tmp_path), program) == "False False 3"
