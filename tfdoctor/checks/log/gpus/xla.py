"""XLA where it can't compile, or where an old tool beside it is only slower."""

from __future__ import annotations

import re  # reads no log: numbers of a version

from tfdoctor.checks.log.candidate import Candidate
from tfdoctor.checks.log.testimony import Testimony, place
from tfdoctor.facts.log_values import Saying
from tfdoctor.facts.model import Facts
from tfdoctor.facts.outcome import value_or
from tfdoctor.findings.fix import fix
from tfdoctor.findings.model import Confidence, Fix
from tfdoctor.fixes.commands import interpreter


def no_compiler(saying: Saying) -> Candidate:
    """XLA asked for a compiler of a device that has none."""
    words = (
        "XLA, TensorFlow's compiler, has no part for the GPUs of Macs, and Apple's plug-in tensorflow-metal brings none. Something in the program asks for "
        "XLA all the same: jit_compile=True, or an optimizer of Keras 2.11 and newer, which asks for it by itself."
    )
    title = "XLA was asked to compile for this Mac's GPU, and tensorflow-metal has no compiler."
    return Candidate(saying.code, Confidence(saying.sure), (place(saying),), words, title=title)


_OF_CUDA_12 = ("external/local_xla/", "external/local_tsl/")
"""Paths of sources that TensorFlow's log names since 2.15, the first release for CUDA 12 alone."""


def ptxas_fixes(facts: Facts, told: Testimony) -> tuple[Fix, ...]:
    """() for a TensorFlow with CUDA 12, whose page's fix fits. Older ones take ptxas from PATH, and one of CUDA 11 is enough."""
    said = told.of("ptxas-too-old")
    release = value_or(facts.tensorflow.version, "")
    known_newer = bool(release) and tuple(int(each) for each in re.findall(r"\d+", release)[:2]) >= (2, 15)
    if not said or known_newer or any(path in each.text for each in said for path in _OF_CUDA_12):
        return ()
    nothing = fix("nothing-as-long-as-computes-driver")
    python = interpreter(facts)
    newer = fix("put-ptxas-cuda-11-8-before-old", python=python)
    stopped = any(each.how in ("signal", "exception") for each in told.endings)
    return (newer,) if stopped else (nothing, newer)


def metal_fixes(told: Testimony) -> tuple[Fix, ...]:
    """() where XLA was not asked for the GPU of a Mac."""
    if built := told.named("built-for-macos"):
        return (
            fix("update-macos-to-or-newer-for", version=built[-1].told['version']),
            fix("until-then-do-without-plug-in"),
        )  # fmt: skip
    if not told.named("xla-no-compiler-for-metal"):
        return ()
    return (
        fix("switch-xla-off-where-program-asks"),
        fix("compute-on-processor-xla-can-compile"),
        fix("do-without-plug-in"),
    )  # fmt: skip
