"""Whether the shared libraries of NVIDIA's wheels are still those that each wheel brought.

Wheels for two CUDA majors have files of one name in one folder (nvidia/cudnn/lib/libcudnn_ops.so.9), and pip lets
the later write over the earlier. Removing one then takes the other's files along. The version does not tell: cuDNN
9.28 exists for CUDA 12 and for CUDA 13. The size in RECORD (PEP 376) does.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable

from tfdoctor.facts.outcome import Absent, Fact, Known
from tfdoctor.facts.values import ChangedWheel, Distribution
from tfdoctor.light.expressions import Expression
from tfdoctor.system.safe_open import head_of

_RECORD_LIMIT = 1 << 22  # bytes; the longest of CUDA 12.9's, nvcc's, has 40 KB
_SHOWN = 20
_LIBRARY = Expression(r"^([^,\n]*\.so(?:\.\d+)*),[^,\n]*,(\d{1,18})$", re.MULTILINE)


def changed_wheels(wheels: Iterable[Distribution]) -> Fact[tuple[ChangedWheel, ...]]:
    """Raises OSError where a RECORD is there and can't be read. Wheels without one (conda's, Debian's) are left out."""
    listed = {wheel: sizes for wheel in wheels if (sizes := _sizes(wheel))}
    found = tuple(changed for wheel in listed if (changed := _compared(wheel, listed)))
    return (
        Known(found, "RECORD of each nvidia-* wheel")
        if found
        else Absent("every library is of the size that its wheel's RECORD says")
    )


def _sizes(wheel: Distribution) -> dict[str, int]:
    """Path below site-packages and size in bytes of each shared library that the wheel brought."""
    try:
        record = head_of(os.path.join(wheel.folder, "RECORD"), _RECORD_LIMIT)
        text = record.decode("utf-8", "replace").replace("\r\n", "\n")
    except (FileNotFoundError, NotADirectoryError):
        return {}
    return {path: int(size) for path, size in _LIBRARY.findall(text) if not path.startswith(("/", ".."))}


def _compared(wheel: Distribution, listed: dict[Distribution, dict[str, int]]) -> ChangedWheel | None:
    site = os.path.dirname(wheel.folder)
    missing, changed = [], {}
    for path, size in listed[wheel].items():
        try:
            present = os.stat(os.path.join(site, path)).st_size
        except (FileNotFoundError, NotADirectoryError):
            missing.append(path)
            continue
        if present != size:
            changed[path] = present
    if not missing and not changed:
        return None
    return ChangedWheel(
        wheel.name,
        wheel.version,
        tuple(missing[:_SHOWN]),
        tuple(changed)[:_SHOWN],
        _author(wheel, changed, listed),
    )


def _author(wheel: Distribution, changed: dict[str, int], listed: dict[Distribution, dict[str, int]]) -> str:
    """The other wheel whose RECORD names most of the changed files in their present size."""
    site = os.path.dirname(wheel.folder)
    fits = {
        other: sum(sizes.get(path) == present for path, present in changed.items())
        for other, sizes in listed.items()
        if other is not wheel and os.path.dirname(other.folder) == site
    }
    best = max(fits, key=lambda other: fits[other], default=None)
    return f"{best.name} {best.version}" if best is not None and fits[best] else ""
