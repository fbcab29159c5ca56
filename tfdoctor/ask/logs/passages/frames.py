"""The frames of a Python traceback, in the ways in which Python, IPython and pytest write them: whose code each is."""

from __future__ import annotations

import re
import sys

from tfdoctor.ask.logs.passages.doing import Doing
from tfdoctor.base.expressions import Expression
from tfdoctor.knowledge.packages import PROJECTS

_FRAME = Expression(
    r'^\s*File "(?P<file>[^"]{1,1000})", line (?P<line>\d{1,9})(?:, in (?P<function>.{1,200}))?'
)
_CELL = Expression(
    r"^\s{0,4}(?:Cell |Input )?(?:In ?\[(?P<cell>\d{1,9})\]|<ipython-input-(?P<old>\d{1,9})-[^>]{0,40}>)(?:, line (?P<line>\d{1,9})|, in (?P<function>.{1,100})| in (?P<old_function>.{1,100}))?"
)
_NOTEBOOK_FRAME = Expression(
    r"^\s{0,4}File (?P<file>[^\s\"].{0,500}?):(?P<line>\d{1,9})(?:,? in (?P<function>.{1,200}))?$"
)
"""IPython's since 8.0; Spyder indents it and leaves the comma out."""
_OLD_NOTEBOOK_FRAME = Expression(
    r"^(?P<file>(?:[A-Za-z]:)?[~./\\][^\n]{1,400}?\.(?:py|pyx|pxi)) in (?P<function>[\w<].{0,200})$"
)
"""IPython's before 8.0, and Colab's: the line's number stands at the arrow below."""
_TRACED = Expression(
    r"^\s{0,8}(?P<file>(?:[A-Za-z]:)?[~./\\\w-][^\s:]{0,400}\.py|<ipython-input-(?P<cell>\d{1,9})-[^>\s]{1,40}>):(?P<line>\d{1,9}) (?P<function>[\w<>.]{1,100})(?: {1,2}\*{1,2})?$"
)
"""A frame of traced code, as TensorFlow 2.0 to 2.6 write it under "in user code:" (python/autograph/impl/api.py)."""
_ARROW = Expression(r"^-{2,}> ?(?P<line>\d{1,9})\b")
_LINKED = Expression(
    r"\[(?P<shown>[^\[\]\n]{1,400})\]\((?:https?://|vscode-notebook-cell:)[^)\s]{1,600}\)"
)
"""A place or a line's number as copies out of Colab and VS Code are written in Markdown."""
_WITH_LINKS = ("[", "File [", "Cell In[", "--", " ")
_CUT = Expression(r'^\S{0,300}(?:site|dist)-packages[\\/]\S{1,300}\.py", line \d{1,9}, in \S')
"""The first line of a paste whose beginning was not copied along."""
_CUT_FRAME = Expression(
    r'^(?P<file>\S{1,600}\.py)", line (?P<line>\d{1,9}), in (?P<function>.{1,200})'
)
_SHORT = Expression(
    r"^(?P<file>[^\s:]{0,3}[^\s:]{1,400}\.py):(?P<line>\d{1,9}): in (?P<function>\S{1,200})$"
)
"""A frame as pytest and some launchers write it."""
INSTALLED = Expression(
    r"(?:(?:site|dist)-packages|[\\/]tensorflow-\d[\w.]{0,20}[\\/]python\d\.\d{1,2})[\\/](?P<package>\w{1,100})"
)
"""The second is where Colab kept TensorFlow 1."""
_NOT_USERS = Expression(
    r"(?:site|dist)-packages|[\\/]tensorflow-\d[\w.]{0,20}[\\/]python\d|[\\/]lib(?:64)?[\\/]python\d|^<frozen|^<__array|^<decorator|[Pp]ython\d{2,3}[\\/][Ll]ib[\\/]|^(?:tensorflow|keras)[\\/]|__autograph_generated_file",
)
_IN_LIB = Expression(r"[\\/][Ll]ib[\\/](?P<module>\w{1,60})(?:\.py$|[\\/])")
"""Where Python keeps its own library on Windows, in conda's environments there, too: below no folder that names Python."""
_DISTRIBUTIONS = {
    **PROJECTS,
    "pkg_resources": "setuptools",
    "_distutils_hack": "setuptools",
    "mpl_toolkits": "matplotlib",
}
_CYTHON = (".pyx", ".pxi", ".pxd")
"""Sources of compiled parts: a frame of theirs belongs to the package of the frame before."""
_PASSING_ON = ("module_wrapper.py", "deprecation_wrapper.py", "lazy_loader.py", "deprecations.py")
"""Files of TensorFlow and of jax through which a name is asked for: who asks is the frame before."""
_IMPORTS = Expression(r"(?:import|from) (?P<module>[A-Za-z_][\w.]{0,100})")
_PYTHONS = sys.stdlib_module_names | {"imp"}
_UNKNOWN = "?"
"""The number of a line that is told later, or never."""


def without_link(text: str) -> str:
    """A place that was copied out of a notebook as a link in Markdown, as it was shown."""
    return _LINKED.compiled.sub(r"\g<shown>", text, count=2) if "](" in text and text.startswith(_WITH_LINKS) else text  # fmt: skip


def is_frame(text: str) -> bool:
    """Whether it is one by itself, where the traceback's heading was not pasted."""
    return bool(
        ('File "' in text and _FRAME.compiled.match(text))
        or _cut(text)
        or (".py:" in text and _SHORT.compiled.match(text))
        or _of_a_notebook(text)
    )


