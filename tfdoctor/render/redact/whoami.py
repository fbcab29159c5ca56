"""Who runs the doctor and where, so that the report can leave it out."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Mapping

from tfdoctor.render.redact.identity import Identity
from tfdoctor.render.redact.secrets import SECRET_NAME

_SHORTEST_SECRET = 8


def whoami(environ: Mapping[str, str]) -> Identity:
    """The account by the environment and by the user database, and the machine's names."""
    user, account_home = "", ""
    with contextlib.suppress(ImportError, KeyError, OSError):
        import pwd

        account = pwd.getpwuid(os.getuid())
        user, account_home = account.pw_name, account.pw_dir
    given = next(
        (environ[name] for name in ("SUDO_USER", "USER", "LOGNAME", "USERNAME") if environ.get(name)), ""
    )
    return Identity(
        user=given or user,
        home=environ.get("HOME") or environ.get("USERPROFILE") or "",
        account_home=account_home,
        hosts=_hosts(environ),
        secrets=_secrets(environ),
    )


def _secrets(environ: Mapping[str, str]) -> tuple[str, ...]:
    """Not short ones, which may be words ("true"), nor paths to where a secret is, which tell none."""
    long = {name: value for name, value in environ.items() if len(value) >= _SHORTEST_SECRET}
    named = {value for name, value in long.items() if SECRET_NAME.search(name)}
    return tuple(sorted(value for value in named if not os.path.exists(value)))


def _hosts(environ: Mapping[str, str]) -> tuple[str, ...]:
    names = {environ.get("HOSTNAME", ""), environ.get("COMPUTERNAME", "")}
    with contextlib.suppress(OSError, AttributeError):
        names.add(os.uname().nodename)  # no look-up in the network; Windows says it in COMPUTERNAME
    names |= {name.partition(".")[0] for name in names}
    return tuple(sorted(name for name in names if name))
