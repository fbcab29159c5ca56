"""On a terminal a command under `run` behaves as without: prompts, keys, sizes, job control.

`make terminals` tries each 20 times: what depends on which of two processes is quicker shows only so.
"""

from __future__ import annotations

import os
import shlex
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.unit.ask.recorder.shell import PROMPT, RUN, Shell
from tests.unit.ask.recorder.watched import environment
from tests.waiting import until

pytestmark = pytest.mark.slow  # real terminals, and their pauses

PYTHON = shlex.quote(sys.executable)
TIMES = int(os.environ.get("TFDOCTOR_TERMINAL_TIMES", "1"))
each_time = pytest.mark.parametrize("nth", range(TIMES))
KILLED = r"tfdoctor: the command was ended by SIGINT"


@pytest.fixture
def shell(tmp_path: Path) -> Iterator[Shell]:
    found = Shell(environment(tmp_path))
    yield found
    found.close()


@each_time
def test_all_three_are_one_terminal_of_the_same_size(shell: Shell, nth: int) -> None:
    program = "import sys, os; print(*(s.isatty() for s in (sys.stdin, sys.stdout, sys.stderr)), *os.get_terminal_size())"
    assert shell.answer(f"{RUN} {PYTHON} -c '{program}'") == "True True True 200 40\r\n"


@each_time
def test_a_prompt_stands_before_its_answer(shell: Shell, nth: int) -> None:
    shell.enter(f"""{RUN} {PYTHON} -c 'print(input("name? ")[::-1])'""")
    assert shell.until(r"name\? ") == "name? "
    shell.type("Ann\n")
    assert shell.until(PROMPT) == f"Ann\r\nnnA\r\n{PROMPT}"


@each_time
def test_a_password_is_not_shown(shell: Shell, nth: int) -> None:
    shell.enter(f"""{RUN} {PYTHON} -c 'import getpass; print(getpass.getpass("word: ")[::-1])'""")
    shell.until("word: ")
    shell.type("abc\n")
    assert shell.until(PROMPT) == f"\r\ncba\r\n{PROMPT}"


@each_time
def test_a_typed_answer_is_not_in_the_report(shell: Shell, tmp_path: Path, nth: int) -> None:
    report = tmp_path / "run.json"
    run = RUN.replace(" run ", f" run --report {report} ", 1)
    shell.enter(
        f"""{run} {PYTHON} -c 'import sys; sys.exit("no login for " + input("key? ")[:2])'"""
    )
    shell.until(r"key\? ")
    shell.type("hunter2horse\n")
    shell.until(PROMPT)
    said = report.read_text("utf-8")
    assert "no login for hu" in said
    assert "hunter2" not in said


@each_time
def test_single_keys_arrive_at_once(shell: Shell, nth: int) -> None:
    shell.enter(f"{RUN} bash -c 'echo go; read -rsn1 key; echo got=$key'")
    shell.until("go\r\n")
    shell.type("x")
    assert "got=x" in shell.until(PROMPT)


@each_time
def test_ctrl_c_reaches_it_once_and_stops_the_line(shell: Shell, nth: int) -> None:
    shell.enter(f"{RUN} sh -c 'echo up; sleep 600'; echo went on")
    shell.until("up\r\n")
    shell.type("\x03")
    said = shell.until(PROMPT)
    assert "went on" not in said and "ended by SIGINT" in said


@each_time
def test_ctrl_c_that_is_caught_comes_once(shell: Shell, nth: int) -> None:
    program = (
        (
            "import signal; seen = []; signal.signal(2, lambda *a: (seen.append(1), print('caught'))); print('up')\n"
            "input(); print(len(seen))"
        )
        .replace("'", "\\'")
        .replace("\n", "\\n")
    )
    shell.enter(f"{RUN} {PYTHON} -uc $'{program}'")
    shell.until("up\r\n")
    shell.type("\x03")
    shell.until("caught\r\n")
    shell.type("\n")
    assert shell.until(PROMPT) == f"\r\n1\r\n{PROMPT}"


@each_time
def test_ctrl_z_stops_all_and_fg_goes_on(shell: Shell, nth: int) -> None:
    shell.enter(f"{RUN} sh -c 'echo up; read word; echo done'")
    shell.until("up\r\n")
    shell.type("\x1a")
    assert "Stopped" in shell.until(PROMPT)
    assert "Stopped" in shell.answer("jobs")
    shell.enter("fg")
    shell.type("\n")
    assert "done\r\n" in shell.until(PROMPT)


