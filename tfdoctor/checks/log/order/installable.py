"""A TensorFlow that the log's Python has no wheel for is installed with another Python, in an environment of its own."""

from __future__ import annotations

from tfdoctor.checks.engine.case import Case
from tfdoctor.checks.log.around.releases import runs_on
from tfdoctor.checks.log.around.settings import Setting
from tfdoctor.checks.log.ways.releases import machine_of
from tfdoctor.facts.outcome import Failed, Known
from tfdoctor.findings.model import Fix
from tfdoctor.fixes.install import install_commands
from tfdoctor.light.expressions import Expression  # reads no log: releases in commands of our own pages
from tfdoctor.light.records import replace
from tfdoctor.matrix.model import Release

_NAMED = Expression(r"\btensorflow(?:\[and-cuda\])?==(?P<version>\d{1,2}\.\d{1,3}\.\d{1,3})\b")
_OWN = Expression(r"-m venv|^uv venv|^conda create|^docker|^py -3")
"""It brings its Python along."""


def installable(fix: Fix, case: Case, here: Setting) -> Fix:
    """`fix`, or the same with a Python that the release has; a hosted notebook has one Python alone."""
    python = case.facts.interpreter.version
    row = _release(fix, case)
    if row is None or not isinstance(python, Known) or here.hosted or runs_on(row, case.facts):
        return fix
    machine = replace(machine_of(case.facts), python=Failed("another one is needed", "missing"))
    note = f"The log's Python is {python.value.feature}, which this release has no wheel for; this makes an environment of a Python that it has one for."
    return replace(
        fix, commands=install_commands(row, machine, case.matrix), note=f"{note} {fix.note}".strip()
    )


def _release(fix: Fix, case: Case) -> Release | None:
    """The one that a fix installs into the environment that is there; None for none, and for one that the matrix does not hold."""
    if any(_OWN.search(line) for line in fix.commands):
        return None
    named = next((found["version"] for line in fix.commands if (found := _NAMED.search(line))), "")
    row = case.matrix.release(named) if named else Failed("none is named", "missing")
    return row.value if isinstance(row, Known) else None
