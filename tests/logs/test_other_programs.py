"""Failures of other frameworks and languages are told as theirs."""

from __future__ import annotations

import pytest

from tests.logs.judged import judged, root

IN_TORCH = """Traceback (most recent call last):
  File "/home/user/train.py", line 7, in <module>
    loss.backward()
  File "/opt/env/lib/python3.10/site-packages/torch/_tensor.py", line 525, in backward
    torch.autograd.backward(
  File "/opt/env/lib/python3.10/site-packages/torch/autograd/__init__.py", line 267, in backward
    _engine_run_backward(
RuntimeError: Trying to backward through the graph a second time.
"""
IN_NODE = """TypeError: Cannot read properties of undefined (reading 'shape')
    at Module._extensions..node (node:internal/modules/cjs/loader:1275:18)
    at Module.load (node:internal/modules/cjs/loader:1069:32)
"""
IN_JAVA = """Exception in thread "main" java.lang.IllegalStateException: close() was already called
	at org.tensorflow.Session.run(Session.java:120)
"""


def test_the_title_names_the_framework_whose_frames_are_innermost() -> None:
    finding = judged(IN_TORCH).roots[0].finding
    assert finding.code == "other-program-failed"
    assert finding.title.startswith(
        "Reported by PyTorch, not TensorFlow: RuntimeError: Trying to backward"
    )
    assert "import torch" in finding.fixes[0].commands[0]


@pytest.mark.parametrize(
    ("log", "reported"),
    [
        (
            "AssertionError: Torch not compiled with CUDA enabled\n",
            "Reported by PyTorch, not TensorFlow: Torch not compiled",
        ),
        (
            "RuntimeError: The NVIDIA driver on your system is too old (found version 11040).\n",
            "Reported by PyTorch, not TensorFlow",
        ),
        (
            "RuntimeError: Unable to initialize backend 'cuda': FAILED_PRECONDITION: No visible GPU devices.\n",
            "Reported by JAX, not TensorFlow",
        ),
        (
            "Error: Cannot find module 'c:\\x\\node_modules\\@tensorflow\\tfjs-node\\lib\\napi-v8\\tfjs_binding.node'\n",
            "Reported by Node.js, not TensorFlow",
        ),
        (
            "System.DllNotFoundException: Unable to load shared library 'tensorflow' or one of its dependencies.\n",
            "Reported by .NET, not TensorFlow",
        ),
        (
            "main.cpp:7:3: error: 'foo' was not declared in this scope\nmake: *** [Makefile:4: main.o] Error 1\n",
            "The compiler failed: 'foo' was not declared in this scope",
        ),
        (
            "src/main.cpp:3:10: fatal error: tensorflow/core/public/session.h: No such file or directory\n",
            "The compiler does not find tensorflow/core/public/session.h",
        ),
        (
            "nvcc fatal   : Unsupported gpu architecture 'compute_89'\n",
            "The compiler failed: Unsupported gpu architecture 'compute_89'",
        ),
        (
            "Poll failed for model directory 'word_count': unexpected platform type onnx_runtime for word_count\n",
            "Reported by Triton, not TensorFlow: Poll failed",
        ),
        (IN_NODE, "Reported by Node.js, not TensorFlow"),
        (
            IN_JAVA,
            "Reported by Java, not TensorFlow: java.lang.IllegalStateException: close() was already called.",
        ),
        (
            "Error in eval(expr, envir, enclos) : object 'x' not found\nCalls: source\nExecution halted\n",
            "Reported by R, not TensorFlow.",
        ),
    ],
)
def test_the_title_names_the_language(log: str, reported: str) -> None:
    finding = judged(log).roots[0].finding
    assert (finding.code, finding.title[: len(reported)]) == ("other-program-failed", reported)


def test_an_exception_of_the_own_code_below_a_message_of_jax_is_the_cause() -> None:
    log = """WARNING:absl:No GPU/TPU found, falling back to CPU. (Set TF_CPP_MIN_LOG_LEVEL=0 and rerun for more info.)
Traceback (most recent call last):
  File "/home/user/train.py", line 9, in <module>
    print(scores["f1"])
KeyError: 'f1'
"""
    assert root(judged(log)) == "python-exception"
