"""The batch that fits: literal figures of a step and of an allocator."""

from __future__ import annotations

import pytest

from tests.logs.judged import judged
from tfdoctor.facts.death import StepMemory, Training
from tfdoctor.facts.log_values import Dump
from tfdoctor.facts.outcome import Absent, Fact, Known
from tfdoctor.fix.batch import Fits, largest_batch, most_of_this_batch

NO_NUMBER: Fact[int] = Absent("not told")


def training(
    *devices: StepMemory,
    batch: Fact[int] = NO_NUMBER,
    result: int = 0,
    weights: int = 0,
    xla: bool = False,
) -> Training:
    return Training(
        8, 1, Absent("-"), Absent("-"), batch, Known(devices, "-"), "", result, weights, xla
    )


def gpu(held: int, peak: int, limit: int = 1000, name: str = "GPU:0") -> StepMemory:
    return StepMemory(name, limit, held, held, Known(peak, "-"))


def fits(told: Training) -> Fits:
    fact = largest_batch(told)
    assert isinstance(fact, Known), fact
    return fact.value


def named(told: Training) -> int:
    batch = fits(told).batch
    assert isinstance(batch, Known)
    return batch.value


@pytest.mark.parametrize(
    ("held", "peak", "batch", "result", "largest"),
    [
        (
            90,
            170,
            60,
            1,
            385,
        ),  # 900 of room; 80 for 60 elements, of which 60 are one tensor that needs its size once more
        (90, 170, 60, 0, 337),  # which tensor is the largest is not known: it may be all of it
        (0, 660, 64, 5, 64),
        (0, 999, 64, 1, 64),  # the limit itself was reached, and 64 ran
        (990, 995, 64, 1, 64),
    ],
)
def test_what_a_step_takes_and_the_allocators_rule(
    held: int, peak: int, batch: int, result: int, largest: int
) -> None:
    assert named(training(gpu(held, peak), batch=Known(batch, "-"), result=result)) == largest


def test_the_allocator_splits_a_piece_that_is_larger_by_128_mib() -> None:
    large = training(gpu(0, 1 << 30, 16 << 30), batch=Known(64, "-"))
    assert named(large) == int(((16 << 30) * 0.99 - (128 << 20)) * 64 / (1 << 30))


def test_under_xla_the_batch_that_ran_is_all_that_is_known() -> None:
    found = fits(training(gpu(0, 10), batch=Known(64, "-"), result=1, xla=True))
    assert found.least and found.batch == Known(64, "what a step was seen to take")


@pytest.mark.parametrize(("weights", "least"), [(10, False), (11, True)])
def test_a_step_that_is_mostly_weights_gives_a_lower_bound(weights: int, least: bool) -> None:
    assert fits(training(gpu(0, 100), weights=weights)).least is least


@pytest.mark.parametrize(("peak", "bound"), [(979, ""), (980, "full"), (1000, "full")])
def test_a_step_that_filled_the_gpu_shows_only_that_its_batch_fits(peak: int, bound: str) -> None:
    found = fits(training(gpu(0, peak), batch=Known(64, "-"), result=1))
    assert (found.batch, found.bound) == (Known(64, "what a step was seen to take"), bound)


def test_the_gpu_that_is_full_first_decides() -> None:
    found = fits(training(gpu(0, 100), gpu(0, 330, name="GPU:1"), batch=Known(10, "-"), result=1))
    assert int(found.share) == 2


def test_without_a_batch_it_is_a_share() -> None:
    found = fits(training(gpu(0, 165)))
    assert found.share == 3.0 and isinstance(found.batch, Absent)


@pytest.mark.parametrize(
    "device", [StepMemory("GPU:0", 1000, 5, 5, Absent("one step")), gpu(300, 300), gpu(300, 200)]
)
def test_without_a_steps_own_peak_nothing_is_named(device: StepMemory) -> None:
    assert isinstance(largest_batch(training(device, batch=Known(64, "-"))), Absent)


def dump(limit: int, in_use: int, requested: int) -> Dump:
    return Dump(
        0, 1, "GPU_0_bfc", Known(requested, "log"), Known(limit, "log"), Known(in_use, "log")
    )


def test_what_was_used_and_asked_for_bounds_the_batch_from_above() -> None:
    assert most_of_this_batch([dump(1000, 900, 1100)]) == 0.5
    assert most_of_this_batch([dump(1000, 900, 101), dump(1000, 900, 1100)]) == 0.5
    assert most_of_this_batch([dump(1000, 900, 101)]) is None  # a bound of 99 % tells nothing
    assert most_of_this_batch([dump(1000, 900, 100)]) is None  # room enough: it was in pieces
    assert most_of_this_batch([Dump(0, 1, "GPU_0_bfc")]) is None


def test_a_log_with_accounts_is_told_the_bound() -> None:
    text = (
        "W tensorflow/core/common_runtime/bfc_allocator.cc:501] Allocator (GPU_0_bfc) ran out of memory trying to allocate 4.00GiB (rounded to 4294967296)requested by op Relu\n"
        "I tensorflow/core/common_runtime/bfc_allocator.cc:1110] Sum Total of in-use chunks: 12.00GiB\n"
        "I tensorflow/core/common_runtime/bfc_allocator.cc:1114] Stats: \n"
        "Limit:                     12884901888\n"
        "InUse:                     12884901888\n"
        "tensorflow.python.framework.errors_impl.ResourceExhaustedError: OOM when allocating tensor with shape[256,1024] and type float on /job:localhost/replica:0/task:0/device:GPU:0 by allocator GPU_0_bfc\n"
    )
    (root,) = judged(text).roots
    assert root.finding.code == "gpu-out-of-memory"
    first = root.finding.fixes[0]
    assert first.title == "Use at most 75 % of this batch" and "upper bound" in first.note
