"""The control groups' files and fields that tell a memory limit and its use.

cgroups(7), the kernel's admin-guide/cgroup-v1/memory and cgroup-v2 (read 2026-11-20).
"""

from __future__ import annotations

SELF = "/proc/self/cgroup"
MOUNTS = "/proc/self/mountinfo"

V1_LIMITS = (
    ("memory.limit_in_bytes", "memory.usage_in_bytes"),
    ("memory.memsw.limit_in_bytes", "memory.memsw.usage_in_bytes"),
)
"""(limit, use). memsw is memory and swap together; it is never below the limit of memory alone."""
V2_LIMITS = (("memory.max", "memory.current"),)

STAT = "memory.stat"
V1_CACHE, V2_CACHE = "total_inactive_file", "inactive_file"
"""In memory.stat: file pages that the kernel drops at once."""
V1_HIDDEN_LIMIT = "hierarchical_memory_limit"
"""In memory.stat of version 1: the smallest limit of all groups above, also of those outside the container's view."""

NO_LIMIT = "max"
UNLIMITED_V1 = 1 << 60
"""Version 1 writes the largest page-aligned number where there is no limit."""
