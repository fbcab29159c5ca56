"""The user to whom files belong, as somebody whom programs can be started as."""

from __future__ import annotations

import os
from collections.abc import Mapping

from tfdoctor.base.records import record

_ABOUT_ROOT = (
    "XDG_RUNTIME_DIR",
    "XDG_CONFIG_HOME",
    "XDG_STATE_HOME",
    "XDG_DATA_HOME",
    "SUDO_USER",
    "MAIL",
)


@record
class Owner:
    """`groups` are all that the user is in. A number without an entry in the user database has a name like "#1000"."""

    uid: int
    gid: int
    groups: tuple[int, ...]
    name: str
    home: str


def owner(uid: int, gid: int) -> Owner:
    """The user of that number; `gid` is the group where the user database has no entry."""
    import pwd

    try:
        entry = pwd.getpwuid(uid)
        return Owner(
            uid,
            entry.pw_gid,
            tuple(os.getgrouplist(entry.pw_name, entry.pw_gid)),
            entry.pw_name,
            entry.pw_dir,
        )
    except (KeyError, OSError):
        return Owner(uid, gid, (gid,), f"#{uid}", "/")


def environment_of(user: Owner, environ: Mapping[str, str]) -> dict[str, str]:
    """The environment with what names root's places and root itself made the user's."""
    inherited = {name: value for name, value in environ.items() if name not in _ABOUT_ROOT}
    return {**inherited, "HOME": user.home, "USER": user.name, "LOGNAME": user.name}
