"""The last examination as it was kept: where, whose, of which boot, and whether what it saw is still the same.

| what | places, the first that can be used |
| --- | --- |
| state | --state or TFDOCTOR_STATE; else `$XDG_STATE_HOME/tfdoctor`, `~/.local/state/tfdoctor`, the runtime folder |
| runtime folder | `$XDG_RUNTIME_DIR/tfdoctor`, `$TMPDIR/tfdoctor-<uid>` (else in /tmp), `/dev/shm/tfdoctor-<uid>` |

A runtime folder is where everybody may write, so it counts only where it belongs to this user, nobody else may
enter it, and it is no link. A machine is its machine-id and its host name together, hashed: a container has no
machine-id of its own or one that its image brought, but its host name is its own, and a pod's containers share theirs.
machine-id(5) asks that the number be hashed before it is passed on.
"""

from __future__ import annotations

import os
import time

from tfdoctor import __version__
from tfdoctor.base import json_text as light_json
from tfdoctor.base.processes import age as age_of
from tfdoctor.base.records import record
from tfdoctor.facts.codec import DocumentError, from_json

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def in_words(seconds: float) -> str:
    """ "5 min" and its like, for a person."""
    for name, length in (("d", 86400), ("h", 3600), ("min", 60)):
        if seconds >= 2 * length:
            return f"{int(seconds / length)} {name}"
    return f"{int(seconds)} s"


def since_boot() -> float:
    """Seconds since the machine started, sleep included; nobody can set this clock."""
    return time.clock_gettime(time.CLOCK_BOOTTIME)


def age_of_process() -> float:
    """Seconds since this process was started: its interpreter's start-up counts. Without /proc its CPU time."""
    try:
        return max(age_of(os.getpid()), 0.0)
    except (OSError, ValueError, IndexError):
        return time.process_time()


MACHINE_ID = ("/etc/machine-id", "/var/lib/dbus/machine-id")
BOOT_ID = "/proc/sys/kernel/random/boot_id"


def text_of(path: str, limit: int = 65536) -> str:
    """The file's text. Raises OSError."""
    handle = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK)
    try:
        parts, left = [], limit
        while left > 0 and (part := os.read(handle, min(left, 65536))):
            parts.append(part)
            left -= len(part)
    finally:
        os.close(handle)
    return b"".join(parts).decode("utf-8", "replace")


def machine_id() -> str:
    """The hash that stands for this machine or pod."""
    try:  # all that hashlib would do is to load a library of TLS, which costs as much as the rest of a probe
        from _blake2 import blake2s
    except ImportError:
        from hashlib import blake2s

    number = ""
    for path in MACHINE_ID:
        try:
            number = number or text_of(path).strip()
        except OSError:
            continue  # many images have none, and the host name alone then decides
    return blake2s(
        f"tfdoctor\0{number}\0{os.uname().nodename}".encode(), digest_size=16
    ).hexdigest()


def boot_id() -> str:
    """The running kernel's boot; "" where it can't be read, which equals no boot."""
    try:
        return text_of(BOOT_ID).strip()
    except OSError:
        return ""


STATE_FILE = "state.json"


def runtime_folders(environ: dict[str, str]) -> list[str]:
    """Candidates, best first."""
    user = os.geteuid()
    own = environ.get("XDG_RUNTIME_DIR", "")
    temporary = environ.get("TMPDIR", "")
    if not temporary.startswith("/"):
        temporary = "/tmp"  # noqa: S108  # the owner and mode of what is there are checked
    shared = [f"{temporary}/tfdoctor-{user}", f"/dev/shm/tfdoctor-{user}"]  # noqa: S108  # as above
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


SCHEMA_VERSION = "1.0"
MOST_BYTES = 1 << 20
SETTINGS = "the settings"
"""The label of their file among those of a state."""
NEVER = "never examined (tfdoctor check --state)"


@record
class KnownGpu:
    uuid: str
    name: str
    ecc: int  # uncorrectable memory errors; -1: none are kept


@record
class State:
    """The kept verdict of the last full examination, for health checks. `state_writer.py` writes it."""

    schema_version: str  # another major version is not used
    tool: str
    written_at: float  # seconds since 1970
    boot_id: str
    since_boot: float  # seconds since the start of that boot
    machine: str  # whose it is: `machine_id`
    uid: int
    verdict: str
    summary: str
    roots: tuple[str, ...]  # codes
    python: str  # the examined interpreter
    driver_version: str
    gpus: tuple[KnownGpu, ...]
    cuda_count: int  # -1: not told
    # hardware's: number, bus, seconds since boot; None: the log was closed.
    xids: tuple[tuple[int, str, float], ...] | None
    files: tuple[tuple[str, str, int, int], ...]  # label, path, size, time of change in ns
    failing: tuple[tuple[str, str, bool, str], ...]
    """What fails the check: code, family, whether it is about GPUs alone, role."""
    nvml_started: bool
    ignored: tuple[str, ...]  # codes that were found and do not count, by an option or the settings
    plugins: tuple[str, ...] = ()  # those that had a say in it: names and versions


class Unusable(Exception):  # noqa: N818  # an answer about the file, not an error of ours
    """There is no state that counts; the message says why in one short clause."""


