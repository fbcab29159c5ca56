"""No file for this machine: which packages have none where, by the matrix and by what is known of TensorFlow's companions."""

from __future__ import annotations

import re  # reads no log: releases in a list, and the tags of Pythons

from tfdoctor.checks.engine.case import Case
from tfdoctor.checks.log.around.releases import runs_on
from tfdoctor.checks.log.candidate import Candidate
from tfdoctor.checks.log.installers.told.machines import (
    FINAL,
    for_another_machine,
    last_release,
    machine_of_list,
    numbers,
)
from tfdoctor.checks.log.installers.told.wheel_names import FILE, file_fixes, of_a_file
from tfdoctor.checks.log.testimony import Testimony, place
from tfdoctor.facts.log_values import Saying
from tfdoctor.facts.model import Facts
from tfdoctor.facts.outcome import value_or
from tfdoctor.findings.fix import fix
from tfdoctor.findings.model import Confidence, Fix
from tfdoctor.fixes.commands import interpreter

_FILESYSTEM = "tensorflow-io-gcs-filesystem"
"""TensorFlow 2.7 to 2.19 require it, with Python 3.11 and older alone from 2.16 on; 2.20 left it out. Its last release for Windows is 0.31.0,
its first for Macs with Apple's processor 0.34.0, none for Windows has Python 3.12, and none at all 3.13 (its files and TensorFlow's metadata, read 2026-11-22)."""
_NAMES = ("uv-no-wheel-here", "uv-platform-hint", "poetry-no-candidates", FILE)
_BY_PIP = ("pip-no-companion", "pip-no-companion-alone")
_MAC = "macosx_x86_64"


_ON_DEBIAN = fix("build-on-debians-image-same-python-2")


def is_wheel(saying: Saying) -> bool:
    return saying.name in _NAMES or (saying.name in _BY_PIP and saying.told["package"].lower() == _FILESYSTEM)


def no_wheel(facts: Facts, told: Testimony, saying: Saying) -> Candidate:
    """What has no file, and for which machine as far as the log tells."""
    sure, at = Confidence(saying.sure), (place(saying),)
    if saying.name == FILE:
        return of_a_file(facts, told, saying)
    package = saying.told["package"].lower()
    release = "" if saying.name in _BY_PIP else f" {saying.told['version']}"
    wanted = saying.told.get("wanted", "")
    machine = _machine(told)
    alpine = bool(told.named("of-alpine"))
    where = "Alpine Linux" if alpine else f"this {machine or 'machine'}"
    title = f"{package}{release}{wanted} has no file for {where}."
    words = "Its authors published ready-made packages (wheels) for other systems or other Pythons alone."
    if alpine:
        words += " Alpine has another C library (musl) than the one that TensorFlow's files are made for (glibc), so another Python would not help."
    elif package == _FILESYSTEM:
        words += " TensorFlow 2.7 to 2.19 ask for it. For Windows its last release is 0.31.0, for Apple's processors its first is 0.34.0; for Python 3.13 there is none."
    if saying.name not in _BY_PIP:
        words += " A lock file that was made for another system or Python, or a request without bounds, names that release all the same."
    return Candidate(saying.code, sure, at, words, title=title)


def _machine(told: Testimony) -> str:
    hint = told.named("uv-platform-hint")
    return (
        f"{'Python' if hint[0].told['value'].startswith('cp') else 'system'} ({hint[0].told['host']}, {hint[0].told['value']})"
        if hint
        else ""
    )


def wheel_fixes(case: Case, told: Testimony) -> tuple[Fix, ...]:
    """() where none of these packages was asked for in vain."""
    said = [each for each in told.of("python-unsupported") if is_wheel(each)]
    if said:
        return _for(case, said[0], told)
    platform, release = machine_of_list(told, case.matrix)
    return for_another_machine(case, platform, release) if platform else ()


def _for(case: Case, saying: Saying, told: Testimony) -> tuple[Fix, ...]:
    python = interpreter(case.facts)
    if saying.name == FILE:
        return file_fixes(case, told, saying)
    package, tool = saying.told["package"].lower(), saying.name.partition("-")[0]
    if told.named("of-alpine"):
        return (_ON_DEBIAN,)
    if package == _FILESYSTEM:
        windows = value_or(case.facts.host.os, "") == "windows" or saying.told.get("value", "").startswith(
            "win"
        )
        return _filesystem(tool, python, windows=windows)
    if package == "tensorflow":
        return _tensorflow(tool, case, told)
    if tool == "uv":
        return (fix("let-uv-choose-release-file-for", package=package),)
    if tool == "poetry":
        return (fix("let-poetry-choose-release-file-for", package=package),)
    return (fix("see-releases-are-for-python-and", package=package, python=python),)


