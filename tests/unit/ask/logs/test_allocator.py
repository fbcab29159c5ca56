"""The allocator's accounts in three spellings, whole and cut."""

from __future__ import annotations

import pytest

from tests.logs.judged import judged, log, root
from tfdoctor.ask.logs.passages.allocator import dumps
from tfdoctor.facts.outcome import Known

GIB = 1 << 30


def account(pool: str, *, requested: int, limit: int, in_use: int, free: list[int]) -> list[str]:
    """The lines of a dump; `pool` is the spelling of the release's line about what was got from the driver."""
    at = "2024-01-01 00:00:00.000000: I tensorflow/tsl/framework/bfc_allocator.cc:1044] "
    return [
        f"2024-01-01 00:00:00.000000: W tensorflow/tsl/framework/bfc_allocator.cc:485] Allocator (GPU_0_bfc) ran out of memory trying to allocate {requested / GIB:.2f}GiB (rounded to {requested})requested by op model/conv2d/Conv2D",
        f"{at}BFCAllocator dump for GPU_0_bfc",
        *(f"{at}Free  at 7f0000000000 of size {size} next 18446744073709551615" for size in free),
        f"{at}     Summary of in-use Chunks by size: ",
        f"{at}1 Chunks of size {in_use} totalling {in_use / GIB:.2f}GiB",
        f"{at}Sum Total of in-use chunks: {in_use / GIB:.2f}GiB",
        f"{at}{pool}",
        f"{at}Stats: ",
        f"Limit:                     {limit}",
        f"InUse:                     {in_use}",
        f"MaxInUse:                  {in_use}",
        "LargestFreeBlock:                    0",
    ]


def spelling(release: str, pool: int, limit: int) -> str:
    return {
        "2.10": f"total_region_allocated_bytes_: {pool} memory_limit_: {limit} available bytes: {limit - pool} curr_region_allocation_bytes_: 1",
        "2.18": f"Total bytes in pool: {pool} memory_limit_: {limit} available bytes: {limit - pool} curr_region_allocation_bytes_: 1",
        "2.21": f"Total size in pool: {pool / GIB:.2f}GiB memory limit: {limit / GIB:.2f}GiB",
    }[release]


@pytest.mark.parametrize("release", ["2.10", "2.18", "2.21"])
@pytest.mark.parametrize(
    ("code", "pool", "free"),
    [
        ("gpu-out-of-memory", 10 * GIB, [GIB // 8]),
        ("gpu-memory-fragmented", 10 * GIB, [GIB, GIB, GIB, GIB // 2]),
        ("gpu-memory-held", 5 * GIB, [GIB // 8]),
    ],
)  # fmt: skip
def test_the_numbers_decide(release: str, code: str, pool: int, free: list[int]) -> None:
    lines = account(
        spelling(release, pool, 10 * GIB),
        requested=2 * GIB,
        limit=10 * GIB,
        in_use=pool - sum(free),
        free=free,
    )
    diagnosis = judged(log(lines))
    assert root(diagnosis) == code
    assert "2.00 GiB" in diagnosis.roots[0].finding.explanation


RELEASES = ("2.10", "2.18", "2.21")


@pytest.mark.parametrize("release", RELEASES)
@pytest.mark.parametrize("op", ["_EagerConst", "model/Const"])
def test_a_constant_is_a_dataset(release: str, op: str) -> None:
    lines = account(
        spelling(release, 9 * GIB, 10 * GIB), requested=9 * GIB, limit=10 * GIB, in_use=GIB, free=[]
    )
    lines[0] = lines[0].replace("model/conv2d/Conv2D", op)
    assert root(judged(log(lines))) == "gpu-dataset-on-device"


@pytest.mark.parametrize("release", RELEASES)
@pytest.mark.parametrize("kept", [slice(4, 6), slice(1, None), slice(-4, None)])
def test_a_dump_without_its_beginning_says_less_sure_that_memory_was_full(
    release: str, kept: slice
) -> None:
    lines = account(
        spelling(release, 10 * GIB, 10 * GIB),
        requested=2 * GIB,
        limit=10 * GIB,
        in_use=9 * GIB,
        free=[],
    )
    diagnosis = judged(log(lines[kept]))
    assert root(diagnosis) == "gpu-out-of-memory"
    assert diagnosis.open


@pytest.mark.parametrize("release", RELEASES)
@pytest.mark.parametrize("kept", [1, 2, 4])
def test_a_dump_without_its_end_still_says_that_memory_was_full(release: str, kept: int) -> None:
    lines = account(
        spelling(release, 10 * GIB, 10 * GIB),
        requested=2 * GIB,
        limit=10 * GIB,
        in_use=9 * GIB,
        free=[],
    )
    diagnosis = judged(log(lines[:kept]))
    assert root(diagnosis) == "gpu-out-of-memory"
    assert diagnosis.open


def test_free_pieces_are_added_up() -> None:
    lines = account(
        spelling("2.18", 10 * GIB, 10 * GIB),
        requested=2 * GIB,
        limit=10 * GIB,
        in_use=GIB,
        free=[5, 7, 11],
    )
    [dump] = dumps(enumerate(lines, start=1))
    assert isinstance(dump.free, Known)
    assert isinstance(dump.largest_free, Known)
    assert (dump.free.value, dump.largest_free.value) == (23, 11)
    assert isinstance(dump.requested, Known)
    assert dump.requested.value == 2 * GIB


def test_an_attempt_that_is_no_failure_begins_no_account() -> None:
    line = "Allocator (GPU_0_bfc) ran out of memory trying to allocate 2.15GiB with freed_by_count=0. The caller indicates that this is not a failure, but this may mean that there could be performance gains if more memory were available."
    assert list(dumps([(1, line)])) == []
