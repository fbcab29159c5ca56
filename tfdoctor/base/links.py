"""Follows symbolic links as the kernel would, where somebody must be asked about each. Imports next to nothing."""

from __future__ import annotations

import errno
import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

_MOST = 40  # the kernel's own limit on links in one path (path_resolution(7), ELOOP)


def follow(name: str, target_of: Callable[[str], str | None], root: str = "") -> str:
    """The real path of `name` (absolute), as chroot(2) into `root` would find it. Raises OSError (ELOOP).

    target_of: what the link at a path says, None where there is none.
    """
    left, done, links = name.split("/")[::-1], [root], 0
    while left:
        part = left.pop()
        if part in ("", "."):
            continue
        if part == "..":
            del done[max(len(done) - 1, 1) :]
            continue
        target = target_of("/".join((*done, part)))
        if target is None:
            done.append(part)
            continue
        links += 1
        if links > _MOST:
            raise OSError(errno.ELOOP, os.strerror(errno.ELOOP), name)
        left += target.split("/")[::-1]
        if target.startswith("/"):
            del done[1:]
    return "/".join(done)
