"""`tfdoctor fix` as a user runs it, on a small environment: what it changes, and that nothing is changed otherwise."""

from __future__ import annotations

import json
import os
import pty
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from itertools import product
from pathlib import Path
from typing import Any

import pytest

from tests.needs import USER_NAMESPACES
from tests.unit.apps.repair import full_disk, standin
from tests.unit.apps.repair.standin import Patient
from tests.unit.ask.probes.fake_environments import site_of

pytestmark = pytest.mark.slow
UNSHARED = ("unshare", "--user", "--map-root-user", "sh", "-c")
WITHOUT_NAMESPACES = (*UNSHARED, 'echo 0 > /proc/sys/user/max_mnt_namespaces && exec "$@"', "-")


@pytest.fixture
def patient(tmp_path: Path) -> Patient:
    return standin.patient(tmp_path)


def nightly(*values: Any) -> list[Any]:
    return [
        pytest.param(*(each if isinstance(each, tuple) else (each,)), marks=pytest.mark.nightly)
        for each in values
    ]


def needs_unshare(*command: str) -> None:
    if (
        subprocess.run(
            [*UNSHARED, *(command or ("true",))], capture_output=True, check=False
        ).returncode
        != 0
    ):
        pytest.skip(USER_NAMESPACES)


def test_without_a_terminal_it_is_a_plan(patient: Patient) -> None:
    before = standin.picture(patient.environment)
    done = patient.fix()
    assert done.returncode == 3
    assert "protobuf  4.25.3 → 6.33.0" in done.stdout
    assert "Download: unknown beforehand." in " ".join(done.stdout.split())
    assert (
        done.stderr
        == "tfdoctor: nothing was changed: there is no terminal to ask on; add --yes to apply it\n"
    )
    assert standin.picture(patient.environment) == before
    assert patient.beside() == []


def test_it_helps_and_is_undone_to_the_byte(patient: Patient) -> None:
    before = standin.picture(patient.environment)
    status, said = on_a_terminal(patient, "y\n")
    assert status == 0 and QUESTION in said, said
    assert "Helped: protobuf-incompatible is gone" in said
    assert "Changed: protobuf 4.25.3 → 6.33.0, nothing else. Undo: tfdoctor fix --undo 1" in said
    assert patient.installed()["protobuf"] == "6.33.0"
    now = standin.picture(patient.environment)
    changed = {
        each.split("/")[3] for each in now if before.get(each) != now[each] and each.count("/") > 3
    }
    assert changed == {"google", "protobuf-6.33.0.dist-info"}
    assert patient.fix("--undo", to=()).returncode == 0
    assert standin.picture(patient.environment) == before
    assert patient.beside() == []
    assert [each["state"] for each in patient.listed()] == ["undone"]


def test_what_does_not_help_is_not_kept(patient: Patient) -> None:
    """The new protobuf brings a file of TensorFlow's, too."""
    for version in ("6.31.1", "6.33.0"):
        files = {
            "google/protobuf/__init__.py": f'__version__ = "{version}"\n',
            "tensorflow/__init__.py": "raise SystemExit\n",
        }
        standin.wheel(patient.wheels, "protobuf", version, files)
    before = standin.picture(patient.environment)
    done = patient.fix("--yes")
    assert done.returncode == 1, done
    assert "It did not help: a new problem came up: " in " ".join(done.stdout.split())
    assert " ".join(done.stdout.split()).endswith("Nothing was changed.")
    assert standin.picture(patient.environment) == before
    assert patient.beside() == []
    assert [each["state"] for each in patient.listed()] == ["discarded"]


def test_a_wheel_that_is_damaged_changes_nothing(patient: Patient) -> None:
    for version in ("6.31.1", "6.33.0"):
        (patient.wheels / f"protobuf-{version}-py3-none-any.whl").write_bytes(b"PK no wheel")
    before = standin.picture(patient.environment)
    done = patient.fix("--yes")
    assert done.returncode in (1, 3), done
    assert "Traceback" not in done.stderr
    assert standin.picture(patient.environment) == before
    assert patient.beside() == []


def test_an_index_without_a_version_that_fits(patient: Patient) -> None:
    for version in ("6.31.1", "6.33.0"):
        (patient.wheels / f"protobuf-{version}-py3-none-any.whl").unlink()
    done = patient.fix("--yes")
    assert done.returncode == 3
    assert "Not applied: pip finds no way:" in done.stdout
    assert patient.beside() == []


