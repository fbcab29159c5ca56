"""The simulated driver does what its scenario says. Every call happens in a child: it may hang or die on purpose."""

from __future__ import annotations

import re
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.driver import smoke_program
from tests.driver.asked import SMOKE_PROGRAM, python, run, smoke
from tests.driver.scenario import GIB, MIB, Fault, Gpu, Mig, Process, Scenario
from tests.driver.simulated import CACHE, SimulatedDriver
from tests.waiting import until

pytestmark = pytest.mark.slow

FIRST, SECOND = "GPU-aaaa0000-0000-4000-8000-000000000001", "GPU-bbbb0000-0000-4000-8000-000000000002"
SLICE = "MIG-cccc0000-0000-4000-8000-000000000003"
TWO = (
    Gpu(uuid=FIRST),
    Gpu(uuid=SECOND, name="NVIDIA A100", compute_capability="8.0", pci="00000000:AF:00.0"),
)


def test_a_process_that_was_forked_after_the_start_cannot_use_it(tmp_path: Path) -> None:
    program = """
        import ctypes, os
        cuda, count = ctypes.CDLL("libcuda.so.1"), ctypes.c_int(-1)
        {before}
        child = os.fork()
        if not child:
            os._exit(10 * cuda.cuInit(0) + cuda.cuDeviceGetCount(ctypes.byref(count)))
        print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), cuda.cuInit(0), cuda.cuDeviceGetCount(ctypes.byref(count)))
    """
    driver = SimulatedDriver(tmp_path)
    assert python(driver, program.format(before="cuda.cuInit(0)")) == "33 0 0"
    assert python(driver, program.format(before="cuda.cuDriverGetVersion(ctypes.byref(count))")) == "0 0 0"


def device_count(driver: SimulatedDriver, **extra: str) -> str:
    return python(
        driver,
        """
        import ctypes
        cuda, count = ctypes.CDLL("libcuda.so.1"), ctypes.c_int(-1)
        print(cuda.cuInit(0), cuda.cuDeviceGetCount(ctypes.byref(count)), count.value)
        """,
        **extra,
    )


def test_simulated_kernel_is_computed(tmp_path: Path) -> None:
    answer = smoke(SimulatedDriver(tmp_path))
    assert answer["wrong"] == 0
    assert answer["free_before"] - answer["free_after"] == 3 * 4000


def test_simulated_kernel_computes_only_what_was_launched(tmp_path: Path) -> None:
    assert smoke(SimulatedDriver(tmp_path), "10", "4")["wrong"] == 0


def test_simulated_kernel_can_compute_wrongly(tmp_path: Path) -> None:
    assert smoke(SimulatedDriver(tmp_path, Scenario(wrong_kernel=True)))["wrong"] == 1


@pytest.mark.parametrize(
    ("text", "instead", "outcome"),
    [
        ("fma.rn.f32 %f3, %f1, %f2, %f1", "mul.rn.f32 %f3, %f1, %f2", {"wrong": 999}),
        ("mul.wide.u32 %rd5, %r1, 4", "mul.wide.u32 %rd5, %r1, 8192", {"stopped_at": "cuCtxSynchronize"}),
        ("@%p1 bra DONE", "@!%p1 bra DONE", {"wrong": 999}),
        ("setp.ge.u32", "setp.gt.u32", {"wrong": 0}),
        (".version 6.0", ".version 66.0", {"stopped_at": "cuModuleLoadDataEx"}),
        (".target sm_30", ".target sm_90", {"stopped_at": "cuModuleLoadDataEx"}),
        ("tfdoctor_smoke(", "another_name(", {"stopped_at": "cuModuleGetFunction"}),
    ],
)
def test_simulated_driver_runs_the_ptx_as_it_is_written(
    tmp_path: Path, text: str, instead: str, outcome: dict[str, Any]
) -> None:
    changed = smoke_program.PTX.decode().replace(text, instead)
    assert changed != smoke_program.PTX.decode()
    (tmp_path / "changed.ptx").write_text(changed + "\0")
    answer = smoke(SimulatedDriver(tmp_path), "1000", "250", str(tmp_path / "changed.ptx"))
    assert outcome.items() <= answer.items()


def test_simulated_driver_leaves_ptx_that_it_does_not_know_alone(tmp_path: Path) -> None:
    (tmp_path / "changed.ptx").write_text(
        smoke_program.PTX.decode().replace("ret;", "bar.sync 0; ret;") + "\0"
    )
    driver = SimulatedDriver(tmp_path)
    assert smoke(driver, "1000", "250", str(tmp_path / "changed.ptx"))["wrong"] == 999
    (beyond,) = (call.name for call in driver.trace() if call.kind == "beyond")
    assert beyond.startswith("tfdoctor_smoke:")
    assert beyond.endswith("bar.sync 0")


