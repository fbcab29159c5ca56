"""What a health check found out about one thing, and the answer as a line, as lines, as JSON."""

from __future__ import annotations

from tfdoctor import __version__
from tfdoctor.base.json_text import dumps, with_texts
from tfdoctor.base.printable import printable
from tfdoctor.base.units import rfc3339

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any


OK, FAIL, WARNING, NOTE, UNKNOWN = "ok", "fault", "warning", "note", "unseen"
NO_VERDICT, BUSY = "unfinished", "busy"
"""Nothing could be said of it in time: never healthy. Others have the driver or the CPUs: no word on this machine."""

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
            map(_printable, points),
            key=lambda point: (_LEVELS.index(point.status), ORDER.index(point.check)),
        )
        self.seconds, self.at, self.extra = seconds, at, with_texts(extra, printable)

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
            more = [f"+{len(faults) - 1} more"] if len(faults) > 1 else []
            return _with_end(f"unhealthy: {faults[0].words}", [*more, *self._counted()])
        if self.unknown:
            return _with_end(f"unknown: {self.unknown[0].words}", self._counted())
        if len(self.ignored) == 1:  # its name, since this is what makes the line a good one
            return _with_end("healthy: " + ", ".join(self._good()), [f"ignored: {self.ignored[0]}"])
        return _with_end("healthy: " + ", ".join(self._good()), self._counted())

    @property
    def ignored(self) -> list[str]:
        """Codes that the examination found and that do not count, by an option or the settings."""
        codes: list[str] = self.extra.get("ignored", [])
        return codes

    def _counted(self) -> list[str]:
        return [f"{len(self.ignored)} ignored"] if self.ignored else []

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


def _with_end(words: str, end: list[str]) -> str:
    """A first line whose end stays whole."""
    told = f" ({', '.join(end)})" if end else ""
    return _cut(words, FIRST_LINE - len(told)) + told


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
    lines += [f"{'ignored':<20} {code}" for code in answer.ignored]
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


NAGIOS = ("OK", "WARNING", "CRITICAL", "UNKNOWN")
MOST_LABEL = 63  # characters of a Kubernetes label's value


def as_npd(answer: Answer) -> str:
    """node-problem-detector, custom plugin: exit status 0 or 1 and a message of 80 bytes."""
    return answer.first_line + "\n"


def nagios_status(answer: Answer) -> int:
    """0, 1 (at risk) or 2 (at fault), as the plug-in guidelines have it; 3: no verdict, or the check itself failed."""
    if answer.points[0].check == "healthcheck" or answer.unknown:
        return 3
    if not answer.healthy:
        return 2
    return 1 if answer.of(WARNING) else 0


def as_nagios(answer: Answer) -> str:
    """One line with performance data, then the points. A bar would end the text: it is written as a slash."""
    word = NAGIOS[nagios_status(answer)]
    data = f"time={answer.seconds:.3f}s gpus={answer.extra.get('gpus', 0)}"
    for gpu in answer.extra.get("devices", ()):
        if "free" in gpu and "total" in gpu:
            data += f" gpu{gpu['index']}_free={gpu['free']}B;;;0;{gpu['total']}"
    lines = [f"TFDOCTOR {word} - {answer.first_line.replace('|', '/')} | {data}"]
    lines += [
        f"{point.status}: {point.check}: {point.words[:200]}".replace("|", "/")
        for point in answer.points
    ]
    lines += [f"ignored: {code}" for code in answer.ignored]
    text = "\n".join(lines).encode("ascii", "replace")[:4000].decode("ascii")
    return text.rstrip("\n") + "\n"


def as_prometheus(answer: Answer) -> str:
    """The text exposition format 0.0.4, without time stamps, which a textfile must not have. prometheus_client takes 0.2 s to import."""
    lines: list[str] = []
    for name, what, samples in _metrics(answer):
        lines += [
            f"# HELP {name} {what}",
            f"# TYPE {name} gauge",
            *(f"{name}{labels} {value}" for labels, value in samples),
        ]
    return "\n".join(lines) + "\n"


