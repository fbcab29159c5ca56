"""A system whose C library is too old: the TensorFlow for this Python that is content with it, then a newer system for this Python."""

from __future__ import annotations

from tfdoctor.checks.engine.case import Case
from tfdoctor.checks.log.candidate import Candidate
from tfdoctor.checks.log.companions import distribution
from tfdoctor.checks.log.fit.present import key
from tfdoctor.checks.log.testimony import Testimony, place
from tfdoctor.facts.log_values import Saying
from tfdoctor.facts.outcome import Known, value_or
from tfdoctor.findings.fix import fix
from tfdoctor.findings.model import Confidence, Fix
from tfdoctor.fixes.commands import interpreter
from tfdoctor.fixes.install import pins
from tfdoctor.fixes.machine import machine_from_facts
from tfdoctor.matrix.model import Release

_OLD = "2.17"
"""glibc of CentOS 7 and RHEL 7, the oldest systems that people still use."""
_FIRST = "1.15.5"
"""Built for glibc 2.12 (its file names); TensorFlow 1.13 and 1.14 ask for 2.23."""
_ASKED = "GLIBC_2.23"
_OF_FIRST = ("3.6", "3.7")


_ARM_32, _ARM_64 = "arm-linux-gnueabi", "aarch64"
"""As Debian's folders of libraries are called on boards with ARM."""


def of_glibc(saying: Saying) -> Candidate | None:
    """Which file asks for which glibc; None for other sayings of the code."""
    if saying.name != _SIGNATURE:
        return None
    file, wanted = (
        saying.told.get("library", ""),
        saying.told.get("wanted", "2.36"),
    )  # the first with GLIBC_ABI_DT_RELR
    what = _named(saying) or file.rpartition("/")[2] or "A compiled file"
    words = f"A compiled file asks for the C library (glibc) of the system that it was built on, or a newer one. {what} was built on a newer system than this one. A reinstallation of the same file does not help, and a newer glibc can't be put beside the one of a system."
    if _is_arm(saying.text):
        words += " For boards with ARM many wheels are built by their users, each on a system of its own: their pages name it."
    return Candidate(saying.code, Confidence(saying.sure), (place(saying),), words, title=f"{what} asks for glibc {wanted} or newer, and this system has an older one.")  # fmt: skip


_SIGNATURE = "glibc-version"


def _named(saying: Saying) -> str:
    name = distribution(saying)
    return "This file of TensorFlow" if name in ("tensorflow", "tensorflow-core") else name


def _is_arm(text: str) -> bool:
    return _ARM_32 in text or _ARM_64 in text


def _on_arm(case: Case, feature: str, name: str) -> tuple[Fix, ...]:
    """Boards with a 64-bit system: TensorFlow's own files are content with an older glibc than those of others."""
    row = _content(case, feature, "linux_aarch64") if feature else None
    newer = fix("or-put-newer-release-system-onto")
    if row is None:
        return (newer,)
    own = fix("take-tensorflows-own-file-for-arm", tensorflow=row.tensorflow, feature=feature, called=name)
    return (own, newer)


_ON_ARM_32 = (
    fix("take-wheel-was-built-on-release"),
    fix("or-run-models-alone-by-small"),
    fix("or-put-newer-release-system-onto-2"),
)  # fmt: skip


def glibc_fixes(case: Case, told: Testimony) -> tuple[Fix, ...]:
    """() where the log does not tell the Python."""
    python = case.facts.interpreter.version
    said = told.of("glibc-too-old")
    text = " ".join(each.text for each in said)
    if other := _of_another(case, [distribution(each) for each in said]):
        return other
    if _ARM_32 in text:
        return _ON_ARM_32
    if _ARM_64 in text:
        feature = python.value.feature if isinstance(python, Known) else ""
        return _on_arm(case, feature, interpreter(case.facts))
    if not isinstance(python, Known):
        return ()
    feature, name = python.value.feature, interpreter(case.facts)
    image = fix("use-newer-system-in-container-image", feature=feature)
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


def _of_another(case: Case, names: list[str]) -> tuple[Fix, ...]:
    """An older release of the package whose file asks for the newer glibc; () where it is TensorFlow's own, or nobody's."""
    name = names[0] if names else ""
    if not name or name in ("tensorflow", "tensorflow-core"):
        return ()
    python = interpreter(case.facts)
    installed = _INSTALLED.format(python=python, name=name)
    older = fix("go-back-to-release-before-installed", called=name, python=python, installed=installed)
    newer = fix("or-use-newer-system-such-as")
    return (older, newer)


_INSTALLED = """$({python} -c 'from importlib.metadata import version as v; print(v("{name}"))')"""


def _is_first(case: Case, told: Testimony) -> bool:
    """TensorFlow 1: by its version, or since no wheel of 2.x for these Pythons asks for that glibc."""
    version = str(value_or(case.facts.tensorflow.version, ""))
    return (
        version.startswith("1.") if version else any(_ASKED in each.text for each in told.of("glibc-too-old"))
    )


def _content(case: Case, feature: str, platform: str = "") -> Release | None:
    for row in case.matrix.releases(platform) if platform else case.matrix.releases():
        pythons = [each.feature for each in row.python.value] if isinstance(row.python, Known) else []
        if feature in pythons and isinstance(row.glibc, Known) and key(str(row.glibc.value)) <= key(_OLD):
            return row
    return None
