"""The search for the largest batch: literal figures of trials, and what is tried next."""

from __future__ import annotations

import pytest

from tfdoctor.fix.batch_search import HOST, Ran, Used, estimated, lines, next_batch

MB = 10**6


def on_host(batch: int, peak: int, limit: int = 1000) -> Ran:
    return Ran(batch, (Used(HOST, limit, -1, peak),))


def on_gpu(batch: int, held: int, peak: int, tensor: int = 0, limit: int = 1000 * MB) -> Ran:
    return Ran(batch, (Used("GPU:0", limit, held, peak, tensor),))


@pytest.mark.parametrize(
    ("ran", "failed", "most", "tried"),
    [
        ([], [], 0, 8),
        ([], [], 4, 4),
        ([], [8], 0, 1),
        ([], [8, 1], 0, None),  # not even one sample
        ([on_host(8, 200)], [], 0, 256),  # a line needs two
        ([on_host(8, 200)], [], 100, 100),
        ([on_host(8, 200)], [], 8, None),
        ([on_host(8, 200), on_host(256, 448)], [], 0, 808),  # 1 a sample, 192 fixed
        ([on_host(8, 200), on_host(256, 200)], [], 0, 8192),  # what does not grow has no line
        (
            [on_host(8, 200), on_host(256, 448), on_host(808, 990)],
            [],
            0,
            1077,
        ),  # at the line: a third more must fail
        ([on_host(8, 200), on_host(256, 448), on_host(808, 990)], [1077], 0, None),
        (
            [on_host(8, 200), on_host(256, 448)],
            [800],
            0,
            760,
        ),  # the line says 808: just below what failed
        ([on_host(8, 200), on_host(256, 448)], [800, 760], 0, 508),  # it is wrong: the middle
        ([on_host(8, 200), on_host(256, 448)], [1600], 0, 808),
        ([on_host(1, 200)], [8], 0, 4),
        ([on_host(1, 200), on_host(2, 300)], [3], 0, None),
    ],
)
def test_what_is_tried_next(
    ran: list[Ran], failed: list[int], most: int, tried: int | None
) -> None:
    assert next_batch(ran, failed, most) == tried


def test_the_line_is_drawn_through_batches_that_are_well_apart() -> None:
    """Two that are near to each other differ by the noise alone."""
    (line,) = lines([on_host(256, 456), on_host(950, 1150), on_host(1000, 1205, 2000)])
    assert (line.fixed, round(line.slope, 3), int(line.batch)) == (198, 1.007, 1789)


def test_one_batch_on_a_gpu_is_enough_and_the_allocators_rule_counts() -> None:
    """100 MB are held and 1 MB for each sample, of which 0.5 MB are one tensor: it needs its size once more."""
    (line,) = lines([on_gpu(100, 100 * MB, 200 * MB, MB // 2)])
    assert (line.fixed, line.slope) == (100 * MB, MB)
    assert int(line.batch) == max(int(890 / 1.5), int((890 * MB - (128 << 20)) / MB))


def test_the_memory_that_is_full_first_decides() -> None:
    both = Ran(100, (Used(HOST, 1000 * MB, -1, 300 * MB), Used("GPU:0", 1000 * MB, 0, 500 * MB, 1)))
    small = Ran(8, (Used(HOST, 1000 * MB, -1, 208 * MB), Used("GPU:0", 1000 * MB, 0, 40 * MB, 1)))
    assert min(lines([small, both]), key=lambda each: each.batch).name == "GPU:0"
    assert next_batch([small, both], []) == 197  # 990 MB by 5 MB and a byte


def test_two_compiled_batches_give_a_line() -> None:
    line = estimated([(64, 63_195_000), (8, 13_587_040)], HOST, 1000 * MB, 207 * MB)
    assert (line.fixed, round(line.slope), int(line.batch)) == (213_500_189, 885_856, 887)
    assert estimated([(8, 5), (64, 5)], HOST, 100, 0).batch == float("inf")
