"""What an examination leaves for the health check: each field from a fact, written whole or not at all."""

from __future__ import annotations

import json
import os
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, given, settings

from tests.unit.judge.arbitrary_facts import facts as arbitrary_facts
from tfdoctor.apps.health.judge import outdated
from tfdoctor.apps.health.options import Options
from tfdoctor.apps.health.readings import Files
from tfdoctor.apps.health.state import changed, read_state
from tfdoctor.apps.health.state_writer import default_path, keep, state_of
from tfdoctor.base.records import replace
from tfdoctor.facts.codec import from_json, to_json
from tfdoctor.facts.model import Facts
from tfdoctor.facts.outcome import Absent, Failed, Known
from tfdoctor.facts.values import Distribution, Library, Requirement, Xid
from tfdoctor.knowledge.model import Confidence, Finding, Ignored, Severity, Verdict

BASE = Path(__file__).parents[3] / "scenarios/_bases/gpu.json"
ROOT = Finding("driver-too-old", Severity.ERROR, Confidence.CERTAIN, "title", "why", ())


@dataclass(frozen=True)
class Examined:
    facts: Facts
    verdict: Verdict = Verdict.HEALTHY
    summary: str = "No fault was found."
    findings: tuple[Finding, ...] = ()
    ignored: tuple[Ignored, ...] = ()

    @property
    def roots(self) -> tuple[Finding, ...]:
        return self.findings


def gpu_machine() -> Facts:
    document = json.loads(BASE.read_text(encoding="utf-8"))
    return from_json(document.get("facts", document), Facts)


def read(path: Path) -> dict[str, Any]:
    return read_state(str(path), "", dict(os.environ))


def with_files(site: Path) -> Facts:
    """A TensorFlow, a requirement of it, a package that is none, and cuDNN, all as files."""
    for name in ("tensorflow-2.21.0.dist-info", "numpy-2.4.6.dist-info", "black-1.dist-info"):
        (site / name).mkdir(parents=True)
        (site / name / "METADATA").write_text(name, encoding="ascii")
    (site / "tensorflow").mkdir()
    for name in ("__init__.py", "libtensorflow_cc.so.2", "libcudnn.so.9.10.2"):
        (site / "tensorflow" / name).write_text(name, encoding="ascii")
    tensorflow, numpy, black = (
        Distribution(name, version, str(site / f"{name}-{version}.dist-info"), "pip", False)
        for name, version in (("tensorflow", "2.21.0"), ("numpy", "2.4.6"), ("black", "1"))
    )
    cudnn = Library(
        "libcudnn.so.9",
        Known(str(site / "tensorflow/libcudnn.so.9.10.2"), "x"),
        "RUNPATH",
        Absent("x"),
    )
    gone = Library("libnccl.so.2", Absent("not found"), "", Absent("x"))
    facts = gpu_machine()
    return replace(
        facts,
        packages=replace(
            facts.packages,
            installed=Known((tensorflow, numpy, black), "x"),
            requirements=Known(
                (Requirement("numpy", ">=1.26", Known("2.4.6", "x"), "", True),), "x"
            ),
        ),
        tensorflow=replace(
            facts.tensorflow,
            location=Known(str(site / "tensorflow"), "x"),
            distributions=Known((tensorflow,), "x"),
        ),
        cuda_libraries=replace(
            facts.cuda_libraries,
            libraries=Known((cudnn, gone), "x"),
            cudnn_parts=Absent("x"),
            wheels=Absent("x"),
        ),
    )


def test_what_is_written_is_what_is_read(tmp_path: Path) -> None:
    report = Examined(with_files(tmp_path), Verdict.BROKEN, "It is too old.", (ROOT,))
    keep(state_of(report), tmp_path / "deep/er/state.json")
    said = read(tmp_path / "deep/er/state.json")
    assert "state_error" not in said
    assert (said["state"].verdict, said["state"].roots, said["same_boot"]) == (
        "broken",
        ("driver-too-old",),
        True,
    )
    assert 0 <= said["state_age"] < 60
    assert [label for label, *_ in said["state"].files] == [
        "tensorflow 2.21.0", "numpy 2.4.6", "TensorFlow's own file __init__.py", "TensorFlow's own file libtensorflow_cc.so.2", "libcudnn.so.9",
    ]  # fmt: skip
    assert (tmp_path / "deep/er/state.json").stat().st_mode & 0o777 == 0o600
    assert os.listdir(tmp_path / "deep/er") == ["state.json"]


def test_what_can_not_be_read_is_told_by_its_place(tmp_path: Path) -> None:
    keep(state_of(Examined(gpu_machine())), tmp_path / "state.json")
    state = json.loads((tmp_path / "state.json").read_bytes())
    state["gpus"][0]["ecc"] = "none"
    (tmp_path / "state.json").write_text(json.dumps(state), encoding="ascii")
    assert read(tmp_path / "state.json") == {
        "state_error": "the state file can't be read at gpus[0].ecc"
    }


def test_without_tensorflow_the_rest_is_compared(tmp_path: Path) -> None:
    facts = with_files(tmp_path)
    none = replace(facts.tensorflow, location=Absent("x"), distributions=Absent("x"))
    assert state_of(Examined(replace(facts, tensorflow=none))).files[0][0] == "numpy 2.4.6"


