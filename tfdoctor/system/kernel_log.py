"""Where the kernel's messages are found."""

from __future__ import annotations

KERNEL_LOG_FILES = ("/var/log/kern.log", "/var/log/messages", "/var/log/syslog", "/var/log/dmesg")
"""Where a syslog daemon writes the kernel's messages; the first that is there counts."""
