"""The forms that other programs read: node-problem-detector, Nagios, Prometheus' textfile, Node Feature Discovery."""

from __future__ import annotations

from tfdoctor import __version__
from tfdoctor.health.answer import BUSY, FAIL, NO_VERDICT, UNKNOWN, WARNING
from tfdoctor.health.clock import rfc3339

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from tfdoctor.health.answer import Answer

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
        f"{point.status}: {point.check}: {point.words[:200]}".replace("|", "/") for point in answer.points
    ]
    text = "\n".join(lines).encode("ascii", "replace")[:4000].decode("ascii")
    return text.rstrip("\n") + "\n"


def as_prometheus(answer: Answer) -> str:
    """The text exposition format 0.0.4, without time stamps, which a textfile must not have."""
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
    seen = {name: found for name, found in checks.items() if any(each not in blind for each in found)}
    yield "tfdoctor_healthy", "1 where the health check found no fault.", [("", str(int(answer.healthy)))]
    driver = _escaped(str(answer.extra.get("driver_version", "")))
    about = f'{{version="{__version__}",driver_version="{driver}"}}'
    yield "tfdoctor_info", "The versions of tfdoctor and of the driver.", [(about, "1")]
    problems = dict.fromkeys(point.code for point in answer.of(FAIL) if point.code)
    if problems:
        found = [(f'{{code="{code}"}}', "1") for code in problems]
        yield "tfdoctor_problem", "A fault that was found, by its code (tfdoctor explain CODE).", found
    yield (
        "tfdoctor_check_ok",
        "1 where this check found no fault; absent where it could not see.",
        [(f'{{check="{name}"}}', str(int(FAIL not in found))) for name, found in sorted(seen.items())],
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
        ("ecc", "tfdoctor_gpu_uncorrectable_errors", "Uncorrectable memory errors since the last reset."),
    ):
        samples = [(_labels(gpu), str(gpu[key])) for gpu in devices if key in gpu]
        if samples:
            yield name, what, samples
    if "examined_at" in answer.extra:
        when = [("", f"{answer.extra['examined_at']:.3f}")]
        yield "tfdoctor_examined_timestamp_seconds", "When the last full examination was made.", when
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
    return "\n".join(lines) + "\n"


def _label(text: str) -> str:
    """What a label's value may hold: letters, digits, dashes, underscores, dots, the first and last alphanumeric."""
    plain = "".join(c if c.isascii() and (c.isalnum() or c in "-_.") else "-" for c in text)
    return plain[:MOST_LABEL].strip("-_.")
