"""A variable that a shell is told does not reach the kernel of a notebook: its own description has to hold it."""

from __future__ import annotations

from tfdoctor.checks.log.around.settings import Setting
from tfdoctor.findings.model import Fix
from tfdoctor.light.expressions import Expression  # reads no log: commands of our own pages
from tfdoctor.light.records import replace

_LEADS = Expression(r"^export LD_LIBRARY_PATH=|'export LD_LIBRARY_PATH=.{0,600} >> ")
KERNEL = 'python -m ipykernel install --user --name tensorflow-gpu --env LD_LIBRARY_PATH "$LD_LIBRARY_PATH"'
CHOOSE = "A notebook's kernel reads neither the start files of a shell nor bin/activate. The last line writes the variable into a kernel of its own (ipykernel's option --env): choose the kernel tensorflow-gpu in the notebook."


_PLAIN = Expression(r"^(?:export|set) (?P<pairs>(?:[A-Z][A-Z_0-9]{2,60}=[\w.,/-]{1,80} ?){1,4})$")
_PROGRAM = Expression(r"^python[\d.]{0,5} \S{0,80}train\.py$")
_OF_THE_LOADER = ("LD_LIBRARY_PATH", "LD_PRELOAD", "PATH=", "TF_XLA_FLAGS", "XLA_FLAGS=-")
_FIRST_CELL = "In the notebook's first cell, after a restart of the kernel"


def for_the_first_cell(fix: Fix, here: Setting) -> Fix:
    """Plain variables as a cell sets them: TensorFlow and JAX read theirs when they are imported, and a shell's do not reach a kernel that runs."""
    if not here.has("notebook", "cell") or here.hosted or not fix.commands:
        return fix
    lines = [each for each in fix.commands if not _PROGRAM.match(each)]
    found = [_PLAIN.match(each) for each in lines]
    if not lines or not all(found) or any(each in line for line in lines for each in _OF_THE_LOADER):
        return fix
    cells = tuple(f"%env {pair}" for each in found if each for pair in each["pairs"].split())
    return replace(fix, title=f"{fix.title.rstrip('.')}. {_FIRST_CELL}", commands=cells)


def for_the_kernel(fix: Fix, here: Setting) -> Fix:
    """With the step that takes LD_LIBRARY_PATH into the notebook's kernel, where the log is a notebook's."""
    if not here.has("notebook") or here.hosted or here.has("windows", "macos", "kubernetes"):
        return fix
    if KERNEL in fix.commands or not any(_LEADS.search(line) for line in fix.commands):
        return fix
    own = ("python -m pip install ipykernel",) if any("activate" in line for line in fix.commands) else ()
    return replace(fix, commands=(*fix.commands, *own, KERNEL), note=f"{fix.note} {CHOOSE}".strip())