@each_time
def test_in_the_background_it_writes_and_stops_for_keys(shell: Shell, nth: int) -> None:
    shell.answer(f"{RUN} sh -c 'sleep 0.5; echo written; cat' &")
    shell.until("written")
    until(lambda: "Stopped" in shell.answer("jobs"))
    shell.enter("fg")
    shell.type("hello\n")
    shell.until("hello\r\nhello\r\n")
    shell.type("\x04")
    shell.until(PROMPT)


@each_time
def test_what_was_typed_and_not_read_goes_to_the_shell(
    shell: Shell, tmp_path: Path, nth: int
) -> None:
    go = tmp_path / "go"
    shell.enter(f"{RUN} sh -c 'echo up; until [ -e {go} ]; do sleep 0.1; done'")
    shell.until("up\r\n")
    shell.type("echo typed-$((40+2))\n")
    go.touch()
    assert "typed-42" in shell.until("typed-42")


@each_time
def test_ctrl_c_reaches_a_whole_pipeline(shell: Shell, nth: int) -> None:
    shell.enter(f"{RUN} sh -c 'echo up >&2; sleep 600' | sleep 600")
    shell.until("up\r\n")
    shell.type("\x03")
    shell.until(PROMPT)


@each_time
def test_settings_that_it_changes_stay_changed(shell: Shell, nth: int) -> None:
    shell.answer(f"{RUN} stty -ixon")
    assert "-ixon" in shell.answer("stty -a")


@each_time
def test_a_pager_before_or_behind_has_the_keys(shell: Shell, nth: int) -> None:
    for line in (f"seq 500 | {RUN} less", f"{RUN} seq 500 | less"):
        shell.enter(line)
        shell.until("38\r\n")
        shell.type("G")
        shell.until("500\r\n")
        shell.type("q")
        shell.until(PROMPT)
    assert shell.answer("stty -a | grep -c -- '-opost'") == "0\r\n"


@each_time
def test_a_new_size_is_told(shell: Shell, nth: int) -> None:
    shell.enter(
        f"{RUN} bash -c 'trap \"stty size; exit\" WINCH; echo up; while :; do sleep 0.1; done'"
    )
    shell.until("up\r\n")
    shell.resize(50, 111)
    assert "50 111" in shell.until(PROMPT)


@each_time
def test_curses_draws_and_gives_the_screen_back(shell: Shell, nth: int) -> None:
    program = (
        "import curses; curses.wrapper(lambda w: (w.addstr(3, 5, 'drawn'), w.refresh(), w.getch()))"
    )
    shell.enter(f'{RUN} {PYTHON} -c "{program}"')
    shell.until("drawn")
    shell.type("k")
    shell.until(PROMPT)
    assert shell.answer("echo still fine") == "still fine\r\n"


@each_time
def test_a_daemon_goes_on_writing_to_the_terminal(shell: Shell, tmp_path: Path, nth: int) -> None:
    go = tmp_path / "go"
    shell.enter(f"{RUN} sh -c '(until [ -e {go} ]; do sleep 0.1; done; echo late) & echo early'")
    shell.until(PROMPT)
    go.touch()
    shell.until("late\r\n")


@each_time
def test_stdin_alone_a_terminal(shell: Shell, tmp_path: Path, nth: int) -> None:
    log = tmp_path / "log"
    shell.enter(f"{RUN} {PYTHON} -c 'print(input())' > {log} 2>&1")
    shell.type("kept\n")
    shell.until(PROMPT)
    assert log.read_text() == "kept\n"


@each_time
def test_words_come_after_the_commands_own(shell: Shell, nth: int) -> None:
    said = shell.answer(f"{RUN} sh -c 'echo last words >&2; exit 3'")
    assert said.startswith("last words\r\n") and "the program exited with status 3" in said


@each_time
def test_a_live_line_is_gone_as_soon_as_the_command_writes(shell: Shell, nth: int) -> None:
    program = "import time; print(1); time.sleep(3.5); print(2)"
    live = RUN.replace(" run ", " run --live ", 1)
    said = shell.answer(f"{live} {PYTHON} -c '{program}'")
    drawn = "\n\x1b[A\x1b7\x1b[B\r\x1b[2Ktfdoctor 0:0"
    before, _, after = said.partition(drawn)
    assert before == "1\r\n" and "memory" in after, said
    assert said.endswith("\x1b7\x1b[B\r\x1b[2K\x1b82\r\n"), said
