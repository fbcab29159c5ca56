"""What a test may need of its machine, and a sentence for each: where it is missing, the test is skipped and says so.

Continuous integration fails where a test is skipped for another reason than those of `MAY_LACK`.
"""

from __future__ import annotations

import os
import shutil

import pytest

GCC = "needs gcc"
PACKAGES = "needs the package index"
ROOT = "needs root"
DEVICES = "needs a machine where root may make devices"
MOUNTS = "needs a user who may make mount namespaces"
USER_NAMESPACES = "needs a kernel that lets users make user namespaces"
MEMORY_GROUP = "needs a memory cgroup in which this user may make groups"
OTHER_PYTHON = "needs other Pythons"
SYSTEM_PYTHON = "needs the system's own python3, of the same version"
NO_CONTAINER = "needs a machine that is no container"
LDCONFIG = "needs glibc's ldconfig on x86_64"
BWRAP = "needs bubblewrap"
NODE_EXPORTER = "needs prometheus-node-exporter"
FILE_SYSTEMS = "needs root, loop devices and the tools of XFS and btrfs"
NVIDIA_GPU = "needs an NVIDIA GPU"
SLURM = "needs root and Debian's packages of Slurm"

MAY_LACK = {
    NVIDIA_GPU: "few machines have one: make gpu",
    NVIDIA_GPU + " in exclusive mode": "no test changes a GPU's settings",
    DEVICES: "a container may make none",
    FILE_SYSTEMS: "a container may mount none",
    MEMORY_GROUP: "a container may make none",
    OTHER_PYTHON: "a clean machine has one",
    NO_CONTAINER: "continuous integration may run in one",
}
"""What a machine of continuous integration may lack, and why."""

only_root = pytest.mark.skipif(os.geteuid() != 0, reason=ROOT)


def need_gcc() -> None:
    if shutil.which("gcc") is None:
        pytest.skip(GCC)
