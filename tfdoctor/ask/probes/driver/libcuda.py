"""Which libcuda is loaded, and the child that asks it."""

from __future__ import annotations

import os
import threading
from pathlib import Path

from tfdoctor.ask.probes.messages import Messages
from tfdoctor.ask.probes.request import Request
from tfdoctor.ask.probes.workers import in_own_interpreter
from tfdoctor.base.child import run_child
from tfdoctor.base.expressions import Expression
from tfdoctor.base.gpu_files import EXTRA_LIBRARY_FOLDERS
from tfdoctor.base.sysroot import System
from tfdoctor.facts.outcome import Absent, Fact, Failed, Known
from tfdoctor.facts.values import Library
from tfdoctor.facts.versions import LibraryRelease, read_release

# WSL's and Jetson's libcuda.so.1.1 is no release.
_RELEASE = Expression(r"\.so\.(\d{3,}\.\d+(?:\.\d+)*)$")


def library_path(system: System) -> list[str]:
    """The folders of LD_LIBRARY_PATH, absolute. An empty entry is the working folder (ld.so(8))."""
    return [os.path.abspath(folder) for folder in system.folders("LD_LIBRARY_PATH", ":;")]


def places_to_ask(system: System) -> list[str]:
    """The arguments of a child that opens a library of the driver."""
    if system.live:
        return list(EXTRA_LIBRARY_FOLDERS)
    return ["--only", *library_path(system)]


def library_from(
    messages: Messages, silence: Failed | None, soname: str, system: System
) -> Fact[Library]:
    """Absent: there is no such library. Failed: one is there and can't be opened, or opening it hung or died."""
    loaded = messages.first("loaded")
    if loaded is not None:
        by_loader = loaded["place"] == soname
        return Known(
            _library(str(loaded["path"]), soname, system, by_loader=by_loader),
            f"dlopen({loaded['place']})",
        )
    broken = [
        str(item["error"])
        for item in messages.said("refused")
        if not _not_found(str(item["error"]), soname)
    ]
    if broken:
        return Failed(broken[0], "unloadable")
    if silence is not None:
        return silence
    looked = (
        "the dynamic loader does not find it"
        if system.live
        else "no folder of LD_LIBRARY_PATH has it"
    )
    return Absent(f"{soname}: {looked}")


def _not_found(error: str, soname: str) -> bool:
    """Whether the loader misses this very file, and not one that it needs (glibc's, musl's and Windows' words)."""
    missing = (
        f"{soname}: cannot open shared object",
        f"Error loading shared library {soname}:",
        f"'{soname}'",
    )
    return any(word in error for word in missing) and "Permission" not in error


def _library(path: str, soname: str, system: System, *, by_loader: bool) -> Library:
    real = os.path.realpath(path)
    match = _RELEASE.search(real)
    return Library(
        soname=soname,
        path=Known(real, f"loaded as {path}"),
        found_via=_found_via(Path(path), system, by_loader=by_loader),
        version=read_release(LibraryRelease, match[1], real)
        if match
        else Absent(f"the name of {real} holds no release"),
    )


def _found_via(path: Path, system: System, *, by_loader: bool) -> str:
    """One of EXTRA_LIBRARY_FOLDERS' words only where the loader itself did not find it: programs that ask the loader fail then."""
    folder = str(path.parent)
    if os.path.realpath(folder) in map(os.path.realpath, library_path(system)):
        return "LD_LIBRARY_PATH"
    extra = "" if by_loader else EXTRA_LIBRARY_FOLDERS.get(folder, "")
    return extra or ("ld.so.cache" if system.exists("/etc/ld.so.cache") else "default")


_BEGUN_S = (
    0.05  # both probes are started at once; one that is asked alone does not wait for the other
)
_PATIENCE_S = (
    0.5  # it opens its library 0.03 s after its start; where that hangs, NVML is asked all the same
)


class LibcudaChild:
    """Two probes share it: one runs it, the other looks at what it said first."""

    def __init__(self) -> None:
        self.messages = Messages()
        self._begun, self._decided = threading.Event(), threading.Event()

    def run(self, request: Request) -> Failed | None:
        """Runs it to its end. Returns why it stopped early, None where it did not."""
        self._begun.set()
        try:
            result = run_child(
                in_own_interpreter("ask_driver", *places_to_ask(request.system)),
                timeout_s=request.child_limit_s,
                env=request.system.environ,
                keep_bytes=64 << 10,
                on_stdout=self._take,
            )
        finally:
            self._decided.set()
        return self.messages.silence(result)

    def _take(self, chunk: bytes) -> None:
        self.messages.take(chunk)
        if any(map(self.messages.first, ("loaded", "nvml-opened", "no-nvml"))):
            self._decided.set()

    def without_nvml(self) -> Messages | None:
        """What the loader said of NVML's library where there is none to be asked; None: ask for yourself."""
        begun = self._begun.wait(_BEGUN_S)
        if (
            not begun
            or not self._decided.wait(_PATIENCE_S)
            or self.messages.first("no-nvml") is None
        ):
            return None
        refused = Messages()
        refused.answers = [
            {**each, "say": "refused"} for each in self.messages.said("nvml-refused")
        ]
        return refused


def libcuda_child(request: Request) -> LibcudaChild:
    """The one of this examination."""
    return request.shared.once("libcuda's child", LibcudaChild)
