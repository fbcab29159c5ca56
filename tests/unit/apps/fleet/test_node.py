"""`tfdoctor fleet node`: one record on one line, whatever the examination does."""

from __future__ import annotations

import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.unit.apps.cli.running import environment
from tests.waiting import gone, until
from tfdoctor.apps.fleet.record import Record, State, line_of, node_name, record_line


def test_a_record_is_found_behind_what_a_launcher_puts_before_it() -> None:
    line = line_of(Record("n17", "slurm", State.LOST, "it died")).encode()
    for before, after in (
        (b"", b""),
        (b"n17: ", b""),
        (b"n17 | CHANGED | rc=0 | (stdout) ", b" (stderr)"),
    ):
        found = record_line(before + line.rstrip() + after)
        assert found is not None and (found.node, found.state) == ("n17", State.LOST)
    assert record_line(b"slurmd: hello\n") is None
    assert record_line(b'{"schema_version": "1.0", ' + b"[" * 100_000) is None


def test_the_name_is_what_was_typed_then_slurms_then_the_hosts() -> None:
    slurm = {"SLURMD_NODENAME": "n3", "TFDOCTOR_NODE_NAME": ""}
    assert node_name("given", slurm) == "given"
    assert node_name("", slurm) == "n3"
    assert node_name("", {**slurm, "TFDOCTOR_NODE_NAME": "named"}) == "named"
    assert node_name("a\nb" + "c" * 500, {}) == "a b" + "c" * 252
    assert node_name("", {})


@pytest.mark.slow
def test_a_killed_node_command_takes_its_examination_along(tmp_path: Path) -> None:
    python = tmp_path / "python3"
    python.write_text(f"#!/bin/sh\necho $$ > {tmp_path}/pid\nexec sleep 60\n")
    python.chmod(0o755)
    words = ["fleet", "node", "--smoke", "none", "--python", str(python)]
    process = subprocess.Popen([sys.executable, "-m", "tfdoctor", *words], env=environment())
    until(lambda: (tmp_path / "pid").exists() and (tmp_path / "pid").read_text().endswith("\n"))
    pid = int((tmp_path / "pid").read_text())
    process.send_signal(signal.SIGKILL)
    process.wait()
    gone([pid])
