"""What trials showed of the largest batch that fits, as one document; and where nothing fits, what each way out would save."""

from __future__ import annotations

from typing import ClassVar, Literal, TypeAlias

from tfdoctor import __version__
from tfdoctor.base.records import field, record
from tfdoctor.base.units import rfc3339
from tfdoctor.report.report import SCHEMA_VERSION, VERSION_AND_TIME, Tool

Verdict: TypeAlias = Literal["fits", "estimated", "nothing-fits", "unknown"]
STEPS = 3
"""Of a trial: the first one also makes variables and tries out algorithms, and shows nothing of the others."""
Bound: TypeAlias = Literal["memory", "time", "trials", "batch-max", "model"]


@record
class Tried:
    """One batch. `why`: what went wrong, in a clause."""

    JSON: ClassVar = "batch outcome duration_s host_peak_bytes gpu_peak_bytes why?"

    batch: int
    outcome: Literal["ran", "out-of-memory", "too-slow", "failed"]
    duration_s: float
    host_peak_bytes: int
    gpu_peak_bytes: int
    why: str = ""


@record
class Parts:
    """What a step of one sample holds at least, in bytes, by the model itself. `layer`: the one that is largest, with its weights and
    its output of one sample. `compute`: the type that layers compute in."""

    weights: int
    gradients: int
    optimizer: int
    activations: int
    layer: str
    layer_weights: int
    layer_output: int
    compute: str
    optimizer_name: str

    @property
    def sum(self) -> int:
        return self.weights + self.gradients + self.optimizer + self.activations

    @property
    def largest(self) -> str:
        """Which of the four."""
        sizes = {
            name: getattr(self, name)
            for name in ("weights", "gradients", "optimizer", "activations")
        }
        return max(sizes, key=lambda name: sizes[name])


@record
class WayOut:
    """What makes the model need less, and the bytes that it would save; computed, not tried."""

    kind: Literal["mixed-precision", "optimizer", "smaller-layer"]
    saves_bytes: int


@record
class Fit:
    """`batch`: the largest that ran (`estimated`: by XLA's report, nothing ran; 0: none). `larger_fails`: the smallest that did not;
    0 where none was seen to fail. `bound`: what ended the search. `memory`: the one that is full first, `limit_bytes` of it may be used;
    `fixed_bytes` are held whatever the batch, `sample_bytes` by each sample. `steps`: that each trial ran.
    """

    JSON: ClassVar = """schema_version $schema=schema_id? tool generated_at file function verdict batch larger_fails bound memory limit_bytes fixed_bytes
        sample_bytes steps duration_s trials parts? ways_out kind? stage? because?"""
    SCHEMA: ClassVar = {
        **VERSION_AND_TIME,
        "kind": "Why nothing could be found out; stage: what was being done then; because: the error's own words.",
    }
    schema_version: ClassVar = SCHEMA_VERSION
    schema_id: ClassVar = "urn:tfdoctor:schema:fit:1.0"

    file: str
    function: str
    verdict: Verdict
    batch: int
    larger_fails: int
    bound: Bound
    memory: str
    limit_bytes: int
    fixed_bytes: int
    sample_bytes: int
    steps: int
    duration_s: float
    trials: tuple[Tried, ...]
    parts: Parts | None = None
    ways_out: tuple[WayOut, ...] = ()
    kind: str = ""
    stage: str = ""
    because: str = ""
    tool: Tool = field(default_factory=lambda: Tool(__version__))
    generated_at: str = field(default_factory=rfc3339)


def ways_out(parts: Parts) -> tuple[WayOut, ...]:
    """The one that saves most first. Adding up gradients over steps saves nothing here: it needs a batch that fits."""
    found = []
    if parts.compute == "float32":
        found.append(WayOut("mixed-precision", parts.activations // 2))
    if parts.optimizer:
        found.append(WayOut("optimizer", parts.optimizer))
    if parts.layer:
        share = parts.gradients + parts.weights + parts.optimizer
        weights = parts.layer_weights * share // parts.weights if parts.weights else 0
        found.append(WayOut("smaller-layer", (weights + parts.layer_output) // 2))
    return tuple(
        sorted((each for each in found if each.saves_bytes), key=lambda each: -each.saves_bytes)
    )
