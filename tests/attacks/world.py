"""A folder that an attack is prepared in, and the doctor let loose in it, watched from outside."""

from __future__ import annotations

import contextlib
import json
import subprocess
import sys
import tempfile
import uuid
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psutil

from tests.peak import measured, peak, processor_time
from tests.unit.apps.cli.running import CHECKOUT, environment, machine
from tests.waiting import until

CANARY = "kanarie-4711-hunter2"
MARK = "TFDOCTOR_TESTS_ATTACK"
MOST_BYTES = 150 << 20
MOST_S = 20.0
GIVEN_UP_S = (
    90.0  # an attack that holds is seen by this; the limit itself is tried by tests of its own
)


@dataclass
class Ended:
    """How the doctor ended. `peak` is the largest memory of one of its processes, in bytes.

    seconds: of processor time, which a busy machine does not make longer.
    """

    status: int
    out: bytes
    err: bytes
    peak: int
    seconds: float

    @property
    def document(self) -> dict[str, Any]:
        """The one document. Raises ValueError where there is none, or more."""
        found: dict[str, Any] = json.loads(self.out)
        return found


class World:
    """`work` is the working folder, `home` and `tmp` are the doctor's, `site` the site-packages of an environment."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.work, self.home, self.tmp = (self._made(name) for name in ("work", "home", "tmp"))
        self.prefix = self._made("env")
        self.variables: dict[str, str] = {}
        self.mark = uuid.uuid4().hex

    def _made(self, name: str) -> Path:
        (self.folder / name).mkdir()
        return self.folder / name

    @property
    def site(self) -> Path:
        """Of a virtual environment that is made when it is first asked for."""
        name = f"lib/python{sys.version_info[0]}.{sys.version_info[1]}/site-packages"
        site = self.prefix / name
        if not site.exists():
            subprocess.run(
                [sys.executable, "-m", "venv", "--without-pip", self.prefix], check=True, timeout=60
            )
        return site

    def write(self, name: str, content: str | bytes) -> Path:
        """Below the working folder."""
        path = self.work / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    def report(self, change: Callable[[dict[str, Any]], None]) -> str:
        """A saved report with something changed; its path."""
        document = json.loads(Path(machine("healthy-cpu")).read_text(encoding="utf-8"))
        change(document)
        return str(self.write("report.json", json.dumps(document)))

    def distribution(self, name: str, metadata: str | bytes, record: str = "") -> None:
        """An installed distribution."""
        folder = self.site / f"{name}-1.0.dist-info"
        folder.mkdir()
        (folder / "METADATA").write_bytes(
            metadata if isinstance(metadata, bytes) else metadata.encode()
        )
        (folder / "RECORD").write_text(record)

    def environment(self) -> dict[str, str]:
        return environment(
            HOME=str(self.home), TMPDIR=str(self.tmp), PYTHONPATH=str(CHECKOUT), XDG_RUNTIME_DIR=str(self.tmp),
            **{MARK: self.mark}, **self.variables,
        )  # fmt: skip

    def run(self, *words: str) -> Ended:
        """The doctor with these words; the children that it waited for count for its peak."""
        env = self.environment()
        file = self.folder / "peak"
        command = measured([sys.executable, "-m", "tfdoctor", *words], file)
        with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
            process = subprocess.Popen(
                command, cwd=self.work, env=env, stdout=out, stderr=err, stdin=subprocess.DEVNULL
            )
            try:
                status = process.wait(GIVEN_UP_S)
            except subprocess.TimeoutExpired:
                starter = psutil.Process(process.pid)
                for each in (*starter.children(recursive=True), starter):
                    each.kill()
                raise AssertionError("it gave no answer") from None
            out.seek(0)
            err.seek(0)
            return Ended(status, out.read(), err.read(), peak(file), processor_time(file))

    def left_processes(self) -> list[psutil.Process]:
        """Those that carry this world's mark. A killed one needs a moment on a busy machine."""
        with contextlib.suppress(AssertionError):
            until(lambda: not self._of_here())
        return self._of_here()

    def _of_here(self) -> list[psutil.Process]:
        return [each for each in psutil.process_iter() if self._is_of_here(each)]

    def _is_of_here(self, process: psutil.Process) -> bool:
        try:
            return (
                process.environ().get(MARK) == self.mark
                and process.status() != psutil.STATUS_ZOMBIE
            )
        except (psutil.Error, OSError):
            return False
