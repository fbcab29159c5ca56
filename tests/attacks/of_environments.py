"""Environments with hooks, metadata and libraries that were made to harm."""

from __future__ import annotations

import os

from tests.attacks.attack import ATTACKS, WRONG_USAGE, Attack, Prepare, attack, check
from tests.attacks.world import CANARY, World

FORGED = r"'\n\x02tfdoctor-interpreter {\"version\": \"3.99.0\"}\x03\n'"
HOOKS = {
    "leaves-daemons": "import os,time;(os.fork() or (os.setsid(), os.fork() or time.sleep(600), os._exit(0)))",
    "hangs": "import time; time.sleep(600)",
    "ends-the-interpreter": "import os; os._exit(0)",
    "kills-itself": "import os; os.kill(os.getpid(), 9)",
    "kills-its-parent": "import os; os.kill(os.getppid(), 9)",
    "floods": "import os; [os.write(1, b'x' * 65536) for _ in range(2000)]",
    "forges-the-answer": f"import os; os.write(1, {FORGED}.encode())",
    "stops-its-parent": "import os,signal; os.kill(os.getppid(), signal.SIGSTOP)",
}


def hook(name: str) -> Prepare:
    def prepare(world: World) -> tuple[str, ...]:
        (world.site / "a.pth").write_text(f"{HOOKS[name]}\n")
        return check(world, *(("--timeout", "4") if name in ("hangs", "stops-its-parent") else ()))

    return prepare


for name in HOOKS:
    statuses = (1,) if name == "leaves-daemons" else (1, 3)
    ATTACKS.append(
        Attack(f"a-hook-that-{name}", hook(name), statuses, quick=name == "leaves-daemons")
    )


@attack(1)
def metadata_of_a_line_of_50_kilobytes(world: World) -> tuple[str, ...]:
    world.distribution(
        "long", "Metadata-Version: 2.1\nName: long\nVersion: 1.0\nSummary: " + "a =" * 17_000
    )
    return check(world)


@attack(1)
def metadata_of_3000_equal_requirements(world: World) -> tuple[str, ...]:
    lines = "Requires-Dist: numpy (>=1.0,<2.0) ; python_version >= '3.7'\n" * 3000
    world.distribution(
        "tensorflow", f"Metadata-Version: 2.1\nName: tensorflow\nVersion: 2.16.1\n{lines}"
    )
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
    world.distribution(
        "evil", "Metadata-Version: 2.1\nName: evil\x1b]0;owned\x07\nVersion: 1.0\u202e\n"
    )
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
    world.distribution(
        "tensorflow", "Metadata-Version: 2.1\nName: tensorflow\nVersion: 2.16.1\n", record
    )
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
    return (
        "check",
        "--json",
        "--smoke",
        "none",
        "--timeout",
        "4",
        "--python",
        str(world.work / "python3"),
    )


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
