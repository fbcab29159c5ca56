"""Keras 2 and 3 in an exception's last line, and what a desktop or a notebook stopped: files in use, Metal, kernels, an index out of reach."""

from __future__ import annotations

import pytest

from tests.logs.judged import judged, log
from tfdoctor.knowledge.model import Finding


def _root(*lines: str) -> Finding:
    return judged(log(lines)).roots[0].finding


def _traceback(*frames: str, error: str) -> tuple[str, ...]:
    return ("Traceback (most recent call last):", *frames, error)


def _frame(file: str, line: str = "x()", function: str = "run") -> str:
    return f'  File "{file}", line 12, in {function}\n    {line}'


def test_a_python_without_ipykernel() -> None:
    found = _root("stdErr = /opt/e/bin/python3: No module named ipykernel_launcher")
    assert found.fixes[0].commands == ("python -m pip install ipykernel",)


def test_a_callback_for_keras_2() -> None:
    found = _root(*_traceback(_frame("/home/me/a.py", "self.model = model", "__init__"), error="AttributeError: property 'model' of 'Sampler' object has no setter"))  # fmt: skip
    assert found.code == "keras-legacy-needed"


def test_an_optimizer_that_keras_replaced_on_a_mac() -> None:
    fell = "WARNING:absl:There is a known slowdown when using v2.11+ Keras optimizers on M1/M2 Macs. Falling back to the legacy Keras optimizer, i.e., `tf.keras.optimizers.legacy.Lion`."
    found = _root(fell, *_traceback(_frame("/Users/me/a.py"), error="AttributeError: 'str' object has no attribute 'minimize'"))  # fmt: skip
    assert (found.code, "Mac" in found.title) == ("keras-mismatch", True)
    assert (
        judged(
            f"{fell}\nEpoch 1/1\n10/10 [==============================] - 1s 2ms/step - loss: 1.0\n"
        ).roots
        == ()
    )


def test_an_index_that_is_not_reached_says_nothing_of_the_python() -> None:
    broken = "WARNING: Retrying (Retry(total=0, connect=None, read=None, redirect=None, status=None)) after connection broken by 'NewConnectionError('<x>: Failed to establish a new connection: [Errno -3] Temporary failure in name resolution')': /simple/tensorflow/"
    nothing = ("ERROR: Could not find a version that satisfies the requirement tensorflow==2.15.0 (from versions: none)", "ERROR: No matching distribution found for tensorflow==2.15.0")  # fmt: skip
    found = _root(broken, *nothing)
    assert (found.code, "could not reach the package index" in found.title) == (
        "installer-stopped",
        True,
    )
    assert _root(*nothing).code == "python-unsupported"
    listed = "ERROR: Could not find a version that satisfies the requirement tensorflow==1.15 (from versions: 2.16.1, 2.17.0)"
    assert _root(broken, listed).code == "python-unsupported"


@pytest.mark.parametrize(("number", "words"), [(5, "Access is denied"), (32, "The process cannot access the file because it is being used by another process")])  # fmt: skip
def test_a_file_that_pip_can_not_replace(number: int, words: str) -> None:
    found = _root(rf"ERROR: Could not install packages due to an OSError: [WinError {number}] {words}: 'c:\\py\\lib\\site-packages\\grpc\\cygrpc.pyd'")  # fmt: skip
    assert (found.code, "pip could not replace a file" in found.title) == ("file-locked", True)


def test_metal_and_directml_are_named() -> None:
    metal = _root("/AppleInternal/Sources/MetalPerformanceShaders/MPSCore/MPSNDArray.mm:78: failed assertion `[MPSNDArray x] Error'", "zsh: abort      python train.py")  # fmt: skip
    plugin = _root("F tensorflow/c/logging.cc:43] Check failed: it != allocations_by_id_.end()")  # fmt: skip
    lost = _root("F tensorflow/c/logging.cc:43] HRESULT failed with 0x887a0005: dml_device_->GetDeviceRemovedReason()")  # fmt: skip
    assert (metal.code, "Metal" in metal.title) == ("native-crash", True)
    assert (plugin.code, "plug-in" in plugin.title) == ("check-failed", True)
    assert (lost.code, "Windows" in lost.title) == ("cuda-context-poisoned", True)
    assert "2.21" not in "".join(plugin.fixes[0].commands)


def test_tries_alone_show_an_index_out_of_reach() -> None:
    tried = "WARNING: Retrying (Retry(total=4, connect=None, read=None, redirect=None, status=None)) after connection broken by 'SSLError(SSLCertVerificationError(1, '[SSL: CERTIFICATE_VERIFY_FAILED] certificate verify failed'))': /simple/tensorflow/"
    assert "certificate" in _root(tried).title
    assert judged(log((tried, "Collecting tensorflow"))).roots == ()


def test_a_name_that_keras_2_15_still_had_needs_no_older_tensorflow() -> None:
    line = "ImportError: cannot import name 'ImageDataGenerator' from 'keras.preprocessing.image'"
    assert "tfdoctor plan --tensorflow '<2.16'" in judged(line).roots[0].fixes[-1].commands
