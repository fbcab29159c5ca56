"""What is suggested for a variable that is ignored, and which growth counts as on."""

from __future__ import annotations

from tests.every import every
from tests.unit.checks.machines import base, changed, finding
from tfdoctor.facts.outcome import Known
from tfdoctor.findings.model import Finding
from tfdoctor.findings.variable_names import meant_by


def ignored(**variables: str) -> Finding:
    return finding(
        changed(base(), environment={"variables": Known(variables, "test")}), "environment-variable-ignored"
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
