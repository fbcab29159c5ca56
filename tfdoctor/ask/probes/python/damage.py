"""Files that an import needs first, of the packages that TensorFlow requires: there and whole, by RECORD and their own headers.

Of each package its `__init__.py` files and compiled modules are looked at: a few hundred files, 15 ms. A size other than RECORD's is
no fault by itself: conda and people who strip libraries change it.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable

from tfdoctor.base.elf import NotElfError, read_elf
from tfdoctor.base.expressions import Expression
from tfdoctor.base.safe_open import head_of
from tfdoctor.facts.outcome import Absent, Fact, Known
from tfdoctor.facts.values import DamagedPackage, Distribution

_RECORD_LIMIT = 4 << 20  # bytes; Keras' has 0.3 MB
_FIRST = Expression(r"((?:[^,]*/)?__init__\.py|[^,]*\.(?:so|pyd|dylib)),[^,]*,(\d{1,18})\r?")
_ENDS = ("__init__.py", ".so", ".pyd", ".dylib")
_SHOWN = 20


def damaged(packages: Iterable[Distribution]) -> Fact[tuple[DamagedPackage, ...]]:
    """Those of which such a file is gone, empty or cut off. One without a RECORD is passed over."""
    found = []
    for each in packages:
        site = os.path.dirname(each.folder)
        broken = [
            path for path, size in _listed(each) if size and _is_broken(os.path.join(site, path))
        ]
        if broken:
            found.append(
                DamagedPackage(each.name, each.version, tuple(broken[:_SHOWN]), len(broken))
            )
    return (
        Known(tuple(found), "RECORD of each")
        if found
        else Absent("what an import needs first is there")
    )


def _listed(package: Distribution) -> list[tuple[str, int]]:
    try:
        text = head_of(os.path.join(package.folder, "RECORD"), _RECORD_LIMIT).decode(
            "utf-8", "replace"
        )
    except (FileNotFoundError, NotADirectoryError):
        return []
    lines = (line for line in text.split("\n") if line.partition(",")[0].endswith(_ENDS))
    found = filter(None, map(_FIRST.fullmatch, lines))
    return [(match[1], int(match[2])) for match in found if not match[1].startswith(("/", ".."))]


def _is_broken(path: str) -> bool:
    try:
        if os.stat(path).st_size == 0:
            return True
        return path.endswith(".so") and sys.platform == "linux" and not read_elf(path).complete
    except (FileNotFoundError, NotADirectoryError):
        return not os.path.exists(f"{path}c")  # Python also imports what only the compiler left
    except NotElfError:
        return True
    except OSError:
        return False  # whoever may not read it learns of it from the import
