"""No code's first step, at no place that a log can show, holds a command or a word that can't exist there."""

from __future__ import annotations

import re
from functools import cache

import pytest

from tests.logs.judged import log
from tests.scenarios.conftest import bundled
from tfdoctor.ask.logs import extract
from tfdoctor.ask.logs.read import read_of
from tfdoctor.ask.logs.transcript import Transcript, default_literals
from tfdoctor.judge.engine.case import Case
from tfdoctor.judge.log import testimony as told
from tfdoctor.judge.log.fitting import fitted
from tfdoctor.judge.log.fixes_of_codes import for_this_log
from tfdoctor.knowledge.catalog import CODES
from tfdoctor.knowledge.model import Confidence, Finding, Fix, Severity
from tfdoctor.knowledge.pages import ways_out
from tfdoctor.report.diagnosis import supposed

_HOST = r"\b(?:modprobe|mokutil|reboot|systemctl|journalctl|dkms|nvidia-smi --gpu-reset)\b|apt-get install --yes nvidia-driver"
_ENGINES = r"^docker |^podman |^kubectl |^(?:singularity|apptainer) |^srun "
_OLD_CUDA = r"and-cuda\]'?$|-cu12\b|-cu13\b|cuda-libraries-12|cudnn9"
_UNIX = r"sudo |apt-get|/proc/|LD_LIBRARY_PATH|ldconfig|dmesg"

PLACES = {
    "docker": (["root@0a1b2c3d4e5f:/app# python train.py"], r"^kubectl |^singularity exec|^srun |^\S*reboot$"),
    "singularity": (["W LD_LIBRARY_PATH: /.singularity.d/libs"], r"^docker |^podman |^kubectl |^sudo (?!modprobe|reboot|dmesg|systemctl|nvidia)|apt-get install --yes lib|-e NVIDIA_"),
    "kubernetes": (["kubelet: pod/train-0 started"], r"^docker |^podman |^singularity |^srun |-e NVIDIA_"),
    "wsl": (["uname: 5.15.90.1-microsoft-standard-WSL2"], r"modprobe|mokutil|\breboot$|nvidia-driver-\d|gpu-reset|linux-headers|^srun "),
    "windows": ([r"C:\Users\me\train.py"], _UNIX + r"|and-cuda|-cu1\d\b|^srun |^kubectl |modprobe"),
    "macos": (["/Users/me/train.py"], _UNIX + r"|nvidia|and-cuda|--gpus|winget|^srun "),
    "colab": (["/content/train.py"], _HOST + "|" + _ENGINES + r"|^export |^unset |^source |winget|^wsl"),
    "kaggle": (["/kaggle/working/train.py"], _HOST + "|" + _ENGINES + r"|^export |^unset |^source |winget|^wsl"),
    "serving": (["external/org_tensorflow/tensorflow/core/framework/op_kernel.cc:1 tensorflow_model_server"], r"pip install|model\.fit|train\.py|tf\.keras|conda |mixed_precision"),
    "conda": (["/home/me/miniconda3/envs/tf/lib/python3.11/site-packages/a.py"], r"^winget"),
    "python-3.8": (["/opt/env/lib/python3.8/site-packages/a.py"], r"keras>=3|tf-keras|gradient_accumulation|TF_USE_LEGACY"),
    "python-3.9": (["/opt/env/lib/python3.9/site-packages/a.py"], r"tf-keras~=2\.21"),
    "tensorflow-1.15": (["tensorflow==1.15.0", "Successfully opened dynamic library libcudart.so.10.0"], _OLD_CUDA + r"|-(?!nvcc)\w{2,12}-cu11\b|disable_traceback_filtering|mixed_precision\.set_global|cuda_malloc_async|reduce_retracing|list_physical_devices"),
    "tensorflow-2.4": (["tensorflow==2.4.1"], _OLD_CUDA + r"|disable_traceback_filtering|cuda_malloc_async|reduce_retracing"),
    "tensorflow-2.10": (["tensorflow==2.10.1"], _OLD_CUDA + r"|gradient_accumulation|TF_USE_LEGACY"),
    "tensorflow-2.13": (["tensorflow==2.13.0"], _OLD_CUDA + r"|gradient_accumulation|TF_USE_LEGACY"),
    "tensorflow-2.15": (["tensorflow==2.15.1"], r"-cu11\b"),
    "tensorflow-2.21": (["tensorflow==2.21.0"], r"-cu11\b"),
    "in May 2022": (["2022-05-22 03:31:41.057907: W tensorflow/stream_executor/a.cc:64] Could not load dynamic library 'libcusolver.so.11'; dlerror: a"], _OLD_CUDA + r"|gradient_accumulation|TF_USE_LEGACY"),
}  # fmt: skip
"""What a log of the place holds, and what can't be typed there or does nothing there."""
OF_ANOTHER_SYSTEM = {
    "macos": ("os-gpu-unsupported", "wsl-", "windows-"),
    "windows": ("os-gpu-unsupported",),
}
"""Codes by the beginning of their names that can't be found there, or whose way out is to leave the place."""


def _first(fixes: tuple[Fix, ...]) -> Fix | None:
    return fixes[0] if fixes else None


@cache
def first_fixes(place: str) -> dict[str, Fix | None]:
    """What comes first for each code in a log of that place."""
    transcript = Transcript(default_literals(""))
    transcript.feed(log(PLACES[place][0]).encode())
    transcript.end()
    facts = supposed(extract.extract_facts([read_of(transcript, "a.log")]))
    case, said = Case(facts, bundled()), told.testimony(facts)
    found = {}
    for code in CODES:
        fixes = for_this_log(code, case, said)
        finding = Finding(code, Severity.ERROR, Confidence.LIKELY, "", "", (), fixes)
        found[code] = _first(fitted(finding, case, said).fixes)
    return found


@pytest.mark.parametrize("place", PLACES)
def test_no_first_step_holds_what_cannot_exist_there(place: str) -> None:
    wrong = {}
    for code, fix in first_fixes(place).items():
        if fix is None or code.startswith(OF_ANOTHER_SYSTEM.get(place, ("-",))):
            continue
        if re.search(
            r"(?i)in windows|PowerShell|inside WSL|in WSL|on the host|on the node",
            f"{fix.title} {fix.note.partition('. ')[0]}",
        ):
            continue
        found = [line for line in (*fix.commands, fix.note) if re.search(PLACES[place][1], line)]
        if found:
            wrong[code] = (fix.title[:60], found)
    assert wrong == {}


@pytest.mark.parametrize("place", PLACES)
def test_every_code_has_a_first_step_at_every_place(place: str) -> None:
    page = {code for code in CODES if ways_out(code)}
    assert {code for code, fix in first_fixes(place).items() if fix is None} & page == set()
