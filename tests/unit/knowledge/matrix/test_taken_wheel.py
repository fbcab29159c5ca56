"""Which wheel of a package an installer takes on Linux on x86-64 with the C library of manylinux_2_28."""

from __future__ import annotations

import pytest

from tfdoctor.knowledge.matrix.model import MatrixError
from tfdoctor.knowledge.matrix.wheels.together import _taken


def taken(*platforms: str) -> list[str]:
    wheels = "\n".join(
        f'[[packages.wheels]]\nurl = "https://files.example/keras_rs-1.0-cp312-cp312-{each}.whl"\nhashes = {{sha256 = "0"}}'
        for each in platforms
    )
    lock = f'[[packages]]\nname = "keras-rs"\nversion = "1.0"\n{wheels}\n'
    return [wheel.filename for wheel in _taken(lock.encode(), "3.12")]


@pytest.mark.parametrize("minor", [28, 27, 6, 5])
def test_a_wheel_for_this_c_library_or_an_older_one_is_taken(minor: int) -> None:
    assert taken(f"manylinux_2_{minor}_x86_64") == [f"keras_rs-1.0-cp312-cp312-manylinux_2_{minor}_x86_64.whl"]  # fmt: skip


@pytest.mark.parametrize("platform", ["manylinux_2_29_x86_64", "musllinux_1_2_x86_64", "win_amd64"])
def test_a_wheel_for_another_one_is_not(platform: str) -> None:
    with pytest.raises(MatrixError, match="keras-rs has no wheel for"):
        taken(platform)


def test_of_several_that_for_the_newest_c_library_is_taken() -> None:
    assert taken("manylinux_2_17_x86_64", "manylinux_2_27_x86_64", "manylinux2014_x86_64") == ["keras_rs-1.0-cp312-cp312-manylinux_2_27_x86_64.whl"]  # fmt: skip


def test_a_file_whose_name_is_no_wheels_is_passed_over() -> None:
    assert taken("of-no-wheel", "manylinux_2_5_x86_64") == ["keras_rs-1.0-cp312-cp312-manylinux_2_5_x86_64.whl"]  # fmt: skip
