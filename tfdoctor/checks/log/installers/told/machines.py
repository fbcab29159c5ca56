"""Which machine pip's own list of releases tells, and what to do where TensorFlow has no wheel for it."""

from __future__ import annotations

import re  # reads no log: releases in a list, and the tags of Pythons

from tfdoctor.checks.engine.case import Case
from tfdoctor.checks.log.candidate import Candidate
from tfdoctor.checks.log.testimony import Testimony, place
from tfdoctor.facts.log_values import Saying
from tfdoctor.facts.outcome import Known
from tfdoctor.findings.fix import fix
from tfdoctor.findings.model import Confidence, Fix
from tfdoctor.fixes.commands import interpreter
from tfdoctor.light.expressions import Expression  # reads no log: releases in a list, and the tags of Pythons
from tfdoctor.matrix.query import Matrix

FINAL = Expression(r"\d{1,2}\.\d{1,3}\.\d{1,3}$")


def machine_of_list(told: Testimony, matrix: Matrix) -> tuple[str, str]:
    """Whose list of releases pip printed, where not this Python but this machine lacks the release that was asked for: its
    platform and that release; "" twice where the list does not tell.
    """
    for each in told.named("no-version-satisfies"):
        asked = re.fullmatch(r"==(\d{1,2}\.\d{1,3}(?:\.\d{1,3})?)", each.told.get("wanted", ""))
        offered = [text for text in re.split(r",\s?", each.told.get("version", "")) if FINAL.match(text)]
        if not asked or not offered:
            continue
        release = asked[1] if asked[1].count(".") > 1 else f"{asked[1]}.0"
        elsewhere = _by_python(matrix, "linux_x86_64")
        for platform in _NARROWER:
            for python, known in _by_python(matrix, platform).items():
                same_end = offered[-1] == known[0] or numbers(release) < numbers(offered[0])
                if (
                    offered[0] == known[-1]
                    and same_end
                    and release not in known
                    and release in elsewhere.get(python, ())
                ):
                    return platform, release
    return "", ""


def numbers(release: str) -> tuple[int, ...]:
    return tuple(map(int, release.split(".")))


def _by_python(matrix: Matrix, platform: str) -> dict[str, list[str]]:
    """The final releases for each Python there, the newest first."""
    found: dict[str, list[str]] = {}
    for row in matrix.releases(platform):
        for python in (
            row.python.value if isinstance(row.python, Known) and FINAL.match(row.tensorflow) else ()
        ):
            found.setdefault(str(python), []).append(row.tensorflow)
    return found


def last_release(matrix: Matrix, platform: str) -> str:
    """The newest final release with wheels for it."""
    return next(
        (
            row.tensorflow
            for row in matrix.releases(platform)
            if FINAL.match(row.tensorflow) and isinstance(row.python, Known)
        ),
        "",
    )


def for_another_machine(case: Case, platform: str, release: str) -> tuple[Fix, ...]:
    python = interpreter(case.facts)
    if platform == "macosx_x86_64":
        last = last_release(case.matrix, platform)
        return (
            fix("take-tensorflow-last-one-for-intel", last=last, python=python, release=release),
            fix("on-mac-with-apples-processor-use", python=python),
        )  # fmt: skip
    if platform == "macosx_arm64":
        return (fix("take-apples-build-time-or-tensorflow", python=python, release=release),)
    return (fix("take-release-wheels-for-linux-on", python=python),)


_NARROWER = {
    "macosx_x86_64": "Intel Macs",
    "macosx_arm64": "Macs with Apple's processor",
    "linux_aarch64": "Linux on ARM",
}


def of_list(told: Testimony, saying: Saying, matrix: Matrix) -> Candidate | None:
    """Where pip's own list tells the machine; None where it does not."""
    platform, release = machine_of_list(told, matrix)
    if not platform:
        return None
    words = (
        f"pip lists the releases that it could install. This list is that of {_NARROWER[platform]}: it ends, or begins, where their wheels do, and "
        f"for the same Python others have {release}. So the Python is not what is wrong."
    )
    return Candidate(
        saying.code,
        Confidence.LIKELY,
        (place(saying),),
        words,
        title=f"TensorFlow {release} has no wheel for {_NARROWER[platform]}.",
    )