QUESTION = "Change protobuf 4.25.3 → 6.33.0 in ~/envs/tf? Nothing is changed until it has been shown to help. [y/N]"


@pytest.mark.parametrize("answer", ["\x04", *nightly("yess\n", "\n")])
def test_what_is_no_yes_changes_nothing(patient: Patient, answer: str) -> None:
    before = standin.picture(patient.environment)
    status, said = on_a_terminal(patient, answer)
    assert status == 3 and QUESTION in said and "Nothing was changed." in said, said
    assert standin.picture(patient.environment) == before


def on_a_terminal(patient: Patient, answer: str) -> tuple[int, str]:
    """The exit status and all that was seen."""
    own, theirs = pty.openpty()
    program = subprocess.Popen(
        patient.command(), env={**patient.variables(), "HOME": str(patient.root), "COLUMNS": "200"},
        stdin=theirs, stdout=theirs, stderr=theirs, start_new_session=True,
    )  # fmt: skip
    os.close(theirs)
    said, sent = b"", False
    while True:
        try:
            data = os.read(own, 4096)
        except OSError:  # the other end is closed
            break
        said += data
        if b"[y/N]" in said and not sent:
            time.sleep(0.2)
            os.write(own, answer.encode())
            sent = True
    os.close(own)
    return program.wait(60), " ".join(said.decode().split())


@pytest.mark.nightly
def test_a_dry_run_changes_nothing(patient: Patient) -> None:
    before = standin.picture(patient.environment)
    done = patient.fix("--dry-run", "--yes")
    assert (done.returncode, "4.25.3 → 6.33.0" in done.stdout) == (0, True)
    assert standin.picture(patient.environment) == before


def kernel(patient: Patient, **variables: str) -> Path:
    """Its kernel.json, as a person wrote it."""
    folder = patient.root / "jupyter" / "kernels" / "tf-kernel"
    folder.mkdir(parents=True)
    argv = [patient.python, "-m", "ipykernel_launcher", "-f", "{connection_file}"]
    document = {"argv": argv, "display_name": "TF ü", "language": "python", "env": variables}
    (folder / "kernel.json").write_text(json.dumps(document, ensure_ascii=False))
    return folder / "kernel.json"


def test_a_kernels_environment_and_the_journal_as_the_answer(patient: Patient) -> None:
    kernel(patient)
    done = patient.fix(
        "--yes", "--json", to=("--kernel", "tf-kernel"), JUPYTER_PATH=str(patient.root / "jupyter")
    )
    assert done.returncode == 0, done
    assert patient.installed()["protobuf"] == "6.33.0"
    document = json.loads(done.stdout)
    assert (document["state"], document["examined"]) == ("kept", "--kernel tf-kernel")
    assert document["packages"] == [{"name": "protobuf", "from": "4.25.3", "to": "6.33.0"}]
    assert document["action"] == {"kind": "change-packages", "install": ["protobuf>=6.31.1,<7"]}
    assert "protobuf-incompatible" in document["before"]["codes"]
    assert "protobuf-incompatible" not in document["after"]["codes"]
    assert document["environment"] == str(patient.environment)
    assert Path(document["kept"]).is_dir()


CHOSEN = """import os
__version__ = "6.33.0"
if os.environ.get("PROTOCOL_BUFFERS_PYTHON_IMPLEMENTATION") == "cpp":
    raise ImportError("cannot import name '_message' from 'google.protobuf.pyext' (unknown location)")
"""


