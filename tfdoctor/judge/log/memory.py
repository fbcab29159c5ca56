"""Memory of machine, container and GPU, and room on the disk: what used it up, and what helps."""

from __future__ import annotations

from collections.abc import Iterator

from tfdoctor.base.expressions import Expression
from tfdoctor.base.records import replace
from tfdoctor.facts.log_values import Dump
from tfdoctor.facts.model import Facts
from tfdoctor.facts.outcome import Known, known, value_or
from tfdoctor.judge.log.candidate import Candidate, of_page, question
from tfdoctor.judge.log.spans import shown
from tfdoctor.judge.log.testimony import Place, Testimony, place
from tfdoctor.knowledge.actions import act
from tfdoctor.knowledge.messages.expressions import tensor_of
from tfdoctor.knowledge.model import Confidence, Fix
from tfdoctor.knowledge.says import says

# A kernel that died behind large allocations: no proof, and still the first thing to look at.

_LARGE = ("allocation-tenth", "allocation-tenth-old", "large-alloc")
_DIED = "jupyter-kernel-died"
KILLS = ("host-oom-killed", "container-oom-killed")
_WORTH_TELLING = 500_000_000  # a smaller piece fills no machine by itself
_BYTES = Expression(r"\b(?P<bytes>\d{7,15})\b")


def behind_large_pieces(facts: Facts, told: Testimony) -> bool:
    """More than a tenth of the free memory, or a gigabyte, was asked for at once, and no step is told after that."""
    lines = [
        (each.file, each.line) for each in value_or(facts.log.noise, ()) if each.name in _LARGE
    ]
    worked = [place(each) for each in told.named("keras-step", "epoch")]
    return bool(lines) and not any(each > min(lines) for each in worked)


def with_memory_first(facts: Facts, told: Testimony, found: Candidate) -> Candidate:
    """A death with the large allocation that stands before it; any other candidate as it is."""
    if (
        found.code in KILLS
        and found.confidence is Confidence.POSSIBLE
        and behind_large_pieces(facts, told)
    ):
        return _killed_behind_it(facts, found)
    if found.code != _DIED or not behind_large_pieces(facts, told):
        return found
    words, title = (
        says("jupyter-kernel-died", "behind-large-pieces"),
        says("jupyter-kernel-died", "behind-large-pieces-title"),
    )
    opened = question(
        ("host-oom-killed", "container-oom-killed", "native-crash"), "kernel_log.oom_kills"
    )
    return replace(found, explanation=words, title=title, open=opened)


def _killed_behind_it(facts: Facts, found: Candidate) -> Candidate:
    """The line counts as evidence then, and not among those that mean nothing."""
    large = [each for each in value_or(facts.log.noise, ()) if each.name in _LARGE]
    sizes = (_BYTES.search(each.text) for each in large)
    size = max((int(each["bytes"]) for each in sizes if each is not None), default=0)
    if size < _WORTH_TELLING:
        return found
    told_size = f"{size / 1e9:.1f}"
    behind = says("host-oom-killed", "behind-one-piece", size=told_size)
    title = says("host-oom-killed", "behind-one-piece-title", size=told_size)
    words = f"{found.explanation} {behind}".strip()
    places = (*found.places, *((each.file, each.line) for each in large))
    return replace(
        found, explanation=words, title=title, places=places, confidence=Confidence.LIKELY
    )


# GPU memory that was used up by the model's own weights: no batch could be smaller.

_OF_MEMORY = ("gpu-out-of-memory", "gpu-dataset-on-device")
_FULL = (
    "ResourceExhausted",
    "RESOURCE_EXHAUSTED",
    "OOM when",
    "Dst tensor",
    "failed to allocate memory",
)
_MADE_FIRST = ("weights", "building", "initial")
"""What an exception's program was at, before any batch."""
_LARGE_MATRIX, _MOST_UNITS, _ONE_LAYER = (2048, 64), 16384, 256_000_000
"""Rows and columns from which a matrix is no batch of samples but weights of a Dense or Embedding layer, or their gradient; more columns
are a batch of answers over a vocabulary. Bytes below which no single layer is to blame."""


def without_a_batch(told: Testimony, code: str, places: tuple[Place, ...]) -> Candidate | None:
    """None where the log shows none of it, or speaks of something else."""
    if code not in _OF_MEMORY:
        return None
    others, fact = ("gpu-memory-held",), "nvml.devices"
    if _before_any(told):
        fixes = (
            act("look", "gpu-memory"),
            act("use-less-memory", "float16"),
            act("set-variable", "run-on-cpu"),
        )
        return of_page(
            "gpu-out-of-memory", "before-a-batch", places, others=others, fact=fact, fixes=fixes
        )
    if _of_a_layer(told):
        fixes = (
            act("use-less-memory", "layer"),
            act("use-less-memory", "optimizer"),
            act("look", "gpu-memory"),
        )
        return of_page("gpu-out-of-memory", "matrix", places, others=others, fact=fact, fixes=fixes)
    return None


