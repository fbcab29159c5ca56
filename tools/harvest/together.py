"""Resolves TensorFlow with torch, with jax and with both, and keeps which sets an installer accepts and which overwrite each other's
files.

    python -m tools.harvest.together [--since 2024-11-29]

It needs uv on PATH and asks the configured index alone. What it found is in data/together.json, and what is there is not asked again:
delete it for a new day. About 1,000 sets, a second each. It writes the section `together:` of data/compat_matrix.yaml; run
tools/build/compile_matrix.py afterwards, and review the difference.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime, timezone
from itertools import product
from pathlib import Path
from typing import Any

from packaging.utils import parse_wheel_filename
from packaging.version import Version

from tfdoctor.base.records import record
from tfdoctor.facts.outcome import value_or
from tfdoctor.knowledge.matrix.load import load_bundled
from tfdoctor.knowledge.matrix.tables import WITHOUT_CUDA
from tfdoctor.knowledge.matrix.wheels.index import LARGEST_PAGE, Index, get
from tfdoctor.knowledge.matrix.wheels.read import read_members
from tfdoctor.knowledge.matrix.wheels.together import Resolver, Together, set_of
from tools.harvest.harvest_matrix import SOURCE, say, text

FOUND = Path(__file__).parents[2] / "data" / "together.json"
FIRST = Version("2.15.0")
FRAMEWORKS = {"torch": "torch", "jax": "jaxlib"}
"""Each with the package whose wheels tell its Pythons."""
PAIRS = (
    ("", "torch"),
    ("and-cuda", "torch"),
    ("", "jax"),
    ("and-cuda", "jax[cuda12]"),
    ("and-cuda", "jax[cuda13]"),
)
"""TensorFlow's extra and what is beside it. jax alone brings no CUDA library: it goes with the extra as it goes without it."""
SEVERAL = (
    ("", ("torch", "jax")),
    ("and-cuda", ("torch", "jax")),
    ("and-cuda", ("torch", "jax[cuda12]")),
)
MOST_TRIED = 9  # sets of several for one TensorFlow, the newest first
AT_ONCE = 2


@record
class Question:
    """TensorFlow with its extra, and the releases beside it in the order of `beside`, for one Python."""

    tensorflow: str
    extra: str
    beside: tuple[str, ...]
    releases: tuple[str, ...]
    python: str

    @property
    def key(self) -> tuple[str, ...]:
        return (self.tensorflow, self.extra, *self.beside, *self.releases, self.python)

    @property
    def requirements(self) -> tuple[str, ...]:
        return set_of(
            self.tensorflow, self.extra, dict(zip(self.beside, self.releases, strict=True))
        )


Pythons = dict[str, list[str]]
"""By release, the oldest first."""
Offered = dict[str, tuple[Pythons, dict[str, set[str]]]]
"""Of each framework the Pythons of its releases, and their extras."""


def tensorflows() -> Pythons:
    """The last patch release of each minor release."""
    last: dict[tuple[int, ...], tuple[str, list[str]]] = {}
    for each in load_bundled().releases("linux_x86_64"):  # the newest first
        version = Version(each.tensorflow)
        if version >= FIRST:
            pythons = [python.feature for python in value_or(each.python, ())]
            last.setdefault(version.release[:2], (each.tensorflow, pythons))
    return dict(last.values())


def releases(index: Index, name: str, since: str) -> tuple[Pythons, dict[str, set[str]]]:
    """The final releases of a package since that day, with the Pythons that they have wheels for and with their extras."""
    asked = {"Accept": "application/vnd.pypi.simple.v1+json"}
    page = json.loads(get(index.session, f"{index.address}/{name}/", asked, LARGEST_PAGE).body)
    first: dict[Version, tuple[str, str]] = {}
    for file in page["files"]:
        if file["filename"].endswith(".whl") and not file.get("yanked"):
            version = parse_wheel_filename(file["filename"])[1]
            first[version] = min(
                first.get(version, ("9", "")), (file["upload-time"][:10], file["url"])
            )
    pythons: dict[Version, set[str]] = {}
    for wheel in index.wheels(FRAMEWORKS[name]):
        if wheel.platform == "linux_x86_64":
            pythons.setdefault(Version(wheel.release), set()).add(wheel.python)
    chosen = {
        each: url
        for each, (day, url) in sorted(first.items())
        if day >= since and not each.is_prerelease
    }
    served = {
        str(each): sorted(pythons[max(own for own in pythons if own <= each)], key=Version)
        for each in chosen
    }
    return served, {str(each): extras(index, url) for each, url in chosen.items()}


