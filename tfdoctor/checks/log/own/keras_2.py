"""Code and files of Keras 2 that Keras 3 refuses by words of their own."""

from __future__ import annotations

from tfdoctor.checks.log.testimony import Testimony
from tfdoctor.findings.fix import fix
from tfdoctor.findings.model import Fix

_FOLDER = fix("or-load-folder-with-keras-3")
_OTHERWISE = {
    "keras-2-file": _FOLDER,
    "json-of-keras-2": fix("or-load-json-and-weights-with"),
    "layers-without-keras-3": fix("or-take-tensorflow-2-15-or-older"),
    "name-taken-for-shape": fix("or-name-arguments-where-code-own"),
    "tensor-by-its-place": fix("or-name-argument-where-code-own"),
    "optimizer-of-keras-2-saved": fix("or-load-with-tensorflow-saved-and"),
    "dimension-for-keras-3": fix("or-take-tensorflow-2-15-or-older-2"),
}  # fmt: skip


def rename_first(told: Testimony) -> tuple[Fix, ...]:
    """The least that helps where only the name of a file is refused in the program's own code; () elsewhere."""
    said = told.named("file-name-for-keras-3")
    if not said:
        return ()
    wanted = said[0].told.get("wanted", ".keras")
    return (fix("let-name-file-saved-end-in", wanted=wanted),)


def otherwise(told: Testimony) -> tuple[Fix, ...]:
    """() where the general way out is meant."""
    return tuple(fix for name, fix in _OTHERWISE.items() if told.named(name))[:1]
