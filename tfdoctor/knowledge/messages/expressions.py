"""Expressions for an exception's last line, and for ends and lists that more than one rule reads."""

from __future__ import annotations

from math import prod

from tfdoctor.base.expressions import Expression
from tfdoctor.base.records import record
from tfdoctor.knowledge.messages.by_release import Times, inside, times

# Exceptions of a program's own that state their cause themselves: which file is not there, which two sizes do not fit.

MODULE = Expression(
    r"^(?:\w{1,60}\.)*(?:ModuleNotFound|Import)Error: No module named '?(?P<module>\w{1,60})(?:'|$)"
)
OF_A_LAYER = Expression(
    r"^ ?Exception encountered when calling (?:layer \S{1,100}(?: \(type \w{1,60}\))?|\w{1,60}\.call\(\))\. "
)
"""Keras' heading of an error inside of a layer (2.5 to 3), where the words of the error follow."""
WRAPPED = Expression(
    r"(?:Failed to import [\w.]{1,200} because of the following error \(look up to see its traceback\): ?){1,9}"
)
"""transformers' words for an error that its own lazy import met, one for each module on the way."""


# In which releases of Keras a model, a layer or an optimizer has a method, a property or an argument: the table `names/members.txt`.

MEMBER = Expression(r"'(?P<owner>[A-Za-z]\w{0,80})' object has no attribute '(?P<symbol>\w{1,80})'")
ARGUMENT = Expression(
    r"(?:\b(?P<owner>[A-Z]\w{0,80})\.)?\b(?P<call>[a-z]\w{1,60})\(\) got an unexpected keyword argument '(?P<symbol>\w{1,60})'"
)
_TABLE = "members"
_KINDS = {
    "Sequential": "sequential",
    **dict.fromkeys(("Functional", "Model", "Network"), "model"),
    **dict.fromkeys(("LossScaleOptimizer", "LossScaleOptimizerV3"), "loss-scale"),
    **dict.fromkeys(("Adam", "AdamW", "Adamax", "Adagrad", "Adadelta", "SGD", "RMSprop", "Nadam", "Ftrl"), "optimizer"),
}  # fmt: skip
_WRAPPING = "loss-scale"
"""It passes on what it is asked for to the optimizer inside, and has not all that its base would make."""
_OF_OPTIMIZERS = (
    "_set_hyper",
    "_get_hyper",
    "_create_slots",
    "_resource_apply_dense",
    "_resource_apply_sparse",
    "_prepare_local",
    "_decayed_lr",
    "get_updates",
)
"""What classes of one's own take from the base of optimizers, whatever they are called."""
_OWNERS_OF_CALLS = ("", "Sequential", "Functional", "Model", "Trainer", "TensorFlowTrainer")


@record
class Member:
    """`call`: an argument of that call."""

    owner: str
    name: str
    call: bool
    times: Times


def member(what: str) -> Member | None:
    """The member of a Keras object that was asked for in vain; None for others' objects and for what the table does not know."""
    found = ARGUMENT.compiled.search(what)
    if found is not None:
        owner, call, name = found["owner"] or "", found["call"], found["symbol"]
        there = inside(_TABLE, f"{call}()", name) if owner in _OWNERS_OF_CALLS else None
        return Member(call, name, call=True, times=there) if there is not None else None
    found = MEMBER.compiled.search(what)
    if found is None:
        return None
    owner, name = found["owner"], found["symbol"]
    kind = "optimizer" if name in _OF_OPTIMIZERS else _KINDS.get(owner, "")
    if not kind and times("keras.layers", owner) is not None:
        kind = "layer"
    there = (
        inside(_TABLE, kind, name)
        if kind and not (kind == _WRAPPING and name.startswith("_"))
        else None
    )
    if there is None and kind == "model":  # code for a Sequential that was given a functional model
        there = inside(_TABLE, "sequential", name)
    return Member(owner, name, call=False, times=there) if there is not None else None


# What the C library says right before it aborts a program whose heap or stack was overwritten.

