"""Runs programs in a private mount and process namespace, in which another directory stands in a directory's place.

Nobody else sees that directory there, and all that a program started ends with it. Without root this needs a user namespace
(user_namespaces(7)); the user stays who they are in it.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from tfdoctor.base.child import ChildResult, run_child
from tfdoctor.base.records import record

_PROBE_S = 20.0
REFUSED = 113  # what `inside.py` ends with where it could not make the namespace


@record
class Namespace:
    """`source` is seen at `target`, with `read_only` for nobody to write."""

    source: Path
    target: Path
    read_only: bool = False

    def command(self, argv: Sequence[str]) -> list[str]:
        """What runs these words in it."""
        path = [os.path.abspath(f"{__file__}/../../../.."), *filter(None, sys.path)]
        start = f"import sys; sys.path[:] = {path!r}; from tfdoctor.apps.repair.inside import main; main()"
        how = "ro" if self.read_only else "rw"
        return [sys.executable, "-I", "-c", start, how, str(self.source), str(self.target), *argv]


def run_in(
    namespace: Namespace | None,
    argv: Sequence[str],
    *,
    timeout_s: float,
    env: Mapping[str, str] | None = None,
    cwd: str | None = None,
) -> ChildResult:
    """How it ended there, or that the namespace could not be made (`REFUSED`). With None it runs in the open, where what it starts goes
    on if this process is killed.
    """
    command = argv if namespace is None else namespace.command(argv)
    return run_child(command, timeout_s=timeout_s, env=env, cwd=cwd, keep_bytes=1 << 26)


ANYWHERE = Namespace(Path("/"), Path("/"))
"""One in which everything is in its own place: for a check that is compared with one in another."""


def unavailable() -> str:
    """Why no such namespace can be made here, in one clause; "" where it can."""
    if sys.platform != "linux":
        return "private namespaces exist on Linux only"
    tried = run_in(ANYWHERE, (sys.executable, "-I", "-c", ""), timeout_s=_PROBE_S)
    if tried.ok:
        return ""
    said = tried.stderr.decode("utf-8", "replace").strip().rpartition("\n")[2]
    return said if tried.status == REFUSED and said else f"a private namespace {tried.describe()}"
