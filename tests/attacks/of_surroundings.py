"""What lies around: variables, folders and links of the machine and of the environment, and saved reports side by side."""

from __future__ import annotations

import json
import lzma
import os

from tests.attacks.attack import HEALTHY, WRONG_USAGE, attack, check
from tests.attacks.of_reports import fact
from tests.attacks.world import CANARY, World

MEBI = 1 << 20


# The environment


@attack(1)
def distributions_by_the_thousand(world: World) -> tuple[str, ...]:
    for number in range(3000):
        (world.site / f"d{number}-1.0.dist-info").mkdir()
    return check(world)


@attack(1)
def links_in_a_ring_among_the_packages(world: World) -> tuple[str, ...]:
    for name in ("tensorflow", "tensorflow-2.16.1.dist-info", "numpy.libs"):
        (world.site / name).symlink_to(name)
    return check(world)


@attack(1)
def metadata_that_leads_to_an_endless_device(world: World) -> tuple[str, ...]:
    world.distribution("tensorflow", "Name: tensorflow\n")
    file = world.site / "tensorflow-1.0.dist-info" / "METADATA"
    file.unlink()
    file.symlink_to("/dev/zero")
    return check(world)


@attack(1, 3)
def an_address_with_a_password_where_a_package_came_from(world: World) -> tuple[str, ...]:
    world.distribution("tensorflow", "Metadata-Version: 2.1\nName: tensorflow\nVersion: 2.16.1\n")
    url = json.dumps({"url": f"https://me:{CANARY}@host/a.whl?token={CANARY}", "archive_info": {}})
    (world.site / "tensorflow-1.0.dist-info" / "direct_url.json").write_text(url)
    return check(world, "--deep")


@attack(1, 3)
def an_installer_nested_for_ever(world: World) -> tuple[str, ...]:
    world.distribution("tensorflow", "Metadata-Version: 2.1\nName: tensorflow\nVersion: 2.16.1\n")
    for name in ("direct_url.json", "INSTALLER", "WHEEL", "top_level.txt"):
        (world.site / "tensorflow-1.0.dist-info" / name).write_text("[" * MEBI)
    return check(world, "--deep")


@attack(1, 3)
def a_record_that_leads_out(world: World) -> tuple[str, ...]:
    lines = "/dev/zero,sha256=x,1\n../../../../../../dev/urandom,sha256=x,1\n/proc/self/mem,sha256=x,1\n"
    world.distribution(
        "tensorflow", "Metadata-Version: 2.1\nName: tensorflow\nVersion: 2.16.1\n", lines
    )
    return check(world, "--deep")


@attack(1, 3)
def a_library_of_endless_tables(world: World) -> tuple[str, ...]:
    world.distribution("tensorflow", "Metadata-Version: 2.1\nName: tensorflow\nVersion: 2.16.1\n")
    (world.site / "tensorflow").mkdir()
    head = (
        b"\x7fELF\x02\x01\x01" + bytes(9) + b"\x03\x00\x3e\x00" + b"\x01\x00\x00\x00" + b"\xff" * 40
    )
    (world.site / "tensorflow" / "libtensorflow_cc.so.2").write_bytes(head + b"\xff" * MEBI)
    return check(world)


@attack(1)
def path_files_of_megabytes(world: World) -> tuple[str, ...]:
    (world.site / "a.pth").write_text("/nowhere/" + "a" * 200 + "\n" + "# nothing\n" * 200_000)
    return check(world)


@attack(0, 1, 3, WRONG_USAGE)
def a_settings_file_of_the_environment_that_is_a_pipe(world: World) -> tuple[str, ...]:
    words = check(world)
    (world.prefix / "pyvenv.cfg").unlink()
    os.mkfifo(world.prefix / "pyvenv.cfg")
    (world.prefix / "bin" / "python").unlink()
    (world.prefix / "bin" / "python").write_text("#!/bin/sh\nexit 7\n")
    (world.prefix / "bin" / "python").chmod(0o755)
    return words


# Variables and folders


@attack(1)
def settings_and_states_in_a_place_that_is_a_file(world: World) -> tuple[str, ...]:
    file = str(world.write("file", "nothing"))
    world.variables |= dict.fromkeys(
        ("XDG_CONFIG_HOME", "XDG_STATE_HOME", "XDG_DATA_HOME", "XDG_CACHE_HOME"), file
    )
    return check(world)


@attack(1)
def a_cache_that_is_a_pipe(world: World) -> tuple[str, ...]:
    (world.work / "cache").mkdir()
    os.mkfifo(world.work / "cache" / "tfdoctor")
    world.variables["XDG_CACHE_HOME"] = str(world.work / "cache")
    return check(world)


@attack(1)
def a_language_that_there_is_not(world: World) -> tuple[str, ...]:
    world.variables |= {"LANG": "xx_XX.nothing", "LC_ALL": "\udcff", "PYTHONIOENCODING": "utf-8"}
    return check(world)


@attack(1)
def variables_in_no_encoding(world: World) -> tuple[str, ...]:
    world.variables |= {"LD_LIBRARY_PATH": "\udcff\udcfe:/\udc80", "XLA_FLAGS": "\udcff" * 100}
    return check(world)


@attack(WRONG_USAGE)
def an_option_by_a_variable_that_is_none(world: World) -> tuple[str, ...]:
    world.variables["TFDOCTOR_TIMEOUT"] = "9" * 400 + "x"
    return check(world)[:4]


@attack(WRONG_USAGE)
def a_python_that_is_an_endless_device(world: World) -> tuple[str, ...]:
    return ("check", "--json", "--smoke", "none", "--python", "/dev/zero")


@attack(0, 1, 3)
def a_laid_out_system_whose_links_lead_out(world: World) -> tuple[str, ...]:
    root = world.work / "root"
    (root / "proc").mkdir(parents=True)
    world.write("outside", CANARY)
    (root / "etc").symlink_to("/etc")
    (root / "a0").symlink_to(world.work / "outside")
    for number in range(41):
        (root / f"a{number + 1}").symlink_to(f"a{number}")
    (root / "proc" / "version").symlink_to("../a41")
    (root / "proc" / "meminfo").symlink_to("../" * 20 + str(world.work / "outside"))
    return ("check", "--json", "--smoke", "none", "--sysroot", str(root))


# Logs and reports


@attack(0, 1, 3)
def a_log_that_unpacks_without_end(world: World) -> tuple[str, ...]:
    path = world.write("a.log.xz", lzma.compress(b"CUDA_ERROR_NO_DEVICE\n" * (3 * MEBI), preset=0))
    return ("diagnose", "--json", str(path))


@attack(0, 1, 3, WRONG_USAGE)
def a_notebook_nested_for_ever(world: World) -> tuple[str, ...]:
    return ("diagnose", "--json", str(world.write("a.ipynb", '{"cells": ' + "[" * 300_000)))


@attack(0, 1, 3)
def a_log_in_a_broken_encoding(world: World) -> tuple[str, ...]:
    return (
        "diagnose",
        "--json",
        str(world.write("a.log", b"\xff\xfe" + b"E\0r\0\xff\xdf" * 50_000)),
    )


@attack(0, 1)
def two_reports_of_escapes_and_secrets(world: World) -> tuple[str, ...]:
    text = f"\x1b]0;x\x07 password={CANARY} \u202e"
    other = world.report(fact("host.os", text))
    os.rename(other, world.work / "other.json")
    return ("diff", "--json", HEALTHY, str(world.work / "other.json"))
