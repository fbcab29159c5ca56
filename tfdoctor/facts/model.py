"""Every fact that tfdoctor can know about a machine, by the probe that asks for it.

`Facts` has one group for each probe; each field of a group is a `Fact` and its path in reports is
"<group>.<field>". Sizes are bytes, times are seconds, versions of NVIDIA's parts, of Python and of the C
library have their kinds (`facts/versions.py`). The values inside are in
`facts/values.py` and its neighbours.
A new fact is one line here, one line in its probe.
"""

from __future__ import annotations

from typing import ClassVar

from tfdoctor.base.records import field, names, record
from tfdoctor.facts import smoke_values as seen
from tfdoctor.facts import values as v
from tfdoctor.facts import versions as n
from tfdoctor.facts.death import Death
from tfdoctor.facts.log_values import Log
from tfdoctor.facts.outcome import NOT_ASKED, NOT_WATCHED, UNASKED, AnyFact, Fact, Known


@record
class Host:
    """The machine and its operating system, read below the sysroot."""

    os: Fact[str] = NOT_ASKED  # "linux", "windows" or "macos"
    name: Fact[str] = (
        UNASKED  # of the machine; of a container its ID or pod, unless it was given another
    )
    distribution: Fact[v.OsRelease] = NOT_ASKED  # /etc/os-release
    kernel: Fact[str] = NOT_ASKED  # /proc/sys/kernel/osrelease
    glibc: Fact[n.GlibcRelease] = NOT_ASKED  # "2.36"; Absent on musl, Windows and macOS
    machine: Fact[str] = NOT_ASKED  # the kernel's architecture: "x86_64", "aarch64"
    cpu_model: Fact[str] = NOT_ASKED  # /proc/cpuinfo
    cpu_flags: Fact[tuple[str, ...]] = NOT_ASKED  # /proc/cpuinfo, lower case: "avx", "avx2", "fma"
    cpu_count: Fact[int] = NOT_ASKED  # CPUs that this process may use
    hypervisor: Fact[str] = NOT_ASKED  # DMI or CPU name: "KVM", "VMware"; Absent on bare metal
    wsl: Fact[int] = NOT_ASKED  # 1 or 2; Absent outside WSL
    gpus_on_bus: Fact[tuple[v.PciGpu, ...]] = NOT_ASKED  # of NVIDIA, AMD, Apple; Absent: none
    intel_gpu: Fact[str] = (
        UNASKED  # the address of a GPU of Intel's, which needs a plug-in; Absent: none
    )
    gpu_device_nodes: Fact[tuple[str, ...]] = NOT_ASKED  # /dev/nvidia0 …, /dev/dxg; Absent: none
    uvm_node: Fact[str] = NOT_ASKED  # /dev/nvidia-uvm
    closed_nodes: Fact[tuple[v.ClosedNode, ...]] = (
        UNASKED  # of GPUs, not open to this user; Absent: none
    )
    container: Fact[str] = NOT_ASKED  # "docker", "podman", "kubernetes", "lxc", "apptainer"…
    scheduler: Fact[v.SchedulerJob] = NOT_ASKED  # the job this process runs in
    package_manager: Fact[str] = NOT_ASKED  # "apt", "dnf", "zypper", "pacman" by os-release
    user_is_root: Fact[bool] = NOT_ASKED


@record
class Memory:
    """Memory and the other limits of host, container and process. Bytes unless said otherwise."""

    ram_total: Fact[int] = NOT_ASKED  # /proc/meminfo MemTotal
    ram_available: Fact[int] = NOT_ASKED  # /proc/meminfo MemAvailable
    swap_total: Fact[int] = NOT_ASKED  # Absent: no swap
    swap_free: Fact[int] = NOT_ASKED
    swap_in_per_s: Fact[float] = (
        NOT_ASKED  # pages a second while the examination ran (/proc/vmstat pswpin)
    )
    pressure_full_avg10: Fact[float] = NOT_ASKED  # percent of time, /proc/pressure/memory
    cgroup_version: Fact[int] = NOT_ASKED  # 1 or 2
    cgroup_limit: Fact[int] = (
        NOT_ASKED  # the smallest limit from the own cgroup up to the root; Absent: none
    )
    cgroup_used: Fact[int] = (
        NOT_ASKED  # in the cgroup with the smallest limit, without reclaimable cache
    )
    cgroup_oom_kills: Fact[int] = NOT_ASKED
    shm_total: Fact[int] = NOT_ASKED  # /dev/shm; Absent: not mounted
    shm_free: Fact[int] = NOT_ASKED
    tmp_free: Fact[int] = NOT_ASKED  # the folder for temporary files
    tmp_writable: Fact[str] = (
        NOT_ASKED  # the folder that tempfile would take; Absent: none may be written
    )
    home_free: Fact[int] = NOT_ASKED
    limit_address_space: Fact[int] = NOT_ASKED  # RLIMIT_AS; Absent: unlimited
    limit_open_files: Fact[int] = NOT_ASKED  # RLIMIT_NOFILE (soft)
    limit_processes: Fact[int] = NOT_ASKED  # RLIMIT_NPROC (soft); Absent: unlimited
    cgroup_pids_limit: Fact[int] = NOT_ASKED  # pids.max; Absent: unlimited
    limit_locked_memory: Fact[int] = NOT_ASKED  # RLIMIT_MEMLOCK; Absent: unlimited


