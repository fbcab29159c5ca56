"""The installed TensorFlow, read from its files and never imported."""

from __future__ import annotations

import contextlib
import os
import re
from collections.abc import Mapping
from itertools import islice
from pathlib import Path

from tfdoctor.ask.probes.python.installed import installed
from tfdoctor.ask.probes.python.installed_files import Comparison, RecordFacts, begin_comparison
from tfdoctor.ask.probes.python.metadata import Inventory, header_values, metadata_text
from tfdoctor.ask.probes.python.tensorflow_files import SETUP, Package, version_of_files
from tfdoctor.ask.probes.request import Request
from tfdoctor.ask.probes.runner import attempt
from tfdoctor.ask.probes.tensorflow.build_info import read_build
from tfdoctor.ask.probes.text_files import mounts
from tfdoctor.base.expressions import Expression
from tfdoctor.base.records import names
from tfdoctor.base.safe_open import folder_names, head_of, head_text, list_folder
from tfdoctor.base.sysroot import System
from tfdoctor.facts.model import Facts, Interpreter, TensorFlow
from tfdoctor.facts.outcome import Absent, Fact, Failed, Known, value_or
from tfdoctor.facts.values import Distribution

_PLUGINS = frozenset(
    {"tensorflow-metal", "tensorflow-directml-plugin", "intel-extension-for-tensorflow"}
)
_NONE = "no folder on sys.path holds the package tensorflow"


def ask(request: Request, facts: Facts) -> TensorFlow:
    """Fills the group. Needs the group `interpreter`."""
    found = installed(request, facts.interpreter)
    if not isinstance(found, Known):
        return TensorFlow(**dict.fromkeys(names(TensorFlow), found))
    folders, inventory, package = found.value.folders, found.value.inventory, found.value.package
    family, owner = found.value.family, found.value.owner
    # Goes on beside all that follows.
    comparison = begin_comparison(owner.folder, request) if owner else None
    tag: Fact[str] = attempt(lambda: _wheel_tag(owner), "WHEEL")
    build = read_build(package.files, _cpu_flags(tag, owner)) if package else Absent(_NONE)
    extra: Fact[bool] = attempt(
        lambda: requested_extra(owner, inventory, facts.interpreter, request.system), "the extra"
    )
    record, foreign = _compared(comparison)
    return TensorFlow(
        distributions=Known(family, found.source)
        if family
        else Absent("no distribution of TensorFlow is installed"),
        distribution=_name(owner, package),
        version=_version(package, owner, family),
        location=Known(str(package.folder), "sys.path") if package else Absent(_NONE),
        noexec_mount=attempt(lambda: _noexec_mount(str(package.folder), request.system), "statvfs")
        if package
        else Absent(_NONE),
        build=build,
        conda_build=attempt(lambda: _conda_build(facts.interpreter), "conda-meta"),
        wheel_tag=tag,
        record=record,
        foreign_files=foreign,
        plugins=_plugins(folders, inventory.installed),
        requested_extra_cuda=extra,
    )


_CONDA_RECORD = Expression(r"tensorflow-\d[\w.]{0,30}-(?P<build>\w{1,60})\.json")


def _conda_build(interpreter: Interpreter) -> Fact[str]:
    """conda keeps a file for each package, named by version and build."""
    prefix = value_or(interpreter.prefix, "")
    folder = os.path.join(prefix, "conda-meta")
    if not prefix or not os.path.isdir(folder):
        return Absent("this is no environment of conda's")
    found = next(
        (found for name in list_folder(folder) if (found := _CONDA_RECORD.fullmatch(name))), None
    )
    return Known(found["build"], folder) if found else Absent(f"{folder} lists no tensorflow")


