"""The general rules for what no message explains: own code, packages, files, installers, commands, other programs, kernels."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from tfdoctor.base.expressions import Expression
from tfdoctor.base.records import record, replace
from tfdoctor.facts.log_values import Ending, Saying
from tfdoctor.facts.model import Facts
from tfdoctor.facts.outcome import Known, value_or
from tfdoctor.fix.commands import interpreter, operand, quoted
from tfdoctor.judge.log.candidate import Candidate
from tfdoctor.judge.log.cases import has_cases
from tfdoctor.judge.log.companions import partner, updated
from tfdoctor.judge.log.testimony import Testimony, place
from tfdoctor.judge.log.words import fix_here
from tfdoctor.knowledge.actions import act
from tfdoctor.knowledge.lines import Words
from tfdoctor.knowledge.messages.expressions import MODULE, OF_A_LAYER, WRAPPED
from tfdoctor.knowledge.model import Confidence, Finding, Fix, Role

# The general rules for an exception that no message of the knowledge explains: whose code raised it, and which file or host it names.

CODE = "python-exception"
_CALLED_DIRECTLY = {
    "tensorflow": "TensorFlow", "tensorflow-core": "TensorFlow", "tensorflow-cpu": "TensorFlow", "keras": "Keras", "tf-keras": "Keras", "numpy": "NumPy",
    "pandas": "pandas", "scipy": "SciPy", "scikit-learn": "scikit-learn", "h5py": "h5py", "pillow": "Pillow", "opencv-python": "OpenCV", "matplotlib": "Matplotlib",
    "optree": "Keras", "protobuf": "protobuf", "absl-py": "absl-py", "six": "six", "wrapt": "wrapt", "gast": "gast", "astunparse": "astunparse",
}  # fmt: skip
"""Packages whose exceptions are nearly always about the arguments of the call, so about the line that calls them."""
_KERAS = ("keras", "tf-keras")
_RUNNERS = ("ipython", "ipykernel", "click", "pytest", "pluggy", "fire", "typer")
"""Packages that only start the user's code."""
_OF_ARGUMENTS = Expression(
    r"^(?:\w{1,60}\.){0,8}(?:Value|Type|Key|Index|Assertion|NotImplemented|ZeroDivision|InvalidArgument|OutOfRange)?Error: (?!.{0,300}unexpected keyword argument)"
)
"""What a called package raises where its arguments are wrong, and the environment is not."""
_OF_VALUES = ("ValueError", "IndexError", "InvalidArgumentError")
_OF_THE_ENVIRONMENT = Expression(
    r"^(?:\w{1,60}\.){0,8}(?:Import|ModuleNotFound|Attribute|OS|IO|Environment|System|Connection|Timeout|Memory)Error\b"
)
_OF_A_VERSION = Expression(
    r"cannot import name|No module named|has no attribute|got an unexpected keyword argument"
)
_FRAME = Expression(r"^(?P<function>.{1,300}?) \((?P<file>.{1,1000}):(?P<line>\d{1,9}|\?)\)$")
_CLASS = Expression(r"^(?P<whole>(?:[A-Za-z_]\w{0,80}\.){0,10}(?P<name>[A-Za-z_]\w{1,80}))(?:: |$)")
"""An exception's class before its words; a message that was pasted alone has none."""
_FILE = (
    Expression(r"No such file or directory: b?'(?P<file>[^'\n]{1,400})'"),
    Expression(r"\[WinError [23]\][^:\n]{1,120}: '(?P<file>[^'\n]{1,400})'"),
    Expression(r"failed to Create/Open: (?P<file>[^\n;]{1,400}?) : "),
    Expression(r" (?P<file>[^\s;]{1,400}); No such file or directory"),
    Expression(r"SavedModel file does not exist at: (?P<file>[^\n{]{1,400}?)(?:/?\{|$)"),
    Expression(r"No file or directory found at (?P<file>\S{1,400})"),
    Expression(r"unable to open file: name = '(?P<file>[^'\n]{1,400})', errno = 2\b"),
    Expression(r"File not found: filepath=(?P<file>\S{1,400}?)\.?(?: |$)"),
    Expression(r"Failed to find any matching files for (?P<file>\S{1,400})"),
    Expression(
        r"Could not find SavedModel \.pb or \.pbtxt at [\w ]{0,40}: (?P<file>[^\n]{1,400}?)(?:\. Took |$)"
    ),
    Expression(r"Could not find directory (?P<file>[^\n]{1,400}?)\.?$"),
)
"""A file that is not there, in the words of Python, TensorFlow, Keras and HDF5 (threads of 2021 to 2025)."""
_DENIED = Expression(
    r"PermissionDeniedError: (?P<file>[^;\n]{1,300}); |\[Errno 13\] Permission denied: '(?P<python>[^'\n]{1,300})'"
)
_DAMAGED = Expression(
    r"[Ff]ile signature not found|is not a zip file|[Nn]ot a gzipped file|invalid load key|truncated file|[Cc]hecksum|hash value|Compressed file ended|(?:corrupted|truncated) record"
)
_FETCHED = Expression(
    r"URL fetch failure|CERTIFICATE_VERIFY_FAILED|certificate verify failed|name resolution|Name or service not known|getaddrinfo failed|nodename nor servname|No address associated with hostname|Failed to resolve|HTTP ?Error\b|URLError|Max retries exceeded|Connection (?:refused|reset|aborted|timed out)|SSLError|Error executing an HTTP request"
)
_CERTIFICATE = Expression(r"CERTIFICATE_VERIFY_FAILED|certificate verify failed")
_HOST = Expression(r"(?:host='|https?://|Failed to resolve ')(?P<host>[A-Za-z0-9][\w.-]{2,200})")
_STATUS = Expression(r"^(?:[A-Z_]{5,30}|Invalid argument): ")
"""TensorFlow's status before its words: the class says it already."""
_OF_A_GRAPH = Expression(r"\bin user code:|\{\{(?:function_)?node |Graph execution error|\bat node '")
_LONGEST_IN_TITLE = 160
_NO_ENVIRONMENT = "Not an environment problem: "


