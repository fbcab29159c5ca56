"""A plan as JSON and as text for a terminal."""

from __future__ import annotations

from itertools import groupby
from typing import Any

from packaging.version import Version

from tfdoctor.facts.outcome import Absent, Fact, Known
from tfdoctor.findings.model import Fix
from tfdoctor.fixes.install import install_commands
from tfdoctor.fixes.machine import Machine
from tfdoctor.fixes.plan import Excluded, Obstacle, Option, Plan
from tfdoctor.matrix.query import Matrix

_WHY = {
    "python-unsupported": "has wheels for Python {expected}, not {observed}",
    "glibc-too-old": "needs glibc {expected} (you have {observed})",
    "tensorflow-cpu-only": "has no CUDA: {observed}",
    "os-gpu-unsupported": "has no GPU build for this system: {observed}",
    "driver-too-old": "needs driver {expected} (you have {observed})",
    "driver-lacks-gpu": "needs driver {expected} for this GPU (you have {observed})",
    "driver-missing": "needs driver {expected} (none is installed)",
    "driver-too-old-for-ptx": "needs driver {expected} to compile kernels for this GPU (you have {observed})",
    "compute-capability-too-low": "is built for compute capability {expected}, this GPU has {observed}",
    "gpu-too-new-for-build": "is built for compute capability {expected}; its code can't be compiled for {observed}",
    "cuda-libraries-wrong-version": "is built with {observed}, asked for was {expected}",
}

_OF_THE_GPU = ("compute-capability-too-low", "gpu-too-new-for-build")


def plan_to_json(plan: Plan, matrix: Matrix, ways: tuple[Fix, ...] = ()) -> dict[str, Any]:
    """The contract's document, with the machine and the way to the newest release beside it."""
    return {
        "options": [_option(option, plan.machine, matrix) for option in plan.options],
        "excluded": [
            {"tensorflow": item.release.tensorflow, "because": [_because(each) for each in item.because]}
            for item in plan.excluded
        ],
        "machine": machine_to_json(plan.machine),
        "ways_out": [{"title": way.title, "commands": list(way.commands), "note": way.note} for way in ways],
        "newest_needs": [_because(each) for each in newest_needs(plan)],
    }


def _option(option: Option, machine: Machine, matrix: Matrix) -> dict[str, Any]:
    release = option.release
    return {
        "tensorflow": release.tensorflow,
        "distribution": release.distribution,
        "python": [each.feature for each in option.pythons],
        "install": list(install_commands(release, machine, matrix)),
        "cuda": _shown(release.cuda),
        "cudnn": _shown(release.cudnn),
        "notes": list(option.notes),
        "proven": option.proven,
        "listed": option.listed,
    }


def _because(obstacle: Obstacle) -> dict[str, str]:
    return {"code": obstacle.code, "expected": obstacle.expected, "observed": obstacle.observed}


def _shown(fact: Fact[Any]) -> str:
    if isinstance(fact, Known):
        return str(fact.value)
    return "none" if isinstance(fact, Absent) else "unknown"


def machine_to_json(machine: Machine) -> dict[str, Any]:
    gpus = machine.gpus
    return {
        "platform": machine.platform,
        "python": _shown(machine.python),
        "driver": _shown(machine.driver),
        "gpus": [str(each) for each in gpus.value] if isinstance(gpus, Known) else _shown(gpus),
    }


def newest_needs(plan: Plan) -> tuple[Obstacle, ...]:
    """What would have to change on this machine for the newest release; () where that one works already."""
    if not plan.excluded:
        return ()
    first = plan.excluded[0]
    newest = max((Version(option.release.tensorflow) for option in plan.options), default=Version("0"))
    return first.because if Version(first.release.tensorflow) > newest else ()


