"""What people give to `tfdoctor check` and what their systems do to it: the right verdict or one clear line, in time."""

from __future__ import annotations

import json
import os
import shutil
import struct
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.real.command import PATH, check, clone, doctor
from tests.real.environments import environment, site_packages
from tests.real.test_hostile_tensorflow import BUILD_INFO, environment_with

pytestmark = [pytest.mark.real, pytest.mark.slow, pytest.mark.xdist_group("bad-input")]

STATIC = ("--smoke", "none")
EM_AARCH64 = 183  # elf(5)


def refused(*arguments: object) -> str:
    """The one line of a wrong usage."""
    run = doctor("check", "--json", *arguments, limit_s=30)
    assert run.status == 2, run.stdout
    return run.one_line


# --- the interpreter


def no_file(folder: Path) -> Path:
    return folder / "nowhere" / "python3"


def empty_folder(folder: Path) -> Path:
    (folder / "empty").mkdir()
    return folder / "empty"


def some_program(folder: Path) -> Path:
    return Path(shutil.copy("/bin/true", folder / "tool"))


def text_that_may_not_be_run(folder: Path) -> Path:
    (folder / "python3").write_text("no program\n")
    return folder / "python3"


def socket_or_pipe(folder: Path) -> Path:
    os.mkfifo(folder / "python3")
    return folder / "python3"


@pytest.mark.parametrize(
    "what", [no_file, empty_folder, some_program, text_that_may_not_be_run, socket_or_pipe]
)
def test_what_can_be_no_interpreter_is_wrong_usage(what: Callable[[Path], Path], tmp_path: Path) -> None:
    path = what(tmp_path)
    assert f"--python {path}" in refused("--python", path)


def foreign_binary(python: Path) -> None:
    """An ELF file for another processor."""
    header = b"\x7fELF\x02\x01\x01" + bytes(9) + struct.pack("<HHI", 2, EM_AARCH64, 1) + bytes(40)
    replace(python, header, 0o755)


def silent_program(python: Path) -> None:
    replace(python, Path("/bin/true").read_bytes(), 0o755)


def hanging_program(python: Path) -> None:
    replace(python, b"#!/bin/sh\nsleep 600\n", 0o755)


def flooding_program(python: Path) -> None:
    replace(python, b"#!/bin/sh\nyes | head -c 200000000\n", 0o755)


def vanished(python: Path) -> None:
    python.unlink()
    python.symlink_to("/nowhere/python3.11")


def replace(file: Path, content: bytes, mode: int) -> None:
    file.unlink()
    file.write_bytes(content)
    file.chmod(mode)


@pytest.mark.parametrize("how", [foreign_binary, silent_program, hanging_program, flooding_program, vanished])
def test_an_interpreter_that_does_not_answer_leaves_no_verdict(
    how: Callable[[Path], None], tmp_path: Path
) -> None:
    python = environment_with(tmp_path / "environment", "")
    how(python)
    run = doctor("check", "--python", python, "--json", "--timeout", 8)
    assert run.status == {"unknown": 3, "broken": 1}[run.report["verdict"]], run.report["summary"]
    assert run.report["facts"]["interpreter.sys_path"]["status"] == "failed"


# --- the environment's files


def rubbish_pyvenv(root: Path, packages: Path) -> None:
    (root / "pyvenv.cfg").write_bytes(bytes(range(256)) * 40)


def empty_pyvenv(root: Path, packages: Path) -> None:
    (root / "pyvenv.cfg").write_text("")


def endless_pyvenv(root: Path, packages: Path) -> None:
    (root / "pyvenv.cfg").write_text(f"home = {'x' * 5_000_000}\n" * 4)


def rubbish_metadata(root: Path, packages: Path) -> None:
    (packages / "tensorflow_cpu-2.21.0.dist-info" / "METADATA").write_bytes(b"\xff\xfe\x00" * 3000)


def metadata_is_a_folder(root: Path, packages: Path) -> None:
    (packages / "tensorflow_cpu-2.21.0.dist-info" / "METADATA").unlink()
    (packages / "tensorflow_cpu-2.21.0.dist-info" / "METADATA").mkdir()


def metadata_is_a_pipe(root: Path, packages: Path) -> None:
    (packages / "tensorflow_cpu-2.21.0.dist-info" / "METADATA").unlink()
    os.mkfifo(packages / "tensorflow_cpu-2.21.0.dist-info" / "METADATA")


def no_version(root: Path, packages: Path) -> None:
    (packages / "tensorflow_cpu-2.21.0.dist-info" / "METADATA").write_text(
        "Name: tensorflow-cpu\nVersion: \x1b[31mnew\n"
    )


