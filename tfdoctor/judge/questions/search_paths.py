"""Which folder of LD_LIBRARY_PATH supplies a library."""

from __future__ import annotations

from tfdoctor.facts.outcome import value_or
from tfdoctor.judge.engine.case import Case


def supplied_by(case: Case, library: str) -> str:
    """The entry of LD_LIBRARY_PATH from which the loader takes a library; "" where none has it, or nobody asked."""
    folders = value_or(case.facts.environment.library_path, ())
    return next((each.path for each in folders if library in each.libraries), "")
