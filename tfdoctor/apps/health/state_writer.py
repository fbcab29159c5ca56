"""The state file: what the last full examination saw, for health checks. `state.py` reads it."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Iterable, Iterator
from math import isfinite
from pathlib import Path
from typing import Protocol

from tfdoctor import __version__
from tfdoctor.apps.health import state as clock
from tfdoctor.apps.health.state import (
    SCHEMA_VERSION,
    SETTINGS,
    KnownGpu,
    State,
    boot_id,
    machine_id,
    open_private,
    runtime_folders,
    state_files,
)
from tfdoctor.base.safe_replace import replace_file
from tfdoctor.facts.codec import to_json
from tfdoctor.facts.model import Facts
from tfdoctor.facts.outcome import Failed, Known, map_known, value_or
from tfdoctor.facts.values import Distribution, Library, Xid
from tfdoctor.knowledge.catalog import CODES
from tfdoctor.knowledge.model import Finding, Ignored, Severity, Verdict
from tfdoctor.knowledge.xids import HARDWARE_XIDS

MAIN_FILES = (
    "__init__.py",
    "libtensorflow_framework.so.2",
    "libtensorflow_cc.so.2",
    "python/_pywrap_tensorflow_internal.so",
    "python/platform/build_info.py",
)
"""Of TensorFlow's own files those that every build changes; a build has not all of them."""


class Examined(Protocol):
    """What a state takes from a report."""

    @property
    def facts(self) -> Facts: ...
    @property
    def verdict(self) -> Verdict: ...
    @property
    def summary(self) -> str: ...
    @property
    def findings(self) -> tuple[Finding, ...]: ...
    @property
    def roots(self) -> tuple[Finding, ...]: ...
    @property
    def ignored(self) -> tuple[Ignored, ...]: ...


def taken(files: Iterable[tuple[str, str]]) -> tuple[tuple[str, str, int, int], ...]:
    """Label, path, size and mtime in ns of each (label, path) that exists."""
    found = []
    for label, path in files:
        try:
            status = os.stat(path)
        except (OSError, ValueError):
            continue  # what was not there at the examination is its verdict's concern
        found.append((label, path, status.st_size, status.st_mtime_ns))
    return tuple(found)


def default_path() -> Path:
    """The first usual place that can be written to; the first of all where none can, whose error then is told."""
    places = state_files(dict(os.environ))
    private = set(runtime_folders(dict(os.environ)))
    return Path(
        next((place for place in places if _writable(os.path.dirname(place), private)), places[0])
    )


def _writable(folder: str, private: set[str]) -> bool:
    try:
        if folder in private:
            os.close(open_private(folder))
        else:
            os.makedirs(folder, mode=0o700, exist_ok=True)
    except OSError:
        return False
    return os.access(folder, os.W_OK)


def keep(state: State, path: Path) -> None:
    """Writes the file beside its place and renames it into it, so that no reader sees a part. Raises OSError."""
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    text = json.dumps(to_json(state), separators=(",", ":"), ensure_ascii=True) + "\n"
    replace_file(str(path), text.encode("ascii"), private=True)  # it names paths and GPUs


def state_of(report: Examined, fail_on: str = "error", settings: str = "") -> State:
    """The state, taken here and now: the files are looked at again. `settings`: the file that had a say."""
    facts = report.facts
    devices = facts.driver.devices
    return State(
        schema_version=SCHEMA_VERSION,
        tool=__version__,
        written_at=round(time.time(), 3),
        boot_id=boot_id(),
        since_boot=round(clock.since_boot(), 3),
        machine=machine_id(),
        uid=os.geteuid(),
        verdict=report.verdict.value,
        summary=report.summary,
        roots=tuple(finding.code for finding in report.roots),
        failing=tuple(
            (
                finding.code,
                CODES[finding.code].family,
                CODES[finding.code].gpu_only,
                finding.role.value,
            )
            for finding in report.findings
            if finding.severity <= Severity(fail_on)
        ),
        python=value_or(facts.interpreter.executable, ""),
        driver_version=value_or(map_known(facts.driver.version, str), ""),
        gpus=tuple(
            KnownGpu(device.uuid, device.name, value_or(device.ecc_uncorrected_volatile, -1))
            for device in value_or(facts.nvml.devices, ())
        ),
        cuda_count=-1 if isinstance(devices, Failed) else len(value_or(devices, ())),
        ignored=tuple(each.code for each in report.ignored),
        plugins=tuple(
            f"{each.name} {each.version}" for each in value_or(facts.plugins.installed, ())
        ),
        nvml_started=value_or(facts.nvml.init_code, -1) == 0,
        xids=_xids(facts),
        files=taken([*_files(facts), *([(SETTINGS, settings)] if settings else [])]),
    )


def _xids(facts: Facts) -> tuple[tuple[int, str, float], ...] | None:
    logged = facts.kernel_log.xids
    if isinstance(logged, Failed):
        return None
    return tuple(
        (xid.number, xid.pci_bus_id, _seconds(xid))
        for xid in value_or(logged, ())
        if xid.number in HARDWARE_XIDS
    )


def _seconds(xid: Xid) -> float:
    """To the microsecond, as the log has it; -1 where it does not tell."""
    seconds = value_or(xid.seconds_since_boot, -1.0)
    return round(seconds, 6) if isfinite(seconds) else -1.0


def _files(facts: Facts) -> Iterator[tuple[str, str]]:
    """TensorFlow first, since the first difference is the one that is told; last where packages come and go."""
    location = value_or(facts.tensorflow.location, "")
    own = value_or(facts.tensorflow.distributions, ())
    wheels = value_or(facts.cuda_libraries.wheels, ())
    needed = {each.name for each in value_or(facts.packages.requirements, ())}
    others = [each for each in value_or(facts.packages.installed, ()) if each.name in needed]
    for each in {item.folder: item for item in (*own, *wheels, *others)}.values():
        yield from _metadata(each)
    for name in MAIN_FILES if location else ():
        yield "TensorFlow's own file " + name.rpartition("/")[2], f"{location}/{name}"
    cuda = facts.cuda_libraries
    for library in (*value_or(cuda.libraries, ()), *value_or(cuda.cudnn_parts, ())):
        yield from _library(library)
    folders: tuple[str, ...] = value_or(facts.interpreter.site_packages, ())
    for folder in dict.fromkeys(folders):
        yield "site-packages", folder


def _metadata(distribution: Distribution) -> Iterator[tuple[str, str]]:
    for name in ("METADATA", "PKG-INFO"):
        yield f"{distribution.name} {distribution.version}", f"{distribution.folder}/{name}"


def _library(library: Library) -> Iterator[tuple[str, str]]:
    if isinstance(library.path, Known):
        yield library.soname, library.path.value
