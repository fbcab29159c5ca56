"""What writes replaces a file or makes a new one; a device, a pipe, a folder or another user's link stays what it is."""

from __future__ import annotations

import os
import shlex
import socket
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from tests.needs import DEVICES, only_root
from tests.unit.apps.cli.running import environment, machine
from tfdoctor.base.safe_replace import (
    file_to_replace,
    place_of,
    remove_all_parts,
    replace_file,
    stream_of,
)

SOMEBODY = 65534


def pipe_at(path: Path) -> None:
    os.mkfifo(path)


def socket_at(path: Path) -> None:
    socket.socket(socket.AF_UNIX).bind(os.path.relpath(path))


def folder_at(path: Path) -> None:
    path.mkdir()


def device_at(path: Path) -> None:
    try:
        os.mknod(path, 0o666 | stat.S_IFCHR, os.makedev(1, 7))  # as /dev/full
    except PermissionError:
        pytest.skip(DEVICES)


@pytest.mark.parametrize(
    "make",
    [pipe_at, socket_at, folder_at, pytest.param(device_at, marks=only_root)],
    ids=lambda make: make.__name__,
)
def test_what_is_not_a_file_stays(
    make: object, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    place = tmp_path / "place"
    assert callable(make)
    make(place)
    before = place.stat()
    with pytest.raises(OSError, match="it is"):
        replace_file(str(place), b"new")
    after = place.stat()
    assert (before.st_ino, before.st_mode) == (after.st_ino, after.st_mode)
    assert os.listdir(tmp_path) == ["place"]


def test_a_link_of_ones_own_is_followed_and_stays(tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    (tmp_path / "link").symlink_to("folder/../folder/./real")
    replace_file(str(tmp_path / "link"), b"new")
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "folder/real").read_bytes() == b"new"


@only_root
@pytest.mark.parametrize("link", ["file", "folder/inner"])
def test_another_users_link_is_not_followed(link: str, tmp_path: Path) -> None:
    (tmp_path / "victim").mkdir()
    (tmp_path / "victim/inner").write_text("precious")
    (tmp_path / "file").symlink_to("victim/inner")
    (tmp_path / "folder").symlink_to("victim")
    for name in ("file", "folder"):
        os.lchown(tmp_path / name, SOMEBODY, SOMEBODY)
    with pytest.raises(PermissionError, match="link of another user"):
        replace_file(str(tmp_path / link), b"new")
    assert (tmp_path / "victim/inner").read_text() == "precious"


@pytest.mark.parametrize("mode", [0o777, 0o707])
def test_a_link_that_everybody_may_change_is_not_followed(mode: int, tmp_path: Path) -> None:
    (tmp_path / "victim").write_text("precious")
    (tmp_path / "open").mkdir()
    (tmp_path / "open/link").symlink_to("../victim")
    (tmp_path / "open").chmod(mode)
    with pytest.raises(PermissionError, match="every user may change it"):
        replace_file(str(tmp_path / "open/link"), b"new")
    assert (tmp_path / "victim").read_text() == "precious"
    (tmp_path / "open").chmod(mode | stat.S_ISVTX)
    replace_file(str(tmp_path / "open/link"), b"new")
    assert (tmp_path / "victim").read_text() == "new"


def test_links_in_a_ring_end(tmp_path: Path) -> None:
    (tmp_path / "a").symlink_to("b")
    (tmp_path / "b").symlink_to("a")
    with pytest.raises(OSError, match="symbolic links"):
        place_of(str(tmp_path / "a"))


def test_modes(tmp_path: Path) -> None:
    (tmp_path / "old").write_text("old")
    (tmp_path / "old").chmod(0o640)
    replace_file(str(tmp_path / "old"), b"new")
    assert stat.S_IMODE((tmp_path / "old").stat().st_mode) == 0o640
    replace_file(str(tmp_path / "old"), b"new", private=True)
    assert stat.S_IMODE((tmp_path / "old").stat().st_mode) == 0o600


def test_a_write_that_fails_leaves_the_old_file_and_nothing_else(tmp_path: Path) -> None:
    (tmp_path / "old").write_text("old")
    with pytest.raises(TypeError):
        replace_file(str(tmp_path / "old"), "no bytes")  # type: ignore[arg-type]  # the failure
    assert os.listdir(tmp_path) == ["old"]
    assert (tmp_path / "old").read_text() == "old"
    remove_all_parts()
    assert os.listdir(tmp_path) == ["old"]


def test_a_handle_of_our_own_is_written_to(tmp_path: Path) -> None:
    here, there = os.pipe()
    stream = stream_of(f"/dev/fd/{there}")
    assert stream is not None
    os.write(stream, b"told")
    assert os.read(here, 10) == b"told"
    with pytest.raises(OSError, match="descriptor"):
        stream_of(f"/proc/self/fd/{here}")  # its other end, only to be read from
    for handle in (here, there, stream):
        os.close(handle)
    assert stream_of(str(tmp_path / "new")) is None
    assert file_to_replace(str(tmp_path / "new")) == str(tmp_path / "new")


@pytest.mark.slow  # starts the program through a shell
@pytest.mark.parametrize(
    "line",
    [
        "{doctor} check --facts {facts} --json -o /dev/stdout | cat",
        "{doctor} check --facts {facts} --json -o >(cat) | cat",
        "{doctor} check --facts {facts} --json -o /dev/stderr 2>&1 | cat",
        "echo -n >out; {doctor} check --facts {facts} --json -o /dev/stdout >>out; cat out",
        "{doctor} check --facts {facts} --json -o /dev/fd/7 7>out; cat out",
        "mkfifo p; cat p & {doctor} check --facts {facts} --json -o p; wait",
    ],
)
def test_pipes_and_handles_as_output(line: str, tmp_path: Path) -> None:
    command = line.format(
        doctor=f"{shlex.quote(sys.executable)} -m tfdoctor",
        facts=shlex.quote(machine("healthy-cpu")),
    )
    ran = subprocess.run(
        ["bash", "-c", command], cwd=tmp_path, env=environment(), capture_output=True, text=True, timeout=60, check=False,
    )  # fmt: skip
    assert ran.stderr == ""
    assert ran.stdout.startswith('{\n  "schema_version"')
    assert ran.stdout.endswith("}\n")
    assert set(os.listdir(tmp_path)) <= {"out", "p"}
