"""What the facts are made of: small records without behaviour, all of them JSON when written out."""

from __future__ import annotations

from tfdoctor.base.records import record
from tfdoctor.facts import versions as n
from tfdoctor.facts.outcome import Absent, Fact

NOT_MEASURED = Absent("not measured")


@record
class OsRelease:
    """/etc/os-release: `id` "ubuntu", `like` its relatives, `version` "22.04"."""

    id: str
    version: str
    like: tuple[str, ...]
    pretty: str


@record
class PciGpu:
    """A GPU of a kind that TensorFlow has builds for; `vendor` is "nvidia", "amd" or "apple".

    `address` is its PCI address, or "integrated" for Tegra's and Apple's, whose `device_id` is the chip's name or "".
    """

    address: str
    vendor: str
    device_id: str
    driver: Fact[str]  # the kernel driver bound to it: "nvidia", "nouveau", "vfio-pci"


@record
class ClosedNode:
    """A file in /dev that leads to a GPU and that this user may not open; `group` owns it, "" where that is unknown."""

    path: str
    group: str


@record
class SchedulerJob:
    """A batch scheduler's job around this process; `gpus` is what the scheduler granted."""

    kind: str  # "slurm", "pbs", "lsf", "sge", "htcondor"
    gpus: Fact[str]


@record
class Distribution:
    """An installed distribution. `name` is normalised (PEP 503)."""

    name: str
    version: str
    folder: str  # its .dist-info, .egg-info or EGG-INFO, which may be in a zip file
    installer: str  # "pip", "uv", "conda" or "" where INSTALLER does not say
    in_user_site: bool


@record
class Requirement:
    """One Requires-Dist of TensorFlow that applies here (markers evaluated for the examined interpreter)."""

    name: str
    specifier: str
    installed: Fact[str]  # the version; Absent: not installed
    extra: str  # "" or the extra that brings it ("and-cuda")
    satisfied: bool


@record
class Plugin:
    """A package that extends tfdoctor. `error`: why it had no say, or not all of it; "" where it had. `here` False: only a saved
    report names it."""

    name: str
    version: str
    prefix: str
    error: str = ""
    here: bool = True


@record
class UnmetRequirement:
    """A Requires-Dist that is not met, of an installed package other than TensorFlow."""

    owner: str
    owner_version: str
    name: str
    specifier: str
    installed: Fact[str]  # the version; Absent: not installed
    extra: str = ""  # under which of its extras it stands


@record
class Bound:
    """A Requires-Dist with a range, of an installed package other than TensorFlow."""

    name: str
    specifier: str
    owner: str
    owner_version: str


@record
class DamagedPackage:
    """An installed package of which files are gone, empty or cut off that its import needs first; paths below site-packages."""

    name: str
    version: str
    files: tuple[str, ...]  # cut at 20
    count: int


@record
class PathLeak:
    """A package that PYTHONPATH puts before what the environment itself has, or adds to it."""

    name: str
    version: str  # "" where it has no metadata there
    entry: str  # the folder that PYTHONPATH names
    hides: str  # the version of the environment's own copy, "" where it has none or the version is unknown
    hidden_folder: str  # where that copy is, "" where there is none
    built_for: (
        str  # "3.12" where its compiled parts are for that Python, not the examined one; "" else
    )


@record
class LibraryFolder:
    """An entry of LD_LIBRARY_PATH with those of its libraries that often stand in another one's way."""

    path: str
    exists: bool
    libraries: tuple[str, ...]  # file names: libstdc++.so.6, libtensorflow_framework.so.2


@record
class InterruptedFix:
    """A `tfdoctor fix` that came to no end. `exchanged`: the changed directory is in the environment's place, unproven."""

    id: int
    exchanged: bool


@record
class Shadow:
    """A file or folder that would be imported instead of the module of that name."""

    module: str
    path: str
    place: str  # "working folder" or "PYTHONPATH"


@record
class TensorFlowBuild:
    """What a TensorFlow was built with. `source` of the fact says whether by headers or build_info."""

    cuda: Fact[n.CudaRelease]  # "12.5.1"; Absent: built without CUDA
    cudnn: Fact[n.CudnnRelease]
    nccl: Fact[str]
    rocm: Fact[str]
    sass: tuple[n.ComputeCapability, ...]  # compute capabilities with binaries
    # Compute capabilities whose intermediate code (PTX) is inside.
    ptx: tuple[n.ComputeCapability, ...]
    cpu_flags: tuple[str, ...]  # instruction sets it was compiled for, as /proc/cpuinfo names them


