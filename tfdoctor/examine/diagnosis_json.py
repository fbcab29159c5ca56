"""The JSON document of a diagnosis, written and read back."""

from __future__ import annotations

from typing import Any

from tfdoctor.checks.log.candidate import Open
from tfdoctor.examine.diagnosis import Diagnosed, Diagnosis, LogLine
from tfdoctor.examine.report import MatrixInForce, Tool
from tfdoctor.facts.codec import to_json
from tfdoctor.facts.log_values import LogFile, NoiseCount
from tfdoctor.facts.model import Facts
from tfdoctor.facts.outcome import AnyFact, Known
from tfdoctor.findings.model import Confidence, Evidence, Finding, Fix, Role, Severity

SCHEMA_VERSION = "1.0"


def diagnosis_to_json(diagnosis: Diagnosis) -> dict[str, Any]:
    """The contract's document, not redacted."""
    return {
        "schema_version": SCHEMA_VERSION,
        "tool": {"name": diagnosis.tool.name, "version": diagnosis.tool.version},
        "matrix": to_json(diagnosis.matrix),
        "input": {
            "bytes": sum(each.bytes for each in diagnosis.files),
            "lines": sum(each.lines for each in diagnosis.files),
            "files": [_file_to_json(each) for each in diagnosis.files],
        },
        "verdict": diagnosis.verdict,
        "diagnoses": [_diagnosed_to_json(each) for each in diagnosis.diagnoses],
        "open": [{"codes": list(each.codes), "fact": each.fact, "command": each.command} for each in diagnosis.open],
        "noise": [
            {"file": each.file, "line": each.line, "count": each.count, "pattern": each.name, "text": each.text, "why": each.why}
            for each in diagnosis.noise
        ],
        "earlier_ends": list(diagnosis.earlier),
        "suspects": [_line_to_json(each) for each in diagnosis.suspects],
        **({"report_not_used": diagnosis.unused} if diagnosis.unused else {}),
        **({"unfinished": diagnosis.unfinished} if diagnosis.unfinished else {}),
        **({"own_result": diagnosis.own_result} if diagnosis.own_result else {}),
        "facts": {path: to_json(fact) for path, fact in diagnosis.facts.items() if _is_told(path, fact)},
    }  # fmt: skip


def _is_told(path: str, fact: AnyFact) -> bool:
    """What the log tells; not what it can't, and not its own lines once more."""
    return not path.startswith("log.") and isinstance(fact, Known)


def _file_to_json(file: LogFile) -> dict[str, Any]:
    document: dict[str, Any] = {
        "name": file.name,
        "kind": file.kind,
        "encoding": file.encoding,
        "bytes": file.bytes,
        "lines": file.lines,
    }
    return {**document, "note": file.note} if file.note else document


def _diagnosed_to_json(each: Diagnosed) -> dict[str, Any]:
    finding = each.finding
    return {
        "code": finding.code,
        "severity": finding.severity.value,
        "role": finding.role.value,
        "caused_by": list(finding.caused_by),
        "confidence": finding.confidence.value,
        "title": finding.title,
        "evidence": [
            *map(_line_to_json, each.lines),
            *(to_json(item) for item in finding.evidence if not each.lines),
        ],
        "explanation": finding.explanation,
        "fixes": to_json(finding.fixes),
        "docs": finding.docs,
    }


def _line_to_json(line: LogLine) -> dict[str, Any]:
    return {
        "file": line.file,
        "line": line.line,
        "text": line.text,
        "before": list(line.before),
        "after": list(line.after),
    }


def diagnosis_from_json(document: dict[str, Any], facts: Facts) -> Diagnosis:
    """Reads back what `diagnosis_to_json` wrote, redacted in between."""
    return Diagnosis(
        tool=Tool(document["tool"]["version"]),
        matrix=MatrixInForce(**document["matrix"]),
        files=tuple(
            LogFile(
                each["name"],
                each["kind"],
                each["encoding"],
                each["bytes"],
                each["lines"],
                each.get("note", ""),
            )
            for each in document["input"]["files"]
        ),
        verdict=document["verdict"],
        diagnoses=tuple(_diagnosed(each) for each in document["diagnoses"]),
        open=tuple(Open(tuple(each["codes"]), each["fact"], each["command"]) for each in document["open"]),
        noise=tuple(
            NoiseCount(each["pattern"], each["file"], each["line"], each["count"], each["text"], each["why"])
            for each in document["noise"]
        ),
        facts=facts,
        earlier=tuple(document["earlier_ends"]),
        suspects=tuple(map(_line_from_json, document["suspects"])),
        unused=document.get("report_not_used", ""),
        unfinished=document.get("unfinished", ""),
        own_result=document.get("own_result", ""),
    )


def _diagnosed(each: dict[str, Any]) -> Diagnosed:
    lines = [item for item in each["evidence"] if "line" in item]
    finding = Finding(
        each["code"], Severity(each["severity"]), Confidence(each["confidence"]), each["title"], each["explanation"],
        tuple(Evidence(item["fact"], item["observed"], item["expected"], item["source"]) for item in each["evidence"] if "fact" in item),
        tuple(Fix(fix["title"], tuple(fix["commands"]), fix["note"]) for fix in each["fixes"]),
        Role(each["role"]), tuple(each["caused_by"]),
    )  # fmt: skip
    return Diagnosed(finding, tuple(map(_line_from_json, lines)))


def _line_from_json(item: dict[str, Any]) -> LogLine:
    return LogLine(item["file"], item["line"], item["text"], tuple(item["before"]), tuple(item["after"]))
