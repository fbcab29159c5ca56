"""What is fuzzed: each reader takes any bytes, and raises nothing but what its callers expect of it."""

from __future__ import annotations

import contextlib
import os
import tempfile
from collections.abc import Callable
from functools import cache, partial
from pathlib import Path

from tests.unit.say.reports import finding
from tfdoctor.apps.health.state import machine_id, read_state
from tfdoctor.ask.builds.files import KINDS, Kind, text_of
from tfdoctor.ask.builds.settle import settled
from tfdoctor.ask.builds.statements import Source, UnreadableError
from tfdoctor.ask.logs.extract import extract_facts
from tfdoctor.ask.logs.read import read_of
from tfdoctor.ask.logs.search import Literals
from tfdoctor.ask.logs.transcript import Transcript, default_literals
from tfdoctor.ask.probes.python.metadata import header_values, metadata_text, take_inventory
from tfdoctor.ask.probes.python.requirements import parse_requires_dist
from tfdoctor.ask.probes.workers.compare_files import compare, doubtful_lines, lines_of, own_entries
from tfdoctor.base.elf import NotElfError, read_elf
from tfdoctor.base.foreign_json import ForeignJsonError, read_json
from tfdoctor.base.loader import read_cache
from tfdoctor.knowledge.matrix.load import load_bundled, parse
from tfdoctor.knowledge.matrix.model import MatrixError
from tfdoctor.knowledge.matrix.query import Matrix
from tfdoctor.knowledge.matrix.show import shown
from tfdoctor.knowledge.matrix.validate import validate
from tfdoctor.knowledge.model import Fix
from tfdoctor.report.report import Report, ReportError, report_from_json, report_to_json
from tfdoctor.report.settings import SettingsError, find_settings
from tfdoctor.say.redact.identity import Identity
from tfdoctor.say.redact.redactor import Redactor, Values, hide_secrets
from tfdoctor.say.redact.report import redacted

Reader = Callable[[bytes], object]
ALICE = Identity("alice", "/home/alice", "/home/alice", ("node17.cluster.example.org", "node17"))
CANARY = "Zx9canary7Q"
LINUX = {
    "python_version": "3.12",
    "python_full_version": "3.12.1",
    "sys_platform": "linux",
    "platform_machine": "x86_64",
}


@cache
def scratch() -> Path:
    """A folder of this process alone, removed at its end."""
    folder = tempfile.TemporaryDirectory(prefix="tfdoctor-fuzz-")
    scratch_folders.append(folder)
    return Path(folder.name)


scratch_folders: list[tempfile.TemporaryDirectory[str]] = []


def written(name: str, data: bytes) -> Path:
    path = scratch() / name
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(data)
    return path


def report(data: bytes) -> None:
    """What is read of a report can be written, and reads the same again."""
    try:
        first = report_to_json(report_from_json(read_json(data)))
    except (ForeignJsonError, ReportError):
        return
    assert report_to_json(report_from_json(first)) == first


def matrix(data: bytes) -> None:
    """A matrix that is accepted can be shown."""
    try:
        document = parse(data, "matrix")
        validate(document, "matrix")
    except MatrixError:
        return
    accepted = Matrix(document, "0" * 64, "file")
    shown(accepted, accepted.rows)


def settings(data: bytes) -> None:
    try:
        find_settings(written("settings/tfdoctor.toml", data).parent)
    except SettingsError:
        return


def state(data: bytes) -> None:
    mine = data.replace(b"$MACHINE", machine_id().encode()).replace(
        b'"$UID"', str(os.geteuid()).encode()
    )
    said = read_state(str(written("state.json", mine)), "", {})
    assert "state" in said or said["state_error"]


def metadata(data: bytes) -> None:
    written("some-1.0.dist-info/METADATA", data)
    inventory = take_inventory([str(scratch())])
    for distribution in inventory.every:
        for line in header_values(metadata_text(distribution), "Requires-Dist"):
            try:
                parse_requires_dist(line, LINUX)
            except ValueError:
                continue


