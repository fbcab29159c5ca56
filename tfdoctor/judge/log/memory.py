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
from tfdoctor.judge.log.words import fix_here
from tfdoctor.knowledge.actions import act
from tfdoctor.knowledge.messages.expressions import is_a_compiler, is_a_server, makes_weights, tensor_of
from tfdoctor.knowledge.model import Confidence, Fix
from tfdoctor.knowledge.says import says

# A kernel that died behind large allocations: no proof, and still the first thing to look at.

OF_A_KILL = {
    "host-oom-killed": "The program was killed (SIGKILL). The log does not show why; usually host memory ran out.",
    "container-oom-killed": "The program was killed (SIGKILL). The log does not show why; usually at its container's memory limit.",
}
"""Titles of an end that only tells that it was one."""
_LARGE = ("allocation-tenth", "allocation-tenth-old", "large-alloc")
_DIED = "jupyter-kernel-died"
_KILLS = ("host-oom-killed", "container-oom-killed")
_WORTH_TELLING = 500_000_000  # a smaller piece fills no machine by itself
_BYTES = Expression(r"\b(?P<bytes>\d{7,15})\b")


def behind_large_pieces(facts: Facts, told: Testimony) -> bool:
    """More than a tenth of the free memory, or a gigabyte, was asked for at once, and no step is told after that."""
    lines = [(each.file, each.line) for each in value_or(facts.log.noise, ()) if each.name in _LARGE]
    worked = [place(each) for each in told.named("keras-step", "epoch")]
    return bool(lines) and not any(each > min(lines) for each in worked)


def with_memory_first(facts: Facts, told: Testimony, found: Candidate) -> Candidate:
    """A death with the large allocation that stands before it; any other candidate as it is."""
    if found.code in _KILLS and found.title in ("", *OF_A_KILL.values()) and behind_large_pieces(facts, told):
        return _killed_behind_it(facts, found)
    if found.code != _DIED or not behind_large_pieces(facts, told):
        return found
    words, title = (
        says("jupyter-kernel-died", "behind-large-pieces"),
        says("jupyter-kernel-died", "behind-large-pieces-title"),
    )
    opened = question(("host-oom-killed", "container-oom-killed", "native-crash"), "kernel_log.oom_kills")
    return replace(found, explanation=words, title=title, open=opened)


def _killed_behind_it(facts: Facts, found: Candidate) -> Candidate:
    """The line counts as evidence then, and not among those that mean nothing."""
    large = [each for each in value_or(facts.log.noise, ()) if each.name in _LARGE]
    sizes = (_BYTES.search(each.text) for each in large)
    size = max((int(each["bytes"]) for each in sizes if each is not None), default=0)
    if size < _WORTH_TELLING:
        return found
    words = (
        f"{found.explanation} Before that the program allocated {size / 1e9:.1f} GB in one piece."
    ).strip()
    ran_out = f"usually because memory ran out: it had just asked for {size / 1e9:.1f} GB in one piece."
    title = f"The program was killed (SIGKILL), {ran_out}"
    places = (*found.places, *((each.file, each.line) for each in large))
    sure = Confidence.LIKELY if found.confidence is Confidence.POSSIBLE else found.confidence
    return replace(found, explanation=words, title=title, places=places, confidence=sure)


# A program that was killed and says no more: what gives it room, by what it was doing and where it ran.

_CODES = ("host-oom-killed", "container-oom-killed")

_LESS = act("use-less-memory")
_SWAP = act("raise-limit", "swap")
_WHO = act("look", "largest-processes")


def kill_fixes(code: str, facts: Facts, told: Testimony) -> tuple[Fix, ...]:
    """() where the log tells who killed it, or where what it says has ways of its own."""
    kills = [each for each in told.endings if each.how == "signal" and each.status == 9]
    if code not in _CODES or not kills or any(each.sure == "certain" for each in told.of(code)):
        return ()
    if any(is_a_compiler(each.what) for each in kills):
        return (act("set-variable", "run-fewer-compilers-at-once"), _WHO, _SWAP)
    pip = max((place(each) for each in told.named("pip-at-work")), default=(-1, -1))
    if pip > max((place(each) for each in told.named("pip-installed")), default=(-1, -1)):
        return _of_pip(facts)
    if code == "container-oom-killed":
        return _of_a_box(facts, kills[-1].what)
    if value_or(facts.host.os, "linux") != "linux" or isinstance(facts.host.scheduler, Known):
        return ()
    if isinstance(facts.host.wsl, Known):
        return (act("raise-limit", "wsl-memory"), _LESS, _WHO)
    return (_LESS, _WHO, _SWAP)


_BY_KUBECTL = "command terminated with exit code"
"""kubectl exec's words for the end of what it ran in a pod."""


