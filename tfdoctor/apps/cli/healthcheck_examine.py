"""`check --smoke none` for a health check without an examination that counts: in a child, its result as a state."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from tfdoctor.apps.cli.check_command import CheckOptions, examined, options_of
from tfdoctor.apps.cli.options import CHECK
from tfdoctor.apps.cli.parse import UsageError, parse_args
from tfdoctor.apps.cli.settings import read_settings
from tfdoctor.apps.health.state_writer import default_path, keep, state_of
from tfdoctor.ask.probes.python.ownership import runs_as, stranger
from tfdoctor.ask.probes.request import Request, RequestError
from tfdoctor.base.sysroot import System
from tfdoctor.facts.codec import to_json
from tfdoctor.knowledge.matrix.load import load_in_force
from tfdoctor.knowledge.matrix.model import MatrixError

_OF_CHECK = ("TFDOCTOR_FAIL_ON", "TFDOCTOR_IGNORE", "TFDOCTOR_MATRIX")

if TYPE_CHECKING:
    from tfdoctor.apps.health.options import Options
    from tfdoctor.apps.health.state import State
    from tfdoctor.base.forked import Send
    from tfdoctor.report.settings import Settings


def examine(options: Options, require_gpu: bool | None, before: State | None, send: Send) -> None:
    """Says the new `state`, and why it is `not_kept`; or why the examination was `refused`.

    before: the last state. The same Python is examined again unless another is named; where a GPU is gone that was there
    the old state stays, so that the next check misses it, too.
    """
    if options.node:
        os.environ.pop("CUDA_VISIBLE_DEVICES", None)
    named = options.python or _examined_before(before, options)
    theirs = options.node and _is_anothers(options, named)
    try:
        settings = read_settings()
        python = sys.executable if theirs else named
        asked = _check_options(options, python, require_gpu, settings)
        demands = options_of(asked, settings)
        matrix = load_in_force(asked.matrix) if asked.matrix else None
        report = examined(asked, demands, lambda: matrix or load_in_force())
    except (UsageError, MatrixError) as error:
        send("refused", str(error))
        return
    state = state_of(report, asked.fail_on, demands.settings)
    here = {gpu.uuid for gpu in state.gpus}
    if before is None or here.issuperset(gpu.uuid for gpu in before.gpus):
        send(
            "not_kept",
            "another user can change the environment" if theirs else _kept(state, options),
        )
    send("state", to_json(state))


def _examined_before(before: State | None, options: Options) -> str:
    """The interpreter of the last state; "" where it is gone, or a sysroot is asked about."""
    if before is None or options.sysroot or not os.path.exists(before.python):
        return ""
    return before.python


def _is_anothers(options: Options, python: str) -> bool:
    """Whether a node's check, run by root, would start what another user can change. It then examines tfdoctor's own Python:
    driver and devices are all that counts of a node.
    """
    try:
        request = Request(
            System(Path(options.sysroot or "/")), python=python, as_owner=options.as_owner
        )
        return stranger(request) is not None and not runs_as(request)
    except RequestError:
        return False  # there is none to start; the examination says so


def _check_options(
    options: Options, python: str, require_gpu: bool | None, settings: Settings
) -> CheckOptions:
    """What `check` would read of the variables that only it has, and of the settings."""
    variables = {name: os.environ[name] for name in _OF_CHECK if name in os.environ}
    fields = parse_args(CHECK, [], variables).fields(settings.options)
    del fields["no_plugins"]
    asked = {"require_gpu": require_gpu} if require_gpu is not None else {}
    return CheckOptions(
        **fields | asked | {
            "python": python, "smoke": "none", "sysroot": options.sysroot or "/", "as_owner": options.as_owner,
            "timeout_s": None,
        },
    )  # fmt: skip


def _kept(state: State, options: Options) -> str:
    """Why the state could not be written; "" where it was. Of a sysroot only a named file is."""
    if options.sysroot and not options.state:
        return "--sysroot"
    try:
        keep(state, Path(options.state) if options.state else default_path())
    except OSError as error:
        return error.strerror or str(error)
    return ""
