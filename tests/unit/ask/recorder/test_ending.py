"""What the command's last words and its samples say together."""

from __future__ import annotations

import json
import os
from datetime import datetime
from pathlib import Path

import pytest

from tfdoctor.ask.recorder.postmortem import last_lines, lines_of
from tfdoctor.ask.recorder.streams import Text
from tfdoctor.ask.recorder.timeline import Sample
from tfdoctor.ask.recorder.training import filling_of, steps_of, told_in, training_of
from tfdoctor.facts.death import Fill, StepMemory, Training
from tfdoctor.facts.outcome import Absent, Failed, Known

BEGAN = datetime(2026, 11, 22, 7, 0, 0).timestamp()  # TensorFlow writes local time without a zone
RISING: list[Sample] = [
    {"t": float(at), "anon_bytes": 100_000_000 + 1_000_000 * at} for at in range(60)
]
LINE = "Filling up shuffle buffer (this may take a while): {} of 50000"


def filling(*lines: str) -> Fill:
    fact = filling_of(Known(lines, "stderr"), RISING, BEGAN)
    assert isinstance(fact, Known), fact
    return fact.value


@pytest.mark.parametrize(
    "stamp",
    ["2026-11-22 07:00:{second}.500000: I tensorflow/core/kernels/data/shuffle_dataset_op.cc:450] ", f"I0000 00:00:{int(BEGAN) // 100}{{absl}}.500000   12506 shuffle_dataset_op.cc:453] ShuffleDatasetV3:2: "],
)  # fmt: skip
def test_bytes_per_element_by_the_time_of_the_lines(stamp: str) -> None:
    first, last = int(BEGAN) % 100 + 20, int(BEGAN) % 100 + 40
    fill = filling(stamp.format(second=20, absl=f"{first:02}") + LINE.format(500), stamp.format(second=40, absl=f"{last:02}") + LINE.format(1500))  # fmt: skip
    assert (fill.filled, fill.wanted) == (1500, 50000)
    assert isinstance(fill.per_element, Known)
    # 10.5 s to 40.5 s, a megabyte a second.
    assert fill.per_element.value == pytest.approx(30_000_000 / 1500)


def test_a_line_without_a_time_tells_no_size() -> None:
    assert isinstance(filling(LINE.format(500)).per_element, Failed)


def test_a_buffer_that_was_filled_is_none() -> None:
    lines = (LINE.format(49000), "shuffle_dataset_op.cc:480] Shuffle buffer filled.", "Killed")
    assert isinstance(filling_of(Known(lines, "stderr"), RISING, BEGAN), Absent)


@pytest.mark.parametrize(
    ("level", "lines", "hidden"),
    [
        ("2", ("step 1",), True),
        ("", ("2026-11-22 07:00:20.5: W tensorflow/core/x.cc:1] y",), True),
        ("", ("2026-11-22 07:00:20.5: W tensorflow/core/x.cc:1] y", "I0000 00:00:1763794820.5 7 gpu.cc:2] z"), False),
        ("0", ("step 1",), False),
    ],
)  # fmt: skip
def test_a_buffer_of_which_nothing_can_be_said(
    level: str, lines: tuple[str, ...], hidden: bool
) -> None:
    fact = filling_of(Known(lines, "stderr"), RISING, BEGAN, level)
    assert isinstance(fact, Failed if hidden else Absent)


def test_a_cause_far_above_its_traceback_is_kept() -> None:
    cause = "2026-11-22 07:00:20.5: W external/tsl/bfc_allocator.cc:501] Allocator (GPU_0_bfc) ran out of memory trying to allocate 2.00GiB (rounded to 2147483648)requested by op MatMul"
    lines = Known(("start", cause, *(f"line {at}" for at in range(100))), "stderr")
    kept = last_lines(lines, telling=True)
    assert isinstance(kept, Known)
    assert kept.value == (cause, *(f"line {at}" for at in range(60, 100)))
    assert last_lines(lines) == Known(tuple(f"line {at}" for at in range(60, 100)), "stderr")


MEMORY = {"device": "GPU:0", "limit": 1000, "held": 100, "before": 60}


