"""What a name from a log or an environment must look like to stand in a command: else a word stands there that the user replaces.

Quoting keeps a text from being syntax of the shell. It does not keep it from being an option of the program, or another kind of thing
than the command is about. Paths are a matter of their own (`fixes/loading.py`).
"""

from __future__ import annotations

from tfdoctor.base.expressions import Expression

LONGEST = 300
"""More characters than any name has that somebody types."""
_NAMES = {
    "module": (Expression(r"[^\W\d]\w*(?:\.[^\W\d]\w*)*"), "MODULE"),
    "package": (
        Expression(r"[A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?(?:\[[\w,.-]+\])?"),
        "PACKAGE",
    ),
    "variable": (Expression(r"[A-Za-z_]\w*"), "NAME"),
    "version": (Expression(r"v?\d[\w.!+-]*"), "VERSION"),
    "library": (Expression(r"[\w@~/.\\: +-]+"), "FILE"),
    "host": (Expression(r"[A-Za-z0-9](?:[\w.:-]*\w)?"), "HOST"),
    "port": (Expression(r"\d{1,5}"), "PORT"),
    "kernel": (Expression(r"[A-Za-z0-9._-]+"), "NAME"),
    "pid": (Expression(r"\d+"), "PID"),
}
"""By the groups of messages. Names of distributions, their extras and versions as PEP 508 and PEP 440 have them, modules and variables
as Python and POSIX have them, kernels as jupyter_client does."""
_OTHERS = "NAME"


def checked(kind: str, text: str) -> str:
    """The text where it can be a name of that kind; else a placeholder."""
    form, placeholder = _NAMES.get(kind, (None, _OTHERS))
    if not text.isprintable() or len(text) > LONGEST or text.startswith("-"):
        return placeholder
    if form is None:
        return text
    found = form.match(text)
    return text if found is not None and found.end() == len(text) else placeholder
