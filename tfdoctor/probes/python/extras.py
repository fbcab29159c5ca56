"""Whether something shows that TensorFlow was asked for with its extra `and-cuda`.

No installer writes down the extras that were asked for (seen with pip 25 and uv 0.13). What may show it: a project's
own files, and another installed distribution that requires it.
"""

from __future__ import annotations

import contextlib
import re
from itertools import islice
from pathlib import Path

from tfdoctor.facts.model import Interpreter
from tfdoctor.facts.outcome import Absent, Fact, Known
from tfdoctor.facts.values import Distribution
from tfdoctor.light.expressions import Expression
from tfdoctor.probes.python.distributions.metadata import Inventory, header_values, metadata_text
from tfdoctor.system.safe_open import head_of, list_folder
from tfdoctor.system.sysroot import System

_FILES = Expression(
    r"(requirements.*\.(txt|in)|constraints.*\.txt|pyproject\.toml|uv\.lock|Pipfile|setup\.(py|cfg)|environment\.ya?ml)"
)
_EXTRA = Expression(r"and[-_]cuda")
_ASKED_BEFORE = Expression(
    r"""(?: tensorflow\s*\[[^\[\]\n]*                                 # requirements.txt, pyproject.toml, Pipfile
      | name\s*=\s*"tensorflow"[^}\n]*extras?\s*=\s*\[[^\]\n]*"  # uv.lock
      | tensorflow\s*=\s*\{[^}\n]*extras\s*=\s*\[[^\]\n]*"      # poetry, Pipfile
      )$""",
    re.VERBOSE,
)
_LOOK_BACK = 300  # characters before the extra's name in which the one that asks for it is named
_MOST_EXTRAS = 200  # of one file; a lock file that names every wheel has 30
_MOST_FILES, _MOST_BYTES = 50, 4 << 20


def requested_extra(
    owner: Distribution | None, inventory: Inventory, interpreter: Interpreter, system: System
) -> Fact[bool]:
    """Known(True) with the file that shows it; Absent where nothing shows it, which proves nothing."""
    if owner is None:
        return Absent("no distribution owns the package")
    for folder in _project_folders(interpreter, system):
        if (path := _asking_file(folder)) is not None:
            return Known(True, str(path))
    if asking := _asking_distribution(inventory):
        return Known(True, asking)
    return Absent("nothing shows that TensorFlow was asked for with its extra and-cuda")


def _project_folders(interpreter: Interpreter, system: System) -> list[Path]:
    """The folder that holds the virtual environment, where a project keeps its files, and the working folder."""
    folders: list[Path] = []
    if isinstance(interpreter.prefix, Known) and _is(interpreter.environment, "venv", "virtualenv"):
        folders.append(Path(interpreter.prefix.value).parent)
    if system.live:
        with contextlib.suppress(OSError):  # it was removed
            folders.append(Path.cwd())
    return list(dict.fromkeys(folders))


def _is(fact: Fact[str], *values: str) -> bool:
    return isinstance(fact, Known) and fact.value in values


def _asking_file(folder: Path) -> Path | None:
    try:
        names = [name for name in list_folder(folder) if _FILES.fullmatch(name)][:_MOST_FILES]
    except OSError:
        return None
    for name in names:
        path = folder / name
        try:
            text = head_of(path, _MOST_BYTES).decode("utf-8", "replace")
        except OSError:
            continue  # a file that we can't read shows nothing
        if _asks(text):
            return path
    return None


def _asks(text: str) -> bool:
    """Whether the text asks for tensorflow with the extra. Looks back from each mention, for that is soon done."""
    mentions = islice(_EXTRA.finditer(text), _MOST_EXTRAS)
    return any(
        _ASKED_BEFORE.search(text[max(each.start() - _LOOK_BACK, 0) : each.start()]) for each in mentions
    )


def _asking_distribution(inventory: Inventory) -> str:
    """The metadata of an installed distribution that requires `tensorflow[and-cuda]`; "" where none does."""
    for item in inventory.every:
        try:
            lines = header_values(metadata_text(item), "Requires-Dist")
        except OSError:
            continue  # listed among the unreadable ones
        if any(_asks(line) for line in lines):
            return item.folder
    return ""
