"""At which line of its source each release of TensorFlow writes its best-known messages, read in the published wheels: `tfdoctor/ask/logs/machine/log_lines.txt`.

A line of TensorFlow's log begins with its source file and line ("gpu_device.cc:2365]"), so one such line tells which
release wrote it. `python -m tools.harvest.log_lines_by_release FOLDER` fetches the wheels by pip, one at a time (43 of up to
600 MB, a quarter of an hour on 2026-11-23), and keeps what it read of each in FOLDER. What is there is not fetched again.

In compiled code for x86-64 a message begins with a call that is given the file's name in rsi and the line in edx (the
System V calling convention); the message's first words are the next text that is loaded after it.
"""

from __future__ import annotations

import json
import mmap
import re
import struct
import subprocess
import sys
import tempfile
import zipfile
from bisect import bisect_right
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

from elftools.elf.elffile import ELFFile

from tools.harvest.names_by_release import _PLATFORMS, RELEASES

OUT = Path(__file__).parents[2] / "tfdoctor" / "ask" / "logs" / "machine" / "log_lines.txt"
_LIBRARIES = re.compile(
    r"/(?:libtensorflow_framework\.so\.\d|libtensorflow_cc\.so\.\d|_pywrap_tensorflow_internal\.so)$"
)
_MESSAGES = {
    "gpu_device.cc": (
        "Cannot dlopen some GPU", "Created device ", "Created TensorFlow device (", "Adding visible gpu devices", "Ignoring visible gpu device",
        "TensorFlow was not built with CUDA kernel", "Skipping registering GPU devices", "Device interconnect ",
    ),
    "cpu_feature_guard.cc": ("This TensorFlow binary", "Your CPU supports instructions"),
    "cuda_driver.cc": ("failed call to cuInit", "failed to allocate ", "failed to create CUDA context"),
    "cuda_platform.cc": ("failed call to cuInit", "could not retrieve CUDA device count"),
    "cuda_diagnostics.cc": (
        "retrieving CUDA diagnostic", "hostname: ", "libcuda reported version", "kernel reported version", "kernel version ", "kernel driver does not appear",
        "no NVIDIA GPU device is present",
    ),
    "dso_loader.cc": ("Could not load dynamic library", "Successfully opened dynamic library"),
    "cudart_stub.cc": ("Ignore above cudart dlerror", "Could not find cuda drivers", "Could not find TensorRT"),
    "cuda_dnn.cc": ("Unable to register cuDNN", "Loaded cuDNN version", "Loaded runtime CuDNN library", "Could not create cudnn handle"),
    "cuda_fft.cc": ("Unable to register cuFFT",),
    "cuda_blas.cc": ("Unable to register cuBLAS", "failed to create cublas handle"),
    "port.cc": ("oneDNN custom operations are on",),
    "py_utils.cc": ("TF-TRT Warning",),
    "bfc_allocator.cc": ("Allocator (",),
    "cuda_gpu_executor.cc": ("successful NUMA node read", "could not open file to read NUMA"),
    "cuda_executor.cc": ("successful NUMA node read", "could not open file to read NUMA"),
    "service.cc": ("XLA service ",),
    "device_compiler.h": ("Compiled cluster using XLA",),
    "xla_compilation_cache.cc": ("Compiled cluster using XLA",),
}  # fmt: skip
"""The messages that most pastes show, by their first words."""
_FIRST = {"1.14.0": "3.7", "2.1.0": "3.7", "2.3.0": "3.8", "2.4.0": "3.8", "2.5.0": "3.8", "2.6.0": "3.8", "2.7.0": "3.8", "2.8.0": "3.8", "2.9.0": "3.9",
    "2.10.0": "3.9", "2.11.0": "3.9", "2.12.0": "3.9", "2.13.0": "3.10", "2.14.0": "3.10", "2.15.0": "3.10", "2.16.1": "3.11", "2.17.0": "3.11", "2.18.0": "3.11",
    "2.19.0": "3.11"}  # fmt: skip
"""The first patch of each minor beside the last one: a patch may have moved a line."""
WHEELS = {**RELEASES["tensorflow"], **_FIRST}
_FILE = re.compile(
    rb"(?<![\w/.+-])[\w/.+-]{1,100}/("
    + b"|".join(re.escape(each.encode()) for each in _MESSAGES)
    + rb")\0"
)
_LOAD_RSI, _ANY_LOAD, _LINE = (
    re.compile(rb"\x48\x8d\x35"),
    re.compile(rb"\x48\x8d[\x35\x15]"),
    re.compile(rb"\xba(..)\0\0", re.DOTALL),
)
_BEFORE, _BEHIND, _TO_WORDS = 16, 40, 200  # bytes of code
_LONGEST_TEXT = 400
Site = tuple[str, int, str]


def main() -> None:
    folder = Path(sys.argv[1])
    folder.mkdir(exist_ok=True)
    OUT.write_text(table({version: _sites(folder, version, python) for version, python in sorted(WHEELS.items(), key=lambda each: _key(each[0]))}))  # fmt: skip


def _sites(folder: Path, version: str, python: str) -> list[Site]:
    kept = folder / f"{version}.json"
    if not kept.exists():
        kept.write_text(json.dumps(sorted(set(_of_wheel(version, python)))))
    return [(file, line, words) for file, line, words in json.loads(kept.read_text())]


