"""Every fact that tfdoctor can know about a machine, by the probe that asks for it.

`Facts` has one group for each probe; each field of a group is a `Fact` and its path in reports is
"<group>.<field>". Sizes are bytes, times are seconds, versions are kept as the text that was read
(`facts/versions.py` gives them their kinds). The values inside are in `facts/values.py`.
A new fact is one line here, one line in its probe.
"""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from typing import Any

from tfdoctor.facts import values as v
from tfdoctor.facts.outcome import AnyFact, Fact, Failed

NOT_ASKED = Failed("the probe that asks for this did not run")


def _unasked() -> Any:
    return field(default=NOT_ASKED)


@dataclass(frozen=True)
class Host:
    """The machine and its operating system, read below the sysroot."""

    os: Fact[str] = _unasked()  # "linux", "windows" or "macos"
    distribution: Fact[v.OsRelease] = _unasked()  # /etc/os-release
    kernel: Fact[str] = _unasked()  # /proc/sys/kernel/osrelease
    glibc: Fact[str] = _unasked()  # "2.36"; Absent on musl, Windows and macOS
    machine: Fact[str] = _unasked()  # the kernel's architecture: "x86_64", "aarch64"
    cpu_model: Fact[str] = _unasked()  # /proc/cpuinfo
    cpu_flags: Fact[tuple[str, ...]] = _unasked()  # /proc/cpuinfo, lower case: "avx", "avx2", "fma"
    cpu_count: Fact[int] = _unasked()  # CPUs that this process may use
    hypervisor: Fact[str] = _unasked()  # DMI or CPU name: "KVM", "VMware"; Absent on bare metal
    wsl: Fact[int] = _unasked()  # 1 or 2; Absent outside WSL
    gpus_on_bus: Fact[tuple[v.PciGpu, ...]] = _unasked()  # display and 3D controllers of known vendors; Absent: none
    gpu_device_nodes: Fact[tuple[str, ...]] = _unasked()  # /dev/nvidia0 …, /dev/dxg; Absent: none
    uvm_node: Fact[str] = _unasked()  # /dev/nvidia-uvm
    container: Fact[str] = _unasked()  # "docker", "podman", "kubernetes", "lxc", "apptainer"…
    scheduler: Fact[v.SchedulerJob] = _unasked()  # the job this process runs in
    package_manager: Fact[str] = _unasked()  # "apt", "dnf", "zypper", "pacman" by os-release
    user_is_root: Fact[bool] = _unasked()


@dataclass(frozen=True)
class Memory:
    """Memory and the other limits of host, container and process. Bytes unless said otherwise."""

    ram_total: Fact[int] = _unasked()  # /proc/meminfo MemTotal
    ram_available: Fact[int] = _unasked()  # /proc/meminfo MemAvailable
    swap_total: Fact[int] = _unasked()  # Absent: no swap
    swap_free: Fact[int] = _unasked()
    swap_in_per_s: Fact[float] = _unasked()  # pages a second while the examination ran (/proc/vmstat pswpin)
    pressure_full_avg10: Fact[float] = _unasked()  # percent of time, /proc/pressure/memory
    cgroup_version: Fact[int] = _unasked()  # 1 or 2
    cgroup_limit: Fact[int] = _unasked()  # the smallest limit from the own cgroup up to the root; Absent: none
    cgroup_used: Fact[int] = _unasked()  # used in the cgroup that has the smallest limit, without reclaimable cache
    cgroup_oom_kills: Fact[int] = _unasked()
    shm_total: Fact[int] = _unasked()  # /dev/shm; Absent: not mounted
    shm_free: Fact[int] = _unasked()
    tmp_free: Fact[int] = _unasked()  # the folder for temporary files
    home_free: Fact[int] = _unasked()
    limit_address_space: Fact[int] = _unasked()  # RLIMIT_AS; Absent: unlimited
    limit_open_files: Fact[int] = _unasked()  # RLIMIT_NOFILE (soft)
    limit_processes: Fact[int] = _unasked()  # RLIMIT_NPROC (soft); Absent: unlimited
    cgroup_pids_limit: Fact[int] = _unasked()  # pids.max; Absent: unlimited
    limit_locked_memory: Fact[int] = _unasked()  # RLIMIT_MEMLOCK; Absent: unlimited


