"""A notebook's kernel that died in VS Code: its own lines never say why, a terminal does."""

from __future__ import annotations

from collections.abc import Mapping

from tfdoctor.checks.log.ways.meaning import PYTHON, Meaning
from tfdoctor.findings.model import Fix

BY_ITSELF = (
    Fix(
        "Run TensorFlow alone in a terminal, with the interpreter that the notebook's corner shows, and read how it ends",
        (
            f'{PYTHON} -X faulthandler -c "import tensorflow as tf; print(tf.reduce_sum(tf.random.normal([1000, 1000])))"',
        ),
        "A number: TensorFlow works, and the cell is what to look at. Illegal instruction: the processor lacks AVX. Killed: memory. A crash with a stack names the library.",
    ),
    Fix(
        "If that works, run the notebook as a script, so that its own end can be seen",
        ("jupyter nbconvert --to script train.ipynb", f"{PYTHON} -X faulthandler train.py"),
    ),
)
"""A terminal shows how a process ends, whoever else keeps it to himself."""
_VS_CODE = Meaning(
    "The process behind the notebook ended. What VS Code shows of that are lines of its own extension; they hold nothing of why. The usual reasons are memory "
    "that ran out, a crash in compiled code, and a processor without the instructions that TensorFlow is built with.",
    (
        *BY_ITSELF,
        Fix(
            "See what the kernel itself wrote last",
            note='In VS Code: "View", "Output", then "Jupyter" in the list at its right.',
        ),
    ),
)
OF_NOTEBOOKS: Mapping[str, Meaning] = {
    "kernel-crashed-cell": _VS_CODE,
    "kernel-future-cancelled": _VS_CODE,
    "kernel-is-dead": _VS_CODE,
    "kernel-process-died": _VS_CODE,
}
"""By the signature's name."""