def test_a_variable_of_a_kernels_file(patient: Patient) -> None:
    """Only this variable goes, and the same file comes back."""
    wheels = ("--no-index", "--find-links", str(patient.wheels))
    standin.pip(patient.environment, "install", *wheels, "--no-deps", "protobuf==6.33.0")
    (site_of(patient.environment) / "google" / "protobuf" / "__init__.py").write_text(CHOSEN)
    file = kernel(patient, PROTOCOL_BUFFERS_PYTHON_IMPLEMENTATION="cpp", OTHER="1")
    before, environment = standin.picture(file.parent), standin.picture(patient.environment)
    done = patient.fix(
        "--yes", to=("--kernel", "tf-kernel"), JUPYTER_PATH=str(patient.root / "jupyter")
    )
    assert done.returncode == 0, done
    assert "Changed: PROTOCOL_BUFFERS_PYTHON_IMPLEMENTATION is unset, nothing else." in " ".join(
        done.stdout.split()
    )
    document = json.loads(file.read_text())
    assert (document["env"], document["display_name"]) == ({"OTHER": "1"}, "TF ü")
    assert patient.fix("--undo", to=()).returncode == 0
    assert standin.picture(file.parent) == before
    assert [each.name for each in file.parent.parent.iterdir()] == ["tf-kernel"]
    assert standin.picture(patient.environment) == environment


READ_ONLY = 'mount --bind "$1" "$1" && mount -o remount,bind,ro "$1" && shift && exec "$@"'


def test_what_cant_be_put_back_is_told_with_both_paths(patient: Patient) -> None:
    """The machine stopped after the exchange and before the last check; and now the directory is read-only."""
    needs_unshare("mount", "-t", "tmpfs", "none", "/mnt")
    before = standin.picture(patient.environment)
    assert patient.fix("--yes").returncode == 0
    journal = patient.root / "state" / "tfdoctor" / "fixes" / "1.journal"
    lines = journal.read_bytes().rstrip(b"\n").split(b"\n")
    assert json.loads(lines.pop())["state"] == "kept"
    journal.write_bytes(b"\n".join(lines) + b"\n" * 1000)
    parent = str(patient.environment.parent)
    shell = ("unshare", "--user", "--map-root-user", "--mount", "sh", "-c", READ_ONLY, "-", parent)
    done = patient.fix("--recover", to=(), before=shell)
    assert done.returncode == 4, done
    assert (
        str(patient.environment) in done.stderr
        and f"{patient.environment.parent}/.tf.tfdoctor/1/tree" in done.stderr
    )
    check = [
        sys.executable,
        "-m",
        "tfdoctor",
        "check",
        "--json",
        "--smoke",
        "none",
        "--python",
        patient.python,
    ]
    found = json.loads(
        subprocess.run(check, env=patient.variables(), capture_output=True, check=False).stdout
    )
    assert "fix-interrupted" in {
        each["code"] for each in found["findings"] if each["severity"] == "warning"
    }
    assert patient.fix("--recover", to=()).returncode == 0
    assert (standin.picture(patient.environment), patient.beside()) == (before, [])


def test_a_code_that_is_not_there(patient: Patient) -> None:
    done = patient.fix("--yes", "driver-too-old")
    assert done.returncode == 3 and done.stdout.startswith("driver-too-old was not found here.")


def test_it_is_one_at_a_time(patient: Patient) -> None:
    from tfdoctor.apps.repair.journal import locked

    with locked(patient.environment):
        done = patient.fix("--yes")
    assert (done.returncode, "another tfdoctor is fixing" in done.stderr) == (3, True)


def test_what_is_unusual_in_an_environment_stays(tmp_path: Path) -> None:
    """Its name, a symbolic link to it, the system's packages, an editable project, and variables that lead an installer elsewhere."""
    patient = standin.patient(tmp_path, '-rf it\'s "quoted" $(touch x) ümlaut')
    (tmp_path / "link").symlink_to(patient.environment)
    config = patient.environment / "pyvenv.cfg"
    config.write_text(config.read_text().replace("packages = false", "packages = true"))
    (tmp_path / "project").mkdir()
    (tmp_path / "project" / "mine.py").write_text("WORD = 'here'\n")
    (site_of(patient.environment) / "__editable__.mine.pth").write_text(f"{tmp_path / 'project'}\n")
    target, prefix = str(tmp_path / "elsewhere"), str(tmp_path / "prefix")
    linked = ("--python", str(tmp_path / "link"))
    before = standin.picture(patient.environment)
    done = patient.fix("--yes", to=linked, PIP_TARGET=target, PIP_USER="1", PIP_PREFIX=prefix)
    assert done.returncode == 0, done
    assert (tmp_path / "link").is_symlink() and patient.installed()["protobuf"] == "6.33.0"
    assert "packages = true" in config.read_text()
    assert not (tmp_path / "elsewhere").exists() and not (tmp_path / "prefix").exists()
    said = subprocess.run([patient.python, "-c", "import mine; print(mine.WORD)"], capture_output=True, text=True, check=True)  # fmt: skip
    assert said.stdout == "here\n"
    assert patient.fix("--undo", to=()).returncode == 0
    assert standin.picture(patient.environment) == before


