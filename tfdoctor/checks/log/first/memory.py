"""Memory that ran out: the ways of a server, of JAX, of a batch and of one large array."""

from __future__ import annotations

from tfdoctor.checks.engine.case import Case
from tfdoctor.checks.log.around.settings import Setting
from tfdoctor.checks.log.stops.piled import piled_fixes
from tfdoctor.checks.log.testimony import Testimony
from tfdoctor.checks.log.ways.tensors import all_at_once, half_of, one_sample, too_large
from tfdoctor.findings.model import Finding, Fix
from tfdoctor.signatures.advice import one_array

TAKE_HALF = "Use half of the batch that you use now, and half of that again, until it fits"


def memory(finding: Finding, case: Case, told: Testimony, here: Setting) -> tuple[Fix, ...]:
    if here.has("serving"):
        return _OF_A_SERVER
    if told.named("unified-memory-refused"):
        return ()  # no batch is small enough
    if piled_fixes(finding.code, told):
        return ()  # nor is a smaller one what helps
    if here.has("jax") and any(_KERNEL in text for text in _texts(told)):
        return (_BESIDE_ITSELF, *_OF_JAX[2:], *_OF_JAX[:1])
    if here.has("jax"):
        return (*_OF_JAX[:1], _UNIFIED, *_OF_JAX[1:])
    if not finding.fixes or "batch_size=" not in finding.fixes[0].note:
        return ()
    proposed = (_PROPOSED,) if told.named("allocator-proposed") else ()
    return too_large(case.facts, told) or one_sample(told) or (Fix(TAKE_HALF, note=half_of(told)), *proposed)


_PROPOSED = Fix(
    "Or try the allocator that the message names, for a test: it helps where the free memory is in pieces, and not where there is too little",
    ("export TF_GPU_ALLOCATOR=cuda_malloc_async",),
    "For this shell; `unset TF_GPU_ALLOCATOR` takes it back. It needs a driver of release 460 or newer.",
)
_OF_A_SERVER = (
    Fix(
        "Let the server join fewer requests into one batch: smaller max_batch_size in its batching parameters, or smaller batches from the clients",
        (
            "echo 'max_batch_size { value: 8 }' > batching.config",
            "tensorflow_model_server --enable_batching=true --batching_parameters_file=batching.config --model_base_path=/models/model",
        ),
        "8 is an example: take half of what is set now. Without --enable_batching each request is a batch, and only the clients can make it smaller.",
    ),
    Fix(
        "Or load fewer models and versions on this GPU: one version of each needs half the memory that two need while one takes the other's place",
        note="In the model's configuration: model_version_policy {latest {num_versions: 1}}.",
    ),
    Fix(
        "Where several processes share the GPU, give each its share; the sum stays below 1",
        ("tensorflow_model_server --per_process_gpu_memory_fraction=0.45 --model_base_path=/models/model",),
    ),
    Fix("See who holds the GPU's memory. It changes nothing", ("nvidia-smi --query-compute-apps=pid,process_name,used_memory --format=csv",)),
)  # fmt: skip


_UNIFIED = Fix(
    "Let JAX use the machine's own memory beside the GPU's, in the shell that starts it. It is slower, and fits more",
    ("export TF_FORCE_UNIFIED_MEMORY=1 XLA_PYTHON_CLIENT_MEM_FRACTION=4.0",),
    "4.0 is four times the GPU's memory; below 1.0 it gives nothing more. In a container hand them in: docker run -e …, singularity run --env ….",
)
_KERNEL = "Failed to load in-memory CUBIN"
_BESIDE_ITSELF = Fix(
    "Have JAX take memory as it needs it: it reserves three quarters of the GPU at its start, and a compiled kernel found no place beside that",
    ("export XLA_PYTHON_CLIENT_PREALLOCATE=false",),
    "Or less of it: export XLA_PYTHON_CLIENT_MEM_FRACTION=0.6. A TensorFlow in the same process reserves the rest, unless tf.config.set_visible_devices([], 'GPU') stands before its first use.",
)
"""The share is of JAX's own page on its allocation of memory (read 2026-11)."""
_OF_JAX = (
    Fix("Compute with half of the batch, or a smaller input, until it fits"),
    Fix(
        "Where other programs share the GPU, have JAX take memory as it needs it",
        ("export XLA_PYTHON_CLIENT_PREALLOCATE=false",),
    ),
    Fix("See who holds the GPU's memory. It changes nothing", ("nvidia-smi --query-compute-apps=pid,process_name,used_memory --format=csv",)),
)  # fmt: skip


def array(finding: Finding, case: Case, told: Testimony, here: Setting) -> tuple[Fix, ...]:
    """One array that does not fit is made smaller, or not made at all."""
    size, kind = next((found for text in _texts(told) if (found := one_array(text))[0]), ("", ""))
    if not size:
        return all_at_once(told)
    if _is_small(size):
        return (_FULL_ALREADY,)
    smaller = {
        "float64": " float32 in place of float64 takes half, uint8 for pictures an eighth.",
        "float32": " uint8 for pictures takes a quarter of float32.",
    }.get(kind, "")
    return (
        Fix(
            f"Do not build the whole array of {size} at once: read and hand over a batch at a time",
            note=f'In your files: tf.data.Dataset.from_generator, keras.utils.Sequence, or np.load(…, mmap_mode="r") for a file that exists.{smaller}',
        ),
    )


def _is_small(size: str) -> bool:
    """Less than 100 MiB: no machine that started TensorFlow lacks that at its start."""
    number, _, unit = size.partition(" ")
    return unit in ("B", "KiB") or (unit == "MiB" and float(number) < _SMALL)


_SMALL = 100


_FULL_ALREADY = Fix(
    "Let the program hold less by then: half the batch, fewer workers, smaller shuffle and prefetch buffers, no cache()",
    note="The piece that found no room is small: the memory was full before, so look at what grows, not at this line. On Windows the page file counts, too: "
    "Settings, System, About, Advanced system settings, Performance, Advanced, Virtual memory.",
)


def _texts(told: Testimony) -> list[str]:
    return [*(each.text for each in told.sayings), *(each.what for each in told.endings)]