def plan_to_text(plan: Plan, matrix: Matrix, most: int, ways: tuple[Fix, ...] = ()) -> str:
    """The best options in full, then the others in a line, then why the rest does not work."""
    lines = [_machine_line(plan.machine), ""]
    if not plan.options:
        lines += [*_nothing_works(plan, matrix), ""]
        for way in ways:
            lines += [
                f"{way.title}:",
                *(f"    {command}" for command in way.commands),
                *([f"  note: {way.note}"] if way.note else []),
                "",
            ]
    for number, option in enumerate(plan.options[:most]):
        lines += _in_full(option, plan.machine, matrix, first=number == 0)
    if rest := plan.options[most:]:
        lines += ["These work, too: " + ", ".join(option.release.tensorflow for option in rest), ""]
    if needs := newest_needs(plan):
        lines += [_to_get(plan.excluded[0].release.tensorflow, needs), ""]
    lines += _why_not(plan.excluded)
    return "\n".join(lines).rstrip() + "\n"


def _nothing_works(plan: Plan, matrix: Matrix) -> list[str]:
    machine = plan.machine
    if not plan.excluded and plan.asked:
        known = [each.tensorflow for each in matrix.releases(machine.platform)]
        span = f"it knows {known[-1]} to {known[0]}" if known else "it knows none for this system"
        return [f"The matrix knows no TensorFlow release {plan.asked} for {machine.platform}; {span}."]
    lines = [f"No TensorFlow version works on {_called(machine)} as it is."]
    if machine.platform == "win_amd64" and isinstance(machine.gpus, Known):
        lines += [
            "On native Windows 2.10 with Python 3.10 is the last that uses a GPU: tfdoctor plan --os windows --python 3.10.",
            "Newer ones use it in WSL2: tfdoctor plan --os wsl2. On the CPU they run on Windows itself: leave --gpu out.",
        ]
    return lines


def _called(machine: Machine) -> str:
    return "the machine described" if machine.described else "this machine"


def _to_get(version: str, needs: tuple[Obstacle, ...]) -> str:
    """The way to a release; where it is not for this GPU there is none but another GPU."""
    if any(each.code in _OF_THE_GPU for each in needs):
        return f"{version} needs another GPU."
    return f"To get {version}: it " + "; it ".join(_reason(each) for each in needs) + "."


def _machine_line(machine: Machine) -> str:
    shown = machine_to_json(machine)
    gpus = shown["gpus"]
    gpu = f"GPU of compute capability {', '.join(gpus)}" if isinstance(gpus, list) else _or_no("GPU", gpus)
    return f"For {shown['platform']}, {_or_no('Python', shown['python'])}, {_or_no('driver', shown['driver'])}, {gpu}:"


def _or_no(what: str, value: str) -> str:
    return f"no {what}" if value == "none" else f"{what} {value}"


def _in_full(option: Option, machine: Machine, matrix: Matrix, *, first: bool) -> list[str]:
    release = option.release
    label = "best" if first and option.best else _label(option)
    lines = [
        f"TensorFlow {release.tensorflow} ({label}): Python {', '.join(each.feature for each in option.pythons)},"
        f" CUDA {_shown(release.cuda)}, cuDNN {_shown(release.cudnn)}"
    ]
    lines += [f"    {command}" for command in install_commands(release, machine, matrix)]
    lines += [f"  note: {note}" for note in option.notes]
    return [*lines, ""]


def _label(option: Option) -> str:
    if not option.listed:
        return "this driver does not list this GPU"
    return "works" if option.proven else "untested"


def _why_not(excluded: tuple[Excluded, ...]) -> list[str]:
    """Neighbours with the same reason share a line."""
    lines = ["These don't work here:"] if excluded else []
    for reason, group in groupby(excluded, key=lambda item: _reason(item.because[0])):
        names = [item.release.tensorflow for item in group]
        span = names[0] if len(names) == 1 else f"{names[-1]} to {names[0]}"
        lines.append(f"  {span}: {reason}")
    return lines


def _reason(obstacle: Obstacle) -> str:
    pattern = _WHY.get(obstacle.code, "expected {expected}, found {observed}")
    return pattern.format(expected=obstacle.expected, observed=obstacle.observed)