def told(folder: Path, *lines: str | dict[str, object]) -> list[dict[str, object]]:
    path = folder / "steps"
    path.write_text(
        "".join(f"{each if isinstance(each, str) else json.dumps(each)}\n" for each in lines)
    )
    return told_in(str(path))


def trained(folder: Path, *lines: str | dict[str, object]) -> Training:
    ending_words = told(folder, *lines)
    fact = training_of(ending_words, steps_of(ending_words, 100.0))
    assert isinstance(fact, Known), fact
    return fact.value


def test_steps_with_a_line_that_death_cut_off(tmp_path: Path) -> None:
    lines = told(
        tmp_path,
        {"t": 101.5, "step": 0, "epoch": 0},
        {"t": 102.5, "step": 1, "epoch": 0},
        '{"t": 10',
    )
    assert [(each.t, each.step) for each in steps_of(lines, 100.0)] == [(1.5, 0), (2.5, 1)]
    assert told_in(f"{tmp_path}/none") == []


def test_a_file_of_steps_that_is_something_else(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    assert told_in(str(tmp_path / "pipe")) == []
    assert told_in(str(tmp_path)) == []
    assert told(tmp_path, "[1]", "null", '{"t": "x", "step": null}', "\x00") == [
        {"t": "x", "step": None}
    ]
    assert steps_of([{"t": "x", "step": None}], 0.0) == ()


def test_what_nobody_told_is_absent() -> None:
    assert isinstance(training_of([], ()), Absent)


def test_the_pace_leaves_out_what_is_between_epochs(tmp_path: Path) -> None:
    steps = [(100.0, 0, 0), (101.0, 2, 0), (102.0, 4, 0), (160.0, 6, 1), (161.0, 8, 1)]
    told = trained(
        tmp_path, *(dict[str, object](t=at, step=step, epoch=epoch) for at, step, epoch in steps)
    )
    assert (told.steps, told.epochs, told.seconds_per_step) == (9, 2, Known(0.5, "tfdoctor.keras"))
    assert isinstance(told.batch, Absent) and isinstance(told.memory, Absent)


def test_the_memory_of_the_last_fit_as_it_was_told_last(tmp_path: Path) -> None:
    told = trained(
        tmp_path,
        {"pid": 1, "t": 101, "fit": 1, "batch": 8, "memory": [{**MEMORY, "peak": 300}]},
        {
            "pid": 2,
            "t": 101,
            "fit": 1,
            "batch": 99,
            "memory": [{**MEMORY, "peak": 900}],
        },  # another process
        {"pid": 1, "t": 102, "fit": 2, "batch": 16, "memory": [MEMORY]},
        {
            "pid": 1,
            "t": 103,
            "fit": 2,
            "batch": 16,
            "result": 80,
            "weights": "x",
            "xla": True,
            "memory": [{**MEMORY, "peak": 500}],
        },
    )
    assert (told.result, told.weights, told.xla) == (80, 0, True)
    assert told.batch == Known(16, "tfdoctor.keras")
    assert told.memory == Known(
        (StepMemory("GPU:0", 1000, 60, 100, Known(500, "tfdoctor.keras")),), "tfdoctor.keras"
    )


def test_what_an_inner_recorder_said_is_no_word_of_the_program() -> None:
    """It quotes what others said, and explains: read as the program's, that would be a second cause."""
    said = (
        b"last words\n"
        b"\x1b[1;31m\xe2\x9c\x97\x1b[0m \x1b[1;31mtfdoctor: the command was killed (SIGKILL) after 1.0 s: out of memory\x1b[0m\n\n"
        b"   Seen: oom-kill:constraint=CONSTRAINT_MEMCG\n\n"
        b"        2.0 GB |----\n"
        b"  2. Out of memory\n\n   \x1b[2mtfdoctor explain container-oom-killed\x1b[0m\n"
        b"Traceback (most recent call last):\n"
        b'  File "a.py", line 1, in <module>\n'
    )
    assert lines_of(Text(said, 0, b"")) == Known(
        ("last words", "Traceback (most recent call last):", '  File "a.py", line 1, in <module>'),
        "stderr",
    )
