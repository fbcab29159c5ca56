"""`tfdoctor fit` of files that can't be tried, and what it says of figures of trials. No TensorFlow is needed for either."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import jsonschema
import pytest

from tests.unit.apps.cli.running import environment, tfdoctor
from tests.waiting import until
from tfdoctor.apps.cli.fit_command import drawn, main
from tfdoctor.apps.cli.parse import UsageError
from tfdoctor.apps.cli.schemas import schema as schema_of_command
from tfdoctor.apps.fit.find import host_room
from tfdoctor.apps.fit.trial import _lines, _told
from tfdoctor.base.child import ChildResult
from tfdoctor.base.records import replace
from tfdoctor.fix.batch_search import HOST
from tfdoctor.report.fit import Fit, Parts, Tried, WayOut, ways_out
from tfdoctor.say.terminal import Page

MB = 10**6
PARTS = Parts(240 * MB, 240 * MB, 480 * MB, 48_000, "wide", 160 * MB, 40_000, "float32", "Adam")
FITS = Fit(
    file="/home/me/train.py", function="build", verdict="fits", batch=848, larger_fails=1130, bound="memory", memory=HOST,
    limit_bytes=1400 * MB, fixed_bytes=208 * MB, sample_bytes=555_000, steps=3, duration_s=61.0,
    trials=(Tried(848, "ran", 12.0, 1390 * MB, 0), Tried(1130, "out-of-memory", 9.0, 0, 0, "was ended")),
    parts=PARTS, ways_out=(), kind="", stage="", because="",
)  # fmt: skip
NOTHING = replace(
    FITS,
    verdict="nothing-fits",
    batch=0,
    larger_fails=0,
    fixed_bytes=0,
    sample_bytes=0,
    ways_out=ways_out(PARTS),
)
UNKNOWN = replace(NOTHING, verdict="unknown", trials=(), parts=None, ways_out=())


def words(fit: Fit) -> str:
    return " ".join(drawn(fit, "terminal", Page(width=200)).split())


@pytest.mark.parametrize(
    ("fit", "told"),
    [
        (FITS, "A batch of 848 fits: 3 steps ran. One of 1,130 did not: out of memory."),
        (FITS, "Limit 1.4 GB of memory left on the host Fixed 208 MB; weights 240 MB"),
        (FITS, "Tried 848, 1,130 ✗ (2 trials, 61.0 s)"),
        (
            replace(FITS, trials=(Tried(1130, "too-slow", 300.0, 0, 0, "did not answer"),)),
            "One of 1,130 did not: it took too long.",
        ),
        (
            replace(FITS, larger_fails=0, bound="time"),
            "848 fits: 3 steps ran. Larger ones took too long to try.",
        ),
        (
            replace(FITS, verdict="estimated"),
            "a batch of about 848. Nothing was run, so nothing is proven.",
        ),
        (NOTHING, "Not even one sample fits into 1.4 GB of memory left on the host."),
        (NOTHING, "Needs 960 MB at least: weights 240 MB"),
        (NOTHING, "Ways out SGD without momentum instead of Adam saves about 480 MB"),
        (
            replace(NOTHING, parts=None, ways_out=()),
            "The weights: memory ran out before the model was built.",
        ),
        (
            replace(UNKNOWN, kind="not-compiled"),
            "The model is not compiled: call compile in build().",
        ),
        (
            replace(UNKNOWN, kind="too-slow", stage="import"),
            "No answer in 61.0 s: importing train.py took longer.",
        ),
        (
            replace(UNKNOWN, kind="raised", stage="step", because="x"),
            "A training step failed: x. To do If zeros",
        ),
    ],
)
def test_what_is_said(fit: Fit, told: str) -> None:
    assert told in words(fit)


def test_the_ways_out_are_ordered_by_what_they_save() -> None:
    assert ways_out(PARTS) == (
        WayOut("optimizer", 480 * MB),
        WayOut("smaller-layer", 320 * MB + 20_000),
        WayOut("mixed-precision", 24_000),
    )
    assert ways_out(replace(PARTS, compute="float16", optimizer=0, layer="")) == ()


def test_json_follows_its_schema() -> None:
    schema = jsonschema.Draft202012Validator(json.loads(schema_of_command("fit")))
    for each in (FITS, NOTHING, UNKNOWN):
        schema.validate(json.loads(drawn(each, "json", Page())))


@pytest.mark.parametrize(
    "line",
    [
        {"host": 3},
        {"host": {"peak": -1, "steps": True}},
        {"model": [], "stage": 7},
        {"gpus": [3, {"device": None, "limit": "x"}]},
        {"report": {"batch": None}},
    ],
)
def test_what_a_trial_wrote_may_be_anything(line: dict[str, object]) -> None:
    """The file is written by a process that runs strangers' code."""
    ended = ChildResult("exit", 0, b"", b"", 1.0)
    told = _told(8, ended, [line], "/nowhere", 100)
    assert told.host_peak == 0 and told.model == {} and (told.stage == "start")


def test_what_a_trial_wrote_may_be_no_file(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "told")
    assert list(_lines(tmp_path / "told")) == []


