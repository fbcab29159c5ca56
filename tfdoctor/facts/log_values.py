"""What a log tells: sayings, ends, tracebacks and the allocator's accounts. Lines count from 1, files from 0."""

from __future__ import annotations

from typing import ClassVar

from tfdoctor.base.records import field, record
from tfdoctor.facts.outcome import NOT_ASKED, Absent, Fact

NOT_TOLD = Absent("the log does not tell it")


@record
class Saying:
    """A text that was recognised. `name` is its signature's, `code` the finding that it speaks of ("" for none)."""

    name: str
    code: str
    role: str  # "cause", "noise", "success", "fact"
    sure: str  # what the text alone proves: "certain", "likely", "possible"
    file: int
    line: int
    text: str
    told: dict[str, str] = field(default_factory=dict)
    process: str = ""  # rank, worker or container that a prefix names; "" where none does
    run: int = 0  # which of several runs in one log
    rivals: tuple[str, ...] = ()
    decided_by: tuple[str, ...] = ()
    clears: tuple[str, ...] = ()


WITHOUT_ITS_HEAD = "faulthandler's stack"
"""The words of an ending that is told by the stack of its thread alone: what kind of death it was stood above."""


@record
class Ending:
    """How a run, or one process of it, ended. `how`: "exception", "signal", "exit", "success", or "refused" where a program's own
    parser did not take its command line, "cut" where the text ends within a traceback.

    `status` is the signal's number or the exit status, `what` the exception's last line, the words of the shell or of the parser.
    """

    how: str
    status: int
    what: str
    file: int
    line: int
    process: str = ""
    run: int = 0
    frame: str = ""  # of an exception or a crash: the user's innermost frame, "function (file:line)"; of a refusal: the program
    package: str = ""  # the distribution in whose code it was raised, "" for the user's own
    chained: tuple[str, ...] = ()  # the exceptions before it, the innermost first
    container: bool = False  # the words are a container's or a pod's
    through: tuple[
        str, ...
    ] = ()  # the distributions of all its frames, the outermost first, none twice
    own: bool = False  # `frame` is in the user's code
    below: tuple[str, ...] = ()  # the same of the frames below the user's innermost one
    inside: tuple[
        str, ...
    ] = ()  # the modules of its frames in installed packages, the innermost last
    source: str = ""  # the innermost frame's own line, where it is an import
    shadow: str = (
        ""  # the user's own file that an installed module got in place of another of that name
    )
    roots: tuple[
        str, ...
    ] = ()  # the folders that hold installed packages of its frames, the innermost last
    doing: str = ""  # by its frames: "importing" a package, "weights" that were read, "building" of variables, "" for anything else

    @property
    def by_hand(self) -> bool:
        """Somebody pressed Ctrl+C, or a notebook's stop button."""
        return self.how == "exception" and self.what.startswith("KeyboardInterrupt")


@record
class Dump:
    """The accounts of TensorFlow's allocator when it ran out. Bytes; Absent where the log does not tell."""

    file: int
    line: int
    device: str
    requested: Fact[int] = NOT_TOLD
    limit: Fact[int] = NOT_TOLD
    in_use: Fact[int] = NOT_TOLD
    pool: Fact[int] = NOT_TOLD  # what the allocator has got from the driver so far
    free: Fact[int] = NOT_TOLD  # the sum of its free pieces
    largest_free: Fact[int] = NOT_TOLD
    op: str = ""
    run: int = 0
    process: str = ""


@record
class OpenEnd:
    """Something began and nothing is told after it. `kind`: "epoch", "progress" (a bar at 0), "server", "server-localhost",
    "nccl" (within an epoch), "nccl-alone", "gpus" (several that work together), "shuffle" (a buffer that is not full yet), "large-alloc", "stopped" (it ends in ^C)."""

    kind: str
    file: int
    line: int


