"""The commands of the fixes: each parses in a shell, is for the host at hand, and names exact versions."""

from __future__ import annotations

import re
import subprocess
from functools import cache

import pytest

from tests.scenarios.conftest import all_scenarios
from tests.unit.judge.machines import base, changed, finding
from tfdoctor.base.records import replace
from tfdoctor.facts.model import Facts
from tfdoctor.facts.outcome import Absent, Known
from tfdoctor.facts.values import Library, OsRelease
from tfdoctor.facts.versions import ComputeCapability, CudaRelease, DriverRelease
from tfdoctor.fix import driver as fixes
from tfdoctor.fix import variables
from tfdoctor.fix.commands import checking
from tfdoctor.judge.judge import judge
from tfdoctor.knowledge.lines import Words
from tfdoctor.knowledge.matrix.load import load_bundled
from tfdoctor.knowledge.model import Fix

pytestmark = pytest.mark.slow  # each scenario is judged again

NONE = Absent("none")
MATRIX = load_bundled()


@cache
def fixes_of_scenarios() -> tuple[Fix, ...]:
    """On the machines of all scenarios, of a kernel that the user named."""
    cases = [scenario.case() for scenario in all_scenarios()]
    named = [replace(each, facts=by_the_user(each.facts, "--kernel tf2")) for each in cases]
    return tuple(fix for case in named for found in judge(case).findings for fix in found.fixes)


def test_every_command_of_every_scenario_parses() -> None:
    commands = {command for fix in fixes_of_scenarios() for command in fix.commands}
    assert commands
    script = "\n".join(sorted(commands))
    shell = subprocess.run(
        ["bash", "-n"], input=script, capture_output=True, text=True, timeout=30, check=False
    )
    assert (shell.returncode, shell.stderr) == (0, "")


def test_forgotten_folder_is_put_on_the_path_now_and_for_good() -> None:
    folder = "/srv/app/venv/lib/python3.11/site-packages/nvidia/cusolver/lib"
    lost = Library(
        "libcusolver.so.11",
        Absent("the loader finds no file of this name"),
        "",
        NONE,
        (f"{folder}/libcusolver.so.11",),
    )
    known = base().cuda_libraries.libraries
    assert isinstance(known, Known)
    libraries = tuple(lost if each.soname == lost.soname else each for each in known.value)
    facts = changed(
        base(),
        tensorflow={"version": Known("2.21.0", "METADATA")},
        cuda_libraries={"libraries": Known(libraries, "search")},
    )
    found = finding(facts, "cuda-libraries-unreachable")
    assert "libcusolver.so.11" in found.evidence[0].observed
    assert folder in found.evidence[0].observed
    now, link, for_good = found.fixes
    site = "/srv/app/venv/lib/python3.11/site-packages"
    assert link.commands == (
        f"ln -s ../../cusolver/lib/libcusolver.so.11 {site}/nvidia/cuda_runtime/lib/",
    )
    assert now.commands == (
        f'export LD_LIBRARY_PATH={folder}"${{LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}}"',
    )
    assert for_good.commands[0].endswith(">> /srv/app/venv/bin/activate")


def test_search_line_keeps_what_was_there() -> None:
    line = variables.search_line(("/a b/lib", "/c/lib"))
    script = f'LD_LIBRARY_PATH=/old\n{line}\nprintf %s "$LD_LIBRARY_PATH"'
    assert (
        subprocess.run(
            ["bash", "-c", script], capture_output=True, text=True, timeout=30, check=True
        ).stdout
        == "/a b/lib:/c/lib:/old"
    )
    alone = f'unset LD_LIBRARY_PATH\n{line}\nprintf %s "$LD_LIBRARY_PATH"'
    assert (
        subprocess.run(
            ["bash", "-c", alone], capture_output=True, text=True, timeout=30, check=True
        ).stdout
        == "/a b/lib:/c/lib"
    )


def test_missing_libraries_are_installed_at_the_installed_release_with_the_pin_of_an_old_gpu() -> (
    None
):
    known, devices = base().cuda_libraries.libraries, base().driver.devices
    assert isinstance(known, Known)
    assert isinstance(devices, Known)
    nowhere = tuple(
        Library(each.soname, Absent("the loader finds no file of this name"), "", NONE)
        for each in known.value
    )
    v100 = tuple(
        type(each)(
            each.index,
            "Tesla V100",
            ComputeCapability("7.0"),
            each.memory_total,
            each.uuid,
            each.pci_bus_id,
        )
        for each in devices.value
    )
    facts = changed(
        base(),
        cuda_libraries={"libraries": Known(nowhere, "search")},
        driver={"devices": Known(v100, "cuDeviceGet")},
    )
    command = finding(facts, "cuda-libraries-missing").fixes[0].commands[0]
    assert '"tensorflow[and-cuda]==2.20.0"' in command
    assert '"nvidia-cudnn-cu12<9.11"' in command


