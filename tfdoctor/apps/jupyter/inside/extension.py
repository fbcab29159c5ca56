"""Inside a kernel, by choice: `%load_ext tfdoctor` and `%tfdoctor why`.

ipykernel reads file 2 itself, so what is written there may die with the kernel. What faulthandler writes goes into a file of
its own: whoever watches the kernel reads and removes that file, and the report names the line of the cell. What native code
writes stays in a pipe until it has been passed on.
"""

from __future__ import annotations

import atexit
import contextlib
import errno
import faulthandler
import json
import os
import stat
import sys
from pathlib import Path
from typing import Any, TextIO

from tfdoctor.apps.jupyter.inside.beat import Heartbeat, left_behind, told
from tfdoctor.apps.jupyter.inside.stacks import FAULTHANDLER, stack_file
from tfdoctor.apps.jupyter.inside.unread import Unread
from tfdoctor.apps.jupyter.reports import folder_of, newest
from tfdoctor.base.safe_open import whole_of

_MOST_BYTES = 64 << 20  # of a report, whose timeline is bounded
_OPEN: list[TextIO] = []  # faulthandler needs the file open for as long as the kernel lives
_UNREAD: list[Unread] = []
_BEATS: list[Heartbeat] = []


def load(shell: Any) -> None:
    """Arms faulthandler and adds the magic. `shell` is IPython's."""
    shell.register_magic_function(_magic, magic_kind="line", magic_name="tfdoctor")
    try:
        path = stack_file(folder_of(os.environ), os.getpid())
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        handle = _new_file(path)
    except OSError as error:
        where = f"{error.filename}: " if error.filename else ""
        print(f"tfdoctor: {where}{error.strerror}; a crash will be told without its line")  # noqa: T201  # a cell's output
        return
    _OPEN.append(os.fdopen(handle, "w"))
    faulthandler.enable(file=_OPEN[-1])
    try:
        _BEATS.append(Heartbeat(path.parent, shell))
    except OSError as error:
        print(f"tfdoctor: no heartbeat: {error}")  # noqa: T201  # a cell's output
    if not _UNREAD:
        # where the stream is not ipykernel's, file 2 is no pipe of its
        with contextlib.suppress(OSError, AttributeError):
            _UNREAD.append(Unread(sys.stderr))
    atexit.register(unload)


def _new_file(path: Path) -> int:
    """Its handle. Raises OSError, also where something else than a file is there: a pipe would be waited for."""
    flags = os.O_WRONLY | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK
    handle = os.open(path, flags, 0o600)
    if not stat.S_ISREG(os.fstat(handle).st_mode):
        os.close(handle)
        raise OSError(errno.EINVAL, "not a file but a directory, a pipe, or a device")
    os.truncate(handle, 0)
    return handle


def unload() -> None:
    """Takes the file away; faulthandler is as it was when the kernel began."""
    while _BEATS:
        _BEATS.pop().end()
    while _UNREAD:
        _UNREAD.pop().put_back()
    if not _OPEN:
        return
    faulthandler.disable()
    if os.environ.get(FAULTHANDLER) and sys.__stderr__ is not None:
        faulthandler.enable(file=sys.__stderr__)
    while _OPEN:
        _OPEN.pop().close()
    with contextlib.suppress(OSError):
        stack_file(folder_of(os.environ), os.getpid()).unlink()


class Card:
    """What a notebook shows: text, and HTML where it can."""

    def __init__(self, text: str, html: str) -> None:
        self._text, self._html = text, html

    def __repr__(self) -> str:
        return self._text.rstrip("\n")

    def _repr_html_(self) -> str:
        return self._html


def why(folder: Path) -> Card:
    """The last death below that folder, of a kernel that was watched or of one that left its heartbeat. May raise OSError."""
    from tfdoctor.report.death import run_from_json
    from tfdoctor.say.pages import html_text, render_fragment
    from tfdoctor.say.run_view import card_view
    from tfdoctor.say.terminal import render_card_text

    left = left_behind(folder)
    for path in newest(folder)[:1]:
        if left is not None and path.stat().st_mtime < left.at:
            break
        try:
            report = run_from_json(json.loads(whole_of(path, _MOST_BYTES)))
        except (OSError, ValueError, RecursionError) as error:
            return _words(f"{path} can't be read: {error}", html_text)
        card = card_view(report, str(path))
        return Card(render_card_text(card), render_fragment(card))
    if left is not None:
        return _words(told(left), html_text)
    return _words(f"No kernel's death is on record in {folder}.", html_text)


def _words(words: str, escaped: Any) -> Card:
    return Card(
        words, f"<p style='white-space:pre-wrap;overflow-wrap:anywhere'>{escaped(words)}</p>"
    )


def _magic(line: str) -> Card | None:
    """%tfdoctor why: the last death of a kernel that was watched."""
    if line.strip() == "why":
        try:
            return why(folder_of(os.environ))
        except OSError as error:
            print(f"tfdoctor: {error.strerror or error}")  # noqa: T201  # a cell's output
            return None
    print("tfdoctor: type %tfdoctor why")  # noqa: T201  # a cell's output
    return None