@record
class Answer:
    """What a general rule says: the title, a sentence or two, and what to do.

    explains: the title tells more than the exception itself.
    """

    title: str
    words: str
    fixes: tuple[Fix, ...]
    explains: bool = True


def uncaught(facts: Facts, told: Testimony, last: Ending, raised: Ending, known: str = "") -> Candidate:
    """The finding for the exception `last`; `raised` is the one of its chain that has a place in the program, `known` its title."""
    answer = _answer(facts, last, raised)
    title, message = known or answer.title, _message(last.what).rstrip(". ")
    said = "" if message in title else f"The last line: {message}."
    explanation = " ".join(filter(None, (said, answer.words, _worked(told))))
    confidence = Confidence.CERTAIN if known or answer.explains else Confidence.POSSIBLE
    return Candidate(CODE, confidence, (place(last),), explanation, title=title)


def beside_others(finding: Finding, others: Sequence[Finding]) -> Finding:
    """The finding without its claim about the environment where another one is a root."""
    if finding.code != CODE or all(each is finding or each.role is not Role.ROOT for each in others):
        return finding
    return replace(finding, title=_capital(finding.title.removeprefix(_NO_ENVIRONMENT)))


def _capital(words: str) -> str:
    return words[:1].upper() + words[1:]


def uncaught_fixes(facts: Facts, last: Ending, raised: Ending) -> tuple[Fix, ...]:
    return _answer(facts, last, raised).fixes


def with_a_place(raised: Sequence[Ending], last: Ending) -> Ending:
    """The exception of the run that the last one names within its own words, or that says the same where the last one shows no line of
    the user's: another process, or the one that raised it again, may have none."""
    before = (each for each in reversed(raised[:-1]) if each.frame and _is_of(last, each))
    return next(before, last)


def _is_of(last: Ending, earlier: Ending) -> bool:
    words = earlier.what.rstrip(".")
    wrapper, found, after = last.what.partition(words)
    if not wrapper:
        return bool(found) and not after.strip(".") and not last.own
    return bool(found) and not wrapper[-1].isalnum() and not after[:1].isalnum()


def _answer(facts: Facts, last: Ending, raised: Ending) -> Answer:
    """That of the first rule that applies."""
    rules = (_missing_file, _denied_file, _download, _damaged_file, _third_party, _own_code)
    found = (answer for rule in rules if (answer := rule(facts, last, raised)) is not None)
    return next(found, None) or _without_traceback(last, raised)


