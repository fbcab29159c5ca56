"""A crash whose stack the log already shows: the package that was at work is the one to change."""

from __future__ import annotations

from tfdoctor.checks.log.around.macs import ml_compute_fixes
from tfdoctor.checks.log.deaths.at_the_end import end_fixes
from tfdoctor.checks.log.deaths.fast_fail import fast_fail_fixes
from tfdoctor.checks.log.kinds.processors import arm_fixes
from tfdoctor.checks.log.testimony import Testimony
from tfdoctor.facts.model import Facts
from tfdoctor.findings.model import Fix
from tfdoctor.findings.pages import ways_out
from tfdoctor.fixes.commands import interpreter
from tfdoctor.light.expressions import (
    Expression,
)  # reads no log: whether what crashed is a file's name or a package's
from tfdoctor.signatures.own_errors import PROJECTS

_BUILT_HERE = {
    "horovod": "HOROVOD_WITH_TENSORFLOW=1 ",
    "byteps": "BYTEPS_WITH_TENSORFLOW=1 ",
}
"""Packages that compile an extension for the very TensorFlow that is there when they are installed, and the variable that asks for it."""
_OPS = (
    "tensorflow-addons",
    "tensorflow-text",
    "tensorflow-io",
    "tensorflow-recommenders-addons",
    "tensorflow-compression",
    "tensorflow-decision-forests",
    "tensorflow-metal",
    "tensorflow-plugins",
)
"""Packages with operations of their own: each release is compiled for one minor release of TensorFlow."""
_LIBRARY = Expression(r"\.(?:so|dylib)(?:\.\d{1,5}){0,4}$")
_TENSORFLOW = ("tensorflow", "tensorflow-core", "keras", "tf-keras")


def crash_fixes(facts: Facts, told: Testimony) -> tuple[Fix, ...]:
    """() where no stack is shown, or only that of the user's own files."""
    if told_elsewhere := (
        arm_fixes(facts, told)
        or fast_fail_fixes("native-crash", told)
        or ml_compute_fixes(told)
        or end_fixes(facts, told)
    ):
        return told_elsewhere
    crashed = [each for each in told.endings if each.how == "signal" and each.package]
    if not crashed:
        return ()
    if _LIBRARY.search(crashed[-1].package):
        return _of_a_library(crashed[-1].package)
    module, python, page = crashed[-1].package, interpreter(facts), ways_out("native-crash")
    if module in _TENSORFLOW:
        test = Fix(
            "Run it once on the processor: if it does not crash there, the GPU's driver or libraries are at fault, else the installation",
            ("CUDA_VISIBLE_DEVICES=-1 python train.py",),
            "In the first case `tfdoctor check` looks at them; in the second, reinstall TensorFlow.",
        )
        return (test, *page[1:])
    project = PROJECTS.get(module.replace("-", "_"), module)
    if module in _BUILT_HERE:
        return (_built_again(module, python), *page[2:])
    if module in _OPS:
        return (
            Fix(
                f"Install the release of {project} that is made for your TensorFlow: each has a table of both in its README",
                (f"{python} -m pip list | grep -i tensorflow",),
                "The command shows which two are there. A release that is made for another TensorFlow crashes, or can't be loaded.",
            ),
            *page[2:],
        )
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


def _of_a_library(name: str) -> tuple[Fix, ...]:
    """Of a file that no package of this Python brought: what it belongs to is not told."""
    return (
        Fix(
            f"Import TensorFlow before what loads {name}, for a test: two libraries that bring the same functions in two builds crash by the order in which they come",
            note="In your files, as the very first line: import tensorflow",
        ),
        Fix(
            f"Where that helps, keep it so; else bring what {name} belongs to up to date, or build it again without exporting the symbols of what it is linked with",
            note="A library that was built with protobuf, LLVM or another C++ runtime inside shows its symbols to TensorFlow, too, unless it hides them (-fvisibility=hidden, or -Wl,--exclude-libs,ALL where it is linked).",
        ),
        Fix(
            "Else let the two work in processes of their own, and pass data between them",
        ),
    )


def _built_again(module: str, python: str) -> Fix:
    return Fix(
        f"Build {module} again, against the TensorFlow that is installed now: its extension is compiled for the one that was there when it was installed",
        (
            f"{_BUILT_HERE[module]}{python} -m pip install --no-cache-dir --force-reinstall --no-deps --no-binary {module} {module}",
        ),
        "--no-cache-dir matters: pip keeps the old build. It needs a C++ compiler, CMake and MPI's or NCCL's headers, as the first time.",
    )