def _of_a_box(facts: Facts, line: str) -> tuple[Fix, ...]:
    """() in Kubernetes and elsewhere where no docker is typed: the page has those."""
    if value_or(facts.host.container, "docker") not in ("docker", "podman") or _BY_KUBECTL in line:
        return ()
    rest = (act("use-less-memory", "fewer-models"),) if is_a_server(line) else (_LESS,)
    return (act("raise-limit", "memory"), *rest, act("look", "container-oom"))


def exhausted_fixes(facts: Facts, told: Testimony) -> tuple[Fix, ...]:
    """() where the page's serve: ps and ulimit are for programs on Linux."""
    if any(each.package == "pip" for each in told.endings[-1:]):
        return (fix_here(facts, "change-packages", "install-without-pips-cache"),)
    return (
        (act("raise-limit", "enlarge-page-file"), _LESS) if value_or(facts.host.os, "") == "windows" else ()
    )


def _of_pip(facts: Facts) -> tuple[Fix, ...]:
    return (
        fix_here(facts, "change-packages", "install-without-pips-cache"),
        fix_here(facts, "change-packages", "install-small-cpu-build"),
        _SWAP,
    )


# GPU memory that was used up by the model's own weights: no batch could be smaller.

_OF_MEMORY = ("gpu-out-of-memory", "gpu-dataset-on-device")
_FULL = ("ResourceExhausted", "RESOURCE_EXHAUSTED", "OOM when", "Dst tensor", "failed to allocate memory")
_STAGES = ("weights", "building", "initial")
"""What is made before any batch is at work."""
_LARGE_MATRIX = (2048, 64)
_MOST_UNITS = 16384
_LARGEST_KERNEL, _CHANNELS = 11, 256
"""Rows and columns from which a matrix is no batch of samples but weights of a Dense or Embedding layer, or their gradient; more columns
are a batch of answers over a vocabulary, or a matrix that the program itself made."""
_SMALL_MB = 256
"""Below that no single layer is to blame: any GPU that TensorFlow takes has several times as much."""


def stage(told: Testimony) -> str:
    """What the last exception about memory was raised in: "weights", "building", "" for anything else."""
    raised = [each for each in told.raised if any(word in each.what for word in _FULL)]
    if raised and raised[-1].doing in _STAGES:
        return raised[-1].doing
    texts = [each.text for each in told.of(*_OF_MEMORY) if tensor_of(each.text)[1]]
    if any(makes_weights(each) for each in texts[-1:]):
        return "initial"
    if not texts or not all(_is_matrix(tensor_of(each)[0]) for each in texts):
        return ""
    return "small" if max(map(_megabytes, texts)) < _SMALL_MB else "matrix"


