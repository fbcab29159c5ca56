"""The health check's command line, read without a library: one table gives options, variables and help."""

from __future__ import annotations

from tfdoctor.health.clock import duration
from tfdoctor.health.options import Options

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any

FORMS = ("text", "json", "npd", "nagios", "prometheus", "nfd")
SMOKES = ("none", "driver", "tf")
CHECKS_OWN = {"form": ("terminal", "markdown", "html"), "smoke": ("auto",)}
"""Words of the variables that `check` shares and this command has no such thing for: they are not meant for it."""
SHORT = {"-o": "--output", "-v": "--verbose"}
WIDTH = 80  # columns of the help
SIZES = {"": 0, "K": 10, "M": 20, "G": 30, "T": 40}
TRUE, FALSE = ("1", "true", "yes", "on", "t", "y"), ("0", "false", "no", "off", "f", "n", "")


class WrongUsage(Exception):  # noqa: N818  # told to the user in one line
    """What is wrong with the command line, in one line."""


def size(text: str) -> int:
    """Bytes from "512M", "2 GiB", "1.5G" or "1000"; multiples are of 1024. Raises ValueError."""
    number = text.strip().upper().removesuffix("IB").removesuffix("B").strip()
    unit = number[-1:] if number[-1:] in SIZES else ""
    try:
        value = float(number.removesuffix(unit)) * (1 << SIZES[unit])
    except ValueError:
        value = -1.0
    if not 0 <= value < 1e18:
        raise ValueError(f"{text!r} is no size; write one as 512M or 2G")
    return int(value)


def _one_of(*words: str) -> Callable[[str], str]:
    def read(text: str) -> str:
        if text not in words:
            raise ValueError(f"{text!r} is none of {', '.join(words)}")
        return text

    return read


def _count(text: str) -> int:
    if not text.isdecimal():
        raise ValueError(f"{text!r} is no whole number")
    return int(text)


def _positive(text: str) -> float:
    seconds = duration(text)
    if seconds <= 0:
        raise ValueError("it must be more than 0")
    return seconds


def _root(text: str) -> str:
    return "" if text.rstrip("/") == "" else text.rstrip("/")


VALUED: tuple[tuple[str, str, str, Callable[[str], Any], str], ...] = (
    (
        "--smoke",
        "smoke",
        "none|driver|tf",
        _one_of(*SMOKES),
        "Also run a kernel by the driver, or TensorFlow itself. [none]",
    ),
    (
        "--every",
        "every",
        "TIME",
        duration,
        "With --smoke tf: compute at most this often; in between its last result counts.",
    ),
    ("--gpus", "gpus", "N", _count, "At least N GPUs have to be there."),
    ("--min-free-vram", "min_free_vram", "SIZE", size, "Free memory that each GPU must have (512M, 2G)."),
    ("--min-free-ram", "min_free_ram", "SIZE", size, "Free memory that the machine or container must have."),
    ("--state", "state", "FILE", str, "Where the last examination is kept. [the usual place]"),
    ("--max-age", "max_age", "TIME", duration, "Demand an examination no older than this (10m, 36h, 7d)."),
    (
        "--timeout",
        "timeout",
        "TIME",
        _positive,
        "Answer within this time. [0.9; 15 with --smoke driver, 120 with tf]",
    ),
    (
        "--when-starved",
        "when_starved",
        "VERDICT",
        _one_of("healthy", "unhealthy"),
        "Has no effect any more; tfdoctor 0.3 will not know it.",
    ),
    ("--format", "form", "FORM", _one_of(*FORMS), "text, json, npd, nagios, prometheus or nfd. [text]"),
    ("--output", "output", "FILE", str, "Write there, by a temporary file and a rename."),
    ("--expires", "expires", "TIME", _positive, "With --format nfd: when the features expire. [1h]"),
    (
        "--python",
        "python",
        "PATH",
        str,
        "Interpreter or environment to examine and for --smoke tf. [as check chooses]",
    ),
    ("--sysroot", "sysroot", "DIR", _root, "Read the machine's files below this folder. [/]"),
)
FLAGS: tuple[tuple[str, str, Any, str], ...] = (
    ("--require-gpu", "require_gpu", True, "A missing GPU is a fault."),
    ("--no-require-gpu", "require_gpu", False, "Faults of the GPU are only told."),
    ("--node", "node", True, "Judge driver and devices alone: no user's environment makes a node sick."),
    ("--as-owner", "as_owner", True, "As root: run an environment that others can change as its owner."),
    ("--json", "form", "json", "The same as --format json."),
    ("--verbose", "verbose", True, "A line for each point, too."),
)

