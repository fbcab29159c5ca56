"""The options of the commands that start often, each once: `parse.py` reads the command line by this table, and `app.py`
makes typer's commands of it (help, completion). Plain Python, since the health check has milliseconds.
"""

from __future__ import annotations

from tfdoctor.health.state import duration
from tfdoctor.records import record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

SMOKES = ("auto", "none", "driver", "tf")
FORMATS = ("terminal", "json", "markdown", "html")
LOG_FORMATS = (*FORMATS, "github")
REPORT_FORMATS = (*LOG_FORMATS, "tf-issue")
FAIL_ON = ("error", "warning")
HEALTH_SMOKES = ("none", "driver", "tf")
HEALTH_FORMATS = ("text", "json", "npd", "nagios", "prometheus", "nfd")
RUN_ID = "TFDOCTOR_RUN_ID"
_SIZES = {"": 0, "K": 10, "M": 20, "G": 30, "T": 40}


class Option:
    """One option. With a `word` (what its value is called) it takes a value; else it sets `value`, and `off` unsets it.

    field: of the command's options; the long name's, unless told. default: None where the settings or nothing decide;
    choices: the words that it takes. least: the smallest number. many: may be repeated. alone: its value where none is typed.
    never_empty: `--python "$UNSET"` must not examine another environment than was meant. off: the help of --no-NAME, None
    where there is no such half. passed_over: words of a shared variable that are meant for another command.
    """

    def __init__(
        self,
        names: str,
        help: str,  # noqa: A002  # as typer names it
        word: str = "",
        *,
        field: str = "",
        default: Any = None,
        value: Any = True,
        off: str | None = None,
        convert: Callable[[str], Any] = str,
        choices: tuple[str, ...] = (),
        least: float | None = None,
        many: bool = False,
        never_empty: bool = False,
        alone: str | None = None,
        passed_over: tuple[str, ...] = (),
    ) -> None:
        self.names = tuple(names.split())
        self.name = self.names[-1]
        self.help, self.word = help, word or "|".join(choices)
        self.key = self.name[2:].replace("-", "_")
        self.field = field or self.key
        self.default = default if default is not None or word or choices or off is not None else False
        self.value, self.off, self.convert = value, off, convert
        self.choices, self.least, self.many = choices, least, many
        self.never_empty, self.alone, self.passed_over = never_empty, alone, passed_over


class Command:
    """What the help says, the options, and what the other words are called: (name, help), or None where there are none.

    variables: what the names of its options' variables begin with, the more telling first.
    words_end: the first other word ends the options.
    """

    def __init__(
        self,
        name: str,
        help: str,  # noqa: A002  # as typer names it
        options: tuple[Option, ...],
        words: tuple[str, str] | None = None,
        *,
        variables: tuple[str, ...] = ("TFDOCTOR_",),
        words_end: bool = False,
    ) -> None:
        self.name, self.help, self.options, self.words = name, help, options, words
        self.variables, self.words_end = variables, words_end


def seconds(least: float) -> Callable[[str], float]:
    def read(text: str) -> float:
        try:
            number = float(text)
        except ValueError:
            raise ValueError(f"{text[:40]!r} is no number") from None
        if not least <= number < float("inf"):
            raise ValueError(f"{text} is not a number from {least:g} on")
        return number

    return read


def size(text: str) -> int:
    """Bytes from "512M", "2 GiB", "1.5G" or "1000"; multiples are of 1024. Raises ValueError."""
    number = text.strip().upper().removesuffix("IB").removesuffix("B").strip()
    unit = number[-1:] if number[-1:] in _SIZES else ""
    try:
        value = float(number.removesuffix(unit)) * (1 << _SIZES[unit])
    except ValueError:
        value = -1.0
    if not 0 <= value < 1e18:
        raise ValueError(f"{text[:40]!r} is no size; write one as 512M or 2G")
    return int(value)


def _count(text: str) -> int:
    if not text.isdecimal():
        raise ValueError(f"{text!r} is no whole number")
    return int(text)


def _positive(text: str) -> float:
    found = duration(text)
    if found <= 0:
        raise ValueError("it must be more than 0")
    return found


def _root(text: str) -> str:
    return text.rstrip("/")


_JSON = Option("--json", "The same as --format json.", field="form", value="json")
_MORE = Option("-v --verbose", "Also show evidence with what was expected, and what is harmless.")
_LESS = Option("-q --quiet", "Show the first line and the first fix only.")
_OWNER = "As root: run an environment that {} can change as {}."