@pytest.mark.parametrize(
    ("function", "code"),
    [
        ("cuInit", 803),
        ("cuDevicePrimaryCtxRetain", 46),
        ("cuModuleLoadDataEx", 218),
        ("cuMemAlloc_v2", 2),
        ("cuCtxSynchronize", 719),
    ],
)
def test_simulated_error_comes_from_its_function(tmp_path: Path, function: str, code: int) -> None:
    answer = smoke(SimulatedDriver(tmp_path, Scenario(faults=(Fault.error(function, code),))))
    assert answer["stopped_at"] == function
    assert answer["results"][function] == code


def test_simulated_error_at_the_second_call_stays(tmp_path: Path) -> None:
    scenario = Scenario(faults=(Fault.error("cuMemcpyHtoD_v2", 700, sticky=True).at(2),))
    driver = SimulatedDriver(tmp_path, scenario)
    assert smoke(driver)["stopped_at"] == "cuMemcpyHtoD_v2"
    assert driver.calls().count("cuMemcpyHtoD_v2") == 2
    later = """
    import ctypes
    cuda, context, p = ctypes.CDLL("libcuda.so.1"), ctypes.c_void_p(), ctypes.c_uint64()
    cuda.cuInit(0), cuda.cuDevicePrimaryCtxRetain(ctypes.byref(context), 0), cuda.cuCtxSetCurrent(context)
    cuda.cuMemAlloc_v2(ctypes.byref(p), ctypes.c_size_t(64))
    copy = lambda: cuda.cuMemcpyHtoD_v2(p, bytes(64), ctypes.c_size_t(64))
    print(copy(), copy(), copy(), cuda.cuCtxSynchronize())
    """
    assert python(driver, later) == "0 700 700 700"


def test_simulated_hang_is_a_hang(tmp_path: Path) -> None:
    driver = SimulatedDriver(tmp_path, Scenario(faults=(Fault.hang("cuInit"),)))
    with pytest.raises(subprocess.TimeoutExpired):
        run(driver, sys.executable, "-S", SMOKE_PROGRAM, timeout=0.5)


def deaf(pid: int) -> bool:
    """Whether it ignores or blocks SIGTERM by now."""
    masks = re.findall(r"^Sig(?:Ign|Blk):\t(\w+)$", Path(f"/proc/{pid}/status").read_text(), re.M)
    return any(int(mask, 16) >> (signal.SIGTERM - 1) & 1 for mask in masks)


def test_simulated_deaf_hang_does_not_hear_sigterm(tmp_path: Path) -> None:
    driver = SimulatedDriver(tmp_path, Scenario(faults=(Fault.hang("cuInit", deaf=True),)))
    child = subprocess.Popen([sys.executable, "-S", SMOKE_PROGRAM], env=driver.environment(trace=True))
    until(lambda: "cuInit" in driver.calls() and deaf(child.pid))
    child.terminate()
    with pytest.raises(subprocess.TimeoutExpired):
        child.wait(0.3)
    child.kill()
    assert child.wait(5) == -signal.SIGKILL


@pytest.mark.parametrize("number", [signal.SIGSEGV, signal.SIGABRT, signal.SIGBUS])
def test_simulated_crash_is_that_signal(tmp_path: Path, number: signal.Signals) -> None:
    driver = SimulatedDriver(tmp_path, Scenario(faults=(Fault.crash("cuMemAlloc_v2", number),)))
    assert run(driver, sys.executable, "-S", SMOKE_PROGRAM).returncode == -number


def test_simulated_library_can_leave_and_flood(tmp_path: Path) -> None:
    faults = (Fault.flood("cuInit", 1), Fault.leave("cuDeviceGet", 3))
    done = run(SimulatedDriver(tmp_path, Scenario(faults=faults)), sys.executable, "-S", SMOKE_PROGRAM)
    assert done.returncode == 3
    assert len(done.stderr) == 1 << 20


def test_simulated_trip_outlives_the_process(tmp_path: Path) -> None:
    driver = SimulatedDriver(tmp_path, Scenario(faults=(Fault.error("cuLaunchKernel", 719, trip=True),)))
    assert smoke(driver)["results"]["cuLaunchKernel"] == 719
    assert driver.tripped()
    assert smoke(driver)["results"] == {"cuInit": 100}
    driver.mend()
    assert smoke(driver)["stopped_at"] == "cuLaunchKernel"