def _missing_file(facts: Facts, last: Ending, raised: Ending) -> Answer | None:
    found = next((found for form in _FILE if (found := form.search(last.what))), None)
    if found is None:
        return None
    file = found["file"].strip()
    windows = value_or(facts.host.os, "") == "windows" or "\\" in file
    relative = not file.startswith(("/", "~", "\\")) and file[1:2] != ":"
    here = ("cd" if windows else "pwd",) if relative else ()
    note = "A relative path counts from the directory in which the program is started." if relative else ""
    look = Fix("Check whether the file exists", (*here, _listing(file, windows=windows)), note)
    correct = (act("words", "correct-path", place=_place(raised, short=True)),) if raised.own else ()
    if file[:1] in "'\"" and file[:1] == file[-1:]:
        title = f"File not found: {file}. The quotes are part of the name."
        return Answer(title, _asked_in(raised), (act("change-file", "remove-quotes-from-path"), *correct))
    other = (act("change-file", "rename-to-ascii"),) if windows and not file.isascii() else ()
    return Answer(f"File not found: {file}.", _asked_in(raised), (look, *other, *correct))


def _denied_file(facts: Facts, last: Ending, raised: Ending) -> Answer | None:
    found = _DENIED.search(last.what)
    if found is None:
        return None
    file = (found["file"] or found["python"]).strip()
    windows = value_or(facts.host.os, "") == "windows" or "\\" in file
    look = Fix(
        "Check its permissions",
        (f'icacls "{file}"',) if windows else (quoted("ls", "-ld", operand(file)), "id"),
    )
    return Answer(f"No permission for {file}.", _asked_in(raised), (look,))


def _asked_in(raised: Ending) -> str:
    return f"Your program asks for it in {_in_words(raised)}." if raised.own else ""


def _download(facts: Facts, last: Ending, raised: Ending) -> Answer | None:
    if _FETCHED.search(last.what) is None:
        return None
    found = _HOST.search(last.what)
    host = found["host"].rstrip(".") if found else ""
    ask = act(
        "look", "host-reachable", asked=quoted("curl", "-sSI", f"https://{host or 'www.tensorflow.org'}")
    )
    title = f"Download failed{f' from {host}' if host else ''}: {_in_title(last.what)}"
    if _CERTIFICATE.search(last.what):
        update = (
            fix_here(facts, "install-software", "certificates")
            if value_or(facts.host.os, "") == "macos"
            else fix_here(facts, "change-packages", "update-certificates")
        )
        return Answer(title, "Python does not trust the host's certificate.", (update, ask))
    return Answer(title, "The machine, its network, or the host refused the download.", (ask,))


def _damaged_file(facts: Facts, last: Ending, raised: Ending) -> Answer | None:
    if _DAMAGED.search(last.what) is None:
        return None
    look = act("look", "file-size")
    words = "The file is incomplete, damaged or of another format than its reader expects."
    return Answer(f"Damaged or wrong file: {_in_title(last.what)}", words, (look,))


def package_below(raised: Ending) -> str:
    """The innermost third-party package below the user's code; "" where the user's code itself, or its call of TensorFlow, Keras, NumPy or the like, raised."""
    others = (
        each for each in reversed(raised.below) if each not in _CALLED_DIRECTLY and each not in _RUNNERS
    )
    return next(others, "")


def _third_party(facts: Facts, last: Ending, raised: Ending) -> Answer | None:
    package = package_below(raised)
    if not package:
        return None
    words = "Usually the package and TensorFlow, Keras or NumPy have incompatible versions."
    of_values = raised.below[-1] not in _KERAS and _class(last.what) in _OF_VALUES
    if of_values:
        words = "The values passed to it do not fit, or its version does not fit TensorFlow, Keras or NumPy."
    elif raised.below[-1] in _KERAS:
        words = f"{package} calls Keras here. Usually it was written for the other major version of Keras (2 or 3)."
    if raised.own:
        words = f"{words} Your program called it in {_in_words(raised)}."
    title = f"Raised inside {package}{'' if of_values else ', not in your code'}: {_in_title(last.what)}"
    return Answer(title, words, (
        fix_here(facts, "look", "package-versions", package=package),
        updated(facts, partner(package)),
        act("new-environment", "try-new-environment", package=package),
    ))  # fmt: skip


