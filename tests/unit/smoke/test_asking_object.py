"""The object that asks the loader in TensorFlow's place gets the answers that TensorFlow would get.

Small libraries are compiled for it, and a program that stands for TensorFlow: a library with a RUNPATH that calls
dlopen itself.
"""

from __future__ import annotations

import ctypes
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.needs import GCC
from tfdoctor.ask.probes.workers.open_libraries import asking_object

pytestmark = pytest.mark.skipif(shutil.which("gcc") is None, reason=GCC)
HEAD = Path("/proc/self/exe").read_bytes()[:64]
ASK = (
    "import ctypes, sys\n"
    "try: ctypes.CDLL(sys.argv[1])\n"
    "except OSError as error: print(error)\n"
    "else: print([line.split()[-1] for line in open('/proc/self/maps') if 'libtop.so' in line][0])\n"
)
AS_TENSORFLOW = (
    "import ctypes, sys\n"
    "library = ctypes.CDLL(sys.argv[1])\n"
    "library.ask.restype = ctypes.c_char_p\n"
    "error = library.ask()\n"
    "if error: print(error.decode())\n"
    "else: print([line.split()[-1] for line in open('/proc/self/maps') if 'libtop.so' in line][0])\n"
)


def compiled(target: Path, text: str, *options: str) -> Path:
    target.parent.mkdir(parents=True, exist_ok=True)
    subprocess.run(
        ["gcc", "-shared", "-fPIC", "-x", "c", "-", "-x", "none", "-o", str(target), *options],
        input=text,
        text=True,
        check=True,
    )
    return target


def answer(program: str, argument: Path, **variables: str) -> str:
    environ = {"PATH": os.environ["PATH"], **variables}
    done = subprocess.run(
        [sys.executable, "-I", "-S", "-c", program, str(argument)],
        env=environ,
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stdout.strip()


def both(folder: Path, runpath: list[Path], **variables: str) -> str:
    """The answer, after it was shown to be the same for TensorFlow's stand-in and for our object."""
    path = ":".join(map(str, runpath))
    text = '#include <dlfcn.h>\nchar *ask(void) { return dlopen("libtop.so.1", RTLD_NOW | RTLD_LOCAL) ? 0 : dlerror(); }\n'
    options = ["-ldl"] + ([f"-Wl,--enable-new-dtags,-rpath,{path}"] if path else [])
    real = answer(AS_TENSORFLOW, compiled(folder / "libtensorflow.so", text, *options), **variables)
    ours = folder / "asks"
    ours.write_bytes(asking_object("libtop.so.1", [str(item) for item in runpath], HEAD))
    assert answer(ASK, ours, **variables) == real
    return real


def top(folder: Path, *options: str) -> Path:
    return compiled(
        folder / "libtop.so.1", "int top(void) { return 1; }", "-Wl,-soname,libtop.so.1", *options
    )


def test_the_runpath_is_searched_in_its_order(tmp_path: Path) -> None:
    first, second = top(tmp_path / "a"), top(tmp_path / "b")
    assert both(tmp_path, [tmp_path / "none", first.parent, second.parent]) == str(first)
    assert both(tmp_path, [second.parent, first.parent]) == str(second)


def test_ld_library_path_comes_first(tmp_path: Path) -> None:
    first, second = top(tmp_path / "a"), top(tmp_path / "b")
    assert both(tmp_path, [first.parent], LD_LIBRARY_PATH=str(second.parent)) == str(second)


def test_without_a_runpath_nothing_is_found(tmp_path: Path) -> None:
    top(tmp_path / "a")
    assert (
        both(tmp_path, [])
        == "libtop.so.1: cannot open shared object file: No such file or directory"
    )


def test_what_a_library_needs_is_not_searched_by_tensorflows_runpath(tmp_path: Path) -> None:
    needed = compiled(
        tmp_path / "b/libneeded.so.1",
        "int needed(void) { return 1; }",
        "-Wl,-soname,libneeded.so.1",
    )
    folder = top(tmp_path / "a", "-Wl,--no-as-needed", str(needed)).parent
    said = both(tmp_path, [folder, needed.parent])
    assert said == "libneeded.so.1: cannot open shared object file: No such file or directory"


def test_what_a_library_needs_is_searched_by_its_own_runpath(tmp_path: Path) -> None:
    needed = compiled(
        tmp_path / "b/libneeded.so.1",
        "int needed(void) { return 1; }",
        "-Wl,-soname,libneeded.so.1",
    )
    own = "-Wl,--enable-new-dtags,-rpath,$ORIGIN/../b"
    found = top(tmp_path / "a", "-Wl,--no-as-needed", str(needed), own)
    assert both(tmp_path, [found.parent]) == str(found)


def test_a_broken_library_is_told_in_the_loaders_words(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "a/libtop.so.1").write_bytes(b"")
    assert both(tmp_path, [tmp_path / "a"]).endswith("file too short")


def test_another_kind_of_elf_is_refused() -> None:
    with pytest.raises(ValueError, match="not supported"):
        asking_object("libx.so", [], b"\x7fELF\x01\x01" + bytes(58))


def test_it_holds_no_code_and_asks_for_no_executable_stack(tmp_path: Path) -> None:
    path = tmp_path / "asks"
    path.write_bytes(asking_object("libc.so.6", [], HEAD))
    ctypes.CDLL(str(path))
    assert not [
        line
        for line in Path("/proc/self/maps").read_text().splitlines()
        if str(path) in line and "x" in line.split()[1]
    ]
