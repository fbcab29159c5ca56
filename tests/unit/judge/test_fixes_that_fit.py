"""Fixes that hang on the release, on the GPU, and on who installed TensorFlow."""

from __future__ import annotations

import pytest

from tests.scenarios.conftest import named
from tests.unit.judge.machines import base, changed, finding
from tfdoctor.base.records import replace
from tfdoctor.facts.model import Facts
from tfdoctor.facts.outcome import Failed, Known
from tfdoctor.facts.values import OsRelease
from tfdoctor.facts.versions import DriverRelease, LibraryRelease
from tfdoctor.fix.driver import install_driver
from tfdoctor.knowledge.matrix.load import load_bundled
from tfdoctor.knowledge.model import Fix

MATRIX = load_bundled()


def told(scenario: str) -> tuple[Fix, ...]:
    return finding(named(scenario).facts(), scenario.partition("/")[0]).fixes


def typed(fixes: tuple[Fix, ...]) -> str:
    return "\n".join(command for fix in fixes for command in fix.commands)


def test_same_library_under_another_number_gets_a_link_and_so_does_a_fresh_environment() -> None:
    link, fresh = told("cuda-libraries-wrong-version/cusolver-of-cuda-11-1")
    assert link.commands[0].startswith("sudo ln -s libcusolver.so.11 /usr/local/cuda-11.1/")
    assert "nvidia/cusolver/lib/libcusolver.so.10" in typed((fresh,))


@pytest.mark.parametrize(
    ("scenario", "line"),
    [
        (
            "cudnn-version-mismatch/tensorflow-2-12-with-8-5",
            "export LD_LIBRARY_PATH=/srv/app/venv/lib/python3.10/site-packages/nvidia/cudnn/lib",
        ),
        (
            "libdevice-missing/conda-cudatoolkit",
            "export XLA_FLAGS=--xla_gpu_cuda_data_dir=/opt/conda/envs/tf/lib/python3.9/site-packages/nvidia/cuda_nvcc",
        ),
    ],
)
def test_wheel_of_an_old_release_comes_with_the_line_that_leads_to_it(
    scenario: str, line: str
) -> None:
    assert line in typed(told(scenario))


def test_newer_release_finds_the_wheel_by_itself() -> None:
    assert "export" not in typed(told("cudnn-version-mismatch/older-minor"))


def test_cudnn_that_mends_a_bug_and_drops_the_gpu_is_not_offered() -> None:
    assert told("cudnn-bug/k80") == ()


def test_what_conda_installed_is_replaced_by_conda() -> None:
    (fix,) = told("tensorflow-cpu-only/conda-forge")
    assert fix.commands == (
        'conda install --yes --prefix /opt/conda/envs/tf --channel conda-forge "tensorflow=2.17.0=cuda*"',
    )


def of_device(number: str) -> Facts:
    """The base's machine without any driver, with a GPU of that PCI number."""
    facts = named("driver-missing/nouveau").facts()
    assert isinstance(facts.host.gpus_on_bus, Known)
    gpu = replace(facts.host.gpus_on_bus.value[0], device_id=number)
    return changed(facts, host={"gpus_on_bus": Known((gpu,), "/sys/bus/pci/devices")})


@pytest.mark.parametrize(
    ("number", "package"),
    [
        ("1eb8", "nvidia-driver-580"),
        ("1b06", "nvidia-driver-580"),
        ("2b85", "nvidia-driver-580-open"),
        ("102d", "nvidia-driver-470"),
    ],
)
def test_driver_that_is_offered_serves_the_gpu(number: str, package: str) -> None:
    """A T4, a GTX 1080 Ti, an RTX 5090, a K80."""
    assert typed(finding(of_device(number), "driver-missing").fixes).split()[-1] == package


def test_good_gpu_that_is_hidden_comes_first() -> None:
    first = told("compute-capability-too-low/good-gpu-hidden")[0]
    assert first.commands == ("export CUDA_DEVICE_ORDER=PCI_BUS_ID CUDA_VISIBLE_DEVICES=1",)


def test_who_may_use_the_gpu_is_asked_where_nvml_says_so() -> None:
    assert "ls -l /dev/nvidia*" in told("gpu-device-permission/no-permission")[0].commands


def test_assembler_that_is_offered_is_of_the_builds_own_cuda() -> None:
    assert "nvidia-cuda-nvcc-cu12>=12.0,<13" in typed(told("ptxas-too-old/of-an-older-major"))