CHECK = Command(
    "check",
    "Examine one Python environment and this machine: one verdict, the root cause first, the fix to type.",
    (
        Option(
            "--python",
            "Examine this interpreter, or this virtual or conda environment's folder.",
            "PATH",
            default="",
            never_empty=True,
        ),
        Option(
            "--kernel",
            "Examine the interpreter of this Jupyter kernel.",
            "NAME",
            default="",
            never_empty=True,
        ),
        Option(
            "--smoke",
            "How far to prove it by computing: auto climbs as far as it can, none runs nothing.",
            choices=SMOKES,
            default="auto",
        ),
        Option(
            "--require-gpu",
            "A missing GPU is an error; or what concerns the GPU alone is only a note.",
            off="",
        ),
        Option("--deep", "Also compare the checksum of each of TensorFlow's files."),
        Option("--as-owner", _OWNER.format("another user", "that user")),
        Option(
            "--facts",
            "Judge a saved report's facts again; nothing is asked of this machine.",
            "REPORT.json",
            default="",
            never_empty=True,
        ),
        Option(
            "--format",
            "How the report is written; github is a ticket with all facts, tf-issue fills in TensorFlow's issue form.",
            choices=REPORT_FORMATS,
            default="terminal",
            field="form",
        ),
        _JSON,
        Option(
            "-o --output",
            "Write the report here instead of to standard output.",
            "FILE",
            default="",
            never_empty=True,
        ),
        Option(
            "--state",
            "Keep the verdict for the health check, in FILE or in the usual place.",
            "[FILE]",
            alone="",
        ),
        Option("--schema", "Print the JSON Schema of the report."),
        Option("--fail-on", "Exit status 1 from this severity on.", choices=FAIL_ON, default="error"),
        Option(
            "--ignore",
            "A finding that shall not count; repeat it or part several by commas.",
            "CODE",
            many=True,
            default=(),
        ),
        Option("--redact", "Leave out names, addresses, identifiers and secrets.", off="", default=True),
        Option(
            "--timeout",
            "Seconds that the whole command may take. [120; 20 without TensorFlow]",
            "S",
            convert=seconds(1),
            least=1,
            field="timeout_s",
        ),
        Option("--matrix", "Judge by this compatibility matrix.", "FILE", default="", never_empty=True),
        Option(
            "--sysroot",
            "Examine the unpacked system below this folder.",
            "DIR",
            default="/",
            never_empty=True,
        ),
        _MORE,
        _LESS,
    ),
)

DIAGNOSE = Command(
    "diagnose",
    """Find in a log what went wrong and why: the cause, what followed from it, and what means nothing.

    Exit status 0: nothing wrong; 1: a cause was found; 2: a log can't be read; 3: a failure that nothing explains.
    """,
    (
        Option(
            "--facts",
            "A report of `check` of the same machine decides what the log leaves open.",
            "REPORT.json",
            default="",
        ),
        Option("--here", "Examine this machine for that, without running TensorFlow."),
        Option("--python", "With --here: the interpreter or environment.", "PATH", default=""),
        Option("--kernel", "With --here: the interpreter of this Jupyter kernel.", "NAME", default=""),
        Option(
            "--format",
            "How the answer is written; github is a ticket with all facts.",
            choices=LOG_FORMATS,
            default="terminal",
            field="form",
        ),
        _JSON,
        Option("-o --output", "Write the answer here.", "FILE", default=""),
        Option("--redact", "Leave out names, addresses, identifiers and secrets.", off="", default=True),
        Option("--matrix", "Judge by this compatibility matrix.", "FILE", default=""),
        Option("--schema", "Print the JSON Schema of the answer."),
        _MORE,
        _LESS,
    ),
    ("LOG...", "Logs of one case; - reads standard input."),
    variables=(),
)


@record
class RunOptions:
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


RUN = Command(
    "run",
    "Run a command unchanged, watch memory, GPU and its death, and say afterwards what ended it.",
    (
        Option("--report", "Write what was seen as JSON.", "FILE.json", default="", never_empty=True),
        Option(
            "--html",
            "Write what was seen as one page with pictures.",
            "FILE.html",
            default="",
            never_empty=True,
        ),
        Option(
            "--interval", "Seconds between two looks.", "S", convert=seconds(0.01), least=0.01, default=1.0
        ),
        Option(
            "--stall-after",
            "Seconds without CPU, GPU, disk and output that count as standing still.",
            "S",
            convert=seconds(0.01),
            least=0.01,
            default=300.0,
        ),
        Option("--kill-stalled", "End a command that stands still."),
        Option(
            "--no-faulthandler",
            "Leave PYTHONFAULTHANDLER as it is; without this Python says where it crashed.",
        ),
        Option("--redact", "Leave out names, addresses and secrets.", off="", default=True),
        Option("-v --verbose", "Also tell of a success."),
        Option("--last", "Tell of the last run, also of one whose recorder died."),
    ),
    ("-- CMD …", "The command with its arguments."),
    words_end=True,
)

