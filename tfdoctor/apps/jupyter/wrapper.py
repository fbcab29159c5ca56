"""`tfdoctor jupyter kernel`: starts a kernel for clients that know no provisioners, watches it, and dies as it died.

The kernel has a process group of its own, so that whatever comes, to this process or to its whole group, reaches the
kernel once: by us.
"""

from __future__ import annotations

import contextlib
import ctypes
import json
import logging
import os
import resource
import select
import signal
import sys
import uuid
from collections.abc import Sequence

from tfdoctor.apps.jupyter.inside.stacks import with_stacks
from tfdoctor.apps.jupyter.iopub import Address, address_of
from tfdoctor.apps.jupyter.listener import Listener
from tfdoctor.apps.jupyter.watched import Launched, WatchedKernel
from tfdoctor.ask.recorder.signals import die_of
from tfdoctor.base.safe_open import whole_of

_FORWARDED = (
    signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT, signal.SIGUSR1, signal.SIGUSR2, signal.SIGCONT,
)  # fmt: skip
_ASKED_BY = (signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT)
_PR_SET_PDEATHSIG = 1  # <linux/prctl.h>
_MOST_BYTES = 1 << 20  # of a connection file, which has 0.3 kB
_PARENT = "JPY_PARENT_PID"
_TICK_S, _SAYING_TICK_S = 0.1, 0.02


def run_kernel(argv: Sequence[str], connection_file: str, name: str) -> int:
    """The status to exit with; where the kernel died of a signal this process does, too. Raises OSError."""
    # Until there is a kernel to pass them on to.
    signal.pthread_sigmask(signal.SIG_BLOCK, _FORWARDED)
    ours, theirs = os.pipe()
    parent = _parent()
    pid = _start(argv, theirs)
    os.close(theirs)
    launched = Launched(
        kernel_id=_kernel_id(connection_file),
        name=name,
        argv=tuple(argv),
        environ=dict(os.environ),
        pid=pid,
        errors=ours,
        passes_to=os.dup(2),
        address=_address(connection_file),
    )
    kernel = Listener(_silent()).watch(launched)
    _pass_signals_on(kernel, parent)
    _, status = os.waitpid(pid, 0)
    if kernel.verdict is not None and (kernel.verdict.line or kernel.verdict.error):
        reason = kernel.verdict.line or f"died, and why could not be judged: {kernel.verdict.error}"
        with contextlib.suppress(OSError):
            os.write(2, f"tfdoctor: the kernel {reason}\n".encode())
    if os.WIFSIGNALED(status):
        hard = resource.getrlimit(resource.RLIMIT_CORE)[1]
        resource.setrlimit(resource.RLIMIT_CORE, (0, hard))  # the core is the kernel's
        die_of(os.WTERMSIG(status))
        # The first process of a container: told as a shell tells it.
        return 128 + os.WTERMSIG(status)
    return os.waitstatus_to_exitcode(status)


def _start(argv: Sequence[str], errors: int) -> int:
    """Forks and executes. The kernel is killed with us, whatever kills us."""
    libc = ctypes.CDLL(None)
    environ = {**with_stacks(os.environ), _PARENT: str(os.getpid())}
    parent = os.getpid()
    pid = os.fork()
    if pid:
        with contextlib.suppress(OSError):
            os.setpgid(pid, pid)
        return pid
    try:
        os.setpgid(0, 0)
        libc.prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
        if os.getppid() != parent:
            os._exit(1)
        os.dup2(errors, 2)
        signal.pthread_sigmask(signal.SIG_UNBLOCK, _FORWARDED)
        for number in (signal.SIGPIPE, signal.SIGXFSZ):
            # Python ignores them; a program starts with the default.
            signal.signal(number, signal.SIG_DFL)
        os.execvpe(argv[0], list(argv), environ)  # noqa: S606  # the kernel itself
    except OSError as error:
        os.write(2, f"tfdoctor: {argv[0]} can't be started: {error.strerror}\n".encode())
    finally:
        os._exit(127)


def _pass_signals_on(kernel: WatchedKernel, parent: int) -> None:
    """Until the kernel is dead and its last word is said."""
    poll = select.poll()
    if parent >= 0:
        poll.register(parent, select.POLLIN)
    while kernel.holds_back():
        came = signal.sigtimedwait(_FORWARDED, _SAYING_TICK_S if kernel.is_dead() else _TICK_S)
        if came is not None:
            _deliver(kernel, came.si_signo)
        if poll.poll(0):
            _deliver(kernel, signal.SIGKILL)  # nobody is left for whom the kernel works


def _deliver(kernel: WatchedKernel, number: int) -> None:
    if number == signal.SIGINT:
        kernel.interrupt()
    elif number in (*_ASKED_BY, signal.SIGKILL):
        kernel.ask()
    with contextlib.suppress(OSError):
        os.killpg(kernel.launched.pid, number)


def _parent() -> int:
    """A pidfd of whoever started us and wants its kernels to end with it; -1 where that was not said."""
    said = os.environ.get(_PARENT, "")
    with contextlib.suppress(OSError):
        if said.isdecimal() and int(said) == os.getppid() and int(said) > 1:
            return os.pidfd_open(int(said))
    return -1


def _address(connection_file: str) -> Address | None:
    try:
        return address_of(json.loads(whole_of(connection_file, _MOST_BYTES)))
    except (OSError, ValueError, KeyError, TypeError) as error:
        sys.stderr.write(
            f"tfdoctor: {connection_file} names no iopub address ({error}), so no cell can be told\n"
        )
        return None


def _kernel_id(connection_file: str) -> str:
    """What stands in the file's name ("kernel-<id>.json"), as Jupyter's servers write it; else one of our own."""
    stem = os.path.basename(connection_file).removesuffix(".json")
    return stem.removeprefix("kernel-").removeprefix("v3") or uuid.uuid4().hex


def _silent() -> logging.Logger:
    """The reason is the last line of stderr; a log would stand behind it."""
    log = logging.getLogger("tfdoctor.apps.jupyter")
    log.addHandler(logging.NullHandler())
    log.propagate = False
    return log
