"""Asks the examined interpreter about itself: one child, one line, no import of anything of the user's.

Where it may not run (below a sysroot) or does not answer, its files say what they can and the rest is Failed.
"""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

from tfdoctor.ask.probes.python.environments import (
    Layout,
    folders_of,
    has_tensorflow,
    kind_of,
    read_layout,
    read_pyvenv,
)
from tfdoctor.ask.probes.python.others import environments_with_tensorflow
from tfdoctor.ask.probes.python.ownership import notice, runs_as
from tfdoctor.ask.probes.python.target import Target, choose_target, other_with_tensorflow
from tfdoctor.ask.probes.request import Ahead, Request
from tfdoctor.ask.probes.runner import attempt
from tfdoctor.ask.probes.text_files import not_live
from tfdoctor.ask.probes.workers import program
from tfdoctor.base.child import ChildResult, run_child
from tfdoctor.base.elf import read_elf
from tfdoctor.base.printable import plain
from tfdoctor.base.records import names
from tfdoctor.base.sysroot import without_working_folder
from tfdoctor.facts.model import Facts, Interpreter
from tfdoctor.facts.outcome import UNASKED, Absent, Fact, Failed, Known, map_known, value_or
from tfdoctor.facts.versions import PythonRelease, read_release

_PROGRAM = Path(program("ask_interpreter"))
_START, _END = b"\x02tfdoctor-interpreter ", b"\x03"
_MEMORY_BOUND = 1 << 30  # bytes: an interpreter that starts needs 10 MB
# A shim's script found no program: its first line says so, the rest is advice.
_SHELLS_REFUSAL = (
    126,
    127,
)
Answer = dict[str, Any]


def ask(request: Request, facts: Facts) -> Interpreter:
    """Fills the group. Raises RequestError for wrong usage, which a command asks for by `choose_target` first."""
    return begin_early(request).wait()


def begin_early(request: Request) -> Ahead[Interpreter]:
    """Begins to ask, once an examination: what TensorFlow's files and packages are waits for the answer."""
    return request.shared.once(
        "the interpreter", lambda: Ahead(lambda: _asked(request), "interpreter")
    )


def _asked(request: Request) -> Interpreter:
    target = choose_target(request)
    chosen_by = Known(target.chosen_by, "the request")
    if not isinstance(target.executable, Known):
        return _without(target, chosen_by, request)
    path = target.executable.value
    if not target.runs:
        return _from_files(
            path,
            chosen_by,
            request,
            not_live("an interpreter in the examined folder is read and never run"),
        )
    if words := notice(request):
        request.warn(words)
    answer = ask_child(path, request)
    if isinstance(answer, Known):
        return _from_answer(answer.value, path, chosen_by, request)
    return _from_files(path, chosen_by, request, answer)


def ask_child(path: str, request: Request) -> Known[Answer] | Failed:
    """What the interpreter answers. Silence, nonsense, exit status and time-out are four different errors."""
    environ = {**without_working_folder(request.system.environ), "PYTHONDONTWRITEBYTECODE": "1"}
    environ.pop("PYTHONINSPECT", None)  # would wait for a user after the program's end
    source = _PROGRAM.read_text(encoding="utf-8")
    result = run_child(
        [path, "-B", "-c", source],
        timeout_s=request.child_limit_s,
        env=environ,
        memory_bound=_MEMORY_BOUND,
        owner=runs_as(request),
    )
    found = result.stdout.rpartition(_START)
    if not found[1]:
        return Failed(
            f"{path} {_no_answer(result, request)}", "unreadable" if result.ok else result.kind
        )
    try:
        answer = json.loads(found[2].partition(_END)[0])
    except (ValueError, RecursionError) as error:
        return Failed(f"{path} answered what can't be read: {error}", "unreadable")
    return (
        Known(answer, path)
        if isinstance(answer, dict)
        else Failed(f"{path} answered something else than was asked", "unreadable")
    )


