"""Writes the `releases:` part of data/compat_matrix.yaml again from the published wheels.

    python -m tools.harvest.harvest_matrix [--fatbins RESULTS.json]

Reads every wheel of every final release from 2.3 on, and of release candidates newer than the newest of them:
about 1,650 wheels, 2 GB of range reads, 5 minutes. What is above `releases:` stays as it is. Cells that the wheels
can't tell by range reads (PTX, sonames, page cells) are kept; `--fatbins` takes those that tools/harvest/read_fatbins.py
found. Run tools/build/compile_matrix.py afterwards, and review the difference.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
from pathlib import Path
from typing import Any

from packaging.version import Version

from tfdoctor.knowledge.matrix.cells import EVERY, ORDER, RELEASES, Cell, Row, rows
from tfdoctor.knowledge.matrix.load import parse
from tfdoctor.knowledge.matrix.wheels.index import Index, Wheel
from tfdoctor.knowledge.matrix.wheels.read import Cells, by_row, harvest
from tfdoctor.knowledge.matrix.wheels.update import Rows, compact, expand

SOURCE = Path(__file__).parents[2] / "data" / "compat_matrix.yaml"
DISTRIBUTIONS = ("tensorflow", "tensorflow-cpu", "tensorflow-gpu", "tensorflow-intel")
FIRST = Version("2.3.0")
PLAIN = re.compile(r"(?!(?:true|false|null|yes|no|on|off|y|n)$)[a-z_][\w.-]*|\d+\.\d+\.\d[\w.]*")
"""Text that YAML reads as text without quotes."""


def wanted(wheels: tuple[Wheel, ...]) -> list[Wheel]:
    """Final releases from 2.3 on, and prereleases of the one to come."""
    versions = {wheel: Version(wheel.release) for wheel in wheels if not wheel.yanked}
    newest = max(version for version in versions.values() if not version.is_prerelease)
    return [w for w, v in versions.items() if v >= FIRST and (not v.is_prerelease or v > newest)]


def merge(earlier: dict[str, Cell], cells: Cells, usual: dict[str, str]) -> dict[str, Cell]:
    """Harvested cells over the known ones. A known cell of another source stays where it does not contradict."""
    merged = {field: here for field, here in earlier.items() if here.source != usual[field]}
    stated, classifier = (
        cells.pop(name, "") or "" for name in ("requires_python", "cuda_classifier")
    )
    for field, value in cells.items():
        other = merged.get(field)
        more_precise = (
            other and isinstance(value, str) and f"{other.value}.".startswith(f"{value}.")
        )
        if value is not None and not more_precise:
            merged[field] = Cell(value, usual[field])
    merged["python"] = python_cell(cells["python"], stated, usual["python"])
    if "cuda" in merged:
        merged["cuda"] = cuda_cell(merged["cuda"], classifier)
    return {**{field: here for field, here in earlier.items() if field not in cells}, **merged}


def python_cell(pythons: list[str], stated: str, source: str) -> Cell:
    """The Pythons by the wheels' tags, and what METADATA says where it lets in older ones."""
    lowest = re.search(r">=\s*3\.(\d+)", stated)
    differs = not lowest or int(lowest[1]) < min(int(python[2:]) for python in pythons)
    return Cell(
        pythons, source, f"METADATA: Requires-Python {stated or 'is missing'}" if differs else ""
    )


def cuda_cell(here: Cell, classifier: str) -> Cell:
    """The CUDA by the headers, and what METADATA's classifier says where it is another minor release."""
    agrees = not classifier or f"{here.value}.".startswith(f"{classifier}.")
    return here._replace(
        disagrees="" if agrees else f"METADATA: Environment :: GPU :: NVIDIA CUDA :: {classifier}"
    )


def gpu_code(found: dict[str, Any]) -> dict[str, Any]:
    """The cells that one release's entry of read_fatbins' results tells."""
    compiled = next(each for each in found["compiled"] if each["ptx"])
    whole = set(compiled["binaries"])
    partly = [each for each in found["generated"] if each["ptx"] and whole - set(each["binaries"])]
    part = set(partly[0]["binaries"]) if partly else whole
    isa, target = (partly[0] if partly else compiled)["ptx"][0].split()
    return {
        "ptx_isa": isa,
        "ptx_target": target,
        "ptx_isa_compiled": compiled["ptx"][0].split()[0],
        "sass_incomplete": [f"{arch // 10}.{arch % 10}" for arch in sorted(whole - part)],
        "sass": [f"{arch // 10}.{arch % 10}" for arch in sorted(whole & part)],
        "ptx": [f"{max(whole) // 10}.{max(whole) % 10}"],
    }


