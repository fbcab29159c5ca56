"""What is said of answers of the driver and of files, given literally: the first line, one point, and when it is examined again.

`test_states_simulated.py` runs the command with a driver that answers so.
"""

from __future__ import annotations

import os
import time
from dataclasses import dataclass
from typing import Any

import pytest

from tfdoctor import __version__
from tfdoctor.apps.health.answer import Answer
from tfdoctor.apps.health.judge import judge_devices, judge_rest, needs_examination, outdated
from tfdoctor.apps.health.options import Options
from tfdoctor.apps.health.state import KnownGpu, State
from tfdoctor.base.forked import NO_CPU
from tfdoctor.base.records import replace

GIB, MIB = 1 << 30, 1 << 20


def changed(base: dict[str, Any], more: dict[str, Any] | None) -> dict[str, Any]:
    return {key: value for key, value in (base | (more or {})).items() if value is not None}


L4: dict[str, Any] = {
    "index": 0, "name": "NVIDIA L4", "uuid": "GPU-1", "lost": False, "refused": [],
    "total": 23 * GIB, "free": 22 * GIB, "ecc": 0,
}  # fmt: skip
DRIVER: dict[str, Any] = {
    "done": True, "cuda_code": 0, "cuda_count": 1, "nvml_code": 0, "nvml_count": 1,
    "version": "555.42.02", "gpus": [L4],
}  # fmt: skip
STATE = State(
    schema_version="1.0", tool=__version__, written_at=time.time(), boot_id="b", since_boot=0.0, machine="m",
    uid=os.geteuid(), verdict="healthy", summary="No fault was found.", roots=(), python="/usr/bin/python3",
    driver_version="555.42.02", gpus=(KnownGpu("GPU-1", "NVIDIA L4", 0),), cuda_count=1, xids=(),
    files=(("libcudnn.so.9", "/l/libcudnn.so.9", 1, 1),), failing=(), nvml_started=True, ignored=(),
)  # fmt: skip
FILES: dict[str, Any] = {
    "state": STATE, "state_age": 3600.0, "changed": [], "settings": "", "same_boot": True, "xids": [],
    "memory": (4 * GIB, GIB), "available": 12 * GIB, "shm": (8 * GIB, 8 * GIB),
}  # fmt: skip
LOST = {**L4, "lost": True}
SECOND = {**L4, "index": 1, "uuid": "GPU-2"}
TWO_KNOWN = (KnownGpu("GPU-1", "NVIDIA L4", 0), KnownGpu("GPU-2", "NVIDIA A10", 0))
NO_LIBRARIES = {"done": True, "cuda_error": "absent", "nvml_error": "absent"}
NO_GPU_KNOWN = {"gpus": (), "cuda_count": 0, "nvml_started": False, "driver_version": ""}
XID = (79, "0000:3b:00", 12.25)


@dataclass(frozen=True)
class Case:
    """What differs from a healthy machine that was examined an hour ago; None takes an answer away."""

    said: str
    driver: dict[str, Any] | None = None
    files: dict[str, Any] | None = None
    state: dict[str, Any] | None = None
    options: dict[str, Any] | None = None
    bare: bool = False
    """The driver said nothing but what `driver` has."""

    def given(self) -> tuple[Any, Any, Options]:
        driver = (self.driver or {}) if self.bare else changed(DRIVER, self.driver)
        files = changed(FILES, self.files)
        if "state" in files:
            files["state"] = replace(files["state"], **(self.state or {}))
        options = Options()
        for name, value in (self.options or {}).items():
            setattr(options, name, value)
        return driver, files, options

    def answer(self) -> Answer:
        driver, files, options = self.given()
        points = [*judge_devices(driver, files, options), *judge_rest(driver, files, options)]
        return Answer(points, seconds=0.1, at=0.0, extra={})


def examined(**made: Any) -> dict[str, Any]:
    """A new examination was to be made, since TensorFlow's files are no longer as they were."""
    return {"changed": ["libcudnn.so.9 is gone since the examination"], "examined": made}


