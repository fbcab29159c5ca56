"""Finds build files and reads them: which reader reads which, by name. Nothing is followed out of the tree."""

from __future__ import annotations

import codecs
import os
import re
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

from tfdoctor.ask.builds import dockerfile, notebook, requirements, services, toml_files, yaml_files
from tfdoctor.ask.builds.statements import (
    Environment,
    Excuse,
    Source,
    UnreadableError,
    excuses,
    mentions_tensorflow,
)
from tfdoctor.base.records import record

Reader = Callable[[Source], tuple[Environment, ...]]


@record
class Kind:
    """`name` as reports call it; `file` what names such files; `always`: it can be about TensorFlow without a word of it; `made`:
    a program writes it, so it may be large; `sign`: a word without which a file of that name is of the next kind that fits, or none.
    """

    name: str
    file: re.Pattern[str]
    reader: Reader
    always: bool = False
    made: bool = False
    sign: str = ""


def _kind(
    name: str,
    file: str,
    reader: Reader,
    *,
    always: bool = False,
    made: bool = False,
    sign: str = "",
) -> Kind:
    return Kind(name, re.compile(file, re.IGNORECASE), reader, always, made, sign)


KINDS = (
    _kind("dockerfile", r"(?:Dockerfile|Containerfile)(?:[._-].+)?|.+\.(?:dockerfile|containerfile)", dockerfile.environments, always=True),
    _kind("requirements", r"(?:.*[-_.])?(?:requirements|constraints)(?:[-_.].*)?\.(?:txt|in)", requirements.environments, made=True),
    _kind("requirements", r"(?:.*/)?(?:requirements|constraints)/[^/]+\.(?:txt|in)", requirements.environments, made=True),
    _kind("pyproject", r"pyproject\.toml", toml_files.pyproject),
    _kind("pixi", r"pixi\.toml", toml_files.pixi),
    _kind("uv-lock", r"uv\.lock", toml_files.uv_lock, made=True),
    _kind("poetry-lock", r"poetry\.lock", toml_files.poetry_lock, made=True),
    _kind("pylock", r"pylock(?:\..+)?\.toml", toml_files.pylock, made=True),
    _kind("pixi-lock", r"pixi\.lock", yaml_files.pixi_lock, made=True),
    _kind("devcontainer", r"\.?devcontainer\.json", services.devcontainer, always=True),
    _kind("slurm", r".+\.(?:slurm|sbatch|sh|bash|job)", services.slurm, sign="#SBATCH"),
    _kind("conda", r"(?:.*[-_.])?(?:environment|conda|env)(?:[-_.].*)?\.ya?ml", yaml_files.conda),
    _kind("notebook", r".+\.ipynb", notebook.environments, made=True),
    _kind("compose", r"(?:docker-)?compose(?:[.-].*)?\.ya?ml", services.compose, always=True, sign="services:"),
    _kind("kubernetes", r".+\.ya?ml", services.kubernetes, sign="containers:"),
    _kind("conda", r".+\.ya?ml", yaml_files.conda, sign="channels:"),
)  # fmt: skip

_NOT_OURS = frozenset(
    [
        "node_modules",
        "site-packages",
        "__pycache__",
        ".git",
        ".hg",
        ".svn",
        ".tox",
        ".nox",
        ".venv",
        "venv",
        ".mypy_cache",
        ".ruff_cache",
        ".pytest_cache",
        ".ipynb_checkpoints",
        ".eggs",
        ".direnv",
        "conda-meta",
    ]
)  # quoted one by one they read worse
_MOST_FILES = 100_000  # that are looked at
_MOST_BYTES = {False: 256 << 10, True: 32 << 20}
"""Of a file that people write, and of one that a program does."""


@record
class BuildFile:
    """A file that was read, or could not be: then `problem` says why. `read` False also where it is not about TensorFlow."""

    path: str
    kind: str
    read: bool
    problem: str = ""


@record
class Reading:
    """All that the files say. `sources` by path; `cut`: there were more files than are looked at."""

    files: tuple[BuildFile, ...]
    environments: tuple[Environment, ...]
    excuses: tuple[Excuse, ...]
    sources: dict[str, Source]
    cut: bool = False


def read(paths: Iterable[str]) -> Reading:
    """The build files below these directories, and these files. Raises FileNotFoundError for a path that is not there."""
    tree = _Tree()
    for path in paths:
        tree.add(path)
    return tree.reading()


def kind_of(path: str) -> Kind | None:
    """By its name, or that of its directory; None for no build file."""
    return next(_kinds_of(path), None)


def _kinds_of(path: str) -> Iterator[Kind]:
    """All that a file of that name can be."""
    name = path.rpartition("/")[2]
    return (
        each for each in KINDS if each.file.fullmatch(path if "/" in each.file.pattern else name)
    )


