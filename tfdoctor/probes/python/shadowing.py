"""Looks for files of the user's own that Python would import instead of TensorFlow or a standard module."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator

from tfdoctor.facts.values import Shadow
from tfdoctor.probes.python.distributions.metadata import TENSORFLOW_NAMES, name_of_folder
from tfdoctor.system.safe_open import list_folder

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
    names = sorted(_listed(folder))  # Python passes over a folder that it may not list, too
    installed = {name_of_folder(name) for name in names}
    standard = {_module(name) for path in stdlib for name in _listed(path)} - _NEVER_ASKED - {""}
    if frozen_start:
        standard -= _STARTED_WITH
    for name in names:
        module = _module(name)
        if module not in standard and module not in _PARTS:
            continue
        path = os.path.join(folder, name)
        if os.path.isdir(path) and not os.path.isfile(os.path.join(path, "__init__.py")):
            continue  # a namespace portion gives way to any real package further down the path
        if not _is_the_real_one(module, path, installed):
            yield Shadow(module, path, place)


def _module(name: str) -> str:
    """The module that a file or folder name makes; "" where it makes none."""
    stem, dot, rest = name.partition(".")
    if dot and not f".{rest}".endswith(_CODE):
        return ""
    return stem if stem.isidentifier() and stem != "__pycache__" else ""


def _listed(folder: str) -> list[str]:
    try:
        return list_folder(folder)
    except OSError:
        return []


def _is_the_real_one(module: str, path: str, installed: set[str]) -> bool:
    """The package itself, installed into this folder, or a build of TensorFlow without metadata."""
    if module == "tensorflow":
        build_info = os.path.join(path, "python", "platform", "build_info.py")
        return bool(installed & TENSORFLOW_NAMES) or os.path.isfile(build_info)
    owner = {"google": "protobuf", "absl": "absl-py", "tf_keras": "tf-keras", "ml_dtypes": "ml-dtypes"}.get(
        module, module
    )
    return owner in installed or _has_its_parts(module, path)


def _has_its_parts(module: str, path: str) -> bool:
    """Known by what it is made of: its metadata may be gone or unreadable, and then it is no stranger all the same."""
    parts = _PARTS.get(module, "")
    return any(os.path.lexists(os.path.join(path, part)) for part in parts.split("|") if part)