@record
class Interpreter:
    """The Python that is examined, never the doctor's own unless they are the same."""

    executable: Fact[str] = NOT_ASKED
    version: Fact[n.PythonRelease] = NOT_ASKED  # "3.11.7"
    implementation: Fact[str] = NOT_ASKED  # "cpython"
    machine: Fact[str] = (
        NOT_ASKED  # platform.machine() inside it: differs from the host's under emulation
    )
    pointer_bits: Fact[int] = NOT_ASKED  # 32 or 64
    free_threaded: Fact[bool] = NOT_ASKED
    environment: Fact[str] = NOT_ASKED  # "venv", "conda", "system", "pyenv"…
    prefix: Fact[str] = NOT_ASKED
    base_prefix: Fact[str] = NOT_ASKED
    sys_path: Fact[tuple[str, ...]] = (
        NOT_ASKED  # as the user's program has it, without the working folder
    )
    site_packages: Fact[tuple[str, ...]] = NOT_ASKED  # purelib and platlib
    user_site: Fact[str] = NOT_ASKED  # Absent: switched off
    externally_managed: Fact[str] = NOT_ASKED  # the EXTERNALLY-MANAGED file (PEP 668); Absent: none
    has_pip: Fact[bool] = NOT_ASKED
    project: Fact[str] = (
        UNASKED  # the lock file of the project in whose .venv this is; Absent: none
    )
    libc: Fact[str] = NOT_ASKED  # "glibc 2.36" or "musl 1.2": what the interpreter is linked with
    chosen_by: Fact[str] = NOT_ASKED  # why this interpreter: "--python", "VIRTUAL_ENV", …
    active_with_tensorflow: Fact[str] = (
        NOT_ASKED  # another, active environment that has it; Absent: none
    )
    active_has_pip: Fact[bool] = UNASKED  # whether that other environment has pip
    others_with_tensorflow: Fact[tuple[str, ...]] = (
        UNASKED  # where this one has none; Absent: none has it
    )


@record
class Packages:
    """Distributions found on the examined interpreter's own sys.path, first found first."""

    installed: Fact[tuple[v.Distribution, ...]] = NOT_ASKED
    unreadable: Fact[tuple[str, ...]] = (
        NOT_ASKED  # metadata folders that could not be read; Absent: none
    )
    requirements: Fact[tuple[v.Requirement, ...]] = NOT_ASKED  # TensorFlow's own, markers applied
    unmet_below: Fact[tuple[v.UnmetRequirement, ...]] = (
        NOT_ASKED  # of what it requires; Absent: all are met
    )
    bounds: Fact[tuple[v.Bound, ...]] = (
        UNASKED  # on what TensorFlow needs, too; Absent: nothing bounds that
    )
    damaged: Fact[tuple[v.DamagedPackage, ...]] = (
        UNASKED  # of what it requires; Absent: an import can begin
    )
    interrupted: Fact[tuple[v.Distribution, ...]] = (
        UNASKED  # what pip left aside ("~umpy"); Absent: nothing
    )
    leftovers: Fact[tuple[str, ...]] = (
        UNASKED  # what pip moved aside in site-packages and left there ("~umpy"); Absent: nothing
    )
    interrupted_fix: Fact[v.InterruptedFix] = (
        UNASKED  # by tfdoctor itself; Absent: every one came to its end
    )
    built_on_another: Fact[tuple[v.UnmetRequirement, ...]] = (
        NOT_ASKED  # compiled for another; Absent: none
    )
    shadowing: Fact[tuple[v.Shadow, ...]] = (
        NOT_ASKED  # hides tensorflow or a standard module; Absent: none
    )
    user_site_shadowing: Fact[tuple[str, ...]] = (
        NOT_ASKED  # what the user site puts before the environment's
    )
    path_leaks: Fact[tuple[v.PathLeak, ...]] = (
        UNASKED  # packages that PYTHONPATH brings; Absent: none
    )