HEALTHCHECK = Command(
    "healthcheck",
    "Answer a container probe in milliseconds: driver, GPUs, memory, and the last examination's verdict.",
    (
        Option(
            "--smoke",
            "Also run a kernel by the driver, or TensorFlow itself. [none]",
            choices=HEALTH_SMOKES,
            default="none",
            passed_over=("auto",),
        ),
        Option(
            "--every",
            "With --smoke tf: compute at most this often; in between its last result counts.",
            "TIME",
            convert=duration,
            default=0.0,
        ),
        Option("--gpus", "At least N GPUs have to be there.", "N", convert=_count, default=0),
        Option(
            "--min-free-vram",
            "Free memory that each GPU must have (512M, 2G).",
            "SIZE",
            convert=size,
            default=0,
        ),
        Option(
            "--min-free-ram",
            "Free memory that the machine or container must have.",
            "SIZE",
            convert=size,
            default=0,
        ),
        Option("--state", "Where the last examination is kept. [the usual place]", "FILE", default=""),
        Option(
            "--max-age",
            "Demand an examination no older than this (10m, 36h, 7d).",
            "TIME",
            convert=duration,
            default=-1.0,
        ),
        Option(
            "--timeout",
            "Answer within this time. [0.9; 15 with --smoke driver, 120 with tf]",
            "TIME",
            convert=_positive,
            default=0.0,
        ),
        Option(
            "--when-starved",
            "Has no effect any more; tfdoctor 0.3 will not know it.",
            "VERDICT",
            choices=("healthy", "unhealthy"),
            default="",
        ),
        Option(
            "--format",
            "text, json, npd, nagios, prometheus or nfd. [text]",
            "FORM",
            choices=HEALTH_FORMATS,
            default="text",
            field="form",
            passed_over=tuple(form for form in REPORT_FORMATS if form != "json"),
        ),
        Option("-o --output", "Write there, by a temporary file and a rename.", "FILE", default=""),
        Option(
            "--expires",
            "With --format nfd: when the features expire. [1h]",
            "TIME",
            convert=_positive,
            default=3600.0,
        ),
        Option(
            "--python",
            "Interpreter or environment to examine and for --smoke tf. [as check chooses]",
            "PATH",
            default="",
        ),
        Option(
            "--sysroot", "Read the machine's files below this folder. [/]", "DIR", convert=_root, default=""
        ),
        Option("--require-gpu", "A missing GPU is a fault.", off="Faults of the GPU are only told."),
        Option("--node", "Judge driver and devices alone: no user's environment makes a node sick."),
        Option("--as-owner", _OWNER.format("others", "its owner")),
        _JSON,
        Option("-v --verbose", "A line for each point, too."),
    ),
    variables=("TFDOCTOR_HEALTHCHECK_", "TFDOCTOR_"),
)

PLAN_FORMATS = ("terminal", "commands", "requirements", "uv", "conda", "dockerfile", "json")

PLAN = Command(
    "plan",
    """Say which TensorFlow works on this machine, or on one described by options, with the install commands.

    What is not described is taken from this machine. Exit status 1: no version works.
    """,
    (
        Option("--driver", "Plan for this NVIDIA driver, such as 535.104.05.", "VERSION", default=""),
        Option(
            "--gpu",
            'Plan for this GPU: a name ("RTX 3090"), a compute capability (8.6), or none for the CPU.',
            "GPU",
            default="",
        ),
        Option("--python", "Plan for this Python version, such as 3.12.", "VERSION", default=""),
        Option(
            "--os",
            "Plan for linux, linux-aarch64, wsl2, windows, macos or macos-x86_64.",
            "SYSTEM",
            default="",
        ),
        Option("--tensorflow", 'Only these versions: "2.16.*", "~=2.15", ">=2.18".', "VERSIONS", default=""),
        Option("--cuda", "Only builds with this CUDA: 12 or 11.8.", "VERSION", default=""),
        Option("--pre", "Include release candidates."),
        Option("--all", "Show every version with its commands or all its reasons."),
        Option(
            "--format",
            "terminal: one screen. The others write the first option: its commands, a requirements file, a uv project, a "
            "conda environment, a Dockerfile; json: everything.",
            choices=PLAN_FORMATS,
            default="terminal",
            field="form",
        ),
        _JSON,
        Option(
            "-o --output",
            "Write to this file; its name says the format: requirements.txt, pyproject.toml, environment.yml, Dockerfile.",
            "FILE",
            default="",
            never_empty=True,
        ),
        Option("--matrix", "Use this compatibility matrix.", "FILE", default="", never_empty=True),
    ),
    variables=(),
)

DIFF = Command(
    "diff",
    """Say why one report is broken and the other works, and what differs between them, what matters first.

    Exit status 1: something that matters differs.
    """,
    (
        Option("--all", "Show every difference."),
        Option("--format", "How the answer is written.", choices=FORMATS, default="terminal", field="form"),
        _JSON,
        Option("-o --output", "Write the answer here.", "FILE", default="", never_empty=True),
    ),
    ("A B", "Two reports that `check --json` wrote; - reads standard input, . examines this machine."),
    variables=(),
)

MCP = Command(
    "mcp",
    """Answer an assistant by MCP on standard input and output; it reads what is named here and changes nothing.

    It needs the extra: python -m pip install 'tfdoctor[mcp]'
    """,
    (
        Option(
            "--python",
            "An interpreter or environment that may be examined; repeat it for more. [as check chooses]",
            "PATH",
            many=True,
            default=(),
            never_empty=True,
        ),
        Option(
            "--allow",
            "A directory whose reports and logs may be read; repeat it for more.",
            "DIR",
            many=True,
            default=(),
            never_empty=True,
        ),
    ),
    variables=(),
)

COMMANDS = {each.name: each for each in (CHECK, DIAGNOSE, RUN, HEALTHCHECK, PLAN, DIFF, MCP)}