def _own_code(facts: Facts, last: Ending, raised: Ending) -> Answer | None:
    if not raised.own:
        return None
    name = _class(last.what) or "an exception"
    at, called = _place(raised, short=True), raised.below[-1] if raised.below else ""
    is_own = _OF_ARGUMENTS.search(last.what) if called else not _OF_THE_ENVIRONMENT.search(last.what)
    sure = _NO_ENVIRONMENT if is_own else ""
    by = (
        f"{_CALLED_DIRECTLY.get(called, called)} raised {name} for the call"
        if called
        else f"your program raised {name}"
    )
    title = _capital(f"{sure}{by} in {at}.")
    words = f"The innermost line outside installed packages: {_in_words(raised)}."
    if _OF_A_VERSION.search(last.what):
        words += " If the name or argument exists in another version of the package, the code was written for that version."
    return Answer(title, words, _eagerly(last))


def _without_traceback(last: Ending, raised: Ending) -> Answer:
    title = (
        f"The program ended with {_in_title(last.what)}"
        if _class(last.what)
        else f"The program's own error: {_in_title(last.what)}"
    )
    if raised.frame:
        fixes = (act("edit-program", "whole-traceback"), *_eagerly(last))
        return Answer(title, f"It was raised in {_in_words(raised)}.", fixes)
    words = "This text has no traceback, so it does not show which line raised it."
    if (missing := MODULE.search(last.what)) is not None:
        title = f"Python does not find the module {missing['module']}."
        return Answer(title, words, (act("look", "own-line"),))
    return Answer(title, words, (act("look", "own-line"), *_eagerly(last)), explains=False)


def _eagerly(last: Ending) -> tuple[Fix, ...]:
    """() where the exception did not come out of a graph."""
    return (act("edit-program", "eager"),) if _OF_A_GRAPH.search(last.what) else ()


def _worked(told: Testimony) -> str:
    """What the log shows to have worked before."""
    epochs = told.named("epoch")
    seen = (
        "TensorFlow created the GPU device" if told.named("gpu-created", "gpu-created-old", "pluggable-created") else "",
        "cuDNN was loaded" if told.named("cudnn-loaded") else "",
        f"the training reached epoch {epochs[-1].told['epoch']} of {epochs[-1].told['total']}" if epochs else "",
    )  # fmt: skip
    shown = [each for each in seen if each]
    return f"Before that, {' and '.join(shown)}." if shown else ""


def _listing(file: str, *, windows: bool) -> str:
    plain = file.rstrip("\\\"'") or file  # a backslash before the closing quote would take it away
    return f'dir "{plain}"' if windows else quoted("ls", "-ld", operand(file))


def _in_words(raised: Ending) -> str:
    found = _FRAME.match(raised.frame)
    within = f", in {found['function']}" if found is not None and found["function"] != "<module>" else ""
    return f"{_place(raised)}{within}"


def _place(raised: Ending, *, short: bool = False) -> str:
    """ "train.py, line 12"."""
    found = _FRAME.match(raised.frame)
    if found is None:
        return raised.frame
    file = found["file"].replace("\\", "/").rpartition("/")[2] if short else found["file"]
    return file if found["line"] == "?" else f"{file}, line {found['line']}"


def _class(words: str) -> str:
    """The exception's class without its modules, as "ValueError" or "cv2.error"; "" for a message alone."""
    found = _CLASS.match(words)
    if found is None:
        return ""
    return found["name"] if found["name"][:1].isupper() else found["whole"]


def _message(words: str) -> str:
    """ "SomeError: why", on one line, without the modules before the class and without wrappers that say nothing."""
    name = _class(words)
    message = " ".join(
        (words.partition(":")[2] if name else words).replace("Graph execution error:", "", 1).split()
    )
    message = OF_A_LAYER.sub("", WRAPPED.sub("", message, count=1), count=1).strip()
    message = _STATUS.sub("", message, count=1)
    return ": ".join(filter(None, (name, message)))


def _in_title(words: str) -> str:
    text = _message(words).rstrip(".: ")
    return f"{text}." if len(text) <= _LONGEST_IN_TITLE else f"{text[:_LONGEST_IN_TITLE]} …"


# An installer that stopped: its own sentence whole, then the one thing that is known here, which versions fit together.

INSTALLER_STOPPED_CODE = "installer-stopped"
_TOOLS = ("pip", "conda", "poetry", "uv", "pixi", "pdm", "pipenv", "bazel")
_UNREACHED = "pip-index-unreached"
_NO_INDEX = "pip requested the list of versions repeatedly, and the connection failed each time. If it says that nothing fits, that is only a consequence; the Python is not the cause."
_LASTING = ("Retry(total=0", "ertificate", "SSLError", "name resolution", "getaddrinfo failed")
"""What no next try takes away."""
_LONGEST = 240  # characters of a title


