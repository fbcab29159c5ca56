"""Environment variables that TensorFlow, CUDA, the loader or Python obey. All others stay unread."""

from __future__ import annotations

import os
from collections.abc import Mapping

from tfdoctor.ask.probes.request import Request
from tfdoctor.ask.probes.text_files import guarded
from tfdoctor.base.expressions import Expression
from tfdoctor.base.foreign_json import read_json
from tfdoctor.base.printable import encodable
from tfdoctor.base.safe_open import list_folder
from tfdoctor.base.sysroot import System
from tfdoctor.base.user_folders import home, named_home
from tfdoctor.facts.model import Environment, Facts
from tfdoctor.facts.outcome import Absent, Fact, Known
from tfdoctor.facts.values import LibraryFolder
from tfdoctor.knowledge.variable_names import counts

_MOST_VARIABLES, _LONGEST_NAME = 500, 200
_LONGEST_VALUE = 20_000  # characters; a cluster's LD_LIBRARY_PATH has 10,000


def ask(request: Request, facts: Facts) -> Environment:
    """Fills the group Environment."""
    found = variables(request.system.environ)
    return Environment(
        Known(found, "environment variables")
        if found
        else Absent("none of these variables is set"),
        guarded(lambda: _keras_settings(request.system), "keras.json"),
        guarded(lambda: _library_path(request.system), "LD_LIBRARY_PATH"),
    )


_OFTEN_IN_THE_WAY = Expression(
    r"lib(?:tensorflow(?:_framework|_cc)?|stdc\+\+|gcc_s|gomp|iomp5|hdf5(?:_hl|_cpp)?|protobuf|absl_\w+|cuda|nvJitLink|"
    r"nvrtc|python3[\d.]*|z|ssl|crypto|ffi|c|m|pthread|mpi|tbb|mkl_rt|openblas)\.so(?:\.[\d.]+)?"
)


def _library_path(system: System) -> Fact[tuple[LibraryFolder, ...]]:
    """The loader takes its entries in order, before what a library's own RUNPATH and the system's cache name."""
    entries = [os.path.abspath(item) for item in system.folders("LD_LIBRARY_PATH", ":;") if item]
    if not entries:
        return Absent("LD_LIBRARY_PATH is not set")
    return Known(tuple(_library_folder(each) for each in dict.fromkeys(entries)), "LD_LIBRARY_PATH")


def _library_folder(path: str) -> LibraryFolder:
    try:
        names = list_folder(path)
    except OSError:
        return LibraryFolder(path, os.path.isdir(path), ())
    return LibraryFolder(
        path, True, tuple(name for name in names if _OFTEN_IN_THE_WAY.fullmatch(name))
    )


_KERAS_SETTINGS = ("backend", "floatx", "image_data_format", "epsilon")


def _keras_settings(system: System) -> Fact[dict[str, str]]:
    """The file that Keras reads at its import; what it can't parse it takes for empty (keras/src/backend/config.py of 3.15.1)."""
    user = (home(system.environ) if system.live else named_home(system.environ)) or "~"
    path = f"{system.environ.get('KERAS_HOME') or f'{user}/.keras'}/keras.json"
    try:
        told = read_json(system.read(path).encode())
    except FileNotFoundError:
        return Absent(f"{path} does not exist")
    except ValueError:
        return Absent(f"{path} holds no JSON, so Keras passes over it")
    if not isinstance(told, dict):
        return Absent(f"{path} holds no settings")
    return Known({name: str(told[name])[:200] for name in _KERAS_SETTINGS if name in told}, path)


def variables(environ: Mapping[str, str]) -> dict[str, str]:
    """Those of the variables that count, by name."""
    names = [name for name in sorted(environ) if counts(name)][:_MOST_VARIABLES]
    return {name[:_LONGEST_NAME]: _bounded(encodable(environ[name])) for name in names}


def _bounded(value: str) -> str:
    """As it is; of one that nobody wrote by hand the beginning, and how long it is."""
    if len(value) <= _LONGEST_VALUE:
        return value
    return f"{value[:_LONGEST_VALUE]} … ({len(value)} characters)"
