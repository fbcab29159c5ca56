"""Logs made from the facts of public threads: the cause that is named first, and the first line to type.

A case is a YAML file in `logs/`: its story in our own words, the thread, the cause that the thread established, and a log. The
lines of its errors are those that were posted; what stands around them is ours, and names of people and machines are gone.

`root` is one code where that code is of the core, and nothing else is right. For the tail it is the list of all codes whose
pages fit the cause that the thread names: it was read from the thread and the pages, not from an answer, and is not widened to
make an answer right. `says` holds the names, numbers, and files of the log that the answer repeats; `first_fix` a part of the
first line to type (of the tail, every fourth log has one).
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.logs.error_lines import ERROR, error_lines_called_fine
from tests.logs.judged import judged
from tfdoctor.knowledge.model import Finding
from tfdoctor.knowledge.shells import LEFT_OUT
from tfdoctor.report.diagnosis import Diagnosis
from tfdoctor.say.diagnosis_view import diagnosis_view
from tfdoctor.say.terminal import Page, render_text

WENT_ON = {
    "h4-14-01-faceswap-exit-del": "Python ignores an exception of a destructor at exit",
    "h4-14-08-tune-one-terminated": "Python ignores an exception of a destructor at exit, after all trials",
    "h4-14-16-dlc-thread-after-training": "a thread's queue is closed after the training",
    "h4-14-17-deepjetcore-generator-ran-out": "TensorFlow warns of a generator's end, and the epoch goes on",
    "h4-14-31-distutils-precedence-pth": "Python ignores the remainder of a .pth file",
    "h4-15-16-deleter-at-exit": "Python ignores exceptions of destructors at exit",
    "r4-o3-no-device-on-purpose": "the last step hides the GPU and finishes",
}
"""Logs with an error that stopped nothing."""
CORE = {
    "none": "a healthy log must stay healthy",
    "and-cuda-extra-lost": "one command installs what is missing",
    "compute-capability-too-low": "the GPU's number decides",
    "container-lost-gpu": "the host's cgroup setting decides",
    "container-oom-killed": "a limit of memory, not the host's",
    "container-without-gpu": "one option of the container's start",
    "cpu-instructions-missing": "the processor's flags decide",
    "cuda-context-poisoned": "the error before it is the cause",
    "cuda-libraries-missing": "the loader names the file",
    "cuda-libraries-mixed": "the loader names two versions",
    "cuda-libraries-unreachable": "the files are there, the path is not",
    "cuda-libraries-wrong-version": "the file's number decides",
    "cudnn-version-mismatch": "two numbers in one line",
    "device-configured-too-late": "TensorFlow says so itself",
    "driver-library-unreachable": "the loader names libcuda",
    "driver-missing": "no driver, no GPU",
    "driver-module-not-loaded": "the kernel's side of the driver",
    "driver-too-old": "the driver's number decides",
    "driver-too-old-for-image": "the image's number and the driver's",
    "driver-versions-differ": "two numbers of one driver",
    "environment-variable-refused": "the variable is named",
    "file-descriptors-exhausted": "the system's limit is named",
    "foreign-architecture": "the processor's kind decides",
    "fork-after-init": "the order of two calls",
    "glibc-too-old": "the loader names the number",
    "gpu-absent": "nothing to install helps",
    "gpu-computes-wrong": "wrong numbers without an error",
    "gpu-device-permission": "the device file is named",
    "gpu-hardware-fault": "the hardware reports it",
    "gpu-hidden": "one variable hides it",
    "gpu-memory-held": "another process has the memory",
    "gpu-out-of-memory": "the allocator's account decides",
    "gpu-preallocation-clash": "two reserve the same memory",
    "gpu-too-new-for-build": "the GPU's number and the build's",
    "host-memory-exhausted": "an allocation of host memory is refused",
    "host-oom-killed": "the kernel's killer",
    "killed-by-user": "somebody ended it; nothing to fix",
    "libdevice-missing": "the file is named",
    "metal-plugin-missing": "a Mac's GPU needs one package",
    "ml-dtypes-mismatch": "the binary interface of one package",
    "nccl-failed": "communication between GPUs",
    "numpy-abi-mismatch": "the binary interface of NumPy",
    "numpy-alias-removed": "NumPy's number decides",
    "openmp-duplicate": "the runtime says so itself",
    "os-gpu-unsupported": "no build for this system",
    "protobuf-incompatible": "protobuf's number decides",
    "protobuf-two-runtimes": "the library says so itself",
    "ptx-jit-slow-start": "slow at first, and nothing fails",
    "ptxas-missing": "the file is named",
    "ptxas-too-old": "the file's number decides",
    "python-unsupported": "Python's number and TensorFlow's",
    "retracing-memory-growth": "memory grows with each trace",
    "rocm-gpu-unsupported": "the AMD GPU's name decides",
    "scheduler-killed": "the scheduler says so itself",
    "setuptools-lacks-pkg-resources": "setuptools' number decides",
    "shared-memory-too-small": "/dev/shm is named",
    "shuffle-buffer-too-large": "the buffer's account decides",
    "static-tls-exhausted": "the loader says so itself",
    "tensorflow-cpu-only": "the build has no CUDA",
    "tensorflow-mixed-distributions": "two packages in one folder",
    "tensorflow-shadowed": "the user's own file is named",
    "threads-exhausted": "the system's limit is named",
    "uvm-broken": "the kernel module is named",
    "windows-cudnn-dll-missing": "the DLL is named",
    "windows-dll-init-failed": "Windows says so itself",
    "windows-pagefile-too-small": "Windows says so itself",
    "wsl-container-toolkit-old": "the toolkit's number decides",
    "wsl-driver-shadowed": "a second driver in WSL2",
}
"""The codes that are exact, each with its reason: facts, numbers, or the system's own words decide between them and others."""
NOT_YET = {
    "21-tfdf-mac-libcxx": "the versions match; macOS is too old for the file",
    "h1-12-03-wheel-is-no-zip": "pip stopped, not a program of the user",
    "h1-12-09-tcn-adam-lr": "Keras 3.10 is listed beside TensorFlow 2.15.1",
    "h1-12-21-programdata-access-denied": "nobody holds the file; the user may not write there",
    "h1-14-17-devcontainer-gpus-flag": "docker was found and refused its options",
    "h111-65-externally-managed": "that TensorFlow is missing follows from pip's refusal",
    "h211-48-mac-legacy-adam-build": "the versions match; it is a fault of that Keras",
    "h211-51-no-ipykernel-launcher": "no kernel ever ran; ipykernel is missing",
    "h3-12-06-horovodrun-no-runner": "the command was found; another Python runs on the other machine",
    "h3-14-11-tf2onnx-keras-tensor-name": "tf2onnx does not know Keras 3",
    "h3-16-05-colab-tensorflow-core-compat": "pip changed TensorFlow's files under the running kernel",
    "h311-05-horovod-left-out": "Horovod's own import fails, as it was built without TensorFlow",
    "h4-12-12-keras2onnx-kerastensor": "keras2onnx is too old for TensorFlow; the Kerases match",
    "h4-16-04-r-anaconda-bound": "R runs another Python than the one with TensorFlow",
    "h411-06-sentencepiece-not-registered": "nothing was built for another version; an import is missing",
    "h6-15-01-conflict-with-a-marker": "tensorflow-text 2.9 is no companion of TensorFlow 2.7.3",
    "r5-13-keras3-imagedatagenerator": "the versions match; the program is for Keras 2",
}
"""Logs whose answer is not right by the thread's cause, and why."""
LOGS = Path(__file__).parent / "logs"
CODES = Path(__file__).parents[2] / "docs" / "codes"
NAMES = sorted(path.stem for path in LOGS.glob("*.yaml"))


