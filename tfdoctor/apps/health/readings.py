"""What the readers hand to the judge: plain dictionaries, since they cross pipes. Never imported at run time."""

from __future__ import annotations

from typing import TypedDict

from tfdoctor.apps.health.state import State


class Gpu(TypedDict, total=False):
    """One GPU as NVML shows it; a key that is missing was not told. Bytes.

    `refused`: NVML's answer where the GPU gives no handle; `unread`: its answers to counters that could not be read.
    """

    index: int
    name: str
    uuid: str
    lost: bool
    total: int
    free: int
    major: int  # compute capability
    mig: bool
    ecc: int  # uncorrectable memory errors since the last reset; missing where the GPU counts none
    processes: list[tuple[int, int]]  # process id and bytes; -1: the driver does not say how many
    own: int  # bytes that this user's programs hold; asked where little is free
    unclear: str  # why it can't be told whose the memory is, "" where it can
    refused: list[str]
    unread: list[str]
    worn: bool  # no spare memory is left to replace worn rows


class Driver(TypedDict, total=False):
    """What the driver's child said until it ended. `at` is the call it was in; `ended` "" where it ended well."""

    at: str
    cuda_error: str  # the loader's words; "absent" where there is no such library
    cuda_code: int  # cuInit's answer
    cuda_name: str
    cuda_count: int
    hidden: bool  # CUDA_VISIBLE_DEVICES names no GPU
    nvml_error: str
    nvml_code: int
    nvml_count: int
    version: str
    gpus: list[Gpu]
    done: bool
    ended: str  # "", "hangs", "hangs and can't be ended", "crashed (signal 11)", "was left with status 3"
    busy: str  # "young" or "overdue": another health check is at the driver, so it was not asked
    alone: str  # why at most one child at a time can't be promised; "" where it can


class Examined(TypedDict, total=False):
    """What the child that examines said."""

    state: State
    not_kept: str  # why the state could not be written
    refused: str  # why nothing could be examined
    done: bool
    ended: str


class Files(TypedDict, total=False):
    """What was read from files. A missing key: the reader never came so far."""

    at: str
    memory: tuple[int, int]  # limit and use of the memory cgroup, bytes
    memory_error: str
    no_memory_limit: bool
    available: int  # of the machine
    available_error: str
    shm: tuple[int, int]  # size and free bytes
    shm_error: str
    # Hardware Xids of this boot: number, bus, seconds since boot or -1.
    xids: list[tuple[int, str, float]]
    xids_error: str
    state: State
    state_path: str
    state_error: str  # why there is no usable state
    same_boot: bool  # the state was written since the machine started
    state_age: float  # seconds; negative: written in what the clock calls the future
    changed: list[str]  # what is not as it was examined
    settings: str  # the file of those in force here; "" for none
    before: State  # the last examination, where a new one was made
    examined: Examined  # a new examination was made
    refused: str  # why nothing may be judged
    done: bool
    ended: str
