"""Whether a variable is set to a value that its reader passes over: what the user asked for does not happen."""

from __future__ import annotations

from tfdoctor.checks.engine.case import Ability, Case, Found, check
from tfdoctor.checks.questions.variables import variables
from tfdoctor.findings.fix import fix
from tfdoctor.findings.model import Evidence, Fix, Severity
from tfdoctor.fixes.commands import quoted
from tfdoctor.light.expressions import Expression
from tfdoctor.light.records import record

_NUMBER = Expression(r"\s{0,20}[+-]?\d")  # C++ reads a number's beginning and leaves the rest


@record
class Reader:
    """How a variable is read. `values` are taken as they stand; `any_case`: in capitals, too; `number`: so is any number."""

    values: tuple[str, ...]
    source: str
    any_case: bool = False
    number: bool = False

    def takes(self, value: str) -> bool:
        if self.number and _NUMBER.match(value):
            return True
        return (value.lower() if self.any_case else value) in self.values


_TRUE = ("1", "true", "True", "yes", "YES", "on", "ON", "y", "Y", "TRUE", "t")
READERS = {
    "TF_USE_LEGACY_KERAS": Reader(
        ("true", "True", "1", "false", "False", "0", ""),
        "tensorflow/python/util/lazy_loader.py of 2.21.0, which knows true, True and 1",
    ),
    "TF_ENABLE_ONEDNN_OPTS": Reader(
        ("0", "1", "true", "false"),
        "TensorFlow 2.21.0 says so and takes its default (run 2026-11-22)",
        any_case=True,
    ),
    **dict.fromkeys(
        ("TF_CPU_ALLOCATOR_USE_BFC", "TF_MATMUL_AUTOTUNE_ENABLE", "TF_ENABLE_ZENDNN_OPTS"),
        Reader(
            ("0", "1", "true", "false"),
            "TensorFlow 2.21.0 says so and takes its default (run 2026-11-23)",
            any_case=True,
        ),
    ),
    "TF_ENABLE_GPU_GARBAGE_COLLECTION": Reader(
        ("true", "false"),
        "TensorFlow 2.21.0 says so and takes its default (run 2026-11-23)",
    ),
    "TF_CPP_MIN_LOG_LEVEL": Reader(
        ("", "0", "1", "2", "3"),
        "TensorFlow 2.20.0 shows all lines under TF_CPP_MIN_LOG_LEVEL=ERROR (run 2026-11-22): only a number counts",
        number=True,
    ),
    "TF_FORCE_GPU_ALLOW_GROWTH": Reader(
        ("true", "false"), "tensorflow/core/common_runtime/gpu/gpu_bfc_allocator.cc of 2.4 to 2.21"
    ),
}
"""Variables of which it was looked up, or tried, how they are read. Every other one is left alone."""


@check("environment-variable-ignored", prevents=Ability.NOTHING)
def environment_variable_ignored(case: Case) -> Found | None:
    """Only worth knowing: TensorFlow works as if the variable were not set."""
    case.need_outcome(case.facts.environment.variables)
    hit = [
        (name, value)
        for name, value in variables(case.facts).items()
        if name in READERS and not READERS[name].takes(value)
    ]
    if not hit:
        return None
    named = " and ".join(f"{name}={value}" for name, value in hit)
    return Found(
        f"TensorFlow goes on as if {'it' if len(hit) == 1 else 'they'} were not set.",
        tuple(
            Evidence("environment.variables", f"{name}={value}", " or ".join(each for each in READERS[name].values if each), READERS[name].source)
            for name, value in hit
        ),
        tuple(_meant(name, value) for name, value in hit),
        severity=Severity.INFO,
        title=f"{named} is a value that TensorFlow ignores.",
    )  # fmt: skip


def _meant(name: str, value: str) -> Fix:
    """The spelling that is taken, of what the value seems to mean."""
    if name == "TF_CPP_MIN_LOG_LEVEL":
        return fix("write-number-1-hides-information-2", called=name)  # fmt: skip
    wanted = "true" if value.strip() in _TRUE else "false"
    note = "For this shell; correct the line that sets it, too."
    return Fix(f"Write {name}={wanted}", (quoted("export", f"{name}={wanted}"),), note)
