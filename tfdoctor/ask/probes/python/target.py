"""Which Python is examined, and why: `--python`, `--kernel`, else the environment that the user works in.

Only files are looked at here. A path that can't be what was asked for is wrong usage (RequestError); an
environment whose interpreter vanished is a fact about the patient.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from pathlib import Path

from tfdoctor.ask.probes.python.environments import INTERPRETERS, folders_of, has_tensorflow
from tfdoctor.ask.probes.python.jupyter import all_kernels, environments, kernel_environment
from tfdoctor.ask.probes.request import Request, RequestError
from tfdoctor.base.records import record, replace
from tfdoctor.base.sysroot import System
from tfdoctor.facts.model import Facts
from tfdoctor.facts.outcome import Absent, Fact, Failed, Known

_NAMES_OF_PYTHON = ("py", "hython")  # python3.11, pypy3, graalpy, mayapy, ipython, hython …
_OWN = "the environment of tfdoctor itself"
_GONE = "does not exist"


@record
class Target:
    """The interpreter to be examined.

    executable: its path on this machine, links kept (a venv's is one); Failed where the environment has lost it,
    Absent where there is no Python at all. prefix: the environment's folder, "" where unknown. runs: False for
    one below a sysroot, which is read and never run.
    """

    executable: Fact[str]
    prefix: str
    chosen_by: str
    runs: bool = True


def choose_target(request: Request) -> Target:
    """The contract's order. Raises RequestError where what the user named does not exist or is no Python."""
    if request.python and request.kernel:
        raise RequestError("--python and --kernel name two interpreters: give one of them")
    if request.kernel:
        return _of_kernel(request)
    if request.python:
        return _named(request)
    passed: list[str] = []
    for label, executable in active_interpreters(request.system, passed):
        if label == _OWN and not has_tensorflow(sys.path):
            continue
        return _target(executable, request, label + "".join(f" ({note})" for note in passed))
    return Target(
        Absent("no environment is active and no python3 is on PATH"), "", "nothing to choose from"
    )


def active_interpreters(
    system: System, notes: list[str] | None = None
) -> Iterator[tuple[str, Path]]:
    """Every interpreter that the user may think of as the active one, in the contract's order, with its name.

    `notes` gains a clause for each variable that names something unusable.
    """
    for variable in ("VIRTUAL_ENV", "CONDA_PREFIX"):
        value = system.environ.get(variable, "")
        if not value:
            continue
        folder = _on_this_machine(value, system)
        interpreter = _interpreter_of(folder)
        if interpreter is not None:
            yield variable, interpreter
        elif notes is not None:
            notes.append(
                f"{variable} names {value}, which {_why_unusable(folder) or 'holds no Python'}"
            )
    if sys.executable:
        yield _OWN, Path(sys.executable)
    for name in ("python3", "python"):
        if (found := _on_path(name, system)) is not None:
            yield f"{name} on PATH", found


def _prefixes(system: System) -> list[str]:
    """The environments whose kernels are searched: the active one and our own."""
    return [*environments(system, Facts()), *([sys.prefix] if system.live else [])]


def _of_kernel(request: Request) -> Target:
    """The interpreter that a Jupyter kernel starts."""
    name, chosen_by = request.kernel, f"--kernel {request.kernel}"
    listed = all_kernels(request.system, _prefixes(request.system))
    if isinstance(listed, Failed):
        return Target(listed, "", chosen_by)
    kernels = {kernel.name: kernel for kernel in listed.value} if isinstance(listed, Known) else {}
    kernel = kernels.get(name.lower())
    if kernel is None:
        raise RequestError(
            f"{chosen_by}: no such Jupyter kernel; Jupyter has {', '.join(kernels) or 'none'}"
        )
    if not isinstance(kernel.interpreter, Known):
        return Target(_no_start(name, kernel.interpreter), "", chosen_by)
    return _target(_on_this_machine(kernel.interpreter.value, request.system), request, chosen_by)


def as_its_kernel_starts(request: Request) -> Request:
    """The request with the environment that kernel.json adds to the user's, where a kernel was named."""
    if not request.kernel:
        return request
    added = kernel_environment(request.system, _prefixes(request.system), request.kernel)
    system = replace(request.system, environ={**request.system.environ, **added})
    return replace(request, system=system)


def _named(request: Request) -> Target:
    """What --python names: a path first, else a program on PATH."""
    text = request.python
    path = _on_this_machine(os.path.expanduser(text), request.system)
    try:
        os.lstat(path)
    except (FileNotFoundError, NotADirectoryError, ValueError):
        found = _on_path(text, request.system) if os.sep not in text else None
        if found is None:
            place = "" if os.sep in text else " and no program on PATH has that name"
            raise RequestError(f"--python {text}: no such file or directory{place}") from None
        path = found
    except OSError as error:
        raise RequestError(f"--python {text}: can't be read ({error.strerror})") from error
    if os.path.isdir(path):
        interpreter = _interpreter_of(path)
        if interpreter is None:
            raise RequestError(
                f"--python {text}: not an environment: no bin/python and no pyvenv.cfg"
            )
        return _target(interpreter, request, "--python")
    _refuse_what_is_no_python(text, path)
    return _target(path, request, "--python")


def _refuse_what_is_no_python(text: str, path: Path) -> None:
    if not os.path.exists(path):
        return  # a link to an interpreter that vanished: a fault of the environment, told as such
    if not os.path.isfile(path):
        raise RequestError(f"--python {text}: this is neither a program nor a folder")
    names = (path.name.lower(), Path(os.path.realpath(path)).name.lower())
    if not any(part in name for name in names for part in _NAMES_OF_PYTHON):
        raise RequestError(f"--python {text}: this file isn't a Python interpreter")
    if not os.access(path, os.X_OK):
        raise RequestError(f"--python {text}: this file isn't executable")


def _target(path: Path, request: Request, chosen_by: str) -> Target:
    """Made absolute without following links: a virtual environment is found by the link's own place."""
    path = Path(os.path.abspath(path))
    prefix = str(path.parent.parent if path.parent.name in ("bin", "Scripts") else path.parent)
    root = request.system.root
    runs = request.system.live or not any(
        path.is_relative_to(item) for item in (root.absolute(), root.resolve())
    )
    executable: Fact[str] = Known(str(path), chosen_by)
    if (why := _why_unusable(path)) and not (not runs and os.path.islink(path)):
        executable = Failed(_vanished(path, why), "missing" if why == _GONE else "unreadable")
    return Target(executable, prefix, chosen_by, runs)


def _vanished(path: Path, why: str) -> str:
    if os.path.islink(path):
        return f"{path} points at {os.path.realpath(path)}, which {why}"
    return f"the environment has no interpreter: {path} {why}"


def _why_unusable(path: Path) -> str:
    """Why nothing can be used there; "" where something is."""
    try:
        os.stat(path)
    except (FileNotFoundError, NotADirectoryError):
        return _GONE
    except OSError as error:
        return f"can't be read ({error.strerror})"
    return ""


def _interpreter_of(folder: Path) -> Path | None:
    """A folder's interpreter; the place where it should be if the folder is an environment without one."""
    candidates = [folder / name for name in INTERPRETERS]
    for path in candidates:
        if os.path.exists(path):
            return path
    for path in candidates:
        if os.path.islink(path):
            return path
    return candidates[1] if os.path.lexists(folder / "pyvenv.cfg") else None


def _on_this_machine(name: str, system: System) -> Path:
    """A path that the user gave is taken as it is; below the sysroot where only that has it."""
    if system.live or os.path.lexists(name) or not name.startswith("/"):
        return Path(name)
    return system.path(os.path.dirname(name)) / os.path.basename(name)


def _on_path(name: str, system: System) -> Path | None:
    """The first program of that name on PATH: below the sysroot, else on this machine."""
    found = next(system.programs(name), None)
    if found is not None or system.live:
        return found
    return _on_path(name, System(environ=system.environ))


def _no_start(kernel: str, why: Absent | Failed) -> Failed:
    if isinstance(why, Absent):
        return Failed(f"the kernel {kernel} can't start: {why.reason}", "missing")
    return Failed(f"the kernel {kernel} can't start: {why.error}", why.kind)


def other_with_tensorflow(examined: str, system: System) -> Fact[str]:
    """An active interpreter other than `examined` whose environment has TensorFlow, by its files."""
    for label, path in active_interpreters(system):
        if os.path.abspath(path) == examined:
            continue
        folders = sys.path if label == _OWN else folders_of(path, system)
        if has_tensorflow(folders):
            return Known(os.path.abspath(path), label)
    return Absent("no other active environment has TensorFlow")