def add_gpu_code(table: Rows, results: dict[str, Any], usual: dict[str, str]) -> None:
    """Cells from read_fatbins' results for the GPU builds on Linux; build_info goes before them where it speaks."""
    for row, cells in table.items():
        if row.platform == "linux_x86_64" and row.release in results and cells["gpu"].value:
            for field, value in gpu_code(results[row.release]).items():
                if field not in cells or cells[field].source == usual["ptx_isa"]:
                    cells[field] = Cell(value, usual["ptx_isa"])


def text(value: Any) -> str:
    """A value in YAML's flow style, quoted where it must be."""
    if isinstance(value, dict):
        return "{" + ", ".join(f"{text(key)}: {text(each)}" for key, each in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(text(each) for each in value) + "]"
    if isinstance(value, str) and PLAIN.fullmatch(value):
        return value
    return json.dumps(value, ensure_ascii=False)


class Writer:
    """Lines of YAML; a long value that was written before becomes an alias of its anchor."""

    def __init__(self) -> None:
        self.lines = ["releases:"]
        self._anchors: dict[str, str] = {}

    def put(self, depth: int, key: str, value: Any, name: str) -> None:
        written = text(value)
        if written in self._anchors:
            written = f"*{self._anchors[written]}"
        elif len(written) > 40:
            self._anchors[written] = name
            written = f"&{name} {written}"
        self.lines.append(f"{'  ' * depth}{text(key)}: {written}")

    def block(self, distribution: str, block: dict[str, Any]) -> None:
        short = distribution.replace("tensorflow", "tf")
        self.lines.append(f"  {distribution}:")
        self.put(2, ORDER, block[ORDER], f"{short}-order")
        for part, fields in block.items():
            if part == ORDER or not fields:
                continue
            self.lines.append(f"    {part}:")
            for field, series in fields.items():
                name = f"{short}-{part}-{field}"
                if field in ("requires", "and_cuda") and part in (EVERY, *block):
                    self.lines.append(f"      {field}:")
                    for package, each in series.items():
                        self.put(4, package, each, f"{name}-{package}")
                else:
                    self.put(3, field if field != RELEASES else RELEASES, series, name)


def main() -> int:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--fatbins", type=Path)
    chosen = options.parse_args()
    document = parse(SOURCE.read_bytes(), SOURCE.name)
    usual = document["fields"]
    known = expand(document, rows(document["releases"]))
    index = Index()
    asked: dict[Row, list[Wheel]] = {}
    for distribution in DISTRIBUTIONS:
        asked.update(by_row(distribution, wanted(index.wheels(distribution))))
    done = iter(range(1, 1_000_000))
    harvested, failed = harvest(
        index.session, asked, lambda each: say(f"\r{next(done)} wheels", end="")
    )
    for each in failed:
        say(f"\n{each.wheel.filename}: {each.error}")
    table = {row: merge(known.get(row, {}), cells, usual) for row, cells in harvested.items()}
    if chosen.fatbins:
        add_gpu_code(table, json.loads(chosen.fatbins.read_text()), usual)
    orders = {
        name: sorted({row.release for row in table if row.distribution == name}, key=Version)
        for name in DISTRIBUTIONS
    }
    write(table, orders, usual)
    return 1 if failed else 0


def write(table: Rows, orders: dict[str, list[str]], usual: dict[str, str]) -> None:
    """Replaces what follows `releases:` in the YAML."""
    head, _, _ = SOURCE.read_text("utf-8").partition("\nreleases:\n")
    writer = Writer()
    for distribution, block in compact(table, orders, usual).items():
        writer.block(distribution, block)
    SOURCE.write_text(head + "\n" + "\n".join(writer.lines) + "\n", "utf-8")


def say(message: str, end: str = "\n") -> None:
    print(message, end=end, file=sys.stderr, flush=True)  # noqa: T201  # a tool for developers


if __name__ == "__main__":
    sys.exit(main())
