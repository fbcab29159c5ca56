"""Ways out of faults of the driver, and of what hands a GPU to this process.

Each is for the host at hand: its package manager, WSL, its container or its scheduler. What must be typed
elsewhere (on the host of a container, in Windows) says so in its title.
"""

from __future__ import annotations

from tfdoctor.facts.model import Facts
from tfdoctor.facts.outcome import Known, known, value_or
from tfdoctor.facts.versions import DriverRelease
from tfdoctor.fix.commands import system_install
from tfdoctor.fix.gpu_drivers import OPEN, first_driver, last_branch, module_needed
from tfdoctor.knowledge.actions import act
from tfdoctor.knowledge.lines import Words
from tfdoctor.knowledge.matrix.query import Matrix
from tfdoctor.knowledge.model import Action, Fix

BRANCH = DriverRelease("580.65.06")
"""The branch to install where nothing asks for a newer one: it runs every CUDA up to 13.0 and is the last one that
drives Maxwell, Pascal and Volta (NVIDIA, Unix driver release notes 580, August 2025)."""
DEBIANS = "nvidia-driver"
"""Debian's one package, whose branch goes with Debian's release (packages of Debian 12 and 13, 2026-11)."""
SEE_GPU = "Check with nvidia-smi."


def sudo(facts: Facts, command: str) -> Words:
    """The command with the rights that it needs. One that is no `Words` holds nothing from outside."""
    own = command if isinstance(command, Words) else Words(command)
    return own if value_or(facts.host.user_is_root, False) else Words("sudo {{own}}", own=own)


def in_container(facts: Facts) -> bool:
    return isinstance(facts.host.container, Known)


def install_driver(facts: Facts, matrix: Matrix, at_least: DriverRelease | None = None) -> Fix:
    """A driver that is new enough, from the system's own packages. `at_least` None: any that serves the GPU will do."""
    for_gpu = first_driver(facts, matrix)
    if at_least is not None and for_gpu is not None and not isinstance(facts.host.wsl, Known):
        at_least = max(at_least, for_gpu)
    wanted = _branch(facts, matrix, at_least or for_gpu)
    because = f" The driver must be {at_least} or newer." if at_least else ""
    if isinstance(facts.host.wsl, Known):
        return act(
            "install-driver", "install-driver-in-windows", major=wanted.major, because=because
        )
    where = " on the host, outside this container" if in_container(facts) else ""
    name = f"Install NVIDIA driver {wanted.major}{where}"
    if in_container(facts):
        words = "Install it with the host's package manager, reboot the host, and start the container again."
        return _driver(
            name, note=f"{words}{because} The image needs no driver. {SEE_GPU}", where="host"
        )
    package = _apt_driver(facts, matrix, wanted)
    if value_or(facts.host.package_manager, "") == "apt" and package == DEBIANS:
        needed = at_least or for_gpu
        if needed is not None and 0 < _debians_branch(facts) < needed.major:
            return _newer_than_debians(facts, wanted, needed)
        name = "Install Debian's own NVIDIA driver"
        too_old = (
            "; if that is too old, install NVIDIA's from nvidia.com/drivers" if at_least else ""
        )
        because += f" `apt-cache policy {DEBIANS}` shows which version Debian has{too_old}."
    commands = system_install(facts, apt=package, dnf="akmod-nvidia xorg-x11-drv-nvidia-cuda")
    note = f"Then reboot.{because}{_repository(facts, package)}"
    if not commands:
        note = f"Install it from this system's packages or from nvidia.com/drivers, then reboot.{because} {SEE_GPU}"
    return _driver(name, commands, note)


def _driver(title: str, commands: tuple[str, ...] = (), note: str = "", where: str = "") -> Fix:
    return Fix(title, commands, note, Action("install-driver"), "machine", where)


def install_libcuda(facts: Facts, loaded: DriverRelease) -> Fix:
    """The library of the driver whose module runs: of another release it could not talk with that module."""
    debian = not _is_ubuntu(facts) and isinstance(facts.host.distribution, Known)
    apt = "libcuda1" if debian else f"libnvidia-compute-{loaded.major}"
    commands = system_install(facts, apt=apt, dnf="xorg-x11-drv-nvidia-cuda-libs")
    note = (
        f"The loaded kernel module is {loaded}, and libcuda must have the same version. The package is libcuda1 on Debian, "
        f"libnvidia-compute-{loaded.major} on Ubuntu, xorg-x11-drv-nvidia-cuda-libs on Fedora and RHEL. If the driver came from NVIDIA's installer, "
        f"run the installer of {loaded} again. {SEE_GPU}"
    )
    return _driver(f"Install libcuda for the loaded driver {loaded}", commands, note)


_DEBIANS_BRANCHES = {"11": 470, "12": 535, "13": 550}
"""Of the package nvidia-driver in each release of Debian (2026-11)."""


def _debians_branch(facts: Facts) -> int:
    """The branch that this release of Debian has; 0 where that is not known."""
    system = known(facts.host.distribution)
    return _DEBIANS_BRANCHES.get(system.version, 0) if system and system.id == "debian" else 0


def _newer_than_debians(facts: Facts, wanted: DriverRelease, at_least: DriverRelease) -> Fix:
    note = (
        f"Debian's package is {_debians_branch(facts)}, but {at_least} or newer is needed: install it from NVIDIA's package "
        f"repository for Debian or from nvidia.com/drivers, then reboot. {SEE_GPU}"
    )
    return _driver(f"Install NVIDIA driver {wanted.major} from NVIDIA", note=note)


