"""`tfdoctor mcp`: what an assistant may see, then the server."""

from __future__ import annotations

import asyncio
import errno
import gc
import os
import sys

from tfdoctor.apps.cli.guard import UsageError, install_extra, say
from tfdoctor.apps.cli.options import MCP
from tfdoctor.apps.cli.output import need_standard_output
from tfdoctor.apps.cli.parse import parse_args
from tfdoctor.apps.cli.settings import refuse_broken_settings


def main(arguments: list[str]) -> int:
    """The exit status. Raises UsageError and HelpAsked."""
    fields = parse_args(MCP, arguments, os.environ).fields()
    refuse_broken_settings()
    need_standard_output()
    if sys.stdin is None:
        raise OSError(errno.EBADF, "standard input is closed")
    for path in fields["python"]:
        if not os.path.exists(os.path.expanduser(path)):
            raise UsageError(f"--python {path}: no such file or directory")
    folders = [os.path.expanduser(folder) for folder in fields["allow"]]
    for folder in folders:
        if not os.access(folder, os.R_OK | os.X_OK) or not os.path.isdir(folder):
            raise UsageError(f"--allow {folder}: can't read this directory")
    gc.disable()  # the SDK makes a thousand types: 0.60 s of CPU against 0.73 (2026-11-28)
    try:
        from tfdoctor.apps.assistant.server import serve
    except ImportError as error:  # it is missing, or its first version, which had other names
        raise UsageError(f"it needs one more package: {install_extra('mcp')}") from error
    gc.enable()
    from tfdoctor.apps.assistant.allowed import Allowed
    from tfdoctor.say.redact.identity import identity

    if sys.stdin.isatty():
        say(
            "waiting for an assistant on standard input; docs/mcp.md says how one starts it. Ctrl-C ends it."
        )
    try:
        asyncio.run(serve(Allowed(fields["python"], folders, identity(os.environ))))
    except Exception as error:
        raise _innermost(error) from error
    return 0


def _innermost(error: Exception) -> Exception:
    """What went wrong, out of the groups in which a library hands it on: a full disk, a client that is gone."""
    while parts := getattr(error, "exceptions", ()):
        error = parts[0]
    return error