def test_undo_refuses_to_lose_what_came_later(patient: Patient) -> None:
    """A new file; and what was written into the kept files through a link."""
    assert patient.fix("--yes").returncode == 0
    mine = site_of(patient.environment) / "mine.py"
    mine.write_text("")
    now = standin.picture(patient.environment)
    done = patient.fix("--undo", to=())
    assert done.returncode == 3 and "mine.py), which --undo would lose" in done.stderr
    assert standin.picture(patient.environment) == now
    mine.unlink()
    with (site_of(patient.environment) / "tensorflow" / "__init__.py").open("a") as file:
        file.write("# through the link\n")
    done = patient.fix("--undo", to=())
    assert done.returncode == 3 and "something wrote into the kept files" in done.stderr
    assert "tensorflow/__init__.py" in done.stderr


@pytest.mark.nightly
def test_undo_takes_the_newest_first(patient: Patient) -> None:
    assert patient.fix("--yes").returncode == 0
    standin.pip(
        patient.environment,
        "install",
        "--no-index",
        "--find-links",
        str(patient.wheels),
        "--no-deps",
        "protobuf==4.25.3",
    )
    assert patient.fix("--yes").returncode == 0
    first = patient.fix("--undo", "1", to=())
    assert first.returncode == 3 and "fix 2 came after it" in first.stderr
    assert patient.fix("--undo", to=()).returncode == 0


def test_a_name_that_cant_be_printed_is_left_alone(tmp_path: Path) -> None:
    patient = standin.patient(tmp_path, "two\nlines")
    before = standin.picture(patient.environment)
    done = patient.fix("--yes")
    assert done.returncode == 3 and "a name in it can't be printed" in done.stdout
    assert standin.picture(patient.environment) == before


def test_by_uv_it_is_the_same_and_uv_leaves_nothing(patient: Patient) -> None:
    uv = standin.uv()
    (patient.root / "bin").mkdir()
    (patient.root / "bin" / "uv").symlink_to(uv)
    (patient.root / "uv.toml").write_text(f'no-index = true\nfind-links = ["{patient.wheels}"]\n')
    for each in site_of(patient.environment).glob("pip*"):
        shutil.rmtree(each)
    before = standin.picture(patient.environment)
    path, config = f"{patient.root / 'bin'}:/usr/bin:/bin", str(patient.root / "uv.toml")
    planned = patient.fix(PATH=path, UV_CONFIG_FILE=config)
    assert (planned.returncode, standin.picture(patient.environment) == before) == (3, True)
    done = patient.fix("--yes", PATH=path, UV_CONFIG_FILE=config)
    assert done.returncode == 0, done
    assert patient.installed() == {"tensorflow": "2.21.0", "protobuf": "6.33.0"}
    assert patient.fix("--undo", to=()).returncode == 0
    assert standin.picture(patient.environment) == before


def test_who_uses_it_is_named_and_nothing_is_kept_where_so_asked(patient: Patient) -> None:
    with subprocess.Popen(
        [patient.environment / "bin/python", "-c", "input()"], stdin=subprocess.PIPE
    ) as program:
        refused, forced = patient.fix("--yes"), patient.fix("--yes", "--in-use", "--no-keep")
        program.communicate(b"\n")
    assert refused.returncode == 3 and f"(PID {program.pid})" in refused.stdout
    assert forced.returncode == 0 and "The old files were not kept." in " ".join(
        forced.stdout.split()
    )
    assert patient.beside() == []
    undone = patient.fix("--undo", "1", to=())
    assert undone.returncode == 3 and "--no-keep" in undone.stderr


def test_without_namespaces_it_says_so(patient: Patient) -> None:
    needs_unshare()
    before = standin.picture(patient.environment)
    done = patient.fix("--yes", before=WITHOUT_NAMESPACES)
    assert done.returncode == 3
    said = " ".join(done.stdout.split())
    assert "this system gives you no private namespace" in said and "--in-place" in said
    assert 'pip install "protobuf>=6.31.1,<7"' in said
    assert standin.picture(patient.environment) == before


