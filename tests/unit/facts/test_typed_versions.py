"""Facts carry versions of their kinds: read once, written as they were, and Failed with their text where they are none."""

from __future__ import annotations

import ast
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.unit.say.reports import NAMES, document
from tfdoctor.facts.codec import DocumentError, from_json, to_json
from tfdoctor.facts.model import Facts
from tfdoctor.facts.outcome import Failed, Known
from tfdoctor.facts.versions import (
    ComputeCapability,
    CudaRelease,
    CudnnRelease,
    DriverRelease,
    GlibcRelease,
    LibraryRelease,
    NoReleaseError,
    PythonRelease,
    Release,
    read_release,
)

PACKAGE = Path(__file__).parents[3] / "tfdoctor"
PLAIN: dict[str, type[Release]] = {
    "host.glibc": GlibcRelease,
    "interpreter.version": PythonRelease,
    "driver.module_version": DriverRelease,
    "driver.version": DriverRelease,
    "driver.cuda_version": CudaRelease,
    "nvml.driver_version": DriverRelease,
    "nvml.cuda_version": CudaRelease,
}
"""The facts that are a version and nothing else."""


def read(path: str, value: Any) -> Any:
    facts = from_json({path: {"status": "known", "value": value, "from": "a file"}}, Facts)
    return next(fact for name, fact in facts.items() if name == path)


@pytest.mark.parametrize("path", PLAIN)
def test_a_version_is_read_once_and_written_as_it_was(path: str) -> None:
    fact = read(path, "12.08.00")
    assert fact == Known(PLAIN[path]("12.08.00"), "a file")
    assert type(fact.value) is PLAIN[path]
    group, name = path.split(".")
    written = to_json(
        from_json({path: {"status": "known", "value": "12.08.00", "from": "a file"}}, Facts)
    )
    assert written[path] == {"status": "known", "value": "12.08.00", "from": "a file"}
    assert getattr(getattr(Facts(), group), name) != fact


@pytest.mark.parametrize(
    "text", ["N/A", "", "12.", "v12", "12.5-beta", "[Not Supported]", "1" * 5000, "12.5\n13"]
)
@pytest.mark.parametrize("path", PLAIN)
def test_what_is_no_version_could_not_be_found_out(path: str, text: str) -> None:
    fact = read(path, text)
    assert isinstance(fact, Failed)
    assert fact.kind == "unreadable"
    assert repr(text) in fact.error


@pytest.mark.parametrize("path", PLAIN)
def test_what_is_no_text_is_no_report(path: str) -> None:
    with pytest.raises(DocumentError, match=path):
        read(path, 12.5)


def test_a_version_inside_of_a_fact_makes_the_fact_that_holds_it_failed() -> None:
    gpu = {
        "index": 0,
        "name": "L4",
        "compute_capability": "?",
        "memory_total": 1,
        "uuid": "",
        "pci_bus_id": "",
    }
    fact = read("driver.devices", [gpu])
    assert fact == Failed("'?' isn't a compute capability", "unreadable")
    assert read("driver.devices", [{**gpu, "compute_capability": "8.9"}]).value[
        0
    ].compute_capability == (ComputeCapability("8.9"))


def test_one_library_without_a_version_leaves_the_others_theirs() -> None:
    known = {"status": "known", "value": "/lib/x", "from": "the loader"}
    libraries = [
        {
            "soname": name,
            "path": known,
            "found_via": "default",
            "version": {**known, "value": version},
        }
        for name, version in (("libcudart.so.12", "12.9.79"), ("libcudnn.so.9", "nine"))
    ]
    cudart, cudnn = read("cuda_libraries.libraries", libraries).value
    assert cudart.version == Known(LibraryRelease("12.9.79"), "the loader")
    assert cudnn.version == Failed("'nine' isn't a library release", "unreadable")


@pytest.mark.slow  # many examples
@pytest.mark.parametrize("machine", NAMES)
def test_reports_keep_their_texts(machine: str) -> None:
    facts = document(machine)["facts"]
    assert {path: to_json(from_json(facts, Facts))[path] for path in facts} == facts


@pytest.mark.slow  # many examples
@given(st.text(max_size=20))
def test_any_text_is_a_version_or_a_reason(text: str) -> None:
    fact = read_release(DriverRelease, text, "nvidia-smi")
    if isinstance(fact, Known):
        assert fact.value.numbers
        assert DriverRelease.parse(str(fact.value)) == fact.value
    else:
        assert isinstance(fact, Failed)
        assert repr(text.strip()) in fact.error


def test_kinds_are_not_mixed_but_for_who_knows_what_has_the_version() -> None:
    with pytest.raises(TypeError):
        sorted([LibraryRelease("9.3"), CudnnRelease("9.1")])
    assert LibraryRelease("9.3").as_kind(CudnnRelease) == CudnnRelease("9.3.0")
    with pytest.raises(NoReleaseError):
        CudnnRelease("nine")


def test_nobody_who_judges_or_shows_reads_a_version_of_a_fact_again() -> None:
    """Texts of other kinds may be read: options of a command line, tags and names of wheels, cells of the matrix."""
    allowed = {
        # the wheel's tag, the interpreter's "glibc 2.36", a Python without its last number
        "judge/platform.py": {"GlibcRelease", "PythonRelease"},
        "judge/libraries.py": {
            "CudaRelease",
            "CudnnRelease",
        },  # nvJitLink's wheel, a cell of the matrix
        "judge/devices.py": {"ComputeCapability"},  # where a defect of XLA begins
        "judge/log/rules.py": {"CudnnRelease"},  # a number in a message
        "say/compatibility.py": {"ComputeCapability"},  # a row of the matrix
        "fix/machine.py": {"ComputeCapability", "kind"},  # options
    }
    found: dict[str, set[str]] = {}
    for room in ("judge", "report", "say", "fix/machine.py", "apps/health"):
        for file in sorted(PACKAGE.glob(room if room.endswith(".py") else f"{room}/**/*.py")):
            for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
                if isinstance(node, ast.Call) and (name := _made(node)):
                    found.setdefault(str(file.relative_to(PACKAGE)), set()).add(name)
    assert found == allowed


def _made(call: ast.Call) -> str:
    """The kind of version that a call makes of something that is no literal."""
    function = call.func
    if isinstance(function, ast.Attribute) and function.attr in ("parse", "from_integer"):
        function = function.value
    literal = all(isinstance(argument, ast.Constant) for argument in call.args)
    name = function.id if isinstance(function, ast.Name) else ""
    if name == "read_release":
        return call.args[0].id if isinstance(call.args[0], ast.Name) else "?"
    known = name.endswith(("Release", "ComputeCapability")) or (
        name == "kind" and call.func is not function
    )
    return name if known and not literal else ""
