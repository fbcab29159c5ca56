"""What the C library says right before it aborts a program whose heap or stack was overwritten."""

from __future__ import annotations

from tfdoctor.light.expressions import Expression

_HEAP = Expression(
    r"^(?:\*\*\* (?:Error in .{1,300}?|glibc detected \*\*\* .{1,300}?): )?(?:(?:free|malloc|realloc|calloc|munmap_chunk|malloc_consolidate|tcache_thread_shutdown)\(\): (?:invalid|corrupt|memory corruption|double free|unaligned|unsorted|mismatching)|double free or corruption|corrupted (?:double-linked list|size vs\. prev_size))"
    r"|^\*\*\* (?:stack smashing|buffer overflow) detected \*\*\*|malloc: \*\*\* error for object 0x[0-9a-f]{1,16}: "
)
"""The words of malloc_printerr in glibc's malloc/malloc.c (2.17 to 2.36) and debug/stack_chk_fail.c, and of macOS' malloc, read 2026-11-22."""


def heap_overwritten(line: str) -> bool:
    return bool(_HEAP.search(line))
