"""The memory cgroups that the command's processes live in: use, limit and kills of each, asked again at every look."""

from __future__ import annotations

from typing import Any

from tfdoctor.ask.probes.host import cgroup
from tfdoctor.ask.probes.text_files import guarded
from tfdoctor.base.cgroup import Cgroup, Limit
from tfdoctor.base.records import record
from tfdoctor.base.sysroot import System
from tfdoctor.facts.codec import to_json
from tfdoctor.facts.outcome import Fact, Failed, Known, known

_LIMITS_EVERY = (
    20  # looks: limits change rarely, and finding the smallest reads a file for each ancestor
)


@record
class SeenGroup(Cgroup):
    """What the black box needs to ask this group again: also its kills when it was first seen."""

    JSON = "cgroup=folder version top kills"

    kills: int | None


class Group:
    """One cgroup. `before` are its kills when it was first seen; `peak` its largest use in bytes, cache left out."""

    def __init__(self, system: System, group: Cgroup) -> None:
        self.system, self.group = system, group
        self.before: Fact[int] = self._kills()
        self.after = self.before
        self.limit: Fact[Limit] = Failed("not asked yet", "missing")
        self.peak, self._looks = 0, 0

    @property
    def folder(self) -> str:
        return self.group.folder

    def as_header(self) -> dict[str, Any]:
        before = known(self.before)
        return to_json(SeenGroup(**vars(self.group), kills=before))  # type: ignore[no-any-return]  # an object

    def _kills(self) -> Fact[int]:
        return guarded(lambda: cgroup.oom_kills(self.system, self.group), self.group.folder)

    def look(self) -> int | None:
        """Bytes used in the group that sets the limit; None where there is no limit or it can't be read."""
        if self._looks % _LIMITS_EVERY == 0:
            self.limit = guarded(
                lambda: cgroup.memory_limit(self.system, self.group), self.group.folder
            )
        self._looks += 1
        after = self._kills()
        self.after = after if isinstance(after, Known) else self.after
        if not isinstance(self.limit, Known):
            return None
        limit = self.limit.value
        used = guarded(
            lambda: cgroup.memory_used(self.system, self.group, limit), self.group.folder
        )
        if not isinstance(used, Known):
            return None
        self.peak = max(self.peak, used.value)
        return used.value


class Groups:
    """All that were seen, by what /proc/PID/cgroup says."""

    def __init__(self, system: System) -> None:
        self._system = system
        self._by_text: dict[str, Group | None] = {}
        self.by_folder: dict[str, Group] = {}

    def of(self, text: str) -> Group | None:
        """The memory cgroup that this text names; None where it can't be seen from here."""
        if text not in self._by_text:
            found = guarded(
                lambda: cgroup.named_cgroup(self._system, "memory", text.splitlines()),
                "/proc/PID/cgroup",
            )
            self._by_text[text] = self._known(found.value) if isinstance(found, Known) else None
        return self._by_text[text]

    def _known(self, found: Cgroup) -> Group:
        return self.by_folder.setdefault(found.folder, Group(self._system, found))

    def look(self, texts: set[str]) -> tuple[int, int] | None:
        """Use and limit of the group that is nearest to its own, in bytes; None where none has a limit."""
        nearest: tuple[int, int] | None = None
        for group in {each.folder: each for text in texts if (each := self.of(text))}.values():
            used, limit = group.look(), group.limit
            if used is None or not isinstance(limit, Known):
                continue
            found = (used, limit.value.value)
            if nearest is None or found[0] * nearest[1] > nearest[0] * found[1]:
                nearest = found
        return nearest
