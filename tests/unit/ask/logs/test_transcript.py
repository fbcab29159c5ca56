"""A log is read once, whatever its lines are like, and each place keeps its number."""

from __future__ import annotations

import time

import pytest

from tests.logs.judged import judged, log, root
from tfdoctor.ask.logs.transcript import Transcript, default_literals
from tfdoctor.knowledge.messages.catalogue import loaded

HANDLE = "E tensorflow/stream_executor/cuda/cuda_dnn.cc:329] Could not create cudnn handle: CUDNN_STATUS_INTERNAL_ERROR"


def test_a_text_in_the_middle_of_an_endless_line_is_found() -> None:
    assert root(judged("x" * 3_000_000 + f" {HANDLE} " + "y" * 100_000)) == "gpu-library-no-memory"


def test_a_line_deep_in_a_large_log_keeps_its_number_and_its_neighbours() -> None:
    lines = [f"step {number}: loss 0.5" for number in range(40_000)]
    lines[30_000] = HANDLE
    [line] = judged(log(lines)).roots[0].lines
    assert (line.line, line.text) == (30_001, HANDLE)
    assert line.before == ("step 29998: loss 0.5", "step 29999: loss 0.5")
    assert line.after == ("step 30001: loss 0.5", "step 30002: loss 0.5")


def test_of_several_runs_the_last_is_judged_and_the_others_are_counted() -> None:
    start = "I tensorflow/core/util/port.cc:153] oneDNN custom operations are on."
    diagnosis = judged(log([start, "step 1", "Killed", start, "step 1", HANDLE]))
    assert root(diagnosis) == "gpu-library-no-memory"
    assert diagnosis.earlier == ("Killed",)


def test_an_empty_log_shows_nothing() -> None:
    assert judged("").verdict == "unrecognised"


@pytest.mark.parametrize("size", [1, 7, 97])
@pytest.mark.parametrize(
    "data",
    [
        b"12%|##  |\r\x1b[31m" + b"13%|## |\r" * 20 + b"Killed\r\n",
        "one line\r\nand Killed\r\n".encode("utf-16"),
        b"one\rtwo\rKilled\r",
    ],
    ids=["bar", "utf-16", "lone-cr"],
)
def test_pieces_of_any_size_make_the_same_lines(size: int, data: bytes) -> None:
    """Found by fuzzing: what a log is written in was decided by its first piece, however small."""
    whole, parts = Transcript(), Transcript()
    whole.feed(data)
    for at in range(0, len(data), size):
        parts.feed(data[at : at + size])
    whole.end()
    parts.end()
    assert (parts.lines, parts.encoding) == (whole.lines, whole.encoding)
    assert any("Killed" in line for line in whole.lines.values())


@pytest.mark.parametrize("many", [3, 1800])
@pytest.mark.parametrize("quote", ["> ", "&gt; ", "&gt; &gt; "])
def test_what_a_mail_quoted_is_heard_in_each_of_its_lines(quote: str, many: int) -> None:
    transcript = Transcript()
    transcript.feed(log([f"{quote}{HANDLE}"] * many).encode())
    transcript.end()
    assert transcript.counts == {"cudnn-handle": many}
    assert set(transcript.lines.values()) == {HANDLE}


@pytest.mark.parametrize("engine", ["each", "tree", ""])
def test_a_text_that_comes_ten_thousand_times_is_counted_each_time(engine: str) -> None:
    """From some number on such lines are counted only; the last one of each piece is still looked at."""
    noise = "Ignore above cudart dlerror if you do not have a GPU set up on your machine."
    transcript = Transcript(default_literals(engine))
    data = log([f"{HANDLE}\n{noise}\nstep {number}" for number in range(10_000)]).encode()
    for at in range(0, len(data), 1 << 18):
        transcript.feed(data[at : at + (1 << 18)])
    transcript.end()
    assert (transcript.counts["cudnn-handle"], transcript.counts["cudart-without-gpu"]) == (
        10_000,
        10_000,
    )
    assert transcript.matches[-1].line == 29_998


ANCHORS = sorted({each.anchor for each in loaded()})


EVERY_ANCHOR = {
    "words": " ".join(ANCHORS),
    "reversed": " ".join(reversed(ANCHORS)),
    "joined": "".join(ANCHORS),
    "lower": "\t".join(each.lower() for each in ANCHORS),
}


@pytest.mark.parametrize("name", EVERY_ANCHOR)
def test_a_line_with_every_anchor_takes_no_minutes(name: str) -> None:
    line = EVERY_ANCHOR[name]
    began = time.process_time()
    judged((line + " ") * (300_000 // len(line)) + "\n")
    assert time.process_time() - began < 5  # 45 kB/s were seen: 7 s; now a second