def test_driver_is_installed_by_the_host_s_own_means() -> None:
    assert fixes.install_driver(base(), MATRIX).commands == (
        "sudo apt-get install --yes nvidia-driver-580",
    )
    debian = changed(
        base(),
        host={"distribution": Known(OsRelease("debian", "12", (), "Debian 12"), "/etc/os-release")},
    )
    assert fixes.install_driver(debian, MATRIX).commands == (
        "sudo apt-get install --yes nvidia-driver",
    )
    assert fixes.install_driver(debian, MATRIX).title == "Install Debian's own NVIDIA driver"
    assert "apt-cache policy nvidia-driver" in fixes.install_driver(debian, MATRIX).note
    fedora = changed(
        base(),
        host={
            "package_manager": Known("dnf", "/etc/os-release"),
            "user_is_root": Known(True, "geteuid"),
        },
    )
    assert fixes.install_driver(fedora, MATRIX).commands == (
        "dnf install --assumeyes akmod-nvidia xorg-x11-drv-nvidia-cuda",
    )
    wsl = changed(base(), host={"wsl": Known(2, "/proc/version")})
    assert "in Windows" in fixes.install_driver(wsl, MATRIX).title
    inside = changed(base(), host={"container": Known("docker", "/.dockerenv")})
    assert "on the host" in fixes.install_driver(inside, MATRIX).title


def test_newer_driver_than_the_usual_branch_is_named() -> None:
    fix = fixes.install_driver(base(), MATRIX, DriverRelease("610.43.02"))
    assert fix.commands == ("sudo apt-get install --yes nvidia-driver-610",)
    assert "610.43.02" in fix.note


def test_old_driver_is_offered_the_newest_release_that_it_runs() -> None:
    old = changed(
        base(),
        driver={
            "version": Known(DriverRelease("470.57.02"), "NVML"),
            "module_version": Known(DriverRelease("470.57.02"), "/proc"),
            "cuda_version": Known(CudaRelease("11.4"), "cuda"),
        },
    )
    found = finding(old, "driver-too-old")
    assert found.evidence[0].expected == ">=525.60.13"
    titles = [fix.title for fix in found.fixes]
    assert titles[0].startswith("Install NVIDIA driver")
    assert titles[1].startswith("Use TensorFlow 2.14.1")


def by_the_user(facts: Facts, name: str) -> Facts:
    return changed(
        facts,
        interpreter={
            "chosen_by": Known(name, "the request"),
            "executable": Known("/a b/bin/python", "the request"),
        },
    )


@pytest.mark.parametrize(
    ("chosen", "text", "told"),
    [
        ("VIRTUAL_ENV", "tfdoctor check --deep", "tfdoctor check --deep"),
        ("--python", "tfdoctor check --deep", 'tfdoctor check --python "/a b/bin/python" --deep'),
        ("--kernel tf2", "tfdoctor check", "tfdoctor check --kernel tf2"),
        ("--kernel tf2", "Run `tfdoctor check` there.", "Run `tfdoctor check --kernel tf2` there."),
        (
            "--kernel a",
            "tfdoctor check -o r.json && tfdoctor diagnose LOG --facts r.json",
            "tfdoctor check --kernel a -o r.json && tfdoctor diagnose LOG --facts r.json",
        ),
        (
            "--kernel a",
            "tfdoctor check --python new/bin/python",
            "tfdoctor check --python new/bin/python",
        ),
        ("--kernel a", "tfdoctor checks", "tfdoctor checks"),
    ],
)
def test_a_check_that_is_printed_is_of_what_the_user_named(
    chosen: str, text: str, told: str
) -> None:
    assert checking(Words(text), by_the_user(base(), chosen)) == told


def test_what_options_alone_decide_is_asked_of_the_saved_report_again() -> None:
    facts = by_the_user(base(), "--python")
    assert checking(Words("tfdoctor check --no-require-gpu"), facts, "r.json") == (
        "tfdoctor check --facts r.json --no-require-gpu"
    )
    assert checking(Words("tfdoctor check --smoke tf"), facts, "r.json") == (
        'tfdoctor check --python "/a b/bin/python" --smoke tf'
    )


def test_no_machine_is_told_to_check_another_environment() -> None:
    texts = {
        text for fix in fixes_of_scenarios() for text in (fix.note, *fix.commands, *fix.verify)
    }
    checks = [check for text in texts for check in re.findall(r"tfdoctor check\b[^`;&]*", text)]
    assert len(checks) > 5
    assert [each for each in checks if not re.search("--kernel|--python", each)] == []
