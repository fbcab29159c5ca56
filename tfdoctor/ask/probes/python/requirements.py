"""TensorFlow's own requirements (Requires-Dist), and theirs in turn, as they apply to the examined interpreter."""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Mapping
from functools import lru_cache

from packaging.requirements import Requirement as ParsedRequirement
from packaging.specifiers import SpecifierSet
from packaging.version import Version

from tfdoctor.ask.probes.host.host import own_machine
from tfdoctor.ask.probes.python.metadata import (
    TENSORFLOW_NAMES,
    header_values,
    metadata_text,
)
from tfdoctor.base.expressions import Expression
from tfdoctor.base.records import record
from tfdoctor.base.safe_open import head_of
from tfdoctor.base.version_ranges import normalised
from tfdoctor.facts.model import Interpreter
from tfdoctor.facts.outcome import Absent, Fact, Failed, Known, value_or
from tfdoctor.facts.values import Bound, Distribution, Requirement, UnmetRequirement
from tfdoctor.facts.versions import PythonRelease

# platform.system(), without its import.
_SYSTEMS = {
    "linux": "Linux",
    "darwin": "Darwin",
    "win32": "Windows",
}
_RECORD_BYTES = 1 << 20
_TENSORFLOW = Expression(r"tensorflow\b")
_OTHER_EXTRA = Expression(r"""[^;]*;(?!.*\bor\b).*\bextra\s*==\s*['"](?!and[-_.]cuda['"])""")
"""A line for an extra that is not asked about: most of what there is to read, and it can't apply."""
_UNDER_AN_EXTRA = Expression(r"""([^;]*);\s*extra\s*==\s*['"]([\w.-]+)['"]\s*""")
_SYMBOL = b"_ZN10tensorflow"
"""How names of TensorFlow's C++ classes begin (Itanium C++ ABI), in a library that is linked with them. They change from
release to release; the C interface (TF_…), with which file systems such as tensorflow-io-gcs-filesystem are built, does not."""
_SYMBOL_BYTES = (
    2 << 20
)  # the table of names stands at the beginning: up to 1.2 MB in tensorflow-io 0.37.1, whose file has 132 MB
_MOST_LIBRARIES = 8
_EXTRAS = ("", "and-cuda")
"""The plain requirements, and the one extra that decides whether a GPU works."""
_LONGEST_LINE = 1000  # characters


@record
class RequiresDist:
    """One line of Requires-Dist; `extras` are those of `_EXTRAS` for which it applies."""

    name: str
    specifier: str
    extras: tuple[str, ...]


def parse_requires_dist(line: str, environment: Mapping[str, str]) -> RequiresDist:
    """`environment`: PEP 508's variables without `extra`. Raises ValueError where the line is no requirement."""
    if len(line) > _LONGEST_LINE:
        raise ValueError(f"it has {len(line)} characters")
    try:
        parsed = _parsed(line)
        marker = parsed.marker
        extras = tuple(
            extra
            for extra in _EXTRAS
            if marker is None or marker.evaluate({**environment, "extra": extra})
        )
    except (
        KeyError,
        RecursionError,
    ) as error:  # an unknown variable (packaging 23); hundreds of parentheses
        raise ValueError(f"its marker can't be read ({type(error).__name__})") from error
    always = "" in extras
    return RequiresDist(normalised(parsed.name), str(parsed.specifier), ("",) if always else extras)


@lru_cache(maxsize=4096)
def _parsed(line: str) -> ParsedRequirement:
    """Each line is read for several questions, and parsing takes a third of their time."""
    return ParsedRequirement(line)


class Site:
    """The packages that an interpreter has, and their lines of Requires-Dist, each file of which is read once.

    `environment`: PEP 508's variables for the interpreter.
    """

    def __init__(self, installed: Mapping[str, Distribution], interpreter: Interpreter) -> None:
        self.installed, self.environment = installed, marker_environment(interpreter)
        self._lines: dict[str, list[str]] = {}

    def lines(self, package: Distribution) -> list[str]:
        """Its requirements as they are written. Raises OSError."""
        if package.folder not in self._lines:
            self._lines[package.folder] = header_values(metadata_text(package), "Requires-Dist")
        return self._lines[package.folder]


def read_requirements(
    owner: Distribution, site: Site, unreadable: list[str]
) -> tuple[Requirement, ...]:
    """Those of `owner`'s METADATA whose markers hold. A line that can't be read goes to `unreadable`. Raises OSError."""
    return _read(owner, site, site.installed, unreadable)


def _read(
    owner: Distribution, site: Site, installed: Mapping[str, Distribution], unreadable: list[str]
) -> tuple[Requirement, ...]:
    """`installed`: what can satisfy them, by name."""
    found: list[Requirement] = []
    for line in site.lines(owner):
        if _OTHER_EXTRA.match(line):
            continue
        try:
            asked = parse_requires_dist(line, site.environment)
        except ValueError as error:
            unreadable.append(f"{owner.folder}: Requires-Dist {line[:200]!r}: {_first_line(error)}")
        else:
            found += [
                _judged(asked, extra, installed, os.path.dirname(owner.folder))
                for extra in asked.extras
            ]
    return tuple(found)