FIRST_LINES = (
    Case("healthy: 1 GPU, examined 60 min ago"),
    Case("healthy: 2 GPUs, examined 60 min ago", {"gpus": [L4, SECOND], "cuda_count": 2}, state={"cuda_count": 2, "gpus": TWO_KNOWN}),
    # the driver does not answer, or its child did not
    Case("unhealthy: the driver hangs in cuInit", {"at": "cuInit", "ended": "hangs"}, bare=True),
    Case("unhealthy: the driver crashed (signal 7) in cuInit", {"at": "cuInit", "ended": "crashed (signal 7)"}, bare=True),
    Case("unhealthy: the driver could not be asked: its child crashed (signal 9)", {"ended": "crashed (signal 9)"}, bare=True),
    Case("unhealthy: the driver could not be asked: its child was not started", {}, bare=True),
    Case("unknown: no time left to ask the driver", {"ended": "hangs"}, bare=True),
    Case("unknown: no CPU time left to ask the driver", {"ended": NO_CPU}, bare=True),
    Case("unknown: another health check is running", {"busy": "young"}, bare=True),
    Case("unhealthy: the driver has not answered another health check", {"busy": "overdue"}, bare=True),
    # it refuses, and GPUs were seen before
    Case("unhealthy: cuInit fails: 999 UNKNOWN", {"cuda_code": 999, "cuda_name": "CUDA_ERROR_UNKNOWN", "cuda_count": None}),
    Case("unhealthy: cuInit fails: 4242", {"cuda_code": 4242, "cuda_count": None}, {"state": None}, options={"require_gpu": True}),
    Case("unhealthy: cuDeviceGetCount fails: 3", {"cuda_count": -3}),
    Case("unhealthy: NVML does not start (error 9)", {"nvml_code": 9}),
    Case("unhealthy: NVML does not start (error 999) (+1 more)", {"nvml_code": 999, "gpus": []}),
    Case("unhealthy: libcuda.so.1 can't be loaded: file too short", {"cuda_error": "file too short", "cuda_code": None, "cuda_count": None},
         state={"failing": (("driver-broken", "driver", True, "root"),)}),
    Case("unhealthy: NVML is not found", {"nvml_error": "absent", "nvml_code": None}, state={"failing": (("driver-degraded", "driver", True, "root"),)}),
    Case("unhealthy: the driver was replaced: reload it or reboot (NVML 18)", {"nvml_code": 18, "cuda_code": 803},
         state={"failing": (("driver-versions-differ", "driver", True, "root"),)}),
    Case("unhealthy: libcuda.so.1 is not where the loader looks", NO_LIBRARIES, bare=True,
         state={"failing": (("driver-library-unreachable", "driver", True, "root"),)}),
    Case("unhealthy: no NVIDIA GPU is found, and one is required", NO_LIBRARIES, {"state": None}, options={"gpus": 1}, bare=True),
    Case("unhealthy: no NVIDIA GPU is found, and one is required", NO_LIBRARIES, bare=True),
    # it refuses, and nobody wants a GPU
    Case("healthy: no GPU, examined 60 min ago", NO_LIBRARIES, state=NO_GPU_KNOWN, bare=True),
    Case("healthy: no GPU: the kernel's side of the driver is not here, examined 60 min...",
         {"done": True, "cuda_code": 100, "nvml_code": 9}, state=NO_GPU_KNOWN, bare=True),
    Case("healthy: cuInit fails: 999 UNKNOWN",
         {"done": True, "cuda_code": 999, "cuda_name": "CUDA_ERROR_UNKNOWN", "nvml_code": 9}, state={**NO_GPU_KNOWN, "cuda_count": -1, "failing": (("driver-degraded", "driver", True, "root"),)},
         options={"require_gpu": False}, bare=True),
    Case("healthy: CUDA_VISIBLE_DEVICES hides every GPU", {"hidden": True, "cuda_code": 100, "cuda_count": None}, state={"cuda_count": 0}),
    Case("unhealthy: CUDA_VISIBLE_DEVICES hides every GPU", {"hidden": True, "cuda_code": 100, "cuda_count": None}, state={"cuda_count": 0},
         options={"require_gpu": True}),
    Case("healthy: GPU not required: GPU 0 is lost: it needs a reset or a reboot", {"gpus": [LOST]}, options={"require_gpu": False}),
    # one GPU
    Case("unhealthy: GPU 0 is lost: it needs a reset or a reboot", {"gpus": [LOST]}),
    Case("unhealthy: GPU 0 is lost: it needs a reset or a reboot (+1 more)", {"gpus": [LOST]},
         state={"failing": (("packages-differ", "packages", False, "root"),)}),
    Case("unhealthy: GPU 0 does not answer (NVML 999)", {"gpus": [{**L4, "refused": ["999"]}]}),
    Case("unhealthy: 1 of 2 examined GPUs gone: NVIDIA A10", state={"gpus": TWO_KNOWN}),
    Case("unhealthy: 2 of 2 examined GPUs gone: NVIDIA L4", {"gpus": [], "nvml_count": 0}, state={"gpus": TWO_KNOWN}),
    Case("healthy: 1 GPU, examined 60 min ago", {"gpus": [changed(L4, {"uuid": None})]}),
    Case("unhealthy: programs see 1 of 2 expected GPUs", options={"gpus": 2}),
    Case("unhealthy: programs see 1 of 3 expected GPUs", options={"gpus": 3, "node": True}),
    # its memory
    Case("unhealthy: GPU 0: 100 of 23552 MiB free, others hold the rest", {"gpus": [{**L4, "free": 100 * MIB}]}),
    Case("unhealthy: GPU 0: 22528 of 23552 MiB free, 23000 asked", options={"min_free_vram": 23000 * MIB}),
    Case("healthy: 1 GPU, examined 60 min ago", options={"min_free_vram": 22 * GIB}),
    Case("healthy: 1 GPU, unseen: vram, examined 60 min ago", {"gpus": [changed(L4, {"free": None})]}),
    # hardware
    Case("unhealthy: Xid 79 on 0000:3b:00: GPU has fallen off the bus", files={"xids": [XID]}),
    Case("healthy: 1 GPU, examined 60 min ago", files={"xids": [XID]}, state={"xids": (XID,)}),
    Case("unhealthy: Xid 79 on 0000:3b:00: GPU has fallen off the bus", files={"xids": [XID], "same_boot": False}, state={"xids": (XID,)}),
    Case("healthy: 1 GPU, unseen: xid, examined 60 min ago", files={"xids": None, "xids_error": "Permission denied"}),
    Case("unhealthy: GPU 0: 1 new uncorrectable memory error", {"gpus": [{**L4, "ecc": 1}]}),
    Case("unhealthy: GPU 0: 2 new uncorrectable memory errors", {"gpus": [{**L4, "ecc": 5}]}, state={"gpus": (KnownGpu("GPU-1", "NVIDIA L4", 3),)}),
    Case("healthy: 1 GPU, examined 60 min ago", {"gpus": [{**L4, "ecc": 3}]}, state={"gpus": (KnownGpu("GPU-1", "NVIDIA L4", 3),)}),
    Case("unhealthy: GPU 0: 1 new uncorrectable memory error", {"gpus": [{**L4, "ecc": 1}]}, state={"gpus": (KnownGpu("GPU-1", "NVIDIA L4", 3),)}),
    Case("unhealthy: GPU 0: no spare memory is left to replace worn rows", {"gpus": [{**L4, "worn": True}]}),
    Case("unknown: GPU 0: a hardware counter can't be read (NVML 15)", {"gpus": [{**L4, "unread": ["15"]}]}),
    # the host's memory
    Case("unhealthy: memory limit: 3950 of 4096 MiB used", files={"memory": (4 * GIB, 3950 * MIB)}),
    Case("unhealthy: 3072 MiB of memory free, 8192 asked", options={"min_free_ram": 8 * GIB}),
    Case("unhealthy: 512 MiB of memory free, 1024 asked", files={"available": 512 * MIB}, options={"min_free_ram": GIB}),
    Case("unhealthy: free memory can't be read, and some is asked for", files={"memory": None, "available": None}, options={"min_free_ram": GIB}),
    Case("healthy: 1 GPU, unseen: memory, examined 60 min ago", files={"memory": None, "memory_error": "Permission denied"}),
    Case("unhealthy: /dev/shm: 0 of 64 MiB free", files={"shm": (64 * MIB, 0)}),
    Case("healthy: 1 GPU, unseen: shm, examined 60 min ago", files={"shm": None, "shm_error": "Permission denied"}),
    # the examination
    Case("unhealthy: examined 60 min ago: broken (keras-mismatch)", state={"verdict": "broken", "failing": (("keras-mismatch", "packages", False, "root"),)}),
    Case("unhealthy: examined 60 min ago: broken (keras-mismatch)",
         state={"failing": (("cuda-library-missing", "libraries", False, "consequence"), ("keras-mismatch", "packages", False, "root"))}),
    Case("unhealthy: examined 60 min ago: broken (unreadable)", state={"failing": (("\x1b[2J", "packages", False, "root"),)}),
    Case("healthy: 1 GPU, examined 60 min ago", state={"failing": (("keras-mismatch", "packages", False, "root"),)}, options={"node": True}),
    Case("unhealthy: examined 60 min ago: broken (device-nodes-missing)", state={"failing": (("device-nodes-missing", "devices", True, "root"),)}, options={"node": True}),
    Case("healthy: 1 GPU, examined 60 min ago", state={"failing": (("gpu-memory-held", "devices", True, "root"),)}, options={"node": True}),
    Case("healthy: 1 GPU, examined 60 min ago: degraded (user-site-leak)", state={"verdict": "degraded", "roots": ("user-site-leak",)}),
    Case("unknown: examined 60 min ago: unknown", state={"verdict": "unknown"}),
    Case("healthy: 1 GPU, examined 60 min ago, with mine 1.0 and theirs 2", state={"plugins": ("mine 1.0", "theirs 2")}),
    Case("healthy: 1 GPU, examined now", files=examined(state=STATE) | {"changed": []}),
    Case("healthy: 1 GPU, examined now (not kept: Read-only file system)", files=examined(state=STATE, not_kept="Read-only file system") | {"changed": []}),
    Case("unknown: the examination did not finish", files=examined(ended="hangs")),
    Case("unknown: the examination crashed (signal 9)", files=examined(ended="crashed (signal 9)")),
    Case(f"unknown: the examination {NO_CPU}; 60 min ago: healthy", files=examined(ended=NO_CPU)),
    Case(f"unknown: the examination {NO_CPU}", files=examined(ended=NO_CPU) | {"state_age": -5.0}),
    Case("unhealthy: tfdoctor.toml: unknown setting 'colour'", files={"refused": "tfdoctor.toml: unknown setting 'colour'"}),
    Case("unhealthy: there is no interpreter", files=examined(refused="there is no interpreter")),
)  # fmt: skip


