"""What is suggested for a variable that is ignored, and which growth counts as on."""

from __future__ import annotations

from tests.every import every
from tests.unit.judge.machines import base, changed, finding, judged
from tfdoctor.facts.outcome import Known
from tfdoctor.knowledge.model import Finding
from tfdoctor.knowledge.variable_names import meant_by


def ignored(**variables: str) -> Finding:
    return finding(
        changed(base(), environment={"variables": Known(variables, "test")}),
        "environment-variable-ignored",
    )


@every(
    [
        ("TF_FORCE_GPU_ALLOW_GROWTH", "1", "true"),
        ("TF_FORCE_GPU_ALLOW_GROWTH", "TRUE", "true"),
        ("TF_FORCE_GPU_ALLOW_GROWTH", "ture", "true"),
        ("TF_FORCE_GPU_ALLOW_GROWTH", "flase", "false"),
        ("TF_FORCE_GPU_ALLOW_GROWTH", "0", "false"),
        ("TF_GPU_ALLOCATOR", "cuda_malloc_asynch", "cuda_malloc_async"),
        ("TF_ENABLE_ONEDNN_OPTS", "off", "false"),
    ]
)
def test_value_that_was_meant(case: tuple[str, str, str]) -> None:
    name, value, meant = case
    assert ignored(**{name: value}).fixes[0].commands == (f"export {name}={meant}",)


@every([("0 1", "0,1"), ("0;1", "0,1"), ("2: 3", "2,3"), ("0 1 2", "0,1,2")])
def test_numbers_that_no_comma_separates(case: tuple[str, str]) -> None:
    value, meant = case
    assert ignored(CUDA_VISIBLE_DEVICES=value).fixes[0].commands == (
        f"export CUDA_VISIBLE_DEVICES={meant}",
    )


@every(["0", "0,1", "0, 1", "-1", "", "GPU-8932f937", "MIG-1 2"])
def test_lists_that_cuda_reads(value: str) -> None:
    facts = changed(
        base(), environment={"variables": Known({"CUDA_VISIBLE_DEVICES": value}, "test")}
    )
    assert "environment-variable-ignored" not in {each.code for each in judged(facts).findings}


def test_name_that_was_meant() -> None:
    assert ignored(CUDA_VISIBLE_DEVICE="1").fixes[0].commands == (
        "export CUDA_VISIBLE_DEVICES=1",
        "unset CUDA_VISIBLE_DEVICE",
    )


@every(
    [
        ("TF_FORCE_GPU_ALLOWGROWTH", "TF_FORCE_GPU_ALLOW_GROWTH"),
        ("XLA_FLAG", "XLA_FLAGS"),
        ("Cuda_Visible_Devices", "CUDA_VISIBLE_DEVICES"),
        ("CUDA_VISIBLE_DEVICES", ""),
        ("CUDA_HOME", ""),
        ("TF_VAR_region", ""),
    ]
)
def test_which_names_are_misspelled(case: tuple[str, str]) -> None:
    assert meant_by(case[0]) == case[1]
