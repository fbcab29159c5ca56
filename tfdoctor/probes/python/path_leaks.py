"""What PYTHONPATH puts before the environment's own packages, and for which Python its compiled parts were built."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator

from tfdoctor.facts.values import Distribution, PathLeak
from tfdoctor.light.expressions import Expression
from tfdoctor.probes.python.distributions.metadata import TENSORFLOW_NAMES
from tfdoctor.system.safe_open import list_folder

_MODULES = {
    "absl": "absl-py",
    "astunparse": "astunparse",
    "flatbuffers": "flatbuffers",
    "gast": "gast",
    "google": "protobuf",
    "grpc": "grpcio",
    "h5py": "h5py",
    "keras": "keras",
    "ml_dtypes": "ml-dtypes",
    "numpy": "numpy",
    "optree": "optree",
    "packaging": "packaging",
    "pandas": "pandas",
    "requests": "requests",
    "scipy": "scipy",
    "six": "six",
    "tensorboard": "tensorboard",
    "tensorflow": "tensorflow",
    "termcolor": "termcolor",
    "tf_keras": "tf-keras",
    "typing_extensions": "typing-extensions",
    "wrapt": "wrapt",
}
"""What `import tensorflow` imports (sys.modules of 2.21.0, 2026-11-22) or programs beside it, with its distribution."""

_TAG = Expression(r"\.(?:cpython-(\d{2,4})[\w-]*\.so|cp(\d{2,4})-\w+\.pyd)$")
_MOST_FILES = 2000  # a package with more is not read to its end
_PARTS = {"google": "google/_upb"}


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
        for module in _listed(entry):
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
                built_for=_foreign(os.path.join(entry, _PARTS.get(stem, module)), tag),
            )


def _listed(folder: str) -> list[str]:
    try:
        return list_folder(folder)
    except OSError:
        return []


def _importable(entry: str, module: str) -> bool:
    """A file, or a folder with code; google is one without an __init__.py."""
    path = os.path.join(entry, module)
    if module.endswith(".py"):
        return os.path.isfile(path)
    return os.path.isfile(os.path.join(path, "__init__.py")) or os.path.isdir(os.path.join(path, "protobuf"))


def _holds(folder: str, module: str) -> bool:
    return os.path.isdir(os.path.join(folder, module)) or os.path.isfile(os.path.join(folder, f"{module}.py"))


def _name(owners: dict[tuple[str, str], str], entry: str, module: str) -> str:
    if module == "tensorflow":
        return next((name for folder, name in owners if folder == entry and name in TENSORFLOW_NAMES), module)
    return _MODULES[module]


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
