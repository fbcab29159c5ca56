"""Finds the tensorflow package on a sys.path and the distribution whose files it is made of."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable
from pathlib import Path

from tfdoctor.ask.probes.python.metadata import TENSORFLOW_NAMES
from tfdoctor.base.digest import sha256
from tfdoctor.base.expressions import Expression
from tfdoctor.base.records import record
from tfdoctor.base.safe_open import head_of, head_text, whole_of
from tfdoctor.facts.values import Distribution

_TELLING = (
    "tensorflow/__init__.py",
    "tensorflow/python/platform/build_info.py",
    "tensorflow/core/framework/types_pb2.py",
)
SETUP = "tools/pip_package/setup.py"
_VERSION = Expression(r"^_VERSION = ['\"]([^'\"]+)['\"]", re.MULTILINE)
_MOST_RECORD = 16 << 20  # bytes; 2.21's has 2.7 MB
_MOST_SETUP = 256 << 10  # 20 kB
_MOST_SOURCE = 4 << 20  # of each of the telling files the largest has 40 kB


@record
class Package:
    """The package that `import tensorflow` would take: its folder, and the site folder that it is in."""

    folder: Path

    @property
    def files(self) -> Path:
        """Where the real files are: up to 2.1 `tensorflow` is a thin cover over `tensorflow_core`."""
        core = self.site / "tensorflow_core"
        return (
            core
            if not os.path.isdir(self.folder / "python") and os.path.isdir(core)
            else self.folder
        )

    @property
    def site(self) -> Path:
        return self.folder.parent


def find_package(folders: Iterable[str]) -> Package | None:
    """The first `tensorflow` on this path; one that lost its __init__.py only where no other is whole."""
    damaged: Package | None = None
    for folder in folders:
        path = Path(folder) / "tensorflow"
        if os.path.isfile(path / "__init__.py"):
            return Package(path)
        if damaged is None and os.path.isdir(path / "python" / "platform"):
            damaged = Package(path)
    return damaged


def version_of_files(files: Path) -> str:
    """setup.py travels with every wheel and says `_VERSION = '2.21.0'`; pip drops the dash of "-rc0". "" if missing."""
    found = _VERSION.search(head_text(files / SETUP, _MOST_SETUP))
    return found[1].replace("-", "") if found else ""


def of_family(distributions: Iterable[Distribution]) -> tuple[Distribution, ...]:
    return tuple(item for item in distributions if item.name in TENSORFLOW_NAMES)


def owner_of(package: Package, distributions: Iterable[Distribution]) -> Distribution | None:
    """The distribution whose files are there. Of several that lay claim to them, the one whose hashes they have."""
    site = os.path.realpath(package.site)
    near = [
        item for item in distributions if os.path.realpath(os.path.dirname(item.folder)) == site
    ]
    claims = [(item, hashes) for item in near if (hashes := _claimed(item)) is not None]
    if not claims:
        return None
    return max(
        claims, key=lambda claim: (_matches(package.site, claim[1]), claim[0].name == "tensorflow")
    )[0]


def _claimed(distribution: Distribution) -> dict[str, str] | None:
    """The hashes that RECORD gives for the telling files; None where a sound RECORD lists none of them (a stub).

    A distribution without RECORD (conda, Debian) or with a damaged one lays claim by its name alone.
    """
    try:
        data = b"\n" + head_of(os.path.join(distribution.folder, "RECORD"), _MOST_RECORD)
    except OSError:
        return {}
    found: dict[str, str] = {}
    for name in _TELLING:
        start = data.find(f"\n{name},".encode())
        if start >= 0:
            line = data[start + 1 : start + 512].partition(b"\n")[0]
            found[name] = line.decode("utf-8", "replace").split(",")[1]
    sound = f"\n{os.path.basename(distribution.folder)}/METADATA,".encode() in data
    return None if sound and not found else found


def _matches(site: Path, hashes: dict[str, str]) -> int:
    return sum(1 for name, written in hashes.items() if written and _hash(site / name) == written)


def _hash(path: Path) -> str:
    """In RECORD's form: "sha256=…", url-safe base64 without padding (PEP 376, PEP 427)."""
    try:
        digest = sha256(whole_of(path, _MOST_SOURCE))
    except OSError:
        return ""
    import base64  # only where there is a TensorFlow

    return "sha256=" + base64.urlsafe_b64encode(digest).rstrip(b"=").decode()
