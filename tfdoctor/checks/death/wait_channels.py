"""Where in the kernel a thread sleeps, in words: names of functions as /proc/PID/wchan gives them (Linux 5.4 to 6.18)."""

from __future__ import annotations

WAITS_FOR = {
    "futex": "a lock, or another thread",
    "pipe": "a pipe: another process writes or reads too slowly, or never",
    "epoll": "a message or a connection",
    "poll": "a message or a connection",
    "unix_stream": "another process on this machine, by a socket",
    "tcp": "the network",
    "sk_wait": "the network",
    "inet_csk_accept": "a connection from the network",
    "nanosleep": "time to pass (it sleeps)",
    "do_wait": "a process that it started",
    "n_tty_read": "a key on the terminal",
    "wait_woken": "a key on the terminal, or the network",
    "flock": "a file's lock",
    "fcntl_setlk": "a file's lock",
    "sigtimedwait": "a signal",
    "sigsuspend": "a signal",
    "nfs": "a network file system",
    "rpc_wait": "a network file system",
    "folio_wait": "the disk",
    "io_schedule": "the disk",
    "nvidia": "the GPU's driver",
}
"""The first that is part of the name holds."""


def waits_for(channel: str) -> str:
    """ "" for a name that nobody listed."""
    return next((words for part, words in WAITS_FOR.items() if part in channel), "")
