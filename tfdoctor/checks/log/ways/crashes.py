"""A crash whose stack the log already shows: the package that was at work is the one to change."""

from __future__ import annotations

from tfdoctor.checks.log.around.macs import ml_compute_fixes
from tfdoctor.checks.log.deaths.at_the_end import end_fixes
from tfdoctor.checks.log.deaths.fast_fail import fast_fail_fixes
from tfdoctor.checks.log.kinds.processors import arm_fixes
from tfdoctor.checks.log.testimony import Testimony
from tfdoctor.facts.model import Facts
from tfdoctor.findings.fix import fix
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
        test = fix("run-once-on-processor-if-does")
        return (test, *page[1:])
    project = PROJECTS.get(module.replace("-", "_"), module)
    if module in _BUILT_HERE:
        return (_built_again(module, python), *page[2:])
    if module in _OPS:
        return (
            fix("install-release-made-for-tensorflow-each", project=project, python=python),
            *page[2:],
        )
    return (
        fix("import-before-tensorflow-for-test-two", module=module, value=module.replace("-", "_")),
        fix("install-newest-whose-compiled-code-crashed", project=project, python=python),
        *page[2:],
    )


def _of_a_library(name: str) -> tuple[Fix, ...]:
    """Of a file that no package of this Python brought: what it belongs to is not told."""
    return (
        fix("import-tensorflow-before-what-loads-for", called=name),
        fix("where-helps-keep-else-bring-what", called=name),
        fix("else-let-two-work-in-processes"),
    )


def _built_again(module: str, python: str) -> Fix:
    return fix(
        "build-again-against-tensorflow-installed-now",
        module=module,
        value=_BUILT_HERE[module],
        python=python,
    )
