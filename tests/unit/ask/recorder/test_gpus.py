"""GPUs beside a command, by what a program in NVML's child's place answers. `test_gpus_simulated.py` has the child itself."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from tests.waiting import alive, gone, until
from tfdoctor.ask.recorder.gpus import Gpus, _entry
from tfdoctor.ask.recorder.timeline import Sample

LONG_AGO = 0.0
ME, PARENT, NOBODY = os.getpid(), os.getppid(), 1 << 30
ANSWERS = """while read asked; do echo '@gpus [{"index": 0, "used": 8, "total": 9}]'; done"""
SEEN: Sample = {"gpus": [{"index": 0, "used_bytes": 8, "total_bytes": 9}]}


@pytest.fixture
def beside() -> Iterator[Callable[[str], Gpus]]:
    """GPUs that are looked at by this shell script: it is asked by lines and answers with lines."""
    made: list[Gpus] = []

    def start(script: str) -> Gpus:
        made.append(gpus := Gpus(LONG_AGO))
        gpus._child = child = subprocess.Popen(
            ["sh", "-c", script], stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0
        )
        for stream in (child.stdin, child.stdout):
            assert stream is not None
            os.set_blocking(stream.fileno(), False)
        return gpus

    yield start
    for each in made:
        each.end()


@pytest.mark.parametrize(
    ("told", "entry"),
    [
        ({"index": 1}, {"index": 1}),
        ({"index": 0, "used": 8, "total": 9}, {"index": 0, "used_bytes": 8, "total_bytes": 9}),
        ({"index": 0, "utilization": 35}, {"index": 0, "utilization": 0.35}),
        ({"index": 0, "processes": []}, {"index": 0}),
        ({"index": 0, "processes": [[ME, 3], [PARENT, 5], [1, 7]]}, {"index": 0, "own_bytes": 3, "others_bytes": 12}),
        ({"index": 0, "processes": [[ME, 3], [PARENT, -1]]}, {"index": 0}),
        ({"index": 0, "processes": [[ME, 3], [NOBODY, 5]]}, {"index": 0}),
    ],
    ids=["it tells nothing", "memory", "utilization", "no processes", "whose", "one that tells no size", "another system's numbers"],
)  # fmt: skip
def test_a_gpu_of_a_sample(told: dict[str, Any], entry: Sample) -> None:
    assert _entry(told, {ME}) == entry


def test_each_look_has_an_answer(beside: Callable[[str], Gpus]) -> None:
    gpus = beside(ANSWERS)
    assert until(lambda: gpus.look(set())) == SEEN
    assert until(lambda: gpus.look(set())) == SEEN and gpus.error == ""


@pytest.mark.parametrize(
    "said",
    ['warning\\n@gpus [{"index": 3}]\\n', '@gpus [{"index": 1}]\\n@gpus [{"index": 3}]\\n'],
    ids=["behind another line", "the newest"],
)
def test_an_answer_is_found(said: str, beside: Callable[[str], Gpus]) -> None:
    gpus = beside(f"while read asked; do printf '{said}'; done")
    assert until(lambda: gpus.look(set())) == {"gpus": [{"index": 3}]}


@pytest.mark.parametrize("said", ["@gpus []", "@gpus 7", "gpus"])
def test_what_is_no_answer_leaves_the_sample_without_gpus(
    said: str, beside: Callable[[str], Gpus]
) -> None:
    gpus = beside(f"while read asked; do echo '{said}'; done")
    assert [gpus.look(set()) for _ in range(3)] == [{}, {}, {}]
    assert gpus._child is not None


@pytest.mark.parametrize("script", ["exit 0", "echo '@gpus [{'; exec sleep 9"])
def test_a_child_that_ends_or_talks_nonsense_is_not_asked_again(
    script: str, beside: Callable[[str], Gpus]
) -> None:
    gpus = beside(f"read asked; {script}")
    child = gpus._child
    assert child is not None
    until(lambda: gpus.look(set()) or gpus._child is None)
    gone([child.pid])
    assert gpus.look(set()) == {} and gpus.error == ""


@pytest.mark.parametrize(
    "late",
    [
        "sleep 0.1; echo '@gpus [{\"index\": 7}]'",
        "printf '@gpus [{\"ind'; sleep 0.1; echo 'ex\": 7}]'",
    ],
    ids=["whole", "in two pieces"],
)
def test_a_late_answer_is_passed_over(late: str, beside: Callable[[str], Gpus]) -> None:
    """It tells of a time that is gone."""
    gpus = beside(f"read asked; {late}; {ANSWERS}")
    assert gpus.look(set()) == {}
    time.sleep(0.2)
    assert until(lambda: gpus.look(set())) == SEEN


def test_an_nvml_that_hangs_is_given_up(beside: Callable[[str], Gpus]) -> None:
    gpus = beside("exec sleep 60")
    child = gpus._child
    assert child is not None
    assert (gpus.look(set()), gpus.look(set()), gpus.error) == ({}, {}, "")
    gpus._asked_at -= 31
    assert gpus.look(set()) == {}
    assert gpus.error == "NVML did not answer for 30 s, so GPUs were not watched any more"
    gone([child.pid])


def test_a_short_command_has_no_child_beside_it() -> None:
    gpus = Gpus(time.monotonic())
    assert (gpus.look({ME}), gpus._child) == ({}, None)


def test_without_nvidias_package_it_is_said_why(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pynvml", None)
    gpus = Gpus(LONG_AGO)
    assert gpus.look({ME}) == {}
    assert gpus.error == "nvidia-ml-py is not installed beside tfdoctor, so GPUs are not watched"


def test_the_child_itself_on_this_machine() -> None:
    """Where there is no NVML it ends, and that is no error."""
    gpus = Gpus(LONG_AGO)
    gpus.look({ME})
    child = gpus._child
    try:
        told = until(lambda: gpus.look({ME}) or gpus._child is None)
        assert told is True or told["gpus"][0]["index"] == 0  # type: ignore[index]  # a sample
        assert gpus.error == ""
    finally:
        gpus.end()
    assert child is None or not alive(child.pid)
