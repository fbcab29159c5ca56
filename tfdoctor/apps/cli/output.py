"""Where results go: standard output, or a file that is there complete or not at all."""

from __future__ import annotations

import errno
import os
import sys
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from importlib import import_module

from tfdoctor.apps.cli.guard import UsageError, die_of_closed_pipe
from tfdoctor.apps.cli.parse import COLOR
from tfdoctor.base import safe_replace
from tfdoctor.base.printable import printable_lines

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, TypeAlias

    from tfdoctor.apps.cli.options import RunOptions
    from tfdoctor.apps.cli.parse import Parsed
    from tfdoctor.say.terminal import Page
    from tfdoctor.say.view import View

_PLAIN_LOCALES = ("C", "POSIX")
_SHORTEST = 20  # columns of text in a line, however narrow the terminal


def write_result(data: bytes) -> int:
    """To standard output, whole; the bytes that it took. A closed pipe ends the program quietly; a full disk raises OSError."""
    need_standard_output()
    try:
        sys.stdout.flush()
        taken = _write_all(sys.stdout.buffer, data)
        sys.stdout.buffer.flush()
    except BrokenPipeError:
        die_of_closed_pipe()
    return taken


def _write_all(stream: Any, data: bytes) -> int:
    """Under `python -u` the stream is the bare file, which may take a part (a disk that fills up) or, unready, nothing."""
    taken = 0
    while taken < len(data):
        some = stream.write(data[taken:])
        if not some:
            raise BlockingIOError(errno.EAGAIN, "standard output takes nothing")
        taken += some
    return taken


def need_standard_output() -> None:
    """Raises OSError where the program was started without one (`>&-`)."""
    if sys.stdout is None:
        raise OSError(errno.EBADF, "standard output is closed")


def write_text(text: str) -> None:
    """Plain text to standard output, in its encoding; what a terminal would obey becomes a question mark."""
    write_result(as_bytes(text, to_file=False))


def as_bytes(text: str, *, to_file: bool) -> bytes:
    """In the encoding of standard output, or UTF-8; what a terminal would obey becomes a question mark."""
    from tfdoctor.say.clean import fit

    encoding = "utf-8" if to_file else text_encoding(os.environ)
    return fit(printable_lines(text), encoding).encode(encoding, "replace")


DRAWN = {
    "markdown": ("tfdoctor.say.pages", "render_markdown"),
    "html": ("tfdoctor.say.pages", "render_html"),
    "github": ("tfdoctor.say.ticket", "render_ticket"),
}
"""Forms of a view beside the terminal's: where the function stands that draws it."""


def view_as_bytes(
    view: View, form: str, environ: Mapping[str, str], *, to_file: bool, amount: int = 0
) -> bytes:
    """Markdown and HTML are UTF-8; text for a terminal is in what the terminal can show."""
    if form == "terminal":
        from tfdoctor.say.terminal import render_text

        page = terminal_page(environ, to_file=to_file, amount=amount)
        return render_text(view, page).encode(page.encoding, "replace")
    module, function = DRAWN[form]
    text: str = getattr(import_module(module), function)(view)
    return text.encode("utf-8")


def shows_names(parsed: Parsed, form: str, output: str, stream: Any = None) -> bool:
    """Whether names and paths stay readable: on the terminal of the person who asked, unless --redact hides them there, too."""
    stream = stream or sys.stdout
    asked = "redact" in parsed.typed or "redact" in parsed.variables
    own = stream is not None and stream.isatty() and form == "terminal" and output in ("", "-")
    return own and not asked


_FORMS_BY_NAME = {
    "json": "json", "md": "markdown", "markdown": "markdown", "html": "html", "htm": "html", "txt": "terminal", "sarif": "sarif", "xml": "junit", "jsonl": "jsonl",
}  # fmt: skip
_OTHER_FORMS = ("pdf", "csv", "yaml", "yml", "toml", "sh", "docx", "png", "svg")
ENDINGS = ("json", "md", "html", "txt")
REPORT_ENDINGS = (*ENDINGS, "sarif", "xml")