def _before_any(told: Testimony) -> bool:
    """Whether the last exception about memory arose before any batch."""
    raised = [each for each in told.raised if any(word in each.what for word in _FULL)]
    return bool(raised) and raised[-1].doing in _MADE_FIRST


def _of_a_layer(told: Testimony) -> bool:
    """Whether all that did not fit are matrices of a layer, one of them large."""
    tensors = [tensor for each in told.of(*_OF_MEMORY) if (tensor := tensor_of(each.text))[1]]
    large = max((size for _, size in tensors), default=0) >= _ONE_LAYER
    return large and all(_is_matrix(shape) for shape, _ in tensors)


def _is_matrix(shape: tuple[int, ...]) -> bool:
    return (
        len(shape) == 2 and all(map(int.__ge__, shape, _LARGE_MATRIX)) and shape[1] <= _MOST_UNITS
    )


def framework(facts: Facts, told: Testimony) -> str:
    """Whose GPU memory ran out, where it is another framework's than TensorFlow; "" for TensorFlow's."""
    if shown(facts).jax and not shown(facts).serving:
        return "JAX"
    last = told.raised[-1] if told.raised else None
    of_torch = last is not None and (last.package == "torch" or last.what.startswith("torch."))
    return "PyTorch" if of_torch or told.named("torch-ran-out") else ""


def elsewhere(facts: Facts, told: Testimony, code: str) -> tuple[str, str]:
    """Title and words; "" twice for TensorFlow's own memory, and for any other code."""
    other = framework(facts, told) if code == "gpu-out-of-memory" else ""
    if not other:
        return "", ""
    words = says("gpu-out-of-memory", "elsewhere", framework=other)
    why = (
        says("gpu-out-of-memory", "of-jax")
        if other == "JAX"
        else says("gpu-out-of-memory", "of-torch")
    )
    return says("gpu-out-of-memory", "elsewhere-title", framework=other), f"{words} {why}"


# What the allocator's accounts say: too big, in pieces, held by others, or a whole dataset in one piece.

_ON_GPU = ("GPU", "gpu", "hip", "cuda")
_NO_WHOLE_GPU = 1 << 30
"""Bytes. TensorFlow takes what is free at its start, and no GPU that its releases since 2.4 run on has less than 2 GiB."""
_WHOLE_DATASET = ("_EagerConst", "Const")
_NO_POOL = "gpu_async"
"""cuda_malloc_async: each piece comes from the driver, so what it refuses is in other hands."""


