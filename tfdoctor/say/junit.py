"""A report as JUnit XML, which every CI shows: one test for each check, failed where it found a problem."""

from __future__ import annotations

from xml.etree.ElementTree import Element, SubElement, indent, tostring

from tfdoctor.knowledge.catalog import CODES
from tfdoctor.knowledge.model import Role, Severity, Verdict
from tfdoctor.report.report import Report
from tfdoctor.say.clean import clean


def report_to_junit(report: Report, fail_on: str = "error") -> str:
    """A problem at `fail_on` or worse is a failure, and so is no verdict; a note passes; what could not be decided is skipped."""
    suite = Element(
        "testsuite",
        name="tfdoctor",
        timestamp=report.generated_at.rstrip("Z"),
        time=f"{report.duration_s:.3f}",
    )
    verdict = SubElement(suite, "testcase", classname="tfdoctor", name="verdict")
    if report.verdict is Verdict.UNKNOWN:
        _say(verdict, "error", report.summary, "")
    for each in report.findings:
        case = _case(suite, each.code)
        lines = [each.explanation, *(f"{one.fact}: {one.observed}" for one in each.evidence)]
        lines += [
            line
            for fix in each.fixes[:1]
            for line in (f"Fix: {fix.title}", *(f"    {command}" for command in fix.commands))
        ]
        if each.role is Role.CONSEQUENCE:
            lines.append(f"Because of: {', '.join(each.caused_by)}")
        if each.severity <= Severity(fail_on):
            _say(case, "failure", each.title, "\n".join(filter(None, lines)))
        else:
            SubElement(case, "system-out").text = clean(each.title)
    for undecided in report.undecided:
        _say(_case(suite, undecided.code), "skipped", undecided.because, "")
    for ignored in report.ignored:
        _say(_case(suite, ignored.code), "skipped", ignored.reason, "")
    for code in report.passed:
        _case(suite, code)
    for name, tag in (
        ("tests", "testcase"),
        ("failures", "testcase/failure"),
        ("errors", "testcase/error"),
        ("skipped", "testcase/skipped"),
    ):
        suite.set(name, str(len(suite.findall(tag))))
    indent(suite)
    return f"<?xml version='1.0' encoding='utf-8'?>\n{tostring(suite, encoding='unicode')}\n"


def _case(suite: Element, code: str) -> Element:
    family = CODES[code].family if code in CODES else "other"
    return SubElement(suite, "testcase", classname=f"tfdoctor.{family}", name=code)


def _say(case: Element, kind: str, message: str, text: str) -> None:
    said = SubElement(case, kind, message=clean(message))
    said.text = "\n".join(map(clean, text.splitlines())) or None
