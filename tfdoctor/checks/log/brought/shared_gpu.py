"""A GPU that TensorFlow shares with PyTorch or JAX: one of them reserved the memory that the other asks for."""

from __future__ import annotations

from tfdoctor.checks.log.around.releases import shown
from tfdoctor.checks.log.candidate import Candidate, question
from tfdoctor.checks.log.testimony import Testimony, place
from tfdoctor.facts.log_values import Saying
from tfdoctor.facts.model import Facts
from tfdoctor.findings.fix import fix
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
_GROWTH = fix("let-tensorflow-take-memory-as-needs-4")
_LOOK = fix("see-who-holds-gpus-memory-changes")


_OF_CUDNN = ("dnn-not-found", "dnn-init-failed", "no-cudnn-algorithm")
_KNOWN_OTHERWISE = ("cudnn-incomplete", "cudnn-drops-gpu", "cuda-libraries-missing", "cuda-libraries-mixed", "gpu-too-new-for-build")  # fmt: skip
_JAX_TITLE = "cuDNN could not be set up for JAX: mostly no GPU memory was left for it."
_JAX_WORDS = (
    "JAX reserves three quarters of the GPU's memory at its start, and TensorFlow nearly all of it where it works in the same process, also where only its datasets are used. cuDNN needs memory of its own and found none. "
    "A cuDNN that is not the one of this jaxlib ends so, too; then a line above says so."
)
_GROWTH_OF_BOTH = fix("let-both-take-memory-as-they")


def without_cudnn_memory(facts: Facts, told: Testimony, saying: Saying) -> Candidate | None:
    """The finding for a cuDNN that JAX could not set up; None where a line names another reason."""
    if saying.name not in _OF_CUDNN or not _is_of_jax(facts, told):
        return None
    opened = question((_CLASH, "cudnn-version-mismatch"), "nvml.devices")
    return Candidate(_CLASH, Confidence.LIKELY, (place(saying),), _JAX_WORDS, opened, _JAX_TITLE)


def _is_of_jax(facts: Facts, told: Testimony) -> bool:
    if not shown(facts).jax or told.of(*_KNOWN_OTHERWISE):
        return False
    return all(each.name in _OF_CUDNN for each in told.of("cudnn-version-mismatch"))


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


def shared_gpu_fixes(code: str, facts: Facts, told: Testimony) -> tuple[Fix, ...]:
    """() for other codes, and where no such message stands in the log."""
    if code not in (_CLASH, _HELD):
        return ()
    if code == _CLASH and told.named(*_OF_CUDNN) and _is_of_jax(facts, told):
        return (_GROWTH_OF_BOTH, _LOOK)
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
