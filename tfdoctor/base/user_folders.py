"""The user's own directories. A container's user may have none: no HOME, and a number that the user database doesn't list."""

from __future__ import annotations

import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

NO_HOME = "the home directory is not known: HOME is not set, and the user has no entry in the user database"


def named_home(environ: Mapping[str, str]) -> str:
    """The home directory that the environment names; "" where it names none. A relative one is none."""
    for name in ("USERPROFILE", "HOME") if os.name == "nt" else ("HOME", "USERPROFILE"):
        if os.path.isabs(environ.get(name, "")):
            return environ[name]
    return ""


def home(environ: Mapping[str, str]) -> str:
    """The home directory by the environment, else by the user database; "" where neither tells it."""
    return named_home(environ) or _account_home()


def _account_home() -> str:
    try:
        import pwd

        found = pwd.getpwuid(os.getuid()).pw_dir
    except (ImportError, KeyError, OSError):
        return ""
    return found if os.path.isabs(found) else ""


def state_home(environ: Mapping[str, str]) -> str:
    """${XDG_STATE_HOME:-~/.local/state}; "" where no home directory is known."""
    return _base(environ, "XDG_STATE_HOME", os.path.join(".local", "state"))


def cache_home(environ: Mapping[str, str]) -> str:
    """${XDG_CACHE_HOME:-~/.cache}; "" where no home directory is known."""
    return _base(environ, "XDG_CACHE_HOME", ".cache")


def _base(environ: Mapping[str, str], variable: str, below: str) -> str:
    """XDG Base Directory Specification 0.8: a relative path in a variable is invalid and does not count."""
    named, user = environ.get(variable, ""), home(environ)
    if named.startswith("/"):
        return named
    return os.path.join(user, below) if user else ""


_TEMPORARY_FOLDERS = ("/tmp", "/var/tmp", "/usr/tmp")  # noqa: S108  # asked about, not written


def temporary_folders(environ: Mapping[str, str]) -> tuple[str, ...]:
    """Where Python's tempfile looks for a folder, in its order (_candidate_tempdir_list of 3.10 to 3.14). Importing it takes 4 ms."""
    return (*named_temporary_folders(environ), *_TEMPORARY_FOLDERS, os.curdir)


def named_temporary_folders(environ: Mapping[str, str]) -> list[str]:
    return [environ[name] for name in ("TMPDIR", "TEMP", "TMP") if environ.get(name)]


def first_writable(folders: Iterable[str]) -> str:
    """The first of them in which this user may write; "" where there is none."""
    may = (each for each in folders if os.path.isdir(each) and os.access(each, os.W_OK | os.X_OK))
    return next(may, "")
