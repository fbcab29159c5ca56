"""How a child's run came out, and its end in words."""

from __future__ import annotations

from tfdoctor.facts.outcome import Kind
from tfdoctor.light.records import record
from tfdoctor.system.signal_names import signal_name

_KINDS: dict[str, Kind] = {
    "exit": "ended",
    "signal": "died",
    "timeout": "timed-out",
    "not-ended": "timed-out",
    "memory-bound": "over-memory",
    "not-started": "not-started",
}


@record
class ChildResult:
    """How it ended. `how` is "exit", "signal", "timeout", "memory-bound", "not-ended" or "not-started"."""

    how: str
    status: int  # exit status, or the signal's number; -1 where neither exists
    stdout: bytes
    stderr: bytes
    duration_s: float
    peak_rss: int = 0  # bytes, the child's own, sampled; 0 where it could not be read
    overflow: bool = False  # more output than was kept
    refused: bool = False  # it was not started since the system gave no more threads or processes

    @property
    def ok(self) -> bool:
        return self.how == "exit" and self.status == 0

    @property
    def kind(self) -> Kind:
        """The kind of what is not known since it ended like this."""
        return "no-more-threads" if self.refused else _KINDS[self.how]

    def describe(self) -> str:
        """One clause for a sentence: "ended with status 3", "died of SIGSEGV", "did not answer within 5 s"."""
        if self.how == "exit":
            return f"ended with status {self.status}"
        if self.how == "signal":
            return f"died of {signal_name(self.status)}"
        if self.how == "timeout":
            return (
                f"did not answer within {self.duration_s:.0f} s"
                if self.duration_s >= 1
                else "did not answer in time"
            )
        if self.how == "memory-bound":
            return f"was ended at {self.peak_rss >> 20} MiB of memory"
        if self.how == "not-ended":
            return "did not answer and could not be ended"
        return f"could not be started: {self.stderr.decode('utf-8', 'replace')}"
