"""What people call a fact."""

from __future__ import annotations

_NAMES = {
    "tensorflow.version": "TensorFlow",
    "tensorflow.distributions": "TensorFlow",
    "tensorflow.distribution": "TensorFlow's package",
    "interpreter.version": "Python",
    "interpreter.machine": "Python is built for",
    "host.os": "operating system",
    "host.machine": "CPU architecture",
    "host.glibc": "glibc",
    "host.kernel": "Linux kernel",
    "driver.version": "driver",
    "driver.module_version": "kernel module",
    "driver.init_code": "cuInit",
    "driver.init_name": "cuInit",
    "nvml.init_code": "nvmlInit",
    "host.uvm_node": "/dev/nvidia-uvm",
    "host.gpu_device_nodes": "device files",
    "driver.cuda_version": "CUDA of the driver",
    "driver.devices": "GPUs",
    "nvml.driver_version": "driver (NVML)",
    "host.gpus_on_bus": "GPU on the PCI bus",
    "cuda_libraries.ptxas": "ptxas",
    "cuda_libraries.nvjitlink": "nvJitLink",
    "cuda_libraries.libdevice": "libdevice",
    "cuda_libraries.libraries": "CUDA libraries",
    "cuda_libraries.cudnn_parts": "cuDNN's parts",
    "environment.variables": "environment variables",
    "packages.installed": "installed packages",
    "packages.path_leaks": "directories on Python's path",
    "packages.leftovers": "pip's leftovers",
    "nvml.devices": "GPUs (NVML)",
    "kernel_log.nvidia_messages": "kernel log",
    "kernel_log.xids": "kernel log",
    "cuda_libraries.wheels": "NVIDIA's wheels",
    "tensorflow.record": "TensorFlow's list of files",
    "tensorflow.requested_extra_cuda": "asked for with [and-cuda]",
    "interpreter.chosen_by": "Python was chosen by",
    "interpreter.libc": "C library",
    "host.closed_nodes": "device files",
    "memory.cgroup_limit": "memory limit of the container or job",
    "memory.limit_open_files": "limit of open files",
    "memory.ram_total": "memory",
    "smoke.driver": "GPU test",
    "smoke.libraries": "library test",
    "smoke.tensorflow": "TensorFlow test",
}


def fact_name(path: str) -> str:
    """ "driver.cuda_version" is "CUDA of the driver"; without a name of its own, the path in words."""
    return _NAMES.get(path) or path.replace("]", "").replace("[", ".").replace(".", " ").replace(
        "_", " "
    )
