"""The attacks: each prepares a world and says with which words the doctor meets it, and which exit statuses are right."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from tests.attacks.world import CANARY, World
from tests.unit.cli.running import machine

Prepare = Callable[[World], tuple[str, ...]]
HEALTHY = machine("healthy-cpu")
WRONG_USAGE = 2


@dataclass(frozen=True)
class Attack:
    """`quick`: one of those that every CI run makes."""

    prepare: Prepare
    statuses: tuple[int, ...]
    quick: bool

    @property
    def name(self) -> str:
        return self.prepare.__name__.replace("_", "-")


ATTACKS: list[Attack] = []


def attack(*statuses: int, quick: bool = False) -> Callable[[Prepare], Prepare]:
    def add(prepare: Prepare) -> Prepare:
        ATTACKS.append(Attack(prepare, statuses, quick))
        return prepare

    return add


def judged(world: World, change: Callable[[dict[str, Any]], None]) -> tuple[str, ...]:
    return ("check", "--json", "--facts", world.report(change))


def fact(name: str, value: object) -> Callable[[dict[str, Any]], None]:
    def change(document: dict[str, Any]) -> None:
        document["facts"][name] = {"status": "known", "value": value, "from": "an attack"}

    return change


def check(world: World, *more: str) -> tuple[str, ...]:
    assert world.site
    return ("check", "--json", "--smoke", "none", "--timeout", "20", "--python", str(world.prefix), *more)


# Saved reports


@attack(0, 1, 3, quick=True)
def a_long_xla_flags(world: World) -> tuple[str, ...]:
    return judged(world, fact("environment.variables", {"XLA_FLAGS": "--a=" * 30_000}))


@attack(0, 1, 3)
def a_text_of_200_kilobytes(world: World) -> tuple[str, ...]:
    return judged(world, fact("host.os", "=\"'" * 66_000))


@attack(0, 1, 3, quick=True)
def terminal_escapes_everywhere(world: World) -> tuple[str, ...]:
    return judged(world, fact("host.os", "\x1b]0;owned\x07\x1b[2J\x9b31m\u202e"))


@attack(0, 1, 3, quick=True)
def secrets_in_every_form(world: World) -> tuple[str, ...]:
    texts = {
        "A_TOKEN": CANARY,
        "DB_PASS": CANARY,
        "MYSQL_PWD": CANARY,
        "SOME_URL": f"https://me:{CANARY}@host/x?token={CANARY}",
        "A_HEADER": f"Authorization: Bearer {CANARY}",
        "A_COOKIE": f"Cookie: session={CANARY}",
        "A_JSON": json.dumps({"password": CANARY}),
    }
    return judged(world, fact("environment.variables", texts))


@attack(WRONG_USAGE)
def a_report_nested_for_ever(world: World) -> tuple[str, ...]:
    path = world.write("deep.json", '{"facts":' + "[" * 100_000)
    return ("check", "--json", "--facts", str(path))


@attack(WRONG_USAGE)
def a_report_of_numbers_without_end(world: World) -> tuple[str, ...]:
    path = world.write("number.json", '{"schema_version": "1.0", "facts": {"a": ' + "9" * 400_000 + "}}")
    return ("check", "--json", "--facts", str(path))


@attack(WRONG_USAGE)
def a_report_that_is_a_pipe(world: World) -> tuple[str, ...]:
    os.mkfifo(world.work / "pipe")
    return ("check", "--json", "--facts", str(world.work / "pipe"))


@attack(WRONG_USAGE)
def a_report_that_is_an_endless_device(world: World) -> tuple[str, ...]:
    return ("check", "--json", "--facts", "/dev/zero")


@attack(WRONG_USAGE)
def a_report_that_is_a_folder(world: World) -> tuple[str, ...]:
    return ("check", "--json", "--facts", str(world.work))


@attack(WRONG_USAGE)
def a_report_of_random_bytes(world: World) -> tuple[str, ...]:
    return ("check", "--json", "--facts", str(world.write("noise", bytes(range(256)) * 4096)))


@attack(WRONG_USAGE)
def a_report_with_facts_of_wrong_types(world: World) -> tuple[str, ...]:
    return judged(world, lambda document: document.update(findings={"x": [None]}, probes="no", smoke=7))


@attack(0, 1, 2, 3)
def a_report_with_versions_that_are_none(world: World) -> tuple[str, ...]:
    return judged(world, fact("tensorflow.version", "9" * 5000))


@attack(0, 1, 2, 3)
def a_report_with_infinite_numbers(world: World) -> tuple[str, ...]:
    return judged(world, fact("memory.ram_total", float("inf")))


@attack(0, 1, 2, 3)
def a_report_with_lone_surrogates(world: World) -> tuple[str, ...]:
    return judged(world, fact("host.os", "\ud800 x"))


# Matrices, settings, states


@attack(WRONG_USAGE)
def a_matrix_that_is_a_pipe(world: World) -> tuple[str, ...]:
    os.mkfifo(world.work / "pipe")
    return ("check", "--json", "--facts", HEALTHY, "--matrix", str(world.work / "pipe"))


@attack(WRONG_USAGE)
def a_matrix_of_nested_aliases(world: World) -> tuple[str, ...]:
    lines = ["a0: &a0 [x, x]"] + [f"a{n}: &a{n} [*a{n - 1}, *a{n - 1}, *a{n - 1}]" for n in range(1, 40)]
    return (
        "check",
        "--json",
        "--facts",
        HEALTHY,
        "--matrix",
        str(world.write("bomb.yaml", "\n".join(lines))),
    )


@attack(WRONG_USAGE)
def a_matrix_that_builds_objects(world: World) -> tuple[str, ...]:
    text = f"a: !!python/object/apply:os.system ['echo {CANARY}']"
    return ("check", "--json", "--facts", HEALTHY, "--matrix", str(world.write("evil.yaml", text)))


def cached(world: World, content: str) -> tuple[str, ...]:
    import hashlib

    folder = world.folder / "cache" / "tfdoctor"
    folder.mkdir(parents=True)
    (folder / "compat_matrix.json").write_text(content)
    (folder / "compat_matrix.sha256").write_text(hashlib.sha256(content.encode()).hexdigest())
    world.variables["XDG_CACHE_HOME"] = str(folder.parent)
    return ("check", "--json", "--facts", HEALTHY)


@attack(0, quick=True)
def a_cached_matrix_nested_for_ever(world: World) -> tuple[str, ...]:
    return cached(world, '{"a":' + "[" * 50_000 + "]" * 50_000 + "}")


@attack(0)
def a_cached_matrix_of_a_version_without_end(world: World) -> tuple[str, ...]:
    return cached(world, json.dumps({"version": "2027.01.01." + "9" * 5000}))


@attack(WRONG_USAGE, quick=True)
def settings_of_400_digits(world: World) -> tuple[str, ...]:
    world.write("tfdoctor.toml", "min-free-memory = " + "9" * 400)
    return ("check", "--json", "--facts", HEALTHY)


@attack(WRONG_USAGE)
def settings_nested_for_ever(world: World) -> tuple[str, ...]:
    world.write("tfdoctor.toml", "ignore = " + "[" * 20_000)
    return ("check", "--json", "--facts", HEALTHY)


@attack(0)
def a_tool_that_is_no_table(world: World) -> tuple[str, ...]:
    world.write("pyproject.toml", "tool = 1  # tfdoctor")
    return ("check", "--json", "--facts", HEALTHY)


@attack(0)
def settings_that_are_a_pipe(world: World) -> tuple[str, ...]:
    os.mkfifo(world.work / "tfdoctor.toml")
    return ("check", "--json", "--facts", HEALTHY)


@attack(WRONG_USAGE)
def a_sysroot_that_is_not_there(world: World) -> tuple[str, ...]:
    return ("check", "--json", "--sysroot", str(world.work / "nowhere"))


# What is written


@attack(WRONG_USAGE, quick=True)
def output_over_a_folder(world: World) -> tuple[str, ...]:
    return ("check", "--json", "--facts", HEALTHY, "-o", str(world.work))


@attack(WRONG_USAGE)
def output_through_links_in_a_ring(world: World) -> tuple[str, ...]:
    (world.work / "a").symlink_to("b")
    (world.work / "b").symlink_to("a")
    return ("check", "--json", "--facts", HEALTHY, "-o", str(world.work / "a"))


@attack(1, quick=True)
def state_over_a_pipe(world: World) -> tuple[str, ...]:
    os.mkfifo(world.work / "pipe")
    return check(world, "--state", str(world.work / "pipe"))


@attack(1)
def state_over_a_folder(world: World) -> tuple[str, ...]:
    return check(world, "--state", str(world.work))


# Environments


@attack(1, quick=True)
def a_hook_that_leaves_daemons(world: World) -> tuple[str, ...]:
    program = "import os,time;(os.fork() or (os.setsid(), os.fork() or time.sleep(600), os._exit(0)))"
    (world.site / "a.pth").write_text(program + "\n")
    return check(world)


@attack(1, 3)
def a_hook_that_hangs(world: World) -> tuple[str, ...]:
    (world.site / "a.pth").write_text("import time; time.sleep(600)\n")
    return check(world, "--timeout", "4")


@attack(1, 3)
def a_hook_that_ends_the_interpreter(world: World) -> tuple[str, ...]:
    (world.site / "a.pth").write_text("import os; os._exit(0)\n")
    return check(world)


@attack(1, 3)
def a_hook_that_kills_itself(world: World) -> tuple[str, ...]:
    (world.site / "a.pth").write_text("import os; os.kill(os.getpid(), 9)\n")
    return check(world)


@attack(1, 3)
def a_hook_that_kills_its_parent(world: World) -> tuple[str, ...]:
    (world.site / "a.pth").write_text("import os; os.kill(os.getppid(), 9)\n")
    return check(world)


@attack(1, 3)
def a_hook_that_floods(world: World) -> tuple[str, ...]:
    (world.site / "a.pth").write_text("import os; [os.write(1, b'x' * 65536) for _ in range(2000)]\n")
    return check(world)


@attack(1, 3)
def a_hook_that_forges_the_answer(world: World) -> tuple[str, ...]:
    line = r"'\n\x02tfdoctor-interpreter {\"version\": \"3.99.0\"}\x03\n'"
    (world.site / "a.pth").write_text(f"import os; os.write(1, {line}.encode())\n")
    return check(world)


@attack(1, 3)
def a_hook_that_stops_its_parent(world: World) -> tuple[str, ...]:
    program = "import os,signal; os.kill(os.getppid(), signal.SIGSTOP)"
    (world.site / "a.pth").write_text(program + "\n")
    return check(world, "--timeout", "4")


@attack(1)
def metadata_of_a_line_of_50_kilobytes(world: World) -> tuple[str, ...]:
    world.distribution("long", "Metadata-Version: 2.1\nName: long\nVersion: 1.0\nSummary: " + "a =" * 17_000)
    return check(world)


@attack(1)
def metadata_of_3000_equal_requirements(world: World) -> tuple[str, ...]:
    lines = "Requires-Dist: numpy (>=1.0,<2.0) ; python_version >= '3.7'\n" * 3000
    world.distribution("tensorflow", f"Metadata-Version: 2.1\nName: tensorflow\nVersion: 2.16.1\n{lines}")
    return check(world)


@attack(1)
def metadata_that_is_a_pipe(world: World) -> tuple[str, ...]:
    world.distribution("piped", "Name: piped\n")
    path = world.site / "piped-1.0.dist-info" / "METADATA"
    path.unlink()
    os.mkfifo(path)
    return check(world)


@attack(1)
def metadata_with_escapes(world: World) -> tuple[str, ...]:
    world.distribution("evil", "Metadata-Version: 2.1\nName: evil\x1b]0;owned\x07\nVersion: 1.0\u202e\n")
    return check(world)


@attack(1, 3)
def a_build_info_of_four_megabytes(world: World) -> tuple[str, ...]:
    world.distribution("tensorflow", "Metadata-Version: 2.1\nName: tensorflow\nVersion: 2.16.1\n")
    folder = world.site / "tensorflow" / "python" / "platform"
    folder.mkdir(parents=True)
    (world.site / "tensorflow" / "__init__.py").touch()
    (folder / "build_info.py").write_text("build_info = " + "(" * 90 + "1," * 2_000_000 + ")" * 90)
    return check(world)


@attack(1, 3)
def a_record_without_end(world: World) -> tuple[str, ...]:
    record = "".join(f"../../../../../../etc/{n},sha256=x,{n}\n" for n in range(50_000))
    world.distribution("tensorflow", "Metadata-Version: 2.1\nName: tensorflow\nVersion: 2.16.1\n", record)
    return check(world, "--deep")


@attack(1, 3)
def libraries_that_are_no_elf(world: World) -> tuple[str, ...]:
    world.distribution("tensorflow", "Metadata-Version: 2.1\nName: tensorflow\nVersion: 2.16.1\n")
    folder = world.site / "tensorflow"
    folder.mkdir()
    (folder / "__init__.py").touch()
    (folder / "libtensorflow_framework.so.2").write_bytes(b"\x7fELF\x02\x01\x01" + b"\xff" * 5000)
    return check(world)


@attack(1)
def a_path_of_the_working_folder(world: World) -> tuple[str, ...]:
    world.variables["PATH"] = f".:{os.environ['PATH']}"
    for name in ("python3", "ptxas", "pip", "nvidia-smi"):
        world.write(name, f"#!/bin/sh\necho {CANARY} >&2\n").chmod(0o755)
    return check(world)


@attack(1)
def modules_of_the_working_folder(world: World) -> tuple[str, ...]:
    for name in ("re", "json", "typing", "threading"):
        world.write(f"{name}.py", f"import sys; sys.stderr.write('{CANARY}'); sys.exit(9)\n")
    return check(world)


@attack(1, 3)
def a_python_that_is_a_shell_script_that_hangs(world: World) -> tuple[str, ...]:
    world.write("python3", "#!/bin/sh\nsleep 600 & sleep 600\n").chmod(0o755)
    return ("check", "--json", "--smoke", "none", "--timeout", "4", "--python", str(world.work / "python3"))


@attack(1, 3)
def an_interpreter_that_is_random_bytes(world: World) -> tuple[str, ...]:
    world.write("python3", bytes(range(256)) * 64).chmod(0o755)
    return ("check", "--json", "--smoke", "none", "--python", str(world.work / "python3"))


@attack(WRONG_USAGE)
def a_kernel_whose_name_leads_out(world: World) -> tuple[str, ...]:
    return ("check", "--json", "--smoke", "none", "--kernel", "../../../../etc/passwd")


@attack(1)
def hundreds_of_entries_on_every_path(world: World) -> tuple[str, ...]:
    world.variables["LD_LIBRARY_PATH"] = ":".join(f"/nowhere/{n}" for n in range(3000))
    world.variables["XDG_DATA_DIRS"] = ":".join(f"/nowhere/{n}" for n in range(3000))
    return check(world)


@attack(1)
def a_variable_of_120_kilobytes(world: World) -> tuple[str, ...]:
    world.variables["XLA_FLAGS"] = "--xla_gpu_cuda_data_dir=" + "a'=\"" * 30_000
    return check(world)


# Logs


def told(world: World, text: bytes) -> tuple[str, ...]:
    return ("diagnose", "--json", str(world.write("a.log", text)))


@attack(0, 1, 3)
def a_log_of_one_line_of_megabytes(world: World) -> tuple[str, ...]:
    return told(world, b"CUDA_ERROR " * 400_000)


@attack(0, 1, 3)
def a_log_of_escapes_and_secrets(world: World) -> tuple[str, ...]:
    line = f"\x1b]0;x\x07 E failed call to cuInit: CUDA_ERROR_NO_DEVICE password={CANARY} \u202e\n"
    return told(world, line.encode() * 50)


@attack(0, 1, 3)
def a_log_of_packed_zeros(world: World) -> tuple[str, ...]:
    import gzip

    path = world.write("a.log.gz", gzip.compress(b"\0" * (64 << 20), 1))
    return ("diagnose", "--json", str(path))


@attack(WRONG_USAGE)
def a_log_that_is_not_there(world: World) -> tuple[str, ...]:
    return ("diagnose", "--json", str(world.work / "nowhere"))


# The health check


@attack(0, 1)
def a_health_state_of_deep_json(world: World) -> tuple[str, ...]:
    return ("healthcheck", "--json", "--state", str(world.write("state.json", "[" * 200_000)))


@attack(0, 1)
def a_health_state_that_is_an_endless_device(world: World) -> tuple[str, ...]:
    return ("healthcheck", "--json", "--state", "/dev/zero")


@attack(0, 1)
def a_health_output_through_links_in_a_ring(world: World) -> tuple[str, ...]:
    (world.work / "a").symlink_to("a")
    return ("healthcheck", "--json", "-o", str(world.work / "a"))


assert sys.platform == "linux", "the attacks are made of Linux' pipes and devices"
