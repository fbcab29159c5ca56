"""PyTorch that gets no memory of the GPU while it holds next to none itself: its message tells both numbers."""

from __future__ import annotations

from tfdoctor.checks.log.candidate import Candidate, question
from tfdoctor.checks.log.testimony import Testimony, place
from tfdoctor.facts.log_values import Saying
from tfdoctor.findings.model import Confidence, Fix
from tfdoctor.light.expressions import (
    Expression,
)  # reads no log: the numbers of a line that was heard already

_NAME = "torch-ran-out"
_CLASH, _HELD = "gpu-preallocation-clash", "gpu-memory-held"
_TOTAL = Expression(
    r"(?P<size>\d{1,9}(?:\.\d{1,6})?) (?P<unit>[KMGT]iB) total capacity|total capacity of (?P<size_2>\d{1,9}(?:\.\d{1,6})?) (?P<unit_2>[KMGT]iB)"
)
_OWN = Expression(
    r"(?P<size>\d{1,9}(?:\.\d{1,6})?) (?P<unit>bytes|[KMGT]iB) reserved in total by PyTorch|(?P<size_2>\d{1,9}(?:\.\d{1,6})?) (?P<unit_2>bytes|[KMGT]iB) (?:is )?allocated by PyTorch"
)
_UNITS = {"bytes": 1, "KiB": 1 << 10, "MiB": 1 << 20, "GiB": 1 << 30, "TiB": 1 << 40}
_A_PART = 4
"""A program that holds less than a quarter of the GPU did not fill it."""
_TENSORFLOW = ("gpu-created", "gpu-created-old")
_GROWTH = Fix(
    "Let TensorFlow take memory as it needs it, in the shell that starts the program",
    ("export TF_FORCE_GPU_ALLOW_GROWTH=true",),
    "Or keep TensorFlow off the GPU, where it only reads data: tf.config.set_visible_devices([], 'GPU') before anything is computed.",
)
_LOOK = Fix(
    "See who holds the GPU's memory. It changes nothing",
    ("nvidia-smi --query-compute-apps=pid,process_name,used_memory --format=csv",),
    "End what is no longer needed: an earlier run, a notebook's kernel. In the same program it is mostly TensorFlow or JAX.",
)


def of_shared_gpu(told: Testimony, saying: Saying) -> Candidate | None:
    """None where PyTorch itself holds the memory, and for other sayings."""
    total, own = _size(_TOTAL, saying.text), _size(_OWN, saying.text)
    if saying.name != _NAME or not total or own is None or own * _A_PART > total:
        return None
    of_tensorflow = bool(told.named(*_TENSORFLOW))
    who = "TensorFlow in the same program has" if of_tensorflow else "another program, or TensorFlow or JAX in this one, has"  # fmt: skip
    title = (
        f"PyTorch holds {_shown(own)} of the GPU's {_shown(total)} and gets no more: {who} taken the rest."
    )
    words = "TensorFlow reserves nearly all of a GPU's memory at its start, whatever it needs, and JAX three quarters. What comes after it finds the GPU full. A smaller batch changes nothing about that."
    code = _CLASH if of_tensorflow else _HELD
    opened = question((_HELD, _CLASH), "nvml.devices")
    return Candidate(code, Confidence.LIKELY, (place(saying),), words, None if of_tensorflow else opened, title)  # fmt: skip


def shared_gpu_fixes(code: str, told: Testimony) -> tuple[Fix, ...]:
    """() for other codes, and where no such message stands in the log."""
    if code not in (_CLASH, _HELD):
        return ()
    found = next((each for each in told.named(_NAME) if of_shared_gpu(told, each) is not None), None)
    if found is None:
        return ()
    return (_GROWTH, _LOOK) if told.named(*_TENSORFLOW) else (_LOOK, _GROWTH)


def _size(form: Expression, text: str) -> float | None:
    """Bytes; None where the text does not tell."""
    found = form.search(text)
    if found is None:
        return None
    return float(found["size"] or found["size_2"]) * _UNITS[found["unit"] or found["unit_2"]]


def _shown(size: float) -> str:
    return f"{size / _UNITS['GiB']:.1f} GiB" if size >= _UNITS["GiB"] else f"{size / _UNITS['MiB']:.0f} MiB"
