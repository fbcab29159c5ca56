"""Looks for files of the user's own that Python would import instead of TensorFlow or a standard module."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator

from tfdoctor.ask.probes.python.metadata import TENSORFLOW_NAMES, name_of_folder
from tfdoctor.base.expressions import Expression
from tfdoctor.base.safe_open import folder_names
from tfdoctor.facts.values import Distribution, PathLeak, Shadow

_PARTS = {
    "tensorflow": "python",
    "keras": "src|layers|api",
    "tf_keras": "src|layers",
    "numpy": "core|_core",
    "h5py": "_hl",
    "ml_dtypes": "_finfo.py",
    "google": "protobuf",
    "absl": "flags",
    "six": "",
    "wrapt": "wrappers.py|decorators.py",
    "flatbuffers": "builder.py",
    "gast": "gast.py",
}
"""TensorFlow and what it imports, each with a part that the real package has (their wheels of 2019 to 2026) and a file
or folder of the same name that a user made does not."""
_STARTED_WITH = frozenset(
    "abc codecs encodings genericpath io os posixpath site stat _collections_abc _sitebuiltins zipimport".split()  # noqa: SIM905  # as below
)
"""Imported before the working folder comes onto sys.path (sys.modules at the start of Python 3.11)."""

_NEVER_ASKED = frozenset(
    """aifc antigravity asynchat asyncore audioop cProfile cgi cgitb chunk cmath compileall configparser crypt curses dbm
    distutils doctest ensurepip filecmp fileinput ftplib getopt graphlib html idlelib imaplib imghdr imp lib2to3 mailbox
    mailcap mmap modulefinder msilib msvcrt netrc nis nntplib nt nturl2path optparse ossaudiodev pickletools pipes plistlib
    poplib profile pstats pty py_compile pyclbr pydoc pydoc_data readline resource rlcompleter runpy sched secrets shelve
    smtpd smtplib sndhdr socketserver spwd sqlite3 sre_compile sre_constants sre_parse statistics sunau symtable syslog
    tabnanny telnetlib test this tkinter tomllib trace tracemalloc tty turtle turtledemo uu venv wave webbrowser winreg
    winsound wsgiref xdrlib xmlrpc zipapp zoneinfo""".split()  # noqa: SIM905  # quoted one by one they would be harder to read
)
"""Standard modules that `import tensorflow` does not import (2.21.0 on Python 3.11, sys.modules, 2026-11-20)."""

_CODE = (".py", ".pyc", ".so", ".pyd")


def find_shadows(
    folder: str, place: str, stdlib: Iterable[str], *, frozen_start: bool = True
) -> Iterator[Shadow]:
    """The modules of `folder` that hide TensorFlow, one of its parts or a standard module.

    place: "working folder" or "PYTHONPATH". stdlib: the folders of the examined interpreter's standard library.
    frozen_start: the modules that Python starts with can't be hidden from here.
    """
    names = sorted(folder_names(folder))  # Python passes over a folder that it may not list, too
    installed = {name_of_folder(name) for name in names}
    standard = (
        {_module(name) for path in stdlib for name in folder_names(path)} - _NEVER_ASKED - {""}
    )
    if frozen_start:
        standard -= _STARTED_WITH
    for name in names:
        module = _module(name)
        if module not in standard and module not in _PARTS:
            continue
        path = os.path.join(folder, name)
        if not _can_be_imported(name, path):
            continue
        if not _is_the_real_one(module, path, installed):
            yield Shadow(module, path, place)


def _can_be_imported(name: str, path: str) -> bool:
    """Whether it is a package, or a file with an ending of code; a namespace portion gives way to any real package."""
    if os.path.isdir(path):
        return "." not in name and os.path.isfile(os.path.join(path, "__init__.py"))
    return "." in name and os.path.isfile(path)


def _module(name: str) -> str:
    """The module that a file or folder name makes; "" where it makes none."""
    stem, dot, rest = name.partition(".")
    if dot and not f".{rest}".endswith(_CODE):
        return ""
    return stem if stem.isidentifier() and stem != "__pycache__" else ""


def _is_the_real_one(module: str, path: str, installed: set[str]) -> bool:
    """The package itself, installed into this folder, or a build of TensorFlow without metadata."""
    if module == "tensorflow":
        build_info = os.path.join(path, "python", "platform", "build_info.py")
        return bool(installed & TENSORFLOW_NAMES) or os.path.isfile(build_info)
    owner = {
        "google": "protobuf",
        "absl": "absl-py",
        "tf_keras": "tf-keras",
        "ml_dtypes": "ml-dtypes",
    }.get(module, module)
    return owner in installed or _has_its_parts(module, path)


def _has_its_parts(module: str, path: str) -> bool:
    """Known by what it is made of: its metadata may be gone or unreadable, and then it is no stranger all the same."""
    parts = _PARTS.get(module, "")
    return any(os.path.lexists(os.path.join(path, part)) for part in parts.split("|") if part)


_MODULES = frozenset(
    """absl astunparse flatbuffers gast google grpc h5py keras ml_dtypes numpy optree packaging pandas requests scipy six tensorboard
    tensorflow termcolor tf_keras typing_extensions wrapt""".split()  # noqa: SIM905  # as above
)
"""What `import tensorflow` imports (sys.modules of 2.21.0, 2026-11-22) or programs beside it."""

_TAG = Expression(r"\.(?:cpython-(\d{2,4})[\w-]*\.so|cp(\d{2,4})-\w+\.pyd)$")
_MOST_FILES = 2000  # a package with more is not read to its end
_LEAKING_PARTS = {"google": "google/_upb"}


def find_leaks(
    entries: Iterable[str], folders: Iterable[str], every: Iterable[Distribution], tag: str
) -> Iterator[PathLeak]:
    """The packages of PYTHONPATH's `entries` that TensorFlow would import from there.

    folders: the interpreter's sys.path; every: all distributions on it; tag: "311" of the interpreter, "" where unknown.
    An entry that can't be listed holds nothing, as for Python.
    """
    owners = {(os.path.dirname(each.folder), each.name): each.version for each in every}
    entries = tuple(entries)
    later = [each for each in folders if each not in entries]
    seen: set[str] = set()
    for entry in entries:
        for module in folder_names(entry):
            stem = module.removesuffix(".py")
            if stem not in _MODULES or stem in seen or not _importable(entry, module):
                continue
            seen.add(stem)
            hidden = next((each for each in later if _holds(each, stem)), "")
            yield PathLeak(
                name=_name(owners, entry, stem),
                version=_version(owners, entry, stem),
                entry=entry,
                hides=_version(owners, hidden, stem) if hidden else "",
                hidden_folder=hidden,
                built_for=_foreign(os.path.join(entry, _LEAKING_PARTS.get(stem, module)), tag),
            )


def _importable(entry: str, module: str) -> bool:
    """A file, or a folder with code; google is one without an __init__.py."""
    path = os.path.join(entry, module)
    if module.endswith(".py"):
        return os.path.isfile(path)
    return os.path.isfile(os.path.join(path, "__init__.py")) or os.path.isdir(
        os.path.join(path, "protobuf")
    )


def _holds(folder: str, module: str) -> bool:
    return os.path.isdir(os.path.join(folder, module)) or os.path.isfile(
        os.path.join(folder, f"{module}.py")
    )


def _name(owners: dict[tuple[str, str], str], entry: str, module: str) -> str:
    if module == "tensorflow":
        return next(
            (name for folder, name in owners if folder == entry and name in TENSORFLOW_NAMES),
            module,
        )
    from tfdoctor.knowledge.packages import project_of  # only where a file shadows a module

    return project_of(module)


def _version(owners: dict[tuple[str, str], str], folder: str, module: str) -> str:
    """By its metadata; "" where it has none there."""
    return owners.get((folder, _name(owners, folder, module)), "")


def _foreign(package: str, tag: str) -> str:
    """The Python that its compiled parts are for ("3.12"), where none of them is for this one; "" else."""
    built = set(_tags(package))
    if not built or not tag or tag in built:
        return ""
    other = min(built)
    return f"{other[0]}.{other[1:]}"


def _tags(package: str) -> Iterator[str]:
    count = 0
    for _, _, files in os.walk(package):
        for name in files:
            count += 1
            if found := _TAG.search(name):
                yield found[1] or found[2]
        if count > _MOST_FILES:
            return
