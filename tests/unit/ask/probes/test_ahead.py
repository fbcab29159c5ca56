"""What is asked for ahead is asked once; whoever waits gets the answer, or what asking raised."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest

from tests.unit.ask.probes.fake_environments import make_venv, request_for
from tfdoctor.ask.probes.python import interpreter
from tfdoctor.ask.probes.request import Ahead, Request, RequestError
from tfdoctor.facts.model import Facts


def test_it_is_asked_before_anybody_waits_and_once() -> None:
    asked = threading.Event()
    times: list[int] = []

    def ask() -> str:
        times.append(1)
        asked.set()
        return "answer"

    ahead = Ahead(ask, "test")
    assert asked.wait(30)
    assert (ahead.wait(), ahead.wait(), times) == ("answer", "answer", [1])


def test_what_asking_raises_is_raised_where_the_answer_is_wanted() -> None:
    ahead = Ahead(lambda: 1 // 0, "test")
    for _ in range(2):
        with pytest.raises(ZeroDivisionError):
            ahead.wait()


def test_none_is_an_answer_as_any_other() -> None:
    assert Ahead(lambda: None, "test").wait() is None


def test_an_interpreter_that_was_begun_early_is_not_asked_again(tmp_path: Path) -> None:
    request = request_for(make_venv(tmp_path / "venv"))
    begun = interpreter.begin_early(request)
    assert interpreter.ask(request, Facts()) is begun.wait()


def test_wrong_usage_that_an_early_asking_met_is_told_by_the_probe() -> None:
    request = Request(python="/nowhere/python")
    interpreter.begin_early(request)
    with pytest.raises(RequestError, match="/nowhere/python"):
        interpreter.ask(request, Facts())