def rubbish_record(root: Path, packages: Path) -> None:
    (packages / "tensorflow_cpu-2.21.0.dist-info" / "RECORD").write_bytes(b'"\x00,,,,\n' * 5000)


def rubbish_build_info(root: Path, packages: Path) -> None:
    (packages / "tensorflow/python/platform/build_info.py").write_text("build_info = {" * 3000)


@pytest.mark.parametrize(
    "how",
    [
        rubbish_pyvenv, empty_pyvenv, endless_pyvenv, rubbish_metadata, metadata_is_a_folder, metadata_is_a_pipe,
        no_version, rubbish_record, rubbish_build_info,
    ],
)  # fmt: skip
def test_broken_files_of_an_environment_never_end_the_examination(
    how: Callable[[Path, Path], None], tmp_path: Path
) -> None:
    python = environment_with(tmp_path / "environment", "raise ImportError('not examined')")
    how(python.parent.parent, site_packages(python))
    run = doctor("check", "--python", python, "--json", "--timeout", 8, *STATIC)
    assert run.status in (0, 1, 3)
    assert "tfdoctor itself failed" not in run.report["summary"]
    assert "own check failed" not in run.stdout


def test_a_record_of_fifty_thousand_lines(tmp_path: Path) -> None:
    python = environment_with(tmp_path / "environment", "")
    packages = site_packages(python)
    folder = packages / "tensorflow" / "many"
    folder.mkdir()
    with (packages / "tensorflow_cpu-2.21.0.dist-info" / "RECORD").open("a") as record:
        for number in range(50_000):
            record.write(f"tensorflow/many/{number}.h,sha256=47DEQpj8HBSa-_TImW-5JCeuQeRkm5NMpJWZG3hSuFU,0\n")
            if number != 31_415:
                (folder / f"{number}.h").touch()
    run = check(python, *STATIC)
    assert run.roots == ["tensorflow-install-broken"]
    assert "tensorflow/many/31415.h" in json.dumps(run.finding("tensorflow-install-broken")["evidence"])
    assert run.peak_kb < 150 << 10


# --- the matrix and saved reports


def test_a_matrix_with_an_unknown_key(tensorflow_python: Path, tmp_path: Path) -> None:
    matrix = tmp_path / "matrix.yaml"
    source = Path(__file__).parents[2] / "data" / "compat_matrix.yaml"
    matrix.write_text("surprise: [1, 2]\n" + source.read_text())
    line = refused("--matrix", matrix, "--python", tensorflow_python)
    assert "surprise" in line and str(matrix) in line


@pytest.mark.parametrize(
    "content", [b"", b"{", b"[]", b"\xff\xfe", b'{"schema_version": "9.0"}', b"[" * 100_000]
)
def test_a_report_that_is_none(content: bytes, tmp_path: Path) -> None:
    (tmp_path / "report.json").write_bytes(content)
    assert "report.json" in refused("--facts", tmp_path / "report.json")


# --- the system around it


def test_without_a_home_and_with_the_plain_locale(tensorflow_python: Path) -> None:
    env = {"PATH": PATH, "LANG": "C", "LC_ALL": "C"}
    assert check(tensorflow_python, *STATIC, env=env).report["verdict"] == "healthy"
    told = doctor("check", "--python", tensorflow_python, *STATIC, env=env)
    assert told.status == 0
    assert told.stdout.isascii()


def test_an_empty_environment(tensorflow_python: Path) -> None:
    done = subprocess.run(
        ["env", "-i", sys.executable, "-m", "tfdoctor", "check", "--python", tensorflow_python, "--json", *STATIC],
        capture_output=True, text=True, timeout=60, check=False,
    )  # fmt: skip
    assert (json.loads(done.stdout)["verdict"], done.stderr) == ("healthy", "")


def test_a_truncated_library_is_read_and_never_loaded_by_the_doctor(tmp_path: Path) -> None:
    """The wheel's largest library cut at every awkward place: headers, section table, string table."""
    python = clone(environment("tensorflow==2.21.0"), tmp_path / "environment")
    library = site_packages(python) / "tensorflow" / "libtensorflow_framework.so.2"
    whole = library.read_bytes()
    for size in (0, 17, 100, len(whole) // 3, len(whole) - 1):
        replace(library, whole[:size], 0o755)
        run = check(python, *STATIC)
        assert run.roots == ["tensorflow-install-broken"], (size, run.report["summary"])


def test_build_info_is_what_the_other_tests_lay_out(tmp_path: Path) -> None:
    """The stand-in for TensorFlow that this file uses is healthy as long as nobody breaks it."""
    python = environment_with(tmp_path / "environment", "")
    assert (site_packages(python) / "tensorflow/python/platform/build_info.py").read_text() == BUILD_INFO
    assert check(python, *STATIC).report["verdict"] == "healthy"
