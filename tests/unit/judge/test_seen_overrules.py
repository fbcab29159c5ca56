"""What was seen to work on this very GPU overrules what a table or NVML lets one expect."""

from __future__ import annotations

from tests.scenarios.conftest import all_scenarios
from tests.unit.judge.machines import base, changed, finding
from tfdoctor.base.records import replace
from tfdoctor.facts.model import Facts
from tfdoctor.facts.outcome import Failed, Known
from tfdoctor.facts.values import GpuProcess
from tfdoctor.knowledge.model import Role, Severity, Verdict
from tfdoctor.report.summary import summary

MIB = 1024**2


def machine(name: str) -> Facts:
    return next(each.facts() for each in all_scenarios() if each.name == name)


def crowded(facts: Facts, **host: object) -> Facts:
    """Its GPU with 100 MiB free, the rest held by process 4242."""
    listed = facts.nvml.devices
    assert isinstance(listed, Known)
    held = (GpuProcess(4242, "python", Known(14000 * MIB, "NVML")),)
    full = replace(
        listed.value[0], memory_free=Known(100 * MIB, "NVML"), processes=Known(held, "NVML")
    )
    return changed(facts, nvml={"devices": Known((full,), "NVML")}, host=dict(host))


def test_nvml_that_refuses_does_not_deny_a_driver_that_starts() -> None:
    mismatch = {
        "init_code": Known(18, "nvmlInit"),
        "devices": Failed("nvmlInit answered 18", "call-failed"),
    }
    works = finding(
        changed(machine("gpu-hardware-fault/works-again"), nvml=mismatch), "driver-versions-differ"
    )
    assert "no program can use" not in works.explanation
    assert "other programs can use the GPU" in works.explanation
    refused = changed(
        base(),
        nvml=mismatch,
        driver={
            "init_code": Known(803, "cuInit"),
            "devices": Failed("cuInit answered 803", "call-failed"),
        },
    )
    assert "No program can use the GPU" in finding(refused, "driver-versions-differ").explanation


def test_memory_that_is_held_is_no_error_where_tensorflow_computed() -> None:
    assert finding(crowded(base()), "gpu-memory-held").severity is Severity.ERROR
    computed = finding(crowded(machine("gpu-computes-wrong/convolution")), "gpu-memory-held")
    assert computed.severity is Severity.WARNING
    assert "can't create a device" not in computed.explanation
    assert "TensorFlow just worked on it" in computed.explanation


def test_a_process_is_ended_by_its_owner_and_on_its_own_host() -> None:
    outside = finding(crowded(base()), "gpu-memory-held").fixes[-1]
    assert (outside.title, outside.commands) == (
        "End the process that holds the GPU",
        ("kill 4242",),
    )
    inside = finding(
        crowded(base(), container=Known("docker", "/.dockerenv")), "gpu-memory-held"
    ).fixes[-1]
    assert "the host's" in inside.note


def test_wrong_numbers_name_their_stage_and_do_not_deny_the_gpu() -> None:
    own = replace(
        finding(machine("gpu-computes-wrong/convolution"), "gpu-computes-wrong"), role=Role.ROOT
    )
    assert "TensorFlow's operations (not the driver test)" in own.explanation
    kernel = finding(machine("gpu-computes-wrong/driver-kernel"), "gpu-computes-wrong")
    assert "The driver test's kernel returned wrong numbers" in kernel.explanation
    assert summary(Verdict.BROKEN, [own], [], base()).startswith(
        "TensorFlow's results on the GPU are wrong: "
    )


def test_what_could_not_be_found_out_is_named() -> None:
    unread = {
        "shm_free": Failed("denied", "missing"),
        "tmp_free": Failed("denied", "missing"),
        "home_free": Failed("denied", "missing"),
        "swap_free": Failed("denied", "missing"),
    }
    found = finding(changed(base(), memory=unread), "probe-failed")
    assert found.explanation.startswith("memory.") and found.explanation.endswith(" and 1 more.")