def _megabytes(text: str) -> int:
    return max(1, tensor_of(text)[1] // 1_000_000)


def _is_matrix(shape: tuple[int, ...]) -> bool:
    """Two large sides, or a convolution's kernel: height, width, channels in, channels out."""
    if len(shape) == 4:
        return shape[0] == shape[1] <= _LARGEST_KERNEL and min(shape[2:]) >= _CHANNELS
    if len(shape) != 2 or shape[1] > _MOST_UNITS:
        return False
    return all(size >= least for size, least in zip(shape, _LARGE_MATRIX, strict=True))


def without_a_batch(told: Testimony, code: str, places: tuple[Place, ...]) -> Candidate | None:
    """None where the log shows none of it, or speaks of something else."""
    doing = stage(told) if code in _OF_MEMORY else ""
    if not doing:
        return None
    texts = [each.text for each in told.of(*_OF_MEMORY) if tensor_of(each.text)[1]]
    size = max(map(_megabytes, texts), default=0)
    fixes, others = _OF_WEIGHTS.get(doing, _BEFORE_A_BATCH), ("gpu-memory-held",)
    return of_page(
        *_OF_STAGE[doing], places, others=others, fact="nvml.devices", values={"size": size}, fixes=fixes
    )


_OF_STAGE = {
    "weights": ("gpu-out-of-memory", "weights"), "building": ("gpu-out-of-memory", "building"), "initial": ("gpu-out-of-memory", "initial"),
    "matrix": ("gpu-out-of-memory", "matrix"), "small": ("gpu-out-of-memory", "small"),
}  # fmt: skip
"""The sentences of each."""
_OF_WEIGHTS = {
    "matrix": (
        act("use-less-memory", "layer"),
        act("use-less-memory", "optimizer"),
        act("look", "gpu-memory"),
    ),
    "small": (
        act("use-less-memory", "halve-batch-or-images"),
        act("look", "gpu-memory"),
        act("use-less-memory", "optimizer"),
    ),
}
_BEFORE_A_BATCH = (
    act("look", "gpu-memory"),
    act("use-less-memory", "float16"),
    act("set-variable", "run-on-cpu"),
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
    why = says("gpu-out-of-memory", "of-jax") if other == "JAX" else says("gpu-out-of-memory", "of-torch")
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
    return bool(devices) and all((known(each.memory_free) or 0) >= _NO_WHOLE_GPU for each in devices)


def _words(code: str, dump: Dump, *, small: bool) -> str:
    asked = size(known(dump.requested))
    limit, used = size(known(dump.limit)), size(known(dump.in_use))
    if code == "gpu-memory-fragmented" and not isinstance(dump.free, Known):
        return (
            f"TensorFlow may use {limit} of this GPU and used {used} when {asked} more found no room: what is free is in pieces that are "
            "too small, or another process holds it."
        )
    if code == "gpu-memory-fragmented":
        return f"{size(known(dump.free))} of GPU memory were free in total, but the largest block had {size(known(dump.largest_free))}, and {asked} were needed in one block."
    if small:
        return f"TensorFlow may use only {limit} of this GPU, too little for any model. Other processes used the rest when it started, unless the program sets such a limit."
    if code == "gpu-memory-held":
        return f"TensorFlow may use {limit} and had {size(known(dump.pool)) or used} when the driver refused {asked} more: another process uses the rest of the GPU's memory."
    if code == "gpu-dataset-on-device":
        return (
            f"A NumPy array of {asked} was to be copied to the GPU as one constant: usually a whole dataset."
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


_ASKED_AGAIN = ("driver-refused-memory", "pinned-refused", "host-alloc-refused", "host-allocator-ran-out")
"""Lines of memory that was refused, after which TensorFlow asks for less, down to what it gets."""
_OF_GPU_MEMORY = ("gpu-memory-held", "gpu-out-of-memory", "gpu-memory-fragmented", "gpu-dataset-on-device")


def survived_a_refusal(told: Testimony, code: str) -> bool:
    """Whether all that is told of memory is that some was refused, and the program worked on after it."""
    said = told.of(*(_OF_GPU_MEMORY if code in _OF_GPU_MEMORY else ("host-memory-exhausted",)))
    if code not in (*_OF_GPU_MEMORY, "host-memory-exhausted") or not said or told.ended_badly:
        return False
    worked = (*told.named("library-opened", "cudnn-loaded", "keras-step"), *told.of("ptxas-too-old"))
    after = any(place(each) > max(map(place, said)) for each in worked)
    return all(each.name in _ASKED_AGAIN for each in said) and (told.worked or after)


# The one tensor that did not fit: how large it is, what half of the batch makes of it, and where no batch is small enough.

_BATCH = "Lower batch_size in model.fit() or .batch()."
_GB = 10**9
SMALLER = "Make the samples smaller"
_AT_MOST = 4096  # samples of a batch that somebody chose


def half_of(told: Testimony) -> str:
    """What to say beside the advice to halve the batch."""
    shape, size = asked_for(told)
    if (
        stage(told) or len(shape) < 2 or not 2 <= shape[0] <= _AT_MOST
    ):  # weights, a plain piece of memory, or samples that nobody put into batches
        return _BATCH
    return f"The tensor that did not fit begins with {shape[0]} and takes {_size(size)}; if that is the batch, try {shape[0] // 2}. {_BATCH}"


def one_sample(told: Testimony) -> tuple[Fix, ...]:
    """Where the tensor that did not fit holds a single sample, which no smaller batch makes smaller; () for any other.

    A first dimension of one is a batch only where height and width follow: weights of convolutions have 1 to 11 there.
    """
    found = (_SHAPE.search(each.text) for each in told.sayings)
    shapes = [tuple(map(int, each["shape"].split(","))) for each in found if each]
    single = next(
        (
            each
            for each in shapes
            if len(each) == _OF_PICTURES and each[0] == 1 and min(each[1:3]) > _WIDEST_KERNEL
        ),
        None,
    )
    if single is None:
        return ()
    shape = ",".join(map(str, single))
    return (
        act("use-less-memory", "make-samples-smaller-by-shape", shape=shape),
        act("look", "gpu-processes"),
    )  # fmt: skip


_SHAPE = Expression(r"shape ?\[(?P<shape>\d{1,6}(?:,\d{1,6}){1,6})\]")
_OF_PICTURES, _WIDEST_KERNEL = 4, 11


def asked_for(told: Testimony) -> tuple[tuple[int, ...], int]:
    """The largest tensor that the log says did not fit."""
    return max((tensor_of(each.text) for each in told.sayings), key=lambda each: each[1], default=((), 0))


def _size(count: int) -> str:
    return f"{count / _GB:.1f} GB" if count >= _GB else f"{count / 1e6:.0f} MB"


def retraced(facts: Facts) -> Iterator[Candidate]:
    """Warnings of retracing before a kill: each trace is kept, and so memory grows with the calls."""
    warned = [each for each in value_or(facts.log.noise, ()) if each.name == "retracing" and each.count > 1]
    if warned:
        words = says("retracing-memory-growth", "warned-and-killed")
        places = tuple((each.file, each.line) for each in warned)
        yield Candidate("retracing-memory-growth", Confidence.POSSIBLE, places, words)