def _repository(facts: Facts, package: str) -> str:
    """The repository or component that the command takes the driver from."""
    if value_or(facts.host.package_manager, "") == "dnf":
        return " Needs RPM Fusion's nonfree repository."
    if package == DEBIANS:
        return " Needs Debian's non-free repository."
    return " Needs Ubuntu's restricted and multiverse repositories."


def _branch(facts: Facts, matrix: Matrix, at_least: DriverRelease | None) -> DriverRelease:
    """BRANCH or newer, but no branch that has dropped a GPU of this machine."""
    last = last_branch(facts, matrix)
    if last and last < BRANCH.major and (at_least is None or at_least.major <= last):
        return DriverRelease(str(last))
    return max(BRANCH, at_least) if at_least else BRANCH


def _apt_driver(facts: Facts, matrix: Matrix, wanted: DriverRelease, module: str = "") -> str:
    """Ubuntu names its packages by branch and kind of kernel module, Debian has one."""
    kind = "-open" if OPEN in (module, module_needed(facts, matrix, wanted.major)) else ""
    return f"nvidia-driver-{wanted.major}{kind}" if _is_ubuntu(facts) else DEBIANS


def _is_ubuntu(facts: Facts) -> bool:
    system = known(facts.host.distribution)
    return system is not None and "ubuntu" in (system.id, *system.like)


def fitting_driver(facts: Facts, matrix: Matrix, branch: int, module: str) -> Fix:
    """Another driver in the place of one that does not support the GPU. `module`: the kind that it needs, or ""."""
    kind = {
        "open": " with the open kernel module",
        "proprietary": " with the proprietary kernel module",
    }.get(module, "")
    title = f"Install NVIDIA driver {branch}{kind}" + (
        " on the host, outside this container" if in_container(facts) else ""
    )
    after = "It replaces the current driver. Then reboot."
    if in_container(facts) or not _is_ubuntu(facts):
        note = (
            f"Install branch {branch} from this system's packages (on Debian, nvidia-open-kernel-dkms is the open module, nvidia-kernel-dkms "
            "the proprietary one) or from nvidia.com/drivers, whose installer asks which module to use."
        )
        return _driver(title, note=f"{note} {after}", where="host" if in_container(facts) else "")
    package = _apt_driver(facts, matrix, DriverRelease(str(branch)), module)
    return _driver(title, (sudo(facts, f"apt-get install --yes {package}"),), after)


def reboot(facts: Facts, why: str) -> Fix:
    if isinstance(facts.host.wsl, Known):
        return act("restart", "restart-wsl", why=why)
    if in_container(facts):
        return act("restart", "reboot-host", why=why)
    note = f"{why} This ends every program on the machine."
    return Fix("Reboot", (sudo(facts, "reboot"),), note, Action("restart", "reboot"), "machine")


def reload_modules(facts: Facts) -> Fix:
    """The kernel module that is on the disk instead of the one that is loaded. WSL has none: its own kernel is updated."""
    if isinstance(facts.host.wsl, Known):
        return act("install-software", "update-wsl")
    modules = "nvidia_uvm nvidia_drm nvidia_modeset nvidia"
    return Fix(
        "Reload the kernel module" + (" (on the host)" if in_container(facts) else ""),
        (
            sudo(facts, f"modprobe --remove {modules}"),
            sudo(facts, "modprobe nvidia"),
            sudo(facts, "nvidia-modprobe -u"),
        ),
        "This works only while nothing uses the GPU, the desktop included. If it says `in use`, reboot. "
        f"{SEE_GPU}",
    )


def see_permissions(facts: Facts) -> Fix:
    note = (
        "If a group owns the devices, add the user to it with sudo usermod -aG and log in again. A sandbox (snap, systemd, "
        "a batch system) can also deny them."
    )
    if in_container(facts):
        note += (
            " On a host with SELinux (Fedora, RHEL) start the container with --security-opt label=disable, or run "
            "`sudo setsebool -P container_use_devices=true` on the host."
        )
    return Fix("See who may use the GPU", (Words("ls -l /dev/nvidia*"), "id -nG"), note)


def without_nouveau(facts: Facts) -> Fix:
    """nouveau lets go of a GPU at a start of the machine alone."""
    rebuild = {
        "apt": "update-initramfs -u",
        "dnf": "dracut --force",
        "zypper": "dracut --force",
    }.get(value_or(facts.host.package_manager, ""), "")
    return Fix(
        "Keep nouveau off the GPU",
        (
            Words(
                r"printf 'blacklist nouveau\noptions nouveau modeset=0\n' | {{tee}}",
                tee=sudo(facts, "tee /etc/modprobe.d/blacklist-nouveau.conf"),
            ),
            *((sudo(facts, rebuild),) if rebuild else ()),
            sudo(facts, "reboot"),
        ),
        f"nouveau releases the GPU only at boot. The reboot ends every program on the machine. {SEE_GPU}",
    )


def kernel_log(facts: Facts) -> Fix:
    if isinstance(facts.host.wsl, Known):
        note = "In WSL the GPU comes through the dxg module; the NVIDIA driver's own messages are in the Windows event log."
        return Fix(
            "Check WSL's kernel log for the GPU",
            (sudo(facts, "dmesg | grep -iE 'dxg|nvidia' | tail -n 20"),),
            note,
        )
    return Fix(
        "Check the kernel log for driver errors",
        (sudo(facts, "dmesg | grep -E 'NVRM|Xid' | tail -n 20"),),
        "An Xid line names the GPU and the kind of fault.",
    )
