"""Builds the simulated libraries: once for each state of their sources, however many test runners ask at once."""

from __future__ import annotations

import fcntl
import hashlib
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path

from tests.needs import need_gcc

from .libraries import LIBRARIES, SHARED_SOURCES, SOURCES, SYMBOLS, Library

COMPILE = (
    "gcc",
    "-std=gnu11",
    "-O1",
    "-fPIC",
    "-fvisibility=hidden",
    "-Wall",
    "-Wextra",
    "-pthread",
)
OPTIMISED = ("matmul.c", "cudnn_convolution.c")
"""Sources that compute: worth -O3."""


class BuildError(RuntimeError):
    """gcc refused a source; the message is its own."""


def build(cache_dir: Path) -> Path:
    """The folder with every library below its soname, built if it is not there yet.

    Safe when several processes call it at once: one builds, the others wait for a lock file.
    Raises BuildError where gcc fails; skips the test where there is no gcc.
    """
    folder = cache_dir / f"simulated-driver-{_fingerprint()}"
    if folder.is_dir():
        return folder
    need_gcc()
    cache_dir.mkdir(parents=True, exist_ok=True)
    with _locked(cache_dir / "simulated-driver.lock"):
        if not folder.is_dir():
            work = Path(tempfile.mkdtemp(dir=cache_dir))
            try:
                with ThreadPoolExecutor() as pool:
                    list(pool.map(lambda library: _build_one(library, work), LIBRARIES.values()))
                work.rename(folder)
            finally:
                shutil.rmtree(work, ignore_errors=True)
    return folder


def link_as(built: Path, library: Library, soname: str) -> Path:
    """The library once more under another soname ("libcudnn.so.8"), made on demand from its objects."""
    target = built / soname
    with _locked(built.parent / "simulated-driver.lock"):
        if not target.exists():
            need_gcc()
            _link(library, soname, built)
    return target


def _fingerprint() -> str:
    digest = hashlib.sha256(" ".join(COMPILE).encode())
    for path in sorted(
        [
            *SOURCES.iterdir(),
            *SYMBOLS.iterdir(),
            Path(__file__),
            Path(__file__).with_name("libraries.py"),
        ]
    ):
        digest.update(path.name.encode() + path.read_bytes())
    return digest.hexdigest()[:16]


@contextmanager
def _locked(path: Path) -> Iterator[None]:
    with path.open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def _build_one(library: Library, folder: Path) -> None:
    objects = folder / "objects" / library.name
    objects.mkdir(parents=True)
    stubs = objects / "stubs.c"
    lines = [f"SIM_STUB({name}, {library.stub_answer})" for name in library.symbols]
    stubs.write_text('#include "sim.h"\n' + "\n".join(lines) + "\n", encoding="ascii")
    for source in [stubs, *(SOURCES / name for name in (*SHARED_SOURCES, *library.sources))]:
        speed = ("-O3",) if source.name in OPTIMISED else ()
        _gcc(
            *COMPILE,
            *speed,
            "-I",
            str(SOURCES),
            "-c",
            str(source),
            "-o",
            str(objects / f"{source.stem}.o"),
        )
    _link(library, library.soname, folder)


def _link(library: Library, soname: str, folder: Path) -> None:
    """-Bsymbolic: without it calls inside the library bind to TensorFlow's exported trampolines of the same names."""
    objects = sorted(str(path) for path in (folder / "objects" / library.name).glob("*.o"))
    part = folder / f"{soname}.part"
    flags = ("-shared", "-Wl,-Bsymbolic", f"-Wl,-soname,{soname}", "-pthread")
    _gcc("gcc", *flags, *objects, "-o", str(part), "-lm", "-ldl")
    part.rename(folder / soname)


def _gcc(*command: str) -> None:
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise BuildError(f"{' '.join(command)}\n{done.stderr}")
