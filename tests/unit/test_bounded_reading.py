"""Nothing that others wrote is read without a bound, and nothing is opened that could make the doctor wait for ever."""

from __future__ import annotations

import ast
import os
from pathlib import Path

import pytest

import tfdoctor
from tfdoctor.base.foreign_json import (
    DEEPEST,
    LONGEST_TEXT,
    MOST_BYTES,
    ForeignJsonError,
    read_json,
)
from tfdoctor.base.safe_open import head_of, list_folder, open_regular, whole_of

PACKAGE = Path(tfdoctor.__file__).parent
ROOMS = ("ask/probes", "report", "knowledge/matrix", "apps/cli", "say")

# Files of tfdoctor's own and of the kernel, and what holds the others' bounds itself: place, call, why.
ALLOWED = {
    ("apps/cli/guard.py", "os.open"): "/dev/null",
    ("apps/cli/supervisor.py", "os.read"): "pipes of its own",
    (
        "ask/probes/python/metadata.py",
        "file.read",
    ): "with a bound, of a file that open_regular opened",
    (
        "ask/probes/python/metadata.py",
        "member.read",
    ): "with a bound, of a file that open_regular opened",
    ("ask/probes/python/fixes.py", "os.open"): "a folder, to see whether it is locked",
    ("ask/probes/smoke/scratch.py", "os.open"): "a folder, to lock it",
    ("ask/probes/smoke/scratch.py", "place.glob"): "the temporary folder, with a bound",
    ("ask/probes/smoke/scratch.py", "copies.rglob"): "copies of tfdoctor's own programs",
    (
        "ask/probes/smoke/scratch.py",
        "file.read",
    ): "with a bound, of a file that open_regular opened",
    (
        "apps/cli/fallback_report.py",
        "(Path(tfdoctor.__file__).parent / 'knowledge' / 'matrix' / 'compat_matrix.json').read_bytes",
    ): "its own",
    ("apps/cli/jupyter_kernels.py", "specs.read"): "which reads it bounded",
    ("apps/cli/fleet_command.py", "fleet.read"): "what was read with a bound already",
    ("apps/cli/fleet_run.py", "self.fleet.read"): "a record that has come in",
    ("apps/cli/fleet_run.py", "fleet.read"): "gathered with a bound",
    ("apps/cli/fleet_run.py", "open"): "the file that it writes to, a regular one by then",
    ("apps/cli/fleet_run.py", "file.read"): "its last bytes, with a bound",
    (
        "apps/cli/fix_run.py",
        "sys.stdin.readline",
    ): "with a bound, from the terminal where the question stands",
    ("apps/cli/output.py", "open"): "a file of our own, to write to",
    ("apps/cli/saved.py", "sys.stdin.buffer.read"): "with a bound; what is piped in has a writer",
    ("knowledge/matrix/load.py", "BUNDLED.read_bytes"): "tfdoctor's own",
    ("ask/probes/python/interpreter.py", "_PROGRAM.read_text"): "tfdoctor's own",
    (
        "ask/probes/host/kernel_log.py",
        "file.read",
    ): "with a bound, of a file that open_regular opened",
    ("knowledge/matrix/wheels/read.py", "archive.read"): "of a size that was looked at",
    ("apps/cli/healthcheck_smoke.py", "os.open"): "in a folder that only this user enters",
}
READERS = ("open", "os.open", "os.read", "os.listdir")
METHODS = ("read", "read_text", "read_bytes", "readlines", "readline", "iterdir", "glob", "rglob")


def reading_calls() -> list[tuple[str, str, int]]:
    found = []
    for room in ROOMS:
        for file in sorted((PACKAGE / room).rglob("*.py")):
            if file.parent.name == "workers":  # they have a clock and a bound of memory
                continue
            for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
                if isinstance(node, ast.Call) and _reads(node):
                    found.append(
                        (str(file.relative_to(PACKAGE)), ast.unparse(node.func), node.lineno)
                    )
    return found


def _reads(call: ast.Call) -> bool:
    if "files('tfdoctor')" in ast.unparse(call.func):
        return False  # a file of tfdoctor's own
    if isinstance(call.func, ast.Attribute) and call.func.attr in METHODS:
        return ast.unparse(call.func) != "system.read" and not ast.unparse(call.func).endswith(
            ".system.read"
        )
    return ast.unparse(call.func) in READERS


def test_every_reading_call_has_a_bound() -> None:
    loose = [
        f"{file}:{line} {call}"
        for file, call, line in reading_calls()
        if (file, call) not in ALLOWED
    ]
    assert loose == []


@pytest.fixture
def pipe(tmp_path: Path) -> Path:
    os.mkfifo(tmp_path / "pipe")
    return tmp_path / "pipe"


def test_a_pipe_a_folder_and_a_device_are_refused_at_once(pipe: Path, tmp_path: Path) -> None:
    for path in (pipe, tmp_path, Path("/dev/zero"), Path("/dev/full")):
        with pytest.raises(OSError, match="not a file but"):
            open_regular(path)


def test_no_more_is_read_than_asked_for(tmp_path: Path) -> None:
    (tmp_path / "x").write_bytes(b"0123456789")
    assert head_of(tmp_path / "x", 4) == b"0123"
    assert whole_of(tmp_path / "x", 10) == b"0123456789"
    with pytest.raises(OSError, match="larger than 9 bytes"):
        whole_of(tmp_path / "x", 9)


def test_the_names_of_a_folder_are_sorted(tmp_path: Path) -> None:
    for name in ("b", "a", "c"):
        (tmp_path / name).touch()
    assert list_folder(tmp_path) == ["a", "b", "c"]


@pytest.mark.parametrize(
    ("content", "why"),
    [
        (b"[" * 100_000, "nested too deep"),
        (b"[" * (DEEPEST + 1) + b"]" * (DEEPEST + 1), "nested too deep"),
        (b"[" + b"[],"  * 210_000 + b"1]", "more than 200000 lists"),
        (b" " * (MOST_BYTES + 1), "larger than 4 MiB"),
        (b"9" * 5_000, "a number of 5000 digits"),
        (b"{", "invalid JSON"),
        (b"\xff", "invalid JSON"),
    ],
)  # fmt: skip
def test_json_beyond_all_bounds_is_refused(content: bytes, why: str) -> None:
    with pytest.raises(ForeignJsonError, match=why):
        read_json(content)


def test_of_a_text_without_end_the_beginning_is_kept() -> None:
    told = read_json(b'{"a": "' + b"x" * (LONGEST_TEXT + 5) + b'", "b": [1, 2.5, null]}')
    assert told["a"] == "x" * LONGEST_TEXT + f" … ({LONGEST_TEXT + 5} characters)"
    assert told["b"] == [1, 2.5, None]