@pytest.mark.parametrize("case", FIRST_LINES, ids=lambda case: case.said)
def test_the_first_line(case: Case) -> None:
    assert case.answer().first_line == case.said


OUTDATED = (
    Case(""),
    Case("never examined (tfdoctor check --state)", files={"state": None, "state_error": "never examined (tfdoctor check --state)"}),
    Case("the state file does not answer", files={"state": None, "ended": "hangs"}),
    Case("reading the state crashed (signal 9)", files={"state": None, "ended": "crashed (signal 9)"}),
    Case("the clock is behind the last examination", files={"state_age": -1.0}),
    Case("examined 8 d ago, which is too old", files={"state_age": 8 * 86400.0}),
    Case("examined 60 min ago, which is too old", options={"max_age": 600.0}),
    Case("", options={"max_age": 7200.0}),
    Case("TensorFlow's files can't be looked at in time", files={"changed": None}),
    Case("libcudnn.so.9 is gone since the examination", files={"changed": ["libcudnn.so.9 is gone since the examination", "more"]}),
    Case("other settings hold here", files={"settings": "/etc/tfdoctor.toml"}),
    Case("", files={"settings": "/etc/tfdoctor.toml"}, state={"files": (("the settings", "/etc/tfdoctor.toml", 1, 1),)}),
    Case("the driver does not answer as it did at the last examination", {"version": "580.65.06"}),
    Case("the driver does not answer as it did at the last examination", {"cuda_count": 2}),
    Case("the driver does not answer as it did at the last examination", {"nvml_code": 9}),
    Case("the driver does not answer as it did at the last examination", NO_LIBRARIES, bare=True),
    Case("", NO_LIBRARIES, state=NO_GPU_KNOWN, bare=True),
    Case("", {"cuda_code": 999, "cuda_count": None}, state={"cuda_count": -1}),
    Case("", {"done": None, "cuda_count": 7}),
)  # fmt: skip