def _no_answer(result: ChildResult, request: Request) -> str:
    """One clause that says how the child failed to answer, with its own last words."""
    if result.ok:
        said = plain(result.stdout.decode("utf-8", "replace"))[-120:]
        return (
            f"answered something else than was asked: {said!r}"
            if said
            else "ended well and answered nothing"
        )
    words = [
        plain(line)
        for line in result.stderr.decode("utf-8", "replace").splitlines()
        if line.strip()
    ]
    fatal = [line for line in words if line.startswith("Fatal Python error")]
    chosen = fatal or (words if result.status in _SHELLS_REFUSAL else words[::-1])
    last = chosen[0] if chosen and result.how != "not-started" else ""
    home = request.system.environ.get("PYTHONHOME", "")
    hint = f" (PYTHONHOME is set to {home})" if home else ""
    return result.describe() + (f": {last[:300]}" if last else "") + hint


def _from_answer(answer: Answer, path: str, chosen_by: Fact[str], request: Request) -> Interpreter:
    def known(name: str) -> Fact[Any]:
        if name not in answer:
            return Failed(f"{path} did not say its {name}", "missing")
        return Known(tuple(answer[name]) if isinstance(answer[name], list) else answer[name], path)

    executable = _started(path, answer)
    other: Fact[str] = attempt(
        lambda: _other_active(executable, answer.get("path", []), request),
        "the active environments",
    )
    prefix = Path(answer.get("prefix", ""))
    config = read_pyvenv(prefix)
    no_user_site = answer.get("no_user_site") or "there is no user site"
    return Interpreter(
        executable=Known(executable, value_or(chosen_by, "")),
        version=_version(answer, path),
        implementation=known("implementation"),
        machine=known("machine"),
        pointer_bits=known("bits"),
        free_threaded=known("free_threaded"),
        environment=Known(
            kind_of(prefix, config.value if isinstance(config, Known) else None, request.system),
            str(prefix),
        ),
        prefix=known("prefix"),
        base_prefix=known("base_prefix"),
        sys_path=known("path"),
        site_packages=known("site_packages"),
        user_site=known("user_site") if answer.get("user_site") else Absent(no_user_site),
        externally_managed=attempt(lambda: _externally_managed(answer), "EXTERNALLY-MANAGED"),
        has_pip=Known(_has_pip(answer.get("path", [])), "the folders of sys.path"),
        project=_project(str(prefix)),
        libc=_libc(answer, path, request),
        chosen_by=chosen_by,
        active_with_tensorflow=other,
        active_has_pip=_pip_of(other, request),
        others_with_tensorflow=attempt(
            lambda: _others(str(prefix), answer.get("path", []), request), "environments"
        ),
    )


def _started(path: str, answer: Answer) -> str:
    """The path that was chosen, for a wrapper (Nix, a module, a script of an IDE) sets what its Python needs before it starts it.
    A shim's own choice hangs on where it is typed, so there the Python that it chose is named.
    """
    shim = f"{os.sep}shims{os.sep}" in path
    return (answer.get("executable") or path) if shim else path


def _version(answer: Answer, path: str) -> Fact[PythonRelease]:
    if "version" not in answer:
        return Failed(f"{path} did not say its version", "missing")
    return read_release(PythonRelease, str(answer["version"]), path)


def _from_files(path: str, chosen_by: Fact[str], request: Request, why: Failed) -> Interpreter:
    """What the environment's files say; `why` is the error of all that only running it would tell."""
    layout = attempt(lambda: read_layout(path, request.system), path)
    facts: dict[str, Any] = _all(why) | {
        "executable": Known(path, value_or(chosen_by, "")),
        "chosen_by": chosen_by,
    }
    if isinstance(layout, Known):
        facts |= _of_layout(layout.value, why)
        facts["libc"] = _libc_by_file(path, why)
        facts["active_with_tensorflow"] = _other_active(path, layout.value.sys_path, request)
    return Interpreter(**facts)


def _of_layout(layout: Layout, why: Failed) -> dict[str, Any]:
    read = f"the files below {layout.prefix}"
    return {
        "version": layout.version,
        "environment": Known(layout.kind, read),
        "prefix": Known(layout.prefix, read),
        "base_prefix": layout.base_prefix,
        "sys_path": Known(layout.sys_path, read) if why.not_live else why,
        "site_packages": Known(layout.site_packages, read) if layout.site_packages else why,
        "has_pip": Known(_has_pip(layout.sys_path), read) if layout.site_packages else why,
        "project": _project(layout.prefix),
    }