@cache
def _case(name: str) -> dict[str, Any]:
    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    said: dict[str, Any] = yaml.load((LOGS / f"{name}.yaml").read_text("utf-8"), loader)
    return said


def _accepted(case: dict[str, Any]) -> list[str]:
    """The codes that are right for a log."""
    root: str | list[str] = case["root"]
    return [root] if isinstance(root, str) else root


def log_of(name: str) -> str:
    text: str = _case(name)["log"]
    return text


@cache
def _diagnosis(name: str) -> Diagnosis:
    return judged(log_of(name))


@cache
def screen(name: str) -> list[str]:
    return render_text(diagnosis_view(_diagnosis(name)), Page(80)).splitlines()


def _wrong_cause(case: dict[str, Any], root: Finding) -> Iterator[str]:
    """What the answer of a log with a cause lacks: the cause, the words that name the culprit, the first line to type."""
    if root.code not in _accepted(case):
        yield f"{root.code} comes first"
        return
    text = f"{root.title} {root.explanation}"
    yield from (f"{each!r} is not said" for each in case["says"] if each not in text)
    typed = " && ".join(root.fixes[0].commands) if root.fixes else ""
    if case["first_fix"] not in typed:
        yield f"the first line to type is {typed}"


def _wrong(name: str) -> Iterator[str]:
    roots = [each.finding for each in _diagnosis(name).roots]
    if _case(name)["root"] == "none":
        yield from (f"{each.code} is named" for each in roots)
    elif not roots:
        yield "no cause is named"
    else:
        yield from _wrong_cause(_case(name), roots[0])
        yield from _wrong_screen(name)


def _wrong_screen(name: str) -> Iterator[str]:
    """The first fix that is not within the first eight lines, and shell syntax of ours that was taken for the log's."""
    fix = diagnosis_view(_diagnosis(name)).fix
    wanted = fix.commands[:1] or [f"  Fix       {fix.title}"[:40]] if fix else []
    yield from (text for text in wanted if not any(text in line for line in screen(name)[:8]))
    fixes = [fix for each in _diagnosis(name).diagnoses for fix in each.finding.fixes]
    yield from (
        f"{fix.title}: no command is left out of a log that people sent"
        for fix in fixes
        if fix.note.startswith(LEFT_OUT)
    )


def test_only_core_codes_are_exact() -> None:
    roots = [_case(name)["root"] for name in NAMES]
    assert {root for root in roots if isinstance(root, str)} == CORE.keys()
    accepted = {code for root in roots if isinstance(root, list) for code in root}
    assert accepted - {page.stem for page in CODES.glob("*.md")} == set()
    assert [] not in roots


@pytest.mark.parametrize("name", NAMES)
def test_a_kept_log_gets_its_answer(name: str) -> None:
    wrong = [*_wrong(name)]
    assert bool(wrong) == (name in NOT_YET), wrong
    if name not in WENT_ON:
        assert error_lines_called_fine(log_of(name), _diagnosis(name)) == []


@pytest.mark.parametrize("name", sorted(set(NAMES) - set(WENT_ON)))
def test_a_kept_log_cut_behind_its_first_error_is_not_fine(name: str) -> None:
    lines = log_of(name).splitlines()
    first = next((number for number, line in enumerate(lines, 1) if ERROR.search(line)), 0)
    text = "\n".join(lines[:first])
    assert not first or error_lines_called_fine(text, judged(text)) == []