def extras(index: Index, url: str) -> set[str]:
    """An installer passes over an extra that a release does not have, so nothing would clash."""
    metadata = re.compile(r"[^/]+\.dist-info/METADATA")
    told = read_members(index.session, url, [metadata])[0][metadata.pattern]
    return set(re.findall(r"^Provides-Extra: (\S+)", told, re.MULTILINE))


def common(*pythons: Iterable[str]) -> str:
    """The newest Python that all have wheels for; "" where there is none."""
    return max(set.intersection(*map(set, pythons)), key=Version, default="")


class Harvest:
    """What was found, kept as it comes."""

    def __init__(self, resolver: Resolver) -> None:
        self.found = (
            json.loads(FOUND.read_text("utf-8")) if FOUND.exists() else {"wheels": [], "sets": []}
        )
        self._resolver = resolver
        self._wheels = {filename: at for at, (filename, _) in enumerate(self.found["wheels"])}
        self._answers = {tuple(each["set"]): each for each in self.found["sets"]}

    def answer(self, question: Question) -> dict[str, Any]:
        if question.key not in self._answers:
            told = self._resolver.together(question.requirements, question.python)
            self._answers[question.key] = {"set": list(question.key), **self._kept(told)}
            say(f"{' '.join(question.requirements)} on {question.python}: {told.outcome}")
        return self._answers[question.key]

    def _kept(self, told: Together) -> dict[str, Any]:
        """Of the wheels those that bring CUDA or are one of the frameworks."""
        concerned = [
            each
            for each in told.wheels
            if each.package.startswith(("nvidia-", "tensorflow", "torch", "jax"))
        ]
        for each in concerned:
            if each.filename not in self._wheels:
                self._wheels[each.filename] = len(self._wheels)
                self.found["wheels"].append([each.filename, each.sha256])
        overlaps = [[*each.packages, len(each.files)] for each in told.overlaps]
        return {"outcome": told.outcome, "overlaps": overlaps, "between": list(told.between), "wheels": [self._wheels[each.filename] for each in concerned]}  # fmt: skip

    def write(self) -> None:
        self.found["resolved"] = (
            self.found.get("resolved") or datetime.now(timezone.utc).date().isoformat()
        )
        self.found["sets"] = list(self._answers.values())
        parts = ",\n".join(
            f"{json.dumps(name)}: [\n{lines(value)}\n]"
            if isinstance(value, list)
            else f"{json.dumps(name)}: {json.dumps(value)}"
            for name, value in self.found.items()
        )
        FOUND.write_text(f"{{\n{parts}\n}}\n", encoding="utf-8")


def lines(values: Iterable[Any]) -> str:
    return ",\n".join(json.dumps(each, separators=(",", ":")) for each in values)


def pairs(known: Offered) -> Iterator[Question]:
    """Each set for the newest Python that both have wheels for; none where they share no Python."""
    for extra, beside in PAIRS:
        name, _, own = beside.rstrip("]").partition("[")
        served, told = known[name]
        for release, pythons in served.items():
            for tensorflow, mine in tensorflows().items():
                python = common(mine, pythons)
                if python and (not own or own in told[release]):
                    yield Question(tensorflow, extra, (beside,), (release,), python)


def outcome(answer: dict[str, Any]) -> Any:
    """As the matrix has it: "clean", or what else, with the packages."""
    if answer["outcome"] == "clean":
        return "clean"
    named = [each for pair in answer["overlaps"] for each in pair[:2]] or answer["between"]
    return {answer["outcome"]: [each for each in named if not each.startswith(("jax", "torch"))]}


def series(answers: Iterable[dict[str, Any]]) -> dict[str, Any]:
    """A value where it changes."""
    found: dict[str, Any] = {}
    for each in answers:
        value = outcome(each)
        if not found or found[list(found)[-1]] != value:
            found[each["set"][3]] = value
    return found