def gpu_memory(facts: Facts, told: Testimony) -> Candidate | None:
    """The last account of this run with a device of the GPU, judged by its numbers; None without one."""
    dumps = dumps_of_gpus(facts)
    if not dumps:
        return None
    dump = next((each for each in dumps if isinstance(each.requested, Known)), dumps[0])
    small = _is_small(dump) and not _is_free(facts)
    code = "gpu-memory-held" if small else _code(dump)
    places = tuple((each.file, each.line) for each in dumps[:4])
    if not small and (found := without_a_batch(told, code, places)) is not None:
        return found
    complete = all(isinstance(each, Known) for each in (dump.requested, dump.limit))
    guessed = code == "gpu-memory-fragmented" and not isinstance(dump.free, Known)
    told_enough = complete if code == "gpu-out-of-memory" else not small and not guessed
    return Candidate(
        code, Confidence.CERTAIN if told_enough else Confidence.LIKELY, places, _words(code, dump, small=small),
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
    asked, free, largest = known(dump.requested), known(dump.free), known(dump.largest_free)
    limit, used = known(dump.limit), known(dump.in_use)
    pool = used if dump.device.startswith(_NO_POOL) else known(dump.pool)
    if dump.op.rsplit("/", 1)[-1] in _WHOLE_DATASET:
        return "gpu-dataset-on-device"
    if asked is None:
        return "gpu-out-of-memory"
    if free is not None and largest is not None and free >= asked > largest:
        return "gpu-memory-fragmented"
    if limit is not None and pool is not None and limit - pool > asked:
        return "gpu-memory-held"
    if free is None and limit is not None and used is not None and limit - used > asked:
        return "gpu-memory-fragmented"
    return "gpu-out-of-memory"


def _is_small(dump: Dump) -> bool:
    limit = known(dump.limit)
    return limit is not None and limit < _NO_WHOLE_GPU


def _is_free(facts: Facts) -> bool:
    """Nobody holds a GPU's memory, so the program has set the limit itself."""
    devices = value_or(facts.nvml.devices, ())
    return bool(devices) and all(
        (known(each.memory_free) or 0) >= _NO_WHOLE_GPU for each in devices
    )


def _words(code: str, dump: Dump, *, small: bool) -> str:
    asked = size(known(dump.requested))
    limit, used = size(known(dump.limit)), size(known(dump.in_use))
    if code == "gpu-memory-fragmented" and not isinstance(dump.free, Known):
        return says("gpu-memory-fragmented", "guessed", limit=limit, used=used, asked=asked)
    if code == "gpu-memory-fragmented":
        free, largest = size(known(dump.free)), size(known(dump.largest_free))
        return says("gpu-memory-fragmented", "measured", free=free, largest=largest, asked=asked)
    if small:
        return says("gpu-memory-held", "small-limit", limit=limit)
    if code == "gpu-memory-held":
        held = size(known(dump.pool)) or used
        return says("gpu-memory-held", "more-refused", limit=limit, used=held, asked=asked)
    if code == "gpu-dataset-on-device":
        return says("gpu-dataset-on-device", "constant", asked=asked)
    if not (limit and used):
        return ""
    if asked:
        return says("gpu-out-of-memory", "asked", asked=asked, used=used, limit=limit)
    return says("gpu-out-of-memory", "full", used=used, limit=limit)


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


_ASKED_AGAIN = (
    "driver-refused-memory",
    "pinned-refused",
    "host-alloc-refused",
    "host-allocator-ran-out",
)
"""Lines of memory that was refused, after which TensorFlow asks for less, down to what it gets."""
_OF_GPU_MEMORY = (
    "gpu-memory-held",
    "gpu-out-of-memory",
    "gpu-memory-fragmented",
    "gpu-dataset-on-device",
)


def survived_a_refusal(told: Testimony, code: str) -> bool:
    """Whether all that is told of memory is that some was refused, and the program worked on after it."""
    said = told.of(*(_OF_GPU_MEMORY if code in _OF_GPU_MEMORY else ("host-memory-exhausted",)))
    if code not in (*_OF_GPU_MEMORY, "host-memory-exhausted") or not said or told.ended_badly:
        return False
    worked = (
        *told.named("library-opened", "cudnn-loaded", "keras-step"),
        *told.of("ptxas-too-old"),
    )
    after = any(place(each) > max(map(place, said)) for each in worked)
    return all(each.name in _ASKED_AGAIN for each in said) and (told.worked or after)


# The one tensor that did not fit: how large it is, what half of the batch makes of it, and where no batch is small enough.

_AT_MOST = 4096  # samples of a batch that somebody chose
_MOST_OF_A_SAMPLE = 4 << 30
"""Bytes that one step's layer needs of one sample, of which a training holds several: no GPU that most people have takes that."""
_WIDEST_KERNEL = (
    11  # weights of convolutions have 1 to 11 where a batch of pictures has height and width
)


def half_the_batch(told: Testimony) -> Fix:
    """Half of what the tensor that did not fit begins with, where that can be a batch."""
    shape, bytes_ = _largest(told)
    if _before_any(told) or _of_a_layer(told) or len(shape) < 2 or not 2 <= shape[0] <= _AT_MOST:
        # Weights, a plain piece of memory, or samples that nobody put into batches.
        return act("use-less-memory", "halve-batch-that-is-set")
    told_size = f"{bytes_ / 1e9:.1f} GB" if bytes_ >= 1e9 else f"{bytes_ / 1e6:.0f} MB"
    return act(
        "use-less-memory",
        "halve-batch-of-tensor",
        first=shape[0],
        size=told_size,
        half=shape[0] // 2,
    )


def smaller_samples(told: Testimony) -> tuple[Fix, ...]:
    """Where the tensor that did not fit is of a batch of one picture, or of pictures each of which is too large; () for any other."""
    shape, size = _largest(told)
    if len(shape) != 4 or min(shape[1:3]) <= _WIDEST_KERNEL:
        return ()
    if shape[0] != 1 and size // shape[0] < _MOST_OF_A_SAMPLE:
        return ()
    by_shape = act(
        "use-less-memory", "make-samples-smaller-by-shape", shape=",".join(map(str, shape))
    )
    return (by_shape, act("look", "gpu-processes"))


def _largest(told: Testimony) -> tuple[tuple[int, ...], int]:
    """The largest tensor that the log says did not fit, and its bytes."""
    return max(
        (tensor_of(each.text) for each in told.sayings), key=lambda each: each[1], default=((), 0)
    )


def retraced(facts: Facts) -> Iterator[Candidate]:
    """Warnings of retracing before a kill: each trace is kept, and so memory grows with the calls."""
    warned = [
        each
        for each in value_or(facts.log.noise, ())
        if each.name == "retracing" and each.count > 1
    ]
    if warned:
        words = says("retracing-memory-growth", "warned-and-killed")
        places = tuple((each.file, each.line) for each in warned)
        yield Candidate("retracing-memory-growth", Confidence.POSSIBLE, places, words)
