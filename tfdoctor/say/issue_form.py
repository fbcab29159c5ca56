"""The fields of TensorFlow's issue form as far as the facts of a machine answer them.

Names and order are those of the form in TensorFlow's repository (.github/ISSUE_TEMPLATE/tensorflow_issue_template.yaml, as
issues of January 2026 show it). What only the person knows stays a question.
"""

from __future__ import annotations

from collections.abc import Iterator

from tfdoctor.base.expressions import Expression
from tfdoctor.base.records import record
from tfdoctor.facts.model import Facts
from tfdoctor.facts.outcome import Absent, AnyFact, Known, value_or
from tfdoctor.report.report import Report
from tfdoctor.say.overview import overview

# Not "linux_x86_64", which was built elsewhere.
_PUBLISHED = Expression(r"manylinux|macosx|win_amd64")
_YES_OR_NO = "Yes or No?"
_MOST_LINES = 40


@record
class Field:
    """A field with what is known, and the question that is left; "" and () where there is none."""

    label: str
    answer: str = ""
    question: str = ""
    lines: tuple[str, ...] = ()


def issue_form(report: Report) -> tuple[Field, ...]:
    return tuple(_fields(report))


def _fields(report: Report) -> Iterator[Field]:
    facts = report.facts
    published = _is_published(facts)
    yield Field(
        "Issue type", question="Bug, Build/Install, Performance, Support, or Documentation?"
    )
    nightly = "nightly" in value_or(facts.tensorflow.distribution, "")
    yield Field(
        "Have you reproduced the bug with TensorFlow Nightly?",
        "Yes" if nightly else "",
        "" if nightly else _YES_OR_NO,
    )
    yield Field("Source", "binary" if published else "", "" if published else "source or binary?")
    yield _version(facts)
    yield Field("Custom code", question=_YES_OR_NO)
    yield Field("OS platform and distribution", *_known_or(_system(facts), "Which one?"))
    yield Field("Mobile device", question="Which one? Leave it empty if it is none.")
    yield Field("Python version", *_known_or(report.subject.python_version, "Which one?"))
    built = "not built from source" if published else ""
    for label in ("Bazel version", "GCC/compiler version"):
        yield Field(
            label, built, "" if built else "Which one, if you built TensorFlow from source?"
        )
    yield Field("CUDA/cuDNN version", *_known_or(_cuda(facts), "Which ones?"))
    yield Field("GPU model and memory", *_known_or(_gpus(report), "Which one?"))
    yield _behavior(report)
    yield Field(
        "Standalone code to reproduce the issue",
        question="Paste the shortest program that shows it.",
    )
    log = _log(facts)
    yield Field(
        "Relevant log output",
        "From TensorFlow's tests by tfdoctor:" if log else "",
        f"Paste the log of your {'own program' if log else 'program'}, from its first warning on.",
        log,
    )


def _known_or(answer: str, question: str) -> tuple[str, str]:
    return answer, "" if answer else question


def _is_published(facts: Facts) -> bool:
    return bool(_PUBLISHED.search(value_or(facts.tensorflow.wheel_tag, "")))


def _version(facts: Facts) -> Field:
    asked = facts.tensorflow
    if not isinstance(asked.version, Known):
        missing = (
            "not installed in the examined environment" if isinstance(asked.version, Absent) else ""
        )
        return Field("TensorFlow version", missing, "Which one?")
    return Field(
        "TensorFlow version",
        " ".join(filter(None, (asked.version.value, _package(asked.distribution)))),
    )


def _package(distribution: AnyFact) -> str:
    name = value_or(distribution, "tensorflow")
    return "" if name == "tensorflow" else f"({name})"


def _system(facts: Facts) -> str:
    host = facts.host
    named = (
        host.distribution.value.pretty
        if isinstance(host.distribution, Known)
        else value_or(host.os, "")
    )
    parts = [
        named,
        value_or(host.machine, ""),
        f"Linux {host.kernel.value}"
        if isinstance(host.kernel, Known) and value_or(host.os, "") == "linux"
        else "",
        f"WSL{host.wsl.value}" if isinstance(host.wsl, Known) else "",
        f"in a container ({host.container.value})" if isinstance(host.container, Known) else "",
    ]
    return ", ".join(filter(None, parts))


def _cuda(facts: Facts) -> str:
    parts = []
    if isinstance(facts.tensorflow.build, Known):
        build = facts.tensorflow.build.value
        named = (("CUDA", build.cuda), ("cuDNN", build.cudnn), ("ROCm", build.rocm))
        parts += [f"{name} {fact.value}" for name, fact in named if isinstance(fact, Known)]
        parts[:] = [f"built for {' and '.join(parts)}"] if parts else ["built for the CPU only"]
    if isinstance(facts.driver.version, Known):
        parts.append(f"NVIDIA driver {facts.driver.version.value}")
    return "; ".join(parts)


def _gpus(report: Report) -> str:
    """As the overview has them."""
    found = [
        row.text
        for row in overview(report)
        if row.label.startswith("GPU") and row.mark not in ("unknown", "skipped")
    ]
    return "; ".join(found) or ("none" if isinstance(report.facts.host.gpus_on_bus, Absent) else "")


def _behavior(report: Report) -> Field:
    """What is wrong, with what was seen of it."""
    lines = [f"{row.label}: {row.text}" for row in overview(report)]
    for root in report.roots:
        lines += ["", f"{root.code}: {root.title}", *filter(None, [root.explanation])]
        lines += [f"  {each.fact}: {each.observed}" for each in root.evidence if each.observed]
    return Field(
        "Current behavior?",
        report.summary,
        "What did you run, what happened, and what did you expect to happen?",
        tuple(lines),
    )


def _log(facts: Facts) -> tuple[str, ...]:
    """The last lines that TensorFlow wrote in its tests, where they did not end well."""
    stage = facts.smoke.tensorflow
    if not isinstance(stage, Known):
        return ()
    seen = stage.value
    failed = not seen.finished or any(each.status != "passed" for each in seen.computations)
    error = (seen.import_error.value,) if isinstance(seen.import_error, Known) else ()
    return tuple((*seen.log, *seen.end.stderr_tail, *error)[-_MOST_LINES:]) if failed else ()
