"""Probes side by side: order by needs, a clock for each, and whatever goes wrong with one is a fact."""

from __future__ import annotations

import contextlib
import os
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import psutil
import pytest

from tests.unit.ask.probes.fake_environments import (
    add_tensorflow,
    facts_of,
    make_venv,
    request_for,
    site_of,
)
from tests.waiting import until
from tfdoctor.ask.probes.python.installed_files import begin_comparison, begin_early
from tfdoctor.ask.probes.request import Request, RequestError, Shared
from tfdoctor.ask.probes.runner import Probe, run_probes
from tfdoctor.ask.probes.tensorflow import tensorflow
from tfdoctor.base.records import replace
from tfdoctor.facts.model import Facts, Jupyter, Packages
from tfdoctor.facts.outcome import Failed, Known
from tfdoctor.facts.probe_run import ProbeRun


def run(*probes: Probe, within_s: float = 5.0) -> tuple[Facts, dict[str, ProbeRun]]:
    facts, runs = run_probes(probes, request_for(), Facts(), deadline=time.monotonic() + within_s)
    return facts, {item.name: item for item in runs}


def hang(request: Request, facts: Facts) -> Any:
    threading.Event().wait(60)


def fail(request: Request, facts: Facts) -> Any:
    raise LookupError("lost")


def test_a_probe_gets_what_it_needs() -> None:
    given: list[Facts] = []
    first = Probe("packages", lambda request, facts: Packages(installed=Known((), "first")))

    def ask(request: Request, facts: Facts) -> Jupyter:
        given.append(facts)
        return Jupyter()

    second = Probe("jupyter", ask, needs=("packages",))
    _, runs = run(second, first)
    assert given[0].packages.installed == Known((), "first")
    assert [item.status for item in runs.values()] == ["ok", "ok"]


def test_one_that_fails_and_one_that_hangs_are_told_and_cost_the_others_nothing() -> None:
    facts, runs = run(
        Probe("kernel_log", fail),
        Probe("jupyter", hang, limit_s=0.2),
        Probe("packages", lambda request, facts: Packages()),
    )
    assert {name: item.status for name, item in runs.items()} == {
        "kernel_log": "failed",
        "jupyter": "timeout",
        "packages": "ok",
    }
    assert facts.kernel_log.xids == Failed("LookupError: lost", "raised")
    assert isinstance(facts.jupyter.kernels, Failed)
    assert "did not answer" in facts.jupyter.kernels.error


def test_wrong_usage_is_raised() -> None:
    def refuse(request: Request, facts: Facts) -> Any:
        raise RequestError("no such Python")

    with pytest.raises(RequestError, match="no such Python"):
        run(Probe("jupyter", refuse))


@pytest.mark.parametrize(
    "begin",
    [lambda request: 1 / 0, lambda request: threading.Event().wait(60)],
    ids=["fails", "hangs"],
)
def test_a_beginning_that_comes_to_nothing_changes_nothing(
    begin: Callable[[Request], None],
) -> None:
    _, runs = run(Probe("packages", lambda request, facts: Packages(), begin=begin))
    assert runs["packages"].status == "ok"


def test_what_two_ask_for_is_found_out_once() -> None:
    shared, asked_by_all = Shared(), threading.Event()
    found_out: list[str] = []

    def find_out() -> str:
        asked_by_all.wait()
        found_out.append("once")
        return "answer"

    threads = [threading.Thread(target=shared.once, args=("it", find_out)) for _ in range(4)]
    for thread in threads:
        thread.start()
    asked_by_all.set()
    for thread in threads:
        thread.join()
    assert (found_out, shared.once("it", find_out)) == (["once"], "answer")


def test_what_could_not_be_found_out_is_asked_again() -> None:
    shared = Shared()
    with pytest.raises(ZeroDivisionError):
        shared.once("it", lambda: 1 // 0)
    assert shared.once("it", lambda: 7) == 7


def test_the_comparison_begun_by_the_environments_files_is_the_one_that_is_asked_for(
    tmp_path: Path,
) -> None:
    python = make_venv(tmp_path / "venv")
    folder = add_tensorflow(site_of(tmp_path / "venv"))
    request = request_for(python)
    begin_early(request)
    begun = begin_comparison(str(folder), request)
    record = tensorflow.ask(request, facts_of(site_of(tmp_path / "venv"))).record
    assert record == begun.wait()[0]
    assert isinstance(record, Known)
    assert begin_comparison(str(folder), request) is begun


def being_read(file: Path) -> bool:
    """Whether a child of ours has it open."""
    found = False
    for child in psutil.Process().children():
        with contextlib.suppress(psutil.Error):
            found = found or str(file) in [each.path for each in child.open_files()]
    return found


def test_a_comparison_outlives_the_thread_that_began_it(tmp_path: Path) -> None:
    python = make_venv(tmp_path / "venv")
    folder = add_tensorflow(site_of(tmp_path / "venv"))
    endless = folder.parent / "tensorflow/endless"  # hashing it would take a minute
    with endless.open("wb") as file:
        file.truncate(64 << 30)
    with (folder / "RECORD").open("a", encoding="utf-8") as record:
        record.write(f"tensorflow/endless,sha256={'x' * 43},{64 << 30}\n")
    request = replace(request_for(python), deep=True)
    seen = []

    def begin_and_go() -> None:
        begin_early(request)
        # By then the child has said with whom it ends.
        seen.append(until(lambda: being_read(endless)))

    beginner = threading.Thread(target=begin_and_go)
    beginner.start()
    beginner.join()
    assert seen
    os.truncate(endless, 0)
    compared, _ = begin_comparison(str(folder), request).wait()
    assert isinstance(compared, Known)
    assert compared.value.wrong_hash == ("tensorflow/endless",)
