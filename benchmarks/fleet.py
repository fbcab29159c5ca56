"""A made-up fleet with planted groups among noise, and what its summary costs: make bench-fleet COUNT=100000."""

from __future__ import annotations

import json
import random
import resource
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

MACHINES = Path(__file__).parents[1] / "tests" / "machines"


@dataclass(frozen=True)
class Plant:
    """A group of `size` nodes with one cause, and the one fact that sets them apart; `named`: the evidence names it."""

    size: int
    code: str
    fact: str
    part: str
    value: str
    named: bool = False


PLANTS = (
    Plant(100, "driver-too-old", "driver.version", "", "470.57.02", named=True),
    Plant(50, "tensorflow-import-failed", "packages.installed", "protobuf", "3.20.3"),
    Plant(
        7,
        "cudnn-version-mismatch",
        "cuda_libraries.libraries",
        "libcudnn.so.9",
        "8.9.7",
        named=True,
    ),
    Plant(2, "numpy-abi-mismatch", "packages.installed", "numpy", "1.23.5"),
    Plant(1, "driver-unresponsive", "driver.init_name", "", "CUDA_ERROR_UNKNOWN", named=True),
)


def fleet(
    count: int, seed: int, plants: Sequence[Plant] = PLANTS
) -> Iterator[tuple[str, bytes, Plant | None]]:
    """(node, record, what is planted in it) of each node; the planted ones stand at random places."""
    chance = random.Random(seed)
    healthy = json.loads((MACHINES / "healthy-gpu" / "report.json").read_text("utf-8"))
    planted = [plant for plant in plants for _ in range(plant.size)]
    places = dict(zip(chance.sample(range(count), len(planted)), planted, strict=True))
    for at in range(count):
        name = f"n{at + 1}"
        yield name, _record(name, healthy, chance, places.get(at)), places.get(at)


def _record(
    name: str, healthy: dict[str, Any], chance: random.Random, plant: Plant | None
) -> bytes:
    facts = dict(healthy["facts"])
    for path, value in _noise(chance).items():
        facts[path] = {**facts[path], "status": "known", "value": value}
    devices = facts["nvml.devices"]["value"]
    facts["nvml.devices"] = {
        **facts["nvml.devices"],
        "value": [{**devices[0], "uuid": f"GPU-{chance.getrandbits(64):016x}"}],
    }
    facts["packages.installed"] = _with_parts(
        facts["packages.installed"],
        {
            "absl-py": chance.choice(("2.1.0", "2.3.1")),
            "rich": chance.choice(("13.9", "14.0", "14.1")),
        },
    )
    report = {**healthy, "facts": facts, "smoke": _smoke(healthy, chance)}
    if plant is not None:
        if plant.part:
            facts[plant.fact] = _with_parts(facts[plant.fact], {plant.part: plant.value})
        else:
            facts[plant.fact] = {**facts[plant.fact], "value": plant.value}
        report |= {
            "verdict": "broken",
            "summary": f"TensorFlow can't be used: {plant.code}.",
            "findings": [_finding(plant)],
        }
    record = {
        "schema_version": "1.0", "node": name, "engine": "none", "state": "answered", "reason": "",
        "started_at": "2026-11-24T10:00:00Z", "duration_s": 9.0, "exit": int(plant is not None), "stderr": "", "report": report,
    }  # fmt: skip
    return json.dumps(record).encode() + b"\n"


def _noise(chance: random.Random) -> dict[str, Any]:
    """What differs between machines and explains nothing; no decisive fact."""
    return {
        "host.kernel": f"5.15.0-{chance.choice((130, 134, 139))}-generic",
        "host.cpu_count": chance.choice((16, 32, 64)),
        "host.cpu_model": f"Intel(R) Xeon(R) Gold {chance.choice((6230, 6248, 6338))}",
        "host.package_manager": chance.choice(("apt", "dnf")),
        "memory.ram_total": (64 << 30) + chance.randrange(1 << 20) * 4096,
        "memory.ram_available": chance.randrange(1 << 36),
        "memory.limit_open_files": chance.choice((1024, 1048576)),
        "interpreter.has_pip": chance.random() < 0.9,
        "interpreter.prefix": f"/home/u{chance.randrange(10_000)}/venv",
        "environment.variables": {"SLURM_JOB_ID": str(chance.randrange(1 << 40)), "OMP_NUM_THREADS": str(chance.randrange(8))},
    }  # fmt: skip


def _with_parts(fact: dict[str, Any], versions: dict[str, str]) -> dict[str, Any]:
    value = [dict(item) for item in fact["value"]]
    for name, version in versions.items():
        for item in value:
            if item.get("soname") == name:
                item["version"] = {**item["version"], "value": version}
                break
            if item.get("name") == name:
                item["version"] = version
                break
        else:
            value.append({"name": name, "version": version, "folder": "/venv", "installer": "pip"})
    return {**fact, "value": value}


def _smoke(healthy: dict[str, Any], chance: random.Random) -> dict[str, Any]:
    stages = [
        {**stage, "duration_s": round(stage["duration_s"] * chance.gauss(1.0, 0.08), 3)}
        for stage in healthy["smoke"]["stages"]
    ]
    return {**healthy["smoke"], "stages": stages}


def _finding(plant: Plant) -> dict[str, Any]:
    seen = {
        "fact": plant.fact,
        "observed": f"{plant.part} {plant.value}".strip(),
        "expected": "another",
        "source": "the benchmark",
    }
    return {
        "code": plant.code, "severity": "error", "confidence": "certain", "role": "root", "caused_by": [],
        "title": f"{plant.code}.", "explanation": "Planted.", "evidence": [seen] if plant.named else [],
        "fixes": [{"title": f"Mend {plant.code}", "commands": [f"mend {plant.code}"], "note": ""}], "docs": f"tfdoctor explain {plant.code}",
    }  # fmt: skip


def main(count: int) -> None:
    from tfdoctor.apps.fleet.gather import gather
    from tfdoctor.apps.fleet.summary import Fleet

    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "fleet.jsonl"
        with file.open("wb") as out:
            out.writelines(line for _, line, _ in fleet(count, 1))
        size, started, spent = file.stat().st_size, time.monotonic(), _user_seconds()
        found = Fleet()
        found.read(gather([str(file)], None))
        summary = found.summary()
        wall, user = time.monotonic() - started, _user_seconds() - spent
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(
        f"{count} reports, {size / 1e9:.2f} GB: {wall:.1f} s, {user:.1f} s of them user CPU, {peak:.0f} MB"
    )
    for group in summary.groups:
        odd = group.odd[0] if group.odd else None
        print(
            f"  {group.count:7} {group.verdict:8} {', '.join(group.roots):28} {odd.fact if odd else '-'} {odd.value if odd else ''}"
        )
    print(f"  healthy but different: {[each.fact for each in summary.differing]}")


def _user_seconds() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_utime


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 10_000)
