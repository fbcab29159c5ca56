"""The accounts that TensorFlow's allocator (BFC) writes when it runs out, in the three spellings of its releases.

Up to 2.20 sizes are bytes; 2.21 rounds some of them ("4.25GiB"). `LargestFreeBlock` says 0 while gigabytes are free, so
the free pieces are added up one by one.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from tfdoctor.base.expressions import Expression
from tfdoctor.facts.log_values import NOT_TOLD, Dump
from tfdoctor.facts.outcome import Fact, Known

_UNITS = {"": 1, "B": 1, "KiB": 1 << 10, "MiB": 1 << 20, "GiB": 1 << 30, "TiB": 1 << 40, "K": 1 << 10, "M": 1 << 20, "G": 1 << 30, "KB": 1000, "MB": 10**6, "GB": 10**9}  # fmt: skip
_SIZE = r"(?P<size>\d[\d.]{0,24}) ?(?P<unit>[KMGT]?i?B?)\b"
_RAN_OUT = Expression(
    rf"(?:Allocator \((?P<device>[^)]{{1,60}})\) r|R)an out of memory trying to allocate {_SIZE}(?: \(rounded to (?P<rounded>\d{{1,20}})\))?(?:\s?requested by op (?P<op>[\w/.:-]{{1,200}}))?"
)
_ASYNC = Expression(
    r"(?P<device>gpu_async_\d{1,3}) cuMemAllocAsync failed to allocate (?P<size>\d{1,20}) bytes"
)
_XLA = Expression(rf"Out of memory while trying to allocate {_SIZE}")
_BEGINS = Expression(r"BFCAllocator dump for (?P<device>\w{1,60})")
_LIMIT = Expression(rf"^\s*Limit:\s{{1,40}}{_SIZE}")
_IN_USE = Expression(rf"^\s*InUse:\s{{1,40}}{_SIZE}")
_POOL = Expression(
    r"total_region_allocated_bytes_: (?P<size>\d{1,20})(?P<unit>)|Total (?:bytes|size) in pool: "
    + _SIZE.replace("size", "other").replace("unit", "other_unit")
)
_FREE = Expression(r"(?:^|\] )Free  at \w{1,20} of size (?P<size>\d{1,20})")
_IN_CHUNKS = Expression(rf"\d{{1,9}} Chunks of size \d{{1,20}} totalling {_SIZE}")
_SUM = Expression(rf"Sum Total of in-use chunks: {_SIZE}")
_PIECE = Expression(
    r"(?:^|\] )(?:InUse at|Free  at|Chunk at) \w{1,20} of size \d{1,20}(?: by op .{1,200}?)?(?: action_count \d{1,20})?(?: step \d{1,20})? next \d{1,20}|^\s*(?:Bin \(\d{3,15}\):|\] Bin \(\d{3,15}\):)\s{0,9}Total Chunks: \d"
)
"""A line of the account alone: it is written only when a request could not be met."""
_MAY_OPEN = Expression(
    r"ut of memory|llocator|in pool|region_alloc|Sum Total|Chunks of|Limit:| next \d|Total Chunks"
)
"""One of these stands in each line with which accounts can begin."""
_FAR = 200_000  # lines after which another request can't belong to the same accounts


def dumps(lines: Iterable[tuple[int, str]]) -> Iterator[Dump]:
    """The accounts of one process in their order. A cut one has what is there."""
    now: _Account | None = None
    for number, text in lines:
        if now is not None and now.over(number, text):
            yield now.closed()
            now = None
        if now is None and _opens(text):
            now = _Account(number)
        if now is not None:
            now.take(number, text)
    if now is not None:
        yield now.closed()


def _opens(text: str) -> bool:
    if not _MAY_OPEN.search(text) or "not a failure" in text:
        return False
    return bool(
        _RAN_OUT.compiled.search(text)
        or _ASYNC.compiled.search(text)
        or _XLA.compiled.search(text)
        or _BEGINS.compiled.search(text)
        or _SUM.compiled.search(text)
        or _POOL.compiled.search(text)
        or _LIMIT.compiled.match(text)
        or _IN_CHUNKS.compiled.search(text)
        or _PIECE.compiled.search(text)
    )


def bytes_of(size: str, unit: str) -> int:
    """ "4.25", "GiB" in bytes. Raises ValueError for what is no number."""
    return int(float(size) * _UNITS.get(unit, 1))


class _Account:
    def __init__(self, line: int) -> None:
        self._line, self._last = line, line
        self._values: dict[str, Fact[int]] = {}
        self._device = self._op = ""
        self._free = self._largest_free = 0

    def over(self, number: int, text: str) -> bool:
        """A new request begins new accounts once the old ones are complete."""
        complete = "limit" in self._values or number - self._last > _FAR
        return (
            complete
            and bool(_RAN_OUT.compiled.search(text) or _BEGINS.compiled.search(text))
            and "not a failure" not in text
        )

    def take(self, number: int, text: str) -> None:
        self._last = number
        if not self._request(number, text) and not self._free_piece(text):
            self._sum(number, text)

    def _request(self, number: int, text: str) -> bool:
        if found := _RAN_OUT.compiled.search(text):
            self._device = found["device"] or self._device
            self._op = found["op"] or self._op
            exact = found["rounded"]
            self._set(
                "requested", int(exact) if exact else bytes_of(found["size"], found["unit"]), number
            )
        elif found := _ASYNC.compiled.search(text):
            self._device = found["device"]
            self._set("requested", int(found["size"]), number)
        elif found := _XLA.compiled.search(text):
            self._set("requested", bytes_of(found["size"], found["unit"]), number)
        elif found := _BEGINS.compiled.search(text):
            self._device = found["device"]
        return found is not None

    def _free_piece(self, text: str) -> bool:
        if found := _FREE.compiled.search(text):
            size = int(found["size"])
            self._free += size
            self._largest_free = max(self._largest_free, size)
        return found is not None

    def _sum(self, number: int, text: str) -> None:
        if found := _POOL.compiled.search(text):
            words = (
                (found["size"], found["unit"])
                if found["size"]
                else (found["other"], found["other_unit"])
            )
            self._set("pool", bytes_of(*words), number)
            if limit := re.search(r"memory_limit_: (\d{1,20})", text):
                self._set("limit", int(limit[1]), number)
        elif found := _LIMIT.compiled.match(text):
            self._set("limit", bytes_of(found["size"], found["unit"]), number)
        elif (found := _IN_USE.compiled.match(text)) or (
            (found := _SUM.compiled.search(text)) and "in_use" not in self._values
        ):
            self._set("in_use", bytes_of(found["size"], found["unit"]), number)

    def _set(self, name: str, value: int, line: int) -> None:
        self._values[name] = Known(value, f"line {line}")

    def closed(self) -> Dump:
        get = self._values.get
        free: Fact[int] = Known(self._free, "its free pieces") if self._free else NOT_TOLD
        largest: Fact[int] = (
            Known(self._largest_free, "its free pieces") if self._free else NOT_TOLD
        )
        return Dump(
            0, self._line, self._device, get("requested", NOT_TOLD), get("limit", NOT_TOLD), get("in_use", NOT_TOLD),
            get("pool", NOT_TOLD), free, largest, self._op,
        )  # fmt: skip
