"""A CUDA library that is found, and lacks a symbol that another one needs of it. The libraries are compiled here."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.needs import GCC
from tests.unit.ask.probes.test_cuda_libraries import add_libraries, ask, library, site  # noqa: F401  # a fixture
from tfdoctor.base.elf import read_symbols
from tfdoctor.facts.outcome import Known

pytestmark = pytest.mark.skipif(shutil.which("gcc") is None, reason=GCC)


def compiled(path: Path, source: str, *linked: Path, runpath: str = "") -> Path:
    """A library whose symbols all bear its own name as their version, as NVIDIA's do."""
    path.parent.mkdir(parents=True, exist_ok=True)
    script = path.with_suffix(".map")
    script.write_text(f"{path.name} {{ global: *; }};\n")
    options = [
        f"-Wl,-soname,{path.name}",
        f"-Wl,--version-script={script}",
        "-Wl,--enable-new-dtags",
    ]
    options += [f"-Wl,-rpath,{runpath}"] * bool(runpath)
    command = ["gcc", "-shared", "-fPIC", "-x", "c", "-", "-x", "none", "-o", str(path), *options, *map(str, linked)]  # fmt: skip
    subprocess.run(command, input=source, text=True, check=True, timeout=60)
    return path


OLD, NEW = (
    "int link_12_0(void) { return 1; }",
    "int link_12_0(void) { return 1; } int link_12_9(void) { return 2; }",
)
CALLS = "int {name}(void); int use(void) {{ return {name}(); }}"


def pair(site: Path, tmp_path: Path, user: str, used: str, source: str) -> tuple[Path, Path]:  # noqa: F811
    """In the wheels' folders a library and the newer one that it was linked with; elsewhere an older one. Both paths."""
    add_libraries(site)
    folders = {"libnvJitLink": "nvjitlink", "libcublasLt": "cublas", "libcudnn_graph": "cudnn"}
    newer = compiled(site / "nvidia" / folders[used.split(".")[0]] / "lib" / used, NEW)
    folder = {"libcusparse": "cusparse", "libcublas": "cublas", "libcudnn_ops": "cudnn"}[
        user.split(".")[0]
    ]
    asking = compiled(
        site / "nvidia" / folder / "lib" / user, source, newer,
        runpath=f"$ORIGIN/../../{folders[used.split('.')[0]]}/lib",
    )  # fmt: skip
    return asking, compiled(tmp_path / "older" / used, OLD)


def opens(path: Path, folder: Path) -> bool:
    """Whether the loader itself opens it, as TensorFlow does: all functions are bound at once."""
    code = "import ctypes, os, sys; ctypes.CDLL(sys.argv[1], mode=os.RTLD_NOW)"
    done = subprocess.run(
        [sys.executable, "-c", code, str(path)], env={"LD_LIBRARY_PATH": str(folder)},
        capture_output=True, text=True, timeout=60, check=False,
    )  # fmt: skip
    return done.returncode == 0


@pytest.mark.parametrize(
    ("user", "used"),
    [("libcusparse.so.12", "libnvJitLink.so.12"), ("libcublas.so.12", "libcublasLt.so.12")],
)
def test_older_library_first_on_the_path(site: Path, tmp_path: Path, user: str, used: str) -> None:  # noqa: F811
    asking, older = pair(site, tmp_path, user, used, CALLS.format(name="link_12_9"))
    found = library(ask(site, LD_LIBRARY_PATH=str(older.parent)), user)
    assert found.unfit == str(older)
    assert found.problem == f"{asking} needs link_12_9, which {older} does not have"
    assert not opens(asking, older.parent)
    assert library(ask(site), user).problem == ""
    assert opens(asking, tmp_path)


@pytest.mark.parametrize(
    "source",
    [
        CALLS.format(name="link_12_0"),
        "__attribute__((weak)) int link_12_9(void); int use(void) { return link_12_9 ? 1 : 0; }",
    ],
)
def test_older_library_that_serves(site: Path, tmp_path: Path, source: str) -> None:  # noqa: F811
    asking, older = pair(site, tmp_path, "libcusparse.so.12", "libnvJitLink.so.12", source)
    assert library(ask(site, LD_LIBRARY_PATH=str(older.parent)), "libcusparse.so.12").problem == ""
    assert opens(asking, older.parent)


def test_part_of_cudnn_from_another_release(site: Path, tmp_path: Path) -> None:  # noqa: F811
    names = ("libcudnn_ops.so.9", "libcudnn_graph.so.9")
    asking, older = pair(site, tmp_path, *names, CALLS.format(name="link_12_9"))
    shutil.copy(older, site / "nvidia/cudnn/lib")
    parts = ask(site).cudnn_parts
    assert isinstance(parts, Known)
    [held] = [each for each in parts.value if each.unfit]
    assert (held.soname, held.unfit) == (asking.name, str(site / "nvidia/cudnn/lib" / older.name))


def test_symbols_of_a_shell_are_those_of_nm() -> None:
    """Of a real program: what it defines, against another reader, and what it wants."""
    path = Path("/bin/bash").resolve()
    told = subprocess.run(["nm", "-D", "--defined-only", str(path)], capture_output=True, text=True, timeout=60, check=False)  # fmt: skip
    theirs = {line.split()[-1].partition("@")[0] for line in told.stdout.splitlines()}
    symbols = read_symbols(str(path))
    assert theirs
    assert symbols.defined >= theirs
    assert ("libc.so.6", "malloc") in symbols.wanted
