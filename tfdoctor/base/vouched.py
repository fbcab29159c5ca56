"""Whether nobody but root and this process's user can change what lies at a path, and so what is loaded or run from there."""

from __future__ import annotations

import os
import stat
from pathlib import PurePath


def only_ours(path: str) -> bool:
    """By owner and mode of the file and of all folders above it, also of those that links lead to. False where that can't be seen.

    The file itself may be missing, if nobody else can put it there: a command may make it.
    """
    if not hasattr(os, "geteuid") or not os.path.isabs(path):
        return False
    places = [PurePath(path), PurePath(os.path.realpath(path))]
    ends = {place if os.path.lexists(place) else place.parent for place in places}
    above = {folder for end in ends for folder in end.parents}
    return all(_is_ours(str(each), above=False) for each in ends) and all(
        _is_ours(str(folder), above=True) for folder in above
    )


def _is_ours(place: str, *, above: bool) -> bool:
    try:
        status = os.lstat(place)
    except OSError:
        return False
    if status.st_uid not in (0, os.geteuid()):
        return False
    if stat.S_ISLNK(status.st_mode):
        return True  # it has no permissions; where it leads to is looked at, too
    if above and status.st_mode & stat.S_ISVTX:
        return True  # others can't take away or rename what is ours in there
    if status.st_mode & stat.S_IWOTH:
        return False
    return not status.st_mode & stat.S_IWGRP or _is_of_one(status.st_gid)


def _is_of_one(group: int) -> bool:
    """Root's, or one that has no members but this user: many systems give each user such a group, and let it write."""
    import grp
    import pwd

    if group == 0:
        return True
    try:
        entry, user = grp.getgrgid(group), pwd.getpwuid(os.geteuid())
    except KeyError:
        return False
    if set(entry.gr_mem) - {"root", user.pw_name}:
        return False
    return entry.gr_name == user.pw_name or group != user.pw_gid
