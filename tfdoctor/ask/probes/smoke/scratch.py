"""What the programs of the ladder run in: a scratch folder, an environment that points into it, a bound of memory."""

from __future__ import annotations

import contextlib
import itertools
import os
import re
import time
from collections.abc import Iterator, Mapping
from pathlib import Path

from tfdoctor.base import supervised
from tfdoctor.base.owners import Owner, environment_of
from tfdoctor.base.safe_open import open_regular
from tfdoctor.base.sysroot import without_working_folder
from tfdoctor.base.user_folders import first_writable, temporary_folders
from tfdoctor.facts.model import Facts
from tfdoctor.facts.outcome import Known

GIB = 1 << 30
MEMORY_BOUND = 4 * GIB
"""Of a child's own memory (RSS without pages of files). TensorFlow 2.21 needs 0.2–0.6 GiB for all computations here."""
PER_GPU = GIB // 2  # what a CUDA context and its libraries take on the host, amply
ROOM_SHARE = 0.9  # of what is left in RAM or the cgroup: the child is ended before the kernel has to choose a victim
LEAST_BOUND = 64 << 20

_POINTED = {
    "KERAS_HOME": "keras",
    "CUDA_CACHE_PATH": "cuda",
    "XDG_CACHE_HOME": "cache",
    "MPLCONFIGDIR": "matplotlib",
    "TMPDIR": "tmp",
}
_SAID = {
    "PYTHONDONTWRITEBYTECODE": "1",
    "TF_CPP_MIN_LOG_LEVEL": "0",  # its log is evidence, also where the user silenced it
    "TF_FORCE_GPU_ALLOW_GROWTH": "true",  # the examined GPU may be in use
}
_LEFT_OUT = ("PYTHONINSPECT", "PYTHONSTARTUP")  # they would turn a finished child into a prompt


_PREFIX = "tfdoctor-"
OURS = "keras"  # what `environment` makes in each: others may have folders of such a name
# As tempfile names it; removed only where nothing is in it.
_OURS_EMPTY = re.compile(rf"{_PREFIX}[a-z0-9_]{{8}}")
_MOST_TRIES = 5
_MOST_KERAS_BYTES = 64 << 10  # of keras.json, which has four lines
_MOST_FORGOTTEN = 100
_STANDING: set[Path] = set()
_DYING_S = 1.0  # how long a killed child may still write into its folder


class Scratch:
    """A folder for everything that the programs write. Raises OSError where none can be made.

    It is locked as long as this process lives: one that was killed leaves a folder without a lock, and the next
    process removes it.
    """

    def __init__(self) -> None:
        remove_forgotten()
        self.folder, self._lock = _made()
        _STANDING.add(self.folder)
        supervised.tell("made", str(self.folder))

    def remove(self) -> None:
        _remove(self.folder)
        supervised.tell("gone", str(self.folder))
        _STANDING.discard(self.folder)
        if self._lock >= 0:
            os.close(self._lock)
            self._lock = -1


@contextlib.contextmanager
def scratch_folder() -> Iterator[Path]:
    """One that is gone afterwards; where this process is killed in the middle, the next one removes it. Raises OSError."""
    scratch = Scratch()
    try:
        place = scratch.folder / OURS
        place.mkdir()
        yield place
    finally:
        scratch.remove()


def _made() -> tuple[Path, int]:
    """A new folder and its lock. A process beside may take it for forgotten before it is locked, and remove it."""
    import tempfile  # with shutil 4 ms, and a static examination needs no folder

    for _ in range(_MOST_TRIES - 1):
        folder = Path(tempfile.mkdtemp(prefix=_PREFIX))
        handle = _locked(folder)
        if handle >= 0 and folder.is_dir():
            return folder, handle
        if handle >= 0:
            os.close(handle)
        with contextlib.suppress(OSError):
            folder.rmdir()
    folder = Path(tempfile.mkdtemp(prefix=_PREFIX))  # this file system may have no locks
    return folder, _locked(folder)


def _locked(folder: Path) -> int:
    """A handle that holds the folder's lock; -1 where another holds it, or where there are no locks."""
    try:
        import fcntl

        handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)
    except (ImportError, OSError):
        return -1
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        os.close(handle)
        return -1
    return handle


