"""Opens the driver's libraries for the programs of this folder that ask them, and writes their lines. Python 3.7 syntax.

They run by themselves and find this file beside them by its bare name, as `preamble.py`.
"""

from __future__ import annotations

import ctypes
import os

TYPE_CHECKING = False  # importing `typing` would double these programs' start-up
if TYPE_CHECKING:
    from typing import Any


def write(**fields: Any) -> None:
    """A line for the parent, as that of `preamble.py`."""
    os.write(1, f"\n@tfdoctor {as_json(fields)}\n".encode("ascii"))


def as_json(value: Any) -> str:
    """In ASCII, and by hand: importing `json` takes as long as all that a machine without a driver is asked.

    Bytes of a driver are no promise of UTF-8.
    """
    if isinstance(value, dict):
        return (
            "{"
            + ", ".join(f"{as_json(name)}: {as_json(item)}" for name, item in value.items())
            + "}"
        )
    if isinstance(value, list):
        return "[" + ", ".join(map(as_json, value)) + "]"
    if isinstance(value, bytes):
        value = value.decode("utf-8", "replace")
    if isinstance(value, str):
        plain = (
            c if " " <= c <= "~" and c not in '"\\' else f"\\u{min(ord(c), 0xFFFD):04x}"
            for c in value
        )
        return '"' + "".join(plain) + '"'
    return {True: "true", False: "false"}[value] if isinstance(value, bool) else str(int(value))


def places(soname: str, folders: list[str], only: bool) -> list[str]:
    """Where to look, in order: where the loader does, then the files that there are in the folders."""
    files = [os.path.join(folder, soname) for folder in folders]
    return ([] if only else [soname]) + [file for file in files if os.path.lexists(file)]


def load(soname: str, function: str, folders: list[str], only: bool) -> Any:
    """The library, or None after the loader's words were said. `function`: one that it has."""
    for place in places(soname, folders, only):
        write(at="loading " + place)
        try:
            library = ctypes.CDLL(place)
        except OSError as error:
            write(say="refused", place=place, error=str(error))
            continue
        write(say="loaded", place=place, path=_mapped_path(library, function) or place)
        return library
    return None


def _mapped_path(library: Any, function: str) -> bytes:
    """The file behind the library, as the loader named it (dladdr(3) of one of its functions)."""

    class Info(ctypes.Structure):
        _fields_ = (
            ("file", ctypes.c_char_p),
            ("base", ctypes.c_void_p),
            ("symbol", ctypes.c_char_p),
            ("address", ctypes.c_void_p),
        )

    found = Info()
    try:
        address = ctypes.cast(getattr(library, function), ctypes.c_void_p)
        answered = ctypes.CDLL(None).dladdr(address, ctypes.byref(found))
    except (AttributeError, OSError, TypeError):
        return b""
    return bytes(found.file) if answered and found.file else b""