def record_file(data: bytes) -> None:
    broken: list[int] = []
    lines = lines_of(data.decode("utf-8", "replace"))
    assert compare(list(own_entries(doubtful_lines(lines), broken))) == compare(
        list(own_entries(enumerate(lines), []))
    )


def elf(data: bytes) -> None:
    try:
        read_elf(str(written("library.so", data)))
    except NotElfError:
        return


def loader_cache(data: bytes) -> None:
    try:
        read_cache(data, "x86_64")
    except ValueError:
        return


def redactor(data: bytes) -> None:
    """Whatever stands before it, a password on a line of its own is hidden."""
    text = data.decode("utf-8", "replace") + f"\npassword={CANARY}\n/home/alice/{CANARY[:3]}\n"
    mine = Redactor(ALICE, Values())
    for hidden in (mine.hide(text), Redactor(ALICE, Values(), (text,)).hide(text)):
        assert CANARY not in hidden
        assert "/home/alice" not in hidden
    assert CANARY not in hide_secrets(text)
    told = finding(fixes=(Fix("", (data.decode("utf-8", "replace"),)),))
    assert CANARY not in str(redacted(Report(findings=(told,)), ALICE))


@cache
def literals(engine: str) -> Literals:
    return default_literals(engine)


def log(data: bytes) -> None:
    """A log tells the same in one piece as in many, and whichever engine looks for its words."""
    whole = _transcript(data, len(data) or 1, "each")
    assert _told(_transcript(data, 97, "tree")) == _told(whole)
    extract_facts([read_of(whole, "a.log")])


def _transcript(data: bytes, piece: int, engine: str) -> Transcript:
    transcript = Transcript(literals(engine))
    for at in range(0, len(data), piece):
        transcript.feed(data[at : at + piece])
    transcript.end()
    return transcript


def _told(transcript: Transcript) -> tuple[object, ...]:
    matched = {(each.line, each.hit.signature.name) for each in transcript.matches}
    return matched, transcript.lines, transcript.total_lines


def diagnosis(data: bytes) -> None:
    """Whatever a log says, the answer can be written in each form, and holds no raw escape."""
    from tfdoctor.report.diagnosis import diagnose, diagnosis_to_json
    from tfdoctor.say.diagnosis_view import diagnosis_view
    from tfdoctor.say.json_v1 import render_json
    from tfdoctor.say.pages import render_markdown

    reads = [read_of(_transcript(data, len(data) or 1, "each"), "a.log")]
    answer = diagnose(extract_facts(reads), reads, bundled())
    shown = redacted(answer, ALICE)
    for text in (render_json(diagnosis_to_json(shown)), render_markdown(diagnosis_view(shown))):
        assert "\x1b" not in text


@cache
def bundled() -> Matrix:
    return load_bundled()


def build_file(data: bytes) -> None:
    """The same bytes under each kind's name; what they say becomes facts."""
    for kind in KINDS:
        _build_file_of(kind, data)


def _build_file_of(kind: Kind, data: bytes) -> None:
    text, _ = text_of(data)
    source = Source("a/requirements/x.txt", text, lambda name: Source(name, text))
    with contextlib.suppress(UnreadableError):
        for each in kind.reader(source):
            settled(each, bundled())


READERS: dict[str, Reader] = {
    "build-file": build_file,
    "report": report,
    "matrix": matrix,
    "settings": settings,
    "state": state,
    "metadata": metadata,
    "record": record_file,
    "elf": elf,
    "loader-cache": loader_cache,
    "redactor": redactor,
    "log": log,
    "diagnosis": diagnosis,
}
KINDS_ALONE: dict[str, Reader] = {kind.name: partial(_build_file_of, kind) for kind in KINDS}
"""Of `build-file` one kind each, which are fuzzed where they are named. They share its inputs."""
