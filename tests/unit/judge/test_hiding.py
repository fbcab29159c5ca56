"""How the variables that hide GPUs are read."""

from __future__ import annotations

import pytest

from tests.unit.judge.machines import base, changed
from tfdoctor.base.records import replace
from tfdoctor.facts.model import Facts
from tfdoctor.facts.outcome import Absent, Failed, Known
from tfdoctor.judge.questions import visibility as hiding

UUID = "GPU-0f8e3b1c-0000-4000-8000-000000000000"


def with_variable(
    value: str, facts: Facts | None = None, name: str = hiding.CUDA_VARIABLE
) -> Facts:
    return changed(
        facts or base(), environment={"variables": Known({name: value}, "the environment")}
    )


@pytest.mark.parametrize("value", ["0", UUID, "GPU-0f8e", " 0 "])
def test_what_names_a_gpu_hides_nothing(value: str) -> None:
    assert hiding.hidden_by_cuda(with_variable(value)) is None


@pytest.mark.parametrize(
    ("value", "usable", "why"),
    [
        ("", (), "it is empty"),
        ("-1", (), "-1 is no GPU's number"),
        ("none", (), "none is no GPU's number"),
        ("1", (), "there is no GPU 1: this machine has 1"),
        ("0,3", ("0",), "there is no GPU 3: this machine has 1"),
        ("0,0", (), "0 is named twice"),
        ("GPU-99999999", (), "no GPU of this machine has this UUID"),
    ],
)
def test_list_is_read_to_the_first_entry_that_names_none(
    value: str, usable: tuple[str, ...], why: str
) -> None:
    request = hiding.hidden_by_cuda(with_variable(value))
    assert request is not None
    assert (request.usable, request.why) == (usable, why)


def test_number_is_believed_where_nobody_counted_the_gpus() -> None:
    facts = changed(base(), nvml={"devices": Failed("nvmlInit answered 999", "call-failed")})
    assert hiding.hidden_by_cuda(with_variable("7", facts)) is None
    assert hiding.hidden_by_cuda(with_variable("-1", facts)) is not None


def test_unset_variable_hides_nothing() -> None:
    assert hiding.cuda_request(base()) is None
    assert not hiding.by_variable(base())


@pytest.mark.parametrize("value", ["void", "none", ""])
def test_container_variable_counts_where_no_gpu_came(value: str) -> None:
    inside = changed(base(), host={"container": Known("docker", "/.dockerenv")})
    bare = changed(inside, host={"gpu_device_nodes": Absent("no GPU device in /dev")})
    assert hiding.hidden_at_start(with_variable(value, bare, hiding.CONTAINER_VARIABLE))
    assert not hiding.hidden_at_start(with_variable(value, inside, hiding.CONTAINER_VARIABLE))
    assert not hiding.hidden_at_start(with_variable("all", bare, hiding.CONTAINER_VARIABLE))


def test_slices_are_another_matter() -> None:
    facts = with_variable("MIG-99999999-0000-4000-8000-000000000009")
    assert hiding.hidden_by_cuda(facts) is None
    assert hiding.by_mig(facts)


def test_placeholder_of_a_redacted_report_is_no_strange_word() -> None:
    listed = base().nvml.devices
    assert isinstance(listed, Known)
    redacted = tuple(replace(each, uuid="<gpu-uuid-1>") for each in listed.value)
    facts = changed(base(), nvml={"devices": Known(redacted, "NVML")})
    assert hiding.hidden_by_cuda(with_variable("<gpu-uuid-1>", facts)) is None
    assert hiding.hidden_by_cuda(with_variable("<gpu-uuid-2>", facts)) is None
    refused = changed(facts, driver={"init_code": Known(100, "cuInit"), "devices": Absent("none")})
    assert hiding.hidden_by_cuda(with_variable("<gpu-uuid-2>", refused)) is not None
