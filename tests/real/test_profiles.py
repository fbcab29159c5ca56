"""A TensorFlow that works is called so, also where the machine refuses this and that.

A few in every run; `make profiles` tries all (TFDOCTOR_PROFILES=all) and docs/results/profiles.md has what came of it.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.needs import BWRAP, USER_NAMESPACES
from tests.real.command import LIMIT_S, NO_FOLDERS

pytestmark = [
    pytest.mark.nightly,
    pytest.mark.real,
    pytest.mark.slow,
    pytest.mark.xdist_group("profiles"),
]

EVERY = os.environ.get("TFDOCTOR_PROFILES") == "all"
REFUSING = str(Path(__file__).with_name("refusing.py"))
REFUSED = (
    "EPERM statfs,fstatfs", "ENOSYS statfs,fstatfs", "EPERM prlimit64", "EPERM setsid", "EPERM setpgid", "EPERM prctl",
    "ENOSYS pidfd_open", "ENOSYS openat2", "EPERM statx", "ENOSYS getrandom", "EPERM memfd_create", "ENOSYS clone3",
    "EPERM io_uring_setup", "EPERM perf_event_open", "EPERM sched_setaffinity", "EPERM inotify_init1", "EPERM mlock",
    "ENOSYS rseq", "EPERM membarrier", "EPERM set_mempolicy", "ENOSYS faccessat2", "EPERM close_range", "EPERM flock",
    "EPERM syslog", "EPERM process_vm_readv", "EPERM sysinfo",
)  # fmt: skip
"""Error and system calls. A filter of Docker or systemd answers EPERM, an old kernel or gVisor ENOSYS."""
NAMESPACES = {
    "no-sys": "mount -t tmpfs none /sys",
    "no-proc": "mount -t tmpfs none /proc",
    "proc-subset-pid": "mount -t proc -o subset=pid none /proc",
    "hidepid": "mount -t proc -o hidepid=2 none /proc",
    "read-only-root": "mount -o remount,bind,ro /",
    "read-only-root-with-tmp": "mount -o remount,bind,ro / && mount -t tmpfs none /tmp",
    "noexec-tmp": "mount -t tmpfs -o noexec none /tmp",
    "no-temporary-folder": NO_FOLDERS,
    "chroot": "mkdir -p /tmp/all && mount -t tmpfs none /tmp/all && mkdir /tmp/all/root && "
    'mount --rbind / /tmp/all/root && set -- chroot /tmp/all/root "$@"',
    "bwrap": 'set -- bwrap --dev-bind / / --unshare-pid --proc /proc --die-with-parent "$@"',
}
SAMPLE = ("EPERM statfs,fstatfs", "no-sys")
WORKS = "import tensorflow as tf; assert float(tf.reduce_sum(tf.matmul(tf.ones((9, 9)), tf.ones((9, 9))))) == 729.0"


def within(profile: str) -> list[str]:
    """What starts a command in it."""
    if profile not in NAMESPACES:
        return [sys.executable, "-I", REFUSING, *profile.split()]
    line = f'set -e; cd /; {NAMESPACES[profile]}; exec "$@"'
    return ["unshare", "--map-root-user", "--mount", "--pid", "--fork", "sh", "-c", line, "sh"]


def run(*command: object) -> subprocess.CompletedProcess[str]:
    environ = {**os.environ, "PYTHONDONTWRITEBYTECODE": "1", "CUDA_VISIBLE_DEVICES": ""}
    return subprocess.run(
        [str(word) for word in command],
        capture_output=True, text=True, timeout=3 * LIMIT_S, check=False, env=environ, stdin=subprocess.DEVNULL,
    )  # fmt: skip


def examined(python: Path, *inside: str) -> tuple[int, dict[str, Any]]:
    """Exit status and report. There is one document, and nothing like a traceback."""
    done = run(
        *inside,
        sys.executable,
        "-m",
        "tfdoctor",
        "check",
        "--json",
        "--timeout",
        LIMIT_S,
        "--python",
        python,
    )
    assert "Traceback" not in done.stderr and "internal error" not in done.stderr, done.stderr
    return done.returncode, json.loads(done.stdout)


def told(profile: str, status: int, report: dict[str, Any], *, works: bool) -> None:
    """For the page of results (`pytest -s`)."""
    roots = (
        " ".join(each["code"] for each in report["findings"] if each["role"] == "root") or "none"
    )
    word = "works" if works else "does not"
    sys.stdout.write(f"| `{profile}` | {word} | {report['verdict']}, {status} | {roots} |\n")


@pytest.mark.parametrize("profile", [*REFUSED, *NAMESPACES] if EVERY else SAMPLE)
def test_what_works_is_called_so(profile: str, tensorflow_python: Path) -> None:
    inside = within(profile)
    if profile == "bwrap" and shutil.which("bwrap") is None:
        pytest.skip(BWRAP)
    if run(*inside, "/bin/true").returncode:
        pytest.skip(USER_NAMESPACES)
    status, report = examined(tensorflow_python, *inside)
    passed = [
        each["status"] for each in report["smoke"]["stages"] if each["name"] == "tensorflow"
    ] == ["passed"]
    works = passed or run(*inside, tensorflow_python, "-c", WORKS).returncode == 0
    told(profile, status, report, works=works)
    if not works:
        assert report["verdict"] in ("broken", "unknown")
    elif (status, report["verdict"]) != (0, "healthy"):  # as without the profile, then
        plain_status, plain = examined(tensorflow_python)
        assert (status, report["verdict"]) == (plain_status, plain["verdict"])
