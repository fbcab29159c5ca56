"""The library that found no place in the loader's table, by the path that the message gives."""

from __future__ import annotations

from tfdoctor.checks.log.testimony import Testimony
from tfdoctor.findings.fix import fix
from tfdoctor.findings.model import Fix
from tfdoctor.findings.pages import ways_out
from tfdoctor.fixes.commands import quoted

_CODE = "static-tls-exhausted"


def tls_fixes(told: Testimony) -> tuple[Fix, ...]:
    """() where the message names no path that could be typed."""
    named = [each.told.get("library", "") for each in told.of(_CODE)]
    library = next((each for each in named if each.startswith("/")), "")
    if not library or set(library) & set(" '\"$()"):
        return ()
    name = library.rpartition("/")[2]
    first = fix("have-loader-take-first-before-program", called=name, quoted=quoted(library))
    return (
        first,
        *(each for each in ways_out(_CODE) if not any("LD_PRELOAD" in line for line in each.commands)),
    )
