"""Lays a machine out below a folder, file by file, so that a test shows all that its machine has."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from tfdoctor.base.sysroot import System


class Link(str):
    """A symbolic link to this target."""


def lay_out(
    root: Path, files: Mapping[str, str], environ: Mapping[str, str] | None = None
) -> System:
    """A system of these files. A name that ends in "/" is an empty folder."""
    for name, content in files.items():
        path = root / name.strip("/")
        if name.endswith("/"):
            path.mkdir(parents=True, exist_ok=True)
            continue
        path.parent.mkdir(parents=True, exist_ok=True)
        if isinstance(content, Link):
            path.symlink_to(content)
        else:
            path.write_bytes(content.encode("utf-8", "surrogateescape"))
    return System(root, dict(environ or {}))