def test_memory_that_nobody_is_named_for_is_asked_after() -> None:
    assert [fix.commands for fix in told("gpu-memory-held/nobody-named")] == [("sudo nvidia-smi",)]


def on_debian_12(facts: Facts) -> Facts:
    return changed(
        facts,
        host={"distribution": Known(OsRelease("debian", "12", (), "Debian 12"), "/etc/os-release")},
    )


def test_debians_own_package_is_not_offered_where_it_is_too_old() -> None:
    assert install_driver(on_debian_12(base()), MATRIX, DriverRelease("525.60.13")).commands == (
        "sudo apt-get install --yes nvidia-driver",
    )
    newer = install_driver(on_debian_12(base()), MATRIX, DriverRelease("555.42.02"))
    assert (newer.commands, newer.note[:24]) == ((), "Debian's package is 535,")
    assert install_driver(on_debian_12(of_device("2b85")), MATRIX).commands == ()


@pytest.mark.parametrize(
    ("module", "library", "first"),
    [
        ("550.163.01", "535.230.02", "Remove the driver from the image"),
        ("535.230.02", "550.163.01", "Reload the kernel module (on the host)"),
    ],
)
def test_container_with_an_older_library_has_one_of_its_own(
    module: str, library: str, first: str
) -> None:
    own = base().driver.library
    assert isinstance(own, Known)
    facts = changed(
        base(),
        host={"container": Known("docker", "/.dockerenv")},
        driver={
            "module_version": Known(DriverRelease(module), "/proc/driver/nvidia/version"),
            "library": Known(
                replace(own.value, version=Known(LibraryRelease(library), "its file name")),
                own.source,
            ),
            "init_code": Known(803, "cuInit"),
            "devices": Failed("cuInit answered 803", "call-failed"),
        },
    )
    assert finding(facts, "driver-versions-differ").fixes[0].title == first


def test_what_pythonpath_brings_is_not_renamed_first() -> None:
    assert told("tensorflow-shadowed/pythonpath")[0].commands == ("unset PYTHONPATH",)


@pytest.mark.parametrize(
    ("name", "module", "title"),
    [
        ("NVIDIA GeForce RTX 3090", "470.57.02", "Install NVIDIA driver 580"),
        ("NVIDIA TITAN RTX", "550.163.01", "Unset LD_LIBRARY_PATH"),
        ("NVIDIA A100-SXM4-40GB", "550.163.01", "Unset LD_LIBRARY_PATH"),
        ("NVIDIA RTX 6000 Ada Generation", "550.163.01", "Unset LD_LIBRARY_PATH"),
        ("NVIDIA GeForce RTX 3090", "580.95.05", "Unset LD_LIBRARY_PATH"),
    ],
)  # fmt: skip
def test_where_no_compat_package_runs_a_driver_too_old_for_the_build_is_first(
    name: str, module: str, title: str
) -> None:
    facts = named("forward-compat-unsupported/compat-on-geforce").facts()
    assert isinstance(facts.nvml.devices, Known)
    gpu = replace(facts.nvml.devices.value[0], name=name)
    facts = changed(
        facts,
        nvml={"devices": Known((gpu,), "NVML")},
        driver={"module_version": Known(DriverRelease(module), "/proc")},
        environment={"variables": Known({"LD_LIBRARY_PATH": "/usr/local/cuda-12.8/compat"}, "x")},
    )
    assert finding(facts, "forward-compat-unsupported").fixes[0].title == title


def test_conda_has_no_other_build_to_give_where_the_name_promises_cuda() -> None:
    by_conda, by_pip = (
        told(f"tensorflow-cpu-only/conda-forge{ending}") for ending in ("", "-under-a-cuda-name")
    )
    assert by_conda[0].commands[0].startswith("conda install")
    assert "conda install" not in typed(by_pip)
    assert "tensorflow[and-cuda]==" in typed(by_pip)


def test_memory_refused_while_more_is_free_than_it_held_points_to_a_limit_of_its_own() -> None:
    facts = named("host-memory-exhausted/memory-error").facts()
    full = changed(facts, memory={"ram_available": Known(1_199_999_999, "test")})  # it held 600 MB
    assert typed(finding(facts, "host-memory-exhausted").fixes) == "ulimit -v unlimited"
    assert typed(finding(full, "host-memory-exhausted").fixes) == ""