@pytest.mark.parametrize(
    ("visible", "expected"),
    [
        ("0,1", "0 0 2"), ("1", "0 0 1"), ("", "100 3 -1"), ("-1", "100 3 -1"), ("7", "100 3 -1"),
        ("0,7,1", "0 0 1"), ("0,0", "100 3 -1"), (SECOND, "0 0 1"), ("GPU-bbbb", "0 0 1"),
        ("GPU-dddd", "100 3 -1"), (f"{FIRST},{SECOND}", "0 0 2"), ("NoDevFiles", "100 3 -1"),
    ],
)  # fmt: skip
def test_simulated_visible_devices(tmp_path: Path, visible: str, expected: str) -> None:
    driver = SimulatedDriver(tmp_path, Scenario(gpus=TWO))
    assert device_count(driver, CUDA_VISIBLE_DEVICES=visible) == expected


def test_simulated_mig_shows_one_slice_or_none(tmp_path: Path) -> None:
    slices = (Mig(uuid=SLICE), Mig(uuid="MIG-eeee", gpu_instance=2))
    driver = SimulatedDriver(tmp_path, Scenario(gpus=(Gpu(mig_mode=1, mig=slices),)))
    assert device_count(driver) == "0 0 1"
    assert device_count(driver, CUDA_VISIBLE_DEVICES=SLICE) == "0 0 1"
    assert device_count(driver, CUDA_VISIBLE_DEVICES="MIG-stale") == "100 3 -1"
    driver.write(Scenario(gpus=(Gpu(mig_mode=1),)))
    assert device_count(driver) == "100 3 -1"


def test_simulated_busy_device_refuses_a_context(tmp_path: Path) -> None:
    somebody = (Process(4242, GIB, "/usr/bin/python3"),)
    for gpu in (Gpu(compute_mode=3, processes=somebody), Gpu(compute_mode=2)):
        driver = SimulatedDriver(tmp_path, Scenario(gpus=(gpu,)))
        assert smoke(driver)["results"]["cuDevicePrimaryCtxRetain"] == 46


def test_simulated_memory_runs_out(tmp_path: Path) -> None:
    driver = SimulatedDriver(tmp_path, Scenario(gpus=(Gpu(memory_total=300 * MIB),)))
    assert smoke(driver)["wrong"] == 0
    driver.write(Scenario(gpus=(Gpu(memory_total=300 * MIB, memory_used=300 * MIB),)))
    assert smoke(driver)["results"]["cuDevicePrimaryCtxRetain"] == 2


@pytest.mark.parametrize(
    ("scenario", "code"),
    [(Scenario(cuda_version=8000), 222), (Scenario(gpus=(Gpu(compute_capability="2.0"),)), 218)],
)
def test_simulated_ptx_is_refused_where_it_does_not_fit(
    tmp_path: Path, scenario: Scenario, code: int
) -> None:
    assert smoke(SimulatedDriver(tmp_path, scenario))["results"]["cuModuleLoadDataEx"] == code


def test_simulated_driver_without_a_scenario_refuses_to_run(tmp_path: Path) -> None:
    driver = SimulatedDriver(tmp_path)
    driver.scenario_file.write_text("colour = blue\n", encoding="utf-8")
    done = run(driver, sys.executable, "-S", SMOKE_PROGRAM)
    assert (done.returncode, "unknown key: colour" in done.stderr) == (97, True)


def test_simulated_driver_lies_as_the_real_one_does(tmp_path: Path) -> None:
    driver = SimulatedDriver(tmp_path, Scenario(driver_version="470.57.02"))
    assert (tmp_path / "libcuda.so.1").readlink() == Path("libcuda.so.470.57.02")
    driver.remove("libcuda")
    assert sorted(path.name for path in tmp_path.glob("lib*")) == [
        "libnvidia-ml.so", "libnvidia-ml.so.1", "libnvidia-ml.so.470.57.02",
    ]  # fmt: skip


def test_scenario_refuses_a_text_of_two_lines() -> None:
    with pytest.raises(ValueError, match="does not fit on one line"):
        Scenario(gpus=(Gpu(name="a\nb"),)).text()


def test_two_builders_share_one_build() -> None:
    program = f"import sys; from pathlib import Path; from tests.driver.build import build; print(build(Path({str(CACHE)!r})))"
    root = Path(__file__).resolve().parents[2]
    both = [
        subprocess.Popen([sys.executable, "-c", program], cwd=root, stdout=subprocess.PIPE, text=True)
        for _ in range(2)
    ]
    answers = {child.communicate(timeout=120)[0] for child in both}
    assert len(answers) == 1
