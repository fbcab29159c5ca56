"""What the readers hand to the judge: plain dictionaries, since they cross pipes. Never imported at run time."""

from __future__ import annotations

from typing import TypedDict


class Gpu(TypedDict, total=False):
    """One GPU as NVML shows it; a key that is missing was not asked. Bytes. `refused` names the calls that failed."""

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


class Driver(TypedDict, total=False):
    """What the driver's child said until it ended. `at` is the call it was in; `ended` "" where it ended well."""

    at: str
    cuda_place: str  # the name by which the loader was asked for it, or the file
    cuda_file: str  # the file that the loader took
    cuda_error: str  # the loader's words; "absent" where there is no such library
    cuda_code: int  # cuInit's answer
    cuda_name: str
    cuda_count: int
    hidden: bool  # CUDA_VISIBLE_DEVICES names no GPU
    nvml_error: str
    nvml_file: str
    nvml_code: int
    nvml_count: int
    version: str
    gpus: list[Gpu]
    buses: dict[
        int, str
    ]  # places on the PCI bus by GPU, "" where not told; this and the next asked of a driver that refuses
    slices: dict[int, list[str]]  # UUIDs of MIG slices by GPU that is in MIG mode
    done: bool
    ended: str  # "", "hung", "hung on", "crashed (signal 11)", "ended (status 3)"
    busy: str  # "12:00:03 cuInit" where another probe's child holds the driver
    queued: float  # seconds that it waited for another probe's child
    held: float  # seconds that something other than a processor kept that child waiting
    alone: str  # why at most one child at a time can't be promised; "" where it can
    shared: bool  # another probe's answer
    around: Judged  # what shows a GPU, looked for by the same child where there is no driver at all


class State(TypedDict):
    """The kept verdict of the last full examination (`state/write.py` says what each field means)."""

    schema_version: str
    tool: str
    written_at: float
    boot_id: str
    since_boot: float
    machine: str
    uid: int
    verdict: str
    summary: str
    roots: list[str]
    python: str
    driver_version: str
    gpus: list[dict[str, str | int]]
    cuda_count: int
    xids: list[list[str | int | float]] | None
    files: list[list[str | int]]


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
    xids: list[tuple[int, str, float]]  # hardware Xids of this boot: number, bus, seconds since boot or -1
    xids_error: str
    state: State
    state_path: str
    state_error: str  # why there is no usable state
    same_boot: bool  # the state was written since the machine started
    state_age: float  # seconds; negative: written in what the clock calls the future
    changed: list[str]  # what is not as it was examined
    done: bool
    ended: str


class Judged(TypedDict, total=False):
    """What is around a driver that refuses, and what the checks of the full examination say of it."""

    shown: str  # what shows that this machine has an NVIDIA GPU, "" where nothing does
    bus_error: str  # why the bus can't tell
    found: list[
        tuple[str, str, str]
    ]  # code, role ("root", "consequence", "note"), title; the first root first
    unsure: list[str]  # codes of which they can't tell whether they are there
    done: bool
    ended: str