@dataclass(frozen=True)
class Interpreter:
    """The Python that is examined, never the doctor's own unless they are the same."""

    executable: Fact[str] = _unasked()
    version: Fact[str] = _unasked()  # "3.11.7"
    implementation: Fact[str] = _unasked()  # "cpython"
    machine: Fact[str] = _unasked()  # platform.machine() inside it: differs from the host's under emulation
    pointer_bits: Fact[int] = _unasked()  # 32 or 64
    free_threaded: Fact[bool] = _unasked()
    environment: Fact[str] = _unasked()  # "venv", "conda", "system", "pyenv"…
    prefix: Fact[str] = _unasked()
    base_prefix: Fact[str] = _unasked()
    sys_path: Fact[tuple[str, ...]] = _unasked()  # as the user's program has it, without the working folder
    site_packages: Fact[tuple[str, ...]] = _unasked()  # purelib and platlib
    user_site: Fact[str] = _unasked()  # Absent: switched off
    externally_managed: Fact[str] = _unasked()  # the EXTERNALLY-MANAGED file (PEP 668); Absent: none
    has_pip: Fact[bool] = _unasked()
    libc: Fact[str] = _unasked()  # "glibc 2.36" or "musl 1.2": what the interpreter is linked with
    chosen_by: Fact[str] = _unasked()  # why this interpreter: "--python", "VIRTUAL_ENV", …
    active_with_tensorflow: Fact[str] = _unasked()  # another, active environment that has TensorFlow; Absent: none


@dataclass(frozen=True)
class Packages:
    """Distributions found on the examined interpreter's own sys.path, first found first."""

    installed: Fact[tuple[v.Distribution, ...]] = _unasked()
    unreadable: Fact[tuple[str, ...]] = _unasked()  # metadata folders that could not be read; Absent: none
    requirements: Fact[tuple[v.Requirement, ...]] = _unasked()  # TensorFlow's own, markers applied
    shadowing: Fact[tuple[v.Shadow, ...]] = _unasked()  # modules that hide tensorflow or a standard module; Absent: none
    user_site_shadowing: Fact[tuple[str, ...]] = _unasked()  # distributions that the user site puts before the environment's


@dataclass(frozen=True)
class TensorFlow:
    """The installed TensorFlow, read from its files and never imported."""

    distributions: Fact[tuple[v.Distribution, ...]] = _unasked()  # tensorflow, -cpu, -gpu, -intel, tf-nightly…
    distribution: Fact[str] = _unasked()  # the one whose files are imported
    version: Fact[str] = _unasked()  # of the files, else of the metadata
    location: Fact[str] = _unasked()  # the package's folder
    build: Fact[v.TensorFlowBuild] = _unasked()  # build_info and headers
    wheel_tag: Fact[str] = _unasked()  # "cp311-cp311-manylinux_2_27_x86_64" from WHEEL
    record: Fact[v.RecordCheck] = _unasked()  # RECORD against the disk
    foreign_files: Fact[tuple[str, ...]] = _unasked()  # files of the package that another distribution's RECORD claims
    plugins: Fact[tuple[str, ...]] = _unasked()  # tensorflow-metal, directml …
    requested_extra_cuda: Fact[bool] = _unasked()  # something shows that [and-cuda] was asked for


@dataclass(frozen=True)
class CudaLibraries:
    """Where the loader would find what this build opens, in the examined interpreter's process."""

    needed: Fact[tuple[str, ...]] = _unasked()  # sonames that this build opens
    libraries: Fact[tuple[v.Library, ...]] = _unasked()  # one for each needed soname
    runpath: Fact[tuple[str, ...]] = _unasked()  # of TensorFlow's loading library, $ORIGIN resolved
    search_path: Fact[tuple[str, ...]] = _unasked()  # LD_LIBRARY_PATH's folders
    wheels: Fact[tuple[v.Distribution, ...]] = _unasked()  # nvidia-* distributions
    ptxas: Fact[v.Tool] = _unasked()  # the first that XLA would run
    libdevice: Fact[str] = _unasked()  # where XLA would find it
    cudnn_parts: Fact[tuple[v.Library, ...]] = _unasked()  # libcudnn_ops, _cnn, _adv … beside the main library
    nvjitlink: Fact[str] = _unasked()
    cupti: Fact[str] = _unasked()
    toolkits: Fact[tuple[str, ...]] = _unasked()  # /usr/local/cuda* folders


