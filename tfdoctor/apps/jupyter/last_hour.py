"""What happens between a kernel's death and the moment at which its server is told: the report, then the last word."""

from __future__ import annotations

import logging
import time
from typing import TYPE_CHECKING

import zmq

from tfdoctor.apps.jupyter.iopub import LastWord
from tfdoctor.apps.jupyter.judge import Verdict
from tfdoctor.apps.jupyter.post_mortem import judged
from tfdoctor.apps.jupyter.watched import WatchedKernel

if TYPE_CHECKING:
    from tfdoctor.apps.jupyter.cells import Cell

_DELIVERED_S = 0.05


def last_hour(kernel: WatchedKernel, log: logging.Logger) -> None:
    """In a thread of its own. Whatever goes wrong, the server is told in the end."""
    place: LastWord | None = None
    try:
        place = _take(kernel, log)
        verdict = kernel.verdict = judged(kernel)
        _note(kernel, verdict, log)
        cell = kernel.cells.running
        if place is not None and cell is not None and verdict.text:
            _say(place, kernel, cell, verdict)
    except Exception:
        log.exception(
            "tfdoctor: the death of kernel %s could not be told", kernel.launched.kernel_id
        )
    finally:
        if place is not None:
            place.close()
        kernel.address_free.set()
        kernel.tell()


def _take(kernel: WatchedKernel, log: logging.Logger) -> LastWord | None:
    """The dead kernel's address, at once: while the death is judged its subscribers come back."""
    if kernel.cells.running is None or kernel.launched.address is None or kernel.told:
        return None
    kernel.address_free.clear()
    try:
        return LastWord(kernel.launched.address)
    except zmq.ZMQError as error:
        log.warning(
            "tfdoctor: no word in the cell, since the kernel's address is taken (%s)", error
        )
        kernel.address_free.set()
        return None


def _say(place: LastWord, kernel: WatchedKernel, cell: Cell, verdict: Verdict) -> None:
    if not place.wait_for_listeners(lambda: kernel.told):
        return
    place.say(cell, "stream", {"name": "stderr", "text": f"tfdoctor: the kernel {verdict.line}\n"})
    data = {"text/plain": verdict.text, "text/html": verdict.html}
    place.say(cell, "display_data", {"data": data, "metadata": {}, "transient": {}})
    time.sleep(_DELIVERED_S)


def _note(kernel: WatchedKernel, verdict: Verdict, log: logging.Logger) -> None:
    """One line."""
    name = f"{kernel.launched.name} {kernel.launched.kernel_id}".strip()
    if verdict.line:
        log.warning("tfdoctor: kernel %s %s; %s", name, verdict.line, verdict.path or verdict.error)
    else:
        log.warning(
            "tfdoctor: kernel %s died, and why could not be judged: %s", name, verdict.error
        )