def test_in_place_it_helps_and_is_undone(patient: Patient) -> None:
    needs_unshare()
    before = standin.picture(patient.environment)
    done = patient.fix("--yes", "--in-place", before=WITHOUT_NAMESPACES)
    assert done.returncode == 0, done
    assert patient.installed()["protobuf"] == "6.33.0"
    assert patient.fix("--undo", to=()).returncode == 0
    assert standin.picture(patient.environment) == before


def test_in_place_what_does_not_help_is_put_back(patient: Patient) -> None:
    needs_unshare()
    for version in ("6.31.1", "6.33.0"):
        standin.wheel(
            patient.wheels,
            "protobuf",
            version,
            {"google/protobuf/__init__.py": "", "tensorflow/__init__.py": ""},
        )
    before = standin.picture(patient.environment)
    done = patient.fix("--yes", "--in-place", before=WITHOUT_NAMESPACES)
    assert done.returncode == 1, done
    assert standin.picture(patient.environment) == before
    assert patient.beside() == []


@pytest.mark.parametrize(
    ("left", "after_s"),
    [
        (400 << 10, 0),
        *nightly(
            (0, 0),
            (8 << 10, 0),
            (64 << 10, 0),
            (200 << 10, 0),
            (1 << 20, 0),
            (0, 1),
            (0, 3),
            (0, 5),
        ),
    ],
)
def test_a_disk_that_is_full(tmp_path: Path, left: int, after_s: float) -> None:
    """With so many bytes left: what does not go through leaves the environment as it was, and nothing beside it."""
    needs_unshare("mount", "-t", "tmpfs", "none", "/mnt")
    full_disk.assert_right(full_disk.told(tmp_path, "64m", left, after_s))


@pytest.mark.nightly
def test_what_changes_meanwhile_is_told_and_kept(patient: Patient) -> None:
    journal = patient.root / "state" / "tfdoctor" / "fixes" / "1.journal"
    program = subprocess.Popen(
        patient.command("--yes"), env=patient.variables(), stdout=subprocess.PIPE, text=True
    )
    while program.poll() is None and not (
        journal.exists() and b'"applied"' in journal.read_bytes()
    ):
        time.sleep(0.01)
    mine = site_of(patient.environment) / "mine.py"
    mine.write_text("")
    said, _ = program.communicate(timeout=120)
    assert program.returncode == 1
    assert "the environment was changed meanwhile by something else (" in " ".join(said.split())
    assert mine.exists() and patient.installed()["protobuf"] == "4.25.3"
    assert patient.beside() == []


NUMBERS, MOMENTS = (signal.SIGKILL, signal.SIGTERM, signal.SIGINT), (0.5, 1.5, 2.5, 3.5, 4.5, 6.0)
DAILY = ((signal.SIGKILL, 2.5), (signal.SIGTERM, 3.5), (signal.SIGINT, 1.5))


@pytest.mark.parametrize(
    ("number", "after_s"),
    [*DAILY, *nightly(*(each for each in product(NUMBERS, MOMENTS) if each not in DAILY))],
)
def test_ended_at_any_moment(patient: Patient, after_s: float, number: int) -> None:
    ended_at(patient, after_s, lambda program: os.kill(program.pid, number))


def ended_at(patient: Patient, after_s: float, end: Callable[[Any], None]) -> None:
    """The environment is the old or the new one; recovering leaves nothing behind."""
    before = standin.picture(patient.environment)
    program = subprocess.Popen(
        patient.command("--yes"), env=patient.variables(), stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        start_new_session=True,
    )  # fmt: skip
    time.sleep(after_s)
    end(program)
    program.wait(60)
    version = patient.installed()["protobuf"]
    assert version in ("4.25.3", "6.33.0")
    if version == "4.25.3":
        assert standin.picture(patient.environment) == before
    assert patient.fix("--recover", to=()).returncode == 0
    states = [each["state"] for each in patient.listed()]
    if states == ["kept"]:
        assert patient.installed()["protobuf"] == "6.33.0"
        assert patient.fix("--undo", to=()).returncode == 0
    assert standin.picture(patient.environment) == before
    assert patient.beside() == []
