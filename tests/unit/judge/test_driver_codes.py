"""The table of the driver's answers: each number has the code that it means where nothing else is wrong."""

from __future__ import annotations

import pytest

from tests.unit.judge.machines import base, changed, finding, judged, roots
from tfdoctor.ask.probes.messages import Messages
from tfdoctor.base.child import ChildResult
from tfdoctor.facts.model import Facts
from tfdoctor.facts.outcome import Absent, AnyFact, Failed, Kind, Known
from tfdoctor.facts.versions import DriverRelease
from tfdoctor.judge.questions.driver_codes import CIRCUMSTANCES, loader_error, no_response
from tfdoctor.knowledge.catalog import CODES
from tfdoctor.knowledge.driver_errors import (
    ALWAYS,
    AMBIGUOUS,
    CU_ANSWERS,
    NVML_ANSWERS,
    UNSUPPORTED,
)

NO_GPU = {
    "gpus_on_bus": Absent("no GPU on the bus"),
    "gpu_device_nodes": Absent("no GPU device in /dev"),
    "uvm_node": Absent("/dev/nvidia-uvm does not exist"),
}
NO_MODULE = {"module_version": Absent("/proc/driver/nvidia/version does not exist")}


def answering(code: int, facts: Facts | None = None) -> Facts:
    """The base machine whose cuInit answers `code`."""
    said = f"cuInit answered {code}"
    devices: AnyFact = Absent(said) if code == 100 else Failed(said, "call-failed")
    return changed(
        facts or base(),
        driver={
            "init_code": Known(code, "cuInit"),
            "init_name": Known(f"error {code}", "cuInit"),
            "devices": devices,
        },
    )


@pytest.mark.parametrize(
    ("number", "code"),
    [
        (3, "smoke-driver-failed"),
        (34, "driver-library-unreachable"),
        (35, "driver-too-old"),
        (46, "gpu-busy-exclusive"),
        (100, "smoke-driver-failed"),
        (102, "vgpu-unlicensed"),
        (214, "gpu-hardware-fault"),
        (304, "smoke-driver-failed"),
        (500, "smoke-driver-failed"),
        (802, "fabric-manager-not-running"),
        (803, "driver-versions-differ"),
        (804, "forward-compat-unsupported"),
        (805, "smoke-driver-failed"),
        (999, "uvm-broken"),
    ],
)
def test_answer_of_cuinit_on_a_machine_with_everything_in_order(number: int, code: str) -> None:
    assert roots(answering(number)) == [code]


@pytest.mark.parametrize(
    ("number", "code"),
    [
        (3, "smoke-driver-failed"),
        (802, "fabric-manager-not-running"),
        (803, "driver-versions-differ"),
        (804, "forward-compat-unsupported"),
        (999, "uvm-broken"),
    ],
)
def test_driver_that_answers_where_bus_and_proc_show_nothing(number: int, code: str) -> None:
    facts = changed(base(), host=NO_GPU, driver=NO_MODULE)
    assert roots(answering(number, facts)) == [code]


@pytest.mark.parametrize(
    ("number", "code"), [(34, "driver-library-unreachable"), (100, "gpu-absent")]
)
def test_answers_that_a_machine_without_a_gpu_gives_are_only_notes(number: int, code: str) -> None:
    nvml = {"devices": Absent("none"), "driver_version": Absent("no kernel module is loaded")}
    facts = answering(number, changed(base(), host=NO_GPU, driver=NO_MODULE, nvml=nvml))
    assert roots(facts) == []
    assert code in [each.code for each in judged(facts).findings]


@pytest.mark.parametrize("number", AMBIGUOUS)
def test_versions_are_compared_before_the_number_is_read(number: int) -> None:
    facts = changed(
        answering(number),
        driver={
            "module_version": Known(DriverRelease("535.230.02"), "/proc/driver/nvidia/version")
        },
    )
    assert roots(facts) == ["driver-versions-differ"]


def test_number_without_a_cause_is_named() -> None:
    found = finding(answering(3), "smoke-driver-failed")
    assert "cuInit answers 3" in found.evidence[0].observed


@pytest.mark.parametrize("kind", ["timed-out", "died", "ended", "over-memory"])
def test_hang_and_crash(kind: Kind) -> None:
    silent = Failed("whatever the words are", kind)
    facts = changed(
        base(), driver=dict.fromkeys(("init_code", "init_name", "devices", "cuda_version"), silent)
    )
    assert roots(facts) == ["driver-unresponsive"]


@pytest.mark.parametrize(
    ("number", "code"),
    [
        (4, "nvml-unusable"),
        (9, "nvml-unusable"),
        (15, "gpu-hardware-fault"),
        (16, "gpu-hardware-fault"),
        (18, "driver-versions-differ"),
        (999, "nvml-unusable"),
    ],
)
def test_answer_of_nvml(number: int, code: str) -> None:
    said = Failed(f"nvmlInit answered {number}", "call-failed")
    facts = changed(
        base(),
        tensorflow={"version": Known("2.21.0", "METADATA")},
        nvml={"init_code": Known(number, "nvmlInit"), "devices": said, "driver_version": said},
    )
    assert roots(facts) == [code]


def test_missing_nvml() -> None:
    none = Absent("libnvidia-ml.so.1: the dynamic loader does not find it")
    facts = changed(
        base(),
        tensorflow={"version": Known("2.21.0", "METADATA")},
        nvml=dict.fromkeys(("library", "init_code", "devices"), none),
    )
    assert roots(facts) == ["nvml-unusable"]


def test_every_row_leads_to_a_code() -> None:
    for table in (CU_ANSWERS, NVML_ANSWERS):
        assert {code for _, _, code, _ in table} <= set(CODES)
        assert table[-1][:2] == ((), ALWAYS)


def test_every_circumstance_can_be_asked_and_stands_in_a_row() -> None:
    assert {when for _, when, _, _ in (*CU_ANSWERS, *NVML_ANSWERS)} == {*CIRCUMSTANCES, UNSUPPORTED}


def test_silence_of_a_child_is_understood() -> None:
    messages = Messages()
    messages.take(b'\n@tfdoctor {"at": "cuInit"}\n')
    for how, status in (
        ("timeout", -1),
        ("signal", 11),
        ("not-ended", -1),
        ("exit", 3),
        ("memory-bound", 9),
    ):
        silence = messages.silence(ChildResult(how, status, b"", b"", 10.0))
        assert silence is not None
        assert no_response(silence) == silence.error
    unasked = messages.silence(ChildResult("not-started", -1, b"", b"no memory", 0.0))
    assert unasked is not None
    assert not no_response(unasked)
    assert not no_response(Failed("the probe driver did not answer within 5.0 s", "out-of-time"))
    assert not no_response(Absent("no libcuda"))


def test_loader_errors_are_told_from_failed_probes() -> None:
    assert loader_error(Failed("/usr/lib/libcuda.so.1: file too short", "unloadable"))
    assert loader_error(Failed("libcuda.so.1: wrong ELF class: ELFCLASS32", "unloadable"))
    assert not loader_error(Failed("not-live: an unpacked system", "not-live"))
    assert not loader_error(Failed("the probe that asks for this did not run", "not-asked"))
