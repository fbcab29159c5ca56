"""Questions to the bundled matrix, with the answers that are known from elsewhere."""

from __future__ import annotations

import pytest

from tfdoctor.facts.outcome import Absent, Failed, Known
from tfdoctor.facts.versions import CudaRelease, CudnnRelease, PtxRelease
from tfdoctor.knowledge.matrix.load import load_bundled
from tfdoctor.knowledge.matrix.model import Release

MATRIX = load_bundled()


def release(
    version: str, platform: str = "linux_x86_64", distribution: str = "tensorflow"
) -> Release:
    found = MATRIX.release(version, distribution, platform)
    assert isinstance(found, Known)
    return found.value


def known(fact: object) -> object:
    assert isinstance(fact, Known), fact
    assert fact.source
    return fact.value


def texts(fact: object) -> list[str]:
    values = known(fact)
    assert isinstance(values, tuple)
    return [str(each) for each in values]


@pytest.mark.parametrize(
    ("version", "cuda", "cudnn", "python"),
    [
        ("2.3.0", "10.1", "7.6", ["3.5", "3.6", "3.7", "3.8"]),
        ("2.10.1", "11.2", "8.1", ["3.7", "3.8", "3.9", "3.10"]),
        ("2.12.0", "11.8", "8.6", ["3.8", "3.9", "3.10", "3.11"]),
        ("2.15.1", "12.2", "8.9", ["3.9", "3.10", "3.11"]),
        ("2.17.1", "12.3", "8.9.6", ["3.9", "3.10", "3.11", "3.12"]),
        ("2.20.0", "12.5.1", "9.3.0", ["3.9", "3.10", "3.11", "3.12", "3.13"]),
        ("2.21.0", "12.5.1", "9.3.0", ["3.10", "3.11", "3.12", "3.13"]),
        ("2.22.0rc0", "12.5.1", "9.10.0", ["3.10", "3.11", "3.12", "3.13", "3.14"]),
    ],
)
def test_a_release_has_its_cuda_cudnn_and_pythons(
    version: str, cuda: str, cudnn: str, python: list[str]
) -> None:
    found = release(version)
    assert str(known(found.cuda)) == cuda
    assert str(known(found.cudnn)) == cudnn
    assert texts(found.python) == python


def test_glibc_floors_come_from_the_wheels_names() -> None:
    assert str(known(release("2.8.4").glibc)) == "2.12"
    assert str(known(release("2.20.0").glibc)) == "2.17"
    assert str(known(release("2.21.0").glibc)) == "2.27"
    assert isinstance(release("2.21.0", "win_amd64").glibc, Absent)


def test_stubs_name_what_they_pull_in() -> None:
    assert known(release("2.15.0", "win_amd64").stub_for) == "tensorflow-intel"
    assert known(release("2.10.0", "linux_aarch64").stub_for) == "tensorflow-cpu-aws"
    assert isinstance(release("2.21.0").stub_for, Absent)


@pytest.mark.parametrize(
    ("cuda", "os", "driver"),
    [
        ("12.5.1", "linux", "525.60.13"),
        ("12.2", "windows", "527.41"),
        ("11.8", "linux", "450.80.02"),
        ("11.2", "windows", "452.39"),
        ("13.0", "linux", "580.65.06"),
        ("10.1", "linux", "418.39"),
    ],
)
def test_driver_floors_hold_by_minor_version_compatibility(cuda: str, os: str, driver: str) -> None:
    assert str(known(MATRIX.driver_floor(CudaRelease(cuda), os))) == driver


def test_an_unknown_cuda_or_system_has_no_floor() -> None:
    assert isinstance(MATRIX.driver_floor(CudaRelease("99.0"), "linux"), Failed)
    assert isinstance(MATRIX.driver_floor(CudaRelease("12.5"), "macos"), Failed)
    assert isinstance(MATRIX.driver_floor(CudaRelease("13.0"), "windows"), Failed)


@pytest.mark.parametrize(
    ("isa", "driver"),
    [("7.1", "455.23"), ("8.0", "525.60.13"), ("8.3", "545.23.06"), ("8.5", "555.42.02")],
)
def test_the_driver_for_ptx_is_the_first_of_the_cuda_that_brought_it(isa: str, driver: str) -> None:
    assert str(known(MATRIX.driver_for_ptx(PtxRelease(isa), "linux"))) == driver