_HEAP = Expression(
    r"^(?:\*\*\* (?:Error in .{1,300}?|glibc detected \*\*\* .{1,300}?): )?(?:(?:free|malloc|realloc|calloc|munmap_chunk|malloc_consolidate|tcache_thread_shutdown)\(\): (?:invalid|corrupt|memory corruption|double free|unaligned|unsorted|mismatching)|double free or corruption|corrupted (?:double-linked list|size vs\. prev_size))"
    r"|^\*\*\* (?:stack smashing|buffer overflow) detected \*\*\*|malloc: \*\*\* error for object 0x[0-9a-f]{1,16}: "
)
"""The words of malloc_printerr in glibc's malloc/malloc.c (2.17 to 2.36) and debug/stack_chk_fail.c, and of macOS' malloc, read 2026-11-22."""


def heap_overwritten(line: str) -> bool:
    return bool(_HEAP.search(line))


# Around a bus error: frames in which a library is being opened, and words of programs that work as several processes.

_LOADING = Expression(
    r"^(?:<module>|preload_check|load_dynamic|_load_library|load_library|create_module|__init__) "
)
"""Functions in which Python or TensorFlow opens a library: a file that was cut off dies there."""
_SEVERAL = Expression(
    r"(?i)horovod|\bnccl\b|mpirun|\[1,\d{1,4}\]|DataLoader|ForkPool|multiprocessing|\bray\b"
)


def is_loading(frame: str) -> bool:
    """Of a frame as an ending holds it, "function (file:line)"."""
    return bool(_LOADING.compiled.match(frame))


def names_several(text: str) -> bool:
    return bool(_SEVERAL.compiled.search(text))


# How servers that fork show themselves and speak of a worker that died (gunicorn, Celery, uWSGI), and what macOS says when it ends a copy.

_FORKED = Expression(
    r"\[(?:WARNING|ERROR)\] Worker (?:with pid |\(pid:)\d{1,10}\)? was (?:terminated due to|sent) (?:signal \d{1,2}|SIG[A-Z]{3,5})|Process '(?:ForkPool)?\w{0,20}Worker-\d{1,6}' pid:\d{1,10} exited with 'signal \d{1,2}"
    r"|WorkerLostError\W{1,3}Worker exited prematurely: signal \d{1,2}|DAMN ! worker \d{1,6} \(pid: \d{1,10}\) died, killed by signal \d{1,2}|uWSGI worker \d{1,6} .{0,40}got Segmentation Fault"
)
"""gunicorn's arbiter (20 and newer), Celery's pool and uWSGI's master, by public logs of 2015 to 2024."""


def forks_workers(text: str) -> bool:
    return bool(_FORKED.compiled.search(text))


# How a parent speaks of a child that died: lines by which a traceback or a status is seen to pass a death on.

NAMES = (
    "child-died-with-signal",
    "child-terminated-abruptly",
    "child-unexpectedly-terminated",
    "child-exited-prematurely",
    "child-killed-by-signal",
    "child-negative-exit-code",
    "child-negative-status",
)


# What AMD's runtime, its tools and its libraries say: rocminfo, the kernel's module for computing, rocBLAS, MIOpen.


_TENSOR = Expression(
    r"OOM when allocating tensor (?:with|of) shape ?\[(?P<shape>\d{1,10}(?:,\d{1,10}){0,7})\](?: and type (?P<kind>\w{1,20}))?"
)
_BYTES = {"double": 8, "int64": 8, "complex64": 8, "complex128": 16, "float64": 8, "half": 2, "bfloat16": 2, "float16": 2, "int8": 1, "uint8": 1, "bool": 1}  # fmt: skip
"""By TensorFlow's own names of its types (core/framework/types.cc, read 2026-11-22); all others have four, or are rare."""


def tensor_of(text: str) -> tuple[tuple[int, ...], int]:
    """The shape of the tensor that did not fit, and its bytes; ((), 0) where none is told."""
    found = _TENSOR.search(text)
    if not found:
        return (), 0
    shape = tuple(map(int, found["shape"].split(",")))
    return shape, prod(shape) * _BYTES.get(found["kind"] or "float", 4)
