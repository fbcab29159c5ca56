"""A line of Requires-Dist that is understood without packaging says what packaging says of it."""

from __future__ import annotations

import time

import packaging
import pytest
from hypothesis import given
from hypothesis import strategies as st
from packaging.version import Version

from tfdoctor.probes.python.distributions.requires_dist import Asked, by_packaging, plain, read_line

ENVIRONMENT = {
    "python_version": "3.11",
    "python_full_version": "3.11.7",
    "implementation_name": "cpython",
    "implementation_version": "3.11.7",
    "platform_python_implementation": "CPython",
    "platform_machine": "x86_64",
    "platform_system": "Linux",
    "platform_release": "",
    "platform_version": "",
    "sys_platform": "linux",
    "os_name": "posix",
}
REAL = [
    "numpy<2.2.0,>=1.26.0",
    "numpy (>=1.17.3,<2.2.0)",
    "protobuf!=4.21.0,!=4.21.1,!=4.21.2,<5.0.0dev,>=3.20.3",
    "tensorflow-intel==2.17.0; platform_system == 'Windows'",
    'nvidia-cublas-cu12<13.0,>=12.5.3.2; extra == "and-cuda"',
    'nvidia-cuda-nvcc-cu12 ; extra == "And_CUDA"',
    'tensorboard~=2.19.0 ; sys_platform != "darwin" or platform_machine != "arm64"',
    'ml-dtypes<1.0.0,>=0.5.1 ; python_version >= "3.13" and extra == "and-cuda"',
    "requests[socks]>=2.21.0,<3",
    "typing_extensions>=3.6.6",
    "wrapt>=1.11.0; python_full_version < '3.12.0'",
    "torch @ file:///somewhere/torch.whl",
    'tf-keras ; python_version in "3.10 3.11"',
    "importlib-metadata>=4.4 ; (python_version < '3.10')",
    'x; implementation_name == "cpython"',
    'x; python_version == "3.11.*"',
    'x; python_version ~= "3.10"',
    'x; "3.9" < python_version',
    'x; platform_machine < "z"',
]
NAMES = st.sampled_from(["numpy", "a", "A-b_c.d", "tf_keras-nightly", "-a", "a-", ""])
SPECIFIERS = st.sampled_from(
    ["", ">=1.0", " >= 1.0 , < 2", "(>=1.0)", "(>=1", ">=1,", "==1.*", "1.0", "===1", ">=1.0rc1"]
)
MARKERS = st.lists(
    st.builds(
        "{} {} {}".format,
        st.sampled_from([*ENVIRONMENT, "extra", "unknown"]),
        st.sampled_from(["==", "!=", "<", ">=", "in", "~="]),
        st.sampled_from(
            ['"3.11"', "'3.9'", '"and-cuda"', '"and_cuda"', '"linux"', "'x86_64'", '"3.11.*"', '""', "3.11"]
        ),
    ),
    max_size=3,
).map(lambda parts: (";" + " and ".join(parts)) if parts else "")


def of(line: str) -> Asked | None:
    try:
        return by_packaging(line, ENVIRONMENT)
    except (ValueError, KeyError):
        return None


@pytest.mark.parametrize("line", REAL)
def test_real_lines_are_read_as_packaging_reads_them(line: str) -> None:
    assert read_line(line, ENVIRONMENT) == of(line) is not None


OLD = Version(packaging.__version__).major < 24
"""Such a packaging raises InvalidVersion where a marker compares a word with what looks like a version."""


@given(st.builds("{}{}{}".format, NAMES, SPECIFIERS, MARKERS))
def test_what_is_understood_without_packaging_is_what_it_says(line: str) -> None:
    understood, said = plain(line, ENVIRONMENT), of(line)
    assert understood is None or understood == said or (said is None and OLD)


@pytest.mark.parametrize(
    "line", ["a" + " " * 400 + "?", "1" * 400 + "?", "a>=1" + " " * 400 + "?", "a;x==" + "1 " * 200 + "?"]
)
def test_a_hostile_line_costs_hardly_more_than_others(line: str) -> None:
    """One that is tried in every way to cut it costs as much as 50,000 real ones."""
    begun = time.process_time()
    for _ in range(100):
        plain(REAL[0], ENVIRONMENT)
    real = (time.process_time() - begun) / 100
    begun = time.process_time()
    assert plain(line, ENVIRONMENT) is None
    assert time.process_time() - begun < 10_000 * real


def test_the_lines_of_a_release_are_understood_without_packaging() -> None:
    assert plain(REAL[0], ENVIRONMENT) == Asked("numpy", "<2.2.0,>=1.26.0", ("",))
    assert plain(REAL[4], ENVIRONMENT) == Asked("nvidia-cublas-cu12", "<13.0,>=12.5.3.2", ("and-cuda",))
    assert plain(REAL[3], ENVIRONMENT) == Asked("tensorflow-intel", "==2.17.0", ())


@pytest.mark.parametrize("line", ["", "numpy about 2", "numpy>=1 ; python_version", "numpy ; extra = 'a'"])
def test_what_is_no_requirement_is_refused(line: str) -> None:
    with pytest.raises(ValueError):
        read_line(line, ENVIRONMENT)