def test_the_devices_are_those_of_the_report(tmp_path: Path) -> None:
    facts = gpu_machine()
    assert isinstance(facts.nvml.devices, Known) and isinstance(facts.driver.devices, Known)
    state = state_of(Examined(facts))
    assert [gpu.uuid for gpu in state.gpus] == [device.uuid for device in facts.nvml.devices.value]
    assert state.cuda_count == len(facts.driver.devices.value)
    assert state_of(Examined(Facts())).cuda_count == -1, "not asked is not none"


def test_only_xids_of_the_hardware_are_kept_and_a_closed_log_is_none() -> None:
    def kept(xids: Any) -> Any:
        facts = gpu_machine()
        return state_of(
            Examined(replace(facts, kernel_log=replace(facts.kernel_log, xids=xids)))
        ).xids

    seen = tuple(Xid(number, "0000:3b:00", "text", Known(12.25, "x")) for number in (31, 79, 13))
    assert kept(Known(seen, "x")) == ((79, "0000:3b:00", 12.25),)
    assert kept(Known((Xid(79, "b", "t", Absent("no time")),), "x")) == ((79, "b", -1.0),)
    assert (kept(Absent("none")), kept(Failed("closed", "missing"))) == ((), None)


@pytest.mark.slow  # takes a second
@settings(
    max_examples=25, deadline=None, suppress_health_check=list(HealthCheck), phases=[Phase.generate]
)
@given(facts=arbitrary_facts())
def test_whatever_is_known_the_state_can_be_read(
    facts: Facts, tmp_path_factory: pytest.TempPathFactory
) -> None:
    path = tmp_path_factory.getbasetemp() / "arbitrary.json"
    path.write_text(json.dumps(to_json(state_of(Examined(facts)))), encoding="ascii")
    assert "state_error" not in read(path)


def test_a_file_that_can_not_be_written_leaves_the_old_one(tmp_path: Path) -> None:
    (tmp_path / "state.json").mkdir()
    with pytest.raises(OSError, match="it is a folder"):
        keep(state_of(Examined(gpu_machine())), tmp_path / "state.json")
    assert os.listdir(tmp_path) == ["state.json"]


def test_the_usual_place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("XDG_STATE_HOME", "XDG_RUNTIME_DIR"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(tmp_path))
    assert default_path() == tmp_path / ".local/state/tfdoctor/state.json"
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    assert default_path() == tmp_path / "state/tfdoctor/state.json"
    monkeypatch.delenv("XDG_STATE_HOME")
    monkeypatch.setenv("HOME", "/proc/self")
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path))
    assert default_path() == tmp_path / "tfdoctor/state.json", (
        "no HOME to write to: the runtime folder"
    )


def test_what_changed_is_told_once_each(tmp_path: Path) -> None:
    state = state_of(Examined(with_files(tmp_path)))
    assert changed(state.files) == []
    (tmp_path / "tensorflow/libcudnn.so.9.10.2").unlink()
    (tmp_path / "numpy-2.4.6.dist-info").rename(tmp_path / "numpy-1.26.0.dist-info")
    assert changed(state.files) == [
        "numpy 2.4.6 was examined, 1.26.0 is there",
        "libcudnn.so.9 is gone since the examination",
    ]


def test_a_state_of_another_python_does_not_count(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("mine", "theirs"):
        (tmp_path / name / "bin").mkdir(parents=True)
        for program in ("python", "python3"):
            (tmp_path / name / "bin" / program).symlink_to(sys.executable)
    mine, state = tmp_path / "mine", tmp_path / "state.json"
    facts = gpu_machine()
    interpreter = replace(
        facts.interpreter, executable=Known(str(mine / "bin/python"), "sys.executable")
    )
    keep(state_of(Examined(replace(facts, interpreter=interpreter))), state)
    monkeypatch.setenv("PATH", str(mine / "bin"))
    for named in (mine, mine / "bin/python", mine / "bin/python3", "python3", ""):
        assert "state" in read_state(str(state), str(named), dict(os.environ)), named
    for named in (
        tmp_path / "theirs",
        tmp_path / "theirs/bin/python",
        sys.executable,
        tmp_path / "nowhere",
    ):
        told = read_state(str(state), str(named), dict(os.environ))
        assert told == {"state_error": f"the state is about another Python, {mine}/bin/python"}


def test_a_state_made_under_other_settings_does_not_count(tmp_path: Path) -> None:
    settings = tmp_path / "tfdoctor.toml"
    settings.write_text("", encoding="ascii")
    for kept, here, counts in (
        (str(settings), str(settings), True), (str(settings), "", False), ("", str(settings), False), ("", "", True),
    ):  # fmt: skip
        keep(state_of(Examined(gpu_machine()), settings=kept), tmp_path / "state.json")
        files: Files = {
            "state_age": 1.0,
            "changed": [],
            "settings": here,
            "state": read(tmp_path / "state.json")["state"],
        }
        assert outdated({}, files, Options()) == ("" if counts else "other settings hold here")
