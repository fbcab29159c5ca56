"""`check --smoke none` for a health check without an examination that counts: in a child, its result as a state."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tfdoctor.cli.check.run import FAIL_ON, Wishes, examined, options_of
from tfdoctor.cli.guard import UsageError
from tfdoctor.findings.catalog import CODES
from tfdoctor.health.state_writer import default_path, keep, state_of
from tfdoctor.matrix.load import load_in_force
from tfdoctor.matrix.model import MatrixError

if TYPE_CHECKING:
    from tfdoctor.health.options import Options
    from tfdoctor.system.forked import Send


def examine(options: Options, require_gpu: bool | None, expected: list[str], send: Send) -> None:
    """Says the new `state`, and why it is `not_kept`; or why the examination was `refused`.

    expected: GPUs that were there. Where one is gone the old state stays, so that the next check misses it, too.
    """
    if options.node:
        os.environ.pop("CUDA_VISIBLE_DEVICES", None)
    fail_on = os.environ.get("TFDOCTOR_FAIL_ON", "")
    wishes = Wishes(
        python=options.python,
        smoke="none",
        require_gpu=require_gpu,
        fail_on=fail_on if fail_on in FAIL_ON else FAIL_ON[0],
        ignore=tuple(code for code in os.environ.get("TFDOCTOR_IGNORE", "").split() if code in CODES),
        matrix=os.environ.get("TFDOCTOR_MATRIX", ""),
        sysroot=options.sysroot or "/",
        as_owner=options.as_owner,
    )
    try:
        demands = options_of(wishes)
        matrix = load_in_force(Path(wishes.matrix)) if wishes.matrix else None
        report = examined(wishes, demands, lambda: matrix or load_in_force())
    except (UsageError, MatrixError) as error:
        send("refused", str(error))
        return
    state = state_of(report, wishes.fail_on, demands.settings)
    here = {gpu["uuid"] for gpu in state["gpus"]}
    if here.issuperset(expected):
        send("not_kept", _kept(state, options))
    send("state", state)


def _kept(state: dict[str, Any], options: Options) -> str:
    """Why the state could not be written; "" where it was. Of a sysroot only a named file is."""
    if options.sysroot and not options.state:
        return "--sysroot"
    try:
        keep(state, Path(options.state) if options.state else default_path())
    except OSError as error:
        return error.strerror or str(error)
    return ""