@record
class TensorFlow:
    """The installed TensorFlow, read from its files and never imported."""

    distributions: Fact[tuple[v.Distribution, ...]] = (
        NOT_ASKED  # tensorflow, -cpu, -gpu, -intel, tf-nightly…
    )
    distribution: Fact[str] = NOT_ASKED  # the one whose files are imported
    version: Fact[str] = NOT_ASKED  # of the files, else of the metadata
    location: Fact[str] = NOT_ASKED  # the package's folder
    noexec_mount: Fact[str] = (
        UNASKED  # the mount under it that forbids to run what is on it; Absent: none
    )
    build: Fact[v.TensorFlowBuild] = NOT_ASKED  # build_info and headers
    conda_build: Fact[str] = (
        UNASKED  # conda's name of it, "cuda126py312hcd65ccb_251"; Absent: not conda's
    )
    wheel_tag: Fact[str] = NOT_ASKED  # "cp311-cp311-manylinux_2_27_x86_64" from WHEEL
    record: Fact[v.RecordCheck] = NOT_ASKED  # RECORD against the disk
    foreign_files: Fact[tuple[str, ...]] = (
        NOT_ASKED  # of the package, which another's RECORD claims
    )
    plugins: Fact[tuple[str, ...]] = NOT_ASKED  # tensorflow-metal, directml …
    requested_extra_cuda: Fact[bool] = NOT_ASKED  # something shows that [and-cuda] was asked for


@record
class CudaLibraries:
    """Where the loader would find what this build opens, in the examined interpreter's process."""

    needed: Fact[tuple[str, ...]] = NOT_ASKED  # sonames that this build opens
    libraries: Fact[tuple[v.Library, ...]] = NOT_ASKED  # one for each needed soname
    runpath: Fact[tuple[str, ...]] = NOT_ASKED  # of TensorFlow's loading library, $ORIGIN resolved
    search_path: Fact[tuple[str, ...]] = NOT_ASKED  # LD_LIBRARY_PATH's folders
    wheels: Fact[tuple[v.Distribution, ...]] = NOT_ASKED  # nvidia-* distributions
    changed_wheels: Fact[tuple[v.ChangedWheel, ...]] = (
        NOT_ASKED  # that RECORD no longer fits; Absent: none
    )
    ptxas: Fact[v.Tool] = NOT_ASKED  # the first that XLA would run
    libdevice: Fact[str] = NOT_ASKED  # where XLA would find it
    cudnn_parts: Fact[tuple[v.Library, ...]] = (
        NOT_ASKED  # libcudnn_ops, _cnn, _adv … beside the main library
    )
    nvjitlink: Fact[str] = NOT_ASKED
    cupti: Fact[str] = NOT_ASKED
    toolkits: Fact[tuple[str, ...]] = NOT_ASKED  # /usr/local/cuda* folders


@record
class Driver:
    """The NVIDIA driver as the driver API (libcuda) and the kernel tell."""

    module_version: Fact[n.DriverRelease] = (
        NOT_ASKED  # /proc/driver/nvidia/version; Absent: not loaded
    )
    module_flavour: Fact[str] = NOT_ASKED  # "open" or "proprietary"
    module_on_disk: Fact[str] = NOT_ASKED  # an nvidia.ko for this kernel; Absent: none
    library: Fact[v.Library] = NOT_ASKED  # libcuda.so.1 as the loader finds it; Absent: not found
    other_libraries: Fact[tuple[str, ...]] = NOT_ASKED  # further copies of libcuda; Absent: none
    init_code: Fact[int] = NOT_ASKED  # cuInit's answer; Failed: hung or died
    init_name: Fact[str] = NOT_ASKED  # "CUDA_ERROR_NO_DEVICE"
    cuda_version: Fact[n.CudaRelease] = NOT_ASKED  # the newest CUDA that the driver offers ("12.4")
    devices: Fact[tuple[v.CudaDevice, ...]] = NOT_ASKED  # visible ones; Absent: none
    version: Fact[n.DriverRelease] = (
        NOT_ASKED  # the driver's release, joined when all probes have answered
    )


