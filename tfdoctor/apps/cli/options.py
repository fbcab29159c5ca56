"""The options of the commands that start often, each once: `parse.py` reads the command line by this table, and `app.py`
makes typer's commands of it (help, completion). Plain Python, since the health check has milliseconds.
"""

from __future__ import annotations

from tfdoctor.base.records import record
from tfdoctor.base.units import duration, size

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

SMOKES = ("auto", "none", "driver", "tf")
FORMATS = ("terminal", "json", "markdown", "html")
LOG_FORMATS = (*FORMATS, "github")
REPORT_FORMATS = (*LOG_FORMATS, "tf-issue", "sarif", "junit")
FAIL_ON = ("error", "warning")
HEALTH_SMOKES = ("none", "driver", "tf")
HEALTH_FORMATS = ("text", "json", "npd", "nagios", "prometheus", "nfd")
RUN_ID = "TFDOCTOR_RUN_ID"
LAST_FIX = "last"
_LONGEST_ID = 9  # digits


class Option:
    """One option. With a `word` (what its value is called) it takes a value; else it sets `value`, and `off` unsets it.

    field: of the command's options; the long name's, unless told. default: None where the settings or nothing decide; a text's
    is empty. choices: the words that it takes. least: the smallest number. many: may be repeated. alone: its value where none is typed.
    off: the help of --no-NAME, None where there is no such half. passed_over: words of a shared variable that are meant for
    another command. variables: what the names of its variables begin with, where not as the command's. A text is never empty: `--python "$UNSET"` must not examine another environment than was meant.
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
        alone: str | None = None,
        passed_over: tuple[str, ...] = (),
        variables: tuple[str, ...] = (),
    ) -> None:
        self.names = tuple(names.split())
        self.name = self.names[-1]
        self.help, self.word = help, word or "|".join(choices)
        self.key = self.name[2:].replace("-", "_")
        self.field = field or self.key
        is_text = bool(word) and convert is str and alone is None
        empty = (
            () if many else "" if is_text else None if word or choices or off is not None else False
        )
        self.default = empty if default is None else default
        self.value, self.off, self.convert = value, off, convert
        self.choices, self.least, self.many = choices, least, many
        self.alone, self.passed_over, self.variables = alone, passed_over, variables
        self.never_empty = bool(word) and convert is str


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
            raise ValueError(f"{text[:40]!r} isn't a number") from None
        if not least <= number < float("inf"):
            raise ValueError(f"must be at least {least:g}, not {text}")
        return number

    return read


def signal_number(text: str) -> int:
    """Of "USR1", "SIGUSR1" or "10"."""
    import signal

    name = text.upper().removeprefix("SIG")
    found = {each.name.removeprefix("SIG"): int(each) for each in signal.Signals}
    number = found.get(name, int(name) if name.isdecimal() else 0)
    if number not in found.values() or number in (signal.SIGKILL, signal.SIGSTOP):
        raise ValueError(f"{text[:40]!r} isn't a signal that a program can handle, such as USR1")
    return number


def _count(text: str) -> int:
    if not text.isdecimal():
        raise ValueError(f"{text!r} isn't a whole number")
    return int(text)


def _shape(text: str) -> tuple[int, ...]:
    """Of "224,224,3"; "" and "()" are that of a single number."""
    parts = [each.strip() for each in text.strip("()[] ").split(",") if each.strip()]
    if not all(each.isdecimal() and 0 < int(each) < 1 << 31 for each in parts):
        raise ValueError(f"{text[:40]!r} isn't a shape such as 224,224,3")
    return tuple(map(int, parts))


def _id(text: str) -> str:
    if text != LAST_FIX and (not text.isdecimal() or len(text) > _LONGEST_ID):
        raise ValueError(f"{text[:40]!r} is no ID; tfdoctor fix --list shows them")
    return text


def _positive(text: str) -> float:
    found = duration(text)
    if found <= 0:
        raise ValueError("it must be more than 0")
    return found


def _root(text: str) -> str:
    return text.rstrip("/")


def _format(help: str, choices: tuple[str, ...], word: str = "") -> Option:  # noqa: A002  # as above
    return Option("--format", help, word, choices=choices, default="terminal", field="form")


_JSON = Option("--json", "Same as --format json.", field="form", value="json")
_OUTPUT = Option(
    "-o --output", "Write to this file; .json, .md or .html in its name sets the format.", "FILE"
)
_REDACT = Option("--redact", "Hide names, addresses, IDs and secrets.", off="", default=True)
_MATRIX = Option("--matrix", "Use this compatibility matrix.", "FILE")
_ALL_SHOWN = "Show all evidence with expected values, all fixes, and harmless messages."
_SCHEMA = Option("--schema", "Print the JSON Schema of the JSON output.")
_COLOR = Option(
    "--color", "Colors: auto, always or never. [auto]", choices=("auto", "always", "never")
)
_MORE = Option("-v --verbose", _ALL_SHOWN, field="amount", default=0, value=1)
_LESS = Option("-q --quiet", "Show only the first line and the first fix.", field="amount", default=0, value=-1)  # fmt: skip
_NO_PLUGINS = Option("--no-plugins", "Load no plug-in.")
_FAIL_ON = Option("--fail-on", "Exit with 1 at this severity or worse.", choices=FAIL_ON, default="error")  # fmt: skip
_IGNORE = Option("--ignore", "Ignore this finding (repeat, or separate by commas).", "CODE", many=True)  # fmt: skip
_OWNER = "As root: if {} can change the environment, run it as {}."

CHECK = Command(
    "check",
    "Check a Python environment and this machine: one verdict, the cause, and the command that fixes it.",
    (
        Option("--python", "Check this Python, virtual environment or conda environment.", "PATH"),
        Option("--kernel", "Check the Python of this Jupyter kernel.", "NAME"),
        Option(
            "--smoke",
            "GPU and TensorFlow tests. auto: every test possible; driver: GPU only; tf: also TensorFlow; none: no test.",
            choices=SMOKES,
            default="auto",
        ),
        Option(
            "--require-gpu",
            "Whether a missing GPU is an error; with --no-require-gpu, GPU problems are only notes.",
            off="",
        ),
        Option("--deep", "Also verify the checksums of TensorFlow's files."),
        Option("--as-owner", _OWNER.format("another user", "that user")),
        Option("--facts", "Check a saved report instead of this machine.", "REPORT.json"),
        _format(
            "terminal, json, markdown, html; github: a ticket with all facts; tf-issue: TensorFlow's issue form; sarif, junit: for CI.",
            REPORT_FORMATS,
            "FORM",
        ),
        _JSON,
        _OUTPUT,
        Option(
            "--state",
            "Save the result for tfdoctor healthcheck, in FILE or the default place.",
            "[FILE]",
            alone="",
        ),
        _SCHEMA,
        _FAIL_ON,
        _IGNORE,
        _REDACT,
        Option(
            "--timeout",
            "Time limit for the whole command, in seconds. [120; 20 without TensorFlow]",
            "S",
            convert=seconds(1),
            least=1,
            field="timeout_s",
        ),
        _MATRIX,
        Option("--sysroot", "Check the unpacked system in this directory.", "DIR", default="/"),
        _NO_PLUGINS,
        _COLOR,
        _MORE,
        _LESS,
    ),
)

DIAGNOSE = Command(
    "diagnose",
    """Find the cause of a failure in a log, with the fix. Without a LOG, pipe it in or paste it.

    Exit status 0: nothing wrong; 1: cause found; 2: log can't be read; 3: a failure that nothing known explains.
    """,
    (
        Option(
            "--facts",
            "A report of `tfdoctor check --json` from the same machine, for what the log leaves open.",
            "REPORT.json",
        ),
        Option(
            "--here", "Check this machine for what the log leaves open, without running TensorFlow."
        ),
        Option("--python", "With --here: the Python or environment.", "PATH"),
        Option("--kernel", "With --here: the Python of this Jupyter kernel.", "NAME"),
        _format("Output format; github: a ticket with all facts.", LOG_FORMATS),
        _JSON,
        _OUTPUT,
        _REDACT,
        _MATRIX,
        _SCHEMA,
        _NO_PLUGINS,
        _COLOR,
        _MORE,
        _LESS,
    ),
    ("LOG...", "Logs of one run; - reads standard input."),
    variables=(),
)


@record
class RunOptions:
    """The command and the options of `run`. Times in seconds. `names_shown`: on a terminal, names are not hidden."""

    command: tuple[str, ...]
    output: str
    report: str
    html: str
    interval: float
    stall_after: float
    kill_stalled: bool
    no_faulthandler: bool
    no_warn: bool
    warn_signal: int
    require_gpu: bool
    live: bool
    redact: bool
    verbose: bool
    last: bool
    names_shown: bool = False


RUN = Command(
    "run",
    "Run a command unchanged, record its memory and GPU use, and explain how it died.",
    (
        Option(
            "-o --output",
            "Write a report to this file; .json, .md or .html (with plots) in its name sets the format.",
            "FILE",
        ),
        Option("--report", "Write a report as JSON.", "FILE.json"),
        Option("--html", "Write a report as an HTML page with plots.", "FILE.html"),
        Option(
            "--interval",
            "Seconds between samples.",
            "S",
            convert=seconds(0.01),
            least=0.01,
            default=1.0,
        ),
        Option(
            "--stall-after",
            "Seconds without CPU, GPU or disk use and output before it counts as stalled.",
            "S",
            convert=seconds(0.01),
            least=0.01,
            default=300.0,
        ),
        Option("--kill-stalled", "Kill the command if it stalls."),
        Option(
            "--no-faulthandler",
            "Don't set PYTHONFAULTHANDLER=1, which makes Python print where it crashed.",
        ),
        Option("--no-warn", "Don't say it when memory is about to run out."),
        Option(
            "--warn-signal",
            "Send the command this signal, too, when memory is about to run out.",
            "SIGNAL",
            convert=signal_number,
            default=0,
        ),
        Option(
            "--live", "On a terminal, keep a line with memory, limit, trend and GPUs up to date."
        ),
        Option(
            "--require-gpu",
            "End the command if TensorFlow computes on the CPU.",
            variables=("TFDOCTOR_RUN_",),  # TFDOCTOR_REQUIRE_GPU is for checks
        ),
        Option("--redact", "Hide names, addresses and secrets.", off="", default=True),
        _SCHEMA,
        _COLOR,
        Option("-v --verbose", "Show all evidence; print a summary after a success, too."),
        Option("--last", "Explain the last run."),
    ),
    ("-- CMD …", "The command with its arguments."),
    words_end=True,
)

HEALTHCHECK = Command(
    "healthcheck",
    "Answer a container probe in milliseconds: driver, GPUs, memory, and the last check's verdict.",
    (
        Option(
            "--smoke",
            "Also run a GPU kernel (driver) or TensorFlow (tf). [none]",
            choices=HEALTH_SMOKES,
            default="none",
            passed_over=("auto",),
        ),
        Option(
            "--every",
            "With --smoke tf: run it at most this often; in between, the last result counts.",
            "TIME",
            convert=duration,
            default=0.0,
        ),
        Option("--gpus", "Require at least N GPUs.", "N", convert=_count, default=0),
        Option(
            "--min-free-vram",
            "Require this much free memory on each GPU (512M, 2G).",
            "SIZE",
            convert=size,
            default=0,
        ),
        Option(
            "--min-free-ram",
            "Require this much free memory on the machine or in the container.",
            "SIZE",
            convert=size,
            default=0,
        ),
        Option(
            "--state", "Where the result of the last check is kept. [the default place]", "FILE"
        ),
        Option(
            "--max-age",
            "Check again if the last result is older than this (10m, 36h, 7d).",
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
            "--format",
            "text, json, npd, nagios, prometheus or nfd. [text]",
            "FORM",
            choices=HEALTH_FORMATS,
            default="text",
            field="form",
            passed_over=tuple(form for form in REPORT_FORMATS if form != "json"),
        ),
        Option("-o --output", "Write to this file, atomically.", "FILE"),
        Option(
            "--expires",
            "With --format nfd: when the features expire. [1h]",
            "TIME",
            convert=_positive,
            default=3600.0,
        ),
        Option(
            "--python",
            "Python or environment to check and for --smoke tf. [as check chooses]",
            "PATH",
        ),
        Option(
            "--sysroot",
            "Read the machine's files below this directory. [/]",
            "DIR",
            convert=_root,
            default="",
        ),
        Option("--require-gpu", "A missing GPU is unhealthy.", off="GPU problems are only notes."),
        Option(
            "--node",
            "Check driver and devices only: a user's broken environment never makes a node unhealthy.",
        ),
        Option("--as-owner", _OWNER.format("other users", "its owner")),
        _JSON,
        Option("-v --verbose", "Print one line per check."),
    ),
    variables=("TFDOCTOR_HEALTHCHECK_", "TFDOCTOR_"),
)

PLAN_FORMATS = ("terminal", "commands", "requirements", "uv", "conda", "dockerfile", "json")

PLAN = Command(
    "plan",
    """Find a TensorFlow for this machine, or for one that options describe, and how to install it.

    Exit status 1: no version works.
    """,
    (
        Option("--driver", "Plan for this NVIDIA driver, such as 535.104.05.", "VERSION"),
        Option(
            "--gpu",
            'Plan for this GPU: a name ("RTX 3090"), a compute capability (8.6), or none for the CPU.',
            "GPU",
        ),
        Option("--python", "Plan for this Python version, such as 3.12.", "VERSION"),
        Option(
            "--os", "Plan for linux, linux-aarch64, wsl2, windows, macos or macos-x86_64.", "SYSTEM"
        ),
        Option("--tensorflow", 'Only these versions: "2.16.*", "~=2.15", ">=2.18".', "VERSIONS"),
        Option("--cuda", "Only builds with this CUDA: 12 or 11.8.", "VERSION"),
        Option(
            "--with",
            'Frameworks that share its environment: torch, jax, "jax[cuda12]", also with versions, separated by commas.',
            "PACKAGES",
            field="beside",
        ),
        Option("--pre", "Include release candidates."),
        Option("--all", "Show every version with its commands or all its reasons."),
        _format(
            "terminal: one screen; json: everything. commands, requirements, uv, conda and dockerfile write the first option so.",
            PLAN_FORMATS,
            "FORM",
        ),
        _JSON,
        Option(
            "-o --output",
            "Write to this file; its name says the format: requirements.txt, pyproject.toml, environment.yml, Dockerfile.",
            "FILE",
        ),
        _MATRIX,
        _SCHEMA,
        _COLOR,
    ),
    variables=(),
)

FIT_FORMATS = ("terminal", "json")

FIT = Command(
    "fit",
    """Find the largest batch that fits into the memory of this machine's GPU, or of the machine, by trials in child processes.

    FILE.py has a function build() that returns a compiled Keras model; FILE.py:NAME for another name. Or a saved FILE.keras.
    Exit status 0: a batch is named, and ran; 1: not even one sample fits; 3: it could not be found out.
    """,
    (
        Option(
            "--python", "Run the trials with this Python or environment. [as check chooses]", "PATH"
        ),
        Option(
            "--shape",
            "Shape of one sample, without the batch, where the model leaves it open; repeat it for more inputs.",
            "N,N,...",
            convert=_shape,
            many=True,
        ),
        Option("--batch-max", "Try no larger batch than this.", "N", convert=_count, default=0),
        Option("--no-run", "Run no step: estimate from XLA's report of two compiled batches."),
        Option(
            "--timeout",
            "Time limit for the whole command; one trial may take a third of it. [15m]",
            "TIME",
            convert=_positive,
            default=900.0,
            field="timeout_s",
        ),
        _format("Output format.", FIT_FORMATS),
        _JSON,
        Option(
            "-o --output", "Write to this file; .json or .txt in its name sets the format.", "FILE"
        ),
        _SCHEMA,
    ),
    ("FILE", "FILE.py, FILE.py:NAME, or a saved model."),
    variables=(),
)

LINT_FORMATS = ("terminal", "json", "sarif", "github")

LINT = Command(
    "lint",
    """Check build files before anything is built: Dockerfiles, requirements, pyproject.toml, locks, conda environments, notebooks,
    compose files, Kubernetes manifests, dev containers, Slurm scripts.

    Without a PATH, all of this directory. Exit status 1: a finding at --fail-on; 3: no file could be read.
    """,
    (
        Option("--driver", "For a machine with this NVIDIA driver, such as 535.104.05.", "VERSION"),
        Option(
            "--gpu",
            'For a machine with this GPU: a name ("RTX 3090"), a compute capability (8.6), or none for the CPU.',
            "GPU",
        ),
        Option(
            "--python", "For this Python version, such as 3.12, whatever the files say.", "VERSION"
        ),
        Option("--fix", "Write the edits that are certain into the files."),
        Option("--diff", "Show these edits, and write nothing."),
        _FAIL_ON,
        _IGNORE,
        _format(
            "Output format; sarif: for code scanning; github: annotations of a workflow.",
            LINT_FORMATS,
        ),
        _JSON,
        Option(
            "-o --output",
            "Write to this file; .json, .sarif or .txt in its name sets the format.",
            "FILE",
        ),
        _MATRIX,
        _SCHEMA,
        _COLOR,
    ),
    ("PATH...", "Files, or directories with all that is below them. [.]"),
    variables=(),
)

DIFF = Command(
    "diff",
    """Compare two reports: why one is broken, and what differs, most important first.

    Exit status 1: something that matters differs.
    """,
    (
        Option("--all", "Show every difference."),
        _format("Output format.", FORMATS),
        _JSON,
        _OUTPUT,
        _SCHEMA,
        _COLOR,
    ),
    (
        "A B",
        "Two reports that `check --json` wrote; - reads standard input, . checks this machine.",
    ),
    variables=(),
)

EXPLAIN = Command(
    "explain",
    "Say what a finding code means, how it is recognized and how it is fixed; without a code, list them all.",
    (
        Option("--list", "All codes with their meaning."),
        Option("--search", "The codes whose pages mention this.", "WORD"),
        Option(
            "-o --output",
            "Write to this file, as Markdown or, with .txt in its name, as text.",
            "FILE",
        ),
        _COLOR,
    ),
    ("CODE", "A finding code, such as driver-too-old, or a part of one."),
    variables=(),
)

MCP = Command(
    "mcp",
    """An MCP server on standard input and output. The assistant reads only what is named here and changes nothing.

    It needs the package mcp: python -m pip install '.[mcp]' in a clone.
    """,
    (
        Option(
            "--python",
            "An interpreter or environment that it can check; repeat it for more. [as check chooses]",
            "PATH",
            many=True,
        ),
        Option(
            "--allow",
            "A directory whose reports and logs it can read; repeat it for more.",
            "DIR",
            many=True,
        ),
    ),
    variables=(),
)


@record
class FixOptions:
    """The options of `fix`, and the code that it is about."""

    python: str
    kernel: str
    all: bool
    dry_run: bool
    yes: bool
    in_use: bool
    no_keep: bool
    in_place: bool
    undo: str | None
    listed: bool
    recover: bool
    json: bool
    output: str
    code: str = ""

    @property
    def subject(self) -> tuple[str, ...]:
        """How `check` is told the same environment."""
        from tfdoctor.apps.repair.offer import target

        return target(self.python, self.kernel)


FIX = Command(
    "fix",
    """Try a fix in a clone of the environment, and keep it only if it is proven to help. It can be undone.

    Exit status 0: it helped, or was undone; 1: it did not help, nothing was changed; 3: nothing to apply, or refused; 4: not
    put back completely.
    """,
    (
        Option("--python", "Fix this virtual environment, or that of this Python.", "PATH"),
        Option("--kernel", "Fix the environment of this Jupyter kernel.", "NAME"),
        Option("--all", "Go on with the next problem until nothing is left that can be fixed."),
        Option("--dry-run", "Show what would be changed, and change nothing."),
        Option("-y --yes", "Don't ask."),
        Option("--in-use", "Also where a program uses the environment."),
        Option("--no-keep", "Don't keep the old files: the fix can't be undone."),
        Option(
            "--in-place",
            "Where no private namespace can be had: try it in the environment itself, and put the old files back if it does not help.",
        ),
        Option(
            "--undo",
            "Put the old files back: of the last fix, or of that ID.",
            "[ID]",
            alone=LAST_FIX,
            convert=_id,
        ),
        Option("--list", "List the fixes that were made.", field="listed"),
        Option("--recover", "Bring interrupted fixes to an end: the environment as it was."),
        Option("--json", "Print the journal as JSON."),
        Option("-o --output", "Write to this file.", "FILE"),
        _SCHEMA,
        _COLOR,
    ),
    ("CODE", "Fix this problem. [the first that can be fixed]"),
    variables=(),
)

COMMANDS = {
    each.name: each
    for each in (CHECK, DIAGNOSE, FIX, RUN, FIT, HEALTHCHECK, PLAN, LINT, EXPLAIN, DIFF, MCP)
}
