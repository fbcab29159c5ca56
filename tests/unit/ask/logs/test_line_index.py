"""A line is asked only where one of a clue's words stands in it: so the words have to stand in each line that is meant."""

from __future__ import annotations

import re
from functools import cache

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.recordings.recipe import FOLDER
from tfdoctor.ask.logs.extract import Line
from tfdoctor.ask.logs.machine import clues
from tfdoctor.ask.logs.machine.line_index import Clue, LineIndex
from tools.build.knowledge import entries

CLUES = {name: each for name, each in vars(clues).items() if isinstance(each, Clue)} | {
    kind: each for each, kind in clues.CONTAINERS
}
MORE = (
    "Creating vqgan-clip-docker_generate_run ... done",
    "Starting work_trainer_1 ... done",
    " ✔ Container work-trainer-1  Started",
    "Error at driver init: [100] Call to cuInit results in CUDA_ERROR_NO_DEVICE:",
    "RuntimeError: No CUDA GPUs are available",
    "NVRM version: NVIDIA UNIX x86_64 Kernel Module  535.104.05  Sat Aug 19 01:15:15 UTC 2023",
    "kernel reported version is: 470.57.2",
    "flags\t\t: fpu vme de pse tsc msr pae mce cx8 apic sep mtrr",
    "model name\t: Intel(R) Xeon(R) CPU E5-2670 0 @ 2.60GHz",
    "Linux version 5.15.90.1-microsoft-standard-WSL2",
    "retrieving CUDA diagnostic information for host: 0a1b2c3d4e5f",
    "retrieving CUDA diagnostic information for host: jupyter-maria",
    "TF version: 2.10",
    "### TensorFlow version",
    "### Python version",
    "my laptop with Windows 11 has an RTX 4070",
    "TensorFlow 2.11.0 on Python 3.9.2",
    "docker: Error response from daemon",
    "Singularity> python; apptainer exec image.sif",
    "OOMKilled",
    "slurmstepd: error: Detected 1 oom_kill event",
    r"C:\Users\someone\site-packages\tensorflow",
    "/Users/someone/train.py",
    "sm_120",
    "conda-forge/win-64                18.5MB @   3.7MB/s  6.4s",
    "               platform : win-64",
    "pkgs/main/osx-arm64               3.2MB @   3.7MB/s  1.4s",
    "               platform : osx-64",
    "Activate with: source /var/folders/zz/T/tmp.Qm2c7/venv/bin/activate",
)


@cache
def many_lines() -> tuple[str, ...]:
    """Samples, near misses, recordings."""
    said = [text for each in entries() for text in (*each.samples, *each.near)]
    for file in FOLDER.rglob("*.log"):
        said += file.read_text(encoding="utf-8").splitlines()
    return (*said, *MORE)


@pytest.mark.parametrize("name", CLUES)
def test_each_line_that_is_meant_holds_one_of_the_words(name: str) -> None:
    wanted = CLUES[name]
    meant = [line for line in many_lines() if wanted.compiled.search(line)]
    assert meant
    held = LineIndex([Line(number, "", line) for number, line in enumerate(meant)])
    assert len(held.holding(wanted.words, small=wanted.small)) == len(meant)
    assert wanted.small == bool(wanted.compiled.flags & re.IGNORECASE)
    assert held.first(wanted) is not None


@settings(max_examples=100, deadline=None)
@given(
    st.lists(st.text("abİK\n", max_size=8), max_size=8),
    st.lists(st.text("abk", min_size=1, max_size=2), max_size=3),
)
def test_the_lines_that_hold_a_word_are_found_in_their_order(
    texts: list[str], words: list[str]
) -> None:
    lines = [Line(number, "", text) for number, text in enumerate(texts)]
    assert LineIndex(lines).holding(words) == [
        line for line in lines if any(word in line.text for word in words)
    ]
    small = LineIndex(lines).holding(words, small=True)
    assert small == [line for line in lines if any(word in line.text.lower() for word in words)]
