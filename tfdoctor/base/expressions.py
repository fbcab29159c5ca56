"""Regular expressions that are compiled when they are first needed: most runs never need most of them.

Compiling one takes as long as redacting thirty texts with it (0.3 to 2 ms; Python 3.11, 2026-11-22). Of the 168 that a
pasted line's answer imports it uses 37; compiling the others took 35 ms of its 310 (2026-11-23).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import cached_property
from typing import Any, TypeAlias

_Find: TypeAlias = "Callable[..., re.Match[str] | None]"


class Expression:
    """What `re.compile` would be given, and what it would return. The ways of using it are those of `re.Pattern`."""

    def __init__(self, pattern: str, flags: int = 0) -> None:
        self.pattern, self._flags = pattern, flags

    @cached_property
    def compiled(self) -> re.Pattern[str]:
        return re.compile(self.pattern, self._flags)

    @cached_property
    def search(self) -> _Find:
        return self.compiled.search

    @cached_property
    def match(self) -> _Find:
        return self.compiled.match

    @cached_property
    def fullmatch(self) -> _Find:
        return self.compiled.fullmatch

    @cached_property
    def finditer(self) -> Callable[..., Iterator[re.Match[str]]]:
        return self.compiled.finditer

    @cached_property
    def findall(self) -> Callable[..., list[Any]]:
        return self.compiled.findall

    @cached_property
    def sub(self) -> Callable[..., str]:
        return self.compiled.sub

    @cached_property
    def split(self) -> Callable[..., list[Any]]:
        return self.compiled.split
