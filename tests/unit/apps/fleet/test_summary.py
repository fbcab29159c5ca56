"""Summaries of made-up fleets: every planted group is found, its fact first, and nobody is named without a fault."""

from __future__ import annotations

import contextlib
import gzip
import io
import json
import os
import subprocess
import sys
import tarfile
from pathlib import Path
from threading import Thread
from typing import Any

import pytest

from benchmarks.fleet import PLANTS, Plant, fleet
from tests.unit.apps.cli.running import MACHINES, environment, machine, tfdoctor
from tfdoctor.apps.fleet import gather as gathering
from tfdoctor.apps.fleet.gather import MOST_BYTES, Found, gather
from tfdoctor.apps.fleet.nodes import expand, fold
from tfdoctor.apps.fleet.record import Record, State, line_of
from tfdoctor.apps.fleet.summary import Fleet, Summary
from tfdoctor.apps.fleet.view import hidden, summary_view, without_secrets
from tfdoctor.facts.codec import to_json
from tfdoctor.say.json_v1 import render_json
from tfdoctor.say.pages import render_html, render_markdown

SMALL = tuple(Plant(size, each.code, each.fact, each.part, each.value, named=each.named)
              for size, each in zip((4, 3, 2, 1), PLANTS, strict=False))  # fmt: skip
"""The first four of the large fleet's, for 40 nodes."""


def summed(*paths: Path) -> Summary:
    return read(*paths).summary()


def read(*paths: Path) -> Fleet:
    found = Fleet()
    found.read(gather([str(path) for path in paths], None))
    return found


def planted(file: Path, count: int, seed: int, plants: tuple[Plant, ...]) -> dict[str, list[str]]:
    """Writes a fleet, and returns the nodes of each planted cause."""
    nodes: dict[str, list[str]] = {}
    with file.open("wb") as out:
        for name, line, plant in fleet(count, seed, plants):
            out.write(line)
            if plant is not None:
                nodes.setdefault(plant.code, []).append(name)
    return nodes


def assert_found(summary: Summary, nodes: dict[str, list[str]], plants: tuple[Plant, ...]) -> None:
    found = {group.roots[0]: group for group in summary.groups if group.roots}
    assert {code: group.nodes for code, group in found.items()} == {
        code: fold(names) for code, names in nodes.items()
    }
    for plant in plants:
        odd = found[plant.code].odd[0]
        assert odd.fact == plant.fact + (f"[{plant.part}]" if plant.part else ""), (
            plant,
            found[plant.code].odd,
        )
        assert (
            plant.value in odd.value
            and odd.in_group == (plant.size, plant.size)
            and odd.in_reference[0] == 0
        )
        assert odd.confidence == "certain" or not plant.named
    assert summary.differing == () and summary.missing == () and summary.unread_files == 0


@pytest.mark.parametrize("seed", range(4))
def test_planted_groups_are_found_among_40_nodes(seed: int, tmp_path: Path) -> None:
    nodes = planted(tmp_path / "a.jsonl", 40, seed, SMALL)
    assert_found(summed(tmp_path / "a.jsonl"), nodes, SMALL)


@pytest.mark.slow
def test_fifty_fleets_of_40_nodes_and_fifty_without_a_fault(tmp_path: Path) -> None:
    file = tmp_path / "a.jsonl"
    for seed in range(50):
        nodes = planted(file, 40, 1000 + seed, SMALL)
        assert_found(summed(file), nodes, SMALL)
        planted(file, 40, 2000 + seed, ())
        summary = summed(file)
        assert [group.reference for group in summary.groups] == [True] and summary.differing == ()


@pytest.mark.slow
def test_ten_thousand_reports(tmp_path: Path) -> None:
    nodes = planted(tmp_path / "a.jsonl", 10_000, 1, PLANTS)
    assert_found(summed(tmp_path / "a.jsonl"), nodes, PLANTS)


def record(name: str, at: int = 0, **changed: Any) -> bytes:
    """A healthy node's record; `changed` are facts by "__" for the point, `verdict` and `roots`."""
    report = json.loads(Path(machine("healthy-gpu")).read_text("utf-8"))
    roots = changed.pop("roots", ())
    if roots:
        report["verdict"] = "broken"
        report["findings"] = [
            {
                "code": code,
                "severity": "error",
                "role": "root",
                "title": code,
                "evidence": [],
                "fixes": [],
            }
            for code in roots
        ]
    for path, value in changed.items():
        fact = path.replace("__", ".")
        report["facts"][fact] = {"status": "known", "value": value, "from": "a test"}
    report["generated_at"] = f"2026-11-24T10:00:{at:02}Z"
    return line_of(Record(name, report=report)).encode()


