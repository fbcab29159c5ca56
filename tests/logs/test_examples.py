"""Fixes that name packages as examples: a log gets those that it names itself, and Apple's plug-in where that is what is there."""

from __future__ import annotations

import pytest

from tests.logs.judged import judged, log
from tfdoctor.knowledge.actions import examples
from tfdoctor.knowledge.model import Finding

METAL = ("Metal device set to: Apple M1", "Plugin optimizer for device_type GPU is enabled.")
CHECK = (
    "[libprotobuf FATAL google/protobuf/message_lite.cc:353] CHECK failed: target + size == res: "
)
COMPILED = "[libprotobuf FATAL google/protobuf/stubs/common.cc:83] This program was compiled against version 3.9.2 of the Protocol Buffer runtime library, which is not compatible with the installed version (3.19.4)."
TWICE = "[libprotobuf ERROR google/protobuf/descriptor_database.cc:642] File already exists in database: caffe2/proto/prof.proto"
OLD_PART = "RuntimeError: module compiled against ABI version 0x1000009 but this version of numpy is 0x2000000"


def _found(*lines: str) -> Finding:
    found: Finding = judged(log(lines)).roots[0].finding
    return found


def _words(finding: Finding) -> str:
    return " ".join(f"{fix.title} {fix.commands} {fix.note}" for fix in finding.fixes)


@pytest.mark.parametrize(
    "lines", [(CHECK,), (COMPILED,), (TWICE,), ("TensorFlow version: 2.18.0", OLD_PART)]
)
@pytest.mark.parametrize("end", ["Aborted (core dumped)", "Process finished with exit code 134"])
def test_no_package_is_named_that_is_not_there(lines: tuple[str, ...], end: str) -> None:
    words = _words(_found(*lines, end))
    assert [
        name for name in examples() if name not in ("numpy", "protobuf") and name in words
    ] == []


@pytest.mark.parametrize(
    ("line", "package", "others"),
    [
        (">>> import sentencepiece", "sentencepiece", ("onnx", "pyarrow")),
        ("onnx==1.15.0", "onnx", ("sentencepiece", "pyarrow")),
        ('  File "/env/lib/python3.9/site-packages/pyarrow/__init__.py", line 65, in <module>', "pyarrow", ("onnx", "sentencepiece")),
    ],
)  # fmt: skip
def test_a_package_that_the_log_names_is(line: str, package: str, others: tuple[str, ...]) -> None:
    words = _words(_found(line, COMPILED, "Aborted (core dumped)"))
    assert f"--upgrade {package}'" in words
    assert not any(other in words for other in others)


@pytest.mark.parametrize(
    "lines",
    [
        (*METAL, CHECK, "zsh: abort      python train.py"),
        ("Name: tensorflow-metal", CHECK, "zsh: abort      python train.py"),
        (*METAL, "[libprotobuf FATAL google/protobuf/generated_message_reflection.cc:2345] CHECK failed: file != nullptr:", "Abort trap: 6"),
        ("physical PluggableDevice (device: 0, name: METAL, pci bus id: <undefined>)", CHECK),
    ],
)  # fmt: skip
def test_apples_plug_in_is_the_suspect_where_it_is_named(lines: tuple[str, ...]) -> None:
    found = _found(*lines)
    assert found.code == "metal-plugin-mismatch"
    assert "tensorflow-metal" in _words(found)
    assert "onnx" not in _words(found)


def test_a_failed_check_of_protobufs_is_no_proof_of_two_copies() -> None:
    assert _found(CHECK, "Aborted (core dumped)").confidence.value == "likely"
    assert _found(COMPILED, "Aborted (core dumped)").confidence.value == "certain"