@record
class Surroundings:
    """Where the program ran, beyond what other facts hold. "" and False: the log does not show it."""

    service: str = ""  # "colab", "kaggle", "heroku" …: a host by its message in data/knowledge/facts/hosts.yaml
    serving: bool = False  # TensorFlow Serving, a model server without Python
    jax: bool = False  # JAX, whose XLA writes lines of TensorFlow's form
    desktop: bool = False  # Docker Desktop is named
    compose: bool = False  # docker compose started it
    node: bool = (
        False  # a program of Node.js (TensorFlow.js), which brings TensorFlow without Python
    )
    program: str = (
        ""  # one that brings TensorFlow without Python: "java", "dotnet", "native" (Rust, Go, C)
    )
    asked: bool = (
        False  # the start of a container asked for a GPU: --gpus, --nv, the runtime nvidia
    )
    notebook: str = ""  # the notebook's file, "notebook" where it has no name
    conda: bool = False
    jetson: bool = False  # one of NVIDIA's ARM boards
    no_gpu: int = 0  # the line that shows an empty list of GPUs
    gpu_gone: int = 0  # the line that does so after another list had one
    cpu_build: int = 0  # the line in which TensorFlow says that it was built without CUDA
    xla_gpu: bool = False  # the device XLA_GPU is listed
    conda_build: str = (
        ""  # a build without CUDA by the column Build of conda's list, "cpu_py39h4655687_0"
    )
    cpu_package: str = (
        ""  # the package without CUDA in a list or in pip's command, "tensorflow-cpu 2.15.0"
    )
    worked: int = (
        0  # the last line of a program's own progress, looked for where the driver refused memory
    )
    stepped: int = 0  # the last line that tells of the program's own progress
    spoke: int = 0  # the same, or the last in which the program itself informs of something
    caret: int = 0  # the line of a ^C with which the log ends
    gpus: int = 0  # how many TensorFlow created
    written: str = ""  # the month, "2022-05"
    typed: tuple[str, ...] = ()  # the commands that are shown typed, without their prompt
    started: str = ""  # the file of the Python program that a command starts
    editor: bool = False  # an editor that starts programs is named: PyCharm, VS Code, Spyder
    terminal: bool = False  # somebody says that it works in a terminal
    cards: tuple[str, ...] = ()  # GPUs that are named in words or by nvidia-smi: "RTX 3090"
    other_gpu: str = ""  # a GPU of Intel's or AMD's that is named, where none of NVIDIA's is
    uv: str = ""  # "add" in a project of uv's, "pip" where uv installs into an environment: neither has pip
    project: str = (
        ""  # what keeps the environment: "poetry", "pdm", "pipenv", "pipx:NAME" of a program
    )
    as_root: bool = False  # a program was started by sudo, or somebody says that it works so
    own_gpu: bool = False  # somebody says that there is a GPU
    granted: bool = False  # a scheduler's options or variables give GPUs to the job
    device_option: bool = False  # a command's option names a GPU as the device
    packages: tuple[
        str, ...
    ] = ()  # of those that fixes name as examples, the ones that the log names, too
    metal: bool = False  # Apple's plug-in for the GPUs of Macs is named
    shell: str = ""  # "powershell" or "cmd", by its prompt
    nix: bool = False  # Nix, whose programs look into no folder of the system for libraries
    oldest: str = ""  # TensorFlow's minor release by the forms of its lines, "2.11"
    newest: str = ""


@record
class LogFile:
    """One log of the case. `kind`: "text", "gzip", "notebook" …; `note` says what was left unread."""

    JSON: ClassVar = "name kind encoding bytes lines note?"
    SCHEMA: ClassVar = {
        "kind": {"enum": ["text", "gzip", "xz", "bzip2", "zstd", "notebook"]},
        "note": "What was left unread, and why.",
    }

    name: str
    kind: str
    encoding: str
    bytes: int
    lines: int
    note: str = ""


@record
class NoiseCount:
    """A kind of line that means nothing, with its first place and how often it stands there."""

    JSON: ClassVar = "file line count pattern=name text why"
    SCHEMA: ClassVar = {"count": {"minimum": 1}}

    name: str
    file: int
    line: int
    count: int
    text: str
    why: str


@record
class Log:
    """What a log says (`tfdoctor/ask/logs/`). Of several runs in it `run` is the last one, which is judged."""

    files: Fact[tuple[LogFile, ...]] = NOT_ASKED
    sayings: Fact[tuple[Saying, ...]] = NOT_ASKED  # in the order in which they stand; Absent: none
    endings: Fact[tuple[Ending, ...]] = NOT_ASKED
    dumps: Fact[tuple[Dump, ...]] = NOT_ASKED
    opened: Fact[tuple[str, ...]] = (
        NOT_ASKED  # CUDA libraries that TensorFlow says it opened (up to 2.5)
    )
    noise: Fact[tuple[NoiseCount, ...]] = NOT_ASKED
    run: Fact[int] = NOT_ASKED  # 0 where the log holds one run
    open_end: Fact[OpenEnd] = NOT_ASKED  # Absent: an end is told, or progress to the last
    surroundings: Fact[Surroundings] = NOT_ASKED