def served_on(python: str, beside: str, releases: Iterable[str], known: Offered) -> list[str]:
    """Those of a framework's releases that have a wheel for the Python."""
    pythons, _ = known[beside.partition("[")[0]]
    return [each for each in releases if python in pythons[each]]


def several(harvest: Harvest, known: Offered, clean: Callable[[str, str, str], list[str]]) -> Iterator[dict[str, Any]]:  # fmt: skip
    """For each TensorFlow and Python the newest set of several that is clean, with the Pythons for which it was resolved."""
    for extra, beside in SEVERAL:
        for tensorflow, mine in tensorflows().items():
            found: dict[tuple[str, ...], list[str]] = {}
            for python in mine:
                served = [
                    served_on(python, name, clean(tensorflow, extra, name), known)
                    for name in beside
                ]
                newest = sorted(
                    product(*map(enumerate, served)), key=lambda chosen: sum(at for at, _ in chosen)
                )
                for picked in (
                    tuple(release for _, release in chosen) for chosen in newest[:MOST_TRIED]
                ):
                    if (
                        harvest.answer(Question(tensorflow, extra, beside, picked, python))[
                            "outcome"
                        ]
                        == "clean"
                    ):
                        found.setdefault(picked, []).append(python)
                        break
            for picked, pythons in reversed(found.items()):
                yield {
                    "tensorflow": tensorflow,
                    "extra": extra,
                    "python": pythons,
                    "set": dict(zip(beside, picked, strict=True)),
                }


def best(known: Offered, clean: Callable[[str, str, str], list[str]]) -> Iterator[Question]:
    """For each older Python the newest release that is clean for the newest one: what `plan --with` prints there."""
    for extra, beside in PAIRS:
        for tensorflow, mine in tensorflows().items():
            for python in mine:
                for release in served_on(python, beside, clean(tensorflow, extra, beside), known)[
                    :1
                ]:
                    yield Question(tensorflow, extra, (beside,), (release,), python)


def section(answers: list[dict[str, Any]], known: Offered, sets: Iterable[dict[str, Any]]) -> list[str]:  # fmt: skip
    """The lines of `together:`."""
    rows: dict[str, list[str]] = {}
    for extra, beside in PAIRS:
        for tensorflow in tensorflows():
            told = series(
                each for each in answers if each["set"][:3] == [tensorflow, extra, beside]
            )
            if told:
                rows.setdefault(
                    text({"extra": extra, "beside": beside, "outcomes": told}), []
                ).append(tensorflow)
    made = ["together:", "  source: together", "  python:"]
    for name, (served, _) in known.items():
        changes: dict[str, Any] = {}
        for release, pythons in served.items():
            if not changes or changes[list(changes)[-1]] != pythons:
                changes[release] = pythons
        made.append(f"    {name}: {text(changes)}")
    made += [
        "  releases:",
        *(f"    {name}: {text(list(served))}" for name, (served, _) in known.items()),
        "  rows:",
    ]
    made += [f"    - {{tensorflow: {text(own)}, {row[1:]}" for row, own in rows.items()]
    return [*made, "  sets:", *(f"    - {text(each)}" for each in sets)]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--since", default="2024-11-29", help="the first day of the releases of torch and jax"
    )
    since = parser.parse_args().since
    index = Index()
    harvest = Harvest(Resolver(index))
    known = {name: releases(index, name, since) for name in FRAMEWORKS}
    try:
        with ThreadPoolExecutor(AT_ONCE) as pool:
            answers = list(pool.map(harvest.answer, pairs(known)))

        def clean(tensorflow: str, extra: str, beside: str) -> list[str]:
            of = "" if beside in WITHOUT_CUDA else extra
            return [each["set"][3] for each in reversed(answers) if each["set"][:3] == [tensorflow, of, beside] and each["outcome"] == "clean"]  # fmt: skip

        for question in best(known, clean):
            if harvest.answer(question)["outcome"] != "clean":
                say(
                    f"not so for an older Python: {' '.join(question.requirements)} on {question.python}"
                )
        found = section(answers, known, list(several(harvest, known, clean)))
    finally:
        harvest.write()
    whole = SOURCE.read_text("utf-8")
    start, end = whole.index("\ntogether:\n"), whole.index("\nreleases:\n")
    SOURCE.write_text(f"{whole[:start]}\n{chr(10).join(found)}\n{whole[end:]}", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
