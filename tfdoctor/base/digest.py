"""SHA-256 by Python's own code instead of OpenSSL's: importing `hashlib` loads libcrypto, 2 ms and 3 MB (Python 3.11,
2026-11-22). For files of kilobytes; `hashlib` is faster from a megabyte on.
"""

from __future__ import annotations


def sha256(content: bytes) -> bytes:
    """The digest, 32 bytes."""
    try:
        from _sha2 import sha256 as begin  # type: ignore[import-not-found]  # CPython 3.12 and later; no stubs
    except ImportError:
        try:
            from _sha256 import sha256 as begin  # type: ignore[import-not-found]  # CPython 3.10 and 3.11
        except ImportError:  # a build that has OpenSSL's alone
            from hashlib import sha256 as begin
    return bytes(begin(content).digest())
