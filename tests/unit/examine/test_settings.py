"""What the user demands in a file, and how its mistakes are told."""

from __future__ import annotations

from pathlib import Path

import pytest

from tfdoctor.examine.settings import Settings, SettingsError, find_settings, parse_size
from tfdoctor.findings.model import Ignored

ALL = """
required-tensorflow = ">=2.18,<2.22"
require-gpu = true
ignore = [{code = "swap-thrashing", reason = "a fast disk"}, "cupti-unavailable"]
min-free-memory = "8G"
min-free-vram = "512M"
"""


def test_all_of_it(tmp_path: Path) -> None:
    file = tmp_path / "tfdoctor.toml"
    file.write_text(ALL)
    assert find_settings(tmp_path) == Settings(
        file=str(file),
        required_tensorflow="<2.22,>=2.18",
        require_gpu=True,
        ignore=(
            Ignored("swap-thrashing", "a fast disk"),
            Ignored("cupti-unavailable", "ignored in tfdoctor.toml"),
        ),
        min_free_memory=8 << 30,
        min_free_vram=512 << 20,
    )


def test_the_nearest_file_counts_and_tfdoctor_toml_goes_first(tmp_path: Path) -> None:
    inner = tmp_path / "a" / "b"
    inner.mkdir(parents=True)
    assert find_settings(inner).file == ""
    (tmp_path / "pyproject.toml").write_text("[tool.tfdoctor]\nrequire-gpu = false\n")
    assert find_settings(inner).require_gpu is False
    (tmp_path / "a" / "pyproject.toml").write_text("[project]\nname = 'tfdoctor-user'\n")
    assert find_settings(inner).require_gpu is False
    (tmp_path / "a" / "pyproject.toml").write_text("[tool.tfdoctor]\n")
    assert find_settings(inner).require_gpu is None
    (tmp_path / "a" / "tfdoctor.toml").write_text("require-gpu = true\n")
    assert find_settings(inner).require_gpu is True


def test_a_plain_version_is_that_version(tmp_path: Path) -> None:
    (tmp_path / "tfdoctor.toml").write_text('required-tensorflow = "2.21.0"')
    assert find_settings(tmp_path).required_tensorflow == "==2.21.0"


@pytest.mark.parametrize(
    ("content", "told"),
    [
        (b"x = [", "no TOML"),
        (b"\xff", "no TOML"),
        (b"colour = 1", "unknown setting 'colour'; known are required-tensorflow"),
        (b'required-tensorflow = ">=two"', 'must be a version specifier such as ">=2.18,<2.22"'),
        (b"required-tensorflow = 2.18", "version specifier"),
        (b'require-gpu = "yes"', "require-gpu must be true or false"),
        (b"ignore = 'x'", "ignore must be a list"),
        (b"ignore = [1]", "ignore must be a list"),
        (b"ignore = ['driver-to-old']", "'driver-to-old', which is no finding code"),
        (b"min-free-memory = 'much'", 'min-free-memory must be a size such as "2G"'),
        (b"min-free-memory = true", 'min-free-memory must be a size such as "2G"'),
    ],
)
def test_a_mistake_is_told_with_its_file(content: bytes, told: str, tmp_path: Path) -> None:
    file = tmp_path / "tfdoctor.toml"
    file.write_bytes(content)
    with pytest.raises(SettingsError) as error:
        find_settings(tmp_path)
    assert str(error.value).startswith(f"{file}: ")
    assert told in str(error.value)
    assert "\n" not in str(error.value)


def test_tool_tfdoctor_must_be_a_table(tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text("[tool]\ntfdoctor = 1\n")
    with pytest.raises(SettingsError, match="must be a table"):
        find_settings(tmp_path)


@pytest.mark.parametrize(
    ("text", "size"),
    [
        ("0", 0),
        ("1000", 1000),
        ("1k", 1024),
        ("512M", 512 << 20),
        ("2 GiB", 2 << 30),
        ("1.5G", 3 << 29),
        ("1TB", 1 << 40),
    ],
)
def test_sizes(text: str, size: int) -> None:
    assert parse_size(text) == size


@pytest.mark.parametrize("text", ["", "G", "1X", "-1", "1 2", "1e9"])
def test_no_sizes(text: str) -> None:
    with pytest.raises(ValueError, match="is no size"):
        parse_size(text)
