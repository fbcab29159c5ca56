"""XLA where it can't compile, or where an old tool beside it is only slower."""

from __future__ import annotations

from tfdoctor.checks.log.candidate import Candidate
from tfdoctor.checks.log.testimony import Testimony, place
from tfdoctor.facts.log_values import Saying
from tfdoctor.findings.model import Confidence, Fix


def no_compiler(saying: Saying) -> Candidate:
    """XLA asked for a compiler of a device that has none."""
    words = (
        "XLA, TensorFlow's compiler, has no part for the GPUs of Macs, and Apple's plug-in tensorflow-metal brings none. Something in the program asks for "
        "XLA all the same: jit_compile=True, or an optimizer of Keras 2.11 and newer, which asks for it by itself."
    )
    title = "XLA was asked to compile for this Mac's GPU, and tensorflow-metal has no compiler."
    return Candidate(saying.code, Confidence(saying.sure), (place(saying),), words, title=title)


def metal_fixes(told: Testimony) -> tuple[Fix, ...]:
    """() where XLA was not asked for the GPU of a Mac."""
    if not told.named("xla-no-compiler-for-metal"):
        return ()
    return (
        Fix(
            "Switch XLA off where the program asks for it",
            note="In your files: jit_compile=False in tf.function and model.compile. Keras' optimizers of 2.11 and newer ask for it by themselves: tf.keras.optimizers.legacy.Adam, or Adam(jit_compile=False)",
        ),
        Fix("Compute on the processor, which XLA can compile for", note="In your files: tf.config.set_visible_devices([], 'GPU'), before anything else of TensorFlow"),
        Fix("Do without the plug-in", ("python -m pip uninstall --yes tensorflow-metal",)),
    )  # fmt: skip
