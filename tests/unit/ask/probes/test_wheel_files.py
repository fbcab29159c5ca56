"""Whose libraries lie in the folders that NVIDIA's wheels share: told by the sizes in RECORD."""

from __future__ import annotations

from pathlib import Path

from tfdoctor.ask.probes.libraries.cuda_libraries import changed_wheels
from tfdoctor.facts.outcome import Absent, Known
from tfdoctor.facts.values import ChangedWheel, Distribution

MAIN, OPS = "nvidia/cudnn/lib/libcudnn.so.9", "nvidia/cudnn/lib/libcudnn_ops.so.9"


def wheel(site: Path, name: str, sizes: dict[str, int]) -> Distribution:
    """A wheel's metadata, and its files over those that are there."""
    folder = site / f"{name.replace('-', '_')}-9.28.0.42.dist-info"
    folder.mkdir(parents=True)
    rows = [f"{path},sha256=abc,{size}" for path, size in sizes.items()]
    (folder / "RECORD").write_text(
        "\n".join(["nvidia/__init__.py,,0", *rows, f"{folder.name}/RECORD,,"]) + "\n"
    )
    for path, size in sizes.items():
        (site / path).parent.mkdir(parents=True, exist_ok=True)
        (site / path).write_bytes(b"x" * size)
    return Distribution(name, "9.28.0.42", str(folder), "pip", in_user_site=False)


def test_alone_it_is_whole(tmp_path: Path) -> None:
    assert isinstance(
        changed_wheels([wheel(tmp_path, "nvidia-cudnn-cu12", {MAIN: 10, OPS: 20})]), Absent
    )


def test_the_one_that_was_written_over_is_told_with_who_did_it(tmp_path: Path) -> None:
    """The main library is the same in both, so it is not counted."""
    twelve = wheel(tmp_path, "nvidia-cudnn-cu12", {MAIN: 10, OPS: 20})
    thirteen = wheel(tmp_path, "nvidia-cudnn-cu13", {MAIN: 10, OPS: 30})
    found = changed_wheels([twelve, thirteen])
    assert isinstance(found, Known)
    assert found.value == (
        ChangedWheel("nvidia-cudnn-cu12", "9.28.0.42", (), (OPS,), "nvidia-cudnn-cu13 9.28.0.42"),
    )


def test_files_that_went_with_another_wheel_and_a_cut_one(tmp_path: Path) -> None:
    twelve = wheel(tmp_path, "nvidia-cudnn-cu12", {MAIN: 10, OPS: 20})
    (tmp_path / MAIN).unlink()
    (tmp_path / OPS).write_bytes(b"cut")
    found = changed_wheels([twelve])
    assert isinstance(found, Known)
    assert found.value == (ChangedWheel("nvidia-cudnn-cu12", "9.28.0.42", (MAIN,), (OPS,), ""),)


def test_without_a_record_nothing_is_said(tmp_path: Path) -> None:
    """conda and Debian write none."""
    twelve = wheel(tmp_path, "nvidia-cudnn-cu12", {MAIN: 10})
    (Path(twelve.folder) / "RECORD").unlink()
    (tmp_path / MAIN).unlink()
    assert isinstance(changed_wheels([twelve]), Absent)
