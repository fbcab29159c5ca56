"""Cells that no wheel can prove, against a second statement of the same page, typed apart from the first.

The tables below were written from NVIDIA's and TensorFlow's pages, not from data/compat_matrix.yaml: a slip of the
hand has to be made twice, in two forms, to get through.
"""

from __future__ import annotations

from tfdoctor.knowledge.matrix.cells import rows
from tfdoctor.knowledge.matrix.load import load_bundled
from tfdoctor.knowledge.matrix.wheels.update import expand

DOCUMENT = load_bundled().document

DRIVERS = """
10.0 410.48 411.31
10.1 418.39 418.96
10.2 440.33 441.22
11.0 450.36.06 451.22
11.1 455.23 456.38
11.2 460.27.03 460.82
11.3 465.19.01 465.89
11.4 470.42.01 471.11
11.5 495.29.05 496.04
11.6 510.39.01 511.23
11.7 515.43.04 516.01
11.8 520.61.05 520.06
12.0 525.60.13 527.41
12.1 530.30.02 531.14
12.2 535.54.03 536.25
12.3 545.23.06 545.84
12.4 550.54.14 551.61
12.5 555.42.02 555.85
12.6 560.28.03 560.76
12.8 570.26 570.65
12.9 575.51.03 576.02
13.0 580.65.06 -
13.1 590.44.01 -
13.2 595.45.04 -
13.3 610.43.02 -
13.4 615.71.09 -
13.5 620.70.06 -
"""
"""CUDA Toolkit release notes, "CUDA Toolkit and Corresponding Driver Versions", first driver of each release."""

FLOORS = {"11": ("450.80.02", "452.39"), "12": ("525.60.13", "527.41"), "13": ("580.65.06", None)}
"""CUDA Toolkit release notes, "Minimum Required Driver Version for CUDA Minor Version Compatibility"."""

PTX = "10.0:6.3 10.1:6.4 10.2:6.5 11.0:7.0 11.1:7.1 11.2:7.2 11.3:7.3 11.4:7.4 11.5:7.5 11.6:7.6 11.7:7.7 11.8:7.8" \
    " 12.0:8.0 12.1:8.1 12.2:8.2 12.3:8.3 12.4:8.4 12.5:8.5 12.6:8.5 12.8:8.7 12.9:8.8 13.0:9.0 13.1:9.1 13.2:9.2 13.3:9.3 13.4:9.4 13.5:9.5"  # fmt: skip
"""PTX ISA, release notes: the PTX that each CUDA release brought."""

KNOWN_ARCHITECTURES = {
    "10": (30, 32, 35, 37, 50, 52, 53, 60, 61, 62, 70, 72, 75),
    "11.0": (35, 37, 50, 52, 53, 60, 61, 62, 70, 72, 75, 80),
    "11.1": (35, 37, 50, 52, 53, 60, 61, 62, 70, 72, 75, 80, 86),
    "11.4": (35, 37, 50, 52, 53, 60, 61, 62, 70, 72, 75, 80, 86, 87),
    "11.8": (35, 37, 50, 52, 53, 60, 61, 62, 70, 72, 75, 80, 86, 87, 89, 90),
    "12.0": (50, 52, 53, 60, 61, 62, 70, 72, 75, 80, 86, 87, 89, 90),
    "12.8": (50, 52, 53, 60, 61, 62, 70, 72, 75, 80, 86, 87, 89, 90, 100, 101, 120),
    "12.9": (50, 52, 53, 60, 61, 62, 70, 72, 75, 80, 86, 87, 89, 90, 100, 101, 103, 120, 121),
    "13.0": (75, 80, 86, 87, 88, 89, 90, 100, 103, 110, 120, 121),
    "13.4": (75, 80, 86, 87, 88, 89, 90, 100, 103, 107, 110, 120, 121),
}
"""nvcc's list of GPUs (sm_XY) in each toolkit's own documentation, from the release named until the next."""

TESTED_CUDNN = {
    "2.3": "7.6", "2.4": "8.0", "2.5": "8.1", "2.6": "8.1", "2.7": "8.1", "2.8": "8.1", "2.9": "8.1", "2.10": "8.1",
    "2.11": "8.1", "2.12": "8.6", "2.13": "8.6", "2.14": "8.7", "2.15": "8.9",
}  # fmt: skip
"""TensorFlow, Build from source, tested build configurations (GPU), where headers name only cuDNN's major."""

CUDNN = "7.6.0:30-75 8.0.0:30-80 8.0.4:30-86 8.1.0:35-86 8.6.0:35-90 8.9.1:50-90 9.0.0:50-90 9.7.0:50-120 9.11.0:75-121"
"""cuDNN support matrix and release notes: from each release on the oldest and the newest architecture."""

