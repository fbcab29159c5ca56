"""`tfdoctor fix`: its options, what of them contradicts, and the signals that end it."""

from __future__ import annotations

import contextlib
import os
import signal
import sys
from collections.abc import Iterator
from typing import TYPE_CHECKING, NoReturn

from tfdoctor.apps.cli.guard import UsageError
from tfdoctor.apps.cli.options import FIX, FixOptions
from tfdoctor.apps.cli.output import form_by_name, output_of
from tfdoctor.apps.cli.parse import parse_args
from tfdoctor.apps.cli.settings import refuse_broken_settings

if TYPE_CHECKING:
    from types import FrameType

_ENDINGS = ("json", "txt")
_ACTIONS = ("undo", "listed", "recover")
_ENDING = ("SIGTERM", "SIGHUP")


def main(arguments: list[str]) -> int:
    """The exit status. Raises UsageError and HelpAsked."""
    parsed = parse_args(FIX, arguments, os.environ)
    fields = parsed.fields()
    form = form_by_name("json" if fields["json"] else "", fields["output"], "terminal", _ENDINGS)
    fields["json"] = form == "json"
    words = parsed.words
    if len(words) > 1:
        raise UsageError(f"fix takes one code, not {len(words)}; see tfdoctor fix --help")
    options = FixOptions(**fields, code=words[0] if words else "")
    _refuse_contradictions(options)
    refuse_broken_settings()
    output = output_of(options.output)
    if sys.platform != "linux":
        raise UsageError(
            "fix works on Linux only, where a fix can be tried without changing the environment; `tfdoctor check` prints the command to type"
        )
    with _interrupted_by_signals():
        from tfdoctor.apps.cli.fix_run import FixRun  # on Linux alone

        return FixRun(options, output).run()


def _refuse_contradictions(options: FixOptions) -> None:
    if options.python and options.kernel:
        raise UsageError("--python and --kernel name two environments; give one of them")
    asked = [name for name in _ACTIONS if getattr(options, name) not in (None, False)]
    if len(asked) > 1:
        raise UsageError("--undo, --list and --recover are three things; give one of them")
    if asked and (options.code or options.subject or options.all or options.dry_run):
        name = "--list" if asked[0] == "listed" else f"--{asked[0]}"
        raise UsageError(f"{name} goes with no code, environment, --all or --dry-run")
    if options.code:
        from tfdoctor.knowledge.catalog import CODES
        from tfdoctor.knowledge.pages import unknown_code

        if options.code not in CODES:
            raise UsageError(unknown_code(options.code))
    if options.all and options.code:
        raise UsageError("--all goes on with every problem; leave out the code")


class _EndedError(BaseException):
    """A signal that asks for an end: what is being tried is put back first."""

    def __init__(self, number: int) -> None:
        super().__init__()
        self.number = number


@contextlib.contextmanager
def _interrupted_by_signals() -> Iterator[None]:
    """SIGTERM and SIGHUP end the command as Ctrl-C does: with the environment as it was."""

    def end(number: int, frame: FrameType | None) -> NoReturn:
        for each in numbers:
            signal.signal(each, signal.SIG_IGN)
        raise _EndedError(number)

    numbers = [getattr(signal, name) for name in _ENDING]
    numbers = [each for each in numbers if signal.getsignal(each) is not signal.SIG_IGN]
    for each in numbers:
        signal.signal(each, end)
    try:
        yield
    except _EndedError as ended:
        signal.signal(ended.number, signal.SIG_DFL)
        os.kill(os.getpid(), ended.number)
