"""A command that starts the user's program names the one of the log, else says that it holds a placeholder."""

from __future__ import annotations

from tests.logs.judged import judged

CRASH = 'Fatal Python error: Segmentation fault\n\nCurrent thread 0x00007f1 (most recent call first):\n  File "fit.py", line 3 in <module>\nSegmentation fault (core dumped)\n'


def _commands(text: str) -> list[str]:
    return [
        line for each in judged(text).roots for fix in each.finding.fixes for line in fix.commands
    ]


def test_the_program_that_was_typed_is_started_again() -> None:
    lines = _commands(f"$ python fit.py --epochs 3\n{CRASH}")
    assert any("python -X faulthandler fit.py" in line for line in lines)
    assert not any("PROGRAM.py" in line for line in lines)


def test_a_name_that_is_not_told_is_a_placeholder() -> None:
    lines = _commands(CRASH)
    assert any("python -X faulthandler PROGRAM.py" in line for line in lines)
    assert not any("train.py" in line for line in lines)


def test_a_program_that_refused_its_options_is_asked_for_them() -> None:
    text = "$ python fit.py --epoch 3\nusage: fit.py [-h] [--epochs EPOCHS]\nfit.py: error: unrecognized arguments: --epoch 3\n"
    assert "python fit.py --help" in _commands(text)
