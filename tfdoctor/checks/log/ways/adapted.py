"""A page's commands for the release that wrote the log.

A page has to name some release. The log's own is the one that it names; where none is known, no version is given, so that
what is installed stays.
"""

from __future__ import annotations

import re  # reads no log: releases and packages in commands of our own pages

from tfdoctor.checks.engine.case import Case
from tfdoctor.checks.log.companions import OWN_RELEASE
from tfdoctor.facts.outcome import value_or
from tfdoctor.findings.model import Fix
from tfdoctor.findings.pages import ways_out
from tfdoctor.light.expressions import (
    Expression,
)  # reads no log: releases and packages in commands of our own pages
from tfdoctor.light.records import replace

_KEEPING = (
    "tensorflow-install-broken", "tensorflow-cpu-only", "tensorflow-mixed-distributions", "dependency-mismatch",
    "and-cuda-extra-lost", "custom-op-mismatch", "native-crash", "image-lacks-cuda-libraries", "cuda-libraries-missing",
    "cuda-libraries-wrong-version", "cudnn-incomplete",
)  # fmt: skip
"""Codes whose page installs the release that is there once more, or adds to it."""
_EXAMPLE = Expression(r"tensorflow(?P<extra>\[and-cuda\])?==(?P<version>\d[\w.]{1,20})")
_DOCKERFILE = "In your files: FROM "
"""A page's example of a Dockerfile, which begins with an image of its own."""
_PINNED = Expression(r"nvidia-[\w-]{3,40}==\d|cuda-libraries-\d")


def adapted(code: str, case: Case) -> tuple[Fix, ...]:
    """The page's, with the log's own release; commands for another release's libraries are left out."""
    if code not in _KEEPING:
        return ways_out(code)
    own = value_or(case.facts.tensorflow.version, "")
    fitting = []
    for fix in (each for each in ways_out(code) if not each.note.startswith(_DOCKERFILE)):
        named = {found["version"] for line in fix.commands for found in _EXAMPLE.finditer(line)}
        others = any(_PINNED.search(line) for line in fix.commands) or any(
            each in fix.title for each in named
        )
        if not others:
            fitting.append(replace(fix, commands=tuple(_with_release(line, own) for line in fix.commands)))
    return tuple(fitting)


def _with_release(line: str, own: str) -> str:
    def put(found: re.Match[str]) -> str:
        extra = found["extra"] or ""
        return f"tensorflow{extra}=={own}" if own else f"tensorflow{extra}"

    if _EXAMPLE.search(line) and not own and "[and-cuda]" not in line:
        return _EXAMPLE.sub(lambda _: f'"tensorflow=={OWN_RELEASE}"', line)
    return _EXAMPLE.sub(put, line)
