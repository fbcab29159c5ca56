"""Which processes belong to the command, and how those of them ended that its own processes waited for."""

from __future__ import annotations

import os

from tfdoctor.ask.recorder import proc

MOST_LOST = 500  # ends that are kept; a program may start small ones all day long
_MOST_HANDLES = (
    300  # of the thousand files that a process may have open; the first ones matter most
)
RUN_ID = "TFDOCTOR_RUN_ID"


class Member:
    """A process of the command's. `stat` and `sizes` are of the last look; `peak` in bytes of RSS; `groups` as /proc has it."""

    def __init__(self, pid: int, stat: proc.Stat, handle: int) -> None:
        self.pid, self.stat, self.handle = pid, stat, handle
        self.sizes = proc.Sizes(0, 0, 0)
        self.peak = 0
        self.groups = ""


class Lost:
    """A member that ended badly. `status` is wait(2)'s; `at` in seconds since the start."""

    def __init__(self, member: Member, status: int, at: float) -> None:
        self.member, self.status, self.at = member, status, at


class Tree:
    """`look` reads who is there. Processes of others are read once and then known as others'.

    A daemon belongs to the command as long as we saw where it came from, or where its environment tells. `untold` counts
    the members that are gone and whose end nobody tells.
    """

    def __init__(self, root: int, run_id: str) -> None:
        self.root, self._run_id = root, run_id
        self.members: dict[int, Member] = {}
        self.lost: list[Lost] = []
        self.untold = 0
        self.names: set[str] = set()
        self._others: set[int] = {os.getpid()}
        self._handles = self._begun = 0
        self._meet(root)

    def look(self, now: float) -> list[Member]:
        """The members that live, zombies left out. `now` in seconds since the start."""
        there = {int(name) for name in os.listdir("/proc") if name.isdecimal()}
        self._others &= there
        new = there - self._others - self.members.keys()
        for pid in sorted(new, key=lambda each: (each != self.root, each)):
            self._meet(pid)
        for pid in list(self.members):
            self._see(self.members[pid], now)
        return [each for each in self.members.values() if each.stat.state not in "ZX"]

    def _meet(self, pid: int) -> None:
        """Parents have lower numbers than their children, mostly; a child that comes first is met at the next look."""
        stat = proc.stat_of(pid)
        if stat is None:
            return
        if pid == self.root:
            self._begun = stat.started
        elif stat.parent not in self.members and not self._is_marked(pid, stat):
            if stat.parent in self._others or stat.started < self._begun:
                self._others.add(pid)
            return
        handle = proc.handle_of(pid) if self._handles < _MOST_HANDLES else -1
        self._handles += handle >= 0
        self.members[pid] = member = Member(pid, stat, handle)
        self._measure(member)

    def _is_marked(self, pid: int, stat: proc.Stat) -> bool:
        """One that lost its parent before we saw it still has the command's environment."""
        return stat.started >= self._begun and proc.has_variable(pid, RUN_ID, self._run_id)

    def _see(self, member: Member, now: float) -> None:
        stat = proc.stat_of(member.pid)
        if stat is None or stat.started != member.stat.started:
            self._keep_end(member, proc.end_of(member.handle), now)
            return
        member.stat = stat
        self.names.add(stat.name)
        if stat.state == "Z" and member.pid != self.root and member.handle < 0:
            self._keep_end(member, stat.exit_code, now)
            self._others.add(member.pid)
        self._measure(member)

    @staticmethod
    def _measure(member: Member) -> None:
        """A process that ends gives back its memory first and leaves its group then: one that still has memory is in it."""
        groups = proc.groups_of(member.pid)
        sizes = proc.sizes_of(member.pid)
        if sizes is not None:
            member.groups = groups or member.groups
            member.sizes, member.peak = sizes, max(member.peak, sizes.rss)

    def _keep_end(self, member: Member, status: int | None, now: float) -> None:
        del self.members[member.pid]
        if member.handle >= 0:
            os.close(member.handle)
            self._handles -= 1
        if member.pid == self.root:
            return
        if status is None:
            self.untold += 1
        elif status:
            keep(self.lost, Lost(member, status, now))


def keep(ends: list[Lost], newest: Lost, most: int = MOST_LOST) -> None:
    """Adds an end. Where they become more than `most`, the oldest is forgotten that was no signal's, also not below a shell."""
    ends.append(newest)
    if len(ends) > most:
        plain = (place for place, each in enumerate(ends) if not _by_signal(each.status))
        del ends[next(plain, 0)]


def _by_signal(status: int) -> bool:
    return os.WIFSIGNALED(status) or os.WEXITSTATUS(status) > 128  # what a shell makes of a signal
