"""What is said of a run that has ended, or of the last one by its journal: words on stderr, and the files that were asked for."""

from __future__ import annotations

import os
import sys
import threading

from tfdoctor.base.records import replace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from tfdoctor.apps.cli.options import RunOptions
    from tfdoctor.apps.cli.output import OutputFile
    from tfdoctor.ask.recorder.journal import RunJournal
    from tfdoctor.ask.recorder.run import RunResult
    from tfdoctor.facts.model import Facts
    from tfdoctor.knowledge.matrix.query import Matrix
    from tfdoctor.report.death import RunReport

    Files = Sequence[tuple[str, OutputFile]]

_LOAD_AFTER_S = 5.0  # a command that ends earlier is mostly one that ends well
_PROBES_S = 2.0
_ASK_NOTHING = frozenset(
    {"success", "killed-by-user", "output-closed", "command-not-started", "stalled"}
)
"""Outcomes that nothing in the environment explains."""


class Teller:
    """Loads the rules while the command works, so that they are there when memory is short or tfdoctor was replaced."""

    def __init__(self, asked: RunOptions, files: Files) -> None:
        self._options, self._files = asked, files
        self._now = threading.Event()
        self._loading = threading.Thread(target=self._load, daemon=True, name="rules")
        self._loading.start()
        self._matrix: Matrix | None = None

    def _load(self) -> None:
        self._now.wait(_LOAD_AFTER_S)
        from tfdoctor.judge.engine import families
        from tfdoctor.knowledge.matrix.load import load_in_force

        families.load()
        self._matrix = load_in_force()

    def rules(self) -> Matrix:
        self._now.set()
        self._loading.join()
        if self._matrix is None:
            raise RuntimeError("tfdoctor's rules could not be loaded")
        return self._matrix

    def tell(self, ended: RunResult, box: RunJournal) -> None:
        """Raises OSError where a report can't be written; the words have been said by then."""
        from tfdoctor.ask.recorder.gpu_use import misses_gpu
        from tfdoctor.facts.model import Facts

        facts = replace(Facts(), death=ended.death)
        box.end(facts, ended.status)
        lacks_gpu = misses_gpu(ended.death.cpu_only, ended.samples, os.environ)
        if _went_well(ended) and not (self._files or self._options.verbose or lacks_gpu):
            return
        report = self._judged(facts, ended, box, ask=lacks_gpu)
        asked = self._options
        if lacks_gpu and _went_well(ended):
            write_words(cpu_words(report))
        if asked.verbose or not _went_well(ended):
            shown = to_show(report, redact=asked.redact, names_shown=asked.names_shown)
            write_words(report_words(shown, os.environ, int(asked.verbose)))
        if self._files:
            from tfdoctor.apps.cli.output import where_written

            write_files(to_show(report, redact=asked.redact), self._files)
            if sys.stderr is not None and sys.stderr.isatty():
                write_words(f"tfdoctor: {where_written(file for _, file in self._files)}\n")

    def _judged(self, facts: Facts, ended: RunResult, box: RunJournal, *, ask: bool) -> RunReport:
        """`ask`: the environment explains something, however it ended."""
        notes = (
            *ended.notes,
            *((f"the black box could not be kept: {box.error}",) if box.error else ()),
        )
        matrix = self.rules()
        from tfdoctor.report.death import judge_run

        def judged(known: Facts) -> RunReport:
            return judge_run(
                known, matrix, command=self._options.command, status=ended.status, samples=ended.samples,
                interval_s=self._options.interval, notes=notes, words=ended.lines,
            )  # fmt: skip

        report = judged(facts)
        if (report.outcome in _ASK_NOTHING and not ask) or ended.python is None:
            return report
        return judged(replace(static_facts(ended.python), death=ended.death))


def _went_well(ended: RunResult) -> bool:
    """Nothing died, so nothing is said."""
    from tfdoctor.facts.outcome import Known

    end = ended.death.end
    return isinstance(end, Known) and end.value.well and not isinstance(ended.death.lost, Known)


def static_facts(python: str) -> Facts:
    """What the probes find out within two seconds about the command's interpreter and the machine; nothing is computed."""
    import time

    from tfdoctor.ask.probes.all import PROBES
    from tfdoctor.ask.probes.request import Request, RequestError
    from tfdoctor.ask.probes.runner import run_probes
    from tfdoctor.facts.model import Facts

    deadline = time.monotonic() + _PROBES_S
    try:
        facts, _ = run_probes(
            PROBES, Request(python=python, deadline=deadline), Facts(), deadline=deadline
        )
    except RequestError:
        return Facts()
    return facts


