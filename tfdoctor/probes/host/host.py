"""The machine and its operating system."""

from __future__ import annotations

import os
import sys

from tfdoctor.facts.model import Facts, Host
from tfdoctor.facts.outcome import Absent, Fact, Known
from tfdoctor.probes.host.container import container_kind, scheduler_job
from tfdoctor.probes.host.cpu import cpu_count, cpu_flags, cpu_model, cpuinfo, hypervisor, machine
from tfdoctor.probes.host.distribution import glibc, kernel, os_name, os_release, package_manager, wsl
from tfdoctor.probes.host.gpu_hardware import closed_nodes, device_nodes, gpus_on_bus, uvm_node
from tfdoctor.probes.request import Request
from tfdoctor.probes.text_files import guarded, not_live
from tfdoctor.system.sysroot import System


def ask(request: Request, facts: Facts) -> Host:
    """Fills the group Host. Asks files and the C library alone, no program and no driver."""
    return host_of(request.system)


def host_of(system: System, platform: str = sys.platform) -> Host:
    """The host; `platform` as sys.platform."""
    os_fact = guarded(lambda: os_name(system, platform), "sys.platform")
    info = guarded(lambda: cpuinfo(system), "/proc/cpuinfo")
    release = guarded(lambda: kernel(system), "/proc/sys/kernel/osrelease")
    distribution = guarded(lambda: os_release(system), "/etc/os-release")
    architecture = guarded(lambda: machine(system, info), "/proc/cpuinfo")
    wsl_fact = guarded(lambda: wsl(system, release), "/proc/sys/kernel/osrelease")
    return Host(
        os=os_fact,
        distribution=distribution,
        kernel=release,
        glibc=guarded(lambda: glibc(system), "the C library"),
        machine=architecture,
        cpu_model=guarded(lambda: cpu_model(info), "/proc/cpuinfo"),
        cpu_flags=guarded(lambda: cpu_flags(info), "/proc/cpuinfo"),
        cpu_count=guarded(lambda: cpu_count(system), "the number of CPUs"),
        hypervisor=guarded(lambda: hypervisor(system, info, wsl_fact), "/sys/class/dmi/id"),
        wsl=wsl_fact,
        gpus_on_bus=guarded(lambda: gpus_on_bus(system, os_fact, architecture), "/sys/bus/pci/devices"),
        gpu_device_nodes=guarded(lambda: device_nodes(system), "/dev"),
        uvm_node=guarded(lambda: uvm_node(system), "/dev"),
        closed_nodes=guarded(lambda: closed_nodes(system), "/dev"),
        container=guarded(lambda: _container(system, os_fact), "marks of a container"),
        scheduler=guarded(lambda: scheduler_job(system.environ), "environment variables"),
        package_manager=guarded(lambda: package_manager(distribution), "/etc/os-release"),
        user_is_root=guarded(lambda: user_is_root(system), "geteuid"),
    )


def _container(system: System, os_fact: Fact[str]) -> Fact[str]:
    if isinstance(os_fact, Known) and os_fact.value != "linux":
        return Absent(f"tfdoctor looks for containers on Linux alone, and this is {os_fact.value}")
    return container_kind(system)


def user_is_root(system: System) -> Fact[bool]:
    """Whether the doctor's user is root, who needs no sudo. Absent on Windows."""
    if not system.live:
        return not_live("an unpacked system has no user")
    if not hasattr(os, "geteuid"):
        return Absent("this system has no root user")
    return Known(os.geteuid() == 0, "geteuid")