@record
class RecordCheck:
    """RECORD compared with the disk. Paths are relative to site-packages; lists are cut at 20."""

    files: int
    missing: tuple[str, ...]
    missing_count: int
    wrong_size: tuple[str, ...]
    wrong_size_count: int
    wrong_hash: tuple[str, ...]
    wrong_hash_count: int
    hashed: bool


@record
class Library:
    """One shared library as the loader would find it.

    `path` is Known where the loader finds it, Absent where it does not. `elsewhere` lists copies on this
    disk that the loader does not see; `other_versions` other majors of the same library that it does see.
    """

    soname: str
    path: Fact[str]
    found_via: str  # "LD_LIBRARY_PATH", "RUNPATH", "ld.so.cache", "default", "wsl", "jetson", "nixos" … or ""
    version: Fact[n.LibraryRelease]
    elsewhere: tuple[str, ...] = ()
    other_versions: tuple[str, ...] = ()
    shadows: tuple[str, ...] = ()  # further copies that come later in the search order
    problem: str = (
        ""  # why the loader can't load what it finds (cut off, empty, a missing part); "" for none
    )
    unfit: str = (
        ""  # the path of a library that it needs and that lacks a symbol it asks for; "" for none
    )


@record
class ChangedWheel:
    """An nvidia-* wheel whose shared libraries are not as its RECORD lists them. Paths are relative to site-packages."""

    name: str
    version: str
    missing: tuple[str, ...]
    changed: tuple[str, ...]  # of another size than RECORD says
    changed_by: (
        str  # the distribution whose RECORD they fit, "nvidia-cudnn-cu13 9.28.0.42"; "" for none
    )


@record
class Tool:
    """A program of a CUDA toolkit: its path and version."""

    path: str
    version: Fact[n.CudaRelease]


@record
class CudaDevice:
    """A GPU as the driver API shows it to this process."""

    index: int
    name: str
    compute_capability: n.ComputeCapability
    memory_total: int
    uuid: str
    pci_bus_id: str


@record
class GpuProcess:
    """A process that holds memory of a GPU."""

    pid: int
    name: str
    memory: Fact[int]


@record
class NvmlDevice:
    """A GPU as NVML shows it, hidden ones included."""

    index: int
    name: str
    uuid: str
    compute_capability: Fact[n.ComputeCapability]
    memory_total: Fact[int]
    memory_used: Fact[int]
    memory_free: Fact[int]
    processes: Fact[tuple[GpuProcess, ...]]
    compute_mode: Fact[str]  # "default", "exclusive-process", "prohibited", "exclusive-thread"
    mig_enabled: Fact[bool]
    mig_instances: Fact[tuple[str, ...]]  # UUIDs
    ecc_uncorrected_volatile: Fact[int]  # since the last boot or reset
    ecc_uncorrected_aggregate: Fact[int]
    retired_pages_pending: Fact[bool]
    remapped_rows: Fact[str]  # "none", "remapped", "pending" or "failure"
    clock_event_reasons: Fact[tuple[str, ...]]  # "hw-thermal-slowdown", "sw-power-cap"…
    temperature: Fact[int]  # degrees Celsius
    utilization: Fact[int]  # percent
    pci_bus_id: Fact[str]
    vgpu_license: Fact[str]  # "licensed", "unlicensed"; Absent: no vGPU
    lost: bool
    link_width: Fact[int] = NOT_MEASURED  # PCIe lanes in use
    link_width_max: Fact[int] = NOT_MEASURED  # those that GPU and slot have together


@record
class Xid:
    """A GPU error that the driver wrote into the kernel log (NVIDIA, XID Errors)."""

    number: int
    pci_bus_id: str
    text: str
    seconds_since_boot: Fact[float]


@record
class Kernelspec:
    """A Jupyter kernel: its argv[0] and what it belongs to."""

    name: str
    display_name: str
    folder: str
    argv: tuple[str, ...]
    interpreter: Fact[str]  # argv[0] resolved; Absent: that program does not exist
    sets: tuple[str, ...] = ()  # the environment variables that its file sets, by name