def test_a_ptx_version_newer_than_all_known_ones_is_unknown() -> None:
    assert isinstance(MATRIX.driver_for_ptx(PtxRelease("99.0"), "linux"), Failed)


def test_cudnn_9_11_has_nothing_for_volta() -> None:
    new, old = (
        MATRIX.cudnn_support(CudnnRelease("9.27.0")),
        MATRIX.cudnn_support(CudnnRelease("9.10.2")),
    )
    assert isinstance(new, Known)
    assert isinstance(old, Known)
    assert str(known(new.value.lowest)) == "7.5"
    assert str(known(old.value.lowest)) == "5.0"


def test_the_masked_rnn_bug_ends_with_8_9_2() -> None:
    with_bug, fixed = (
        MATRIX.cudnn_support(CudnnRelease("8.9.1")),
        MATRIX.cudnn_support(CudnnRelease("8.9.2")),
    )
    assert isinstance(with_bug, Known)
    assert isinstance(fixed, Known)
    assert [bug.kind for bug in with_bug.value.bugs] == ["masked-rnn-illegal-address"]
    assert fixed.value.bugs == ()


@pytest.mark.parametrize("version", ["7.5.0", "9.99.0", "10.0"])
def test_nothing_is_claimed_about_cudnn_outside_the_table(version: str) -> None:
    assert isinstance(MATRIX.cudnn_support(CudnnRelease(version)), Failed)


def test_defects_of_single_releases() -> None:
    kinds = {
        version: {each.kind for each in MATRIX.defects(version)}
        for version in ("2.16.1", "2.16.2", "2.21.0")
    }
    assert "runpath-incomplete" in kinds["2.16.1"]
    assert "runpath-incomplete" not in kinds["2.16.2"]
    assert {"runpath-incomplete", "nvml-needed"} <= kinds["2.21.0"]
    missing = next(each for each in MATRIX.defects("2.21.0") if each.kind == "runpath-incomplete")
    assert missing.detail["missing"] == "nvidia/cusolver/lib"
    assert missing.platforms == ("linux_x86_64",)
    assert "runpath-incomplete" not in {each.kind for each in MATRIX.defects("2.22.0rc0")}


def test_runtime_bounds_tell_what_was_seen_not_what_metadata_says() -> None:
    assert known(MATRIX.runtime_bounds("2.14.0")["numpy"]) == "<2"
    assert known(MATRIX.runtime_bounds("2.20.0")["protobuf"]) == ">=5.28.3"
    assert known(MATRIX.runtime_bounds("2.21.0")["protobuf"]) == ">=6.31.1"
    assert known(MATRIX.runtime_bounds("2.17.0")["protobuf"]) == ">=3.20"
    assert known(MATRIX.runtime_bounds("2.13.1")["keras"]) == ">=2.12,<2.15"
    assert isinstance(MATRIX.runtime_bounds("2.11.0")["keras"], Failed)


def test_requirements_keep_markers_and_differences_between_pythons() -> None:
    numpy = known(release("2.17.0").requires)["numpy"]  # type: ignore[index]  # a mapping, held by known()
    assert [(each.spec, each.marker) for each in numpy] == [
        ("<2.0.0,>=1.23.5", 'python_version <= "3.11"'),
        ("<2.0.0,>=1.26.0", 'python_version >= "3.12"'),
    ]
    differing = known(release("2.22.0rc0").requires_by_python)
    assert differing["3.14"]["h5py"][0].spec == "~=3.15.1"  # type: ignore[index]  # a mapping, held by known()
    assert isinstance(release("2.21.0").requires_by_python, Absent)


def test_releases_come_newest_first_and_pythons_oldest_first() -> None:
    versions = [each.tensorflow for each in MATRIX.releases()]
    assert versions[0] == "2.22.0rc0"
    assert versions.index("2.10.0") < versions.index("2.9.3")
    assert versions[-1] == "2.3.0"
    pythons = MATRIX.pythons()
    assert (str(pythons[0]), str(pythons[-1])) == ("3.5", "3.14")
