"""`tfdoctor plan`: which TensorFlow works on this machine, or on one described, best first, with the commands."""

from __future__ import annotations

import json
import os
import shutil
import sys
import time
from functools import partial
from typing import TYPE_CHECKING

from tfdoctor.apps.cli.guard import UsageError, say
from tfdoctor.apps.cli.options import PLAN
from tfdoctor.apps.cli.output import (
    form_by_name,
    output_of,
    tell_written,
    terminal_page,
)
from tfdoctor.apps.cli.parse import parse_args
from tfdoctor.apps.cli.settings import refuse_broken_settings
from tfdoctor.base.printable import printable_lines
from tfdoctor.base.records import record, replace

if TYPE_CHECKING:
    from tfdoctor.facts.model import Facts
    from tfdoctor.fix.plan import Plan
    from tfdoctor.knowledge.matrix.query import Matrix
    from tfdoctor.knowledge.model import Fix

PROBES_LIMIT_S = 15.0
_ENDINGS = ("json", "txt", "toml", "yml", "sh")
_OF_THE_OUTPUT = frozenset({"--format", "--json", "-o", "--output", "--all"})


@record
class PlanOptions:
    driver: str
    gpu: str
    python: str
    os: str
    tensorflow: str
    cuda: str
    beside: str
    pre: bool
    all: bool
    form: str
    output: str
    matrix: str


def main(arguments: list[str]) -> int:
    """The exit status. Raises UsageError and HelpAsked."""
    from tfdoctor.facts.model import Facts
    from tfdoctor.fix.machine import DescriptionError
    from tfdoctor.fix.ways_out import way_to_newest
    from tfdoctor.knowledge.matrix.load import load_in_force
    from tfdoctor.knowledge.matrix.model import MatrixError
    from tfdoctor.say.plan import called

    parsed = parse_args(PLAN, arguments, os.environ)
    refuse_broken_settings()
    options = _with_format(PlanOptions(**parsed.fields()), given="form" in parsed.typed)
    output = output_of(options.output)
    try:
        matrix = load_in_force(options.matrix or os.environ.get("TFDOCTOR_MATRIX", ""))
        facts = _this_machine()
        made, ways = _planned(facts, matrix, options, _described_by(arguments))
    except (DescriptionError, MatrixError) as error:
        raise UsageError(str(error)) from error
    left: tuple[str, ...] = ()
    if options.form in ("terminal", "json"):
        upgrade = way_to_newest(made, matrix, Facts() if options.os else facts)
        text = _written(made, matrix, ways, upgrade, options, _described_by(arguments))
    else:
        text, left = _file(made, matrix, options)
    if text:
        output.write(text)
        best = (
            f"TensorFlow {made.options[0].release.tensorflow}"
            if made.options
            else "No version works"
        )
        tell_written(output, f"{best} for {called(made.machine)}")
    for each in left:
        sys.stderr.write(f"{each}\n")
    return 0 if made.options else 1


def _with_format(options: PlanOptions, *, given: bool) -> PlanOptions:
    """The format that the file's name asks for, unless one was typed."""
    from tfdoctor.say.plan_files import format_of

    by_name = format_of(options.output) or form_by_name("", options.output, options.form, _ENDINGS)
    return options if given else replace(options, form=by_name)


def _described_by(arguments: list[str]) -> list[str]:
    """The words that describe the machine, for the commands that are printed."""
    words: list[str] = []
    rest = list(arguments)
    while rest:
        word = rest.pop(0)
        if word.partition("=")[0] in _OF_THE_OUTPUT:
            if word in ("--format", "-o", "--output"):
                rest = rest[1:]
        elif not word.startswith("-o"):
            words.append(word)
    return words


def _planned(
    facts: Facts, matrix: Matrix, options: PlanOptions, typed: list[str]
) -> tuple[Plan, tuple[Fix, ...]]:
    """The plan and the ways out. A Python that was named and is not on PATH has to be fetched. Raises DescriptionError."""
    from tfdoctor.apps.documents import plan
    from tfdoctor.knowledge.lines import quoted

    fetch = (
        bool(options.python) and os.name != "nt" and shutil.which(f"python{options.python}") is None
    )
    asked = partial(
        plan, matrix, facts, tensorflow=options.tensorflow, fetch=fetch, driver=options.driver, gpu=options.gpu,
        python=options.python, os=options.os, cuda=options.cuda, beside=options.beside,
    )  # fmt: skip
    made, ways = asked(prereleases=options.pre)
    if not made.options and not options.pre and asked(prereleases=True)[0].options:
        say(f"a release candidate works here: {quoted('tfdoctor', 'plan', *typed, '--pre')}")
    return made, ways


def _written(
    made: Plan,
    matrix: Matrix,
    ways: tuple[Fix, ...],
    upgrade: Fix | None,
    options: PlanOptions,
    typed: list[str],
) -> bytes:
    from tfdoctor.say.plan import plan_to_json, plan_to_text

    if options.form == "json":
        return f"{json.dumps(plan_to_json(made, matrix, ways), indent=2)}\n".encode()
    page = terminal_page(os.environ, to_file=bool(options.output))
    text = plan_to_text(made, matrix, page, ways, upgrade, typed=typed, everything=options.all)
    return text.encode(page.encoding, "replace")


def _file(made: Plan, matrix: Matrix, options: PlanOptions) -> tuple[bytes, tuple[str, ...]]:
    from tfdoctor.fix.install import recipe_for
    from tfdoctor.say.plan import called
    from tfdoctor.say.plan_files import file_text, refused, steps_left

    if not made.options:
        return b"", (
            "tfdoctor: no version works; run the same command without --format to see why",
        )
    recipe = recipe_for(made.options[0].release, made.machine, matrix, *made.options[0].beside)
    if why := refused(options.form, recipe):
        raise UsageError(why)
    first = made.options[0]
    how = "" if first.best else ", untested" if not first.proven else ", not listed for this GPU"
    what = f"TensorFlow {first.release.tensorflow}{how} for {called(made.machine)}"
    text = printable_lines(file_text(options.form, recipe, made.machine, matrix, what))
    left = steps_left(options.form, recipe)
    told = ("Run these steps after the installation (the file can't hold them):", *(f"    {each}" for each in left))  # fmt: skip
    return text.encode(), told if left else ()


def _this_machine() -> Facts:
    """What the probes say of this machine; nothing is computed and no TensorFlow is imported."""
    from tfdoctor.ask.probes.all import PROBES
    from tfdoctor.ask.probes.driver.release import joined
    from tfdoctor.ask.probes.request import Request
    from tfdoctor.ask.probes.runner import run_probes
    from tfdoctor.facts.model import Facts

    wanted = [probe for probe in PROBES if probe.name in ("host", "interpreter", "driver", "nvml")]
    facts, _ = run_probes(wanted, Request(), Facts(), deadline=time.monotonic() + PROBES_LIMIT_S)
    return joined(facts)
