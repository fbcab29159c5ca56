"""The kernel provisioner `tfdoctor`: starts a kernel as Jupyter's own does, and says why it died before anybody is told.

Nothing here waits: the server's event loop asks, the listener's thread knows.
"""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Callable
from typing import Any

from jupyter_client.provisioning import LocalProvisioner

from tfdoctor.apps.jupyter.asked import note_requests
from tfdoctor.apps.jupyter.inside.stacks import with_stacks
from tfdoctor.apps.jupyter.iopub import Address, address_of
from tfdoctor.apps.jupyter.listener import the_listener
from tfdoctor.apps.jupyter.specs import BEFORE_KILL, INTERRUPT, WRAPPED, mark_of
from tfdoctor.apps.jupyter.watched import Launched, WatchedKernel
from tfdoctor.ask.recorder.streams import OutputBuffer, pass_on

_ENDING = (signal.SIGTERM, signal.SIGKILL, signal.SIGHUP, signal.SIGQUIT)


class TfdoctorProvisioner(LocalProvisioner):  # type: ignore[misc]  # jupyter_client is an extra: mypy sees no class here
    """Where watching fails, the kernel runs as with Jupyter's own provisioner, and the server's log says why."""

    _watched: WatchedKernel | None = None
    _stop_noting: Callable[[], None] | None = None

    async def launch_kernel(self, cmd: list[str], **kwargs: Any) -> Any:
        if sys.platform != "linux" or self._is_wrapped():
            return await super().launch_kernel(cmd, **kwargs)
        self._leave()
        kwargs["env"] = with_stacks(kwargs.get("env") or os.environ)
        errors = _Errors(kwargs)
        try:
            connection = await super().launch_kernel(cmd, **kwargs)
        except BaseException:
            errors.give_back()
            raise
        finally:
            errors.started()
        try:
            self._watched = the_listener(self.log).watch(self._launched(cmd, kwargs, errors))
        except Exception as error:  # noqa: BLE001  # a kernel that runs unwatched is better than none
            errors.pass_on()
            self.log.warning("tfdoctor: kernel %s is not watched: %s", self.kernel_id, error)
        if self._watched is not None:
            with contextlib.suppress(KeyError):  # a connection without a shell is asked nothing
                self._stop_noting = note_requests(self.connection_info, self._watched)
        return connection

    def _is_wrapped(self) -> bool:
        """A kernelspec of `install --wrap`: the program that it starts watches the kernel itself."""
        return mark_of({"metadata": self.kernel_spec.metadata or {}}).get("how") == WRAPPED

    def _launched(self, cmd: list[str], kwargs: dict[str, Any], errors: _Errors) -> Launched:
        return Launched(
            kernel_id=str(self.kernel_id),
            name=str(getattr(self.parent, "kernel_name", "") or ""),
            argv=tuple(cmd),
            environ=kwargs["env"],
            pid=self.process.pid,
            errors=errors.ours,
            passes_to=errors.target,
            address=self._address(),
            interrupts=mark_of({"metadata": self.kernel_spec.metadata or {}}).get(INTERRUPT)
            == BEFORE_KILL,
        )

    def _address(self) -> Address | None:
        try:
            return address_of(self.connection_info)
        except (KeyError, ValueError, TypeError) as error:
            self.log.warning("tfdoctor: kernel %s has no iopub address (%s)", self.kernel_id, error)
            return None

    async def poll(self) -> int | None:
        """The exit status, or None while the kernel lives or its last word is being said."""
        if self._watched is not None and self._watched.holds_back():
            return None
        status: int | None = await super().poll()
        return status

    async def wait(self) -> int | None:
        status: int | None = await super().wait()
        self._leave()
        return status

    async def send_signal(self, signum: int) -> None:
        if signum in _ENDING:
            self._ask()
        elif self._watched is not None and signum == signal.SIGINT:
            self._watched.interrupt()
        await super().send_signal(signum)

    async def kill(self, restart: bool = False) -> None:
        self._ask()
        await super().kill(restart=restart)

    async def terminate(self, restart: bool = False) -> None:
        self._ask()
        await super().terminate(restart=restart)

    async def shutdown_requested(self, restart: bool = False) -> None:
        self._ask()
        await super().shutdown_requested(restart=restart)

    async def cleanup(self, restart: bool = False) -> None:
        await super().cleanup(restart=restart)
        if not self.has_process:
            self._leave()

    def _ask(self) -> None:
        if self._watched is not None:
            self._watched.ask()

    def _leave(self) -> None:
        watched, self._watched = self._watched, None
        if self._stop_noting is not None:
            self._stop_noting()
            self._stop_noting = None
        if watched is not None:
            the_listener(self.log).forget(watched)


class _Errors:
    """The kernel's stderr as a pipe of ours, where it would have been a file that we can write to as well."""

    def __init__(self, kwargs: dict[str, Any]) -> None:
        self.ours, self.target, self._theirs = -1, -1, -1
        wished = kwargs.get("stderr")
        handle = 2 if wished is None else wished
        with contextlib.suppress(OSError, AttributeError, ValueError):
            handle = handle if isinstance(handle, int) else handle.fileno()
            if handle in (subprocess.PIPE, subprocess.STDOUT, subprocess.DEVNULL):
                return
            self.target = os.dup(handle)
            self.ours, self._theirs = os.pipe()
            kwargs["stderr"] = self._theirs

    def started(self) -> None:
        """The kernel has its end, or never will."""
        if self._theirs >= 0:
            os.close(self._theirs)
            self._theirs = -1

    def pass_on(self) -> None:
        """Without a listener."""
        if self.ours >= 0:
            what = (self.ours, self.target, OutputBuffer())
            threading.Thread(target=pass_on, args=what, daemon=True, name="tfdoctor-stderr").start()

    def give_back(self) -> None:
        for handle in (self.ours, self.target):
            if handle >= 0:
                os.close(handle)
        self.ours = self.target = -1