def installer_stopped(told: Testimony, saying: Saying) -> Candidate | None:
    """The last of the messages that say most; None for a message of another code."""
    if saying.code != INSTALLER_STOPPED_CODE:
        return None
    said = told.of(INSTALLER_STOPPED_CODE)
    if any(has_cases(each.name) for each in said):
        return None  # what it lacked is known
    sure = min((Confidence(each.sure) for each in said), key=lambda each: each.rank)
    last = [each for each in said if each.sure == sure.value][-1]
    tool, sentence = _tool(last), last.told.get("message") or last.text
    if reason := _of_the_build(told):
        sentence = f"{sentence.rstrip('.:')} ({reason})"
    short = sentence if len(sentence) <= _LONGEST else f"{sentence[:_LONGEST].rpartition(' ')[0]} …"
    cut = short != sentence
    words = f"{tool}'s whole message: {_ended(sentence)}" if cut else f"These are {tool}'s own words."
    return Candidate(
        INSTALLER_STOPPED_CODE,
        Confidence.CERTAIN,
        (place(last),),
        words,
        title=f"{tool} stopped: {_ended(short)}",
    )


def index_unreached(told: Testimony, saying: Saying) -> Candidate | None:
    """None where pip reached its index, or found releases all the same."""
    broken = told.named(_UNREACHED)
    if (
        not broken
        or saying.code != "python-unsupported"
        or saying.told.get("version", "none") not in ("none", "")
    ):
        return None
    return _unreached(Confidence.CERTAIN, broken[0], saying)


def never_reached(told: Testimony) -> Candidate | None:
    """pip's tries alone, where its last word was not pasted and no later line shows that it got on."""
    broken = told.named(_UNREACHED)
    if not broken or told.codes or told.ended_well or not any(each in broken[-1].text for each in _LASTING):
        return None
    if any(place(each) > place(broken[-1]) for each in told.named("pip-at-work")):
        return None
    return _unreached(Confidence.LIKELY, broken[0])


def _unreached(sure: Confidence, broken: Saying, *ends: Saying) -> Candidate:
    title = "pip could not reach the package index."
    if _CERTIFICATE.search(broken.text):
        title = "pip does not trust the package index's certificate; usually a proxy signed it."
    at = tuple(map(place, (broken, *ends)))
    return Candidate(INSTALLER_STOPPED_CODE, sure, at, _NO_INDEX, title=title)


def _of_the_build(told: Testimony) -> str:
    """What the build of a package says beside the installer: the compiler's error, or the last exception."""
    compilers = [each.text for each in told.named("build-lacks")]
    raised = [each.what for each in told.raised[-1:]]
    return next((each.strip()[:_LONGEST] for each in (*compilers[-1:], *raised)), "")


def _ended(sentence: str) -> str:
    return sentence if sentence.endswith((".", "?", "!", "…")) else f"{sentence.rstrip(':')}."


def _tool(saying: Saying) -> str:
    """The tool that a message is named for."""
    name = saying.name.partition("-")[0]
    return name if name in _TOOLS else "pip"


def stopped_fixes(facts: Facts, told: Testimony) -> tuple[Fix, ...]:
    """A look at pip's index where it was not reached, else the command that prints an install line that works."""
    if broken := told.named(_UNREACHED):
        trust = fix_here(facts, "set-variable", "trust-proxy-certificate")
        look = fix_here(facts, "look", "pip-config")
        return (trust, look) if _CERTIFICATE.search(broken[0].text) else (look,)
    python = facts.interpreter.version
    of = Words(
        f" --python {python.value.feature}"
        if isinstance(python, Known) and python.value.feature.startswith("3.")
        else ""
    )
    return (act("plan", "plan-from-log", of=of),)


# Commands that the shell could not start: not found (127), not executable (126), or without their interpreter.

_CODE = "command-not-started"
_LOOKS = ("nvidia-smi", "nvcc")
"""Commands that people type to look at the machine."""


def is_look(told: Testimony, saying: Saying) -> bool:
    """Whether somebody only looked at the machine with a tool that is missing, beside the actual failure."""
    if saying.code != _CODE or _name(_program(saying)) not in _LOOKS:
        return False
    if any(_name(_program(saying)) in each.what.lower() for each in told.raised):
        return False  # the program itself called it
    others = (each for each in told.sayings if each.role == "cause" and each.code != _CODE)
    return any(others) or any(each.how in ("exception", "signal") for each in told.endings)