def test_how_much_memory_is_left() -> None:
    assert (
        host_room({"available_bytes": 1000, "cgroup_bytes": 300, "cgroup_limit_bytes": 700}) == 360
    )
    assert host_room({"available_bytes": 1000}) == 900
    assert host_room({"available_bytes": 1000, "cgroup_bytes": 800, "cgroup_limit_bytes": 700}) == 0
    with pytest.raises(OSError, match="does not say how much memory is left"):
        host_room({})


@pytest.mark.parametrize("width", range(36, 84, 4))
def test_a_key_is_hidden_wherever_the_line_is_broken(width: int) -> None:
    key = "sk-proj-abcdefghijklmnopqrstuvwxyz0123456789ABCDEFGH"
    told = replace(
        UNKNOWN, kind="raised", stage="build", because=f"ValueError: no login with api_key={key}"
    )
    text = drawn(told, "terminal", Page(width=width))
    assert "<secret-1>" in text and not any(
        key[at : at + 4] in text for at in range(8, len(key) - 4)
    )


def test_more_memory_than_there_is_was_needed_though_nobody_saw_it_in_time() -> None:
    ended = ChildResult("exit", 0, b"", b"", 1.0)
    assert (
        _told(8, ended, [{"host": {"peak": 101, "steps": 3}}], "/nowhere", 100).outcome
        == "out-of-memory"
    )
    assert _told(8, ended, [{"host": {"peak": 100, "steps": 3}}], "/nowhere", 100).outcome == "ran"


@pytest.mark.parametrize(
    "arguments",
    [[], ["nowhere.py"], ["a.py", "b.py"], [__file__ + ":1x"], ["--shape", "3,x", __file__], ["--batch-max", "-1", __file__], [os.devnull], ["-o", "x.html", __file__]],
)  # fmt: skip
def test_wrong_usage_is_one_sentence(arguments: list[str]) -> None:
    with pytest.raises(UsageError):
        main(arguments)


FILES = {
    "hangs": ("import time; time.sleep(600)", 3, "No answer in"),
    "forks": ("import subprocess; subprocess.Popen(['setsid', 'sleep', '4321.5'])\ndef build(): 1 / 0", 3, "build() failed: line 2: ZeroDivisionError"),
    "floods": ("import sys\nfor _ in range(400): sys.stdout.write('x' * 100_000)\n1 / 0", 3, "can't be imported: line 3: ZeroDivisionError"),
    "parses": ("import argparse; p = argparse.ArgumentParser(); p.add_argument('--data', required=True); p.parse_args()", 3, "To do"),
    "lacks": ("x = 1", 2, "has no function build"),
    "wrong": ("def build(): return 3", 3, "build() returns int, not a Keras model."),
}  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("name", FILES)
def test_a_file_that_can_not_be_tried_is_told_in_a_sentence(name: str, tmp_path: Path) -> None:
    text, status, told = FILES[name]
    (tmp_path / "train.py").write_text(text)
    ran = tfdoctor("fit", "--python", sys.executable, "--timeout", "6", "train.py", cwd=tmp_path)
    assert (ran.returncode, "Traceback" in ran.stderr) == (status, False), ran.stderr
    assert told in " ".join((ran.stdout + ran.stderr).split())
    if name == "forks":  # another test's may still be at work
        assert (
            "4321.5"
            not in subprocess.run(["ps", "-eo", "args"], capture_output=True, text=True).stdout
        )


@pytest.mark.slow
def test_what_a_file_forks_is_no_second_trial(tmp_path: Path) -> None:
    (tmp_path / "train.py").write_text(
        "import os, time\nif os.fork(): time.sleep(0.3)\ndef build():\n    open('built', 'a').write('x')\n    return 3"
    )
    ran = tfdoctor("fit", "--python", sys.executable, "train.py", cwd=tmp_path)
    assert (ran.returncode, (tmp_path / "built").read_text()) == (3, "x"), ran.stderr


@pytest.mark.slow
def test_ctrl_c_leaves_nothing_behind(tmp_path: Path) -> None:
    (tmp_path / "train.py").write_text(
        "import os, time\nopen('pid', 'w').write(str(os.getpid()))\ntime.sleep(600)"
    )
    run = subprocess.Popen(
        [sys.executable, "-m", "tfdoctor", "fit", "--python", sys.executable, "train.py"],
        cwd=tmp_path, env=environment(TMPDIR=str(tmp_path)), stderr=subprocess.PIPE, stdout=subprocess.PIPE,
    )  # fmt: skip
    until(lambda: (tmp_path / "pid").exists() and (tmp_path / "pid").read_text() != "")
    time.sleep(0.05)
    run.send_signal(signal.SIGINT)
    out, err = run.communicate(timeout=20)
    assert (run.returncode, out, err) == (130, b"", b"tfdoctor: interrupted; nothing was changed\n")
    assert not os.path.exists(f"/proc/{(tmp_path / 'pid').read_text()}")
    assert sorted(each.name for each in tmp_path.iterdir()) == ["pid", "train.py"]