@pytest.mark.parametrize("case", OUTDATED, ids=lambda case: case.said or "it counts")
def test_why_the_last_examination_does_not_count(case: Case) -> None:
    driver, files, options = case.given()
    assert outdated(driver, files, options) == case.said
    assert needs_examination(driver, files, options) is bool(case.said)


@pytest.mark.parametrize(
    ("state", "age", "again"),
    [
        ({"verdict": "unknown"}, 61.0, True),
        ({"verdict": "unknown"}, 59.0, False),
        ({"failing": (("keras-mismatch", "packages", False, "root"),)}, 61.0, True),
        ({"verdict": "degraded"}, 61.0, False),
    ],
)
def test_what_failed_is_examined_again_after_a_minute(
    state: dict[str, Any], age: float, again: bool
) -> None:
    driver, files, options = Case("", files={"state_age": age}, state=state).given()
    assert needs_examination(driver, files, options) is again


@pytest.mark.parametrize(
    ("max_age", "status"), [(600.0, "fault"), (-1.0, "note")], ids=["demanded", "not demanded"]
)
def test_an_old_examination_where_the_driver_was_not_there_to_be_asked(
    max_age: float, status: str
) -> None:
    case = Case("", {"busy": "young"}, {"state_age": 9e9}, options={"max_age": max_age}, bare=True)
    (point,) = (each for each in case.answer().points if each.check == "examination")
    assert (point.status, point.words) == (status, "examined 104166 d ago, which is too old")