def form_by_name(asked: str, output: str, usual: str, endings: Sequence[str] = ENDINGS) -> str:
    """The form that was asked for; else the one that the file's name says; else the usual one. `endings`: those that the command
    can write. UsageError for a name that says another one.
    """
    ending = os.path.splitext(os.path.basename(output))[1].lower().lstrip(".")
    form = _FORMS_BY_NAME.get(ending, "")
    if asked:
        return asked
    if ending in _OTHER_FORMS or (
        form and form not in {_FORMS_BY_NAME.get(each) for each in endings}
    ):
        *others, last = (f".{each}" for each in endings)
        either = f"{', '.join(others)} or {last}, or give --format" if others else last
        raise UsageError(f"{output}: use {either}")
    return form or usual


def form_of(parsed: Parsed, endings: Sequence[str] = ENDINGS) -> str:
    """The same of a command line whose options are --format and -o."""
    asked = parsed.typed.get("form") or parsed.variables.get("form") or ""
    return form_by_name(asked, parsed.fields()["output"], parsed.defaults["form"], endings)


def terminal_page(environ: Mapping[str, str], *, to_file: bool, amount: int = 0) -> Page:
    """How wide, in which colour and encoding text is written: for this terminal, or for a file."""
    from tfdoctor.say.terminal import Page

    if to_file:
        return Page(amount=amount)
    colour = wants_colour(environ, terminal=sys.stdout is not None and sys.stdout.isatty())
    return Page(width_of(environ), colour, text_encoding(environ), amount)


class StandardOutput:
    """Where a result goes unless a file was named. Raises OSError where the program was started without one."""

    to_file = False

    def __init__(self) -> None:
        need_standard_output()

    def write(self, data: bytes) -> int:
        return write_result(data)


class OutputFile:
    """A file that was proven writable before the work began. Written beside its place and renamed into it."""

    to_file = True

    def __init__(self, name: str, option: str = "-o") -> None:
        """Raises UsageError where it can't be written; `option` is what named it."""
        self._name, self.named = name, name
        try:
            if not safe_replace.is_stream(name):
                self._name = os.path.abspath(name)  # a command may remove the working directory
                self._prove()
        except OSError as error:
            raise UsageError(
                f"{option} {name}: can't be written ({error.strerror or error})"
            ) from error

    def _prove(self) -> None:
        place = safe_replace.file_to_replace(self._name)
        if os.path.exists(place) and not os.access(place, os.W_OK):
            raise PermissionError(errno.EACCES, "permission denied")
        safe_replace.prove_writable(place)

    def write(self, data: bytes) -> int:
        """The bytes that it took. Raises OSError; what was in the file before is then still there.

        A directory that was there when the work began and was removed since is made again.
        """
        stream = safe_replace.stream_of(self._name)
        if stream is None:
            os.makedirs(os.path.dirname(self._name), exist_ok=True)
            safe_replace.replace_file(self._name, data)
            return len(data)
        with open(stream, "wb", buffering=0) as file:
            return _write_all(file, data)


Output: TypeAlias = "StandardOutput | OutputFile"


def output_of(name: str) -> Output:
    """What -o names: a file, or standard output for "-" and without it. Raises UsageError and OSError."""
    return StandardOutput() if name in ("", "-") else OutputFile(name)


def tell_written(output: Output, told: View | str) -> None:
    """To a person at a terminal whose result went to a file: these words, or a view's verdict and first fix; and where the rest is."""
    if not isinstance(output, OutputFile) or sys.stdout is None or not sys.stdout.isatty():
        return
    if isinstance(told, str):
        write_text(f"{folded(told)}\n" if told else "")
    else:
        from tfdoctor.say.terminal import render_text

        page = terminal_page(os.environ, to_file=False, amount=-1)
        write_result(render_text(told, page).encode(page.encoding, "replace"))
        write_text("\n")
    write_text(f"{where_written((output,))}\n")


