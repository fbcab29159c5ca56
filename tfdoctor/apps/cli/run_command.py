"""What `run` does with its options: the command first, everything else while it works."""

from __future__ import annotations

import contextlib
import os
import sys
import time

from tfdoctor.apps.cli.guard import UsageError, internal, say
from tfdoctor.apps.cli.options import RUN, RUN_ID, RunOptions
from tfdoctor.apps.cli.output import output_files, shows_names
from tfdoctor.apps.cli.parse import parse_args
from tfdoctor.apps.cli.settings import refuse_broken_settings
from tfdoctor.base.records import replace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from tfdoctor.apps.cli.output import OutputFile
    from tfdoctor.apps.cli.run_report import Teller
    from tfdoctor.ask.recorder.journal import RunJournal
    from tfdoctor.ask.recorder.run import RunConfig, RunContext, RunResult

_FAULTHANDLER = "PYTHONFAULTHANDLER"


def main(arguments: list[str]) -> int:
    """The exit status. Raises UsageError and HelpAsked."""
    asked = parse(arguments, os.environ)
    refuse_broken_settings()
    return run_command(asked)


def parse(arguments: list[str], environ: Mapping[str, str]) -> RunOptions:
    # The outer recorder's.
    outer = ("TFDOCTOR_REPORT", "TFDOCTOR_HTML") if RUN_ID in environ else ()
    others = ("TFDOCTOR_OUTPUT", *outer)  # the first is an examination's
    mine = {name: text for name, text in environ.items() if name not in others}
    parsed = parse_args(RUN, arguments, mine)
    asked = RunOptions(command=tuple(parsed.words), **parsed.fields())
    stream = sys.stdout if asked.last else sys.stderr
    return replace(asked, names_shown=shows_names(parsed, "terminal", "", stream))


def run_command(asked: RunOptions) -> int:
    """The exit status; where the command died of SIGINT or SIGTERM this process does, too, and never returns."""
    if sys.platform != "linux":
        raise UsageError("tfdoctor run works on Linux alone: it reads /proc")
    if asked.last:
        from tfdoctor.apps.cli.run_report import run_last

        return run_last(asked)
    if not asked.command:
        raise UsageError("name the command to run, as in: tfdoctor run -- python train.py")
    return _run(asked, output_files(asked))


def _run(asked: RunOptions, files: list[tuple[str, OutputFile]]) -> int:
    from tfdoctor.ask.recorder.recording import Recording
    from tfdoctor.ask.recorder.run import CleanExit, RunConfig
    from tfdoctor.ask.recorder.signals import die_of

    run_id = f"{time.strftime('%Y%m%dT%H%M%S', time.gmtime())}-{os.getpid()}"
    config = RunConfig(
        asked.command,
        _environ(asked, run_id),
        run_id,
        asked.interval,
        asked.stall_after,
        asked.kill_stalled,
        not asked.no_warn,
        asked.warn_signal,
        asked.require_gpu,
        asked.live,
    )
    recording = Recording(config)  # the command runs; now there is time
    box = _box(config, recording.context(), recording.command.pid)
    from tfdoctor.apps.cli.run_report import Teller

    teller = Teller(asked, files)
    ended = recording.watch(box, wanted=bool(files) or asked.verbose)
    if isinstance(ended, CleanExit):
        box.ended_well(ended)
        box.close()
        return 0
    _tell(teller, ended, box)
    if ended.dies_of:
        die_of(ended.dies_of)
    return ended.status


def _tell(teller: Teller, ended: RunResult, box: RunJournal) -> None:
    """Whatever goes wrong with telling, the command's status stands."""
    try:
        teller.tell(ended, box)
    except OSError as error:
        why = (error.filename, error.strerror or error)
        say(" ".join(("the report could not be written:", *(str(each) for each in why if each))))
    except Exception as error:  # noqa: BLE001  # the last line of defence: the command's end must not be lost
        say(internal(error))
    finally:
        box.close()


def _environ(asked: RunOptions, run_id: str) -> dict[str, str]:
    """The command's environment: ours, with our marks, and with Python's own words for a crash."""
    from tfdoctor.ask.recorder.journal import STEPS, folder

    environ = dict(os.environ)
    environ[RUN_ID] = run_id
    if place := folder(environ):
        environ[STEPS] = os.path.join(place, f"{run_id}.steps")
    if not asked.no_faulthandler:
        environ.setdefault(_FAULTHANDLER, "1")
    return environ


def _box(config: RunConfig, context: RunContext, pid: int) -> RunJournal:
    from tfdoctor.ask.recorder.journal import RunJournal, folder, leave_newest

    place = folder(os.environ)
    box = RunJournal(place, config.run_id)
    box.begin(context, pid=pid, interval=config.interval)
    if place:
        with contextlib.suppress(OSError):
            leave_newest(place)
    return box
