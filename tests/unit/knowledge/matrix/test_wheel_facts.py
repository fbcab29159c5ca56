"""Reading METADATA, build_info and headers, in the forms that 2.3 to 2.22 have."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tfdoctor.knowledge.matrix.cells import Cell, Row
from tfdoctor.knowledge.matrix.load import load_bundled
from tfdoctor.knowledge.matrix.model import MatrixError
from tfdoctor.knowledge.matrix.wheels.index import glibc_of, platform_of, wheel_of
from tfdoctor.knowledge.matrix.wheels.read import split_requirements
from tfdoctor.knowledge.matrix.wheels.texts import (
    BUILD_INFO,
    CUDA_H,
    METADATA,
    build_info_of,
    parse_requirement,
    protobuf_release,
    read_texts,
)
from tfdoctor.knowledge.matrix.wheels.update import compact, expand


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("numpy (~=1.19.2)", ("numpy", "~=1.19.2", "", "")),
        ("numpy<2.0.0,>=1.23.5; python_version <= \"3.11\"", ("numpy", "<2.0.0,>=1.23.5", 'python_version <= "3.11"', "")),
        ("google_pasta>=0.1.1", ("google-pasta", ">=0.1.1", "", "")),
        ("packaging", ("packaging", "", "", "")),
        ("nvidia-cudnn-cu12==9.3.0.75; extra == \"and-cuda\"", ("nvidia-cudnn-cu12", "==9.3.0.75", "", "and-cuda")),
        (
            "x>=1; (sys_platform != \"win32\" and python_version < \"3.13\") and extra == \"gcs-filesystem\"",
            ("x", ">=1", 'sys_platform != "win32" and python_version < "3.13"', "gcs-filesystem"),
        ),
        ("y ; (os_name == 'a' or os_name == 'b') and (c == 'd')", ("y", "", "(os_name == 'a' or os_name == 'b') and (c == 'd')", "")),
        ("tensorboard[extra]>=2", ("tensorboard", ">=2", "", "")),
    ],
)  # fmt: skip
def test_a_requirement_is_taken_apart(line: str, expected: tuple[str, str, str, str]) -> None:
    assert parse_requirement(line, "a wheel") == expected


def test_a_requirement_that_is_none_is_an_error() -> None:
    with pytest.raises(MatrixError, match="a wheel has a requirement"):
        parse_requirement("<<<>>>", "a wheel")


@pytest.mark.parametrize(
    "text",
    [
        "build_info = {'is_cuda_build': True}",
        "import collections\nbuild_info = collections.OrderedDict([('is_cuda_build', True)])",
    ],
)
def test_both_forms_of_build_info_are_read_without_running_them(text: str) -> None:
    assert build_info_of(text) == {"is_cuda_build": True}


def test_build_info_that_is_no_python_is_an_error() -> None:
    with pytest.raises(MatrixError):
        build_info_of("build_info = {")


def texts(cuda: str, cudnn: str) -> dict[str, str]:
    return {
        METADATA.pattern: "Metadata-Version: 2.1\nName: tensorflow\n",
        BUILD_INFO.pattern: "build_info = {'is_cuda_build': True, 'cuda_compute_capabilities': ['sm_35', 'compute_80']}",
        CUDA_H.pattern: f'#define TF_CUDA_VERSION "{cuda}"\n#define TF_CUDNN_VERSION "{cudnn}"\n',
    }


@pytest.mark.parametrize(
    ("cuda", "cudnn", "expected"),
    [
        ("12.5.1", "9", ("12.5.1", "9")),
        ("10.1", "7", ("10.1", "7")),
        ("64_112", "64_8", ("11.2", "8")),
        ("64_101", "64_7", ("10.1", "7")),
        ("64_110", "64_8", ("11.0", "8")),
    ],
)
def test_versions_in_headers_also_as_windows_writes_them(
    cuda: str, cudnn: str, expected: tuple[str, str]
) -> None:
    found = read_texts(texts(cuda, cudnn), "a wheel", "win_amd64")
    assert (found["cuda"], found["cudnn"]) == expected
    assert (found["sass"], found["ptx"]) == (["3.5"], ["8.0"])


def test_a_wheel_without_build_info_is_a_stub_for_what_it_requires() -> None:
    metadata = 'Metadata-Version: 2.1\nRequires-Dist: tensorflow-intel==2.15.0; platform_system == "Windows"\n\n'
    found = read_texts({METADATA.pattern: metadata}, "a wheel", "win_amd64")
    assert (found["gpu"], found["stub_for"]) == (False, "tensorflow-intel")


@pytest.mark.parametrize(
    ("number", "text"),
    [(3009002, "3.9.2"), (3021009, "3.21.9"), (5028003, "5.28.3"), (6031001, "6.31.1")],
)
def test_protobuf_numbers(number: int, text: str) -> None:
    assert protobuf_release(number) == text


@pytest.mark.parametrize(
    ("tag", "platform", "glibc"),
    [
        ("manylinux2010_x86_64", "linux_x86_64", "2.12"),
        ("manylinux_2_17_x86_64.manylinux2014_x86_64", "linux_x86_64", "2.17"),
        ("manylinux2014_x86_64.manylinux_2_17_x86_64", "linux_x86_64", "2.17"),
        ("manylinux_2_27_aarch64", "linux_aarch64", "2.27"),
        ("macosx_12_0_arm64", "macosx_arm64", ""),
        ("macosx_10_6_intel", "macosx_x86_64", ""),
        ("win_amd64", "win_amd64", ""),
        ("win32", None, ""),
        ("any", None, ""),
    ],
)
def test_platforms_and_glibc_from_wheel_tags(tag: str, platform: str | None, glibc: str) -> None:
    assert (platform_of(tag), glibc_of(tag)) == (platform, glibc)


def test_names_that_are_no_wheel_of_ours_are_none() -> None:
    for name in (
        "tensorflow-2.3.0.tar.gz",
        "tensorflow-2.3.0-py3-none-any.whl",
        "x.whl",
        "",
        "tensorflow-2.3.0-cp27-cp27mu-win_amd64.whl",
    ):
        assert wheel_of(name, "") is None


def test_differences_between_pythons_are_those_from_what_most_require() -> None:
    common, differing = split_requirements(
        {"3.10": {"a": "1", "b": "1"}, "3.11": {"a": "1", "b": "1"}, "3.14": {"a": "2", "c": "1"}}
    )
    assert common == {"a": "1", "b": "1"}
    assert differing == {"3.14": {"a": "2", "b": [], "c": "1"}}


RELEASES = ["2.3.0", "2.4.0", "2.4.1", "2.5.0"]
PLATFORMS = ["linux_x86_64", "win_amd64", "macosx_arm64"]
CELLS = st.fixed_dictionaries(
    {},
    optional={
        "cuda": st.builds(Cell, st.sampled_from(["11", "12"]), st.sampled_from(["headers", "tags"]), st.sampled_from(["", "a page"])),
        "gpu": st.builds(Cell, st.booleans(), st.just("build_info"), st.just("")),
        "requires": st.builds(Cell, st.dictionaries(st.sampled_from("abc"), st.sampled_from(["1", "2"])), st.just("metadata"), st.just("")),
    },
)  # fmt: skip


@given(
    st.dictionaries(
        st.builds(
            Row, st.sampled_from(RELEASES), st.just("tensorflow"), st.sampled_from(PLATFORMS)
        ),
        CELLS,
        min_size=1,
    )
)
def test_compacting_and_expanding_loses_nothing(table: dict[Row, dict[str, Cell]]) -> None:
    usual = load_bundled().document["fields"]
    document = {"fields": usual, "releases": compact(table, {"tensorflow": RELEASES}, usual)}
    known = {
        row: {**cells, "requires": cells.get("requires", Cell({}, "metadata"))}
        for row, cells in table.items()
    }
    found = expand(document, table)
    assert {
        row: {f: c for f, c in cells.items() if f in ("cuda", "gpu", "requires")}
        for row, cells in found.items()
    } == known