def remove_forgotten() -> None:
    """This user's folders of earlier processes that were killed: what is in them was made under the lock, or nothing is."""
    if not hasattr(os, "geteuid"):
        return
    found = first_writable(temporary_folders(os.environ))
    if not found:
        return  # nothing can be written anywhere, so nothing was left behind
    place = Path(found)
    for folder in itertools.islice(place.glob(f"{_PREFIX}*"), _MOST_FORGOTTEN):
        with contextlib.suppress(OSError):
            if folder.lstat().st_uid != os.geteuid() or folder.is_symlink():
                continue
            if not (_OURS_EMPTY.fullmatch(folder.name) or (folder / OURS).is_dir()):
                continue
            if (handle := _locked(folder)) >= 0:
                (_remove if (folder / OURS).is_dir() else Path.rmdir)(folder)
                os.close(handle)


def _remove(folder: Path) -> None:
    import shutil

    shutil.rmtree(folder, ignore_errors=True)


def remove_all_scratch() -> None:
    """For the end of the program by a signal, after the children's: they need a moment to be gone."""
    until = time.monotonic() + _DYING_S
    for folder in list(_STANDING):
        _remove(folder)
        while folder.exists() and time.monotonic() < until:
            time.sleep(0.02)
            _remove(folder)


def program_for(owner: Owner | None, program: str, scratch: Path) -> str:
    """The program's path; for another user a copy of it and of what is beside it, for ours may be out of reach."""
    if owner is None:
        return program
    import shutil

    copies = scratch / "programs"
    if not copies.exists():
        shutil.copytree(
            os.path.dirname(program), copies, ignore=shutil.ignore_patterns("__pycache__")
        )
        for path in (copies, *copies.rglob("*")):
            path.chmod(0o755)
    return str(copies / os.path.basename(program))


def environment(
    environ: Mapping[str, str], scratch: Path, owner: Owner | None = None
) -> dict[str, str]:
    """The user's environment with everything that writes pointed into the scratch folder.

    PYTHONPATH and the user site stay in force. The user's keras.json is copied, so that its backend is the user's.
    """
    chosen = {
        name: value
        for name, value in without_working_folder(environ).items()
        if name not in _LEFT_OUT
    }
    if owner is not None:
        scratch.chmod(0o711)
    for name, folder in _POINTED.items():
        (scratch / folder).mkdir(exist_ok=True)
        if owner is not None:
            os.chown(scratch / folder, owner.uid, owner.gid)
        chosen[name] = str(scratch / folder)
    chosen |= _SAID
    chosen.setdefault("TF_CPP_VMODULE", "dso_loader=1")  # names the libraries that it can't open
    _copy_keras_settings(
        environ if owner is None else environment_of(owner, environ), scratch / "keras", owner
    )
    return chosen


def _copy_keras_settings(environ: Mapping[str, str], target: Path, owner: Owner | None) -> None:
    home = environ.get("KERAS_HOME") or (f"{environ['HOME']}/.keras" if environ.get("HOME") else "")
    with contextlib.suppress(
        OSError
    ):  # most users have none; TensorFlow then takes its defaults, as it would
        if not home or (target / "keras.json").exists():
            return
        with open_regular(f"{home}/keras.json") as file:
            if owner is not None and os.fstat(file.fileno()).st_uid != owner.uid:
                return  # a link of the owner's to what root alone may read
            (target / "keras.json").write_bytes(file.read(_MOST_KERAS_BYTES))


def memory_bound(facts: Facts) -> int:
    """How many bytes of its own a child may take, as far as memory and GPUs are known by now."""
    devices, memory = facts.driver.devices, facts.memory
    gpus = len(devices.value) if isinstance(devices, Known) else 0
    rooms = [MEMORY_BOUND + PER_GPU * gpus]
    if isinstance(memory.ram_available, Known):
        rooms.append(int(memory.ram_available.value * ROOM_SHARE))
    if isinstance(memory.cgroup_limit, Known) and isinstance(memory.cgroup_used, Known):
        rooms.append(int((memory.cgroup_limit.value - memory.cgroup_used.value) * ROOM_SHARE))
    return max(min(rooms), LEAST_BOUND)
