"""The version of a package that fits: the range of the release that the log names, and the direction that its message tells.

Where neither is told, the page's own list stands.
"""

from __future__ import annotations

from tfdoctor.checks.engine.case import Case
from tfdoctor.checks.log.candidate import Candidate
from tfdoctor.checks.log.companions import keeping_tensorflow
from tfdoctor.checks.log.testimony import Testimony, place
from tfdoctor.facts.log_values import Saying
from tfdoctor.facts.outcome import Known, value_or
from tfdoctor.findings.fix import fix
from tfdoctor.findings.model import Confidence, Fix
from tfdoctor.fixes.commands import interpreter
from tfdoctor.fixes.packages import tightest

_API = {
    0xB: "1.13", 0xC: "1.14", 0xD: "1.16", 0xE: "1.20", 0xF: "1.22", 0x10: "1.23", 0x11: "1.25", 0x12: "2.0",
}  # fmt: skip
"""The first NumPy of each C API version (numpy/core/setup_common.py and numpy/_core/meson.build, read 2026-11-22)."""
_FIRST_ABI = 0x1000000
"""Numbers from here on are ABI versions: 0x1000009 is NumPy 1's, 0x2000000 NumPy 2's."""
_FIRST_FOR_NUMPY_2 = (2, 18)
_GONE_FROM_ML_DTYPES = ("float8_e4m3b11",)
"""ml_dtypes 0.3.0 took it away; 0.2.0 is the last with it (its release notes)."""
_FROM_0_5 = ("float8_e3m4", "float8_e4m3", "float8_e8m0fnu", "float6_e2m3fn", "float6_e3m2fn", "float4_e2m1fn", "int2", "uint2")  # fmt: skip
"""ml_dtypes 0.5.0 brought them (its release notes)."""
_NEEDS_PROTOBUF_5 = (2, 20)


def of_api(told: Testimony, saying: Saying) -> Candidate | None:
    """NumPy is too old for what was compiled; None where it is NumPy 2 under parts for NumPy 1, as the page says."""
    versions = _versions(saying)
    if versions is None or versions[0] <= versions[1]:
        return None
    words = f"{_compiled(versions[0])} The NumPy that is installed is older than that. Nothing is damaged: a newer NumPy of the right range is all that it needs."
    return Candidate(
        saying.code,
        Confidence(saying.sure),
        (place(saying),),
        words,
        title="The installed NumPy is older than the one that a compiled part asks for.",
    )


def _compiled(wanted: int) -> str:
    first = _API.get(wanted, "")
    return f"A compiled part (TensorFlow's or another package's) asks for NumPy {first} or newer." if first else "A compiled part asks for a newer NumPy."  # fmt: skip


def _versions(saying: Saying) -> tuple[int, int] | None:
    """Compiled against and installed, both as API or both as ABI versions."""
    try:
        wanted, have = int(saying.told.get("wanted", ""), 16), int(saying.told.get("version", ""), 16)
    except ValueError:
        return None
    return (wanted, have) if (wanted >= _FIRST_ABI) == (have >= _FIRST_ABI) else None


def numpy_fixes(case: Case, told: Testimony) -> tuple[Fix, ...]:
    """() where the page's own fit: no release and no direction is told."""
    asked = [found for each in told.named("numpy-api-version") if (found := _versions(each))]
    newer = max((wanted for wanted, have in asked if wanted > have), default=0)
    release, python = _minor(case), interpreter(case.facts)
    if newer:
        lowest = f">={_API[newer]}" if newer in _API else ""
        upper = "<2" if newer < 0x12 and newer < _FIRST_ABI and release < _FIRST_FOR_NUMPY_2 else ""
        spec = tightest(*filter(None, (lowest, upper, _required(case, "numpy"))))
        note = "" if spec else "The message does not tell which; pip takes the newest that fits."
        title = f"Install NumPy {spec or 'in a newer release'}: the installed one is too old"
        return (
            Fix(
                title,
                (f'{python} -m pip install --upgrade "numpy{spec}" {keeping_tensorflow(case.facts)}',),
                note,
            ),
        )
    if release >= _FIRST_FOR_NUMPY_2:
        return ()
    if release == _UNKNOWN:
        return (_of_the_installed(case), _others(python))
    spec = tightest(*filter(None, (_required(case, "numpy"), "<2")))
    name = value_or(case.facts.tensorflow.version, "")
    return (fix("go-back-to-numpy-tensorflow-made", called=name, python=python, spec=spec), _others(python))


def _of_the_installed(case: Case) -> Fix:
    """pip asks the metadata of the TensorFlow that is there."""
    return fix(
        "go-back-to-numpy-1-in", python=interpreter(case.facts), keeping=keeping_tensorflow(case.facts)
    )


