"""The environment, the scratch folder and the memory bound of the ladder's programs."""

from __future__ import annotations

from pathlib import Path

from tfdoctor.ask.probes.smoke.scratch import GIB, LEAST_BOUND, Scratch, environment, memory_bound
from tfdoctor.facts.model import Driver, Facts, Memory
from tfdoctor.facts.outcome import Absent, Known
from tfdoctor.facts.values import CudaDevice
from tfdoctor.facts.versions import ComputeCapability


def test_what_writes_is_pointed_into_the_scratch_folder(tmp_path: Path) -> None:
    chosen = environment(
        {"HOME": "/home/x", "KERAS_HOME": "/home/x/k", "TMPDIR": "/elsewhere"}, tmp_path
    )
    for name in ("KERAS_HOME", "CUDA_CACHE_PATH", "XDG_CACHE_HOME", "MPLCONFIGDIR", "TMPDIR"):
        assert Path(chosen[name]).is_relative_to(tmp_path) and Path(chosen[name]).is_dir()
    assert (chosen["HOME"], chosen["PYTHONDONTWRITEBYTECODE"]) == ("/home/x", "1")


def test_the_users_variables_stay_in_force(tmp_path: Path) -> None:
    given = {"PYTHONPATH": ":/a::rel:", "LD_LIBRARY_PATH": "/l", "TF_CPP_VMODULE": "mine=2", "TF_CPP_MIN_LOG_LEVEL": "3",
             "PYTHONINSPECT": "1", "CUDA_VISIBLE_DEVICES": "1"}  # fmt: skip
    chosen = environment(given, tmp_path)
    assert chosen["PYTHONPATH"] == "/a:rel"
    assert (chosen["LD_LIBRARY_PATH"], chosen["CUDA_VISIBLE_DEVICES"]) == ("/l", "1")
    assert (chosen["TF_CPP_VMODULE"], chosen["TF_CPP_MIN_LOG_LEVEL"]) == ("mine=2", "0")
    assert "PYTHONINSPECT" not in chosen
    assert given["PYTHONPATH"] == ":/a::rel:"


def test_no_pythonpath_is_invented(tmp_path: Path) -> None:
    assert "PYTHONPATH" not in environment({}, tmp_path)


def test_the_scratch_folder_is_removed_with_what_is_in_it() -> None:
    scratch = Scratch()
    (scratch.folder / "sub").mkdir()
    (scratch.folder / "sub" / "file").write_text("x")
    scratch.remove()
    assert not scratch.folder.exists()


def test_the_memory_bound_is_the_least_of_rule_ram_and_cgroup() -> None:
    gpu = CudaDevice(0, "L4", ComputeCapability("8.9"), 23 * GIB, "GPU-1", "0000:3B:00.0")
    assert memory_bound(Facts()) == 4 * GIB
    assert memory_bound(Facts(driver=Driver(devices=Known((gpu, gpu), "t")))) == 5 * GIB
    assert memory_bound(Facts(memory=Memory(ram_available=Known(2 * GIB, "t")))) == int(1.8 * GIB)
    cgroup = Memory(
        ram_available=Known(64 * GIB, "t"),
        cgroup_limit=Known(GIB, "t"),
        cgroup_used=Known(GIB // 2, "t"),
    )
    assert memory_bound(Facts(memory=cgroup)) == int(0.45 * GIB)
    assert memory_bound(Facts(memory=Memory(cgroup_limit=Absent("none")))) == 4 * GIB
    full = Memory(cgroup_limit=Known(GIB, "t"), cgroup_used=Known(GIB, "t"))
    assert memory_bound(Facts(memory=full)) == LEAST_BOUND
