"""The signals of Linux by number: those of the machine that something died on, which need not be the one that reads of it."""

from __future__ import annotations

_NAMES = (
    "HUP", "INT", "QUIT", "ILL", "TRAP", "ABRT", "BUS", "FPE", "KILL", "USR1", "SEGV", "USR2", "PIPE", "ALRM", "TERM", "STKFLT",
    "CHLD", "CONT", "STOP", "TSTP", "TTIN", "TTOU", "URG", "XCPU", "XFSZ", "VTALRM", "PROF", "WINCH", "IO", "PWR", "SYS",
)  # fmt: skip
_BY_NUMBER = {number: f"SIG{name}" for number, name in enumerate(_NAMES, 1)} | {
    34: "SIGRTMIN",
    64: "SIGRTMAX",
}

SIGHUP, SIGINT, SIGQUIT, SIGILL, SIGTRAP, SIGABRT, SIGBUS, SIGFPE, SIGKILL = range(1, 10)
SIGSEGV, SIGPIPE, SIGTERM, SIGXCPU, SIGXFSZ, SIGSYS = 11, 13, 15, 24, 25, 31


def signal_name(number: int) -> str:
    """ "SIGSEGV"; "signal 99" for a number without a name of its own."""
    return _BY_NUMBER.get(number, f"signal {number}")
