"""Runs a program under a seccomp filter that refuses some system calls: python -I refusing.py ERRNO CALL[,CALL] COMMAND…

Numbers of x86-64 and of the generic table that aarch64 uses: Linux 6.12, arch/x86/entry/syscalls/syscall_64.tbl and
include/uapi/asm-generic/unistd.h (November 2024). Needs no privilege; the filter holds for all descendants.
"""

from __future__ import annotations

import ctypes
import errno
import os
import platform
import struct
import sys

NUMBERS: dict[str, tuple[int, int]] = {
    "statfs": (137, 43), "fstatfs": (138, 44), "prlimit64": (302, 261), "setsid": (112, 157), "prctl": (157, 167),
    "pidfd_open": (434, 434), "openat2": (437, 437), "statx": (332, 291), "getrandom": (318, 278),
    "memfd_create": (319, 279), "clone3": (435, 435), "io_uring_setup": (425, 425), "perf_event_open": (298, 241),
    "sched_setaffinity": (203, 122), "sched_getaffinity": (204, 123), "inotify_init1": (294, 26), "mlock": (149, 228),
    "setpgid": (109, 154), "getpgid": (121, 155), "rseq": (334, 293), "membarrier": (324, 283), "madvise": (28, 233),
    "set_mempolicy": (238, 237), "getcpu": (309, 168), "sysinfo": (99, 179), "kcmp": (312, 272),
    "faccessat2": (439, 439), "close_range": (436, 436), "flock": (73, 32), "syslog": (103, 116),
    "process_vm_readv": (310, 270), "copy_file_range": (326, 285), "unshare": (272, 97), "mount": (165, 40),
}  # fmt: skip
_LOAD, _EQUAL, _RETURN = 0x20, 0x15, 0x06  # BPF_LD|W|ABS, BPF_JMP|JEQ|K, BPF_RET|K
_REFUSE, _ALLOW = 0x00050000, 0x7FFF0000  # SECCOMP_RET_ERRNO, SECCOMP_RET_ALLOW
_NO_NEW_PRIVS, _SET_SECCOMP, _FILTER = 38, 22, 2


class _Program(ctypes.Structure):
    _fields_ = (("length", ctypes.c_ushort), ("filter", ctypes.c_void_p))


def refuse(number: int, *calls: str) -> None:
    """From now on, for this process and its descendants. Raises OSError where no filter may be set."""
    table = 1 if platform.machine() == "aarch64" else 0
    lines = [(_LOAD, 0, 0, 0)]  # seccomp_data.nr stands at its start
    for call in calls:
        lines += [(_EQUAL, 0, 1, NUMBERS[call][table]), (_RETURN, 0, 0, _REFUSE | number)]
    lines.append((_RETURN, 0, 0, _ALLOW))
    code = b"".join(struct.pack("HBBI", *line) for line in lines)
    buffer = ctypes.create_string_buffer(code, len(code))
    program = _Program(len(lines), ctypes.addressof(buffer))
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.prctl(_NO_NEW_PRIVS, 1, 0, 0, 0) or libc.prctl(
        _SET_SECCOMP, _FILTER, ctypes.byref(program), 0, 0
    ):
        raise OSError(ctypes.get_errno(), "no filter can be set")


if __name__ == "__main__":
    refuse(getattr(errno, sys.argv[1]), *sys.argv[2].split(","))
    os.execv(sys.argv[3], sys.argv[3:])
