"""Where reports about kernels go: each is whole when it appears, and the newest fifty stay."""

from __future__ import annotations

import contextlib
import errno
import os
import re
import time
from collections.abc import Mapping
from pathlib import Path

from tfdoctor.base.user_folders import NO_HOME, state_home

KEPT = 50
FOLDER = "TFDOCTOR_REPORT_DIR"
_OURS = re.compile(r"kernel-\d{8}T\d{6}\.\d{3}Z-\w{1,36}\.json")


def folder_of(environ: Mapping[str, str]) -> Path:
    """TFDOCTOR_REPORT_DIR, else ${XDG_STATE_HOME:-~/.local/state}/tfdoctor. Raises OSError where no home directory is known."""
    if environ.get(FOLDER):
        return Path(os.path.expanduser(environ[FOLDER])).absolute()
    base = state_home(environ)
    if not base:
        raise FileNotFoundError(errno.ENOENT, f"{NO_HOME}; set {FOLDER}")
    return Path(base) / "tfdoctor"


def keep(folder: Path, kernel_id: str, data: bytes, died_at: float) -> Path:
    """Writes the report, readable by its owner alone, and renames it into place. Raises OSError."""
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    moment = (
        time.strftime("%Y%m%dT%H%M%S", time.gmtime(died_at)) + f".{int(died_at % 1 * 1000):03}Z"
    )
    name = f"kernel-{moment}-{re.sub(r'[^A-Za-z0-9]', '', kernel_id)[:12] or 'unnamed'}"
    path, beside = folder / f"{name}.json", folder / f".{name}.{os.getpid()}.part"
    try:
        handle = os.open(
            beside, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600
        )
        with open(handle, "wb") as file:
            file.write(data)
        os.replace(beside, path)
    except OSError:
        with contextlib.suppress(OSError):
            beside.unlink()
        raise
    _leave_newest(folder)
    return path


def newest(folder: Path) -> list[Path]:
    """Reports about kernels, the newest first; nobody else's files."""
    with contextlib.suppress(OSError):
        return sorted(
            (path for path in folder.iterdir() if _OURS.fullmatch(path.name)), reverse=True
        )
    return []


def _leave_newest(folder: Path) -> None:
    for old in newest(folder)[KEPT:]:
        with contextlib.suppress(OSError):
            old.unlink()
