"""Which file the dynamic loader would take, in which order, and why it would take none."""

from __future__ import annotations

import ctypes.util
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.needs import LDCONFIG
from tests.unit.ask.probes.fake_elf import cache_bytes, make_library
from tfdoctor.base.elf import NotElfError, read_elf
from tfdoctor.base.loader import Loader, read_cache
from tfdoctor.base.records import replace
from tfdoctor.base.sysroot import System

NAME = "libcudnn.so.9"


def loader_below(root: Path, **environ: str) -> Loader:
    root.mkdir(exist_ok=True)
    return Loader(System(root, environ), "x86_64")


def found(loader: Loader, caller: Path, name: str = NAME) -> list[tuple[str, str]]:
    places = loader.places(read_elf(str(caller)), str(caller.parent))
    return [(copy.path, copy.via) for copy in loader.find(name, places)]


def test_the_order_of_the_search(tmp_path: Path) -> None:
    root = tmp_path / "root"
    caller = make_library(
        tmp_path / "tf" / "libframework.so", runpath="$ORIGIN/../nvidia/cudnn/lib:${ORIGIN}/gone"
    )
    by_runpath = make_library(tmp_path / "nvidia" / "cudnn" / "lib" / NAME)
    by_variable = make_library(tmp_path / "set" / NAME)
    by_cache = make_library(root / "opt" / "cuda" / NAME)
    by_default = make_library(root / "usr" / "lib" / "x86_64-linux-gnu" / NAME)
    (root / "etc").mkdir()
    (root / "etc" / "ld.so.cache").write_bytes(
        cache_bytes([(NAME, f"/opt/cuda/{NAME}"), ("libz.so.1", "/lib/libz.so.1")])
    )
    loader = loader_below(root, LD_LIBRARY_PATH=f"/nonexistent:{tmp_path / 'set'}")
    assert found(loader, caller) == [
        (str(by_variable), "LD_LIBRARY_PATH"),
        (str(by_runpath), "RUNPATH"),
        (str(by_cache), "ld.so.cache"),
        (str(by_default), "default"),
    ]


def test_rpath_comes_before_the_variable_and_counts_only_without_runpath(tmp_path: Path) -> None:
    first, second = make_library(tmp_path / "own" / NAME), make_library(tmp_path / "set" / NAME)
    loader = loader_below(tmp_path / "root", LD_LIBRARY_PATH=str(second.parent))
    with_rpath = make_library(tmp_path / "tf" / "a.so", rpath="$ORIGIN/../own")
    assert found(loader, with_rpath) == [(str(first), "RPATH"), (str(second), "LD_LIBRARY_PATH")]
    with_both = make_library(tmp_path / "tf" / "b.so", rpath="$ORIGIN/../own", runpath="/elsewhere")
    assert found(loader, with_both) == [(str(second), "LD_LIBRARY_PATH")]


def test_the_programs_rpath_counts_for_what_it_loads(tmp_path: Path) -> None:
    conda = make_library(tmp_path / "env" / "lib" / NAME)
    program = make_library(tmp_path / "env" / "bin" / "python3", rpath="$ORIGIN/../lib")
    loader = loader_below(tmp_path / "root")
    loader = replace(loader, program=read_elf(str(program)), program_folder=str(program.parent))
    assert found(loader, make_library(tmp_path / "tf" / "a.so")) == [(str(conda), "RPATH")]


def test_one_file_by_two_ways_is_one_copy(tmp_path: Path) -> None:
    real = make_library(tmp_path / "lib" / "libcudnn.so.9.3.0")
    (tmp_path / "lib" / NAME).symlink_to(real.name)
    (tmp_path / "link").symlink_to("lib")
    caller = make_library(
        tmp_path / "tf" / "a.so", runpath=f"{tmp_path / 'lib'}:{tmp_path / 'link'}"
    )
    assert found(loader_below(tmp_path / "root"), caller) == [
        (str(tmp_path / "lib" / NAME), "RUNPATH")
    ]


def test_an_empty_entry_is_the_working_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    here = make_library(tmp_path / NAME)
    loader = loader_below(tmp_path / "root", LD_LIBRARY_PATH="/nonexistent:")
    assert found(loader, make_library(tmp_path / "tf" / "a.so")) == [(str(here), "LD_LIBRARY_PATH")]


def test_a_preloaded_library_comes_first(tmp_path: Path) -> None:
    preloaded = make_library(tmp_path / "pre" / NAME)
    loader = loader_below(tmp_path / "root", LD_PRELOAD=f"libfoo.so {preloaded}")
    assert found(loader, make_library(tmp_path / "tf" / "a.so")) == [(str(preloaded), "LD_PRELOAD")]


def test_tuned_copies_need_their_processor(tmp_path: Path) -> None:
    plain = make_library(tmp_path / "lib" / NAME)
    tuned = make_library(tmp_path / "lib" / "glibc-hwcaps" / "x86-64-v2" / NAME)
    caller = make_library(tmp_path / "tf" / "a.so", runpath=str(tmp_path / "lib"))
    loader = loader_below(tmp_path / "root")
    assert found(loader, caller) == [(str(plain), "RUNPATH")]
    loader = replace(
        loader, cpu_flags=frozenset({"cx16", "lahf_lm", "popcnt", "sse4_1", "sse4_2", "ssse3"})
    )
    assert found(loader, caller) == [(str(tuned), "RUNPATH"), (str(plain), "RUNPATH")]