def to_show(report: RunReport, *, redact: bool, names_shown: bool = False) -> RunReport:
    """The report, without private values where `redact` is wished; with `names_shown`, names are not."""
    from tfdoctor.base.printable import encodable

    report = replace(report, command=tuple(encodable(word) for word in report.command))
    if not redact:
        return report
    from tfdoctor.say.redact.identity import identity
    from tfdoctor.say.redact.report import redacted

    return redacted(report, identity(os.environ, names_shown=names_shown))


def report_words(report: RunReport, environ: Mapping[str, str], amount: int) -> str:
    """The post-mortem for stderr, below the command's own output."""
    import shutil

    from tfdoctor.apps.cli.output import text_encoding, wants_colour
    from tfdoctor.say.run_view import run_view
    from tfdoctor.say.terminal import Page, render_text

    terminal = sys.stderr is not None and sys.stderr.isatty()
    width = shutil.get_terminal_size((80, 24)).columns if terminal else 80
    colour = wants_colour(environ, terminal=terminal)
    return render_text(
        run_view(report), Page(width, colour, text_encoding(environ), amount, signed=True)
    )


def cpu_words(report: RunReport) -> str:
    """The line about a program that computed on the CPU; "" where that is no fault."""
    from tfdoctor.facts.outcome import Known
    from tfdoctor.knowledge.says import says
    from tfdoctor.report.death import without_gpu

    cause, seen = without_gpu(report), report.facts.death.cpu_only
    if cause is not None and isinstance(seen, Known) and seen.value.lost:
        said = says("success", "gpu-lost", why=cause.title.rstrip("."), code=cause.code)
    elif cause is not None:
        said = says("success", "on-the-cpu", why=cause.title.rstrip("."), code=cause.code)
    elif isinstance(seen, Known) and not seen.value.driver:
        said = says("success", "on-the-cpu-open")
    else:
        return ""
    return f"tfdoctor: {said}\n"


def write_words(words: str) -> None:
    """To stderr, whole, whatever has become of it."""
    from tfdoctor.ask.recorder.streams import write_all

    write_all(2, words.encode("utf-8", "replace"))


def write_files(report: RunReport, files: Files) -> None:
    """Raises OSError."""
    from tfdoctor.apps.cli.output import view_as_bytes
    from tfdoctor.report.death import run_to_json
    from tfdoctor.say.json_v1 import render_json
    from tfdoctor.say.run_view import run_view

    for form, file in files:
        file.write(
            render_json(run_to_json(report)).encode("utf-8")
            if form == "json"
            else view_as_bytes(run_view(report), form, os.environ, to_file=True)
        )


def run_last(asked: RunOptions) -> int:
    """0: it was told. Raises UsageError where no run was kept, or a report can't be written."""
    from tfdoctor.apps.cli.guard import UsageError
    from tfdoctor.apps.cli.output import output_files, view_as_bytes, write_result
    from tfdoctor.ask.recorder.journal import folder
    from tfdoctor.ask.recorder.recovered import last_run
    from tfdoctor.base.user_folders import NO_HOME
    from tfdoctor.facts.model import Facts
    from tfdoctor.knowledge.matrix.load import load_in_force
    from tfdoctor.report.death import judge_run
    from tfdoctor.say.run_view import run_view

    if asked.command:
        raise UsageError("--last tells of the last run; leave the command out")
    files = output_files(asked)
    place = folder(os.environ)
    if not place:
        raise UsageError(f"no run has been kept: {NO_HOME}; set XDG_STATE_HOME")
    last = last_run(place)
    if last is None:
        raise UsageError(f"no run has been kept in {place}; start one with: tfdoctor run -- CMD")
    report = judge_run(
        replace(Facts(), death=last.death), load_in_force(), command=last.command, status=last.status,
        samples=last.samples, interval_s=last.interval_s, complete=last.complete,
    )  # fmt: skip
    write_files(to_show(report, redact=asked.redact), files)
    shown = to_show(report, redact=asked.redact, names_shown=asked.names_shown)
    amount = int(asked.verbose)
    write_result(
        view_as_bytes(run_view(shown), "terminal", os.environ, to_file=False, amount=amount)
    )
    return 0