def _metrics(answer: Answer) -> Iterator[tuple[str, str, list[tuple[str, str]]]]:
    """Name, help, and samples as (labels, value)."""
    checks: dict[str, list[str]] = {}
    for point in answer.points:
        checks.setdefault(point.check, []).append(point.status)
    blind = (UNKNOWN, NO_VERDICT, BUSY)
    seen = {
        name: found for name, found in checks.items() if any(each not in blind for each in found)
    }
    yield (
        "tfdoctor_healthy",
        "1 where the health check found no fault.",
        [("", str(int(answer.healthy)))],
    )
    driver = _escaped(str(answer.extra.get("driver_version", "")))
    about = f'{{version="{__version__}",driver_version="{driver}"}}'
    yield "tfdoctor_info", "The versions of tfdoctor and of the driver.", [(about, "1")]
    problems = dict.fromkeys(point.code for point in answer.of(FAIL) if point.code)
    if problems:
        found = [(f'{{code="{code}"}}', "1") for code in problems]
        yield (
            "tfdoctor_problem",
            "A fault that was found, by its code (tfdoctor explain CODE).",
            found,
        )
    if answer.ignored:
        found = [(f'{{code="{_escaped(code)}"}}', "1") for code in answer.ignored]
        yield (
            "tfdoctor_ignored",
            "What was found and does not count, by an option or the settings.",
            found,
        )
    yield (
        "tfdoctor_check_ok",
        "1 where this check found no fault; absent where it could not see.",
        [
            (f'{{check="{name}"}}', str(int(FAIL not in found)))
            for name, found in sorted(seen.items())
        ],
    )
    yield (
        "tfdoctor_check_unseen",
        "1 where this check could not see.",
        [
            (f'{{check="{name}"}}', str(int(any(each in blind for each in found))))
            for name, found in sorted(checks.items())
        ],
    )
    if "gpus" in answer.extra:
        yield "tfdoctor_gpus", "GPUs that programs see.", [("", str(answer.extra["gpus"]))]
    devices = answer.extra.get("devices", [])
    for key, name, what in (
        ("free", "tfdoctor_gpu_memory_free_bytes", "Free memory of the GPU."),
        ("total", "tfdoctor_gpu_memory_total_bytes", "Memory of the GPU."),
        (
            "ecc",
            "tfdoctor_gpu_uncorrectable_errors",
            "Uncorrectable memory errors since the last reset.",
        ),
    ):
        samples = [(_labels(gpu), str(gpu[key])) for gpu in devices if key in gpu]
        if samples:
            yield name, what, samples
    if "examined_at" in answer.extra:
        when = [("", f"{answer.extra['examined_at']:.3f}")]
        yield (
            "tfdoctor_examined_timestamp_seconds",
            "When the last full examination was made.",
            when,
        )
    yield (
        "tfdoctor_healthcheck_duration_seconds",
        "How long this health check took.",
        [("", f"{answer.seconds:.3f}")],
    )
    yield (
        "tfdoctor_healthcheck_timestamp_seconds",
        "When this health check was made.",
        [("", f"{answer.at:.3f}")],
    )


def _labels(gpu: dict[str, object]) -> str:
    pairs = {"gpu": gpu.get("index", ""), "uuid": gpu.get("uuid", ""), "name": gpu.get("name", "")}
    return "{" + ",".join(f'{key}="{_escaped(str(value))}"' for key, value in pairs.items()) + "}"


def _escaped(text: str) -> str:
    return text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")


def as_nfd(answer: Answer, expires: float) -> str:
    """A features.d file of Node Feature Discovery's local source; it expires, so that a dead check leaves no label."""
    lines = [
        f"# +expiry-time={rfc3339(answer.at + expires)}",
        f"tfdoctor.healthy={'true' if answer.healthy else 'false'}",
    ]
    if "gpus" in answer.extra:
        lines.append(f"tfdoctor.gpus={answer.extra['gpus']}")
    if answer.extra.get("driver_version"):
        lines.append(f"tfdoctor.driver={_label(str(answer.extra['driver_version']))}")
    faults = answer.of(FAIL)
    if faults:
        lines.append(f"tfdoctor.fault={_label(faults[0].code or faults[0].check)}")
    if answer.ignored:
        lines.append(f"tfdoctor.ignored={_label('_'.join(answer.ignored))}")
    return "\n".join(lines) + "\n"


def _label(text: str) -> str:
    """What a label's value may hold: letters, digits, dashes, underscores, dots, the first and last alphanumeric."""
    plain = "".join(c if c.isascii() and (c.isalnum() or c in "-_.") else "-" for c in text)
    return plain[:MOST_LABEL].strip("-_.")