POINTS: tuple[tuple[Case, tuple[str, str, str]], ...] = (
    (Case("driver"), ("ok", "driver 555.42.02: cuInit and NVML answer", "")),
    (Case("driver", {"version": None}), ("ok", "driver of unknown release: cuInit and NVML answer", "")),
    (Case("driver", NO_LIBRARIES, bare=True), ("fault", "no NVIDIA GPU is found, and one is required", "gpu-absent")),
    (Case("driver", {"done": True, "cuda_code": 999, "nvml_code": 0}, state=NO_GPU_KNOWN, bare=True), ("note", "cuInit fails: 999", "")),
    (Case("driver", {"nvml_error": "absent"}, state=NO_GPU_KNOWN), ("note", "NVML is not found", "")),
    (Case("driver", {"cuda_error": "absent", "cuda_code": None, "cuda_count": None}, state=NO_GPU_KNOWN),
     ("ok", "no GPU: this machine has no NVIDIA driver", "")),
    (Case("gpus", {"gpus": []}, state={"gpus": ()}), ("ok", "1 GPU", "")),
    (Case("gpus"), ("ok", "1 GPU (NVIDIA L4)", "")),
    (Case("gpus", {"cuda_count": -3}, options={"gpus": 2}), ("fault", "programs see 0 of 2 expected GPUs", "gpu-absent")),
    (Case("gpus", {"nvml_count": -1}, options={"gpus": 2, "node": True}), ("fault", "programs see 0 of 2 expected GPUs", "gpu-absent")),
    (Case("gpus", {"gpus": []}), ("fault", "1 of 1 examined GPUs gone: NVIDIA L4", "container-lost-gpu")),
    (Case("gpus", {"gpus": [L4]}, state={"gpus": TWO_KNOWN}), ("fault", "1 of 2 examined GPUs gone: NVIDIA A10", "gpu-hardware-fault")),
    (Case("gpus", {"gpus": [LOST]}, options={"require_gpu": False}), ("note", "GPU 0 is lost: it needs a reset or a reboot", "gpu-hardware-fault")),
    (Case("vram"), ("ok", "GPU 0: 22528 of 23552 MiB free", "")),
    (Case("vram", {"gpus": [{**L4, "free": 100 * MIB, "own": 22 * GIB}]}), ("ok", "GPU 0: 100 of 23552 MiB free, this user's own programs hold the rest", "")),
    (Case("vram", {"gpus": [{**L4, "free": 100 * MIB}]}), ("fault", "GPU 0: 100 of 23552 MiB free, others hold the rest", "gpu-memory-held")),
    (Case("vram", {"gpus": [{**L4, "free": 100 * MIB, "unclear": "MIG hides whose it is"}]}), ("unseen", "GPU 0: 100 of 23552 MiB free; MIG hides whose it is", "")),
    (Case("vram", {"gpus": [{**L4, "free": 100 * MIB}]}, options={"node": True}), ("ok", "GPU 0: 100 of 23552 MiB free", "")),
    (Case("xid", files={"xids": None, "xids_error": "Permission denied"}), ("unseen", "the kernel log can't be read (Permission denied)", "")),
    (Case("xid", files={"xids": None}), ("unseen", "the kernel log can't be read (no answer)", "")),
    (Case("xid"), ("ok", "no new Xid of the hardware", "")),
    (Case("ecc"), ("ok", "no new uncorrectable memory error", "")),
    (Case("ecc", {"gpus": [changed(L4, {"ecc": None})]}), ("ok", "these GPUs count no memory errors", "")),
    (Case("memory"), ("ok", "memory limit: 1024 of 4096 MiB used", "")),
    (Case("memory", files={"memory": None, "no_memory_limit": True}), ("ok", "no memory limit", "")),
    (Case("memory", files={"memory": None}), ("unseen", "the memory limit can't be read (no answer)", "")),
    (Case("memory", files={"memory": (4 * GIB, 4000 * MIB)}), ("fault", "memory limit: 4000 of 4096 MiB used", "container-oom-killed")),
    (Case("shm"), ("ok", "/dev/shm: 8192 of 8192 MiB free", "")),
    (Case("shm", files={"shm": (64 * MIB, 0)}), ("fault", "/dev/shm: 0 of 64 MiB free", "shared-memory-too-small")),
    (Case("shm", files={"shm": (64 * MIB, MIB)}), ("ok", "/dev/shm: 1 of 64 MiB free", "")),
    (Case("shm", files={"shm": (0, 0)}), ("ok", "/dev/shm: 0 of 0 MiB free", "")),
    (Case("tensorflow"), ("ok", "TensorFlow and its libraries are as examined", "")),
    (Case("examination", state={"verdict": "degraded", "roots": ("user-site-leak",)}), ("warning", "examined 60 min ago: degraded (user-site-leak)", "")),
    (Case("examination", state={"verdict": "unknown"}, options={"node": True}), ("ok", "examined 60 min ago", "")),
    (Case("examination", state={"failing": (("keras-mismatch", "packages", False, "root"),)}), ("fault", "examined 60 min ago: broken (keras-mismatch)", "keras-mismatch")),
)  # fmt: skip


