"""Where the program starts. Imports next to nothing: the health check has a budget of milliseconds."""

from __future__ import annotations

import gc
import os
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import NoReturn


def main() -> None:
    """Runs the command line and exits with its status."""
    gc.set_threshold(500_000)  # a short run makes many objects and hardly a cycle: 7 % of its time
    _own_modules_first()
    if sys.warnoptions:  # PYTHONWARNINGS is meant for the examined program
        import warnings

        warnings.simplefilter("ignore")
    if "_TFDOCTOR_COMPLETE" in os.environ:
        from tfdoctor.apps.cli.completion import complete

        if (status := complete()) is not None:
            _leave(status)
    if sys.argv[1:2] == ["healthcheck"]:
        from tfdoctor.apps.cli.healthcheck_command import main as healthcheck

        _leave(healthcheck(sys.argv[2:]))
    if sys.platform == "linux" and hasattr(os, "fork") and _examines(sys.argv[1:]):
        from tfdoctor.apps.cli.supervisor import supervise

        supervise()
    from tfdoctor.apps.cli.guard import guarded

    _leave(guarded(_dispatch))


def _examines(words: list[str]) -> bool:
    """Whether this starts strangers' programs, whose daemons have to end with it, however it ends."""
    here = {"diagnose": "--here", "diff": "."}.get(words[0] if words else "")
    return words[:1] in (["check"], ["plan"]) or here in words


def _leave(status: int) -> NoReturn:
    """At once: nothing is open, no child is left, and Python's own tidying up takes a tenth of a static or health check."""
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except (OSError, ValueError, AttributeError):
            continue  # closed, or never there; whoever wrote has told what was lost
    os._exit(status)


def _own_modules_first() -> None:
    """A random.py of the user's, on PYTHONPATH or in the working folder, is there to be judged, not to be imported."""
    said = os.environ.get("PYTHONPATH", "")
    entries = said.split(os.pathsep) if said else []
    # Also an empty one.
    working = {os.path.abspath(each) for each in entries if not os.path.isabs(each)}
    if sys.argv[0].endswith("__main__.py") and not (
        sys.flags.isolated or getattr(sys.flags, "safe_path", False)
    ):
        working.add(sys.path[0])  # `python -m` puts the working folder there
    working = {each for each in working if not _is_ours(each)}
    sys.path[:] = [each for each in sys.path if each not in working]
    theirs = {os.path.abspath(each) for each in entries} | {
        each for each in sys.path[:1] if each == _home()
    }
    sys.path.sort(key=theirs.__contains__)
    if working and not sys.flags.isolated and _has_come_from(working):
        _begin_again()


def _home() -> str:
    """The folder that tfdoctor itself is in."""
    return os.path.dirname(
        os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
    )


def _is_ours(folder: str) -> bool:
    """Where tfdoctor, the standard library or what is installed is, though one may stand there."""
    return (
        folder == _home() or folder.endswith("-packages") or folder == os.path.dirname(os.__file__)
    )


def _has_come_from(folders: set[str]) -> bool:
    """Whether Python's own start has imported one of the folders' modules in place of its own. What is installed in an
    environment below such a folder (`project/.venv`) is none of them.
    """
    places = tuple(folder + os.sep for folder in folders)
    files = (str(getattr(module, "__file__", None) or "") for module in list(sys.modules.values()))
    return any(file.startswith(places) and f"-packages{os.sep}" not in file for file in files)


def _begin_again() -> NoReturn:
    """Without PYTHONPATH and the working folder; what is examined still sees the variable."""
    start = f"import sys; sys.path.insert(0, {_home()!r}); import tfdoctor; sys.path[:] = {sys.path!r}; sys.argv[:] = {['tfdoctor', *sys.argv[1:]]!r}"
    os.execv(  # noqa: S606  # our own interpreter, with words of our own
        sys.executable,
        [sys.executable, "-I", "-c", f"{start}; from tfdoctor.apps.cli.entry import main; main()"],
    )


def _dispatch() -> int:
    arguments = sys.argv[1:]
    if arguments and arguments[0] in _READ_HERE:
        from importlib import import_module

        from tfdoctor.apps.cli.parse import HelpAsked, SchemaAsked

        try:
            command = import_module(f"tfdoctor.apps.cli.{arguments[0]}_command")
            status: int = command.main(arguments[1:])
            return status
        except SchemaAsked:
            from tfdoctor.apps.cli.output import write_result
            from tfdoctor.apps.cli.schemas import schema

            write_result(schema(arguments[0]).encode())
            return 0
        except HelpAsked:
            arguments = [arguments[0], "--help"]
    from tfdoctor.apps.cli.app import run

    return run(arguments)


_READ_HERE = ("check", "diagnose", "fix", "run", "fit", "plan", "lint", "explain", "diff", "mcp")
"""Whose options are read without typer."""
