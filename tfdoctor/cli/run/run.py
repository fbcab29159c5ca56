"""What `run` does with its options: the command first, everything else while it works."""

from __future__ import annotations

import contextlib
import os
import sys
import time

from tfdoctor.cli.guard import UsageError, say
from tfdoctor.cli.options import RUN, RUN_ID
from tfdoctor.cli.parse import parse_args
from tfdoctor.records import record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from tfdoctor.cli.output import OutputFile
    from tfdoctor.recorder.journal import RunJournal
    from tfdoctor.recorder.recording import Recording, RunResult

_FAULTHANDLER = "PYTHONFAULTHANDLER"


@record
class Wishes:
    """The command and the options of `run`. Times in seconds."""

    command: tuple[str, ...]
    report: str
    html: str
    interval: float
    stall_after: float
    kill_stalled: bool
    no_faulthandler: bool
    redact: bool
    verbose: bool
    last: bool


def main(arguments: list[str]) -> int:
    """The exit status. Raises UsageError and HelpAsked."""
    return run_command(parse(arguments, os.environ))


def parse(arguments: list[str], environ: Mapping[str, str]) -> Wishes:
    outer = ("TFDOCTOR_REPORT", "TFDOCTOR_HTML") if RUN_ID in environ else ()
    mine = {
        name: text for name, text in environ.items() if name not in outer
    }  # those are the outer recorder's
    parsed = parse_args(RUN, arguments, mine)
    return Wishes(command=tuple(parsed.words), **parsed.fields())


def run_command(wishes: Wishes) -> int:
    """The exit status; where the command died of SIGINT or SIGTERM this process does, too, and never returns."""
    if sys.platform != "linux":
        raise UsageError("tfdoctor run works on Linux alone: it reads /proc")
    if wishes.last:
        from tfdoctor.cli.run.last import run_last

        return run_last(wishes)
    if not wishes.command:
        raise UsageError("name the command to run, as in: tfdoctor run -- python train.py")
    return _run(wishes, _outputs(wishes))


def _outputs(wishes: Wishes) -> dict[str, OutputFile]:
    """The files that were asked for, proven writable before anything starts."""
    asked = {"--report": wishes.report, "--html": wishes.html}
    if not any(asked.values()):
        return {}
    from tfdoctor.cli.output import OutputFile

    return {option: OutputFile(name, option) for option, name in asked.items() if name}


def _run(wishes: Wishes, files: dict[str, OutputFile]) -> int:
    from tfdoctor.recorder.recording import CleanExit, Recording, RunConfig
    from tfdoctor.recorder.signals import die_of

    run_id = f"{time.strftime('%Y%m%dT%H%M%S', time.gmtime())}-{os.getpid()}"
    orders = RunConfig(
        wishes.command,
        _environ(wishes, run_id),
        run_id,
        wishes.interval,
        wishes.stall_after,
        wishes.kill_stalled,
    )
    recording = Recording(orders)  # the command runs; now there is time
    box = _box(run_id, recording)
    from tfdoctor.cli.run.telling import Teller

    teller = Teller(wishes, files)
    ended = recording.watch(box, wanted=bool(files) or wishes.verbose)
    if isinstance(ended, CleanExit):
        box.ended_well(ended.after_s, ended.peak_rss)
        box.close()
        return 0
    _tell(teller, ended, box)
    if ended.dies_of:
        die_of(ended.dies_of)
    return ended.status


def _tell(teller: object, ended: RunResult, box: RunJournal) -> None:
    """Whatever goes wrong with telling, the command's status stands."""
    from tfdoctor.cli.guard import internal
    from tfdoctor.cli.run.telling import Teller

    assert isinstance(teller, Teller)
    try:
        teller.tell(ended, box)
    except OSError as error:
        say(
            f"the report could not be written: {error.filename or ''} {error.strerror or error}".replace(
                "  ", " "
            )
        )
    except Exception as error:  # noqa: BLE001  # the last line of defence: the command's end must not be lost
        say(internal(error))
    finally:
        box.close()


def _environ(wishes: Wishes, run_id: str) -> dict[str, str]:
    """The command's environment: ours, with our marks, and with Python's own words for a crash."""
    from tfdoctor.recorder.journal import STEPS, folder

    environ = dict(os.environ)
    environ[RUN_ID] = run_id
    environ[STEPS] = os.path.join(folder(environ), f"{run_id}.steps")
    if not wishes.no_faulthandler:
        environ.setdefault(_FAULTHANDLER, "1")
    return environ


def _box(run_id: str, recording: Recording) -> RunJournal:
    from tfdoctor.recorder.journal import RunJournal, folder, leave_newest

    place = folder(os.environ)
    box = RunJournal(place, run_id)
    box.begin(recording)
    with contextlib.suppress(OSError):
        leave_newest(place)
    return box
