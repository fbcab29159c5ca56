"""What NVIDIA's kernel module writes: GPUs that it leaves out, faults of hardware, versions that differ."""

from __future__ import annotations

from functools import partial

from tfdoctor.signatures.signature import KERNEL, LIKELY, LOG, POSSIBLE, TOOL, Signature
from tfdoctor.signatures.sources import NVIDIA_MODULE, SEVERAL_FILES

_lacks = partial(Signature, code="driver-lacks-gpu", speaker=KERNEL)
_fault = partial(Signature, code="gpu-hardware-fault", speaker=KERNEL)

SIGNATURES = (
    _lacks(
        "nvrm-legacy-branch",
        anchor="supported through the NVIDIA ",
        form=r"supported through the NVIDIA (?P<branch>\d{2,4})\.xx Legacy",
        samples=("NVRM: The NVIDIA Tesla K80 GPU installed in this system is supported through the NVIDIA 470.xx Legacy drivers.",),
        near=("supported through the NVIDIA Container Toolkit",),
        sources=(SEVERAL_FILES,),
    ),
    _lacks(
        "nvrm-not-by-open-module",
        anchor="not supported by open nvidia.ko",
        samples=("NVRM: installed in this system is not supported by open nvidia.ko because it does not include the required GPU System Processor",),
        near=("NVRM: loading NVIDIA UNIX Open Kernel Module",),
        sources=(NVIDIA_MODULE,),
    ),
    _lacks(
        "nvrm-needs-open-module",
        anchor="requires use of the NVIDIA open kernel modules",
        samples=("NVRM: installed in this system requires use of the NVIDIA open kernel modules.",),
        near=("NVRM: the NVIDIA open kernel modules are loaded",),
        sources=(SEVERAL_FILES,),
    ),
    _lacks(
        "nvrm-not-by-release",
        anchor="not supported by the NVIDIA ",
        form=r"not supported by the NVIDIA (?P<version>[\d.]{1,20}) driver release",
        samples=("NVRM: installed in this system is not supported by the NVIDIA 535.183.01 driver release.",),
        near=("This mode is not supported by the NVIDIA driver",),
    ),
    Signature(
        "nvrm-api-mismatch",
        "driver-versions-differ",
        "NVRM: API mismatch: the client",
        form=r"NVRM: API mismatch: the client(?: '(?P<process>[^']{1,100})' \(pid (?P<pid>\d{1,10})\))?(?: has the version (?P<version>[\d.]{3,20}))?",
        speaker=KERNEL,
        samples=(
            "NVRM: API mismatch: the client 'nvidia-smi' (pid 4242)",
            "[ 1234.567890] NVRM: API mismatch: the client has the version 470.82.01, but",
        ),
        near=("NVRM: loading NVIDIA UNIX x86_64 Kernel Module  470.82.01",),
        sources=(NVIDIA_MODULE, SEVERAL_FILES),
    ),
    _fault(
        "fallen-off-bus",
        anchor="allen off the bus",
        form=r"(?:GPU|has) has fallen off the bus|has fallen off the bus|fallen off the bus and is not responding",
        samples=(
            "NVRM: Xid (PCI:0000:01:00): 79, pid='<unknown>', name=<unknown>, GPU has fallen off the bus.",
            "NVRM: GPU at PCI:0000:65:00: GPU-12345678-abcd-ef01-2345-6789abcdef01 has fallen off the bus and is not responding to commands.",
        ),
        near=("The device was removed from the bus",),
        sources=(NVIDIA_MODULE,),
    ),
    _fault(
        "rm-init-failed",
        anchor="RmInitAdapter failed!",
        form=r"(?:GPU (?P<gpu>[0-9a-fA-F:.]{7,16}): )?RmInitAdapter failed!(?: \((?P<number>[0-9a-fx:]{3,40})\))?",
        rivals=("driver-lacks-gpu",),
        decided_by=("kernel_log.nvidia_messages", "host.gpus_on_bus"),
        sure=POSSIBLE,
        samples=("NVRM: GPU 0000:01:00.0: RmInitAdapter failed! (0x23:0x65:1401)",),
        near=("NVRM: RmInitAdapter succeeded",),
        sources=(SEVERAL_FILES,),
    ),
    _fault(
        "gpu-is-lost",
        anchor="GPU is lost",
        form=r"GPU is lost",
        speaker=TOOL,
        samples=("Unable to determine the device handle for GPU 0000:01:00.0: GPU is lost.  Reboot the system to recover this GPU",),
        near=("The GPU's lock is lost",),
        sources=(SEVERAL_FILES,),
    ),
    _fault(
        "gpu-handle-unknown",
        anchor="Unable to determine the device handle for",
        form=r"Unable to determine the device handle for (?:gpu|GPU) ?(?:\d{1,3}:? ?)?(?P<gpu>[0-9a-fA-F]{4,8}:[0-9a-fA-F:.]{4,10})?:? ?Unknown Error",
        speaker=TOOL,
        rivals=("container-lost-gpu",),
        decided_by=("host.container", "kernel_log.xids"),
        sure=LIKELY,
        samples=("Unable to determine the device handle for GPU0000:65:00.0: Unknown Error", "Unable to determine the device handle for GPU3: 0000:5F:00.0: Unknown Error", "Unable to determine the device handle for GPU2: Unknown Error"),
        near=("Unable to determine the device name",),
        sources=(SEVERAL_FILES,),
    ),
    *(
        _fault(
            name, anchor=anchor, speaker=LOG, samples=(sample,), near=("no error was seen",),
            sources=(SEVERAL_FILES,),
        )
        for name, anchor, sample in (
            ("ecc-name", "CUDA_ERROR_ECC_UNCORRECTABLE", "E tensorflow/stream_executor/cuda/cuda_driver.cc:1] failed to synchronize: CUDA_ERROR_ECC_UNCORRECTABLE: uncorrectable ECC error encountered"),
            ("ecc-words", "uncorrectable ECC error encountered", "InternalError: GPU sync failed: uncorrectable ECC error encountered"),
            ("reset-required", "NV_ERR_RESET_REQUIRED", "NVRM: nvCheckOkFailedNoLog: Check failed: Reset required [NV_ERR_RESET_REQUIRED] (0x00000062)"),
            ("needs-reset-words", "GPU requires reset", "Failed to initialize NVML device: GPU requires reset"),
        )
    ),
    Signature(
        "gridd-license",
        "vgpu-unlicensed",
        "nvidia-gridd: ",
        form=r"nvidia-gridd: .{0,120}(?:[Ll]icense not available|[Ff]ailed to acquire|Unlicensed|expired)",
        speaker=TOOL,
        samples=("nvidia-gridd: Failed to acquire license from 10.0.0.5 (Info: http://10.0.0.5:7070/request)", "nvidia-gridd: Valid GRID license not available"),
        near=("nvidia-gridd: License acquired successfully",),
        sources=(SEVERAL_FILES,),
    ),
    Signature(
        "modprobe-refused",
        "driver-module-not-loaded",
        "could not insert 'nvidia",
        form=r"could not insert '(?P<module>nvidia\w{0,20})': (?P<message>.{1,120})",
        speaker=TOOL,
        samples=("modprobe: ERROR: could not insert 'nvidia': Required key not available", "modprobe: ERROR: could not insert 'nvidia': Key was rejected by service", "modprobe: ERROR: could not insert 'nvidia': No such device"),
        near=("modprobe: ERROR: could not insert 'kvm': No such device",),
        rivals=("gpu-absent",),
        sources=(SEVERAL_FILES,),
    ),
    Signature(
        "modprobe-not-found",
        "driver-module-not-loaded",
        "Module nvidia not found",
        speaker=TOOL,
        samples=("modprobe: FATAL: Module nvidia not found in directory /lib/modules/6.8.0-45-generic", "FATAL: Module nvidia not found."),
        near=("Module nvidia was loaded",),
        sources=(SEVERAL_FILES,),
    ),
)  # fmt: skip
