"""The whole command as a user runs it: `tfdoctor check` in a process of its own, with what it cost."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

LIMIT_S = 170.0
PATH = f"{Path(sys.executable).parent}:{os.environ.get('PATH', os.defpath)}"
"""Where a user who installed tfdoctor would find it, and uv beside it."""
NO_FOLDERS = "for each in /tmp /var/tmp /usr/tmp /dev/shm; do test ! -d $each || { mount --bind $each $each && mount -o remount,bind,ro $each; } || exit 9; done; cd /tmp"
"""A shell's words that close all places for temporary files to writing. What lies there can still be read: the clone may."""


@dataclass(frozen=True)
class Run:
    """How one run ended. `peak_kb`: the doctor's own peak of resident memory, without its children."""

    status: int
    stdout: str
    stderr: str
    peak_kb: int = 0

    @property
    def report(self) -> dict[str, Any]:
        """The one JSON document. Fails where there is none, or anything beside it."""
        document: dict[str, Any] = json.loads(self.stdout)
        assert self.stdout.endswith("}\n")
        return document

    @property
    def roots(self) -> list[str]:
        return [item["code"] for item in self.report["findings"] if item["role"] == "root"]

    @property
    def codes(self) -> list[str]:
        return [item["code"] for item in self.report["findings"]]

    def finding(self, code: str) -> dict[str, Any]:
        return next(item for item in self.report["findings"] if item["code"] == code)

    @property
    def one_line(self) -> str:
        """What a refusal says: exactly one line on stderr and nothing else anywhere."""
        assert self.stdout == ""
        assert self.stderr.startswith("tfdoctor: ") and self.stderr.count("\n") == 1, self.stderr
        assert "Traceback" not in self.stderr
        return self.stderr


def doctor(
    *arguments: object,
    env: Mapping[str, str] | None = None,
    cwd: Path | None = None,
    limit_s: float = LIMIT_S,
    before: Sequence[str] = (),
    path: str = PATH,
) -> Run:
    """Runs `tfdoctor` with these arguments. `before` is a command that starts it (`unshare …`)."""
    command = [*before, sys.executable, "-m", "tfdoctor", *map(str, arguments)]
    variables = {**(os.environ if env is None else env), "PATH": path}
    process = subprocess.Popen(
        command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        env=variables, cwd=cwd, text=True, errors="replace",
    )  # fmt: skip
    peak = _Peak(process.pid)
    try:
        out, err = process.communicate(timeout=limit_s)
    except subprocess.TimeoutExpired:
        process.kill()
        out, err = process.communicate()
        raise AssertionError(
            f"no end within {limit_s} s: {command}\n{out[-2000:]}\n{err[-2000:]}"
        ) from None
    peak.done.set()
    assert "Traceback (most recent call last)" not in err, err
    return Run(process.returncode, out, err, peak.kilobytes)


class _Peak:
    """VmHWM of one process (proc(5)), read until it is gone: what RUSAGE_CHILDREN says holds its children, too."""

    def __init__(self, pid: int) -> None:
        self.kilobytes, self.done = 0, threading.Event()
        self._file = Path(f"/proc/{pid}/status")
        threading.Thread(target=self._watch, daemon=True).start()

    def _watch(self) -> None:
        while not self.done.wait(0.02):
            try:
                lines = self._file.read_text().splitlines()
            except OSError:
                return
            values = [int(line.split()[1]) for line in lines if line.startswith("VmHWM:")]
            self.kilobytes = max(self.kilobytes, *values, 0)


EXIT = {"healthy": 0, "degraded": 0, "broken": 1, "unknown": 3}


def check(
    python: Path, *options: object, env: Mapping[str, str] | None = None, cwd: Path | None = None
) -> Run:
    """`check --json` on an environment; its exit status fits its verdict."""
    run = doctor("check", "--python", python, "--json", "--no-redact", *options, env=env, cwd=cwd)
    assert run.status == EXIT[run.report["verdict"]], run.stderr
    return run


def fix_commands(run: Run, code: str, *, nth: int = 0) -> list[str]:
    """The commands of the n-th fix of a finding that has any, as printed."""
    found: list[list[str]] = [
        fix["commands"] for fix in run.finding(code)["fixes"] if fix["commands"]
    ]
    return found[nth]


def by_shell(*commands: str, env: Mapping[str, str] | None = None, cwd: Path | None = None) -> str:
    """Types these commands into one shell, unedited; returns what they wrote."""
    done = subprocess.run(
        ["sh", "-e", "-c", "\n".join(commands)],
        capture_output=True, text=True, timeout=600, check=False, cwd=cwd,
        env={**(os.environ if env is None else env), "PATH": PATH},
    )  # fmt: skip
    assert done.returncode == 0, f"{commands}: {done.stderr[-2000:]}"
    return done.stdout


def typed(*commands: str, env: Mapping[str, str], cwd: Path | None = None) -> dict[str, str]:
    """Types them, too; returns the environment of that shell afterwards."""
    lines = by_shell(
        *(f"{{ {command}\n}} >&2" for command in commands), "env -0", env=env, cwd=cwd
    ).split("\0")
    return dict(line.split("=", 1) for line in lines if "=" in line)


def clone(python: Path, folder: Path) -> Path:
    """A copy of an environment to be broken at will, in a second: its files are hard links, so replace, never write.

    `python -m pip` works in it; console scripts still name the original.
    """
    shutil.copytree(python.parent.parent, folder, symlinks=True, copy_function=os.link)
    return folder / "bin" / python.name
