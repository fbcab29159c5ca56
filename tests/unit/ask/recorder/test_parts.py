"""The recorder's parts by themselves: tape, timeline, plot, options, black box."""

from __future__ import annotations

import os
import stat
import subprocess
import sys
from collections import Counter
from pathlib import Path
from random import Random

from hypothesis import given, settings
from hypothesis import strategies as st

from tfdoctor.apps.cli.run_command import parse
from tfdoctor.ask.recorder.growth import growth_of
from tfdoctor.ask.recorder.journal import KEPT, RunJournal, leave_newest, newest, read
from tfdoctor.ask.recorder.postmortem import lines_of
from tfdoctor.ask.recorder.proc import Stat
from tfdoctor.ask.recorder.recovered import last_run
from tfdoctor.ask.recorder.streams import HEAD_BYTES, TAIL_BYTES, OutputBuffer, Text
from tfdoctor.ask.recorder.timeline import MOST, Sample, Timeline
from tfdoctor.ask.recorder.tree import Lost, Member, keep
from tfdoctor.facts.outcome import Known
from tfdoctor.say.plots import plot


@settings(max_examples=60, deadline=None)
@given(st.lists(st.integers(0, 300_000), max_size=12))
def test_the_tape_keeps_the_beginning_and_the_end(sizes: list[int]) -> None:
    tape, whole = OutputBuffer(), b""
    for number, size in enumerate(sizes):
        chunk = bytes((number + place) % 251 for place in range(min(size, 997))) * (size // 997 + 1)
        tape.add(chunk[:size])
        whole += chunk[:size]
    text = tape.text()
    kept = HEAD_BYTES + TAIL_BYTES
    assert text.head == whole[:HEAD_BYTES]
    assert text.tail == (whole[HEAD_BYTES:] if len(whole) <= kept else whole[-TAIL_BYTES:])
    assert text.skipped == max(len(whole) - kept, 0)


def test_a_line_written_over_stands_as_it_was_last() -> None:
    text = Text(b"1/3\r2/3\r3/3\nlast\n\n", 0, b"")
    assert lines_of(text) == lines_of(Text(b"3/3\nlast\n", 0, b""))


def sample(at: float, anon: int) -> Sample:
    return {"t": at, "anon_bytes": anon, "rss_bytes": anon + 5, "threads": 1}


@settings(max_examples=20, deadline=None)
@given(st.integers(MOST, MOST * 3), st.integers(0, 1 << 30))
def test_a_thinned_timeline_keeps_its_peak_its_order_and_its_ends(count: int, seed: int) -> None:
    chance = Random(seed)
    values = [chance.randrange(1 << 40) for _ in range(count)]
    timeline = Timeline()
    for at, value in enumerate(values):
        timeline.add(sample(float(at), value))
    kept = timeline.samples
    assert len(kept) <= MOST
    assert max(each["anon_bytes"] for each in kept) == max(values)
    assert [each["t"] for each in kept] == sorted(each["t"] for each in kept)
    assert (kept[0]["t"], kept[-1]["t"]) == (0.0, float(len(values) - 1))


def test_a_day_of_looks_is_kept_evenly_and_still_tells_a_leak() -> None:
    timeline = Timeline()
    for at in range(86_400):
        timeline.add(sample(float(at), 1_000_000_000 + 20_000 * at + (at % 7) * 1_000_000))
    hours = Counter(int(each["t"]) // 3600 for each in timeline.samples)
    assert len(timeline.samples) <= MOST and min(hours[hour] for hour in range(24)) >= 10
    growth = growth_of(timeline.samples)
    assert isinstance(growth, Known) and growth.value.kind == "slope", growth
    assert (
        isinstance(growth.value.per_unit, Known) and 19_000 < growth.value.per_unit.value < 21_000
    )


def test_of_very_many_ends_those_of_signals_are_kept() -> None:
    member = Member(7, Stat("Z", 1, 0, 0.0, 1, 0, 0, "small"), -1)
    ends: list[Lost] = []
    for at, status in enumerate((9, 1 << 8, 137 << 8, 1 << 8, 2 << 8)):
        keep(ends, Lost(member, status, float(at)), most=3)
    assert [each.status for each in ends] == [9, 137 << 8, 2 << 8]
    keep(ends, Lost(member, 11, 5.0), most=3)
    keep(ends, Lost(member, 6, 6.0), most=3)
    assert [each.status for each in ends] == [137 << 8, 11, 6]


@settings(deadline=None)
@given(
    st.lists(st.tuples(st.floats(0, 1e6), st.floats(0, 1e15)), max_size=50),
    st.integers(1, 200),
    st.floats(0, 1e15),
    st.booleans(),
)
def test_a_plot_has_one_width_and_never_fails(
    points: list[tuple[float, float]], width: int, limit: float, plain: bool
) -> None:
    lines = plot(sorted(points), width=width, limit=limit, plain=plain)
    assert all(line.isascii() for line in lines) or not plain
    assert len({len(line) for line in lines[6:7]}) <= 1


def test_the_limit_is_drawn() -> None:
    lines = plot([(0.0, 1e9), (10.0, 2e9)], width=40, limit=4e9)
    assert lines[0].startswith("4.0 GB |---")


def test_inside_of_a_run_the_files_that_the_environment_names_are_the_outer_recorders() -> None:
    environ = {
        "TFDOCTOR_REPORT": "e.json",
        "TFDOCTOR_INTERVAL": "3",
        "TFDOCTOR_NO_FAULTHANDLER": "1",
    }
    plain, inside = parse(["a"], environ), parse(["a"], {**environ, "TFDOCTOR_RUN_ID": "outer"})
    assert (plain.command, plain.report, plain.interval, plain.no_faulthandler) == (
        ("a",),
        "e.json",
        3.0,
        True,
    )
    assert (inside.command, inside.report, inside.interval, inside.no_faulthandler) == (
        ("a",),
        "",
        3.0,
        True,
    )


def test_a_box_is_its_owners_alone_and_survives_a_cut(tmp_path: Path) -> None:
    box = RunJournal(str(tmp_path / "run"), "one")
    box.head(command=["a"])
    box.sample({"t": 1.0}, [])
    box.close()
    assert stat.S_IMODE(os.stat(box.path).st_mode) == 0o600
    with open(box.path, "ab") as file:
        file.write(b'{"sample": {"t": 2')
    assert read(box.path) == [{"command": ["a"]}, {"sample": {"t": 1.0}}]
    assert last_run(str(tmp_path / "run")) is None, "its head is not whole"


def test_a_box_stays_bounded(tmp_path: Path) -> None:
    box, timeline = RunJournal(str(tmp_path), "one"), Timeline()
    box.head(command=["a"])
    for at in range(40_000):
        each = {**sample(float(at), at), "filler": "x" * 200}
        timeline.add(each)
        box.sample(each, timeline.samples)
    box.close()
    assert os.stat(box.path).st_size < 4 << 20
    lines = read(box.path)
    assert lines[0] == {"command": ["a"]} and lines[-1]["sample"]["t"] == 39_999.0


def test_the_newest_ten_are_kept(tmp_path: Path) -> None:
    for number in range(14):
        box = RunJournal(str(tmp_path), f"run-{number:02}")
        box.close()
        os.utime(box.path, (number, number))
    leave_newest(str(tmp_path))
    assert [os.path.basename(path) for path in newest(str(tmp_path))] == [
        f"run-{number:02}.jsonl" for number in range(13, 13 - KEPT, -1)
    ]


def test_what_a_short_command_waits_for_imports_nothing_dear() -> None:
    """Until it runs and after it has ended well: each of these would take longer than all that is ours."""
    ours = "apps.cli.entry, apps.cli.guard, apps.cli.parse, apps.cli.run_command, apps.cli.run_report, ask.recorder.recording, ask.recorder.journal"
    program = (
        f"import sys; sys.path[:0] = {sys.path!r}\n"
        f"import {', '.join(f'tfdoctor.{each}' for each in ours.split(', '))}\n"
        "print([name for name in ('typing', 're', 'json', 'dataclasses', 'subprocess', 'pathlib') if name in sys.modules])"
    )
    told = subprocess.run(
        [sys.executable, "-S", "-c", program], capture_output=True, text=True, check=True
    )
    assert told.stdout.strip() == "[]"


def test_a_box_that_cant_be_made_is_said(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    box = RunJournal(str(tmp_path / "file"), "one")
    box.head(command=["a"])
    assert "file" in box.error
