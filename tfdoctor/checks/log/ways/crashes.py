"""A crash whose stack the log already shows: the package that was at work is the one to change."""

from __future__ import annotations

from tfdoctor.checks.log.around.macs import ml_compute_fixes
from tfdoctor.checks.log.testimony import Testimony
from tfdoctor.facts.model import Facts
from tfdoctor.findings.model import Fix
from tfdoctor.findings.pages import ways_out
from tfdoctor.fixes.commands import interpreter
from tfdoctor.signatures.own_errors import PROJECTS

_TENSORFLOW = ("tensorflow", "tensorflow-core", "keras", "tf-keras")


def crash_fixes(facts: Facts, told: Testimony) -> tuple[Fix, ...]:
    """() where no stack is shown, or only that of the user's own files."""
    if by_apple := ml_compute_fixes(told):
        return by_apple
    crashed = [each for each in told.endings if each.how == "signal" and each.package]
    if not crashed:
        return ()
    module, python, page = crashed[-1].package, interpreter(facts), ways_out("native-crash")
    if module in _TENSORFLOW:
        test = Fix(
            "Run it once on the processor: if it does not crash there, the GPU's driver or libraries are at fault, else the installation",
            ("CUDA_VISIBLE_DEVICES=-1 python train.py",),
            "In the first case `tfdoctor check` looks at them; in the second, reinstall TensorFlow.",
        )
        return (test, *page[1:])
    project = PROJECTS.get(module.replace("-", "_"), module)
    return (
        Fix(
            f"Import {module} before TensorFlow, for a test: two packages that bring the same library in two builds crash by the order in which they come",
            note=f"In your files: import {module.replace('-', '_')}, then import tensorflow",
        ),
        Fix(
            f"Install the newest {project}, whose compiled code crashed",
            (f"{python} -m pip install --upgrade --force-reinstall --no-deps {project}",),
        ),
        *page[2:],
    )
