"""Texts in an encoding that does not hold their characters, and bytes that are no text in the encoding that was assumed."""

from __future__ import annotations

from tfdoctor.checks.log.modules.absent import in_a_notebook
from tfdoctor.checks.log.outside.reading import OF_THE_PROGRAM, Meant
from tfdoctor.checks.log.testimony import Testimony
from tfdoctor.facts.log_values import Ending
from tfdoctor.facts.model import Facts
from tfdoctor.facts.outcome import value_or
from tfdoctor.findings.model import Fix
from tfdoctor.fixes.commands import quoted
from tfdoctor.signatures.outside.errors import DECODED, ENCODED, NOT_MADE

_UTF_8 = ("utf-8", "utf8", "utf_8")
_CODE_PAGES = ("charmap", "mbcs", "gbk", "cp932", "cp949", "cp950", "gb2312", "big5", "shift_jis", "euc_kr")
_UTF_8_MODE = Fix(
    "Have Python use UTF-8 for files and for what it prints, before the program is started",
    ("export PYTHONUTF8=1",),
    "Python 3.7 and newer read it as they start. In an IDE it belongs into the environment variables of the run configuration.",
)
_NO_BAR = Fix(
    "Or have Keras draw no bar",
    note="In your files: verbose=2 in fit, evaluate and predict. model.summary() draws a frame, too.",
)
_PLAIN = Fix(
    "Put the program and its files into a folder whose whole path has plain letters alone, and start it there",
    (r"mkdir C:\work",),
    "The name of the user counts as well, where the files are below it.",
)
_FILES = (".lib.io.file_io", ".ops.gen_io_ops", ".io_ops", ".saved_model.", ".checkpoint.", "h5py.", ".training.", ".eager.execute", "saving")  # fmt: skip
"""Modules of TensorFlow, Keras and h5py that open paths; execute runs the operations that do."""
_KINDS = {
    ("0x89", "0"): "It begins as a PNG picture does.",
    ("0xff", "0"): "It begins as a JPEG picture does, or a text in UTF-16.",
    ("0x8b", "1"): "It begins as a file that gzip packed.",
    ("0x80", "0"): "It begins as a pickle does.",
}
"""By the first bytes of these formats."""


def of_text(facts: Facts, told: Testimony, last: Ending) -> Meant | None:
    """None for other exceptions, and for half characters, which UTF-8 itself refuses."""
    if (found := ENCODED.search(last.what)) is not None and found["codec"].lower() not in _UTF_8:
        return _not_writable(found["codec"], last)
    if (found := DECODED.search(last.what)) is None:
        return None
    if found["codec"].lower() in _UTF_8 and _of_a_path(facts, last):
        return _path()
    return _not_text(
        found["codec"],
        found["byte"] or "",
        found["at"],
        windows="\\" in last.frame or value_or(facts.host.os, "") == "windows",
    )


def of_folder(facts: Facts, told: Testimony, last: Ending) -> Meant | None:
    """A path that Windows does not take: slashes of both kinds, or a colon in a name. None elsewhere."""
    found = NOT_MADE.search(last.what)
    file = found["file"] if found is not None else ""
    colon = ":" in file[2:]
    if "\\" not in file or not (colon or "/" in file):
        return None
    why = (
        "a name in it has a colon, as times have, and Windows takes no such name"
        if colon
        else "it mixes / and \\, and on Windows not all of TensorFlow takes that"
    )
    title = f"TensorFlow could not make {file}: {why}."
    words = "TensorFlow's callbacks put paths together from what the program gives them and names of their own. On Windows they use \\ for that, some of TensorFlow's file functions take no / beside it, and no name may have a colon."
    own = Fix("Build the path from its parts, and write times without colons", note='In your files: log_dir = os.path.join("logs", "fit", datetime.datetime.now().strftime("%Y%m%d-%H%M%S"))')  # fmt: skip
    return Meant(OF_THE_PROGRAM, title, words, (own,))


_OF_PIP = ("pip", "pip3", "python -m pip", "python3 -m pip", "sudo pip", "sudo pip3", "conda")
"""What installs Python's packages; the others install parts of the system."""


