"""A report of the same machine decides what a log leaves open; one of another machine is named and not used."""

from __future__ import annotations

from typing import Any

import pytest

from tests.logs.judged import judged, root
from tests.scenarios.conftest import base
from tests.scenarios.overlay import laid_over
from tfdoctor.facts.codec import from_json
from tfdoctor.facts.model import Facts

HANDLE = "E cuda_dnn.cc:456] Could not create cudnn handle: CUDNN_STATUS_INTERNAL_ERROR\n"
HELD = {
    "pid": 4242,
    "name": "train",
    "memory": {"status": "known", "value": 15728640000, "from": "NVML"},
}
REPORTS: dict[str, dict[str, Any]] = {
    "cudnn-version-mismatch": {"cuda_libraries.libraries[libcudnn.so.9].version": "9.1.0"},
    "cuda-libraries-missing": {
        "cuda_libraries.libraries[libcudnn.so.9]": {
            "path": {"status": "absent", "reason": "not found"}
        }
    },
    "gpu-memory-held": {"nvml.devices[0]": {"memory_free": 70254592, "processes": [HELD]}},
}


def report(changes: dict[str, Any]) -> Facts:
    return from_json(laid_over(base("gpu"), changes), Facts)


@pytest.mark.parametrize("code", REPORTS)
def test_one_failed_handle_has_the_root_that_the_report_shows(code: str) -> None:
    diagnosis = judged(HANDLE, report=report(REPORTS[code]))
    assert root(diagnosis) == code
    assert diagnosis.open == ()
    assert [each.finding.code for each in diagnosis.roots] == [code]


def test_without_a_report_the_same_line_stays_open() -> None:
    diagnosis = judged(HANDLE)
    assert root(diagnosis) == "gpu-library-no-memory"
    [question] = diagnosis.open
    assert {*REPORTS, "gpu-library-no-memory"} <= set(question.codes)
    assert "tfdoctor check" in question.command


def test_a_report_without_a_fault_leaves_the_likeliest_meaning() -> None:
    diagnosis = judged(HANDLE, report=report({}))
    assert root(diagnosis) == "gpu-library-no-memory"
    assert diagnosis.open == ()


@pytest.mark.parametrize(
    ("line", "what"),
    [
        ("tensorflow version: 2.15.1\n", "TensorFlow"),
        ('  File "/usr/lib/python3.9/site-packages/a.py", line 3, in f\n', "Python"),
        (
            "I gpu_device.cc:2022] Created device /job:localhost/replica:0/task:0/device:GPU:0 with 13949 MB memory:  -> device: 0, name: Tesla K80, pci bus id: 0000:00:04.0, compute capability: 3.7\n",
            "GPU",
        ),
    ],
)
def test_a_report_of_another_machine_is_named_and_not_used(line: str, what: str) -> None:
    diagnosis = judged(line + HANDLE, report=report(REPORTS["cudnn-version-mismatch"]))
    assert f"its {what} is" in diagnosis.unused
    assert root(diagnosis) != "cudnn-version-mismatch"
