"""What a notebook can ask for inside the kernel."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.waiting import until
from tfdoctor.apps.jupyter.inside.extension import load, why
from tfdoctor.apps.jupyter.inside.stacks import stack_file, take_stacks
from tfdoctor.apps.jupyter.reports import folder_of, keep


def test_no_death_on_record_is_an_answer(tmp_path: Path) -> None:
    card = why(tmp_path / "<b>")
    assert "No kernel's death is on record" in repr(card)
    assert "<b>" not in card._repr_html_()


def test_a_pipe_in_place_of_a_report_or_of_the_file_for_stacks_is_not_waited_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    path = keep(tmp_path, "k", b"[]", 1_763_800_000.0)
    path.unlink()
    os.mkfifo(path)
    assert "can't be read" in repr(why(tmp_path))
    monkeypatch.setenv("TFDOCTOR_REPORT_DIR", str(tmp_path))
    os.mkfifo(stack_file(folder_of(os.environ), os.getpid()))
    load(Shell())
    assert "a crash will be told without its line" in capsys.readouterr().out


class Shell:
    """What is needed of IPython's."""

    def register_magic_function(self, *_: object, **__: object) -> None:
        return


def test_a_report_that_is_none_is_said(tmp_path: Path) -> None:
    path = keep(tmp_path, "k", b"[]", 1_763_800_000.0)
    assert str(path) in repr(why(tmp_path))


def test_stacks_are_taken_once_and_never_through_a_link(tmp_path: Path) -> None:
    stack_file(tmp_path, 7).write_bytes(b"Current thread 0x00007fd4 (most recent call first):\n")
    assert take_stacks(tmp_path, 7).startswith(b"Current thread")
    assert take_stacks(tmp_path, 7) == b""
    assert os.listdir(tmp_path) == []
    (tmp_path / "secret").write_text("x")
    stack_file(tmp_path, 8).symlink_to(tmp_path / "secret")
    assert take_stacks(tmp_path, 8) == b""


WRITES = """
import os, threading
from tfdoctor.apps.jupyter.inside.unread import Unread

class Stream:
    _original_stdstream_copy = os.dup(2)
    def write(self, words):
        os.write(1, f"shown: {words}".encode())
        shown.set()

shown = threading.Event()
unread = Unread(Stream())
os.write(2, b"by native code\\n")
shown.wait(20)
unread.put_back()
os.write(2, b"afterwards\\n")
"""


def test_what_native_code_writes_is_passed_on_and_shown_and_file_2_put_back() -> None:
    done = subprocess.run(
        [sys.executable, "-c", WRITES], capture_output=True, text=True, timeout=60, check=True
    )
    assert done.stdout == "shown: by native code\n"
    assert done.stderr == "by native code\nafterwards\n"


LIVES = """
import os, sys
from pathlib import Path
from tfdoctor.apps.jupyter.inside.extension import load
class Shell:
    execution_count = 7
    def register_magic_function(self, *_, **__): pass
load(Shell())
sys.stdin.readline()
{end}
"""


@pytest.mark.parametrize(
    ("end", "found"),
    [
        ("os.kill(os.getpid(), 9)", ["cell [7]", "It wrote no stack"]),
        ("os.abort()", ["cell [7]", "It crashed in native code", "Current thread"]),
        ("", ["No kernel's death is on record"]),
    ],
)
def test_an_unwatched_kernel_that_did_not_take_its_leave_is_told_in_the_next(
    tmp_path: Path, end: str, found: list[str]
) -> None:
    environ = {**os.environ, "TFDOCTOR_REPORT_DIR": str(tmp_path)}
    with subprocess.Popen(
        [sys.executable, "-c", LIVES.replace("{end}", end)], env=environ, stdin=subprocess.PIPE, stderr=subprocess.DEVNULL
    ) as process:  # fmt: skip
        assert process.stdin is not None
        until(lambda: any(tmp_path.glob(".kernel-*.beat")))
        assert "No kernel's death is on record" in repr(why(tmp_path))
        process.stdin.close()
        process.wait()
    told = repr(why(tmp_path))
    assert all(each in told for each in found), told


def test_what_a_kernel_left_may_be_anything(tmp_path: Path) -> None:
    for number, text in enumerate(("", "[]", '{"at": "x"}', "[" * 4000)):
        (tmp_path / f".kernel-{number}.beat").write_text(text)
    os.mkfifo(tmp_path / ".kernel-99.beat")
    assert "No kernel's death is on record" in repr(why(tmp_path))
