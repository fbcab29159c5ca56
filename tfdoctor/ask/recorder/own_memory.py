"""The memory of the process that asks, in the form of a sample."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any

from tfdoctor.ask.recorder import proc
from tfdoctor.ask.recorder.cgroups import Groups
from tfdoctor.ask.recorder.host_memory import available_bytes
from tfdoctor.ask.recorder.timeline import Sample
from tfdoctor.base.sysroot import System


class OwnMemory:
    """`look` gives one sample. What can't be read is left out."""

    def __init__(self) -> None:
        self._groups = Groups(System())

    def look(self, at: float, gpus: Sequence[dict[str, Any]]) -> Sample:
        """`at` in seconds; `gpus` as a sample has them."""
        pid = os.getpid()
        sample: Sample = {"t": round(at, 3), "gpus": list(gpus)}
        sizes, available = proc.sizes_of(pid), available_bytes()
        if sizes is not None:
            sample.update(rss_bytes=sizes.rss, anon_bytes=sizes.anon, swap_bytes=sizes.swap)
        if available is not None:
            sample["available_bytes"] = available
        nearest = self._groups.look({proc.groups_of(pid)})
        if nearest is not None:
            sample["cgroup_bytes"], sample["cgroup_limit_bytes"] = nearest
        return sample
