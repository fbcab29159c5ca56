"""The examined system: its files below a root, its environment variables, and whether it is alive.

With a root other than "/" it is an unpacked image or a recorded machine: its files are read, its programs are
never run, and links that lead out of it are followed inside it, as a chroot would.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from pathlib import Path, PurePosixPath

from tfdoctor.base.records import field, record
from tfdoctor.base.safe_open import head_of, list_folder, resolve_inside, stay_inside

MOST_FOLDERS = 1000
"""Of a variable such as PATH; clusters with modules have a hundred."""
# No text file that a probe reads is larger; a broken /proc must not fill the memory.
_MOST_BYTES = 4 << 20


@record
class System:
    """Where and how to look. `environ` is the user's, as the examined program would get it."""

    root: Path = Path("/")
    environ: Mapping[str, str] = field(default_factory=lambda: dict(os.environ))

    def __post_init__(self) -> None:
        if not self.live:
            stay_inside(self.root)

    @property
    def live(self) -> bool:
        """False for an unpacked system (`--sysroot`), which has no processes, mounts or driver."""
        return self.root == Path("/")

    def path(self, name: str) -> Path:
        """The real path of the system's file `name` (absolute), links resolved inside the root. Raises OSError."""
        if self.live:
            return Path(name)
        return resolve_inside(self.root, PurePosixPath(name))

    def inside(self, path: Path) -> str:
        """The name that a real path has inside the system, for reports."""
        if self.live:
            return str(path)
        return (
            "/" + str(path.relative_to(self.root)) if path.is_relative_to(self.root) else str(path)
        )

    def read(self, name: str) -> str:
        """The file's text, undecodable bytes replaced, at most 4 MiB. Raises OSError."""
        return head_of(self.path(name), _MOST_BYTES).decode("utf-8", "replace")

    def folders(self, variable: str, separators: str = os.pathsep) -> list[str]:
        """What an environment variable lists, at most `MOST_FOLDERS`; an empty entry stays one."""
        text = self.environ.get(variable, "")
        for other in separators[1:]:
            text = text.replace(other, separators[0])
        return text.split(separators[0], MOST_FOLDERS)[:MOST_FOLDERS] if text else []

    def program_folders(self) -> list[str]:
        """Those of PATH, without relative ones: `PATH=.` must not start a program of whatever folder one stands in."""
        folders = [folder for folder in self.folders("PATH") if os.path.isabs(folder)]
        return folders or [
            folder for folder in os.defpath.split(os.pathsep) if os.path.isabs(folder)
        ]

    def programs(self, name: str) -> Iterator[Path]:
        """The programs of that name in PATH's folders, in their order. One that can't be searched is passed over, as by execvp(3)."""
        for folder in self.program_folders():
            for candidate in (name, f"{name}.exe") if os.name == "nt" else (name,):
                try:
                    path = self.path(folder) / candidate
                except OSError:
                    continue
                if self.live:
                    found = os.path.isfile(path) and os.access(path, os.X_OK)
                else:
                    found = self.exists(self.inside(path))
                if found:
                    yield path

    def exists(self, name: str) -> bool:
        """Whether the file is there. A permission that forbids to know counts as not there."""
        try:
            return os.path.exists(self.path(name))
        except OSError:
            return False

    def list(self, name: str) -> list[str]:
        """The names in a folder, sorted; [] where there is no such folder. Raises PermissionError."""
        try:
            return list_folder(self.path(name))
        except (FileNotFoundError, NotADirectoryError):
            return []


def without_working_folder(environ: Mapping[str, str]) -> dict[str, str]:
    """The environment for an examined interpreter: PYTHONPATH less the working folder, which is judged apart."""
    chosen = dict(environ)
    entries = environ.get("PYTHONPATH", "").split(os.pathsep)
    safe = [entry for entry in entries if entry and os.path.normpath(entry) != os.curdir]
    if safe != entries:
        chosen["PYTHONPATH"] = os.pathsep.join(safe)
    if not safe:
        chosen.pop("PYTHONPATH", None)
    return chosen
