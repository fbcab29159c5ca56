"""The child that asks libcuda. Where it finds no libcuda, it also tells whether there is an NVML to be asked."""

from __future__ import annotations

import threading

from tfdoctor.facts.outcome import Failed
from tfdoctor.probes.driver.driver_library import places_to_ask
from tfdoctor.probes.messages import Messages
from tfdoctor.probes.request import Request
from tfdoctor.probes.workers import in_own_interpreter
from tfdoctor.system.child import run_child

_BEGUN_S = 0.05  # both probes are started at once; one that is asked alone does not wait for the other
_PATIENCE_S = 0.5  # it opens its library 0.03 s after its start; where that hangs, NVML is asked all the same


class LibcudaChild:
    """Two probes share it: one runs it, the other looks at what it said first."""

    def __init__(self) -> None:
        self.messages = Messages()
        self._begun, self._decided = threading.Event(), threading.Event()

    def run(self, request: Request) -> Failed | None:
        """Runs it to its end. Returns why it stopped early, None where it did not."""
        self._begun.set()
        try:
            result = run_child(
                in_own_interpreter("ask_driver", *places_to_ask(request.system)),
                timeout_s=request.child_limit_s,
                env=request.system.environ,
                keep_bytes=64 << 10,
                on_stdout=self._take,
            )
        finally:
            self._decided.set()
        return self.messages.silence(result)

    def _take(self, chunk: bytes) -> None:
        self.messages.take(chunk)
        if any(map(self.messages.first, ("loaded", "nvml-opened", "no-nvml"))):
            self._decided.set()

    def without_nvml(self) -> Messages | None:
        """What the loader said of NVML's library where there is none to be asked; None: ask for yourself."""
        begun = self._begun.wait(_BEGUN_S)
        if not begun or not self._decided.wait(_PATIENCE_S) or self.messages.first("no-nvml") is None:
            return None
        refused = Messages()
        refused.answers = [{**each, "say": "refused"} for each in self.messages.said("nvml-refused")]
        return refused


def libcuda_child(request: Request) -> LibcudaChild:
    """The one of this examination."""
    return request.shared.once("libcuda's child", LibcudaChild)