def where_written(files: Iterable[OutputFile]) -> str:
    return f"Written to {', '.join(each.named for each in files)}"


def output_files(asked: RunOptions) -> list[tuple[str, OutputFile]]:
    """Each file that a run's report goes to with its form, proven writable before anything starts."""
    files = {
        "--report": ("json", asked.report),
        "--html": ("html", asked.html),
        "-o": ("", asked.output),
    }
    return [
        (form_by_name(form, name, "terminal"), OutputFile(name, option))
        for option, (form, name) in files.items()
        if name
    ]


def wants_colour(environ: Mapping[str, str], *, terminal: bool) -> bool:
    """NO_COLOR (no-color.org) goes before FORCE_COLOR and CLICOLOR_FORCE (bixense.com/clicolors), these before CLICOLOR=0 and TERM=dumb,
    as in CPython 3.13; --color goes before all.
    """
    if COLOR["when"] != "auto":
        return COLOR["when"] == "always"
    if environ.get("NO_COLOR"):
        return False
    if any(
        environ.get(name, "0") not in ("", "0", "false")
        for name in ("FORCE_COLOR", "CLICOLOR_FORCE")
    ):
        return True
    return terminal and environ.get("CLICOLOR") != "0" and environ.get("TERM", "") != "dumb"


def wants_progress(environ: Mapping[str, str]) -> bool:
    """Lines that are written over: only for a person who looks on."""
    looked_at = sys.stderr is not None and sys.stderr.isatty()
    plain = environ.get("TERM", "") in ("", "dumb") or environ.get("CI") or environ.get("NO_COLOR")
    return looked_at and not plain


def text_encoding(environ: Mapping[str, str]) -> str:
    """What standard output can show. Python itself turns the plain locale "C" into UTF-8 (PEP 538, PEP 540)."""
    encoding = getattr(sys.stdout, "encoding", None) or "ascii"
    if "PYTHONIOENCODING" in environ or os.name == "nt":
        return encoding
    locale = environ.get("LC_ALL") or environ.get("LC_CTYPE") or environ.get("LANG") or "C"
    if (
        locale == "C.UTF-8"
        and not environ.get("LC_ALL")
        and environ.get("LANG", "") in ("", *_PLAIN_LOCALES)
    ):
        locale = "C"  # LC_CTYPE as PEP 538 sets it
    return "ascii" if locale in _PLAIN_LOCALES else encoding


def width_of(environ: Mapping[str, str], nobody_looks: int = 80) -> int:
    """Columns of the terminal, or what COLUMNS says; `nobody_looks` where there is neither."""
    with suppress(ValueError):
        if (said := int(environ.get("COLUMNS", ""))) > 0:
            return said
    if sys.stdout is None or not sys.stdout.isatty():
        return nobody_looks
    with suppress(OSError, ValueError):
        return os.get_terminal_size(sys.stdout.fileno()).columns or 80
    return 80


def folded(text: str) -> str:
    """Sentences broken to the terminal's width, deeper by two columns from their second line on.

    Lines that begin with four spaces are commands and stay whole, so that they can be copied. Off a terminal all
    lines stay whole, so that they can be searched.
    """
    width = width_of(os.environ, nobody_looks=0)
    if not width:
        return text
    return "\n".join(_folded_line(line, width) for line in text.split("\n"))


def _folded_line(line: str, width: int) -> str:
    return (
        line
        if line.startswith("    ")
        else fold(line, width, indent=len(line) - len(line.lstrip()) + 2)
    )


def fold(line: str, width: int, indent: int) -> str:
    """One line as several of at most `width` columns; `indent` is that of the second and the following."""
    import textwrap

    if len(line) <= width:
        return line
    return textwrap.fill(
        line,
        max(width, indent + _SHORTEST),
        subsequent_indent=" " * indent,
        break_long_words=False,
        break_on_hyphens=False,
    )