HELP = """Usage: tfdoctor healthcheck [OPTIONS]

Does the GPU driver start, are the GPUs there and sound, is there memory, does
`tfdoctor check --smoke none` find no error (it is run where no result is kept)?
One line, exit status 0 (healthy) or 1 (not, or wrongly called). Nothing is
computed unless asked.

Options, each also as a variable TFDOCTOR_<OPTION>; for this command alone as
TFDOCTOR_HEALTHCHECK_<OPTION>:
{options}
"""


def help_text() -> str:
    rows = [(_names(name) + " " + word, told) for name, _, word, _, told in VALUED]
    rows += [(_names(name), told) for name, _, _, told in FLAGS]
    return HELP.format(options="\n".join(_row(*row) for row in [*rows, ("-h, --help", "Show this text.")]))


def _names(option: str) -> str:
    return next((f"{short}, {option}" for short, long in SHORT.items() if long == option), option)


def _row(names: str, told: str) -> str:
    from textwrap import fill

    return fill(f"  {names:<26} {told}", WIDTH, subsequent_indent=" " * 29, break_on_hyphens=False)


def read_options(arguments: list[str], environ: Mapping[str, str]) -> Options:
    """Variables first, then the command line. Raises WrongUsage."""
    options = Options()
    _from_variables(options, environ)
    rest = list(arguments)
    while rest:
        _take(options, rest)
    if options.every and options.smoke != "tf":
        raise WrongUsage("--every goes with --smoke tf")
    return options


def _take(options: Options, rest: list[str]) -> None:
    """Reads one option off the front of `rest`."""
    name, equals, value = rest.pop(0).partition("=")
    name = SHORT.get(name, name)
    if name.startswith("-o"):  # -oFILE
        value, equals, name = name[2:] + equals + value, "=", "--output"
    for flag, field, setting, _ in FLAGS:
        if name == flag and not equals:
            setattr(options, field, setting)
            return
    for option, field, word, read, _ in VALUED:
        if name == option:
            if not equals and not rest:
                raise WrongUsage(f"{option}: its value ({word}) is missing")
            _set(options, field, read, value if equals else rest.pop(0), option)
            return
    what = "there is no option" if name.startswith("-") else "it takes options alone, not"
    raise WrongUsage(f"{what} {name[:40]!r}; see tfdoctor healthcheck --help")


def _set(options: Options, field: str, read: Callable[[str], Any], text: str, where: str) -> None:
    try:
        setattr(options, field, read(text))
    except ValueError as error:
        raise WrongUsage(f"{where}: {error}") from error


def _variable(option: str, environ: Mapping[str, str]) -> str:
    """TFDOCTOR_HEALTHCHECK_<OPTION> where it is set, for it goes before the one that `check` reads, too."""
    name = option[2:].upper().replace("-", "_")
    own = f"TFDOCTOR_HEALTHCHECK_{name}"
    return own if own in environ else f"TFDOCTOR_{name}"


def _from_variables(options: Options, environ: Mapping[str, str]) -> None:
    for option, field, _, read, _ in VALUED:
        name = _variable(option, environ)
        if environ.get(name) and environ[name] not in CHECKS_OWN.get(field, ()):
            _set(options, field, read, environ[name], name)
    for option, field, setting, _ in FLAGS:
        name = _variable(option, environ)
        text = environ.get(name, "").strip().lower()
        if option == "--require-gpu" and text in FALSE[:-1]:
            options.require_gpu = False
        elif text in TRUE:
            setattr(options, field, setting)
        elif text not in FALSE:
            raise WrongUsage(f"{name}: {text[:40]!r} is neither true nor false")