def _others(python: str) -> Fix:
    return fix("or-where-traceback-names-another-package", python=python)


_UNKNOWN = (0, 0)


def _minor(case: Case) -> tuple[int, int]:
    parts = str(value_or(case.facts.tensorflow.version, "")).split(".")
    known = len(parts) > 1 and parts[0].isdecimal() and parts[1].isdecimal()
    return (int(parts[0]), int(parts[1])) if known else _UNKNOWN


def _required(case: Case, package: str) -> str:
    """What the release that the log names asks of it; "" where that is not known."""
    row = case.matrix.release(str(value_or(case.facts.tensorflow.version, "")))
    if not isinstance(row, Known) or not isinstance(row.value.requires, Known):
        return ""
    return next((each.spec for each in row.value.requires.value.get(package, ()) if not each.marker), "")


def of_ml_dtypes(told: Testimony, saying: Saying) -> Candidate | None:
    """Who asks, and on which side the installed one is; None where the line names no type that is known."""
    name = saying.told.get("symbol", "")
    if saying.name != "ml-dtypes-attribute" or name not in (*_GONE_FROM_ML_DTYPES, *_FROM_0_5):
        return None
    raised = [each for each in told.endings if each.how == "exception" and place(each) == place(saying)]
    who = (raised[0].package if raised else "") or "A package"
    side = "too new: 0.3 took it away" if name in _GONE_FROM_ML_DTYPES else "too old: it is there since 0.5"
    words = "ml_dtypes gives Python the short number types of machine learning (bfloat16, float8). TensorFlow, JAX and onnx use it, and each wants releases of its own time; here the one that is installed is of another."
    return Candidate(saying.code, Confidence(saying.sure), (place(saying),), words, title=f"{who} asks ml_dtypes for {name}, and the installed one is {side}.")  # fmt: skip


def ml_dtypes_fixes(case: Case, told: Testimony) -> tuple[Fix, ...]:
    """The release's own range, or the one in which the missing name is; () where neither is told."""
    python, names = (
        interpreter(case.facts),
        [each.told.get("symbol", "") for each in told.of("ml-dtypes-mismatch")],
    )
    version, required = value_or(case.facts.tensorflow.version, ""), _required(case, "ml-dtypes")
    if required:
        title = f"Install the ml_dtypes that TensorFlow {version} asks for"
        return (Fix(title, (f'{python} -m pip install "ml_dtypes{tightest(required) or required}"',)),)
    if any(each in _GONE_FROM_ML_DTYPES for each in names):
        note = "TensorFlow 2.13 to 2.15.0 ask for that one. JAX beside it may want a newer one: then each needs an environment of its own."
        title = "Go back to ml_dtypes 0.2.0, the last one that has the name: the installed one is too new"
        return (Fix(title, (f'{python} -m pip install "ml_dtypes==0.2.0"',), note),)
    if any(each in _FROM_0_5 for each in names):
        title = "Update ml_dtypes: the name is there since 0.5"
        return (Fix(title, (f'{python} -m pip install --upgrade "ml_dtypes>=0.5.1,<1"',)),)
    return ()


def descriptor_fixes(case: Case, told: Testimony) -> tuple[Fix, ...]:
    """Old generated code under a new protobuf: the message itself says which way; () for the other texts."""
    said = told.named("protobuf-descriptors")
    if not said:
        return ()
    python, release = interpreter(case.facts), _minor(case)
    raised = [each for each in told.endings if each.how == "exception" and each.package]
    asker = next((each for each in reversed(raised[-1].through) if each != "protobuf"), "") if raised else ""
    update = fix(
        "update-whose-code-too-old-and", asker=asker, python=python, keeping=keeping_tensorflow(case.facts)
    )
    others = (update,) if asker and not asker.startswith(("tensorflow-core", "keras")) and asker != "tensorflow" else ()  # fmt: skip
    if release >= _NEEDS_PROTOBUF_5 and others:
        return others  # this TensorFlow needs protobuf 5
    own = tightest(*filter(None, (_required(case, "protobuf") if release < (2, 12) else "", "<3.21")))
    title = (
        "Go back to protobuf 3.20, as the message itself says, or to what this TensorFlow asks for below it"
    )
    if not _required(case, "protobuf") or release >= (2, 12):
        title, own = "Go back to protobuf 3.20, as the message itself says", ">=3.20,<3.21"
    back = Fix(title, (f'{python} -m pip install "protobuf{own}"',), "pip may warn of another package that asks for more; where that one fails, update the package that is too old.")  # fmt: skip
    return (back, *others)
