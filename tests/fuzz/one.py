"""The fuzzer of one reader: python -m tests.fuzz.one READER FINDINGS CORPUS [libFuzzer's options].

What fails is kept and the search goes on, each failure once, by its kind and place. What takes longer than a second of the
processor is kept, too; instrumented code is slow, so whoever started this tries it again without.
"""

from __future__ import annotations

import hashlib
import resource
import sys
import time
import traceback
from pathlib import Path

import atheris

with atheris.instrument_imports(include=["tfdoctor"]):
    from tests.fuzz.readers import KINDS_ALONE, READERS

SLOW_S = 1.0
MEMORY_MB = 200


class Fuzzer:
    """Called with each input."""

    def __init__(self, name: str, findings: Path) -> None:
        self._read, self._findings = (READERS | KINDS_ALONE)[name], findings
        self._known: set[str] = set()

    def __call__(self, data: bytes) -> None:
        begun = time.thread_time()
        try:
            self._read(data)
        except Exception as error:  # noqa: BLE001  # whatever it is, it is what was looked for
            frame = traceback.extract_tb(error.__traceback__)[-1]
            self._keep(f"{type(error).__name__}-{Path(frame.filename).stem}-{frame.lineno}", data)
        if time.thread_time() - begun > SLOW_S:
            self._keep(f"slow-{hashlib.sha1(data).hexdigest()[:8]}", data)

    def _keep(self, kind: str, data: bytes) -> None:
        if kind not in self._known:
            self._known.add(kind)
            (self._findings / kind).write_bytes(data)


def main() -> None:
    name, findings, corpus, *options = sys.argv[1:]
    fuzzer = Fuzzer(name, Path(findings))
    # Loads what is loaded at the first use, so that it is no part of what an input costs.
    fuzzer(b"")
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
    limits = [f"-rss_limit_mb={before + MEMORY_MB}", f"-malloc_limit_mb={MEMORY_MB}", "-timeout=30"]
    atheris.Setup([sys.argv[0], corpus, f"-artifact_prefix={findings}/", *limits, *options], fuzzer)
    atheris.Fuzz()


if __name__ == "__main__":
    main()
