"""Where no thread may be started (a cgroup's pids.max, ulimit -u), the examination goes on and names that."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest

from tests.unit.ask.probes.fake_environments import make_venv, request_for
from tfdoctor.knowledge.matrix.load import load_bundled
from tfdoctor.knowledge.model import Verdict
from tfdoctor.report.examine import examine
from tfdoctor.report.options import Options


def _refuse(thread: threading.Thread) -> None:
    raise RuntimeError("can't start new thread")


def test_the_report_names_the_limit_and_no_fault_of_the_doctor(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    prefix = make_venv(tmp_path / "env")
    monkeypatch.setattr(threading.Thread, "start", _refuse)
    report = examine(
        request_for(python=str(prefix)), Options(smoke="none", timeout_s=60.0), load_bundled
    )
    found = {each.code: each for each in report.findings}
    assert report.verdict is not Verdict.HEALTHY
    assert any(
        "can't start new thread" in each.observed for each in found["threads-exhausted"].evidence
    )
