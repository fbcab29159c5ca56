"""Memory that ran out: the ways of a server, of JAX, of a batch and of one large array."""

from __future__ import annotations

from tfdoctor.checks.engine.case import Case
from tfdoctor.checks.log.around.settings import Setting
from tfdoctor.checks.log.stops.piled import piled_fixes
from tfdoctor.checks.log.testimony import Testimony
from tfdoctor.checks.log.ways.tensors import all_at_once, half_of, one_sample, too_large
from tfdoctor.findings.fix import fix
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


_PROPOSED = fix("or-try-allocator-message-names-for")
_OF_A_SERVER = (
    fix("let-server-join-fewer-requests-into"),
    fix("or-load-fewer-models-and-versions"),
    fix("where-several-processes-share-gpu-give"),
    fix("see-who-holds-gpus-memory-changes-2"),
)  # fmt: skip


_UNIFIED = fix("let-jax-use-machines-own-memory")
_KERNEL = "Failed to load in-memory CUBIN"
_BESIDE_ITSELF = fix("have-jax-take-memory-as-needs")
"""The share is of JAX's own page on its allocation of memory (read 2026-11)."""
_OF_JAX = (
    fix("compute-with-half-batch-or-smaller"),
    fix("where-other-programs-share-gpu-have"),
    fix("see-who-holds-gpus-memory-changes-2"),
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
    return (fix("do-not-build-whole-array-at", size=size, smaller=smaller),)


def _is_small(size: str) -> bool:
    """Less than 100 MiB: no machine that started TensorFlow lacks that at its start."""
    number, _, unit = size.partition(" ")
    return unit in ("B", "KiB") or (unit == "MiB" and float(number) < _SMALL)


_SMALL = 100


_FULL_ALREADY = fix("let-program-hold-less-by-then")


def _texts(told: Testimony) -> list[str]:
    return [*(each.text for each in told.sayings), *(each.what for each in told.endings)]
