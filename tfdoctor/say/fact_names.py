"""What people call a fact."""

from __future__ import annotations

from tfdoctor.knowledge.compiled import table

_PLAIN = str.maketrans("[._", "   ")


def fact_name(path: str) -> str:
    """ "driver.cuda_version" is "CUDA of the driver"; without a name of its own, the path in words."""
    return table("facts").get(path) or path.replace("]", "").translate(_PLAIN)
