"""`tfdoctor fit`: the largest batch that fits, found by trials."""

from __future__ import annotations

import contextlib
import os
import sys
from typing import TYPE_CHECKING

from tfdoctor.apps.cli.guard import NO_VERDICT, UsageError
from tfdoctor.apps.cli.options import FIT
from tfdoctor.apps.cli.output import form_of, output_of, tell_written, terminal_page, wants_progress
from tfdoctor.apps.cli.parse import parse_args
from tfdoctor.apps.cli.settings import refuse_broken_settings
from tfdoctor.base.records import record

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from tfdoctor.apps.fit.find import Wanted
    from tfdoctor.report.fit import Fit
    from tfdoctor.say.terminal import Page

_STATUS = {"fits": 0, "estimated": 0, "nothing-fits": 1, "unknown": NO_VERDICT}
_ENDINGS = ("json", "txt")


@record
class FitOptions:
    python: str
    shape: tuple[tuple[int, ...], ...]
    batch_max: int
    no_run: bool
    timeout_s: float
    form: str
    output: str


def main(arguments: list[str]) -> int:
    """The exit status. Raises UsageError, HelpAsked and SchemaAsked."""
    parsed = parse_args(FIT, arguments, os.environ)
    fields = parsed.fields()
    refuse_broken_settings()
    if sys.platform != "linux":
        raise UsageError("tfdoctor fit works on Linux alone: it reads /proc")
    if len(parsed.words) != 1:
        raise UsageError("name one file, as in: tfdoctor fit train.py:build")
    fields["form"] = form_of(parsed, _ENDINGS)
    return _fit(FitOptions(**fields), parsed.words[0])


def _fit(asked: FitOptions, word: str) -> int:
    wanted, output = _wanted(asked, word), output_of(asked.output)
    from tfdoctor.apps.fit.find import estimate, find

    with _progress() as tell:
        found = (estimate if asked.no_run else find)(wanted, tell)
    if found.kind == "no-function":
        raise UsageError(
            f"{word}: the file has no function {found.function}; name yours, as in FILE.py:NAME"
        )
    from tfdoctor.say.fit import headline
    from tfdoctor.say.redact.redactor import hide_secrets

    page = terminal_page(os.environ, to_file=output.to_file)
    encoding = page.encoding if asked.form == "terminal" else "utf-8"
    output.write(drawn(found, asked.form, page).encode(encoding, "replace"))
    tell_written(output, hide_secrets(headline(found)))
    return _STATUS[found.verdict]


def drawn(found: Fit, form: str, page: Page) -> str:
    """In one of `FIT_FORMATS`; what looks like a password is hidden."""
    from tfdoctor.base.json_text import with_texts
    from tfdoctor.facts.codec import from_json, to_json
    from tfdoctor.report.fit import Fit
    from tfdoctor.say.fit import fit_to_text
    from tfdoctor.say.json_v1 import render_json
    from tfdoctor.say.redact.redactor import hide_secrets

    # Before lines are broken: half a key is none to whoever looks for one.
    document = with_texts(to_json(found), hide_secrets)
    return render_json(document) if form == "json" else fit_to_text(from_json(document, Fit), page)


def _wanted(asked: FitOptions, word: str) -> Wanted:
    """Raises UsageError where the file or the Python is none."""
    from tfdoctor.apps.fit.find import Wanted
    from tfdoctor.apps.fit.trial import Subject
    from tfdoctor.ask.probes.python.target import choose_target
    from tfdoctor.ask.probes.request import Request, RequestError
    from tfdoctor.facts.outcome import Known

    file, function = _named(word)
    try:
        python = choose_target(Request(python=asked.python)).executable
    except RequestError as error:
        raise UsageError(str(error)) from error
    if not isinstance(python, Known):
        raise UsageError(
            f"no Python to run the trials with: {getattr(python, 'error', '') or getattr(python, 'reason', '')}"
        )
    subject = Subject(os.path.abspath(file), function, python.value, asked.shape)
    return Wanted(file, subject, asked.batch_max, asked.timeout_s)


def _named(word: str) -> tuple[str, str]:
    """The file, and the function in it."""
    file, colon, function = word.rpartition(":")
    if not colon or os.path.exists(word):
        file, function = word, "build"
    if not function.isidentifier():
        raise UsageError(f"{word}: {function!r} isn't the name of a function")
    if not os.path.exists(file):
        raise UsageError(f"{file}: no such file")
    if not file.endswith((".py", ".keras", ".h5")) and not os.path.isdir(file):
        raise UsageError(f"{file}: neither a .py file nor a saved model (.keras, .h5)")
    return file, function


@contextlib.contextmanager
def _progress() -> Iterator[Callable[[str], None]]:
    """One line on the terminal that is written over; nothing elsewhere."""
    shown = wants_progress(os.environ)

    def tell(words: str) -> None:
        if shown:
            sys.stderr.write(f"\r\x1b[Ktfdoctor fit: {words} …")
            sys.stderr.flush()

    try:
        yield tell
    finally:
        if shown:
            sys.stderr.write("\r\x1b[K")
            sys.stderr.flush()
