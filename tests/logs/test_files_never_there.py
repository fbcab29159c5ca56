"""What was never there: a system's build in conda's channels, an add-on's compiled part for this system, and what an older Keras asks a newer TensorFlow for."""

from __future__ import annotations

from tests.logs.judged import judged, log
from tfdoctor.knowledge.model import Finding

_SITE = "/opt/env/lib/python3.9/site-packages"


def found(*lines: str) -> Finding:
    return judged(log(lines)).roots[0].finding


def loading(folder: str, message: str) -> tuple[str, ...]:
    return (
        "Traceback (most recent call last):",
        '  File "train.py", line 1, in <module>',
        f"    import {folder}",
        f'  File "{_SITE}/{folder}/__init__.py", line 4, in <module>',
        f'    ops = tf.load_op_library("{folder}.so")',
        f'  File "{_SITE}/tensorflow/python/framework/load_library.py", line 54, in load_op_library',
        "    lib_handle = py_tf.TF_LoadLibrary(library_filename)",
        f"tensorflow.python.framework.errors_impl.NotFoundError: {message}",
    )


def test_an_add_on_that_needs_another_file_was_made_for_another_tensorflow() -> None:
    needs = f"{_SITE}/tensorflow_text/ops/x.so: undefined symbol: _ZN10tensorflow8OpKernelD2Ev"
    assert "built for a TensorFlow other than" in found(*loading("tensorflow_text", needs)).title
