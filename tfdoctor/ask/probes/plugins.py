"""What the probes of plug-ins find: texts by name, asked in a child with a clock."""

from __future__ import annotations

import time
from collections.abc import Callable
from importlib import import_module
from typing import TYPE_CHECKING

from tfdoctor.ask.probes.request import Request
from tfdoctor.base.forked import all_said
from tfdoctor.facts.model import Facts, Plugins
from tfdoctor.facts.outcome import Absent, Known
from tfdoctor.facts.values import Plugin
from tfdoctor.knowledge.plugins import LIMIT_S, LOADED

if TYPE_CHECKING:
    from tfdoctor.base.forked import Send
    from tfdoctor.knowledge import plugins

_NONE = Absent("none is loaded")
_MOST, _LONGEST = 1000, 2000  # texts, and characters of one
_TO_TELL_S = 0.3  # before the examination has to end


def ask(request: Request, facts: Facts) -> Plugins:
    """A plug-in's probe is called as each of ours is, and returns texts by name."""
    if not LOADED:
        return Plugins(_NONE, _NONE)
    left_s = min(LIMIT_S, request.deadline - time.monotonic() - _TO_TELL_S)
    asked = [each for each in LOADED.values() if each.probes]
    answers = all_said({each.name: _work(each, request, facts) for each in asked}, left_s)
    found = {
        name: text for heard, _ in answers.values() for name, text in heard.get("found", {}).items()
    }
    errors = {
        name: f"the code of its probe {ended}" for name, (_, ended) in answers.items() if ended
    }
    installed = tuple(
        Plugin(each.name, each.version, each.prefix, each.error or errors.get(each.name, ""))
        for each in LOADED.values()
    )
    return Plugins(
        Known(installed, "entry points"),
        Known(found, "their probes") if found else Absent("they told nothing"),
    )


def _work(plugin: plugins.Plugin, request: Request, facts: Facts) -> Callable[[Send], None]:
    def work(send: Send) -> None:
        module, _, function = plugin.probes.partition(":")
        found = getattr(import_module(module), function or "ask")(request, facts)
        if len(found) > _MOST:
            raise ValueError(f"it tells more than {_MOST} texts")
        send(
            "found",
            {
                f"{plugin.prefix}/{str(name)[:_LONGEST]}": str(text)[:_LONGEST]
                for name, text in found.items()
            },
        )

    return work