def _noexec_mount(folder: str, system: System) -> Fact[str]:
    """statvfs(3): on such a mount the loader may not map a library's code, whatever the file's own rights are."""
    flag = getattr(os, "ST_NOEXEC", 0)
    if not hasattr(os, "statvfs") or not os.statvfs(folder).f_flag & flag:
        return Absent("code may be run from there")
    table, real = mounts(system), os.path.realpath(folder)
    points = [each.point for each in table.value] if isinstance(table, Known) else []
    over = [each for each in points if real == each or real.startswith(f"{each.rstrip('/')}/")]
    return Known(max(over, key=len, default=folder), "statvfs")


def _name(owner: Distribution | None, package: Package | None) -> Fact[str]:
    if owner is not None:
        return Known(owner.name, owner.folder)
    return Absent(f"no distribution lists {package.folder} as its own" if package else _NONE)


def _version(
    package: Package | None, owner: Distribution | None, family: tuple[Distribution, ...]
) -> Fact[str]:
    """The files' own version; the metadata's where they agree, for that has a release candidate's suffix, too."""
    named = owner or next(iter(family), None)
    written = version_of_files(package.files) if package else ""
    if named is not None and (not written or _numbers(named.version) == _numbers(written)):
        return Known(named.version, named.folder)
    if written and package is not None:
        return Known(written, str(package.files / SETUP))
    return (
        Failed(f"no file below {package.folder} says its version", "missing")
        if package
        else Absent(_NONE)
    )


def _numbers(version: str) -> list[str]:
    return re.findall(r"\d+", re.split(r"[a-z+]", version)[0])[:3]


def _wheel_tag(owner: Distribution | None) -> Fact[str]:
    """The first Tag of WHEEL; Absent where the distribution came as no wheel."""
    if owner is None:
        return Absent("no distribution owns the package")
    path = Path(owner.folder) / "WHEEL"
    if not path.exists():
        return Absent(f"{path} does not exist")
    tags = header_values(head_of(path, 65536).decode("utf-8", "replace"), "Tag")
    return Known(tags[0], str(path)) if tags else Failed(f"{path} names no tag", "missing")


def _cpu_flags(tag: Fact[str], owner: Distribution | None) -> tuple[str, ...]:
    """The published x86 wheels are compiled with -mavx or /arch:AVX (release notes of 1.6.0; .bazelrc, avx_linux and
    avx_win) and choose newer instructions while they run. For any other build nothing is known: ().
    """
    if owner is None or not isinstance(tag, Known) or owner.installer == "conda":
        return ()
    published = re.search(r"\b(manylinux\w*|macosx\w*)_x86_64|win_amd64", tag.value)
    old = [int(part) for part in _numbers(owner.version)[:2]] < [1, 6]
    return ("avx",) if published and not old else ()


def _compared(comparison: Comparison | None) -> RecordFacts:
    if comparison is None:
        none = Absent("no distribution owns the package, so nothing says what should be there")
        return none, none
    return comparison.wait()


def _plugins(
    folders: tuple[str, ...], installed: Mapping[str, Distribution]
) -> Fact[tuple[str, ...]]:
    """Distributions known to plug in, and what is in `tensorflow-plugins`, which TensorFlow loads at import."""
    found = [name for name in installed if name in _PLUGINS]
    for folder in folders:
        path = os.path.join(folder, "tensorflow-plugins")
        if os.path.isdir(path):
            found += [
                name for name in list_folder(path) if name.endswith((".so", ".dylib", ".dll"))
            ]
    return (
        Known(tuple(found), "sys.path")
        if found
        else Absent("no plug-in of TensorFlow is installed")
    )


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
    names = [name for name in folder_names(folder) if _FILES.fullmatch(name)][:_MOST_FILES]
    asking = (folder / name for name in names if _asks(head_text(folder / name, _MOST_BYTES)))
    return next(asking, None)


def _asks(text: str) -> bool:
    """Whether the text asks for tensorflow with the extra. Looks back from each mention, for that is soon done."""
    mentions = islice(_EXTRA.finditer(text), _MOST_EXTRAS)
    return any(
        _ASKED_BEFORE.search(text[max(each.start() - _LOOK_BACK, 0) : each.start()])
        for each in mentions
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
