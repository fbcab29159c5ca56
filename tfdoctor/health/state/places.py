"""Where the health check keeps things: the state of the last examination, and what probes tell each other.

| what | places, the first that can be used |
| --- | --- |
| state | --state or TFDOCTOR_STATE; else `$XDG_STATE_HOME/tfdoctor`, `~/.local/state/tfdoctor`, the runtime folder |
| runtime folder | `$XDG_RUNTIME_DIR/tfdoctor`, `/tmp/tfdoctor-<uid>`, `/dev/shm/tfdoctor-<uid>` |

A runtime folder is where everybody may write, so it counts only where it belongs to this user, nobody else may
enter it, and it is no link.
"""

from __future__ import annotations

import os

STATE_FILE = "state.json"


def runtime_folders(environ: dict[str, str]) -> list[str]:
    """Candidates, best first."""
    user = os.geteuid()
    own = environ.get("XDG_RUNTIME_DIR", "")
    shared = [f"/tmp/tfdoctor-{user}", f"/dev/shm/tfdoctor-{user}"]  # noqa: S108  # its owner and mode are checked
    return ([f"{own}/tfdoctor"] if own.startswith("/") else []) + shared


def open_private(folder: str) -> int:
    """A handle on the folder, made if need be. Raises OSError where it can't be made or is not this user's alone."""
    try:  # noqa: SIM105  # contextlib costs more than all of this file
        os.mkdir(folder, 0o700)
    except FileExistsError:
        pass  # made by an earlier probe; whose it is, is looked at next
    handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)
    status = os.fstat(handle)
    if status.st_uid != os.geteuid() or status.st_mode & 0o077:
        os.close(handle)
        raise PermissionError(1, "it is not this user's alone", folder)
    return handle


def runtime_folder(environ: dict[str, str]) -> tuple[int, str]:
    """A handle on the runtime folder and its path. Raises OSError with the last place's reason where none serves."""
    for folder in runtime_folders(environ):
        try:
            handle = open_private(folder)
            if os.access(".", os.W_OK, dir_fd=handle):
                return handle, folder
            os.close(handle)
            error = OSError(30, "it can't be written to", folder)
        except OSError as reason:
            error = reason
    raise error


def state_files(environ: dict[str, str]) -> list[str]:
    """Where a state may be when none is named, best first."""
    found = []
    if environ.get("XDG_STATE_HOME", "").startswith("/"):
        found.append(environ["XDG_STATE_HOME"] + "/tfdoctor")
    if environ.get("HOME", "").startswith("/"):
        found.append(environ["HOME"] + "/.local/state/tfdoctor")
    return [f"{folder}/{STATE_FILE}" for folder in [*found, *runtime_folders(environ)]]