def lines(folder: Path, *content: bytes) -> Path:
    file = folder / "fleet.jsonl"
    file.write_bytes(b"".join(content))
    return file


def test_versions_are_parted_by_one_cut(tmp_path: Path) -> None:
    bad = [
        record(f"b{at}", driver__version=f"470.{at}.1", roots=("driver-too-old",))
        for at in range(4)
    ]
    good = [record(f"g{at}", driver__version=f"{535 + at}.1") for at in range(20)]
    (group, _) = summed(lines(tmp_path, *bad, *good)).groups
    (odd, *_) = group.odd
    assert (odd.fact, odd.value, odd.in_group, odd.in_reference) == (
        "driver.version",
        "older than 535.1",
        (4, 4),
        (0, 20),
    )


def test_what_nearly_all_others_have_and_a_group_lacks(tmp_path: Path) -> None:
    bad = [
        record(f"b{at}", host__cpu_model=f"CPU {at}", roots=("cpu-instructions-missing",))
        for at in range(5)
    ]
    (group, _) = summed(lines(tmp_path, *bad, *(record(f"g{at}") for at in range(20)))).groups
    assert group.odd[0].fact == "host.cpu_model" and group.odd[0].value.startswith("not Intel")


def test_items_on_the_same_nodes_are_one_and_others_are_rivals(tmp_path: Path) -> None:
    two: dict[str, Any] = {"host__kernel": "9.9", "memory__limit_open_files": 5}
    bad = [record(f"b{at}", **two, host__cpu_count=3, roots=("x-y",)) for at in range(3)]
    good = [*(record(f"g{at}") for at in range(39)), record("g39", host__cpu_count=3)]
    (group, _) = summed(lines(tmp_path, *bad, *good)).groups
    assert [(odd.fact, odd.with_others, odd.rivals) for odd in group.odd] == [
        ("host.kernel", 1, 1), ("host.cpu_count", 0, 1),
    ]  # fmt: skip
    assert {odd.confidence for odd in group.odd} == {"possible"}
    alone = [record(f"b{at}", **two, roots=("x-y",)) for at in range(3)]
    (group, _) = summed(lines(tmp_path, *alone, *good)).groups
    assert [odd.confidence for odd in group.odd] == ["likely"]


def test_a_group_that_nothing_separates_says_so(tmp_path: Path) -> None:
    content = (
        record(f"{name}{at}", roots=roots)
        for name, roots, count in (("b", ("x-y",), 2), ("g", (), 9))
        for at in range(count)
    )
    summary = summed(lines(tmp_path, *content))
    assert summary.groups[0].odd == ()
    assert "Nothing sets them apart from the 9 nodes that work." in render_markdown(
        summary_view(summary)
    )


def test_what_does_the_same_on_several_nodes_is_one_fix_without_their_paths(tmp_path: Path) -> None:
    legacy: dict[str, Any] = {
        "environment__variables": {"TF_USE_LEGACY_KERAS": "1"},
        "roots": ("keras-legacy-needed",),
    }
    nodes = [
        record(name, interpreter__executable=f"/{name}/bin/python", **legacy) for name in ("a", "b")
    ]
    (group,) = summed(lines(tmp_path, *nodes)).groups
    (fix,) = group.fixes
    assert (fix.nodes, fix.action and fix.action.kind) == ("a,b", "change-packages")
    assert [line.split()[0] for line in fix.commands] == ["python"]


def test_the_newer_of_two_records_counts_in_any_order(tmp_path: Path) -> None:
    newer, older = record("n1", 9), record("n1", 1, roots=("x-y",))
    for content in ((newer, older), (older, newer)):
        summary = summed(lines(tmp_path, *content))
        assert (summary.nodes, summary.records, summary.verdicts) == (1, 2, {"healthy": 1})
    again = line_of(
        Record("n2", state=State.LOST, reason="it died", started_at="2026-11-24T10:00:05Z")
    ).encode()
    summary = summed(lines(tmp_path, record("n2", 9), again, record("n1")))
    assert summary.states == {"answered": 2} and summary.records == 3