def _first_line(error: Exception) -> str:
    return next(iter(str(error).splitlines()), type(error).__name__)[:200]


def unmet_below(
    owner: Distribution, site: Site, unreadable: list[str]
) -> tuple[UnmetRequirement, ...]:
    """What the packages that `owner` requires, and those that they require, lack themselves.

    A package whose metadata can't be read goes to `unreadable`. Raises OSError where `owner`'s own can't.
    """
    found: list[UnmetRequirement] = []
    waiting = [each.name for each in read_requirements(owner, site, []) if not each.extra]
    seen = {owner.name, *waiting}
    while waiting:
        package = site.installed.get(waiting.pop(0))
        if package is None:
            continue  # told by the requirement that asks for it
        own = _what_can_be_read(package, site, site.installed, unreadable)
        found += [
            UnmetRequirement(
                package.name, package.version, each.name, each.specifier, each.installed
            )
            for each in own
            if not each.satisfied
        ]
        waiting += [name for name in dict.fromkeys(each.name for each in own) if name not in seen]
        seen.update(waiting)
    return tuple(found)


_NAME = Expression(r"[\w.-]+")
_BESIDE = frozenset(("tensorflow", "tf-keras", "setuptools"))
"""What is bound by TensorFlow's neighbors though it does not require it itself."""


def bounds(owner: Distribution, site: Site, unreadable: list[str]) -> tuple[Bound, ...]:
    """The ranges in which other packages hold what `owner` and its requirements need.

    Whichever name TensorFlow has in a requirement, the bound is on "tensorflow". What can't be read goes to `unreadable`.
    """
    wanted = _closure(owner, site) | _BESIDE
    found: list[Bound] = []
    for package in site.installed.values():
        if package.name in TENSORFLOW_NAMES:
            continue
        for name, line in _lines_on(package, site, wanted, unreadable):
            try:
                asked = parse_requires_dist(line, site.environment)
            except ValueError as error:
                _told_once(
                    unreadable,
                    f"{package.folder}: Requires-Dist {line[:200]!r}: {_first_line(error)}",
                )
                continue
            if asked.specifier and "" in asked.extras:
                found.append(Bound(name, asked.specifier, package.name, package.version))
    return tuple(dict.fromkeys(found))


def _lines_on(
    package: Distribution, site: Site, wanted: frozenset[str], unreadable: list[str]
) -> list[tuple[str, str]]:
    """The lines of Requires-Dist that are about one of the names, each with it."""
    try:
        lines = site.lines(package)
    except OSError as error:
        _told_once(unreadable, f"{package.folder}: {error.strerror or error}")
        return []
    named = [
        (normalised(match[0]), line)
        for line in lines
        if not _OTHER_EXTRA.match(line) and (match := _NAME.match(line))
    ]
    ours = [("tensorflow" if name in TENSORFLOW_NAMES else name, line) for name, line in named]
    return [(name, line) for name, line in ours if name in wanted]


def _closure(owner: Distribution, site: Site) -> frozenset[str]:
    """What `owner` requires, and what that requires in turn, by name. What can't be read is told where it is judged."""
    waiting, seen = [owner.name], {owner.name}
    while waiting:
        package = owner if waiting[0] == owner.name else site.installed.get(waiting[0])
        del waiting[0]
        with contextlib.suppress(OSError):
            asked = read_requirements(package, site, []) if package else ()
            new = [
                name
                for name in dict.fromkeys(each.name for each in asked if not each.extra)
                if name not in seen
            ]
            waiting += new
            seen.update(new)
    return frozenset(seen)


def _told_once(unreadable: list[str], what: str) -> None:
    if what not in unreadable:
        unreadable.append(what)


def built_on_another(site: Site, unreadable: list[str]) -> tuple[UnmetRequirement, ...]:
    """Packages with libraries of their own that require another TensorFlow than the one installed.

    A package whose metadata can't be read goes to `unreadable`.
    """
    found: list[UnmetRequirement] = []
    known = _under_every_name(site.installed)
    for package in site.installed.values():
        if not _asks_for_tensorflow(package, site) or not _has_libraries(package):
            continue
        asked = [
            each
            for each in _what_can_be_read(package, site, known, unreadable)
            if each.name in TENSORFLOW_NAMES
        ] or _under_extras(package, site)
        found += [
            UnmetRequirement(
                package.name, package.version, each.name, each.specifier, each.installed, each.extra
            )
            for each in asked
            if each.name in TENSORFLOW_NAMES
            and not each.satisfied
            and isinstance(each.installed, Known)
        ]
    return tuple(found)