def _filesystem(tool: str, python: str, *, windows: bool) -> tuple[Fix, ...]:
    newer = "TensorFlow 2.20 and newer do without it"
    pin = f"{_FILESYSTEM}==0.31.0" if windows else f"{_FILESYSTEM}>=0.34"
    if tool == "uv":
        marked = (
            "sys_platform == 'win32' and python_version < '3.12'" if windows else "python_version < '3.12'"
        )
        return (
            fix("name-release-file-for-system", pin=pin, marked=marked),
            Fix(newer, ('uv add "tensorflow>=2.20"',)),
        )  # fmt: skip
    if tool == "poetry":
        where = " --platform win32" if windows else ""
        return (
            fix("name-release-file-for-system-2", pin=pin, where=where),
            Fix(newer, ('poetry add "tensorflow>=2.20"',)),
        )
    return (
        Fix(newer, (f'{python} -m pip install "tensorflow>=2.20"',)),
        fix("with-python-3-11-or-older-take", python=python, pin=pin),
    )


def _by_poetry(case: Case) -> Fix:
    """poetry looks for a release for all Pythons that the project allows, and goes back to one that names no bound."""
    row = next(
        (
            each
            for each in case.matrix.releases()
            if FINAL.match(each.tensorflow) and runs_on(each, case.facts)
        ),
        next(each for each in case.matrix.releases() if FINAL.match(each.tensorflow)),
    )
    pythons = sorted(each.feature for each in value_or(row.python, ()))
    first, last = min(pythons, key=numbers), max(pythons, key=numbers)
    bound = f">={first},<3.{numbers(last)[1] + 1}"
    return fix(
        "name-new-tensorflow-and-pythons-for", value=".".join(row.tensorflow.split(".")[:2]), bound=bound
    )


def _tensorflow(tool: str, case: Case, told: Testimony) -> tuple[Fix, ...]:
    if tool == "poetry":
        return (*_for_an_intel_mac(case, told), _by_poetry(case))
    hint = told.named("uv-platform-hint")
    value = hint[0].told["value"] if hint else ""
    if value.startswith("macosx") and value.endswith("x86_64"):
        last = last_release(case.matrix, _MAC)
        note = "On a Mac with Apple's processor this Python is one for Intel: make the environment with `uv venv --python cpython-3.12-macos-aarch64`, and the newest TensorFlow has a wheel."
        return (
            Fix(
                f"Take TensorFlow {last}, the last one for Intel Macs",
                (f'{tool} add "tensorflow=={last}"',),
                note,
            ),
        )
    if value.startswith("cp3") and (match := re.findall(r"cp3(\d{1,2})", hint[0].told["message"])):
        newest = f"3.{max(map(int, match))}"
        return (fix("use-python-newest-one-release-wheel", newest=newest),)
    return _for_apple(told)


def _for_an_intel_mac(case: Case, told: Testimony) -> tuple[Fix, ...]:
    """() elsewhere than on a Mac, and for releases that have files for Intel's, or none for Apple's."""
    said = [each for each in told.of("python-unsupported") if is_wheel(each) and "version" in each.told]
    if not said or value_or(case.facts.host.os, "") != "macos":
        return ()
    last, asked = last_release(case.matrix, _MAC), said[0].told["version"]
    if not FINAL.match(asked) or numbers(asked) <= numbers(last):
        return ()
    look = "`python -c 'import platform; print(platform.machine())'` says which it is."
    return (fix("on-mac-with-intels-processor-or", last=last, asked=asked, look=look),)


def _for_apple(told: Testimony) -> tuple[Fix, ...]:
    """A TensorFlow with a file for Apple's processors, where uv took one without; () elsewhere."""
    hint = told.named("uv-platform-hint")
    if not hint or not hint[0].told["value"].endswith("arm64") or "arm64" in hint[0].told["message"]:
        return ()
    if not hint[0].told["value"].startswith("macosx"):
        return ()
    return (fix("ask-for-tensorflow-file-for-apples"),)
