"""What `import tfdoctor` offers: answers that hold the whole document and show it without private values."""

from __future__ import annotations

import io
import os
import subprocess
import sys
from abc import ABC, abstractmethod
from typing import Any

from tfdoctor.apps import documents
from tfdoctor.ask.logs.read import LogError
from tfdoctor.base.foreign_json import MOST_BYTES
from tfdoctor.base.processes import own_process
from tfdoctor.base.safe_open import head_of
from tfdoctor.knowledge.matrix.load import load_in_force
from tfdoctor.knowledge.model import Finding
from tfdoctor.report.report import Report as Document
from tfdoctor.report.report import ReportError, failed_report
from tfdoctor.say.pages import render_fragment, render_html, render_markdown
from tfdoctor.say.redact.identity import Identity, identity
from tfdoctor.say.view import View


class Answer(ABC):
    """A document in every form; `redact=False` leaves names of people, hosts and folders in."""

    @abstractmethod
    def to_dict(self, *, redact: bool = True) -> dict[str, Any]:
        """The JSON document."""

    @abstractmethod
    def _view(self, *, redact: bool) -> View: ...

    def html(self, *, redact: bool = True) -> str:
        """One page that loads nothing."""
        return render_html(self._view(redact=redact))

    def markdown(self, *, redact: bool = True) -> str:
        """For a ticket."""
        return render_markdown(self._view(redact=redact))

    def __repr__(self) -> str:
        view = self._view(redact=True)
        return f"<tfdoctor.{type(self).__name__}: {view.verdict}: {view.headline}>"

    def _repr_html_(self) -> str:
        return render_fragment(self._view(redact=True))


class Report(Answer):
    """One examination."""

    def __init__(self, document: Document) -> None:
        self._document = document

    @property
    def verdict(self) -> str:
        """ "healthy", "degraded", "broken" or "unknown"."""
        return self._document.verdict.value

    @property
    def summary(self) -> str:
        """One sentence a person can act on."""
        return self._document.summary

    @property
    def findings(self) -> tuple[Finding, ...]:
        """Roots first; each has a code, a severity, a title, evidence and fixes."""
        return self._document.findings

    def to_dict(self, *, redact: bool = True) -> dict[str, Any]:
        return documents.to_dict(self.document(redact=redact))

    def document(self, *, redact: bool) -> Document:
        """The record that the other forms are made of."""
        return documents.redacted(self._document, _mine()) if redact else self._document

    def _view(self, *, redact: bool) -> View:
        return documents.view(self.document(redact=redact))


class Diagnosis(Answer):
    """What a log says."""

    def __init__(self, log: bytes, report: Report | None) -> None:
        self._log, self._facts = (
            log,
            None if report is None else report.document(redact=False).facts,
        )
        self._judged = {True: self._diagnosed(_mine())}

    def _diagnosed(self, whose: Identity | None) -> documents.Diagnosis:
        return documents.diagnose(
            [("log", io.BytesIO(self._log))], load_in_force(), whose, self._facts
        )

    def _document(self, *, redact: bool) -> documents.Diagnosis:
        if redact not in self._judged:
            self._judged[redact] = self._diagnosed(None)
        return self._judged[redact]

    @property
    def verdict(self) -> str:
        """ "cause-found", "noise-only" or "unrecognised"."""
        return self._judged[True].verdict

    def to_dict(self, *, redact: bool = True) -> dict[str, Any]:
        return documents.to_dict(self._document(redact=redact))

    def _view(self, *, redact: bool) -> View:
        return documents.view(self._document(redact=redact))


class Comparison(Answer):
    """What differs between two reports."""

    def __init__(self, a: Report, b: Report) -> None:
        for side in (a, b):
            if not isinstance(side, Report):
                raise ValueError(
                    f"a report is needed, not {type(side).__name__}; tfdoctor.load reads one from a file"
                )
        self._a, self._b = a, b

    @property
    def same(self) -> bool:
        """Whether nothing that matters differs."""
        return documents.compare(
            self._a.document(redact=False), self._b.document(redact=False)
        ).same

    def _sides(self, *, redact: bool) -> tuple[Document, Document]:
        return self._a.document(redact=redact), self._b.document(redact=redact)

    def to_dict(self, *, redact: bool = True) -> dict[str, Any]:
        return documents.comparison_to_dict(*self._sides(redact=redact))

    def _view(self, *, redact: bool) -> View:
        return documents.comparison_view(*self._sides(redact=redact), names=("a", "b"))


def _mine() -> Identity:
    return identity(os.environ)


def check(
    python: str | os.PathLike[str] | None,
    *,
    smoke: str,
    require_gpu: bool | None,
    timeout: float | None,
) -> Report:
    """Examined by a process of its own, which can be ended in time and leaves this one as it is."""
    words = check_words(os.fspath(python or sys.executable), smoke, require_gpu, timeout)
    try:
        ran = subprocess.run(own_process(words), capture_output=True, stdin=subprocess.DEVNULL)
    except (OSError, ValueError) as error:  # no process can be started; a NUL in an argument
        if isinstance(error, ValueError):
            raise
        return _failed(f"{sys.executable} can't be started ({error.strerror or error})", smoke)
    return examined(ran.returncode, ran.stdout, ran.stderr, smoke)


def check_words(
    python: str, smoke: str, require_gpu: bool | None, timeout: float | None
) -> list[str]:
    """The command line of an examination whose answer `examined` reads; of the usual interpreter where `python` is ""."""
    words = [
        "check",
        "--json",
        "--no-redact",
        *(["--python", python] if python else []),
        "--smoke",
        smoke,
    ]
    if require_gpu is not None:
        words.append("--require-gpu" if require_gpu else "--no-require-gpu")
    return words if timeout is None else [*words, "--timeout", str(timeout)]


def examined(status: int, stdout: bytes, stderr: bytes, smoke: str) -> Report:
    """What a process of `check_words` answered. Raises ValueError where it was wrong usage."""
    said = stderr.decode("utf-8", "replace").strip()
    if status == 2:
        raise ValueError(said.removeprefix("tfdoctor: ") or "wrong usage")
    try:
        return Report(documents.answered(stdout))
    except ReportError:
        return _failed(said.partition("\n")[0] or f"it ended with status {status}", smoke)


def _failed(why: str, smoke: str) -> Report:
    return Report(failed_report(why, smoke, load_in_force()))


def load(path: str | os.PathLike[str]) -> Report:
    name = os.fspath(path)
    try:
        saved = documents.load(head_of(name, MOST_BYTES + 1))
        return Report(documents.with_own_words(saved, load_in_force()))
    except ReportError as error:
        raise ValueError(f"{name}: {error}") from error


def diagnose(log: str | bytes, report: Report | None) -> Diagnosis:
    if not isinstance(log, (str, bytes)):
        raise ValueError(f"the log's text is needed, not {type(log).__name__}")
    try:
        return Diagnosis(log.encode("utf-8", "replace") if isinstance(log, str) else log, report)
    except LogError as error:
        raise ValueError(str(error)) from error