@pytest.mark.parametrize(
    ("spoil", "words"),
    [
        (lambda path: path.write_bytes(path.read_bytes()[:-20]), "is cut off"),
        (lambda path: path.write_bytes(path.read_bytes()[:70]), "ends inside its own headers"),
        (lambda path: path.write_bytes(b""), "is empty"),
        (lambda path: path.write_text("version https://git-lfs.example\n"), "is no ELF file"),
        (
            lambda path: make_library(path, machine="aarch64"),
            "is built for aarch64, not for x86_64",
        ),
    ],
)
def test_a_file_that_can_not_be_loaded_says_why(tmp_path: Path, spoil: object, words: str) -> None:
    path = make_library(tmp_path / NAME)
    spoil(path)  # type: ignore[operator]  # a function from the parameters above
    copy = loader_below(tmp_path / "root").inspect(str(path), "RUNPATH")
    assert words in copy.problem
    assert copy.foreign == ("aarch64" in words)


def test_random_bytes_behind_the_magic_never_raise_anything_unexpected(tmp_path: Path) -> None:
    good = make_library(tmp_path / NAME, needed=("libz.so.1",), runpath="/a:/b").read_bytes()
    for place in range(4, len(good) - 256):
        spoiled = bytearray(good)
        spoiled[place] = 0xFF
        (tmp_path / "bad.so").write_bytes(spoiled)
        try:
            read_elf(str(tmp_path / "bad.so"))
        except NotElfError:
            continue


@pytest.mark.parametrize("size", [4, 5, 15, 16, 63])
def test_a_library_that_ends_inside_its_first_bytes_is_told(size: int, tmp_path: Path) -> None:
    (tmp_path / "cut.so").write_bytes((b"\x7fELF\x02\x01\x01" + bytes(57))[:size])
    with pytest.raises(NotElfError, match="ends inside its own headers"):
        read_elf(str(tmp_path / "cut.so"))


def test_other_majors_where_the_loader_looks(tmp_path: Path) -> None:
    old = make_library(tmp_path / "lib" / "libcudnn.so.8")
    for name in ("libcudnn.so", "libcudnn.so.9.3.0", "libcudnn_ops.so.8", "libcudnnx.so.8"):
        make_library(tmp_path / "lib" / name)
    loader = loader_below(tmp_path / "root", LD_LIBRARY_PATH=str(tmp_path / "lib"))
    assert loader.other_majors(NAME, loader.places(None, "")) == [str(old)]


def test_a_cache_behind_the_older_form_and_for_another_machine() -> None:
    entries = [("libcuda.so.1", "/usr/lib/libcuda.so.1"), ("libcuda.so.1", "/opt/libcuda.so.1")]
    assert read_cache(cache_bytes(entries, with_old_part=True), "x86_64") == {
        "libcuda.so.1": ["/usr/lib/libcuda.so.1", "/opt/libcuda.so.1"]
    }
    assert read_cache(cache_bytes(entries, flags=0x0A03), "x86_64") == {}
    assert len(read_cache(cache_bytes(entries, flags=0x0A03), "aarch64")) == 1


@pytest.mark.parametrize("cut", [0, 5, 30, 60, 100, -1])
def test_a_cut_cache_is_told(cut: int) -> None:
    with pytest.raises(ValueError, match=r"ld\.so\.cache"):
        read_cache(cache_bytes([("libcuda.so.1", "/usr/lib/libcuda.so.1")] * 3)[:cut], "x86_64")


def test_a_cache_of_the_older_form_that_is_cut_in_its_head_is_told() -> None:
    with pytest.raises(ValueError, match=r"ld\.so\.cache ends too early \(12 bytes\)"):
        read_cache(b"ld.so-1.7.0\0", "x86_64")


def test_this_machines_cache_reads_as_ldconfig_prints_it() -> None:
    ldconfig = shutil.which("ldconfig", path="/sbin:/usr/sbin:/usr/bin") or ""
    machine = os.uname().machine
    if not ldconfig or machine != "x86_64" or not Path("/etc/ld.so.cache").exists():
        pytest.skip(LDCONFIG)
    printed = subprocess.run([ldconfig, "-p"], capture_output=True, text=True, check=True).stdout
    expected = {
        line.split(" => ")[1].strip() for line in printed.splitlines() if "libc6,x86-64" in line
    }
    read = read_cache(Path("/etc/ld.so.cache").read_bytes(), machine)
    assert {path for paths in read.values() for path in paths} == expected


def test_the_interpreter_that_runs_the_tests_is_read(tmp_path: Path) -> None:
    elf = read_elf(os.path.realpath(sys.executable))
    assert elf.machine == os.uname().machine
    assert elf.complete
    assert "ld-" in elf.interpreter
    assert ctypes.util.find_library("c") in elf.needed
