"""Kernelspecs that have a kernel watched: beside the user's, or in place, and how both are undone.

A spec of ours carries a mark in its metadata. In place, the user's own kernel.json stays beside the new one as it was,
so undoing puts back the file.
"""

from __future__ import annotations

import contextlib
import json
import os
import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from tfdoctor.base.safe_open import whole_of

MARK, PROVISIONER, SUFFIX = "tfdoctor", "tfdoctor", "-tfdoctor"
BACKUP = ".kernel.json.before-tfdoctor"
INTERRUPT, BEFORE_KILL = "interrupt", "before-kill"
"""In the mark: a cell is interrupted before the kernel would be killed."""
BESIDE, WRAPPED, IN_PLACE = "beside", "wrapped", "in-place"
_MOST_BYTES = 1 << 20
_PICTURES = ("logo-32x32.png", "logo-64x64.png", "logo-svg.svg")


class SpecError(Exception):
    """What stands in the way; the message is for people."""


def read(folder: Path) -> dict[str, Any]:
    """kernel.json. Raises SpecError."""
    file = folder / "kernel.json"
    try:
        document = json.loads(whole_of(file, _MOST_BYTES))
        if not isinstance(document, dict) or not isinstance(document.get("metadata", {}), dict):
            raise SpecError(f"{file} isn't a kernelspec")
        return document
    except OSError as error:
        raise SpecError(f"{file}: {error.strerror or error}") from error
    except (ValueError, RecursionError) as error:
        raise SpecError(f"{file}: invalid JSON ({error})") from error


def mark_of(document: dict[str, Any]) -> dict[str, str]:
    """{} for a spec that is not ours."""
    mark = document.get("metadata", {}).get(MARK)
    return mark if isinstance(mark, dict) else {}


def provisioner_of(document: dict[str, Any]) -> str:
    """The provisioner that it names; "" where it names none, so that Jupyter's default counts."""
    stanza = document.get("metadata", {}).get("kernel_provisioner")
    return str(stanza.get("provisioner_name", "")) if isinstance(stanza, dict) else ""


def must_be_free(document: dict[str, Any], name: str) -> None:
    """Raises SpecError where the spec is ours already or another provisioner starts the kernel."""
    if mark_of(document):
        raise SpecError(f"{name} is a kernelspec of tfdoctor's")
    other = provisioner_of(document)
    if other and other not in ("local-provisioner", PROVISIONER):
        raise SpecError(
            f"{name} is started by the provisioner {other}, which tfdoctor can't stand in for"
        )


def write_beside(
    folder: Path, name: str, kernels: Path, argv: Sequence[str] = (), *, interrupts: bool = False
) -> Path:
    """A spec of ours in the folder `kernels`; with `argv` one that starts that. Raises SpecError, OSError."""
    document = read(folder)
    must_be_free(document, name)
    ours = kernels / f"{name}{SUFFIX}"
    how = WRAPPED if argv else BESIDE
    metadata = {**document.get("metadata", {}), MARK: _mark(name, how, interrupts)}
    if argv:
        metadata.pop("kernel_provisioner", None)
    else:
        metadata["kernel_provisioner"] = {"provisioner_name": PROVISIONER}
    words = argv or [
        word.replace("{resource_dir}", str(folder)) for word in document.get("argv", [])
    ]
    shown = f"{document.get('display_name', name)} (tfdoctor)"
    data = _bytes({**document, "argv": list(words), "display_name": shown, "metadata": metadata})
    if os.path.lexists(ours):
        if not mark_of(read(ours)):
            raise SpecError(f"{ours} is there already and is not tfdoctor's")
        undo(ours)
    ours.mkdir(parents=True)
    for picture in _PICTURES:
        if (folder / picture).is_file():
            shutil.copyfile(folder / picture, ours / picture)
    (ours / "kernel.json").write_bytes(data)
    return ours


def _mark(name: str, how: str, interrupts: bool) -> dict[str, str]:
    return {"of": name, "how": how, **({INTERRUPT: BEFORE_KILL} if interrupts else {})}


def write_in_place(folder: Path, name: str, *, interrupts: bool = False) -> None:
    """Changes the metadata alone. Raises SpecError, OSError."""
    must_be_free(read(folder), name)
    file, backup = folder / "kernel.json", folder / BACKUP
    if file.is_symlink():
        raise SpecError(f"{file} is a link to {os.path.realpath(file)}; leave out --in-place")
    changed = _in_place(whole_of(file, _MOST_BYTES), _mark(name, IN_PLACE, interrupts))
    try:
        os.link(file, backup)  # the file, with its owner, mode and time
    except OSError:
        shutil.copy2(file, backup)
    try:
        _replace(file, changed)
    except OSError:
        backup.unlink()
        raise


def _in_place(original: bytes, mark: dict[str, str]) -> bytes:
    document = json.loads(original)
    metadata = document.get("metadata", {})
    stanza = {"provisioner_name": PROVISIONER}
    return _bytes({**document, "metadata": {**metadata, "kernel_provisioner": stanza, MARK: mark}})


def undo(folder: Path) -> str:
    """Takes back what was written there. A remark where something is left. Raises SpecError, OSError."""
    document = read(folder)
    how = mark_of(document).get("how")
    if how == IN_PLACE:
        return _undo_in_place(folder, document)
    if how not in (BESIDE, WRAPPED):
        raise SpecError(f"{folder} is not tfdoctor's")
    for name in ("kernel.json", *_PICTURES):
        with contextlib.suppress(FileNotFoundError):
            (folder / name).unlink()
    try:
        folder.rmdir()
    except OSError:
        return f"{folder} holds files that are not tfdoctor's and stays"
    return ""


def _undo_in_place(folder: Path, document: dict[str, Any]) -> str:
    file, backup = folder / "kernel.json", folder / BACKUP
    mark = mark_of(document)
    if backup.exists() and whole_of(file, _MOST_BYTES) == _in_place(
        whole_of(backup, _MOST_BYTES), mark
    ):
        os.replace(backup, file)
        return ""
    metadata = {
        key: value
        for key, value in document["metadata"].items()
        if key not in (MARK, "kernel_provisioner")
    }
    changed = {**document, "metadata": metadata}
    _replace(file, _bytes(changed))
    backup.unlink(missing_ok=True)
    return f"{file} was changed since; only tfdoctor's own entries were taken out"


def _replace(file: Path, data: bytes) -> None:
    beside = file.with_name(f".{file.name}.{os.getpid()}.part")
    try:
        beside.write_bytes(data)
        shutil.copymode(file, beside)
        os.replace(beside, file)
    finally:
        beside.unlink(missing_ok=True)


def _bytes(document: dict[str, Any]) -> bytes:
    """As every reader of JSON takes it: what Python alone reads (Infinity, a number beyond all, half a surrogate) is refused or escaped.
    Raises SpecError."""
    try:
        text = json.dumps(document, indent=1, ensure_ascii=False, allow_nan=False)
        text.encode()
    except UnicodeEncodeError:
        text = json.dumps(document, indent=1)
    except ValueError as error:
        raise SpecError(
            "its kernel.json has a number that JSON has no form for (Infinity or NaN)"
        ) from error
    return f"{text}\n".encode()
