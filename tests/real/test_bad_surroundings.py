"""Closed streams, full disks, unreadable systems and a user who stops it: the right verdict or one clear line, in time."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.real.command import PATH, Run, doctor
from tests.real.test_hostile_tensorflow import environment_with
from tests.waiting import gone, until

pytestmark = [
    pytest.mark.nightly,
    pytest.mark.real,
    pytest.mark.slow,
    pytest.mark.xdist_group("bad-surroundings"),
]

STATIC = ("--smoke", "none")
IN_NAMESPACES = ("unshare", "--map-root-user", "--mount", "sh", "-e", "-c")


def by_shell(line: str, python: Path, **variables: str) -> subprocess.CompletedProcess[str]:
    """A line of shell in which `tfdoctor` and $TARGET are what a user has."""
    command = f'tfdoctor() {{ "{sys.executable}" -m tfdoctor "$@"; }}\n{line}'
    return subprocess.run(
        ["bash", "-c", command], capture_output=True, text=True, timeout=90, check=False,
        env={**os.environ, "TARGET": str(python), "PATH": PATH, **variables},
    )  # fmt: skip


def test_a_reader_that_goes_away_early(tensorflow_python: Path) -> None:
    done = by_shell(
        'tfdoctor check --python "$TARGET" --smoke none | head -1; exit "${PIPESTATUS[1]}"',
        tensorflow_python,
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.count("\n") == 1


@pytest.mark.parametrize("form", ["terminal", "json"])
def test_a_closed_stdout(form: str, tensorflow_python: Path) -> None:
    done = by_shell(
        f'tfdoctor check --python "$TARGET" --smoke none --format {form} >&-', tensorflow_python
    )
    assert done.returncode == 3
    assert done.stderr.count("\n") == 1 and "Traceback" not in done.stderr


def test_everything_closed(tensorflow_python: Path) -> None:
    done = by_shell(
        'tfdoctor check --python "$TARGET" --smoke none --json <&- >&- 2>&-', tensorflow_python
    )
    assert (done.returncode, done.stdout, done.stderr) == (3, "", "")


@pytest.mark.parametrize("form", ["terminal", "json", "markdown", "html"])
def test_a_full_disk_behind_stdout(form: str, tensorflow_python: Path) -> None:
    done = by_shell(
        f'tfdoctor check --python "$TARGET" --smoke none --format {form} > /dev/full',
        tensorflow_python,
    )
    assert done.returncode == 3
    assert done.stderr.count("\n") == 1 and "No space left on device" in done.stderr


def in_namespaces(script: str, python: Path, *options: str) -> Run:
    """Runs `check` after a shell script that rearranges the mounts of a namespace of its own."""
    run = doctor(
        "check",
        "--python",
        python,
        "--json",
        "--no-redact",
        *options,
        before=(*IN_NAMESPACES, script + '\nexec "$@"', "sh"),
    )
    assert "Traceback" not in run.stderr
    return run


def test_a_full_disk_behind_the_output_file(tensorflow_python: Path, tmp_path: Path) -> None:
    target = tmp_path / "small"
    target.mkdir()
    run = in_namespaces(
        f"mount -t tmpfs -o size=8k none {target}",
        tensorflow_python,
        *STATIC,
        "-o",
        str(target / "report.json"),
    )
    assert run.status == 3
    assert "No space left on device" in run.one_line


def test_a_full_disk_behind_temporary_files(tensorflow_python: Path, tmp_path: Path) -> None:
    """TensorFlow's scratch folder can't be made or filled; there is a document all the same."""
    script = f"mount -t tmpfs -o size=4k,nr_inodes=1 none {tmp_path}; export TMPDIR={tmp_path}"
    run = in_namespaces(script, tensorflow_python)
    assert run.status in (0, 3), run.report["summary"]
    assert run.report["subject"]["python"] == str(tensorflow_python)


READ_ONLY = "mount --make-rprivate /; mount -o remount,bind,ro / || mount --bind / / && mount -o remount,bind,ro /; "


def test_a_read_only_file_system(tmp_path: Path) -> None:
    """Nothing can be written anywhere: TensorFlow can't be imported so, and that is what is said."""
    python = environment_with(tmp_path / "environment", "")
    script = f"{READ_ONLY} touch {tmp_path}/x 2>/dev/null && exit 99 || true"
    run = in_namespaces(script, python, *STATIC)
    assert (run.status, run.roots) == (1, ["temporary-folder-missing"]), run.stderr
    full = in_namespaces(script, python, "-o", str(tmp_path / "report.json"))
    assert full.status == 2
    assert "report.json" in full.one_line


def test_a_read_only_file_system_with_a_temporary_folder(tmp_path: Path) -> None:
    python = environment_with(tmp_path / "environment", "")
    (tmp_path / "temporary").mkdir()
    temporary = f"mount -t tmpfs none {tmp_path}/temporary; export TMPDIR={tmp_path}/temporary"
    run = in_namespaces(READ_ONLY + temporary, python, *STATIC)
    assert (run.status, run.report["verdict"]) == (0, "healthy"), run.report["summary"]


def test_a_proc_that_is_not_there(tensorflow_python: Path) -> None:
    """An empty folder in place of /proc, for real: what it would tell is failed, never taken for none."""
    run = in_namespaces("mount -t tmpfs none /proc", tensorflow_python, *STATIC)
    assert run.status in (0, 3), run.report["summary"]
    assert run.report["facts"]["memory.ram_available"]["status"] != "known"
    assert "own check failed" not in run.stdout


def test_a_sysroot_whose_proc_may_not_be_read(tensorflow_python: Path, tmp_path: Path) -> None:
    (tmp_path / "proc").mkdir(mode=0)
    (tmp_path / "etc").mkdir()
    (tmp_path / "etc" / "os-release").write_text('ID=debian\nVERSION_ID="12"\n')
    run = doctor("check", "--sysroot", tmp_path, "--python", tensorflow_python, "--json", *STATIC)
    assert run.status in (0, 1, 3)
    assert run.report["facts"]["host.distribution"]["status"] == "known"


# --- the user


@pytest.mark.parametrize(
    ("number", "status"), [(signal.SIGINT, 130), (signal.SIGTERM, -signal.SIGTERM)]
)
def test_ctrl_c_ends_it_at_once_with_all_its_children(
    number: int, status: int, tmp_path: Path
) -> None:
    marker = tmp_path / "pid"
    hanging = (
        f"import os, time\nopen({str(marker)!r}, 'w').write(str(os.getpid()))\ntime.sleep(600)"
    )
    python = environment_with(tmp_path / "environment", hanging)
    process = subprocess.Popen(
        [sys.executable, "-m", "tfdoctor", "check", "--python", str(python), "--json"],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True,
    )  # fmt: skip
    until(lambda: marker.exists() and marker.read_text())
    os.kill(process.pid, number)
    out, err = process.communicate(timeout=60)
    assert process.returncode == status
    assert (out, "Traceback" in err, err.count("\n") <= 1) == ("", False, True), err
    gone([int(marker.read_text())])
