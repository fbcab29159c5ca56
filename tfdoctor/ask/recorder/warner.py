"""Says while the command works that memory will meet its limit, in a line of its own on stderr, and keeps it for the report."""

from __future__ import annotations

from tfdoctor.ask.recorder.forecast import Forecast, Forecaster
from tfdoctor.base.units import counted, shown_size
from tfdoctor.facts.death import Fill, MemoryWarning
from tfdoctor.facts.outcome import Known
from tfdoctor.knowledge.says import says

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from tfdoctor.ask.recorder.timeline import Sample

CONTAINER, HOST, GPU, SHUFFLE = "container-memory", "host-memory", "gpu-memory", "shuffle-buffer"
_ASK_EVERY_S = 5.0  # for a buffer that is being filled: TensorFlow tells of it every ten seconds
_STRETCH_S = 10.0
_FIXED = 0.97  # of a limit: what a buffer leaves free below that is no room


class Warner:
    """tell: is given each line. filling: the shuffle buffer that is being filled, if one is. pace: seconds of a training
    step; 0.0 where nobody counts them.
    """

    def __init__(
        self,
        tell: Callable[[str], None],
        *,
        filling: Callable[[Sequence[Sample]], Fill | None] = lambda samples: None,
        pace: Callable[[], float] = lambda: 0.0,
    ) -> None:
        self._tell, self._filling, self._pace = tell, filling, pace
        self._forecasters: dict[str, Forecaster] = {}
        self._fill: Fill | None = None
        self._asked_at = 0.0
        self._of_buffer = 0  # the elements of the one that was told
        self.told: list[MemoryWarning] = []

    def look(self, sample: Sample, samples: Sequence[Sample]) -> None:
        """With each sample; `samples` are those before it, too."""
        if sample["t"] - self._asked_at >= _ASK_EVERY_S:
            self._asked_at, self._fill = sample["t"], self._filling(samples)
        for kind, used, limit in _measured(sample):
            if self._fill is not None and not kind.startswith(GPU):
                self._forecasters.pop(kind, None)  # what grows is the buffer, and its size is known
                self._look_at_buffer(self._fill, sample["t"], used, limit, samples)
                continue
            forecast = self._forecasters.setdefault(kind, Forecaster()).look(
                sample["t"], used, limit
            )
            if forecast is not None:
                self._say(
                    sample["t"],
                    kind.partition(" ")[0],
                    forecast.left_s,
                    self._words(kind, forecast),
                )

    def _look_at_buffer(
        self, fill: Fill, at: float, used: float, limit: float, samples: Sequence[Sample]
    ) -> None:
        per_second = _speed(samples, at)
        if (
            not isinstance(fill.per_element, Known)
            or self._of_buffer == fill.wanted
            or per_second <= 0
        ):
            return
        more = (fill.wanted - fill.filled) * fill.per_element.value
        if used + more <= _FIXED * limit:
            return
        self._of_buffer = fill.wanted
        left = limit - used
        words = says(
            "shuffle-buffer-too-large", "warning",
            wanted=f"{fill.wanted:,}", filled=f"{fill.filled:,}", more=shown_size(more), left=shown_size(left),
        )  # fmt: skip
        self._say(at, SHUFFLE, left / per_second, words)

    def _words(self, kind: str, forecast: Forecast) -> str:
        pace = self._pace()
        steps = f" ({counted(round(forecast.left_s / pace), 'step')})" if pace > 0 else ""
        left = f"{max(round(forecast.left_s), 1)} s{steps}"
        rate, limit = shown_size(forecast.per_second), shown_size(forecast.limit)
        if kind == CONTAINER:
            return says("container-oom-killed", "warning", rate=rate, limit=limit, left=left)
        if kind == HOST:
            return says("host-memory-exhausted", "warning", rate=rate, left=left)
        index = kind.removeprefix(f"{GPU} ")
        return says("gpu-out-of-memory", "warning", index=index, rate=rate, limit=limit, left=left)

    def _say(self, at: float, kind: str, left_s: float, text: str) -> None:
        self.told.append(MemoryWarning(at, kind, round(left_s, 1), text))
        self._tell(text)


def _measured(sample: Sample) -> Iterator[tuple[str, float, float]]:
    """Each kind of memory, its use and its limit, in bytes."""
    if "cgroup_limit_bytes" in sample:
        yield CONTAINER, sample["cgroup_bytes"], sample["cgroup_limit_bytes"]
    if "anon_bytes" in sample and "available_bytes" in sample:
        own = sample["anon_bytes"] + sample["swap_bytes"]
        yield HOST, own, own + sample["available_bytes"]
    for gpu in sample.get("gpus", ()):
        if "total_bytes" in gpu:
            yield f"{GPU} {gpu['index']}", gpu["used_bytes"], gpu["total_bytes"]


def _speed(samples: Sequence[Sample], at: float) -> float:
    """How many bytes a second memory grew by in the last seconds."""
    late = [each for each in samples if "anon_bytes" in each and each["t"] >= at - _STRETCH_S]
    if len(late) < 2:
        return 0.0
    grew = float(late[-1]["anon_bytes"] - late[0]["anon_bytes"])
    return grew / max(float(late[-1]["t"] - late[0]["t"]), 1e-3)
