"""GPUs by name, PCI ID or compute capability: which one is meant, and which drivers for Linux serve it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from tfdoctor.base.expressions import Expression
from tfdoctor.facts.outcome import Absent, Fact, Failed, Known
from tfdoctor.facts.versions import ComputeCapability, DriverRelease
from tfdoctor.knowledge.matrix.model import GpuDrivers, Source, unknown

VENDOR_WORDS = {
    "nvidia",
    "corporation",
    "geforce",
    "tesla",
    "quadro",
    "grid",
    "graphics",
    "gpu",
    "the",
}
"""Words that some write and others leave out; they tell no two GPUs of the table apart."""
VARIANT = Expression(
    r"\d+(gb|g|a|b|c|q)|\de|h|ac|lc|dc|active|embedded|\d+g\.\d+gb|\d+mb|pcie|pci|e|sxm\d*|nvl\d*|hbm\w*|mig|nvlink|oem|dgxs?|fhhl|lite|hash|rate|max|q|design|with"
    r"|generation|blackwell|nvgpu|workstation|server|edition|founders|laptop|mobile|notebook"
)
"""Words of a form factor, a memory size, a slice or a virtual GPU's profile: the same chip on another board."""


_PROFILE = Expression(r"(-\d+){1,2}(a|b4?|c|cme|q)?$")
"""How the name of a virtual GPU ends: "A40-48Q", "A100D-1-10CME", "A40-12"."""


def words(name: str) -> tuple[str, ...]:
    """The telling words of a GPU's name, in lower case: "NVIDIA GeForce RTX 3090" is ("rtx", "3090")."""
    return tuple(word for word in _product_words(name) if not VARIANT.fullmatch(word))


def _product_words(name: str) -> tuple[str, ...]:
    """Its words with those of board and memory size, without the vendor's and a virtual GPU's profile."""
    lowered = name.lower().strip().replace("(tm)", " ").replace("(r)", " ")
    lowered = lowered[: found.start()] if (found := _PROFILE.search(lowered)) else lowered
    return tuple(
        word for word in re.split(r"[^a-z0-9.]+", lowered) if word and word not in VENDOR_WORDS
    )


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


def drivers_for(
    table: Mapping[str, Any],
    sources: Mapping[str, Source],
    capability: ComputeCapability | None,
    name: str = "",
    device_id: str = "",
) -> Fact[GpuDrivers]:
    """The row of a product, known by its name or PCI ID, else that of the capability or of the PCI ID's range."""
    rows: Sequence[Mapping[str, Any]] = table.get("drivers", ())
    asked = _product_words(name)
    products = [row for row in rows if "products" in row]
    hit = next((row for row in products if _names(row, asked) or _on_bus(row, device_id)), None)
    if hit is None:
        generations = [row for row in rows if "products" not in row]
        hit = next(
            (row for row in generations if capability and str(capability) in row["capabilities"]),
            None,
        )
        if hit is None and capability is None:
            hit = next((row for row in generations if _on_bus(row, device_id)), None)
    if hit is None:
        what = f"compute capability {capability}" if capability else name or f"PCI 10de:{device_id}"
        return unknown(f"which drivers serve {what}")
    late = next(
        (row for row in table.get("listed", ()) if _names(row, asked) or _on_bus(row, device_id)),
        None,
    )
    return Known(_gpu_drivers(hit, late, sources), f"matrix, {hit['name']}")


def driver_rows(table: Mapping[str, Any], sources: Mapping[str, Source]) -> tuple[GpuDrivers, ...]:
    return tuple(_gpu_drivers(row, None, sources) for row in table.get("drivers", ()))


def _names(row: Mapping[str, Any], asked: tuple[str, ...]) -> bool:
    return bool(asked) and any(_product_words(product) == asked for product in row["products"])


def _on_bus(row: Mapping[str, Any], device_id: str) -> bool:
    try:
        number = int(device_id, 16)
    except ValueError:
        return False
    spans = [each.partition("-") for each in row.get("pci", ())]
    return any(int(low, 16) <= number <= int(high or low, 16) for low, _, high in spans)


def _gpu_drivers(
    row: Mapping[str, Any], late: Mapping[str, Any] | None, sources: Mapping[str, Source]
) -> GpuDrivers:
    cited = row["sources"]
    text = "; ".join(
        dict.fromkeys(str(sources[cited[key]]) for key in ("first", "last") if key in cited)
    )
    first: Fact[DriverRelease]
    if "first" in cited:
        first = Known(DriverRelease(row["first"]), text)
    elif "last" in cited:
        first = Absent("every driver that TensorFlow can use knows it")
    else:
        first = Failed(f"the lowest driver for {row['name']} is not known", "unknown-to-matrix")
    return GpuDrivers(
        name=row["name"],
        first=first,
        last=int(row.get("last", 0)),
        module=row.get("module", ""),
        open_from=int(row.get("open_from", 0)),
        platform=row.get("platform", ""),
        listed=tuple(map(DriverRelease, late["first"])) if late else (),
        source=text or str(sources[next(iter(cited.values()))]),
    )