def _cut(text: str) -> re.Match[str] | None:
    if '.py", line ' not in text or not _CUT.compiled.match(text):
        return None
    return _CUT_FRAME.compiled.match(text)


def _of_a_notebook(text: str) -> bool:
    if " in " not in text:
        return False
    plain = without_link(text)
    return bool(_OLD_NOTEBOOK_FRAME.compiled.match(plain) or (".py:" in plain and _NOTEBOOK_FRAME.compiled.match(plain)) or (plain.startswith("<ipython-input-") and _CELL.compiled.match(plain)))  # fmt: skip


def _is_users(file: str) -> bool:
    """Whether a frame's file is neither an installed package's nor one of Python's own library."""
    if _NOT_USERS.compiled.search(file):
        return False
    found = _IN_LIB.compiled.search(file)
    return found is None or found["module"] not in _PYTHONS


class Frames:
    """Those of one traceback so far. What each attribute says stands at `Raised` (tracebacks.py)."""

    def __init__(self) -> None:
        self.package = ""
        self.through: list[str] = []
        self.below: list[str] = []
        self.inside: list[str] = []
        self.roots: list[str] = []
        self.source = self.shadow = ""
        self.doing = Doing()
        self._users = self._innermost = self._line = ""
        self._of_others = False
        """Whether the frame before is one of an installed module or of Python's own library."""
        self._pointed = False
        """Whether an arrow showed the line of this frame: those around it are not it."""

    @property
    def place(self) -> str:
        """The innermost of the user's, else the innermost."""
        return self._users or self._innermost

    @property
    def own(self) -> bool:
        return bool(self._users)

    def take(self, line: str) -> bool:
        """Whether it begins a frame; any other line may be a frame's own."""
        if self._frame(line):
            return True
        self._read_source(line)
        return False

    def _frame(self, line: str) -> bool:
        written = _FRAME.compiled.match(line) or _SHORT.compiled.match(line) or _cut(line)
        if found := written or _NOTEBOOK_FRAME.compiled.match(line):
            self._note(found["file"], found["line"], found["function"] or "")
            return True
        if found := _CELL.compiled.match(line):
            cell = found["cell"] or found["old"]
            where = f"Cell In[{cell}]" + (f", line {found['line']}" if found["line"] else "")
            self._in_users(where)
            self._pointed = False
            return True
        if ":" in line and (found := _TRACED.compiled.match(line)):
            if found["cell"]:
                self._in_users(f"Cell In[{found['cell']}], line {found['line']}")
            else:
                self._note(found["file"], found["line"], found["function"])
            return True
        if " in " in line and (found := _OLD_NOTEBOOK_FRAME.compiled.match(line)):
            self._note(found["file"], _UNKNOWN, found["function"])
            return True
        return False

    def _number(self, line: str) -> None:
        """Of the frame before, where its heading did not tell it."""
        end = f":{_UNKNOWN})"
        if self._innermost.endswith(end):
            numbered = f"{self._innermost.removesuffix(end)}:{line})"
            self._users = numbered if self._users == self._innermost else self._users
            self._innermost = numbered

    def _note(self, file: str, line: str, function: str) -> None:
        if function == "raise_from" or file.endswith(_CYTHON):  # six only passes an exception on
            return
        if function == "__getattr__" and file.endswith(_PASSING_ON):
            return
        self.source, self._pointed = "", False
        place = f"{function.split('(')[0].rstrip(' *') or '<module>'} ({file}:{line})"
        self._innermost = place
        installed = INSTALLED.compiled.search(file)
        self.doing.frame(file, function, installed=bool(installed))
        if installed:
            package = installed["package"]
            root, below = file[: installed.start("package")], file[installed.start("package") :]
            module = below.replace("\\", "/").removesuffix(".py").removesuffix("/__init__")
            self.inside.append(module.replace("/", "."))
            self.roots = [*(each for each in self.roots if each != root), root]
            self.package = _DISTRIBUTIONS.get(package, package.replace("_", "-"))
            if self.package not in self.through:
                self.through.append(self.package)
            if self.package not in self.below:
                self.below.append(self.package)
        elif _is_users(file):
            self._in_users(place)
            wanted = _IMPORTS.compiled.match(self._line) if self._of_others else None
            if wanted and _stem(file) == wanted["module"].partition(".")[0]:
                self.shadow = file
        self._of_others = not _is_users(file)
        self._line = ""

    def _in_users(self, place: str) -> None:
        self._users, self.package, self.below = place, "", []

    def _read_source(self, line: str) -> None:
        """The frame's own line, as far as it is one."""
        self.doing.source(line)
        arrow = _ARROW.compiled.match(line) if line.startswith("--") else None
        if (
            self._pointed and arrow is None
        ):  # a second arrow is of a frame whose heading was not pasted
            return
        if arrow is not None:
            self._number(arrow["line"])
            self._pointed, self.source = True, ""
        plain = line.lstrip("->0123456789 ").strip()
        if plain.startswith(("from ", "import ")):
            self.source = plain[:300]
        if plain and line[:1] in " ->|":
            self._line = plain[:300]


def _stem(file: str) -> str:
    """ "numbers" for ".../numbers.py" and ".../numbers/__init__.py"."""
    return (
        file.replace("\\", "/").removesuffix("/__init__.py").rpartition("/")[2].removesuffix(".py")
    )