def _of_wheel(version: str, python: str) -> Iterator[Site]:
    name = "tensorflow-gpu" if _key(version) < (2, 1) and version != "1.15.0" else "tensorflow"
    where = [word for each in _PLATFORMS for word in ("--platform", each)]
    abi = f"cp{python.replace('.', '')}{'m' if python == '3.7' else ''}"
    with tempfile.TemporaryDirectory() as fetched:
        command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--no-cache-dir", "--only-binary=:all:", "--python-version", python]  # fmt: skip
        subprocess.run(
            [*command, "--abi", abi, *where, "--dest", fetched, f"{name}=={version}"], check=True
        )
        with zipfile.ZipFile(next(Path(fetched).glob("*.whl"))) as wheel:
            for member in wheel.namelist():
                if _LIBRARIES.search(member):
                    yield from read_library(Path(wheel.extract(member, fetched)))


def read_library(path: Path) -> Iterator[Site]:
    """The file, line and first words of each of the messages that one library writes."""
    with path.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
        parts = [each for each in ELFFile(file).iter_segments() if each["p_type"] == "PT_LOAD"]
        memory = Memory(
            data, [(each["p_offset"], each["p_vaddr"], each["p_filesz"]) for each in parts]
        )
        names = {memory.address(found.start()): found[1].decode() for found in _FILE.finditer(data)}
        for part in parts:
            if part["p_flags"] & 1:  # PF_X: code
                yield from _in_code(
                    memory, part["p_offset"], part["p_offset"] + part["p_filesz"], names
                )


def _in_code(memory: Memory, start: int, end: int, names: dict[int, str]) -> Iterator[Site]:
    for found in _LOAD_RSI.finditer(memory.data, start, end):
        name = names.get(memory.target(found.start()))
        if name is not None:
            words = _words(memory, found.end() + 4)
            line = _line(memory.data, found.start(), len(words))
            begins = next((each for each in _MESSAGES[name] if words.startswith(each)), None)
            if begins is not None and line:
                yield name, line, begins


def _line(data: mmap.mmap, at: int, length: int) -> int:
    """The number that is nearest to the file's name and is not the length of the words, which goes through edx, too; 0 for none."""
    window = data[at - _BEFORE : at + _BEHIND]
    numbers = [
        (abs(each.start() - _BEFORE), struct.unpack("<H", each[1])[0])
        for each in _LINE.finditer(window)
    ]
    return min((each for each in numbers if each[1] != length), default=(0, 0))[1]


def _words(memory: Memory, at: int) -> str:
    """The first text of more than seven characters that is loaded after it."""
    for found in _ANY_LOAD.finditer(memory.data, at, at + _TO_WORDS):
        start = memory.offset(memory.target(found.start()))
        text = memory.data[start : start + _LONGEST_TEXT].partition(b"\0")[0]
        if len(text) > 7 and text.isascii() and text.decode().replace("\n", " ").isprintable():
            return text.decode()
    return ""


class Memory:
    """Where the bytes of a file are once it is loaded."""

    def __init__(self, data: mmap.mmap, parts: list[tuple[int, int, int]]) -> None:
        self.data, self._parts = data, sorted(parts)

    def address(self, offset: int) -> int:
        start, address, _ = self._parts[max(0, bisect_right(self._parts, (offset, 1 << 62, 0)) - 1)]
        return address + offset - start

    def offset(self, address: int) -> int:
        """0 where nothing is loaded."""
        fitting = (
            start + address - at for start, at, size in self._parts if at <= address < at + size
        )
        return next(fitting, 0)

    def target(self, instruction: int) -> int:
        """What `lea register, [rip+n]` loads: seven bytes, n is the last four."""
        (distance,) = struct.unpack_from("<i", self.data, instruction + 3)
        return self.address(instruction) + 7 + int(distance)


def table(by_release: dict[str, list[Site]]) -> str:
    """The minors; then a row for each message at each line, with those whose releases write it there."""
    minors = list(dict.fromkeys(map(_minor, by_release)))
    rows: dict[Site, set[str]] = {}
    for version, sites in by_release.items():
        for site in sites:
            rows.setdefault(site, set()).add(_minor(version))
    lines = [f"{file}:{line}] {words}|{_spans([each for each in minors if each in having], minors)}" for (file, line, words), having in sorted(rows.items())]  # fmt: skip
    return "\n".join([f"# {' '.join(minors)}", *lines]) + "\n"


def _spans(having: list[str], order: list[str]) -> str:
    """ "2.1-2.4,2.6"."""
    breaks = [at for at, (one, other) in enumerate(pairwise(having), 1) if order.index(other) != order.index(one) + 1]  # fmt: skip
    runs = [having[start:end] for start, end in pairwise([0, *breaks, len(having)])]
    return ",".join(run[0] if len(run) == 1 else f"{run[0]}-{run[-1]}" for run in runs)


def _minor(version: str) -> str:
    return ".".join(version.split(".")[:2])


def _key(version: str) -> tuple[int, ...]:
    return tuple(int(each) for each in version.split("."))


if __name__ == "__main__":
    main()
