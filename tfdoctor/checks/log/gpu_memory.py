"""What the allocator's accounts say: too big, in pieces, held by others, or a whole dataset in one piece."""

from __future__ import annotations

from tfdoctor.checks.log.candidate import Candidate, question
from tfdoctor.checks.log.kinds.weights import without_a_batch
from tfdoctor.checks.log.testimony import Testimony, place
from tfdoctor.facts.log_values import Dump
from tfdoctor.facts.model import Facts
from tfdoctor.facts.outcome import Fact, Known, value_or
from tfdoctor.findings.model import Confidence

_ON_GPU = ("GPU", "gpu", "hip", "cuda")
_NO_WHOLE_GPU = 1 << 30
"""Bytes. TensorFlow takes what is free at its start, and no GPU that its releases since 2.4 run on has less than 2 GiB."""
_WHOLE_DATASET = ("_EagerConst", "Const")


def gpu_memory(facts: Facts, told: Testimony) -> Candidate | None:
    """The last account of this run with a device of the GPU, judged by its numbers; None without one."""
    dumps = dumps_of_gpus(facts)
    if not dumps:
        return None
    dump = next((each for each in dumps if isinstance(each.requested, Known)), dumps[0])
    code = _code(dump)
    places = tuple((each.file, each.line) for each in dumps[:4])
    if not _is_small(dump) and (found := without_a_batch(told, code, places)) is not None:
        return found
    complete = all(isinstance(each, Known) for each in (dump.requested, dump.limit))
    told_enough = complete if code == "gpu-out-of-memory" else not _is_small(dump)
    return Candidate(
        code, Confidence.CERTAIN if told_enough else Confidence.LIKELY, places, _words(code, dump),
        open=None if told_enough else question(("gpu-out-of-memory", "gpu-memory-held", "gpu-memory-fragmented"), "nvml.devices"),
    )  # fmt: skip


def dumps_of_gpus(facts: Facts) -> list[Dump]:
    """The accounts of this run with a device of the GPU, in their order."""
    run = value_or(facts.log.run, 0)
    return [
        each
        for each in value_or(facts.log.dumps, ())
        if each.run == run
        and (not each.device or (each.device.startswith(_ON_GPU) and "_host" not in each.device))
    ]


def _code(dump: Dump) -> str:
    """Order of the questions: whose constant is it, would a piece do, did the driver refuse, else it is too big."""
    asked, free, largest = _of(dump.requested), _of(dump.free), _of(dump.largest_free)
    limit, pool = _of(dump.limit), _of(dump.pool)
    if _is_small(dump):
        return "gpu-memory-held"
    if dump.op.rsplit("/", 1)[-1] in _WHOLE_DATASET:
        return "gpu-dataset-on-device"
    if asked is None:
        return "gpu-out-of-memory"
    if free is not None and largest is not None and free >= asked > largest:
        return "gpu-memory-fragmented"
    if limit is not None and pool is not None and limit - pool > asked:
        return "gpu-memory-held"
    return "gpu-out-of-memory"


def _is_small(dump: Dump) -> bool:
    limit = _of(dump.limit)
    return limit is not None and limit < _NO_WHOLE_GPU


def _of(fact: Fact[int]) -> int | None:
    return fact.value if isinstance(fact, Known) else None


def _words(code: str, dump: Dump) -> str:
    asked = size(_of(dump.requested))
    limit, used = size(_of(dump.limit)), size(_of(dump.in_use))
    if code == "gpu-memory-fragmented":
        return (
            f"{size(_of(dump.free))} of GPU memory were free in sum, but the largest piece had {size(_of(dump.largest_free))}, and "
            f"{asked} were asked for in one piece."
        )
    if _is_small(dump):
        return (
            f"TensorFlow may use no more than {limit} of this GPU, too little for any model. It takes what is free when it starts, so "
            "other processes held the rest of the GPU's memory by then, unless the program itself sets such a limit."
        )
    if code == "gpu-memory-held":
        return (
            f"TensorFlow may use {limit} and had got {size(_of(dump.pool))} when the driver refused {asked} more: somebody else "
            "holds the rest of the GPU's memory."
        )
    if code == "gpu-dataset-on-device":
        return (
            f"A NumPy array of {asked} was to be copied to the GPU as one constant: mostly a whole dataset."
        )
    in_use = (
        f"{used} of the {limit} that TensorFlow may use on this GPU were in use" if limit and used else ""
    )
    if asked and in_use:
        return f"{asked} more were asked for while {in_use}."
    return f"The GPU's memory was full: {in_use}." if in_use else ""


def size(count: int | None) -> str:
    """Bytes for a person: "2.30 GiB"; "" for none."""
    if count is None:
        return ""
    amount = float(count)
    for unit in ("B", "KiB", "MiB", "GiB"):
        if amount < 1024:
            return f"{amount:.0f} {unit}" if unit == "B" else f"{amount:.2f} {unit}"
        amount /= 1024
    return f"{amount:.2f} TiB"


_PINNED = ("pinned-refused", "host-alloc-refused", "host-allocator-ran-out")
"""The driver gave no pinned memory of one size; TensorFlow asks again for less, down to what it gets."""


def went_on(told: Testimony, code: str) -> bool:
    """Whether the program worked on after memory of the host was refused: later it opened a library, compiled or counted steps."""
    said = told.of(code)
    if code != "host-memory-exhausted" or not said or any(each.name not in _PINNED for each in said):
        return False
    last = max(map(place, said))
    worked = (*told.named("library-opened", "cudnn-loaded", "keras-step"), *told.of("ptxas-too-old"))
    return not told.ended_badly and any(place(each) > last for each in worked)
