"""`tfdoctor healthcheck`: one answer for a container probe. Imports neither typer nor rich, for its budget is milliseconds."""

from __future__ import annotations

import os
import sys
import time

from tfdoctor.apps.cli.options import HEALTHCHECK
from tfdoctor.apps.cli.parse import HelpAsked, UsageError, parse_args
from tfdoctor.apps.health.options import Options
from tfdoctor.base.printable import printable
from tfdoctor.base.processes import any_left, end_all, tree

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from tfdoctor.apps.health.answer import Answer, CheckResult
    from tfdoctor.apps.health.readings import Driver, Files
    from tfdoctor.apps.health.state import State
    from tfdoctor.base.forked import Send

UNKNOWN = 3  # of Nagios alone
REAP_S = 0.05  # for the end of what was killed
TELLING = ("pass", "pwd", "token", "secret", "key", "sig", "auth", "cookie", "bearer", "://", "--", "login", "-u ")  # fmt: skip
OUR_OWN = "tfdoctor check --state"  # what every machine is told that was never examined
LONG = 20  # characters of a word that may be a secret by itself
LEAST_S = 2.0  # to write a file in, where the driver has used up all the time: a busy machine gives a child its turn late


HELP = """Usage: tfdoctor healthcheck [OPTIONS]

Check driver, GPUs, memory, and the result of `tfdoctor check` in milliseconds.
One line; exit status 0: healthy, 1: not, or wrong usage.

Options, each also as a variable TFDOCTOR_<OPTION>; for this command alone as
TFDOCTOR_HEALTHCHECK_<OPTION>:
{options}
"""
WIDTH = 80  # columns of the help


def main(arguments: list[str]) -> int:
    """0 healthy, 1 not, or wrongly called (2 is reserved by Docker); --format nagios has its own four."""
    nagios = (
        "nagios" in (*arguments, os.environ.get("TFDOCTOR_FORMAT", ""))
        or "--format=nagios" in arguments
    )
    try:
        options = read_options(arguments, os.environ)
    except HelpAsked:
        return _write(1, help_text())
    except UsageError as error:
        _write(2, f"tfdoctor healthcheck: {printable(str(error))}\n")
        return UNKNOWN if nagios else 1
    if not hasattr(time, "CLOCK_BOOTTIME"):
        return _not_checked("healthcheck runs on Linux alone; tfdoctor check runs here", options)
    if options.smoke == "tf":
        from tfdoctor.apps.cli.supervisor import supervise

        supervise()  # what TensorFlow starts ends with this, also where it is killed
    spared = frozenset(tree(os.getpid())) if any_left() else frozenset()
    try:
        return _checked(options)
    except KeyboardInterrupt:
        return 1
    except Exception as error:  # noqa: BLE001  # a fault of ours is an answer, too: a probe must not read a traceback
        return _not_checked(
            f"the health check itself failed: {type(error).__name__}: {error}", options
        )
    finally:
        end_all(spared, REAP_S)  # what a driver or TensorFlow started and left behind
        if scratch := sys.modules.get("tfdoctor.ask.probes.smoke.scratch"):
            scratch.remove_all_scratch()  # an interrupt may have come before the folder was in safe hands


def read_options(arguments: list[str], environ: Mapping[str, str]) -> Options:
    """Raises UsageError and HelpAsked."""
    options = Options()
    vars(options).update(parse_args(HEALTHCHECK, arguments, environ).fields())
    if options.every and options.smoke != "tf":
        raise UsageError("--every goes with --smoke tf")
    return options


def help_text() -> str:
    rows = []
    for option in HEALTHCHECK.options:
        rows.append((f"{', '.join(option.names)} {option.word}", option.help))
        if option.off:
            rows.append((f"--no-{option.name[2:]} ", option.off))
    return HELP.format(
        options="\n".join(_row(*row) for row in [*rows, ("-h, --help", "Show this text.")])
    )


def _row(names: str, told: str) -> str:
    from textwrap import fill

    return fill(f"  {names:<26} {told}", WIDTH, subsequent_indent=" " * 29, break_on_hyphens=False)


def _not_checked(words: str, options: Options) -> int:
    """Nothing could be judged, which is told in the form that was asked for."""
    from tfdoctor.apps.health.answer import FAIL, Answer, CheckResult

    answer = Answer(
        [CheckResult("healthcheck", FAIL, words)],
        seconds=time.process_time(),
        at=time.time(),
        extra={},
    )
    _write(1, _text(answer, options))
    return UNKNOWN if options.form == "nagios" else 1


def _checked(options: Options) -> int:
    from tfdoctor.apps.health.probe import probe

    answer = probe(
        options,
        lambda driver, files, deadline: _smoke(options, driver, files, deadline),
        _examine,
        _settings,
    )
    _hide_secrets(answer)
    text = _text(answer, options)
    if options.output not in ("", "-", "/dev/stdout"):
        from tfdoctor.apps.health.writing import write_in_time

        trouble = write_in_time(
            options.output, text.encode(), max(options.limit - answer.seconds, LEAST_S)
        )
        if trouble:
            _write(2, f"tfdoctor healthcheck: -o {printable(options.output)}: {trouble}\n")
            return UNKNOWN if options.form == "nagios" else 1
    else:
        _write(1, text)
    if options.form == "nagios":
        from tfdoctor.apps.health.answer import nagios_status

        return nagios_status(answer)
    return 0 if answer.healthy else 1


def _hide_secrets(answer: Answer) -> None:
    """In what names of packages and a loader's words told. The rules are only loaded where a word calls for them."""
    for point in answer.points:
        words = point.words.replace(OUR_OWN, "").lower()
        if any(each in words for each in TELLING) or any(
            len(each) > LONG for each in words.split()
        ):
            from tfdoctor.say.redact.redactor import hide_secrets

            point.words = hide_secrets(point.words)


def _text(answer: Answer, options: Options) -> str:
    from tfdoctor.apps.health import answer as forms

    if options.form == "nfd":
        return forms.as_nfd(answer, options.expires)
    return {
        "text": forms.as_lines if options.verbose else forms.as_line, "json": forms.as_json, "npd": forms.as_npd,
        "nagios": forms.as_nagios, "prometheus": forms.as_prometheus,
    }[options.form](answer)  # fmt: skip


def _examine(options: Options, require_gpu: bool | None, before: State | None, send: Send) -> None:
    from tfdoctor.apps.cli.healthcheck_examine import examine

    examine(options, require_gpu, before, send)


def _settings() -> tuple[str, str]:
    """The file of the settings in force, and what is wrong with them; "" for none."""
    from tfdoctor.base.settings_files import are_there_any

    if not are_there_any():  # mostly, and what reads them costs an import
        return "", ""
    from tfdoctor.apps.cli.settings import refuse_broken_settings

    try:
        return refuse_broken_settings(), ""
    except UsageError as error:
        return "", str(error)


def _smoke(options: Options, driver: Driver, files: Files, deadline: float) -> CheckResult | None:
    """The stage that was asked for; None where none was."""
    if options.smoke == "driver":
        from tfdoctor.apps.health.smoke_driver import smoke_driver

        return smoke_driver(max(driver.get("cuda_count", 0), 0), deadline)
    if options.smoke == "tf":
        from tfdoctor.apps.cli.healthcheck_smoke import smoke_tensorflow

        return smoke_tensorflow(options, driver, files, deadline)
    return None


def _write(handle: int, text: str) -> int:
    """0. Whoever has closed the pipe does not want to hear; the exit status is said all the same."""
    data = text.encode()
    try:
        while data:
            data = data[os.write(handle, data) :]
    except OSError:
        return 0
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
