"""What a health check found out about one thing, and the answer as a line, as lines, as JSON."""

from __future__ import annotations

from tfdoctor.light.printable import printable
from tfdoctor.system.json_text import dumps

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

OK, FAIL, WARNING, NOTE, UNKNOWN = "ok", "fault", "warning", "note", "unseen"
NO_VERDICT, BUSY = "unfinished", "busy"
"""Nothing could be said of it in time: never healthy. Another check is at the driver: no word on this machine."""

ORDER = (
    "driver", "gpus", "xid", "ecc", "vram", "smoke", "tensorflow", "memory", "shm", "examination",
    "healthcheck",
)  # fmt: skip
"""The things that are judged, in the order in which their faults have to be fixed: the first is the first line."""


class CheckResult:
    """`words` is a clause for a person; `code` the finding code (`tfdoctor explain CODE`), "" where none fits."""

    __slots__ = ("check", "code", "status", "words")

    def __init__(self, check: str, status: str, words: str, code: str = "") -> None:
        self.check, self.status, self.words, self.code = check, status, words, code


FIRST_LINE = 80  # node-problem-detector keeps no more
WHOLE = 4000  # Docker keeps 4,096 bytes of a health check's output
_LEVELS = (FAIL, NO_VERDICT, BUSY, WARNING, UNKNOWN, NOTE, OK)


class Answer:
    """What all forms are made of. `seconds`: how long the answer took; `at`: when it was given, since 1970."""

    def __init__(
        self, points: list[CheckResult], *, seconds: float, at: float, extra: dict[str, Any]
    ) -> None:
        self.points = sorted(
            map(_printable, points), key=lambda point: (_LEVELS.index(point.status), ORDER.index(point.check))
        )
        self.seconds, self.at, self.extra = seconds, at, _printable_values(extra)

    @property
    def healthy(self) -> bool:
        """As the exit status says it."""
        return not self.of(FAIL) and not self.of(NO_VERDICT)

    @property
    def unknown(self) -> list[CheckResult]:
        """Why there is no verdict, where no fault was seen either."""
        return [] if self.of(FAIL) else [*self.of(NO_VERDICT), *self.of(BUSY)]

    def of(self, status: str) -> list[CheckResult]:
        return [point for point in self.points if point.status == status]

    @property
    def first_line(self) -> str:
        """At most 80 bytes of ASCII, without a line end."""
        faults = self.of(FAIL)
        if faults:
            more = f" (+{len(faults) - 1} more)" if len(faults) > 1 else ""
            return _cut(f"unhealthy: {faults[0].words}", FIRST_LINE - len(more)) + more
        if self.unknown:
            return _cut(f"unknown: {self.unknown[0].words}", FIRST_LINE)
        return _cut("healthy: " + ", ".join(self._good()), FIRST_LINE)

    def _good(self) -> list[str]:
        told = {point.check: point.words for point in self.of(OK)}
        unseen = sorted({point.check for point in self.of(UNKNOWN)})
        notes = self.of(WARNING) + self.of(NOTE)
        devices = told.get("gpus") or told.get("driver", "")
        parts = (
            [
                devices.partition(" (")[0]
                .partition(": cuInit")[0]
                .replace(": this machine has no NVIDIA driver", "")
            ]
            if devices
            else []
        )
        parts += ["unseen: " + " ".join(unseen)] if unseen else []
        if notes:
            lowered = notes[0].check in ("driver", "gpus", "xid", "ecc", "vram", "smoke") and bool(
                notes[0].code
            )
            prefix = "" if notes[0].code == "gpu-hidden" else "GPU not required: "
            return [prefix + notes[0].words] if lowered else [*parts, notes[0].words]
        return [*parts, told["examination"]] if "examination" in told else parts


def _printable(point: CheckResult) -> CheckResult:
    """What a driver says of itself reaches every form through here."""
    return CheckResult(point.check, point.status, printable(point.words), point.code)


def _printable_values(value: Any) -> Any:
    if isinstance(value, str):
        return printable(value)
    if isinstance(value, dict):
        return {key: _printable_values(each) for key, each in value.items()}
    return [_printable_values(each) for each in value] if isinstance(value, list) else value


def _cut(text: str, limit: int) -> str:
    plain = text.encode("ascii", "replace").decode("ascii")
    plain = "".join(c if " " <= c <= "~" else " " for c in plain)
    return plain if len(plain) <= limit else plain[: limit - 3] + "..."


def as_line(answer: Answer) -> str:
    """One line: what counts, and what to type to read more about a fault."""
    code = next((point.code for point in answer.of(FAIL)), "")
    return answer.first_line + (f" [tfdoctor explain {code}]" if code else "") + "\n"


def as_lines(answer: Answer) -> str:
    """The first line, then one for each point, for a person."""
    lines = [answer.first_line]
    for point in answer.points:
        code = f"  [tfdoctor explain {point.code}]" if point.code and point.status == FAIL else ""
        lines.append(f"{point.status:<7} {point.check:<12} {_cut(point.words, 300)}{code}")
    fitting, size = [], 0
    for line in lines:
        size += len(line) + 1
        if size > WHOLE:
            break
        fitting.append(line)
    return "\n".join(fitting) + "\n"


def as_json(answer: Answer) -> str:
    """One document, `schema_version` "1.0"."""
    points = [
        {
            "check": point.check,
            "status": point.status,
            "detail": _cut(point.words, 300),
            "code": point.code or None,
        }
        for point in answer.points
    ]
    document = {
        "schema_version": "1.0",
        "healthy": answer.healthy,
        "summary": answer.first_line,
        "duration_s": round(answer.seconds, 3),
        "points": points,
        **answer.extra,
    }
    text = dumps(document)
    while len(text) > WHOLE and points:
        points.pop()
        text = dumps(document)
    return text + "\n"
