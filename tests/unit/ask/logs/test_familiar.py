"""What comes again and again is counted exactly, and hides nothing that comes once."""

from __future__ import annotations

import pytest

from tests.logs.judged import judged, log, root
from tfdoctor.ask.logs.familiar import OFTEN
from tfdoctor.ask.logs.transcript import WHOLE, Transcript, default_literals

NOISE = "W tensorflow/stream_executor/platform/default/dso_loader.cc:64] Could not load dynamic library 'libnvinfer.so.7'; dlerror: libnvinfer.so.7: cannot open shared object file: No such file or directory"
ONEDNN = "I tensorflow/core/util/port.cc:153] oneDNN custom operations are on."
CAUSE = "W tensorflow/stream_executor/platform/default/dso_loader.cc:64] Could not load dynamic library 'libcudnn.so.8'; dlerror: libcudnn.so.8: cannot open shared object file: No such file or directory"
FATAL = "F tensorflow/core/framework/example.cc:12] Nobody knows this sentence."
MANY = 6_000
PIECE = 1 << 18
each_engine = pytest.mark.parametrize("engine", ["", "tree"])


def stamped(number: int, line: str) -> str:
    return f"2024-05-01 10:00:{number % 60:02}.{number:06}: {line}"


def heard(lines: list[str], engine: str = "") -> Transcript:
    """Behind a first line so long that the log is a large one."""
    transcript = Transcript(default_literals(engine))
    data = log(["." * WHOLE, *lines]).encode()
    for at in range(0, len(data), PIECE):
        transcript.feed(data[at : at + PIECE])
    transcript.end()
    return transcript


@each_engine
def test_a_noise_line_with_its_own_time_each_time_is_counted_each_time_and_kept_seldom(
    engine: str,
) -> None:
    transcript = heard([stamped(number, NOISE) for number in range(MANY)], engine)
    assert transcript.counts["tensorrt-library"] >= MANY
    assert len(transcript.lines) < MANY // 4


@each_engine
def test_a_library_that_is_missed_once_is_found_among_thousands_that_nobody_needs(
    engine: str,
) -> None:
    lines = [stamped(number, NOISE) for number in range(MANY)]
    lines[1_900] = stamped(1_900, CAUSE)
    transcript = heard(lines, engine)
    assert (1_902, "dso-not-loaded") in {
        (each.line, each.hit.signature.name) for each in transcript.matches
    }


@each_engine
@pytest.mark.parametrize("place", [2_500, MANY - 5])
def test_a_fatal_line_is_found_among_thousands_of_tensorflows_log(engine: str, place: int) -> None:
    """It was not, where other lines of a C++ file followed: they all were taken for one kind that had come often enough."""
    lines = [stamped(number, ONEDNN) for number in range(MANY)]
    lines[place] = stamped(place, FATAL)
    diagnosis = judged(log(lines), engine=engine)
    assert root(diagnosis) == "check-failed"
    assert diagnosis.roots[0].lines[0].line == place + 1


def test_of_what_says_something_the_first_and_the_last_are_kept() -> None:
    cause = "INTERNAL: libdevice not found at ./libdevice.10.bc"
    transcript = heard([stamped(number, cause) for number in range(MANY)])
    said = [
        each.line for each in transcript.matches if each.hit.signature.name == "libdevice-not-found"
    ]
    assert said[:OFTEN] == list(range(said[0], said[0] + OFTEN))
    assert said[-1] == MANY + 1
    assert len(said) < MANY // 4
    assert transcript.counts["libdevice-not-found"] == MANY


def test_numbers_behind_the_known_text_are_another_line_each() -> None:
    """A digit before it is part of a clock; behind it, it is what the line says."""
    xids = [
        f"[{number:>9}.000000] NVRM: Xid (PCI:0000:01:00): 13, pid=1, name=python"
        for number in range(3_000)
    ]
    xids[1_500] = "[     1500.000000] NVRM: Xid (PCI:0000:01:00): 79, pid=1, name=python"
    transcript = heard(xids)
    assert any(": 79, " in line for line in transcript.lines.values())


def test_noise_in_a_quoted_mail_is_counted_once_a_line() -> None:
    transcript = Transcript()
    transcript.feed(log([f"> {stamped(number, ONEDNN)}" for number in range(120)]).encode())
    transcript.end()
    assert transcript.counts["onednn-on"] == 120


@each_engine
def test_noise_that_holds_the_words_of_a_cause_stays_noise_however_often_it_comes(
    engine: str,
) -> None:
    """After fifty times its own words were no longer looked for, and what was left of the line was a cause."""
    transcript = heard([stamped(number, NOISE) for number in range(MANY)], engine)
    kinds: dict[int, set[str]] = {}
    for each in transcript.matches:
        kinds.setdefault(each.line, set()).add(each.hit.signature.name)
    assert kinds
    assert all("tensorrt-library" in each for each in kinds.values())


@each_engine
def test_noise_with_the_words_of_a_cause_is_kept_as_seldom_as_other_noise(engine: str) -> None:
    lines = [
        stamped(number, NOISE if number % 5 == 0 else f"step {number}")
        for number in range(5 * MANY)
    ]
    assert len(heard(lines, engine).lines) < 1_000
