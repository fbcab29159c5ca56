"""What the stages of the smoke test saw."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from tfdoctor.base.records import field, record
from tfdoctor.facts import versions as n
from tfdoctor.facts.outcome import Fact, Failed
from tfdoctor.facts.values import NOT_MEASURED


@record
class DeviceSmoke:
    """The driver stage on one GPU. Times in seconds."""

    index: int
    status: str  # "passed", "failed", "wrong"
    step: str  # the call that failed, "" where none
    code: Fact[int]
    message: str
    max_error: Fact[float]
    context_s: Fact[float]
    load_s: Fact[float]
    run_s: Fact[float]
    link_generation: Fact[int] = NOT_MEASURED  # of PCIe, while the GPU works: an idle one lowers it
    link_generation_max: Fact[int] = NOT_MEASURED  # what GPU and slot have together


@record
class ChildEnd:
    """How a child process ended. `how`: "exit", "signal", "timeout", "memory-bound", "not-ended"."""

    how: str
    status: int  # exit status, or the signal's number
    stderr_tail: tuple[str, ...]
    peak_rss: Fact[int] = NOT_MEASURED


@record
class DriverSmoke:
    devices: tuple[DeviceSmoke, ...]
    end: ChildEnd


@record
class OpenedLibrary:
    """One library opened in a child in TensorFlow's own search order."""

    soname: str
    opened: bool
    path: Fact[str]
    version: Fact[n.LibraryRelease]  # by its own version call
    # "created", or Failed with the status name; Absent where there is none to make.
    handle: Fact[str]
    error: str  # dlerror, "" where it opened


@record
class LibrariesSmoke:
    libraries: tuple[OpenedLibrary, ...]
    end: ChildEnd


@record
class Computation:
    """One computation of the TensorFlow stage on one device."""

    device: str  # "CPU:0", "GPU:0"
    name: str  # "matmul-float32", "conv2d", "xla", "collective"…
    status: str  # "passed", "wrong", "failed"
    max_error: Fact[float]  # relative to the float64 reference's largest value
    tolerance: float
    first_s: Fact[float]
    steady_s: Fact[float]
    error: str


@record
class TensorFlowSmoke:
    imported: Fact[str]  # the version that the module says
    import_error: Fact[str]  # the exception's last line; Absent: none
    module_file: Fact[str]
    import_s: Fact[float]
    gpus: Fact[tuple[str, ...]]  # list_physical_devices("GPU"); Absent: none
    built_with_cuda: Fact[bool]
    computations: tuple[Computation, ...]
    last_step: str  # where the child was when it ended
    end: ChildEnd
    log: tuple[str, ...] = ()  # stderr lines kept as evidence, bounded
    finished: bool = (
        False  # it said that it had done everything, however its process ended afterwards
    )


WANTED_BY = {
    "driver": ("auto", "driver", "tf"),
    "libraries": ("auto", "tf"),
    "tensorflow": ("auto", "tf"),
}
"""The values of --smoke under which a stage is climbed. Under every other it is left out by wish."""


@record
class Stage:
    """One stage of the smoke ladder: "passed", "failed" or "skipped". `detail["reason"]` says why it was skipped."""

    SCHEMA: ClassVar = {
        "name": {"enum": ["driver", "libraries", "tensorflow"]},
        "status": {"enum": ["passed", "failed", "skipped"]},
        "duration_s": {"minimum": 0},
    }

    name: str
    status: str
    duration_s: float = 0.0
    detail: Mapping[str, Any] = field(default_factory=dict)


def skipped(name: str, reason: str) -> tuple[Failed, Stage]:
    """The fact and the stage of a stage that was not climbed."""
    return Failed(f"skipped: {reason}", "skipped"), Stage(name, "skipped", 0.0, {"reason": reason})
