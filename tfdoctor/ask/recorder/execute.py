"""The last steps of a forked process before it becomes the command, and what it says where it can't."""

from __future__ import annotations

import contextlib
import errno
import os
import signal
import struct

from tfdoctor.base.processes import end_with_creator, let_be_read_by
from tfdoctor.base.records import record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import NoReturn

_ERRNO = struct.Struct("=i")
NOT_FOUND, NOT_EXECUTABLE = 127, 126  # POSIX, Shell Command Language, 2.8.2


@record
class Command:
    """What is started. `mask` are the signals that were blocked before we came, `defaults` those that Python ignores.

    recorder: the process whose children may look at its stacks.
    """

    argv: tuple[str, ...]
    environ: Mapping[str, str]
    mask: frozenset[int]
    defaults: tuple[signal.Signals, ...]
    recorder: int


def become(command: Command, streams: Mapping[int, int], errors: int, parent: int) -> NoReturn:
    """Turns this forked process into the command. `streams`: what it gets as 0, 1, 2 instead of ours.

    It is killed when `parent`, which forked it, ends without it: nobody would end it with its recorder otherwise.

    Where that fails the number of the error goes to `errors`, which a command that starts closes by starting.
    """
    try:
        end_with_creator(signal.SIGKILL)
        if os.getppid() != parent:
            os._exit(NOT_FOUND)
        let_be_read_by(command.recorder)
        for ignored in command.defaults:
            signal.signal(ignored, signal.SIG_DFL)
        signal.pthread_sigmask(signal.SIG_SETMASK, command.mask)
        for number, source in streams.items():
            os.dup2(source, number)
        _execute(command.argv, command.environ)
    except OSError as error:
        with contextlib.suppress(OSError):
            os.write(errors, _ERRNO.pack(error.errno or errno.EINVAL))
    finally:
        os._exit(NOT_FOUND)


def _execute(argv: Sequence[str], environ: Mapping[str, str]) -> None:
    """As execvp(3): found on PATH, and a script without a first line that names its interpreter goes to sh."""
    try:
        os.execvpe(argv[0], list(argv), environ)  # noqa: S606  # starting what the user named is what this is for
    except OSError as error:
        if error.errno == errno.EACCES and not _is_on_path(argv[0], environ):
            raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), argv[0]) from error
        if error.errno != errno.ENOEXEC:
            raise
    import shutil

    found = (
        argv[0] if "/" in argv[0] else shutil.which(argv[0], path=environ.get("PATH")) or argv[0]
    )
    os.execve("/bin/sh", ["/bin/sh", found, *argv[1:]], environ)  # noqa: S606  # as execvp does


def _is_on_path(name: str, environ: Mapping[str, str]) -> bool:
    """Whether there is such a file: execvp(3) calls a name forbidden that a directory on PATH may only hide."""
    return "/" in name or any(
        os.path.lexists(os.path.join(each, name)) for each in os.get_exec_path(dict(environ))
    )


def error_of(errors: int) -> int:
    """The errno of a start that failed; 0 where the command runs. Waits until one of both is certain."""
    said = b""
    while len(said) < _ERRNO.size:
        chunk = os.read(errors, _ERRNO.size)
        if not chunk:
            return 0
        said += chunk
    return int(_ERRNO.unpack(said)[0])


def status_of(number: int) -> int:
    """The exit status that a shell gives for a start that failed with this errno."""
    return NOT_FOUND if number in (errno.ENOENT, errno.ENOTDIR) else NOT_EXECUTABLE


def pythons_own() -> tuple[signal.Signals, ...]:
    """The signals that the command gets back as they were: Python ignores SIGPIPE and SIGXFSZ when it starts.

    Nothing tells what they were before, but the parent shows it: one that ignores SIGPIPE alone (a shell with
    `trap '' PIPE`, nohup's like) has handed that on; one that ignores both is a Python, whose children get defaults.
    """
    ignored = _ignored_by(os.getppid())
    both = (signal.SIGPIPE, signal.SIGXFSZ)
    told = {number for number in both if ignored >> (number - 1) & 1}
    return both if told == set(both) else tuple(number for number in both if number not in told)


def _ignored_by(pid: int) -> int:
    with contextlib.suppress(OSError, ValueError), open(f"/proc/{pid}/status", "rb") as file:
        for line in file:
            if line.startswith(b"SigIgn:"):
                return int(line.split()[1], 16)
    return 0