def test_healthy_nodes_that_differ_are_named(tmp_path: Path) -> None:
    odd = [
        record("o1", tensorflow__version="2.19.0", host__glibc="2.31"),
        record("o2", tensorflow__version="2.19.0"),
    ]
    summary = summed(lines(tmp_path, *odd, *(record(f"g{at}") for at in range(30))))
    assert [(each.fact, each.value, each.usual, each.nodes) for each in summary.differing] == [
        ("tensorflow.version", "2.19.0", "2.20.0", "o[1-2]"),
        ("host.glibc", "2.31", "2.35", "o1"),
    ]  # fmt: skip
    assert summary.exit_status("error") == 0


def test_a_slow_test_is_named(tmp_path: Path) -> None:
    slow = json.loads(record("slow"))
    slow["report"]["smoke"]["stages"][2]["duration_s"] = 80.0
    content = (json.dumps(slow).encode() + b"\n", *(record(f"g{at}") for at in range(9)))
    (each,) = summed(lines(tmp_path, *content)).differing
    assert (each.fact, each.value, each.usual, each.nodes) == (
        "smoke.tensorflow",
        "80.0 s",
        "8.2 s",
        "slow",
    )


def test_states_and_exit_status(tmp_path: Path) -> None:
    lost = line_of(Record("n3", "slurm", State.LOST, "Node failure")).encode()
    assert summed(lines(tmp_path, record("n1"))).exit_status("error") == 0
    summary = summed(lines(tmp_path, record("n1"), lost))
    assert summary.states == {"answered": 1, "lost": 1} and summary.exit_status("error") == 3
    assert [(each.nodes, each.reason) for each in summary.missing] == [("n3", "Node failure")]
    assert summed(lines(tmp_path, record("n1", roots=("x-y",)), lost)).exit_status("error") == 1


def test_every_way_to_bring_reports_gives_the_same_nodes(tmp_path: Path) -> None:
    report = Path(machine("driver-too-old")).read_bytes()
    folder = tmp_path / "reports" / "below"
    folder.mkdir(parents=True)
    (folder / "a.json").write_bytes(report)
    (folder / "notes.md").write_text("no report")
    (folder / "b.json.gz").write_bytes(gzip.compress(json.dumps(json.loads(report)).encode()))
    (folder / "c.jsonl").write_bytes(
        b"slurm says hello\nn7: " + record("n7") + record("n8").rstrip() + record("n9")
    )
    (folder / "d.json").write_bytes(report.rstrip() + report)
    with tarfile.open(folder / "e.tar.gz", "w:gz") as archive:
        for name in ("../../up.json", "in.json"):
            member = tarfile.TarInfo(name)
            member.size = len(report)
            archive.addfile(member, io.BytesIO(report))
        link = tarfile.TarInfo("link.json")
        link.type, link.linkname = tarfile.SYMTYPE, "/etc/passwd"
        archive.addfile(link)
    summary = summed(tmp_path / "reports")
    assert sorted(name for group in summary.groups for name in expand(group.nodes)) == [
        "a", "b", "d", "d#2", "in", "n7", "n8", "n9", "up",
    ]  # fmt: skip
    assert [each.because for each in summary.unread] == [
        "it is a link; an archive holds reports themselves"
    ]
    assert not (tmp_path / "up.json").exists()


