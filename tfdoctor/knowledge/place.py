"""The place where a fix is typed: system, container, cluster, hosted notebook, the tool that keeps the environment, and TensorFlow's version."""

from __future__ import annotations

from collections.abc import Mapping

from tfdoctor.base.records import field, record

Minor = tuple[int, int]
FIRST, LAST = (1, 0), (99, 0)


@record
class Span:
    """The first and the last minor version of TensorFlow that is meant."""

    oldest: Minor = FIRST
    newest: Minor = LAST

    def __str__(self) -> str:
        """ "2.4 to 2.14", "2.4 or newer"; "" where nothing narrows it down."""
        first, last = (f"{major}.{own}" for major, own in (self.oldest, self.newest))
        if self.oldest <= FIRST:
            return "" if self.newest >= LAST else f"{last} or older"
        if self.newest >= LAST:
            return f"{first} or newer"
        return first if first == last else f"{first} to {last}"

    def before(self, major: int, minor: int) -> bool:
        """Whether it is older than that for sure."""
        return self.newest < (major, minor)

    def since(self, major: int, minor: int) -> bool:
        """Whether it is that or newer for sure."""
        return self.oldest >= (major, minor)


@record
class Place:
    """`names`: what is known of it, in the words of `data/knowledge/places.yaml`; nothing is known of a place without any.
    `values`: what fills the holes of its shells and tools.
    """

    names: frozenset[str] = frozenset()
    span: Span = field(default_factory=Span)
    values: Mapping[str, str] = field(default_factory=dict)

    def has(self, *names: str) -> bool:
        """Whether it is one of these."""
        return not self.names.isdisjoint(names)

    @property
    def hosted(self) -> bool:
        """Whether it is a notebook on somebody else's machine, of which nothing but the cells can be changed."""
        return self.has("colab", "kaggle")