@dataclass(frozen=True)
class Driver:
    """The NVIDIA driver as the driver API (libcuda) and the kernel tell."""

    module_version: Fact[str] = _unasked()  # the loaded kernel module, /proc/driver/nvidia/version; Absent: not loaded
    module_flavour: Fact[str] = _unasked()  # "open" or "proprietary"
    module_on_disk: Fact[str] = _unasked()  # an nvidia.ko for this kernel; Absent: none
    library: Fact[v.Library] = _unasked()  # libcuda.so.1 as the loader finds it; Absent: not found
    other_libraries: Fact[tuple[str, ...]] = _unasked()  # further copies of libcuda on this system; Absent: none
    init_code: Fact[int] = _unasked()  # cuInit's answer; Failed: hung or died
    init_name: Fact[str] = _unasked()  # "CUDA_ERROR_NO_DEVICE"
    cuda_version: Fact[str] = _unasked()  # the newest CUDA that the driver offers ("12.4")
    devices: Fact[tuple[v.CudaDevice, ...]] = _unasked()  # visible ones; Absent: none
    version: Fact[str] = _unasked()  # the driver's release: NVML, else kernel module, else libcuda's file name


@dataclass(frozen=True)
class Nvml:
    """What NVML (libnvidia-ml, the library behind nvidia-smi) says."""

    library: Fact[v.Library] = _unasked()
    init_code: Fact[int] = _unasked()  # nvmlInit's answer; Failed: hung or died
    init_name: Fact[str] = _unasked()
    driver_version: Fact[str] = _unasked()
    cuda_version: Fact[str] = _unasked()
    devices: Fact[tuple[v.NvmlDevice, ...]] = _unasked()


@dataclass(frozen=True)
class KernelLog:
    """The kernel's messages, where this user may read them."""

    xids: Fact[tuple[v.Xid, ...]] = _unasked()  # Absent: the log was read and has none
    oom_kills: Fact[tuple[str, ...]] = _unasked()
    nvidia_messages: Fact[tuple[str, ...]] = _unasked()  # NVRM lines that are no Xid, the last ones


@dataclass(frozen=True)
class Jupyter:
    """Jupyter's kernels that this user would be offered."""

    kernels: Fact[tuple[v.Kernelspec, ...]] = _unasked()
    examined_kernel: Fact[v.Kernelspec] = _unasked()  # the one named by --kernel; Absent: none named


@dataclass(frozen=True)
class Environment:
    """Environment variables that TensorFlow, CUDA, the loader or Python obey."""

    variables: Fact[dict[str, str]] = _unasked()


@dataclass(frozen=True)
class Smoke:
    """What the rungs of the smoke ladder showed. Failed with "skipped: …" where a rung was not climbed."""

    driver: Fact[v.DriverSmoke] = _unasked()
    libraries: Fact[v.LibrariesSmoke] = _unasked()
    tensorflow: Fact[v.TensorFlowSmoke] = _unasked()


@dataclass(frozen=True)
class Facts:
    """All that is known about one environment on one machine."""

    host: Host = Host()
    memory: Memory = Memory()
    interpreter: Interpreter = Interpreter()
    packages: Packages = Packages()
    tensorflow: TensorFlow = TensorFlow()
    cuda_libraries: CudaLibraries = CudaLibraries()
    driver: Driver = Driver()
    nvml: Nvml = Nvml()
    kernel_log: KernelLog = KernelLog()
    jupyter: Jupyter = Jupyter()
    environment: Environment = Environment()
    smoke: Smoke = Smoke()

    def items(self) -> list[tuple[str, AnyFact]]:
        """Every fact with its path, in the order of this file."""
        return [
            (f"{group.name}.{item.name}", getattr(getattr(self, group.name), item.name))
            for group in fields(self)
            for item in fields(getattr(self, group.name))
        ]