def _all(why: Absent | Failed) -> dict[str, Any]:
    return dict.fromkeys(names(Interpreter), why)


def _without(target: Target, chosen_by: Fact[str], request: Request) -> Interpreter:
    """No interpreter: none at all (Absent), or an environment that lost its own (Failed)."""
    lost = target.executable
    assert not isinstance(lost, Known)
    facts: dict[str, Any] = _all(lost)
    if isinstance(lost, Failed) and target.prefix:
        layout = attempt(
            lambda: read_layout(f"{target.prefix}/bin/python", request.system), target.prefix
        )
        if isinstance(layout, Known):
            facts |= _of_layout(layout.value, lost)
    return Interpreter(**{**facts, "chosen_by": chosen_by})


def _externally_managed(answer: Answer) -> Fact[str]:
    """The EXTERNALLY-MANAGED file beside the standard library, which pip obeys outside of virtual environments (PEP 668)."""
    if answer["prefix"] != answer["base_prefix"]:
        return Absent("a virtual environment is never externally managed")
    path = os.path.join(answer["stdlib"], "EXTERNALLY-MANAGED")
    return Known(path, path) if os.path.isfile(path) else Absent(f"{path} does not exist")


_LOCKS = ("uv.lock", "poetry.lock")


def _project(prefix: str) -> Fact[str]:
    """uv and poetry keep a project's environment in its folder, under this name."""
    folder, _, name = prefix.rpartition("/")
    locks = [f"{folder}/{each}" for each in _LOCKS] if name == ".venv" else []
    found = next((each for each in locks if os.path.isfile(each)), "")
    return (
        Known(found, folder)
        if found
        else Absent("no project of uv's or poetry's keeps this environment")
    )


def _has_pip(folders: list[str] | tuple[str, ...]) -> bool:
    return any(os.path.isfile(os.path.join(folder, "pip", "__init__.py")) for folder in folders)


def _libc(answer: Answer, path: str, request: Request) -> Fact[str]:
    if answer.get("libc"):
        return Known(answer["libc"], "confstr in the interpreter")
    if answer.get("platform") not in ("linux", "linux2"):
        return Absent("not a Linux interpreter")
    loader = map_known(attempt(lambda: read_elf(os.path.realpath(path)).interpreter, path), str)
    if not isinstance(loader, Known):
        return loader
    if "musl" not in loader.value:
        return (
            Known("glibc", loader.value)
            if "ld-linux" in loader.value
            else Failed(f"{path} does not say its C library", "missing")
        )
    result = run_child(
        [loader.value],
        timeout_s=request.child_limit_s,
        env=dict(request.system.environ),
        owner=runs_as(request),
    )
    words = result.stderr.decode("utf-8", "replace").split()
    version = words[words.index("Version") + 1] if "Version" in words[:-1] else ""
    return Known(f"musl {version}".strip(), loader.value)


def _libc_by_file(path: str, why: Failed) -> Fact[str]:
    """The loader that the file asks for tells musl from glibc; its version only the running system has."""
    loader = attempt(lambda: read_elf(os.path.realpath(path)).interpreter, path)
    return (
        Known("musl", loader.value) if isinstance(loader, Known) and "musl" in loader.value else why
    )


def _pip_of(other: Fact[str], request: Request) -> Fact[bool]:
    if not isinstance(other, Known):
        return Absent("no other environment is meant")
    return attempt(
        lambda: Known(_has_pip(folders_of(Path(other.value), request.system)), other.value),
        other.value,
    )


def _other_active(
    executable: str, folders: list[str] | tuple[str, ...], request: Request
) -> Fact[str]:
    if has_tensorflow(folders):
        return Absent("the examined environment has TensorFlow itself")
    return other_with_tensorflow(executable, request.system)


def _others(prefix: str, folders: list[str], request: Request) -> Fact[tuple[str, ...]]:
    if has_tensorflow(folders):
        return UNASKED
    return environments_with_tensorflow(prefix, request.system)