def read_state(named: str, python: str, environ: dict[str, str]) -> dict[str, Any]:
    """`state` and what Files says of it, or `state_error`. python: the one that it must be about; "" for any."""
    try:
        path, state = _usable([named] if named else _ours(state_files(environ)))
        if python and not _is_about(state.python, python):
            raise Unusable(f"the state is about another Python, {state.python}")
    except Unusable as reason:
        return {"state_error": str(reason)}
    same_boot = bool(state.boot_id) and state.boot_id == boot_id()
    return {
        "state_path": path,
        "same_boot": same_boot,
        "state_age": age(state, same_boot=same_boot),
        "state": state,
    }


def _is_about(examined: str, python: str) -> bool:
    """Whether this interpreter is the one that --python names: a program, a name on PATH, or an environment's folder."""
    path = os.path.expanduser(python)
    if path == examined:
        return True
    if os.sep not in path and not os.path.lexists(path):
        from shutil import which  # seldom needed, and slow to import

        path = which(path) or path
    if not os.path.isdir(path) and os.path.realpath(path) != os.path.realpath(examined):
        return False
    folder = (
        path if os.path.isdir(path) else os.path.dirname(os.path.dirname(os.path.abspath(path)))
    )
    return os.path.realpath(folder) == os.path.realpath(os.path.dirname(os.path.dirname(examined)))


def _ours(places: list[str]) -> list[str]:
    """Those that nobody but this user and root can have put there, the newest first; of the others nothing is read."""
    found = []
    for path in places:
        try:
            status, folder = os.stat(path), os.lstat(os.path.dirname(path))
        except OSError:
            found.append((-1, path))  # what is wrong with it is told when it is read
            continue
        if {status.st_uid, folder.st_uid} <= {0, os.geteuid()}:
            found.append((status.st_mtime_ns, path))
    return [path for _, path in sorted(found, reverse=True)]


def _usable(places: list[str]) -> tuple[str, State]:
    """The first state that counts, with its path. Raises Unusable with the first reason where none does."""
    reasons = []
    for path in places:
        try:
            state = _parsed(_text(path))
            _check(state)
            return path, state
        except (FileNotFoundError, NotADirectoryError):
            continue
        except OSError as error:
            reasons.append(f"the state file can't be read: {error.strerror}")
        except Unusable as reason:
            reasons.append(str(reason))
    raise Unusable(reasons[0] if reasons else NEVER)


def _text(path: str) -> str:
    """Raises OSError, or Unusable where another user owns it or can have written it."""
    status = os.stat(path)
    if status.st_uid not in (0, os.geteuid()):
        raise Unusable("the state file belongs to another user")
    if status.st_mode & 0o022:
        raise Unusable("other users may write to the state file")
    return text_of(path, MOST_BYTES)


def _parsed(text: str) -> State:
    try:
        document = light_json.loads(text)
    except (ValueError, RecursionError) as error:
        raise Unusable("the state file is cut off or no JSON") from error
    if not isinstance(document, dict) or "schema_version" not in document:
        raise Unusable("the state file is none of tfdoctor's")
    version = str(document["schema_version"])
    if version.split(".")[0] != SCHEMA_VERSION.split(".")[0]:
        raise Unusable(f"the state file is of version {version[:12]}, this reads {SCHEMA_VERSION}")
    if document.get("tool") != __version__:
        raise Unusable(
            f"the last examination was made by tfdoctor {str(document.get('tool'))[:20]}"
        )
    try:
        return from_json(document, State)
    except DocumentError as error:
        raise Unusable(f"the state file can't be read at {error.path}") from error


def _check(state: State) -> None:
    if state.machine != machine_id():
        raise Unusable("the state is another machine's")
    if state.uid != os.geteuid():
        raise Unusable(f"the state is another user's (number {state.uid})")


def age(state: State, *, same_boot: bool) -> float:
    """Seconds since it was written. In the same boot by the clock that nobody can set; negative: the clock is behind."""
    return (
        max(since_boot() - state.since_boot, 0.0) if same_boot else time.time() - state.written_at
    )


def changed(files: tuple[tuple[str, str, int, int], ...]) -> list[str]:
    """What differs now, one clause each, in the order of the list; a label is told once."""
    told: dict[str, str] = {}
    for label, path, size, mtime in files:
        word = _difference(path, size, mtime)
        if word and label not in told:
            now = _now(path) if word == "is gone" else ""
            told[label] = (
                f"{label} was examined, {now} is there"
                if now
                else f"{label} {word} since the examination"
            )
    return list(told.values())


def _difference(path: str, size: int, mtime: int) -> str:
    try:
        status = os.stat(path)
    except (FileNotFoundError, NotADirectoryError):
        return "is gone"
    except (OSError, ValueError) as error:  # ValueError: no path can have this name
        return f"can't be read ({getattr(error, 'strerror', error)})"
    return "" if (status.st_size, status.st_mtime_ns) == (size, mtime) else "was changed"


def _now(path: str) -> str:
    """The version of a distribution that took the place of the one whose metadata this was; "" where none did."""
    folder = os.path.dirname(path)
    name, _, rest = os.path.basename(folder).partition("-")
    if not rest.endswith(".dist-info"):
        return ""
    try:
        others = [
            item for item in os.listdir(os.path.dirname(folder)) if item.startswith(name + "-")
        ]
    except OSError:
        return ""
    versions = [
        item[len(name) + 1 : -len(".dist-info")] for item in others if item.endswith(".dist-info")
    ]
    return versions[0] if versions else ""
