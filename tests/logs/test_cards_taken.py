"""What comes first where a card's memory is asked for in vain before anything was computed."""

from __future__ import annotations

import pytest

from tests.logs.judged import judged, log
from tfdoctor.knowledge.model import Finding

_TAKEN = "2021-03-31 11:29:37.402911: E tensorflow/core/common_runtime/dml/dml_util.cc:33] The DirectML device has encountered an unrecoverable error (DXGI_ERROR_DEVICE_REMOVED)."
_REASON = "F tensorflow/core/common_runtime/dml/dml_command_recorder.cc:366] HRESULT failed with 0x887a0005: dml_device_->GetDeviceRemovedReason()"
_CUBIN = "XlaRuntimeError: INTERNAL: Failed to load in-memory CUBIN: CUDA_ERROR_OUT_OF_MEMORY: out of memory"


def found(*lines: str) -> Finding:
    return judged(log(lines)).roots[0].finding


def test_a_training_that_ran_gets_shorter_steps_first() -> None:
    steps = "100/1875 [>.............................] - ETA: 1:10 - loss: 0.5012"
    assert "batch_size=16" in found("Epoch 1/5", steps, "Epoch 2/5", _TAKEN, _REASON).fixes[0].note


@pytest.mark.parametrize("prefix", ["", "(pid=12) ", "[1,0]<stderr>:"])
def test_a_kernel_of_jax_that_finds_no_place_is_no_matter_of_the_batch(prefix: str) -> None:
    trace = ("Traceback (most recent call last):", '  File "run.py", line 3, in <module>', '  File "/opt/env/lib/python3.10/site-packages/jax/interpreters/pxla.py", line 1742, in __call__', _CUBIN)  # fmt: skip
    assert "PREALLOCATE=false" in found(*(f"{prefix}{line}" for line in trace)).fixes[0].commands[0]


def test_what_pandas_only_warns_of_ends_nothing() -> None:
    warned = "/opt/env/lib/python3.11/site-packages/pandas/core/arrays/masked.py:60: UserWarning: Pandas requires version '1.3.6' or newer of 'bottleneck' (version '1.3.5' currently installed)."
    assert judged(log((warned, "  from pandas.core import (", "[OK] pandas 2.0.3"))).roots == ()
