"""A system whose C library is too old: the TensorFlow for this Python that is content with it, then a newer system for this Python."""

from __future__ import annotations

from tfdoctor.checks.engine.case import Case
from tfdoctor.checks.log.fit.present import key
from tfdoctor.checks.log.testimony import Testimony
from tfdoctor.facts.outcome import Known, value_or
from tfdoctor.findings.model import Fix
from tfdoctor.fixes.commands import interpreter
from tfdoctor.matrix.model import Release
from tfdoctor.planning.install import pins
from tfdoctor.planning.machine import machine_from_facts

_OLD = "2.17"
"""glibc of CentOS 7 and RHEL 7, the oldest systems that people still use."""
_FIRST = "1.15.5"
"""Built for glibc 2.12 (its file names); TensorFlow 1.13 and 1.14 ask for 2.23."""
_ASKED = "GLIBC_2.23"
_OF_FIRST = ("3.6", "3.7")


def glibc_fixes(case: Case, told: Testimony) -> tuple[Fix, ...]:
    """() where the log does not tell the Python."""
    python = case.facts.interpreter.version
    if not isinstance(python, Known):
        return ()
    feature, name = python.value.feature, interpreter(case.facts)
    image = Fix(
        f"Use a newer system in a container; this image has Python {feature}",
        (f"apptainer exec docker://python:{feature}-slim bash",),
        "TensorFlow is then installed once more inside.",
    )
    if feature in _OF_FIRST and _is_first(case, told):
        spec = f'"tensorflow=={_FIRST}" "protobuf<3.21"'
        words = f"Take TensorFlow {_FIRST}: it is content with glibc 2.12, while 1.13 and 1.14 ask for 2.23"
        return (Fix(words, (f"{name} -m pip install {spec}",)), image)
    row = _content(case, feature)
    if row is None:
        return (image,)
    more = "".join(f' "{each}"' for each in pins(row, machine_from_facts(case.facts), case.matrix))
    title = (
        f"Take TensorFlow {row.tensorflow}, the newest for Python {feature} that is content with glibc {_OLD}"
    )
    return (Fix(title, (f'{name} -m pip install "tensorflow=={row.tensorflow}"{more}',)), image)


def _is_first(case: Case, told: Testimony) -> bool:
    """TensorFlow 1: by its version, or since no wheel of 2.x for these Pythons asks for that glibc."""
    version = str(value_or(case.facts.tensorflow.version, ""))
    return (
        version.startswith("1.") if version else any(_ASKED in each.text for each in told.of("glibc-too-old"))
    )


def _content(case: Case, feature: str) -> Release | None:
    for row in case.matrix.releases():
        pythons = [each.feature for each in row.python.value] if isinstance(row.python, Known) else []
        if feature in pythons and isinstance(row.glibc, Known) and key(str(row.glibc.value)) <= key(_OLD):
            return row
    return None
