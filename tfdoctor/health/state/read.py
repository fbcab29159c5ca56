"""Reads the state file that `write.py` writes, and says why where it can't be used."""

from __future__ import annotations

import os
import time

from tfdoctor.health.asking import clock
from tfdoctor.health.state import identity
from tfdoctor.health.state.places import state_files
from tfdoctor.light import json_text as light_json

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from tfdoctor.health.judging.readings import Files, State

SCHEMA_VERSION = "1.0"
MOST_BYTES = 1 << 20
NEVER = "never examined (tfdoctor check --state)"


class Unusable(Exception):  # noqa: N818  # an answer about the file, not an error of ours
    """There is no state that counts; the message says why in one short clause."""


def read_state(named: str, environ: dict[str, str], said: Files) -> None:
    """Fills `state`, `state_path`, `state_age` and `same_boot`, or `state_error`."""
    try:
        said["state_path"], state = _usable([named] if named else _ours(state_files(environ)))
    except Unusable as reason:
        said["state_error"] = str(reason)
        return
    said["state"] = state
    said["same_boot"] = bool(state["boot_id"]) and state["boot_id"] == identity.boot()
    said["state_age"] = age(state, same_boot=said["same_boot"])


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
    """Raises OSError, or Unusable where it is another user's."""
    if os.stat(path).st_uid not in (0, os.geteuid()):
        raise Unusable("the state file belongs to another user")
    return identity.text_of(path, MOST_BYTES)


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
    try:
        return _typed(document)
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise Unusable("the state file lacks what it must hold") from error


def _typed(document: dict[str, Any]) -> State:
    """Every field as the type that it must have. Raises KeyError, TypeError, ValueError or AttributeError."""
    xids = document["xids"]
    return {
        "schema_version": str(document["schema_version"]),
        "tool": str(document["tool"]),
        "written_at": float(document["written_at"]),
        "boot_id": str(document["boot_id"]),
        "since_boot": float(document["since_boot"]),
        "machine": str(document["machine"]),
        "uid": int(document["uid"]),
        "verdict": str(document["verdict"]),
        "summary": str(document["summary"]),
        "roots": [str(root) for root in document["roots"]],
        "python": str(document["python"]),
        "driver_version": str(document["driver_version"]),
        "gpus": [
            {"uuid": str(each["uuid"]), "name": str(each["name"]), "ecc": int(each["ecc"])}
            for each in document["gpus"]
        ],
        "cuda_count": int(document["cuda_count"]),
        "xids": None
        if xids is None
        else [[int(number), str(bus), float(when)] for number, bus, when in xids],
        "files": [
            [str(label), str(path), int(size), int(mtime)] for label, path, size, mtime in document["files"]
        ],
    }


def _check(state: State) -> None:
    if state["machine"] != identity.machine():
        raise Unusable("the state is another machine's")
    if state["uid"] != os.geteuid():
        raise Unusable(f"the state is another user's (number {state['uid']})")


def age(state: State, *, same_boot: bool) -> float:
    """Seconds since it was written. In the same boot by the clock that nobody can set; negative: the clock is behind."""
    return (
        max(clock.since_boot() - state["since_boot"], 0.0) if same_boot else time.time() - state["written_at"]
    )
