"""Looks at the command again and again, in a thread of its own, and keeps what it saw.

The first look comes after 10 ms, then the pauses grow to the interval; a look that was expensive lengthens the pause, so
that watching costs less than one core's hundredth.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable

from tfdoctor.ask.recorder import host_memory, proc
from tfdoctor.ask.recorder.cgroups import Groups
from tfdoctor.ask.recorder.gpus import Gpus
from tfdoctor.ask.recorder.stall import StillWatch
from tfdoctor.ask.recorder.timeline import Sample, Timeline
from tfdoctor.ask.recorder.tree import Member, Tree
from tfdoctor.base.sysroot import System

_FIRST_S, _GROWTH = 0.01, 0.25  # of the time so far
_DEAR = 150  # the pause is so many times the CPU time of a look, once the first second is over
_PSS_DEAR = 500
_PSS_BYTES_PER_S = 8e9  # pessimistic: small pages take 50 ms per GB


class Watcher(threading.Thread):
    """`on_sample` is called in this thread with each sample. `gpus` gives the samples' part about GPUs; None: they are not watched.

    started: when the command began, by `clock`, in seconds.
    """

    def __init__(
        self,
        pid: int,
        run_id: str,
        *,
        interval: float,
        started: float,
        disks: host_memory.Disks,
        still: StillWatch,
        gpus: Gpus | None,
        on_sample: Callable[[Sample], None] = lambda sample: None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        super().__init__(daemon=True, name="watcher")
        self._interval, self._began, self._disks, self._gpus = interval, started, disks, gpus
        self.on_sample, self.still, self._clock = on_sample, still, clock
        self.tree = Tree(pid, run_id)
        self.groups = Groups(System())
        self.timeline = Timeline()
        self.kills_before = host_memory.kills()
        self._over, self._looking = threading.Event(), threading.Lock()
        self._cost = self._cpu = 0.0
        self._pss_at = 0.0
        self.errors: list[str] = []
        self._finished = False

    def run(self) -> None:
        pause = _FIRST_S
        while not self._over.wait(pause):
            self.look()
            elapsed = self._clock() - self._began
            pause = min(max(_FIRST_S, elapsed * _GROWTH), self._interval)
            if elapsed > 1:
                pause = max(pause, self._cost * _DEAR)

    def look(self) -> None:
        """One sample. What goes wrong is kept and said later; the next look may go well."""
        with self._looking:
            began = time.thread_time()
            try:
                self.on_sample(self._sample())
            except Exception as error:  # noqa: BLE001  # watching must not end with one look that failed
                self._note(f"{type(error).__name__}: {error}")
            self._cost = time.thread_time() - began

    def _note(self, error: str) -> None:
        if error not in self.errors and len(self.errors) < 10:
            self.errors.append(error)

    def finish(self) -> None:
        """The last look, at the command as a zombie; afterwards nothing changes any more."""
        self._over.set()
        if self.is_alive():
            self.join()
        self.look()
        self._disks.over.set()
        if self._gpus is not None:
            self._gpus.end()
            if self._gpus.error:
                self._note(self._gpus.error)
        self._finished = True

    @property
    def is_calm(self) -> bool:
        """It has taken its last look, and no process was seen to end badly."""
        return self._finished and not self.tree.lost and not self.tree.untold

    def _sample(self) -> Sample:
        now = self._clock() - self._began
        alive = self.tree.look(now)
        sample: Sample = {"t": round(now, 3)}
        if alive:
            sample.update(self._of_tree(alive, now))
        nearest = self.groups.look(
            {each.groups for each in self.tree.members.values() if each.groups}
        )
        if nearest is not None:
            sample["cgroup_bytes"], sample["cgroup_limit_bytes"] = nearest
        _put(sample, "available_bytes", host_memory.available_bytes())
        _put(sample, "pressure_full_percent", host_memory.pressure_percent())
        _put(sample, "swapped_in_pages", host_memory.swapped_in_pages())
        sample.update(self._disks.free_bytes)
        if alive and self._gpus is not None:
            sample.update(self._gpus.look({each.pid for each in alive}))
        self.still.update(sample, [each.pid for each in alive])
        if alive:
            self.timeline.add(sample)
        return sample

    def _of_tree(self, alive: list[Member], now: float) -> Sample:
        self._cpu = max(self._cpu, sum(each.stat.cpu_s for each in self.tree.members.values()))
        found: Sample = {
            "rss_bytes": sum(each.sizes.rss for each in alive),
            "anon_bytes": sum(each.sizes.anon for each in alive),
            "swap_bytes": sum(each.sizes.swap for each in alive),
            "cpu_s": round(self._cpu, 2),
            "threads": sum(each.stat.threads for each in alive),
            "processes": len(alive),
            "major_faults": sum(each.stat.major_faults for each in alive),
        }
        files = [count for each in alive if (count := proc.open_files_of(each.pid)) is not None]
        if files:
            found["open_files"] = sum(files)
        self._pss(found, alive, now)
        return found

    def _pss(self, sample: Sample, alive: list[Member], now: float) -> None:
        """Read rarely: it walks every page while the process may not change its memory."""
        if now < self._pss_at or now < 1:
            return
        began = time.monotonic()
        if sample["rss_bytes"] > _PSS_BYTES_PER_S:
            self._pss_at = now + _PSS_DEAR * sample["rss_bytes"] / _PSS_BYTES_PER_S
        shares = [proc.pss_of(each.pid) for each in alive]
        if all(share is not None for share in shares):
            sample["pss_bytes"] = sum(share or 0 for share in shares)
        self._pss_at = max(self._pss_at, now + _PSS_DEAR * (time.monotonic() - began))


def _put(sample: Sample, key: str, value: float | None) -> None:
    if value is not None:
        sample[key] = value