@record
class Nvml:
    """What NVML (libnvidia-ml, the library behind nvidia-smi) says."""

    library: Fact[v.Library] = NOT_ASKED
    init_code: Fact[int] = NOT_ASKED  # nvmlInit's answer; Failed: hung or died
    init_name: Fact[str] = NOT_ASKED
    driver_version: Fact[n.DriverRelease] = NOT_ASKED
    cuda_version: Fact[n.CudaRelease] = NOT_ASKED
    devices: Fact[tuple[v.NvmlDevice, ...]] = NOT_ASKED


@record
class KernelLog:
    """The kernel's messages, where this user may read them."""

    xids: Fact[tuple[v.Xid, ...]] = NOT_ASKED  # Absent: the log was read and has none
    oom_kills: Fact[tuple[str, ...]] = NOT_ASKED
    nvidia_messages: Fact[tuple[str, ...]] = NOT_ASKED  # NVRM lines that are no Xid, the last ones


@record
class Jupyter:
    """Jupyter's kernels that this user would be offered."""

    kernels: Fact[tuple[v.Kernelspec, ...]] = NOT_ASKED
    examined_kernel: Fact[v.Kernelspec] = NOT_ASKED  # the one named by --kernel; Absent: none named
    with_tensorflow: Fact[tuple[str, ...]] = UNASKED  # kernels, where the examined Python has none


@record
class Environment:
    """Environment variables that TensorFlow, CUDA, the loader or Python obey."""

    variables: Fact[dict[str, str]] = NOT_ASKED  # Absent: none of them is set
    keras_settings: Fact[dict[str, str]] = (
        UNASKED  # keras.json of KERAS_HOME or ~/.keras; Absent: none
    )
    library_path: Fact[tuple[v.LibraryFolder, ...]] = (
        UNASKED  # LD_LIBRARY_PATH's; Absent: it is not set
    )


@record
class Smoke:
    """What the stages of the smoke ladder showed. Failed with the kind "skipped" where a stage was not climbed."""

    driver: Fact[seen.DriverSmoke] = NOT_ASKED
    libraries: Fact[seen.LibrariesSmoke] = NOT_ASKED
    tensorflow: Fact[seen.TensorFlowSmoke] = NOT_ASKED


@record
class Plugins:
    """Packages that extend tfdoctor, by entry points."""

    installed: Fact[tuple[v.Plugin, ...]] = UNASKED  # Absent: none is loaded
    found: Fact[dict[str, str]] = UNASKED  # by their probes: "acme/image"; Absent: nothing


@record
class Facts:
    """All that is known about one environment on one machine. In JSON each fact stands by its path."""

    FLAT: ClassVar = True

    host: Host = field(default_factory=Host)
    memory: Memory = field(default_factory=Memory)
    interpreter: Interpreter = field(default_factory=Interpreter)
    packages: Packages = field(default_factory=Packages)
    tensorflow: TensorFlow = field(default_factory=TensorFlow)
    cuda_libraries: CudaLibraries = field(default_factory=CudaLibraries)
    driver: Driver = field(default_factory=Driver)
    nvml: Nvml = field(default_factory=Nvml)
    kernel_log: KernelLog = field(default_factory=KernelLog)
    jupyter: Jupyter = field(default_factory=Jupyter)
    environment: Environment = field(default_factory=Environment)
    smoke: Smoke = field(default_factory=Smoke)
    plugins: Plugins = field(default_factory=Plugins)
    log: Log = field(default_factory=Log)
    death: Death = field(default_factory=Death)

    def items(self) -> list[tuple[str, AnyFact]]:
        """Every fact with its path, in the order of this file.

        A log that nobody gave and a program that nobody watched are no questions left open.
        """
        left_out = {
            *(("log",) if not isinstance(self.log.files, Known) else ()),
            *(("death",) if _is_untold(self.death) else ()),
        }
        groups = {name: getattr(self, name) for name in names(self) if name not in left_out}
        return [
            (f"{group}.{name}", getattr(told, name))
            for group, told in groups.items()
            for name in names(told)
        ]


def _is_untold(death: Death) -> bool:
    """Whether nobody watched. What is known all the same is judged, so it is kept."""
    return all(getattr(death, name) == NOT_WATCHED for name in names(death))
