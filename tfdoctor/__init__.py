"""tfdoctor: why TensorFlow won't use this GPU or can't be imported, with the command that fixes it.

    import tfdoctor

    report = tfdoctor.check()          # this interpreter and this machine; report.verdict, .summary, .findings
    tfdoctor.diagnose(text)            # what a log says went wrong
    tfdoctor.diff(tfdoctor.load("report.json"), report)

Each answer shows itself in a notebook, and has `to_dict()`, `html()` and `markdown()`.
"""

from __future__ import annotations

__version__ = "0.3.0.dev0"

TYPE_CHECKING = False  # importing `typing` takes longer than all of this
if TYPE_CHECKING:
    import os

    from tfdoctor.apps.api import Comparison, Diagnosis, Report


def check(
    python: str | os.PathLike[str] | None = None,
    *,
    smoke: str = "auto",
    require_gpu: bool | None = None,
    timeout: float | None = None,
) -> Report:
    """The report of `tfdoctor check`, by default of this interpreter. Raises ValueError for wrong arguments, and nothing else."""
    from tfdoctor.apps.api import check

    return check(python, smoke=smoke, require_gpu=require_gpu, timeout=timeout)


def load(path: str | os.PathLike[str]) -> Report:
    """A report that `tfdoctor check` or `Report.to_dict` wrote. Raises OSError, and ValueError where it is none."""
    from tfdoctor.apps.api import load

    return load(path)


def diff(a: Report, b: Report) -> Comparison:
    """What differs between two reports, what matters first."""
    from tfdoctor.apps.api import Comparison

    return Comparison(a, b)


def diagnose(log: str | bytes, *, report: Report | None = None) -> Diagnosis:
    """What a log's text says went wrong; a report of the same machine decides what it leaves open. Raises ValueError."""
    from tfdoctor.apps.api import diagnose

    return diagnose(log, report)


def load_ipython_extension(shell: object) -> None:
    """`%load_ext tfdoctor` (docs/jupyter.md)."""
    from tfdoctor.apps.jupyter.inside.extension import load

    load(shell)


def unload_ipython_extension(shell: object) -> None:
    """`%unload_ext tfdoctor`."""
    from tfdoctor.apps.jupyter.inside.extension import unload

    unload()
