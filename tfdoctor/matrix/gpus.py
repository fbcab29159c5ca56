"""GPU names as drivers, shops and people write them, and the compute capability behind each."""

from __future__ import annotations

import re
from collections.abc import Iterable

from tfdoctor.light.expressions import Expression

VENDOR_WORDS = {"nvidia", "corporation", "geforce", "tesla", "quadro", "grid", "graphics", "gpu", "the"}
"""Words that some write and others leave out; they tell no two GPUs of the table apart."""
VARIANT = Expression(
    r"\d+(gb|g|a|b|c|q)|\d+g\.\d+gb|\d+mb|pcie|pci|e|sxm\d*|nvl\d*|hbm\w*|mig|nvlink|oem|dgxs?|fhhl|lite|hash|rate|max|q|design|with"
    r"|generation|workstation|server|edition|founders|laptop|mobile|notebook"
)
"""Words of a form factor, a memory size, a slice or a virtual GPU's profile: the same chip on another board."""


def words(name: str) -> tuple[str, ...]:
    """The telling words of a GPU's name, in lower case: "NVIDIA GeForce RTX 3090" is ("rtx", "3090")."""
    found = re.split(r"[^a-z0-9.]+", name.lower().replace("(tm)", " ").replace("(r)", " "))
    return tuple(word for word in found if word and word not in VENDOR_WORDS and not VARIANT.fullmatch(word))


def match(name: str, table: Iterable[str]) -> str | None:
    """The name in `table` that means the same GPU, or None. Never the nearest of several."""
    bracketed = name.partition("[")[2].rpartition("]")[0]  # lspci writes "GA102 [GeForce RTX 3090]"
    name = bracketed or name
    asked = words(name)
    hits = [known for known in table if words(known) == asked]
    if not hits:
        hits = [known for known in table if _joined(known) == _joined(name)]
    return hits[0] if asked and hits else None


def _joined(name: str) -> str:
    """ "rtx3090ti" for "RTX 3090 Ti": people leave blanks out."""
    return "".join(words(name))
