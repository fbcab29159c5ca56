"""Where the program starts. Imports next to nothing: the health check has a budget of milliseconds."""

from __future__ import annotations

import os
import sys


def main() -> None:
    """Runs the command line and exits with its status."""
    if sys.argv[1:2] == ["healthcheck"]:
        from tfdoctor.cli.healthcheck import main as healthcheck

        sys.exit(healthcheck(sys.argv[2:]))
    from tfdoctor.cli.guard import guarded

    sys.exit(guarded(_run))


def _run() -> int:
    if sys.argv[1:2] == ["check"]:
        from tfdoctor.cli.check_run import run_check
        from tfdoctor.cli.plain_check import plain_wishes

        wishes = plain_wishes(sys.argv[2:], os.environ)
        if wishes is not None:
            return run_check(wishes)
    from tfdoctor.cli.app import run

    return run(sys.argv[1:])
