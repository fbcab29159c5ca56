"""Which driver serves which GPU: typed from NVIDIA's lists, both sides of each floor, apart from the matrix' own rows."""

from __future__ import annotations

import pytest

from tfdoctor.facts.outcome import Absent, Failed, Known
from tfdoctor.facts.versions import ComputeCapability, CudaRelease, DriverRelease, PtxRelease
from tfdoctor.knowledge.matrix.load import load_bundled
from tfdoctor.knowledge.matrix.model import GpuDrivers
from tfdoctor.knowledge.matrix.query import Matrix

MATRIX = load_bundled()


def of(name: str) -> GpuDrivers:
    capability = MATRIX.gpu(name)
    assert isinstance(capability, Known), name
    found = MATRIX.gpu_drivers(capability.value, name)
    assert isinstance(found, Known), name
    return found.value


def serves(drivers: GpuDrivers, driver: str) -> bool:
    release = DriverRelease(driver)
    known = not isinstance(drivers.first, Known) or release >= drivers.first.value
    return known and not (drivers.last and release.major > drivers.last)


@pytest.mark.parametrize(
    ("name", "too_old", "first"),
    [
        ("NVIDIA GeForce RTX 2080 Ti", "396.54", "410.48"),
        ("Tesla T4", "410.47", "410.48"),
        ("NVIDIA A100-SXM4-80GB", "450.36.05", "450.36.06"),
        ("NVIDIA A30", "440.118.02", "450.36.06"),
        ("NVIDIA GeForce RTX 3090", "455.22.04", "455.23.04"),
        ("NVIDIA RTX A6000", "450.80.02", "455.23.04"),
        ("NVIDIA GeForce RTX 4090", "515.105.01", "520.56.06"),
        ("NVIDIA L40S", "470.57.02", "520.56.06"),
        ("NVIDIA H100 PCIe", "520.61.05", "525.53"),
        ("NVIDIA H200", "525.46.01", "525.53"),
        ("NVIDIA GH200 480GB", "535.104.12", "535.129.03"),
        ("NVIDIA B200", "570.26", "570.86.15"),
        ("NVIDIA GB200", "570.124.06", "570.133.07"),
        ("NVIDIA B300 SXM6 AC", "580.65.06", "580.82.07"),
        ("NVIDIA GB300", "575.64.05", "580.82.07"),
        ("NVIDIA GeForce RTX 5090", "565.77", "570.86.16"),
        ("NVIDIA GeForce RTX 5080", "570.86.15", "570.86.16"),
        ("NVIDIA RTX PRO 6000 Blackwell Server Edition", "560.35.05", "570.86.16"),
        ("NVIDIA GB10", "575.64.05", "580"),
    ],
)
def test_first_driver_of_a_gpu(name: str, too_old: str, first: str) -> None:
    assert not serves(of(name), too_old)
    assert serves(of(name), first)
    assert serves(of(name), "620.70.06")


@pytest.mark.parametrize(
    ("name", "last", "too_new"),
    [
        ("Tesla K80", "470.256.02", "495.44"),
        ("NVIDIA GeForce GTX 780", "470.256.02", "510.39.01"),
        ("Tesla M60", "580.142", "590.44.01"),
        ("NVIDIA GeForce GTX 1050", "580.95.05", "595.71.05"),
        ("Tesla P100-PCIE-16GB", "580.65.06", "590.44.01"),
        ("Tesla V100-SXM3-32GB-H", "580.95.05", "615.71.09"),
    ],
)
def test_last_branch_of_a_gpu(name: str, last: str, too_new: str) -> None:
    assert serves(of(name), last)
    assert not serves(of(name), too_new)


