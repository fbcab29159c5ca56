"""The smallest program that repeats the step of the TensorFlow stage that failed."""

from __future__ import annotations

from tfdoctor.checks.questions.stage_output import failed_stage
from tfdoctor.checks.questions.variables import influential
from tfdoctor.facts.model import Facts
from tfdoctor.findings.model import Fix
from tfdoctor.fixes.commands import interpreter, quoted

_IMPORT = "import tensorflow as tf"
_PROGRAMS = {
    "listing": 'print(tf.config.list_physical_devices("GPU"))',
    "limiting": 'print(tf.config.list_physical_devices("GPU"))',
    "matmul-float32": "print(tf.linalg.matmul([[1.0]], [[2.0]]))",
    "matmul-float16": "print(tf.linalg.matmul(tf.ones([9, 9], tf.float16), tf.ones([9, 9], tf.float16)))",
    "matmul-bfloat16": "print(tf.linalg.matmul(tf.ones([9, 9], tf.bfloat16), tf.ones([9, 9], tf.bfloat16)))",
    "elementwise": "print(tf.ones([9]) * 2.0 + 1.0)",
    "conv2d": 'print(tf.nn.conv2d(tf.ones([1, 9, 9, 4]), tf.ones([3, 3, 4, 8]), 1, "SAME").shape)',
    "xla": "print(tf.function(lambda x: tf.tanh(x * x), jit_compile=True)(tf.ones([9])))",
    "keras": "print(tf.keras.layers.Dense(2)(tf.ones([1, 3])))",
    "collective": "tf.distribute.MirroredStrategy().run(lambda: tf.distribute.get_replica_context().all_reduce('sum', 1.0))",
}


def step(facts: Facts) -> str:
    """The step that failed first: "import", "conv2d", "xla" …; where the child died, the one at which it was."""
    stage = failed_stage(facts)
    if stage is None:
        return ""
    at = "" if stage.last_step.startswith("waiting") else stage.last_step.partition(" on ")[0]
    if at and stage.end.how == "signal":
        return at
    # one that failed says why; wrong numbers are no failure where there is one
    by_status = (
        each.name for status in ("failed", "wrong") for each in stage.computations if each.status == status
    )
    return next(by_status, at)


def program(facts: Facts) -> str:
    """One line of Python that repeats that step; the import alone where it failed there, or nobody knows where."""
    line = _PROGRAMS.get(step(facts), "")
    return f"{_IMPORT}; {line}" if line else _IMPORT


def repeat(facts: Facts) -> tuple[Fix, ...]:
    """That step by itself; and, where variables are set that change TensorFlow, the same without them."""
    start = (interpreter(facts), "-X", "faulthandler", "-c", program(facts))
    fixes = [
        Fix(
            "See TensorFlow's own words at this step",
            (quoted(*start),),
            "It changes nothing. Of its error lines the earliest is nearest to the cause.",
        )
    ]
    names = influential(facts)
    if names:
        without = [word for name in names for word in ("-u", name)]
        fixes.append(
            Fix(
                f"Try the same without {', '.join(names)}",
                (quoted("env", *without, *start),),
                "It changes nothing. If this runs, one of them is the cause; leave them away one by one.",
            )
        )
    return tuple(fixes)
