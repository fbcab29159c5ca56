"""The general rules for an exception that no message of the knowledge explains: whose code raised it, and which file or host it names."""

from __future__ import annotations

from collections.abc import Sequence

from tfdoctor.checks.log.candidate import Candidate
from tfdoctor.checks.log.companions import keeping_tensorflow, partner
from tfdoctor.checks.log.testimony import Testimony, place
from tfdoctor.facts.log_values import Ending
from tfdoctor.facts.model import Facts
from tfdoctor.facts.outcome import value_or
from tfdoctor.findings.fix import fix
from tfdoctor.findings.model import Confidence, Finding, Fix, Role
from tfdoctor.findings.pages import ways_out
from tfdoctor.fixes.commands import interpreter, quoted
from tfdoctor.light.expressions import Expression
from tfdoctor.light.records import record, replace
from tfdoctor.signatures.own_errors import OF_A_LAYER, WRAPPED

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
_OF_THE_ENVIRONMENT = Expression(
    r"^(?:\w{1,60}\.){0,8}(?:Import|ModuleNotFound|Attribute|OS|IO|Environment|System|Connection|Timeout|Memory)Error\b"
)
_OF_A_VERSION = Expression(
    r"^(?:\w{1,60}\.){0,8}(?:Import|ModuleNotFound|Attribute)Error\b|got an unexpected keyword argument"
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
_HOST = Expression(r"(?:host='|https?://|Failed to resolve ')(?P<host>[A-Za-z0-9][\w.-]{2,200})")
_STATUS = Expression(r"^(?:[A-Z_]{5,30}|Invalid argument): ")
"""TensorFlow's status before its words: the class says it already."""
_LONGEST_IN_TITLE = 160
_NO_ENVIRONMENT = "Not an environment problem: "
VERSIONS = "See which versions are installed"


@record
class Answer:
    """What a general rule says: the title, a sentence or two, and what to do."""

    title: str
    words: str
    fixes: tuple[Fix, ...]


def uncaught(facts: Facts, told: Testimony, last: Ending, raised: Ending) -> Candidate:
    """The finding for the exception `last`; `raised` is the one of its chain that has a place in the program."""
    answer = _answer(facts, last, raised)
    sentences = (f"The last line: {_message(last.what).rstrip('. ')}.", answer.words, _worked(told))
    explanation = " ".join(filter(None, sentences))
    return Candidate(CODE, Confidence.CERTAIN, (place(last),), explanation, title=answer.title)


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
    """The exception of the run that says the same and has a frame: another process, or the one that re-raised it, may have none."""
    return next((each for each in raised[:-1] if each.frame and each.what.rstrip(".") in last.what), last)


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
    correct = (fix("or-correct-path-in", place=_place(raised, short=True)),) if raised.own else ()
    return Answer(f"File not found: {file}.", _asked_in(raised), (look, *correct))


def _denied_file(facts: Facts, last: Ending, raised: Ending) -> Answer | None:
    found = _DENIED.search(last.what)
    if found is None:
        return None
    file = (found["file"] or found["python"]).strip()
    windows = value_or(facts.host.os, "") == "windows" or "\\" in file
    look = Fix(
        "See who may read and write it",
        (f'icacls "{file}"',) if windows else (quoted("ls", "-ld", file), "id"),
    )
    other = fix("or-write-to-directory-own")
    return Answer(f"No permission for {file}.", _asked_in(raised), (look, other))


def _asked_in(raised: Ending) -> str:
    return f"Your program asks for it in {_in_words(raised)}." if raised.own else ""


def _download(facts: Facts, last: Ending, raised: Ending) -> Answer | None:
    if _FETCHED.search(last.what) is None:
        return None
    found = _HOST.search(last.what)
    host = found["host"].rstrip(".") if found else ""
    ask = Fix(
        "Ask the host from the same machine",
        (quoted("curl", "-sSI", f"https://{host or 'www.tensorflow.org'}"),),
    )
    by_hand = fix("or-download-file-elsewhere-and-pass")
    words = "The machine, its network or the host refused the download; TensorFlow did not fail."
    return Answer(
        f"Download failed{f' from {host}' if host else ''}: {_in_title(last.what)}", words, (ask, by_hand)
    )


def _damaged_file(facts: Facts, last: Ending, raised: Ending) -> Answer | None:
    if _DAMAGED.search(last.what) is None:
        return None
    look = fix("check-files-size-and-download-again")
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
    python = interpreter(facts)
    words = "Usually the package and TensorFlow, Keras or NumPy have incompatible versions."
    if raised.below[-1] in _KERAS:
        words = f"{package} calls Keras here. Usually it was written for the other major version of Keras (2 or 3)."
    if raised.own:
        words = f"{words} Your program called it in {_in_words(raised)}."
    title = f"Raised inside {package}, not in your code: {_in_title(last.what)}"
    return Answer(title, words, (
        fix("see-versions-are-installed", python=python, package=package),
        fix("update", package=package, python=python, partner=partner(package), keeping=keeping_tensorflow(facts)),
        fix("or-try-new-environment-2", package=package),
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
    words = f"The innermost line of your own code: {_in_words(raised)}."
    if _OF_A_VERSION.search(last.what):
        words += " If the name or argument exists in another version of the package, the code was written for that version."
    look = fix("look-at", at=at)
    return Answer(title, words, (look, *ways_out(CODE)))


def _without_traceback(last: Ending, raised: Ending) -> Answer:
    title = (
        f"The program ended with {_in_title(last.what)}"
        if _class(last.what)
        else f"The program's own error: {_in_title(last.what)}"
    )
    if raised.frame:
        return Answer(title, f"It was raised in {_in_words(raised)}.", ways_out(CODE))
    look = fix("find-last-line-own-code-in")
    return Answer(
        title,
        "This text has no traceback, so it does not show which line raised it.",
        (look, *ways_out(CODE)[1:]),
    )


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
    return f'dir "{plain}"' if windows else quoted("ls", "-ld", file)


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