class _Tree:
    """The files below the given paths, each read once, however many name it."""

    def __init__(self) -> None:
        self._found: dict[str, Kind] = {}
        self._sources: dict[str, Source | UnreadableError] = {}
        self._roots: list[str] = []
        self._looked_at = 0

    def add(self, path: str) -> None:
        if os.path.isdir(path):
            self._roots.append(os.path.realpath(path))
            for each in self._below(path):
                kind = kind_of(each)
                if kind is not None:
                    self._found.setdefault(each, kind)
            return
        os.stat(path)
        here, beside = os.path.realpath("."), os.path.realpath(os.path.dirname(path) or ".")
        self._roots.append(here if f"{beside}/".startswith(f"{here}/") else beside)
        kind = kind_of(path.replace(os.sep, "/")) or _by_content(path)
        if kind is None:
            raise UnreadableError(
                f"{path}: no kind of build file that tfdoctor lint reads; see tfdoctor lint --help"
            )
        self._found.setdefault(_shown(path), kind)

    def _below(self, root: str) -> Iterator[str]:
        """The files, sorted, without environments and what tools keep. A link to a directory is not followed."""
        for folder, folders, names in os.walk(root):
            own = "pyvenv.cfg" in names or "conda-meta" in folders
            folders[:] = [] if own else sorted(each for each in folders if each not in _NOT_OURS)
            for name in [] if own else sorted(names):
                self._looked_at += 1
                if self._looked_at > _MOST_FILES:
                    return
                yield _shown(os.path.join(folder, name))

    def source(self, path: str) -> Source:
        """Raises UnreadableError."""
        if path not in self._sources:
            try:
                self._sources[path] = self._opened(path)
            except UnreadableError as error:
                self._sources[path] = error
        found = self._sources[path]
        if isinstance(found, UnreadableError):
            raise found
        return found

    def _opened(self, path: str) -> Source:
        real = os.path.realpath(path)
        if not any(real == root or real.startswith(root.rstrip("/") + "/") for root in self._roots):
            raise UnreadableError("it is a link that leads out of the directory")
        try:
            if not os.path.isfile(real):
                raise UnreadableError("it is no file")
            kind = kind_of(path)
            most = _MOST_BYTES[kind is not None and kind.made]
            if os.path.getsize(real) > most:
                raise UnreadableError(f"it is larger than {most >> 10:,} KiB")
            data = Path(real).read_bytes()
        except OSError as error:
            raise UnreadableError(f"it can't be read ({error.strerror})") from error
        text, encoding = text_of(data)
        return Source(path, text, lambda name: self._named(path, name), encoding)

    def _named(self, by: str, name: str) -> Source | None:
        """Beside the file that names it, else from the root of what was given: the context of a build."""
        if "$" in name or "://" in name or "\0" in name:
            return None
        places = (os.path.dirname(by), *(os.path.relpath(root) for root in self._roots))
        for place in places:
            path = _shown(
                os.path.normpath(
                    os.path.join(place, name.lstrip("/") if name.startswith("/") else name)
                )
            )
            short = _shown(os.path.normpath(os.path.join(place, os.path.basename(name))))
            for each in dict.fromkeys((path, short)):
                try:
                    return self.source(each)
                except UnreadableError:
                    continue
        return None

    def reading(self) -> Reading:
        files: list[BuildFile] = []
        told: list[Environment] = []
        for path, named in self._found.items():
            try:
                source = self.source(path)
                could_be = (named, *_kinds_of(path))
                kind = next((each for each in could_be if each.sign in source.text), None)
                if kind is None or _is_template(kind, source):
                    continue
                about = (
                    kind.always or mentions_tensorflow(source.text) or _names_files(kind, source)
                )
                told += kind.reader(source) if about else ()
                files.append(BuildFile(path, kind.name, True))
            except UnreadableError as error:
                files.append(BuildFile(path, named.name, False, str(error)))
        files += _not_found(told)
        sources = {path: each for path, each in self._sources.items() if isinstance(each, Source)}
        comments = tuple(each for source in sources.values() for each in excuses(source))
        return Reading(tuple(files), tuple(told), comments, sources, self._looked_at > _MOST_FILES)


def _names_files(kind: Kind, source: Source) -> bool:
    """Whether the words of a file of requirements may be in another one."""
    return kind.name == "requirements" and "-r" in source.text


def _not_found(environments: list[Environment]) -> Iterator[BuildFile]:
    """The files of requirements that others beside TensorFlow name, each once."""
    named = {
        each.value or "": each.span
        for environment in environments
        if any(mentions_tensorflow(each.name) for each in environment.statements)
        for each in environment.statements
        if each.name == "unread-file" and each.value
    }
    for path, span in named.items():
        yield BuildFile(
            path, "requirements", False, f"named in {span.file}:{span.line} but not found here"
        )


def _is_template(kind: Kind, source: Source) -> bool:
    """A manifest that Helm has yet to make: no YAML."""
    return kind.name == "kubernetes" and "{{" in source.text


def _shown(path: str) -> str:
    return os.path.normpath(path).replace(os.sep, "/")


def _by_content(path: str) -> Kind | None:
    """A file that was named and whose name tells nothing: by its ending."""
    if path.endswith((".txt", ".in")):
        return next(each for each in KINDS if each.name == "requirements")
    if path.endswith((".yml", ".yaml")):
        return next(each for each in KINDS if each.name == "conda")
    return None


def text_of(data: bytes) -> tuple[str, str]:
    """The text and its encoding, as pip decodes: by a byte order mark, else UTF-8. Bytes that are none come back when it is written."""
    for mark, encoding in (
        (codecs.BOM_UTF8, "utf-8-sig"),
        (codecs.BOM_UTF16_LE, "utf-16"),
        (codecs.BOM_UTF16_BE, "utf-16"),
    ):
        if data.startswith(mark):
            return data.decode(
                encoding, "surrogateescape" if encoding == "utf-8-sig" else "replace"
            ), encoding
    return data.decode("utf-8", "surrogateescape"), "utf-8"