def _under_every_name(installed: Mapping[str, Distribution]) -> Mapping[str, Distribution]:
    """With the one TensorFlow that is here under every name that it can have: tensorflow-cpu is tensorflow for what requires it."""
    here = [each for each in installed.values() if each.name in TENSORFLOW_NAMES]
    return {**dict.fromkeys(TENSORFLOW_NAMES, here[0]), **installed} if here else installed


def _under_extras(package: Distribution, site: Site) -> list[Requirement]:
    """The ranges of TensorFlow that stand under extras alone (tensorflow-io), where a library of the package is linked with
    TensorFlow's C++ classes: then they hold whether an extra was asked for or not. [] where one of them is met.
    """
    found = []
    with contextlib.suppress(OSError):  # what can't be read is told by `_what_can_be_read`
        for line in site.lines(package):
            if match := _UNDER_AN_EXTRA.fullmatch(line):
                with contextlib.suppress(ValueError):
                    asked = parse_requires_dist(match[1], site.environment)
                    found.append(
                        _judged(asked, match[2], site.installed, os.path.dirname(package.folder))
                    )
    ours = [
        each
        for each in found
        if each.name in TENSORFLOW_NAMES and isinstance(each.installed, Known)
    ]
    if not ours or any(each.satisfied for each in ours) or not _linked_with_classes(package):
        return []
    return ours


def _linked_with_classes(package: Distribution) -> bool:
    site = os.path.dirname(package.folder)
    with contextlib.suppress(OSError):
        listed = head_of(os.path.join(package.folder, "RECORD"), _RECORD_BYTES).decode(
            "utf-8", "replace"
        )
        names = [line.partition(",")[0] for line in listed.splitlines() if ".so," in line]
        for name in names[:_MOST_LIBRARIES]:
            with contextlib.suppress(OSError):
                if _SYMBOL in head_of(os.path.join(site, name), _SYMBOL_BYTES):
                    return True
    return False


def _asks_for_tensorflow(package: Distribution, site: Site) -> bool:
    """True also where the metadata can't be read: whether it asks is then said by `_what_can_be_read`."""
    if package.name in TENSORFLOW_NAMES:
        return False
    try:
        return any(map(_TENSORFLOW.match, site.lines(package)))
    except OSError:
        return True


def _what_can_be_read(
    package: Distribution, site: Site, installed: Mapping[str, Distribution], unreadable: list[str]
) -> list[Requirement]:
    """The requirements without extras of a package that is not TensorFlow: of its metadata no verdict depends."""
    try:
        asked = _read(package, site, installed, unreadable)
    except OSError as error:
        unreadable.append(f"{package.folder}: {error.strerror or error}")
        return []
    return [each for each in asked if not each.extra]


def _has_libraries(package: Distribution) -> bool:
    """Whether RECORD lists a shared library."""
    try:
        return b".so," in head_of(os.path.join(package.folder, "RECORD"), _RECORD_BYTES)
    except OSError:
        return False  # without a list of files there is no saying, and pure packages are many more


_MODULES = {
    "absl-py": "absl",
    "protobuf": "google/protobuf",
    "google-pasta": "pasta",
    "libclang": "clang",
}


def _judged(
    asked: RequiresDist, extra: str, installed: Mapping[str, Distribution], site: str
) -> Requirement:
    """site: the folder that TensorFlow's own metadata is in, where an installer puts what it requires, too."""
    present = installed.get(asked.name)
    version: Fact[str] = Absent(f"{asked.name} is not installed")
    satisfied = False
    if present is None:
        module = os.path.join(site, _MODULES.get(asked.name, asked.name.replace("-", "_")))
        if os.path.isfile(os.path.join(module, "__init__.py")) or os.path.isfile(f"{module}.py"):
            version = Failed(
                f"{module} is there, and no metadata says which version it is", "missing"
            )
    else:
        version = Known(present.version, present.folder)
        with contextlib.suppress(ValueError):  # a version that is none satisfies nothing
            satisfied = SpecifierSet(asked.specifier).contains(
                Version(present.version), prereleases=True
            )
    return Requirement(asked.name, asked.specifier, version, extra, satisfied)


def marker_environment(interpreter: Interpreter) -> dict[str, str]:
    """PEP 508's variables for the examined interpreter; what it did not say is taken from this machine."""
    own = PythonRelease(".".join(map(str, sys.version_info[:3])))
    version = value_or(interpreter.version, own)
    implementation = value_or(interpreter.implementation, "cpython")
    return {
        "python_version": version.feature,
        "python_full_version": version.text,
        "implementation_name": implementation,
        "implementation_version": version.text,
        "platform_python_implementation": {"cpython": "CPython", "pypy": "PyPy"}.get(
            implementation, implementation
        ),
        "platform_machine": value_or(interpreter.machine, own_machine()),
        "platform_system": _SYSTEMS.get(sys.platform, sys.platform),
        "platform_release": "",
        "platform_version": "",
        "sys_platform": sys.platform,
        "os_name": os.name,
    }
