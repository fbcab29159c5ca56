"""The lines of TensorFlow's source that a log shows tell its release: held against recordings of real releases, and against public logs that name theirs."""

from __future__ import annotations

import pytest

from tests.logs.judged import judged
from tests.public.test_logs import NAMES, log_of
from tests.recordings.recipe import FOLDER
from tfdoctor.ask.logs.extract import Line
from tfdoctor.ask.logs.machine.line_index import LineIndex
from tfdoctor.ask.logs.machine.source_lines import minors
from tfdoctor.facts.outcome import value_or

RECORDED = sorted(FOLDER.glob("2.*/*.log"))
SKIPPING = "Skipping registering GPU devices..."
CANNOT = "Cannot dlopen some GPU libraries. Please make sure the missing libraries mentioned above are installed properly if you would like to use GPU."


def told_by(*texts: str) -> tuple[str, ...]:
    return minors(LineIndex([Line(number, "", text) for number, text in enumerate(texts, 1)]))


def test_recordings_tell_their_release_and_mostly_no_other() -> None:
    found = {each: told_by(*each.read_text("utf-8").splitlines()) for each in RECORDED}
    told = {each: having for each, having in found.items() if having}
    assert len(told) > 0.9 * len(found)
    assert [
        each for each, having in told.items() if each.parent.name.rpartition(".")[0] not in having
    ] == []
    assert sum(len(having) == 1 for having in told.values()) > 0.9 * len(told)


@pytest.mark.slow  # reads all kept logs
def test_public_logs_that_name_their_release_do_not_contradict() -> None:
    found = {each: having for each in NAMES if (having := told_by(*log_of(each).splitlines()))}
    named = {each: value_or(judged(log_of(each)).facts.tensorflow.version, "") for each in found}
    told = {
        each: (".".join(named[each].split(".")[:2]), found[each]) for each in found if named[each]
    }
    assert told
    assert {each: both for each, both in told.items() if both[0] not in both[1]} == {}


@pytest.mark.parametrize(
    ("line", "having"),
    [
        (f"W tensorflow/core/common_runtime/gpu/gpu_device.cc:1850] {CANNOT}", ("2.7", "2.8", "2.9")),
        (f"W tensorflow/core/common_runtime/gpu/gpu_device.cc:2251] {CANNOT}", ("2.16",)),
        (f"W0000 00:00:1777820412.3 2214 gpu_device.cc:2365] {CANNOT}", ("2.21",)),
        (f"W tensorflow/core/common_runtime/gpu/gpu_device.cc:7] {CANNOT}", ()),
        (f"W external/org_tensorflow/tensorflow/core/common_runtime/gpu/gpu_device.cc:1850] {CANNOT}", ()),
        (SKIPPING, ()),
    ],
)  # fmt: skip
def test_one_line(line: str, having: tuple[str, ...]) -> None:
    assert told_by(line) == having


FILES = "/home/me/env/lib/python3.8/site-packages"
EXECUTE = f'  File "{FILES}/tensorflow/python/eager/execute.py", line 54, in quick_execute'
OPS = "tensorflow/python/framework/ops.py"


@pytest.mark.parametrize(
    ("line", "having"),
    [
        (f'  File "{FILES}/{OPS}", line 7209, in raise_from_not_ok_status', ("2.10",)),
        (f"File {FILES}/{OPS}:7262, in raise_from_not_ok_status(e, name)", ("2.12",)),
        (r'  File "C:\env\lib\site-packages\tensorflow\python\framework\ops.py", line 6653, in raise_from_not_ok_status', ("2.2",)),
        (f'  File "{FILES}/{OPS}", line 7209, in another_function', ()),
        (f'  File "/home/me/{OPS}", line 7209, in raise_from_not_ok_status', ()),
        (f'  File "{FILES}/tensorflow/python/pywrap_tensorflow.py", line 58, in <module>', ("1.5", "1.6", "1.7", "1.8", "1.9", "1.10", "1.11", "1.12", "1.13", "1.14", "2.2", "2.19", "2.20")),
    ],
)  # fmt: skip
def test_one_frame(line: str, having: tuple[str, ...]) -> None:
    assert told_by(line) == having


def test_a_frame_and_a_message_narrow_each_other() -> None:
    """Line 54 is of 2.8 to 2.10 and of newer ones, 1850 of 2.7 to 2.9."""
    assert told_by(
        EXECUTE, f"W tensorflow/core/common_runtime/gpu/gpu_device.cc:1850] {CANNOT}"
    ) == (
        "2.8",
        "2.9",
    )


def test_lines_that_contradict_each_other_tell_nothing() -> None:
    assert told_by(*(f"W tensorflow/core/common_runtime/gpu/gpu_device.cc:{line}] {CANNOT}" for line in (1850, 2251))) == ()  # fmt: skip


def test_several_lines_narrow_it() -> None:
    """1850 alone is of three minors, and so is 142 of several others."""
    lines = (f"W tensorflow/core/common_runtime/gpu/gpu_device.cc:1850] {CANNOT}", "I tensorflow/core/platform/cpu_feature_guard.cc:193] This TensorFlow binary is optimized with oneAPI")  # fmt: skip
    assert told_by(*lines) == ("2.9",)