def without_activation(told: Testimony, saying: Saying) -> bool:
    """Whether PowerShell ran no script, and a program that lacked nothing of an environment's was started after it."""
    if saying.name != "scripts-not-allowed" or not told.raised:
        return False
    return not any("No module named" in each.what for each in told.raised)


def _program(saying: Saying) -> str:
    return saying.told.get("process") or saying.told.get("file") or ""


def _name(program: str) -> str:
    """ "pip" of /opt/env/bin/pip3.10."""
    return program.rpartition("/")[2].rstrip("0123456789.")


# Failures that another framework or language reports: TensorFlow has no part in them, and its fixes do not help.

_OTHER_PROGRAMS_CODE, _REPORTED = "other-program-failed", "reported-by-"
_OTHER_PROGRAMS_LONGEST = 160  # characters of a message in a title

_JAX = ("JAX", "{python} -c 'import jax; print(jax.__version__, jax.devices())'")
_PROGRAMS: Mapping[str, tuple[str, str]] = {
    "torch": ("PyTorch", "{python} -c 'import torch; print(torch.__version__, torch.version.cuda, torch.cuda.is_available())'"),
    "jax": _JAX,
    "jaxlib": _JAX,
    "cupy": ("CuPy", "{python} -c 'import cupy; cupy.show_config()'"),
    "numba": ("Numba", "{python} -m numba -s"),
    "node": ("Node.js", "npm ls --depth=0"),
    "java": ("Java", "java -version"),
    "dotnet": (".NET", "dotnet --info"),
    "r": ("R", 'Rscript -e "reticulate::py_config()"'),
    "serving": ("TensorFlow Serving", "ls -R /models"),
    "triton": ("Triton", "ls -R model_repository"),
}  # fmt: skip
"""The name and a read-only look at it, by the distribution or by the end of the message's name."""
_LANGUAGES = ("node", "java", "dotnet")
"""Their messages may look like an exception of Python's, with frames of their own below."""
_OF_A_LIBRARY = ("shared-library-missing", "tensorflow-install-broken", "windows-runtime-missing")


def of_message(facts: Facts, saying: Saying) -> Candidate | None:
    """The finding for a message of another program; None for any other message."""
    if not saying.name.startswith(_REPORTED):
        return None
    message, sure = saying.told.get("message", ""), Confidence(saying.sure)
    return _reported(facts, _other_programs_program(saying), message, saying, sure)


def of_exception(facts: Facts, told: Testimony, last: Ending) -> Candidate | None:
    """The finding for an exception that another framework raised; None where it was raised elsewhere."""
    if last.package in _PROGRAMS:
        return _reported(facts, last.package, last.what, last, Confidence.CERTAIN)
    bare = not last.through and not last.frame
    said = (
        each
        for each in told.of(_OTHER_PROGRAMS_CODE)
        if each.name.startswith(_REPORTED)
        and (place(each) == place(last) or (bare and _other_programs_program(each) in _LANGUAGES))
    )
    programs = map(_other_programs_program, said)
    return next((_reported(facts, each, last.what, last, Confidence.LIKELY) for each in programs), None)


def of_another_language(told: Testimony, saying: Saying) -> bool:
    """Whether the loader's words are about the library of a program in Node.js, Java or .NET, and not of a Python package."""
    return saying.code in _OF_A_LIBRARY and any(
        _other_programs_program(each) in _LANGUAGES for each in told.of(_OTHER_PROGRAMS_CODE)
    )


def _reported(facts: Facts, program: str, message: str, at: Saying | Ending, sure: Confidence) -> Candidate:
    name, test = _PROGRAMS[program]
    title = f"Reported by {name}, not TensorFlow{_shown(message)}."
    words = f"{name} has a build and libraries of its own."
    look = act(
        "look", "framework", called=name, command=Words(test.format(python=quoted(interpreter(facts))))
    )
    return Candidate(_OTHER_PROGRAMS_CODE, sure, (place(at),), words, title=title, fixes=(look,))


def _shown(message: str) -> str:
    text = message.rstrip(". ")
    return (
        f": {text if len(text) <= _OTHER_PROGRAMS_LONGEST else text[:_OTHER_PROGRAMS_LONGEST] + ' …'}"
        if text
        else ""
    )


def _other_programs_program(saying: Saying) -> str:
    return saying.name.removeprefix(_REPORTED)
