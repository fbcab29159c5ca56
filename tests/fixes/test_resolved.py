"""What pip and uv are told to install can be resolved, for the Python and the platform of the machine that is told so.

The registry is asked about every set of requirements with all that they bring, which takes minutes: `make fixes` does
so and CI a seeded few.
"""

from __future__ import annotations

import os
import random
import re
import shlex
from concurrent.futures import ThreadPoolExecutor

import pytest
from packaging.requirements import InvalidRequirement, Requirement

from tests.fixes.printed import Printed, diagnosed, examined
from tests.fixes.resolver import Asked, complaint
from tfdoctor.facts.outcome import Known, value_or

pytestmark = [
    pytest.mark.nightly,
    pytest.mark.real,
    pytest.mark.slow,
    pytest.mark.xdist_group("fixes"),
]

PLATFORMS = {"windows": "windows", "macos": "aarch64-apple-darwin"}
ASKS_ITSELF = re.compile(r"\"?[\w=~<-]*\$\(.*\)(\.0|\.\*)?\"?")
"""The release that is installed here, which the shell finds out."""
EVERY = os.environ.get("TFDOCTOR_FIXES") == "all"
NO_REGISTRY = {
    "x": "the name that a sample gives a package",
    "proteinbert": "a kept log's package, which its authors publish elsewhere",
}

NOT_HERE = {
    r"jaxlib==0\.[13]\b.*": "in JAX's own list of files alone, which the fix names and this machine does not reach",
    r"mitdeeplearning==.*": "its build asks for pkg_resources, which the line before it in the fix brings",
    r"pystemmer==.*": "its build fetches a library's sources from the network",
}
"""What can't be resolved on this machine, by requirement, and why."""
OF_ITS_TIME = {
    r"\btensorflow==1\.[0-9]\b|\btensorflow==1\.1[0-2]\b": "3.6",
    r"\btensorflow-macos<2\.1[0-2]\b": "3.9",
}
"""Printed for an installation that is there, whose Python the log does not tell: one that the release has files for."""


def asked_of(printed: Printed) -> set[Asked]:
    """Of one fix: each command that installs."""
    found = set()
    for command in printed.commands:
        words = re.search(r"\b(?:pip install|uv add|uv pip install) (.*)", command)
        if words is None or "Scripts" in command:
            continue
        plain = re.sub(
            r"(?<!\S)(?:--(?:python|find-links|target|dest|requirement|timeout|retries)|-r|-c) \S+",
            "",
            ASKS_ITSELF.sub("", words[1]),
        )
        requirements = tuple(sorted(filter(is_requirement, shlex.split(plain))))
        if requirements:
            found.add((requirements, python_of(printed), platform_of(printed)))
    return found


def is_requirement(word: str) -> bool:
    if word.startswith("-") or "/" in word or word in NO_REGISTRY:
        return False
    if any(re.fullmatch(form, word) for form in NOT_HERE):
        return False
    try:
        Requirement(word)
    except InvalidRequirement:
        return False
    # An environment's folder.
    return not re.fullmatch(r"(tensorflow|older|keras)-([\d.]+|arm64|new)", word)


def python_of(printed: Printed) -> str:
    """Of the environment that the fix makes, else the one that is examined; "" where nothing tells."""
    made = re.search(
        r"python(3\.\d+) -m venv|--python (3\.\d+)|py -(3\.\d+)|conda create .* python=(3\.\d+)",
        "\n".join(printed.commands),
    )
    if made:
        return str(next(filter(None, made.groups())))
    version = printed.facts.interpreter.version
    known = ".".join(str(version.value).split(".")[:2]) if isinstance(version, Known) else ""
    if not known:
        lines = " ".join(printed.commands)
        return next((python for form, python in OF_ITS_TIME.items() if re.search(form, lines)), "")
    return "" if known.startswith("2.") else known  # uv resolves for Python 3 alone


def platform_of(printed: Printed) -> str:
    machine = str(value_or(printed.facts.host.machine, "x86_64")).lower()
    system = value_or(printed.facts.host.os, "linux")
    if system == "windows" and any("/bin/python" in each for each in printed.commands):
        system = "linux"  # in WSL
    if re.search(r"tensorflow-(metal|macos)", " ".join(printed.commands)):
        return "aarch64-apple-darwin"
    if system == "linux":
        return (
            "aarch64-manylinux_2_28" if machine in ("aarch64", "arm64") else "x86_64-manylinux_2_28"
        )
    return PLATFORMS.get(system, "x86_64-manylinux_2_28")


def test_what_is_to_be_installed_can_be_resolved() -> None:
    asked = sorted({each for printed in examined() | diagnosed() for each in asked_of(printed)})
    if not EVERY:
        asked = random.Random(4242).sample(asked, 6)
    with ThreadPoolExecutor(2) as pool:
        complaints = [said for said in pool.map(complaint, asked) if said]
    print(f"resolved {len(asked)} sets of requirements")  # noqa: T201  # for the dated result
    assert complaints == [], "\n\n".join(complaints)
