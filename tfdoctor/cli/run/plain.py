"""The command line of `tfdoctor run`, understood without typer: the command has to start at once.

typer takes longer to import than most of what is needed here. It is asked for --help, for what is wrong, and by shell
completion; a test holds that both understand the same.
"""

from __future__ import annotations

from tfdoctor.light.records import record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

INTERVAL_S, STALL_AFTER_S = 1.0, 300.0
_SHORTEST_S = 0.01
RUN_ID = "TFDOCTOR_RUN_ID"
_TEXTS = {"--report": "report", "--html": "html"}
_NUMBERS = {"--interval": "interval", "--stall-after": "stall_after"}
_FLAGS: dict[str, tuple[str, bool]] = {
    "--kill-stalled": ("kill_stalled", True),
    "--no-faulthandler": ("faulthandler", False),
    "--redact": ("redact", True),
    "--no-redact": ("redact", False),
    "--verbose": ("verbose", True),
    "-v": ("verbose", True),
    "--last": ("last", True),
}
_VARIABLES = {
    "TFDOCTOR_REPORT": "--report", "TFDOCTOR_HTML": "--html", "TFDOCTOR_INTERVAL": "--interval",
    "TFDOCTOR_STALL_AFTER": "--stall-after", "TFDOCTOR_KILL_STALLED": "--kill-stalled",
    "TFDOCTOR_NO_FAULTHANDLER": "--no-faulthandler", "TFDOCTOR_REDACT": "--redact",
    "TFDOCTOR_NO_REDACT": "--no-redact", "TFDOCTOR_VERBOSE": "--verbose", "TFDOCTOR_LAST": "--last",
}  # fmt: skip
_TRUE, _FALSE = ("1", "true", "yes", "on", "t", "y"), ("0", "false", "no", "off", "f", "n", "")


@record
class Wishes:
    """The command line and its variables. Times in seconds."""

    command: tuple[str, ...] = ()
    report: str = ""
    html: str = ""
    interval: float = INTERVAL_S
    stall_after: float = STALL_AFTER_S
    kill_stalled: bool = False
    faulthandler: bool = True
    redact: bool = True
    verbose: bool = False
    last: bool = False


def plain_wishes(arguments: Sequence[str], environ: Mapping[str, str]) -> Wishes | None:
    """What is asked for; None where typer has to look at it, which then also says what is wrong."""
    said: dict[str, Any] = {}
    try:
        _from_variables(environ, said)
        rest = _from_arguments(list(arguments), said)
    except ValueError:
        return None
    return Wishes(command=tuple(rest), **said)


def _from_variables(environ: Mapping[str, str], said: dict[str, Any]) -> None:
    for name, option in _VARIABLES.items():
        text = environ.get(name, "").strip()
        if not text or (option in _TEXTS and RUN_ID in environ):
            continue  # inside of a run these files are the outer recorder's
        if option in _FLAGS:
            field, value = _FLAGS[option]
            if text.lower() not in (*_TRUE, *_FALSE):
                raise ValueError(name)
            said[field] = value if text.lower() in _TRUE else said.get(field, not value)
        else:
            _take(option, text, said)


def _from_arguments(rest: list[str], said: dict[str, Any]) -> list[str]:
    """Reads the options; what follows, behind `--` or from the first other word on, is the command."""
    while rest:
        word = rest[0]
        if word == "--":
            return rest[1:]
        if not word.startswith("-") or word == "-":
            return rest
        rest.pop(0)
        name, equals, value = word.partition("=")
        if word in _FLAGS:
            field, setting = _FLAGS[word]
            said[field] = setting
        elif name in (*_TEXTS, *_NUMBERS) and (equals or rest):
            _take(name, value if equals else rest.pop(0), said)
        else:
            raise ValueError(word)
    return []


def _take(option: str, text: str, said: dict[str, Any]) -> None:
    if option in _TEXTS:
        if not text or text.startswith("-"):
            raise ValueError(option)
        said[_TEXTS[option]] = text
        return
    number = float(text)
    if not _SHORTEST_S <= number < float("inf"):
        raise ValueError(option)
    said[_NUMBERS[option]] = number