def of_typing(facts: Facts, told: Testimony, last: Ending) -> Meant | None:
    """A command for a shell that was typed where Python reads."""
    typed = [each for each in told.named("shell-line-in-python") if each.line < last.line <= each.line + 4]
    if not last.what.startswith("SyntaxError") or not typed:
        return None
    process, package = typed[-1].told["process"], typed[-1].told["package"]
    notebook = "<stdin>" not in last.frame and in_a_notebook(facts, last)
    title = (
        f"A command for the shell ({process} install {package}) was given to Python, which does not know it."
    )
    words = "pip and its like are programs that a shell starts. Python's prompt, IDLE and the cells of a notebook read Python."
    if process not in _OF_PIP:
        line = quoted(*process.split(), "install", package)
        shell = Fix("Leave Python (exit()), and type it in the shell: a terminal", (line,))
        marked = Fix("In a cell of a notebook, write an exclamation mark before it, which hands the line to a shell", (f"!{line}",), "Without a terminal nobody can answer a question: -y before the name says yes to all.")  # fmt: skip
        return Meant(OF_THE_PROGRAM, title, words, (marked,) if notebook else (shell,))
    prompt = Fix("Leave Python (exit()), and type it in the shell: a terminal, or Windows' command prompt", (f"python -m pip install {quoted(package)}",))  # fmt: skip
    cell = Fix("In a cell of a notebook, let the kernel's own pip do it, and restart the kernel", (f"%pip install {quoted(package)}",))  # fmt: skip
    return Meant(OF_THE_PROGRAM, title, words, (cell,) if notebook else (prompt,))


def _encoding(codec: str) -> str:
    if codec == "charmap":
        return "a code page of Windows (cp1252 or another of its kind)"
    return f"the encoding {codec}"


def _not_writable(codec: str, last: Ending) -> Meant:
    of_keras = any(each.startswith(("keras", "tensorflow.python.keras")) for each in last.inside)
    why = " Keras' progress bar and model.summary() are drawn with such characters." if of_keras else ""
    words = (
        f"The text was written in {_encoding(codec)}, which does not hold one of its characters. Python takes that encoding for a console or a file "
        f"that nobody gave another one: on Windows the code page of the system, elsewhere that of the locale.{why} Nothing is wrong with TensorFlow or the data."
    )
    what = "Keras' progress bar" if of_keras else "A text that the program writes"
    title = f"{what} has a character that {_encoding(codec)} does not hold."
    own = Fix("Or name the encoding where the file is opened", note='In your files: open(FILE, "w", encoding="utf-8")')  # fmt: skip
    return Meant(OF_THE_PROGRAM, title, words, (_UTF_8_MODE, _NO_BAR if of_keras else own))


def _of_a_path(facts: Facts, last: Ending) -> bool:
    """TensorFlow's own parts were asked for a file, on Windows, where its messages are not always UTF-8."""
    inner = last.inside[-1] if last.inside else ""
    windows = value_or(facts.host.os, "") == "windows" or "\\" in last.frame
    return (
        windows
        and inner.startswith(("tensorflow", "keras", "h5py"))
        and any(each in inner for each in _FILES)
    )


def _path() -> Meant:
    title = "TensorFlow could not open a path, and its message about that is no text in UTF-8: mostly the path is not there, or has letters beyond ASCII."
    words = (
        "TensorFlow hands paths and the system's error messages to Python as UTF-8. On Windows some of its parts take paths with letters like ü or 模 in another encoding, and "
        "in other languages than English the system's message, that a file is not there for instance, is not UTF-8 either. So the true error is hidden behind this one."
    )
    there = Fix("See that each path that is handed over exists, written as it is in the program", note="In your files, before the call: print(os.path.abspath(PATH), os.path.exists(PATH))")  # fmt: skip
    return Meant(OF_THE_PROGRAM, title, words, (_PLAIN, there))


def _not_text(codec: str, byte: str, at: str, *, windows: bool) -> Meant:
    kind = _KINDS.get((byte, at), "")
    page = codec in _CODE_PAGES
    title = f"What was read as text is none in {_encoding(codec)}: {'the byte ' + byte if byte else 'bytes'} at position {at}."
    assumed = "Where no encoding is named, Python takes that of the system." if page else "UTF-8 is what is assumed where nothing else is said."  # fmt: skip
    words = f"The file holds bytes that are no characters of {_encoding(codec)}. {assumed} {kind}".rstrip()
    own = Fix("Open the file with the encoding that it was written in, or as bytes where it is no text", note='In your files: open(FILE, encoding="utf-8-sig"), encoding="cp1252" or "utf-16"; for bytes open(FILE, "rb")')  # fmt: skip
    maybe = (_PLAIN,) if windows and not page else ()
    if maybe:
        words += " Where the line hands a path to TensorFlow, it can be the path instead: some of its parts fail so on Windows where a path has letters beyond ASCII, or is not there."
    return Meant(OF_THE_PROGRAM, title, words, (_UTF_8_MODE, own) if page else (own, *maybe))
