"""What stands around every command: whatever happens, one clear line and nothing left behind, never a traceback."""

from __future__ import annotations

import contextlib
import errno
import os
import signal
import sys
import time

from tfdoctor.apps.cli.parse import UsageError as UsageError
from tfdoctor.base.memory_limits import smallest

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from types import FrameType
    from typing import NoReturn

INTERRUPTED = 130  # 128 + SIGINT, as a shell says it
NO_VERDICT = 3
WRONG_USAGE = 2
_ENDING_SIGNALS = ("SIGTERM", "SIGHUP", "SIGQUIT")
_STARTING_S = 0.1  # a thread that has just forked a child has not yet written down that it is there


def guarded(run: Callable[[], int]) -> int:
    """The exit status of `run`; its errors as one line on stderr."""
    _end_children_on_signals()
    _be_interrupted_once()
    try:
        status = run()
        flush()
        return status
    except KeyboardInterrupt:
        return _stopped("interrupted; nothing was changed", INTERRUPTED)
    except UsageError as error:
        return _stopped(str(error), WRONG_USAGE)
    except BrokenPipeError:
        die_of_closed_pipe()
    except OSError as error:
        told = _refused(error) or f"{_place(error)}{error.strerror or error}"
        return _stopped(told, NO_VERDICT)
    except Exception as error:  # noqa: BLE001  # the last line of defence; TFDOCTOR_DEBUG shows the traceback
        return _stopped(internal(error), NO_VERDICT)
    finally:
        _end_children()  # a probe that was left behind at its time limit may still have one


def flush() -> None:
    """Raises OSError where standard output takes nothing. A program started without one has nothing to flush."""
    if sys.stdout is not None:
        sys.stdout.flush()


def die_of_closed_pipe() -> NoReturn:
    """Ends as a program does that nobody reads any more: quietly, by SIGPIPE where the system has it."""
    with contextlib.suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    _end_children()
    if hasattr(signal, "SIGPIPE"):
        signal.signal(signal.SIGPIPE, signal.SIG_DFL)
        os.kill(os.getpid(), signal.SIGPIPE)
    os._exit(1)


def say(words: str) -> None:
    """One line on stderr, cleaned; silent where stderr is closed."""
    with contextlib.suppress(OSError, ValueError, AttributeError, MemoryError):
        sys.stderr.write(f"tfdoctor: {_fit_to_say(words)}\n")
        sys.stderr.flush()


def tell_waiting(name: str) -> None:
    """Says that a named pipe is empty, and nobody writes into it."""
    say(f"{name} is a named pipe; waiting for somebody to write into it (Ctrl-C ends it)")


def _fit_to_say(words: str) -> str:
    try:
        from tfdoctor.say.clean import clean, fit
    except Exception:  # noqa: BLE001  # for lack of memory an import fails in any way, and the words are still due
        return ascii(words)[1:-1]
    return fit(clean(words), getattr(sys.stderr, "encoding", None) or "ascii")


def _stopped(words: str, status: int) -> int:
    say(words)
    with contextlib.suppress(OSError, ValueError):
        flush()
    if status == NO_VERDICT:
        with contextlib.suppress(
            OSError, ValueError
        ):  # what can't be written must not fail again at exit
            os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    return status


def _refused(error: Exception) -> str:
    """What the system would not give for want of more: files, threads; "" for any other error."""
    if isinstance(error, OSError) and error.errno in (errno.EMFILE, errno.ENFILE):
        return "too many open files: `ulimit -n` shows the limit"
    if str(error) == "can't start new thread":  # CPython has no kind for it
        return "no more threads can be started: `ulimit -u` and the container's limit on processes say how many"
    return ""


def internal(error: Exception) -> str:
    """A fault of tfdoctor in one clause; with TFDOCTOR_DEBUG set its traceback goes to stderr."""
    if os.environ.get("TFDOCTOR_DEBUG"):
        import traceback

        traceback.print_exception(error)
    limit, option = smallest()
    if isinstance(error, MemoryError) or limit < _LEAST_BYTES:  # the machine's fault and not ours
        allowed = f": ulimit {option} allows {limit >> 20} MiB" if limit < _LEAST_BYTES else ""
        return f"not enough memory{allowed}"
    if refused := _refused(error):
        return refused
    told = f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
    return f"internal error ({told}); TFDOCTOR_DEBUG=1 shows where; please report it"


_LEAST_BYTES = 512 << 20
"""Of address space. Below it (`check` was seen to take 250 MB, 2026-11-28) CPython fails in any way: MemoryError,
SystemError, an ImportError of a library that can't be mapped."""


def _place(error: OSError) -> str:
    return f"{error.filename}: " if error.filename else ""


def _end_children() -> None:
    _call("tfdoctor.base.child", "end_all_children")


def _call(module: str, function: str) -> None:
    """What has not been imported, or not to its end when the signal came, has nothing to tidy up."""
    tidy_up = getattr(sys.modules.get(module), function, None)
    if tidy_up is not None:
        tidy_up()


def _be_interrupted_once() -> None:
    """Ctrl-C reaches this process twice where another watches it and passes it on."""

    def interrupt(number: int, frame: FrameType | None) -> NoReturn:
        signal.signal(number, signal.SIG_IGN)
        # inside an import's callback Python ignores the exception, and would print it
        sys.unraisablehook = _say_nothing
        raise KeyboardInterrupt

    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, interrupt)


def _say_nothing(unraisable: object) -> None:
    """After an interrupt: whoever watches this process ends it where the exception was lost."""


def _end_children_on_signals() -> None:
    def end(number: int, frame: FrameType | None) -> None:
        _end_children()
        time.sleep(_STARTING_S)
        _end_children()
        _call("tfdoctor.ask.probes.smoke.scratch", "remove_all_scratch")
        _call("tfdoctor.base.safe_replace", "remove_all_parts")
        signal.signal(number, signal.SIG_DFL)
        os.kill(os.getpid(), number)

    for name in _ENDING_SIGNALS:
        number = getattr(signal, name, None)
        if number is not None and signal.getsignal(number) is signal.SIG_DFL:  # nohup's wish stays
            signal.signal(number, end)


def install_extra(name: str) -> str:
    """The command that installs the packages of an extra beside this tfdoctor, wherever it was installed from."""
    import shlex
    from importlib.metadata import requires

    stated = (each.partition(";") for each in requires("tfdoctor") or ())
    packages = [
        package.strip() for package, _, marker in stated if f"'{name}'" in marker.replace('"', "'")
    ]
    return shlex.join([sys.executable, "-m", "pip", "install", *(packages or [name])])
