"""Reads a Python environment from its files alone: for an unpacked system, and where its interpreter does not run.

Nothing here runs Python. What only `site` can know (editable finders, the user site) is not claimed.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable
from pathlib import Path

from tfdoctor.ask.probes.python.metadata import TENSORFLOW_NAMES, name_of_folder
from tfdoctor.base.expressions import Expression
from tfdoctor.base.records import record
from tfdoctor.base.safe_open import folder_names, head_of, head_text
from tfdoctor.base.sysroot import System
from tfdoctor.facts.outcome import Absent, Fact, Failed, Known, kind_of_error
from tfdoctor.facts.versions import PythonRelease, read_release

INTERPRETERS = ("bin/python3", "bin/python", "bin/pypy3", "Scripts/python.exe", "python.exe")
"""Where an environment's folder keeps its interpreter: POSIX, then Windows venv and Windows conda."""

_MOST_PTH, _MOST_LINES = 200, 200
_VERSION = Expression(r"3\.\d+(?:\.\d+)?|2\.7(?:\.\d+)?")


@record
class Layout:
    """What the files of an environment say. Paths are this machine's own, also below a sysroot."""

    prefix: str
    base_prefix: Fact[str]
    version: Fact[PythonRelease]
    kind: str
    sys_path: tuple[str, ...]
    site_packages: tuple[str, ...]


def read_layout(executable: str, system: System) -> Layout:
    """The layout of the environment that `executable` belongs to. Raises OSError where a folder can't be read."""
    prefix = (
        Path(executable).parent.parent
        if Path(executable).parent.name in ("bin", "Scripts")
        else Path(executable).parent
    )
    config = read_pyvenv(prefix)
    if isinstance(config, Known):
        return _read_venv(prefix, config.value, system)
    version = _version_of_base(prefix, executable)
    feature = version.value.feature if isinstance(version, Known) else ""
    stdlib, site = _folders_of_base(prefix, feature)
    return Layout(
        str(prefix), Known(str(prefix), str(prefix)), version, kind_of(prefix, None, system),
        (*stdlib, *_with_pth(site)), site,
    )  # fmt: skip


def read_pyvenv(prefix: Path) -> Fact[dict[str, str]]:
    """pyvenv.cfg (PEP 405) with lower-case keys; Absent where there is none, Failed where it can't be read."""
    path = prefix / "pyvenv.cfg"
    try:
        text = head_of(path, 65536).decode("utf-8", "replace")
    except FileNotFoundError:
        return Absent(f"{path} does not exist")
    except OSError as error:
        return Failed(f"{path}: {error.strerror or error}", kind_of_error(error))
    pairs = (line.partition("=") for line in text.splitlines() if "=" in line)
    return Known({key.strip().lower(): value.strip() for key, _, value in pairs}, str(path))


def _read_venv(prefix: Path, config: dict[str, str], system: System) -> Layout:
    site = tuple(str(path) for path in _existing(_site_folders(prefix)))
    written = _VERSION.match(config.get("version_info", config.get("version", "")))
    version = (
        read_release(PythonRelease, written[0], str(prefix / "pyvenv.cfg"))
        if written
        else _version_by_folder(prefix)
    )
    home = config.get("home", "")
    if not home:
        base: Fact[str] = Failed(
            f"{prefix / 'pyvenv.cfg'} has no line `home = …`, so Python can't find its own library",
            "missing",
        )
        return Layout(
            str(prefix), base, version, kind_of(prefix, config, system), (*_with_pth(site),), site
        )
    # Else the environment is this machine's own.
    below = not system.live and prefix.is_relative_to(system.root)
    base_prefix = (system.path(home) if below else Path(home)).parent
    feature = version.value.feature if isinstance(version, Known) else ""
    stdlib, base_site = _folders_of_base(base_prefix, feature)
    if config.get("include-system-site-packages", "").lower() == "true":
        site = (*site, *base_site)
    base = Known(str(base_prefix), str(prefix / "pyvenv.cfg"))
    if not base_prefix.exists():
        base = Failed(
            f"{prefix / 'pyvenv.cfg'} names the base interpreter's folder {home}, which does not exist",
            "missing",
        )
    return Layout(
        str(prefix),
        base,
        version,
        kind_of(prefix, config, system),
        (*stdlib, *_with_pth(site)),
        site,
    )


