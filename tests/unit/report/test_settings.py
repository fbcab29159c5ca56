"""What the user demands in a file, and how its mistakes are told."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.needs import only_root
from tfdoctor.knowledge.model import Ignored
from tfdoctor.report.settings import Settings, SettingsError, find_settings

ALL = """
required-tensorflow = ">=2.18,<2.22"
require-gpu = true
ignore = [{code = "swap-thrashing", reason = "a fast disk"}, "cupti-unavailable"]
min-free-memory = "8G"
min-free-vram = "512M"
smoke = "none"
fail-on = "warning"
timeout = 30
"""


def test_all_of_it(tmp_path: Path) -> None:
    file = tmp_path / "tfdoctor.toml"
    file.write_text(ALL)
    assert find_settings(tmp_path) == Settings(
        file=str(file),
        options={"require_gpu": True, "smoke": "none", "fail_on": "warning", "timeout_s": 30.0},
        required_tensorflow="<2.22,>=2.18",
        ignore=(
            Ignored("swap-thrashing", "a fast disk"),
            Ignored("cupti-unavailable", f"ignored in {file}"),
        ),
        min_free_memory=8 << 30,
        min_free_vram=512 << 20,
    )


def test_the_nearest_file_counts_and_tfdoctor_toml_goes_first(tmp_path: Path) -> None:
    inner = tmp_path / "a" / "b"
    inner.mkdir(parents=True)
    assert find_settings(inner).file == ""
    (tmp_path / "pyproject.toml").write_text("[tool.tfdoctor]\nrequire-gpu = false\n")
    assert find_settings(inner).options == {"require_gpu": False}
    (tmp_path / "a" / "pyproject.toml").write_text("[project]\nname = 'tfdoctor-user'\n")
    assert find_settings(inner).options == {"require_gpu": False}
    (tmp_path / "a" / "pyproject.toml").write_text("[tool.tfdoctor]\n")
    assert find_settings(inner).options == {}
    (tmp_path / "a" / "tfdoctor.toml").write_text("require-gpu = true\n")
    assert find_settings(inner).options == {"require_gpu": True}


def test_a_plain_version_is_that_version(tmp_path: Path) -> None:
    (tmp_path / "tfdoctor.toml").write_text('required-tensorflow = "2.21.0"')
    assert find_settings(tmp_path).required_tensorflow == "==2.21.0"


@pytest.mark.parametrize(
    ("content", "told"),
    [
        (b"x = [", "invalid TOML"),
        (b"\xff", "invalid TOML"),
        (b"colour = 1", "unknown setting 'colour'; known are required-tensorflow"),
        (b'required-tensorflow = ">=two"', 'must be a version specifier such as ">=2.18,<2.22"'),
        (b"required-tensorflow = 2.18", "version specifier"),
        (b'require-gpu = "yes"', "require-gpu must be true or false"),
        (b"ignore = 'x'", "ignore must be a list"),
        (b"ignore = [1]", "ignore must be a list"),
        (b"ignore = ['driver-to-old']", "ignore: unknown code 'driver-to-old'"),
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


SOMEBODY, COLLEAGUE = 65534, 4711


@only_root
@pytest.mark.parametrize(
    ("file_of", "folder_of", "working_of", "counts"),
    [
        (
            SOMEBODY,
            0,
            0,
            False,
        ),  # left in a folder that everybody may write to, above the working folder
        (SOMEBODY, 0, SOMEBODY, False),
        (SOMEBODY, SOMEBODY, 0, False),
        (COLLEAGUE, COLLEAGUE, COLLEAGUE, True),  # a colleague's checkout
        (0, SOMEBODY, SOMEBODY, True),  # root's and one's own always
    ],
)
def test_whose_settings_count(
    file_of: int, folder_of: int, working_of: int, counts: bool, tmp_path: Path
) -> None:
    working, file = tmp_path / "shared" / "work", tmp_path / "shared" / "tfdoctor.toml"
    working.mkdir(parents=True)
    file.write_text("ignore = ['driver-missing']")
    for path, owner in ((file, file_of), (file.parent, folder_of), (working, working_of)):
        os.chown(path, owner, owner)
    found = find_settings(working)
    assert bool(found.ignore) is counts
    assert found.foreign == (() if counts else (str(file),))


@only_root
def test_another_users_link_brings_no_settings(tmp_path: Path) -> None:
    (tmp_path / "roots.toml").write_text("ignore = ['driver-missing']")
    (tmp_path / "tfdoctor.toml").symlink_to("roots.toml")
    os.lchown(tmp_path / "tfdoctor.toml", SOMEBODY, SOMEBODY)
    assert find_settings(tmp_path) == Settings(foreign=(str(tmp_path / "tfdoctor.toml"),))


@pytest.mark.parametrize(
    "content",
    [
        "min-free-memory = " + "9" * 400,
        "min-free-memory = " + "9" * 5000,
        "min-free-vram = 1e400",
        "min-free-vram = nan",
        "ignore = " + "[" * 3000 + "]" * 3000,
        "a" + ".a" * 5000 + " = 1",
        "ignore = 1979-05-27",
    ],
    ids=lambda content: content[:30],
)
def test_whatever_the_file_holds_is_a_mistake_with_one_line(content: str, tmp_path: Path) -> None:
    (tmp_path / "tfdoctor.toml").write_text(content)
    with pytest.raises(SettingsError) as error:
        find_settings(tmp_path)
    assert len(str(error.value)) < 400


def test_a_tool_that_is_no_table_says_nothing_of_us(tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text("tool = 1  # not tfdoctor's")
    assert find_settings(tmp_path) == Settings()