@pytest.mark.parametrize(
    ("name", "not_listed", "by", "listed"),
    [
        ("NVIDIA GeForce RTX 4080", "520.56.06", "525.60.11", "525.60.11"),
        ("NVIDIA H100 80GB HBM3", "525.60.13", "525.85.05", "525.85.05"),
        ("NVIDIA GeForce RTX 4070 Laptop GPU", "525.85.05", "525.89.02", "525.89.02"),
        ("NVIDIA GeForce RTX 4070", "525.105.17", "525.116.03", "525.116.03"),
        ("NVIDIA GeForce RTX 4070", "530.41.03", "535.43.02", "535.43.02"),
        ("NVIDIA L4", "525.89.02", "525.105.17", "530.41.03"),
        ("NVIDIA L40S", "535.54.03", "535.104.05", "545.23.06"),
        ("NVIDIA H20", "545.29.06", "550.54.14", "550.54.14"),
        ("NVIDIA H200", "550.54.15", "550.90.07", "560.35.05"),
        ("NVIDIA GeForce RTX 5060 Ti", "570.133.07", "570.148.08", "575.51.02"),
        ("NVIDIA GeForce RTX 5050 Laptop GPU", "570.169", "570.172.08", "575.64.03"),
        ("NVIDIA GeForce RTX 5050", "575.57.08", "575.64.03", "570.181"),
        ("NVIDIA A800-SXM4-80GB", "515.65.01", "515.86.01", "525.60.13"),
        ("NVIDIA GB10", "580.95.05", "580.119.02", "595.45.04"),
        ("NVIDIA GeForce MX250", "410.48", "418.56", "430.34"),
    ],
)
def test_release_that_first_lists_a_product(
    name: str, not_listed: str, by: str, listed: str
) -> None:
    assert of(name).not_listed(DriverRelease(not_listed)) == DriverRelease(by)
    assert of(name).not_listed(DriverRelease(listed)) is None


@pytest.mark.parametrize(
    ("name", "branch", "module"),
    [
        ("Tesla T4", 610, ""),
        ("Tesla T4", 615, "open"),
        ("NVIDIA H100 PCIe", 595, ""),
        ("NVIDIA H100 PCIe", 620, "open"),
        ("NVIDIA GH200 480GB", 550, "open"),
        ("NVIDIA GeForce RTX 5070", 570, "open"),
        ("NVIDIA GeForce GTX 1080", 580, "proprietary"),
        ("Tesla K40c", 470, "proprietary"),
    ],
)
def test_kind_of_kernel_module(name: str, branch: int, module: str) -> None:
    assert of(name).module_of(branch) == module


@pytest.mark.parametrize(
    ("device_id", "name", "first"),
    [
        ("1e07", "Turing", "410.48"),
        ("20b5", "Ampere", "450.36.06"),
        ("2204", "Ampere", "455.23.04"),
        ("2684", "Ada", "520.56.06"),
        ("2331", "Hopper", "525.53"),
        ("2342", "GH200", "535.129.03"),
        ("2901", "Blackwell", "570.86.15"),
        ("2941", "GB200", "570.133.07"),
        ("3182", "Blackwell Ultra", "580.82.07"),
        ("2b85", "Blackwell", "570.86.16"),
        ("2f04", "Blackwell", "570.86.16"),
        ("2e12", "GB10", "580"),
    ],
)
def test_gpu_is_known_by_its_pci_id(device_id: str, name: str, first: str) -> None:
    found = MATRIX.gpu_drivers(None, device_id=device_id)
    assert isinstance(found, Known)
    assert found.value.name == name
    assert isinstance(found.value.first, Known)
    assert found.value.first.value == DriverRelease(first)


@pytest.mark.parametrize("device_id", ["", "zz", "10f0", "9999"])
def test_other_pci_ids_tell_nothing(device_id: str) -> None:
    assert isinstance(MATRIX.gpu_drivers(None, device_id=device_id), Failed)


def test_what_has_no_source_is_unknown() -> None:

    assert isinstance(MATRIX.gpu_drivers(ComputeCapability("10.7")), Failed)
    assert isinstance(of("NVIDIA B100").first, Failed)
    assert of("NVIDIA B100").module == "open"
    assert isinstance(of("Tesla K80").first, Absent)


def test_an_older_matrix_knows_of_no_gpu_s_drivers() -> None:
    gpus = {
        key: value
        for key, value in MATRIX.document["gpus"].items()
        if key not in ("drivers", "listed")
    }
    older = Matrix({**MATRIX.document, "gpus": gpus}, "", "file")
    assert isinstance(older.gpu_drivers(None, device_id="2b85"), Failed)
    assert older.gpu_driver_rows == ()


def test_newest_cuda_releases_are_known() -> None:
    assert MATRIX.driver_for_ptx(PtxRelease("9.4"), "linux") == Known(
        DriverRelease("615.71.09"), str(MATRIX.sources["cuda-redist"])
    )
    floor = MATRIX.driver_floor(CudaRelease("13.5.0"), "linux")
    assert isinstance(floor, Known)
    assert floor.value == DriverRelease("580.65.06")