@pytest.mark.parametrize(("case", "told"), POINTS, ids=[f"{case.said}: {told[1]}" for case, told in POINTS])  # fmt: skip
def test_a_point(case: Case, told: tuple[str, str, str]) -> None:
    (point,) = (each for each in case.answer().points if each.check == case.said)
    assert (point.status, point.words, point.code) == told


@pytest.mark.parametrize(
    ("case", "missing"),
    [
        (Case("a slice of a MIG GPU has its own memory", {"gpus": [{**L4, "mig": True}]}), "vram"),
        (Case("no total", {"gpus": [changed(L4, {"total": None})]}), "vram"),
        (Case("without libraries nobody is asked", NO_LIBRARIES, bare=True), "xid"),
        (Case("a lost GPU is said once", {"gpus": [LOST], "cuda_code": 999}), "driver"),
        (Case("there is no /dev/shm in another root", files={"shm": None}), "shm"),
        (Case("TensorFlow's files changed", files={"changed": ["x"]}), "tensorflow"),
        (Case("so is a count that is not told", {"cuda_count": -3}), "gpus"),
        (Case("cuInit's refusal is the driver's", {"cuda_code": 999, "cuda_count": None}), "gpus"),
        (Case("a node has no TensorFlow", options={"node": True}), "tensorflow"),
        (Case("a node has no limit of its own", options={"node": True}), "memory"),
        (Case("CPU time ran out first", files={"memory": None, "available": None, "ended": NO_CPU}, options={"min_free_ram": GIB}), ""),
    ],
    ids=lambda each: each.said if isinstance(each, Case) else each,
)  # fmt: skip
def test_what_is_not_judged_has_no_point(case: Case, missing: str) -> None:
    points = case.answer().points
    assert missing not in {each.check for each in points}
    assert missing or "fault" not in {each.status for each in points if each.check == "memory"}


def test_a_gpu_that_is_lost_tells_no_memory_errors() -> None:
    case = Case("", {"gpus": [changed(LOST, {"ecc": None})]})
    assert [(each.status, each.words) for each in case.answer().points if each.check == "ecc"] == [
        ("unseen", "a GPU does not tell its memory errors")
    ]