def kind_of(prefix: Path, config: dict[str, str] | None, system: System) -> str:
    """ "venv", "virtualenv", "conda", "pyenv", "uv", "system" or "other", by the marks that each leaves."""
    if config is not None:
        return "virtualenv" if "virtualenv" in config else "venv"
    if os.path.isdir(prefix / "conda-meta"):
        return "conda"
    parts = prefix.parts
    if "versions" in parts and (
        ".pyenv" in parts or system.environ.get("PYENV_ROOT", "\0") in str(prefix)
    ):
        return "pyenv"
    if "uv" in parts and "python" in parts:
        return "uv"
    return "system" if system.inside(prefix) in ("/usr", "/usr/local", "/") else "other"


def _site_folders(prefix: Path) -> Iterable[Path]:
    for lib in ("lib", "lib64"):
        names = [name for name in folder_names(prefix / lib) if name.startswith(("python", "pypy"))]
        yield from (prefix / lib / name / "site-packages" for name in names)
    yield prefix / "Lib" / "site-packages"


def _existing(paths: Iterable[Path]) -> list[Path]:
    """Existing folders; one that is another's link (lib64 of a venv) is left out."""
    seen: dict[str, Path] = {}
    for path in paths:
        if os.path.isdir(path):
            seen.setdefault(os.path.realpath(path), path)
    return list(seen.values())


def _folders_of_base(prefix: Path, feature: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The standard library's folders and the site folders of an installed Python, Debian's and Red Hat's included."""
    if not feature:
        return (), tuple(str(path) for path in _existing(_site_folders(prefix)))
    name = f"python{feature}"
    stdlib = _existing(prefix / lib / name for lib in ("lib", "lib64"))
    stdlib += _existing(path / "lib-dynload" for path in list(stdlib))
    local = [prefix / "local"] if os.path.isdir(prefix / "local") else []
    site = _existing(
        folder / lib / part / kind
        for folder in (*local, prefix)
        for lib in ("lib64", "lib")
        for part, kind in (
            (name, "site-packages"),
            (name, "dist-packages"),
            ("python3", "dist-packages"),
        )
    )
    return tuple(map(str, stdlib)), tuple(map(str, site))


def _with_pth(folders: Iterable[str]) -> list[str]:
    """The folders and the paths that their .pth files add. Lines that are code are not run (site, standard library)."""
    found: list[str] = []
    for folder in folders:
        found.append(folder)
        for name in [item for item in folder_names(folder) if item.endswith(".pth")][:_MOST_PTH]:
            found += _pth_lines(Path(folder), name)
    return list(dict.fromkeys(found))


def _pth_lines(folder: Path, name: str) -> list[str]:
    lines = head_text(folder / name, 65536).splitlines()[:_MOST_LINES]
    paths = [
        line.strip()
        for line in lines
        if line.strip() and not line.startswith(("#", "import ", "import\t"))
    ]
    return [
        str(folder / path) for path in paths if "\0" not in path and os.path.exists(folder / path)
    ]


def _version_of_base(prefix: Path, executable: str) -> Fact[PythonRelease]:
    """By conda's record, the interpreter's own name, or the standard library's folder."""
    for name in folder_names(prefix / "conda-meta"):
        if found := re.fullmatch(r"python-([\d.]+)-[^-]+\.json", name):
            return read_release(PythonRelease, found[1], str(prefix / "conda-meta" / name))
    for path in (executable, os.path.realpath(executable)):
        if found := re.search(r"(?:python|pypy)(3\.\d+|2\.7)(?:\.exe)?$", path):
            return read_release(PythonRelease, found[1], path)
    return _version_by_folder(prefix)


def _version_by_folder(prefix: Path) -> Fact[PythonRelease]:
    names = [
        name for name in folder_names(prefix / "lib") if re.fullmatch(r"(python|pypy)3\.\d+", name)
    ]
    if len(names) == 1:
        written = re.sub(r"[a-z]+", "", names[0])
        return read_release(PythonRelease, written, str(prefix / "lib" / names[0]))
    return Failed(f"no file below {prefix} says which Python this is", "missing")


def has_tensorflow(folders: Iterable[str]) -> bool:
    """Whether one of these folders holds the tensorflow package or the metadata of a distribution that brings it."""
    for folder in folders:
        if os.path.isfile(os.path.join(folder, "tensorflow", "__init__.py")):
            return True
        if any(name_of_folder(name) in TENSORFLOW_NAMES for name in folder_names(folder)):
            return True
    return False


def folders_of(path: Path, system: System) -> tuple[str, ...]:
    """Where that interpreter would look, the user site included; () where its files can't be read."""
    try:
        layout = read_layout(str(path), system)
    except OSError:
        return ()
    home, version = system.environ.get("HOME", ""), layout.version
    if layout.kind == "venv" or not home or not isinstance(version, Known):
        return layout.sys_path
    return (*layout.sys_path, f"{home}/.local/lib/python{version.value.feature}/site-packages")