ARCHITECTURE_OF = {
    30: "GTX 680, K10", 35: "K20, K40, GTX 780", 37: "K80", 50: "GTX 750 Ti, M10", 52: "GTX 980 Ti, M40, M60",
    53: "Jetson Nano", 60: "P100, GP100", 61: "GTX 1080 Ti, P4, P40, Titan Xp, MX150", 62: "Jetson TX2",
    70: "V100, Titan V, GV100", 72: "Jetson AGX Xavier", 75: "T4, RTX 2080 Ti, RTX 8000, GTX 1650, Titan RTX",
    80: "A100, A30", 86: "A2, A10, A16, A40, RTX 3050, RTX 3090, RTX A6000", 87: "Jetson AGX Orin",
    89: "L4, L40, L40S, RTX 4060, RTX 4090, RTX 6000 Ada", 90: "H100, H200, GH200", 100: "B200, GB200",
    103: "B300, GB300", 110: "Jetson T5000", 120: "RTX 5070, RTX 5090, RTX PRO 6000 Blackwell", 121: "GB10",
}  # fmt: skip
"""NVIDIA, CUDA GPU compute capability and its legacy list: a sample of every architecture."""


def dotted(architecture: int) -> str:
    return f"{architecture // 10}.{architecture % 10}"


def test_first_drivers_of_each_cuda_release() -> None:
    stated = {line.split()[0]: line.split()[1:] for line in DRIVERS.strip().splitlines()}
    assert {row["version"] for row in DOCUMENT["cuda"]["rows"]} == set(stated)
    for row in DOCUMENT["cuda"]["rows"]:
        linux, windows = stated[row["version"]]
        assert row["driver"] == {"linux": linux} | (
            {} if windows == "-" else {"windows": windows}
        ), row["version"]


def test_driver_floors_by_minor_version_compatibility() -> None:
    for row in DOCUMENT["cuda"]["rows"]:
        major = row["version"].split(".")[0]
        if major == "10":
            assert "driver_min" not in row  # minor-version compatibility began with 11
            continue
        linux, windows = FLOORS[major]
        assert row["driver_min"] == {"linux": linux} | ({"windows": windows} if windows else {}), (
            row["version"]
        )


def test_ptx_of_each_cuda_release() -> None:
    stated = dict(pair.split(":") for pair in PTX.split())
    assert {row["version"]: row["ptx_isa"] for row in DOCUMENT["cuda"]["rows"]} == stated


def test_architectures_of_each_cuda_release() -> None:
    known: tuple[int, ...] = ()
    for row in DOCUMENT["cuda"]["rows"]:
        version = row["version"]
        known = KNOWN_ARCHITECTURES.get(
            version,
            known if version == "13.5" else KNOWN_ARCHITECTURES.get(version.split(".")[0], known),
        )
        assert row["compute_capabilities"] == [dotted(each) for each in known], version


def test_cudnn_architectures() -> None:
    stated = {}
    for pair in CUDNN.split():
        since, _, span = pair.partition(":")
        stated[since] = tuple(dotted(int(end)) for end in span.split("-"))
    assert {
        row["since"]: (row["lowest"], row["highest"]) for row in DOCUMENT["cudnn"]["rows"]
    } == stated


def test_cudnn_minors_from_the_tested_builds_page() -> None:
    table = expand(DOCUMENT, rows(DOCUMENT["releases"]))
    from_page = {
        row: cells["cudnn"]
        for row, cells in table.items()
        if cells.get("cudnn", ("", ""))[1] == "tested-builds"
    }
    assert from_page
    for row, here in from_page.items():
        assert here.value == TESTED_CUDNN[".".join(row.release.split(".")[:2])], row


def test_gpu_names_by_a_sample_of_every_architecture() -> None:
    names = DOCUMENT["gpus"]["names"]
    assert set(names) == {dotted(each) for each in ARCHITECTURE_OF}
    for architecture, sample in ARCHITECTURE_OF.items():
        assert set(sample.split(", ")) <= set(names[dotted(architecture)]), architecture


def test_sonames_carry_the_major_of_the_cuda_and_cudnn_that_the_build_has() -> None:
    """A soname's number is its library's ABI; for cudart and cuDNN it follows the release (11.x kept 11.0)."""
    table = expand(DOCUMENT, rows(DOCUMENT["releases"]))
    checked = False
    for row, cells in table.items():
        if row.platform == "linux_x86_64" and "sonames" in cells:
            cuda, cudnn = cells["cuda"].value, cells["cudnn"].value.split(".")[0]
            cudart = {"10": "10.1", "11": "11.0"}.get(cuda.split(".")[0], cuda.split(".")[0])
            assert f"libcudart.so.{cudart}" in cells["sonames"].value, row
            assert f"libcudnn.so.{cudnn}" in cells["sonames"].value, row
            checked = True
    assert checked