@pytest.mark.parametrize("device", ["/dev/zero", "/dev/urandom", "/dev/null"])
def test_a_device_ends(device: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(gathering, "_MOST_BETWEEN", 8 << 20)
    last = [each.because for each in summed(Path(device)).unread][-1:]
    assert last == (
        [] if device == "/dev/null" else ["8 MiB without a report; the rest was not read"]
    )


@pytest.mark.parametrize("words", [b"x", b"step 1\n", b"{\n", b'{"a": 1}\n'])
def test_what_never_says_a_report_ends(words: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    """A line without an end, a log, a document without an end, other documents."""
    monkeypatch.setattr(gathering, "_MOST_BETWEEN", 8 << 20)
    read, write = os.pipe()
    writer = Thread(target=_write_on, args=(write, words * (1 << 16)), daemon=True)
    writer.start()
    last = [each.because for each in summed(Path(f"/dev/fd/{read}")).unread][-1]
    os.close(read)
    writer.join(10)
    assert last == "8 MiB without a report; the rest was not read"


@pytest.mark.parametrize("count", [3, 4])
@pytest.mark.parametrize("kind", ["of one node", "of many nodes", "that can't be read"])
def test_reports_without_end_end(kind: str, count: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tfdoctor.apps.fleet.summary._MOST_READ", count)
    names = ("n1",) * 9 if kind == "of one node" else tuple(f"n{at}" for at in range(9))
    lines = b'{"schema_version": "9.0"}\n' if "read" in kind else b"".join(map(record, names))
    read, write = os.pipe()
    writer = Thread(target=_write_on, args=(write, lines), daemon=True)
    writer.start()
    summary = summed(Path(f"/dev/fd/{read}"))
    os.close(read)
    writer.join(10)
    assert not writer.is_alive()
    assert summary.unread[-1].because == f"more than {count} reports; the rest was not read"
    assert summary.records + summary.unread_files == count + 1
    assert summary.exit_status("error") == 3


def _write_on(handle: int, words: bytes) -> None:
    with contextlib.suppress(OSError), open(handle, "wb", 0) as out:
        while True:
            out.write(words)


def test_damaged_files_are_counted_and_named(tmp_path: Path) -> None:
    report = Path(machine("healthy-gpu")).read_bytes()
    packed = gzip.compress(report)
    document = json.loads(report)
    contents = {
        "cut.json": report[:5000],
        "cut.json.gz": packed[: len(packed) // 2],
        "foreign.json": b'{"schema_version": "1.0", "outcome": "success", "facts": {}}\n',
        "huge.jsonl": b'{"schema_version": "1.0", "x": "'
        + b"x" * (MOST_BYTES + 10)
        + b'"}\n'
        + record("n1"),
        "newer.json": json.dumps({**document, "schema_version": "2.0"}).encode(),
        "nothing.json": b"hello\n",
        "nested.json": b'{"facts": ' + b"[" * 100_000 + b"\n",
        "odd-fact.json": json.dumps(
            {**document, "facts": {"driver.version": {"status": "known"}}}
        ).encode(),
    }
    for name, content in contents.items():
        (tmp_path / name).write_bytes(content)
    summary = summed(tmp_path)
    assert sorted({Path(each.file).name for each in summary.unread}) == sorted(contents)
    assert [group.nodes for group in summary.groups] == ["n1"] and summary.exit_status("error") == 3


def test_where_nothing_can_be_read_nothing_is_said_to_work(tmp_path: Path) -> None:
    view = summary_view(summed(lines(tmp_path, b'{"facts": 3}\n')))
    assert (view.tone, view.headline) == ("unknown", "No report could be read.")


def test_half_a_surrogate_and_nan_are_read(tmp_path: Path) -> None:
    odd = record("n1", host__cpu_model="half \udc80", host__cpu_count=float("nan"))
    summary = summed(lines(tmp_path, odd, record("n2")))
    assert (summary.states, summary.unread_files) == ({"answered": 2}, 0)


def test_names_are_data_in_every_form(tmp_path: Path) -> None:
    name = "<script>alert(1)</script>\x1b[31m,@all"
    summary = summed(lines(tmp_path, record(name, roots=("x-y",)), record("n1")))
    html, markdown = render_html(summary_view(summary)), render_markdown(summary_view(summary))
    assert "<script>alert" not in html and "\x1b" not in html + markdown
    assert "&lt;script&gt;" in html and "<svg aria-hidden" in html
    assert to_json(summary)["groups"][0]["nodes"] == name


def test_a_redacted_summary_names_no_node_address_or_user(tmp_path: Path) -> None:
    bad = record(
        "node17.lab",
        host__cpu_model="seen on node17.lab at 10.1.2.3 in /home/mira/x",
        roots=("x-y",),
    )
    others = [record(f"gpu{at}") for at in range(9)]
    lost = line_of(Record("weird name", state=State.LOST, reason="weird name died")).encode()
    found = read(lines(tmp_path, bad, *others, lost, b'{"facts": 3}\n'))
    text = render_json(to_json(hidden(found, {})))
    for private in ("node17", "gpu1", "gpu[", "weird", "10.1.2.3", "mira", str(tmp_path)):
        assert private not in text
    assert '"nodes": "<node-[1-9]>"' in text and '"nodes": "<node-10>"' in text
    assert "node17.lab" in render_json(to_json(found.summary()))


def test_nodes_are_folded_and_unfolded_without_groups_or_surprises() -> None:
    names = ["n1", "n2", "n10", "gpu7.lab", "gpu8.lab", "10.0.0.1", "10.0.0.2", "login"]
    assert fold(names) == "10.0.0.[1-2],gpu[7-8].lab,n[1-2,10],login"
    assert sorted(expand(fold(names))) == sorted(names)
    assert fold(["@all", "a,b", "n[1-3]"]) == "@all,a,b,n[1-3]"
    padded = ["n8", "n9", "n10", "n008", "n009", "n010", "n099", "n100", "n0"]
    assert fold(padded) == "n[0,8-10,008-010,099-100]" and sorted(expand(fold(padded))) == sorted(
        padded
    )


@pytest.mark.slow
def test_the_command_writes_every_form(tmp_path: Path) -> None:
    done = tfdoctor(
        "fleet",
        "summarize",
        *(
            machine(each.name)
            for each in sorted(MACHINES.iterdir())
            if each.name == "driver-too-old"
        ),
        "--json",
    )
    assert done.returncode == 1 and json.loads(done.stdout)["groups"][0]["roots"] == [
        "driver-too-old"
    ]
    for form in ("html", "md"):
        done = tfdoctor(
            "fleet", "summarize", machine("healthy-cpu"), "-o", str(tmp_path / f"s.{form}")
        )
        assert (
            done.returncode == 0 and done.stdout == "" and (tmp_path / f"s.{form}").stat().st_size
        )
    done = tfdoctor("fleet", "summarize", str(tmp_path))
    assert (
        done.returncode == 2
        and "no tfdoctor report in it" in done.stderr
        and done.stderr.count("\n") == 1
    )
    done = tfdoctor("fleet", "summarize", "nowhere")
    assert done.returncode == 2 and done.stderr.count("\n") == 1


@pytest.mark.slow
def test_without_the_extra_one_line_says_what_to_install() -> None:
    code = "import sys; sys.modules['msgspec'] = None; from tfdoctor.apps.cli.entry import main; main()"
    words = ["fleet", "summarize", machine("healthy-cpu")]
    done = subprocess.run(
        [sys.executable, "-c", code, *words], env=environment(), capture_output=True, text=True
    )
    assert (
        done.returncode == 2
        and done.stderr.count("\n") == 1
        and "clustershell>=1.9" in done.stderr.lower()
    )


def zeros(name: str, folder: Path) -> None:
    """A few megabytes that unpack to three gigabytes: compressed once, for a gzip file is a row of such pieces."""
    piece = gzip.compress(bytes(8 << 20))
    with open(folder / name, "wb") as out:
        if ".t" in name:
            member = tarfile.TarInfo("a.json")
            member.size = 3 << 30
            out.write(gzip.compress(member.tobuf()))
        for _ in range(3 << 7):
            out.write(piece)


@pytest.mark.parametrize(
    "name",
    [
        pytest.param("a.tar.gz", marks=pytest.mark.slow),
        *(pytest.param(name, marks=pytest.mark.nightly) for name in ("a.tgz", "a.jsonl.gz")),
    ],
)
def test_what_unpacks_without_end_is_given_up(name: str, tmp_path: Path) -> None:
    zeros(name, tmp_path)
    (tmp_path / "n1.json").write_bytes(Path(machine("healthy-gpu")).read_bytes())
    summary = summed(tmp_path)
    assert summary.nodes == 1 and any(
        "unpacking stopped" in each.because for each in summary.unread
    )


def test_members_without_end_are_given_up(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tfdoctor.apps.fleet.gather._MOST_MEMBERS", 5)
    with tarfile.open(tmp_path / "a.tar", "w") as archive:
        for at in range(7):
            member, content = tarfile.TarInfo(f"n{at}.json"), record(f"n{at}")
            member.size = len(content)
            archive.addfile(member, io.BytesIO(content))
    summary = summed(tmp_path / "a.tar")
    assert (summary.nodes, [each.because for each in summary.unread]) == (
        5,
        ["it has more than 5 members"],
    )


def test_no_secret_of_a_record_is_shown(tmp_path: Path) -> None:
    secrets = "token=0f3b9c7d1e5a8264bf90 ssh://bob:hunter2horse@gate password: hunter2Horse7"
    fleet = Fleet()
    fleet.add(
        Found(
            "a file",
            "",
            line_of(Record("n1", state=State.LOST, reason=f"lost: {secrets}")).encode(),
        )
    )
    summary = without_secrets(fleet.summary())
    for told in (json.dumps(to_json(summary)), render_html(summary_view(summary))):
        assert "lost: " in told and "0f3b9c7d" not in told and "hunter2" not in told
    (tmp_path / "a.jsonl").write_text(
        line_of(Record("n1", state=State.LOST, reason=f"lost: {secrets}"))
    )
    done = tfdoctor("fleet", "summarize", str(tmp_path / "a.jsonl"))
    assert "lost: " in done.stdout and "hunter2" not in done.stdout
