"""Clones: the same to whoever reads them, and what was written through a link is seen."""

from __future__ import annotations

import os
import socket
import time
from pathlib import Path

import pytest

from tests.unit.apps.repair.standin import picture
from tfdoctor.apps.repair import tree
from tfdoctor.base.records import replace

NAMES = ("plain.py", "with blank", "it's", 'a "quoted" one', "two\nlines", "-rf", "ümlaut", "$(touch x)", b"\xff\xfe.py".decode("utf-8", "surrogateescape"))  # fmt: skip
LONG_AGO = 1_000_000_000_123_456_789


@pytest.fixture
def environment(tmp_path: Path) -> Path:
    root = tmp_path / "envs" / "tf"
    (root / "lib" / "package").mkdir(parents=True)
    for name in NAMES:
        (root / "lib" / "package" / name).write_text(name.encode("utf-8", "replace").decode())
    (root / "bin").mkdir()
    (root / "bin" / "tool").write_text("#!/bin/sh\n")
    (root / "bin" / "tool").chmod(0o755)
    (root / "lib64").symlink_to("lib")
    (root / "dangling").symlink_to("/nowhere/at all")
    (root / "secret").write_text("x")
    (root / "secret").chmod(0o600)
    for each in (root / "secret", root / "bin", root / "lib64", root / "lib", root):
        os.utime(each, ns=(LONG_AGO, LONG_AGO), follow_symlinks=False)
    return root


def test_a_clone_reads_the_same(environment: Path, tmp_path: Path) -> None:
    before = picture(environment)
    tree.clone(environment, tmp_path / "clone", tree.manifest(environment), {"bin/tool"})
    assert picture(tmp_path / "clone") == before == picture(environment)


def test_what_is_to_be_written_is_a_file_of_its_own(environment: Path, tmp_path: Path) -> None:
    tree.clone(environment, tmp_path / "clone", tree.manifest(environment), {"bin/tool"})
    with (tmp_path / "clone" / "bin" / "tool").open("a") as file:
        file.write("exit 1\n")
    assert (environment / "bin" / "tool").read_text() == "#!/bin/sh\n"


def test_replacing_and_removing_in_the_clone_is_no_change(
    environment: Path, tmp_path: Path
) -> None:
    clone = tmp_path / "clone"
    tree.clone(environment, clone, tree.manifest(environment))
    base = tree.manifest(environment)
    (clone / "secret").unlink()
    (clone / "new").write_text("new")
    os.replace(clone / "new", clone / "bin" / "tool")
    assert tree.differences(base, tree.manifest(environment)) == ()


def test_writing_through_a_link_is_seen_whatever_the_time_says(
    environment: Path, tmp_path: Path
) -> None:
    clone = tmp_path / "clone"
    tree.clone(environment, clone, tree.manifest(environment))
    if os.stat(clone / "secret").st_ino != os.stat(environment / "secret").st_ino:
        pytest.skip("this file system copies on write")
    base = tree.manifest(environment)
    (clone / "secret").write_text("y")
    os.utime(clone / "secret", ns=(LONG_AGO, LONG_AGO))
    assert tree.differences(base, tree.manifest(environment)) == ("secret",)


@pytest.mark.parametrize("what", ["content", "mode", "gone", "new", "link", "kind"])
def test_every_change_is_seen(environment: Path, what: str) -> None:
    base = tree.manifest(environment)
    secret = environment / "secret"
    if what == "content":
        secret.write_text("longer")
    elif what == "mode":
        secret.chmod(0o644)
    elif what == "new":
        (environment / "lib" / "another").write_text("")
    else:
        secret.unlink()
        if what == "link":
            secret.symlink_to("bin/tool")
        elif what == "kind":
            secret.mkdir()
    assert any(
        each in ("secret", "lib/another")
        for each in tree.differences(base, tree.manifest(environment))
    )


def test_what_python_caches_can_be_passed_over(environment: Path) -> None:
    base = tree.manifest(environment)
    cache = environment / "lib" / "package" / "__pycache__"
    cache.mkdir()
    (cache / "plain.cpython-311.pyc").write_bytes(b"x")
    now = tree.manifest(environment)
    assert tree.differences(base, now, caches=False) == ()
    assert "lib/package/__pycache__" in tree.differences(base, now)


def test_what_is_no_file_is_not_cloned(environment: Path) -> None:
    with socket.socket(socket.AF_UNIX) as end:
        working = Path.cwd()
        os.chdir(environment)  # the name of a socket may have 107 bytes
        try:
            end.bind("socket")
        finally:
            os.chdir(working)
        with pytest.raises(tree.TreeError, match="socket is a device, a pipe or a socket"):
            tree.manifest(environment)


def test_a_manifest_is_read_as_it_was_written(environment: Path, tmp_path: Path) -> None:
    entries = tree.manifest(environment)
    tree.write_manifest(tmp_path / "manifest", entries)
    assert tree.read_manifest(tmp_path / "manifest") == entries


def test_a_damaged_manifest_is_said_to_be_one(tmp_path: Path) -> None:
    for content in ("", "[]", '{"a": 1}', '{"a": [1]}'):
        (tmp_path / "manifest").write_text(content)
        with pytest.raises(tree.TreeError, match="is damaged"):
            tree.read_manifest(tmp_path / "manifest")


def test_what_nobody_may_enter_is_removed_all_the_same(environment: Path) -> None:
    (environment / "lib" / "package").chmod(0)
    (environment / "lib").chmod(0o500)
    tree.remove(environment)
    assert not environment.exists()
    tree.remove(environment)


def test_who_links_a_file_of_uvs_cache_again_changes_nothing(
    environment: Path, tmp_path: Path
) -> None:
    """Another environment is made from the same cache and an older one removed: the number of names is the same, the change time not."""
    file = environment / "secret"
    for name in ("cache", "older"):
        os.link(file, tmp_path / name)
    tree.clone(environment, tmp_path / "clone", tree.manifest(environment))
    base = tree.manifest(environment)
    os.link(file, tmp_path / "newer")
    (tmp_path / "older").unlink()
    assert tree.manifest(environment)["secret"].changed != base["secret"].changed
    assert tree.differences(base, tree.manifest(environment)) == ()
    file.write_text("other")
    assert tree.differences(base, tree.manifest(environment)) == ("secret",)


def test_an_environment_whose_files_all_got_a_new_change_time_is_compared_at_once() -> None:
    """As after the fix that came later was undone: each file of its clone is removed, and no number of names differs."""
    one = tree.Entry("file", 0o644, 1, LONG_AGO, "", 1, 2, LONG_AGO)
    before = {f"lib/{number}.py": one for number in range(6000)}
    now = {path: replace(one, changed=LONG_AGO + 1) for path in before}
    started = time.monotonic()
    assert tree.written(before, now) == ()
    assert tree.written(
        before, {**now, "lib/7.py": replace(one, size=2, changed=LONG_AGO + 1)}
    ) == ("lib/7.py",)
    assert time.monotonic() - started < 10, "it compares each with all"
