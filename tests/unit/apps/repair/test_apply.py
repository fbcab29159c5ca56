"""One fix from its clone to its end, in place and in the tests' own process: real uv, the real check, real directories exchanged."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.unit.apps.repair import standin
from tests.unit.apps.repair.bench import Bench, finding, step
from tests.unit.ask.probes.fake_environments import add_distribution
from tfdoctor.apps.repair import journal, tree
from tfdoctor.apps.repair.journal import Change, Entry, Journal
from tfdoctor.apps.repair.plan import Changes, Step, judged
from tfdoctor.apps.repair.repair import (
    Job,
    KernelWork,
    UndoRefusedError,
    Work,
    apply,
    edited,
    recover,
    undo,
)
from tfdoctor.apps.repair.trial import State
from tfdoctor.base.fix_files import beside
from tfdoctor.base.records import replace
from tfdoctor.fix.kernel import KERNEL_JSON
from tfdoctor.knowledge.model import Action, Finding, Verdict
from tfdoctor.report.report import Report, Subject

NEWER = Change("protobuf", "4.25.3", "6.33.0")
BEFORE = (finding(), finding(code="smoke-tensorflow-failed"))


def job(bench: Bench, *changes: Change, before: tuple[Finding, ...] = BEFORE, keep: bool = True, **parameters: str) -> Job:  # fmt: skip
    """In place: no namespace is needed."""
    report = Report(
        subject=Subject(bench.facts().interpreter.executable.value),  # type: ignore[union-attr]  # known on the bench
        verdict=Verdict.BROKEN,
        findings=before,
    )
    subject = ("--python", str(bench.environment))
    return Job(step(**parameters), Changes(changes), bench.installer(), State(report), bench.environment, bench.site, subject, in_place=True, keep=keep)  # fmt: skip


def silent(doing: str) -> None: ...


def test_it_helps_is_kept_and_is_undone_to_the_byte(bench: Bench) -> None:
    add_distribution(bench.site, "old", "1.0", {"old.py": ""})
    before, said = standin.picture(bench.environment), list[str]()
    removed = Change("old", "1.0", "")
    entry, after = apply(job(bench, NEWER, removed, remove="old"), Work, said.append)
    assert (entry.state, entry.reason, entry.id, entry.parent) == ("kept", "", 1, 0)
    assert said == ["Downloading", "Cloning the environment", "Installing", "Checking"]
    assert (entry.before.verdict, entry.before.codes) == (
        "broken",
        ("protobuf-incompatible", "smoke-tensorflow-failed"),
    )
    assert after is not None
    assert entry.after == judged(after.report)
    assert "protobuf-incompatible" not in entry.after.codes
    assert bench.installed() == {"protobuf": "6.33.0", "tensorflow": "2.21.0"}
    assert entry.kept == str(bench.environment.parent / ".tf.tfdoctor" / "1" / "tree")
    assert entry.kept_bytes > 0
    assert not (Path(entry.kept).parent / "wheels").exists()
    assert undo(0, lambda place: "").state == "undone"
    assert standin.picture(bench.environment) == before
    assert bench.beside() == []


def test_without_the_old_files_it_can_never_be_undone(bench: Bench) -> None:
    """And the fix that was kept before is its parent."""
    Journal.begin(Entry(state="kept", kept="/x", environment=str(bench.environment)))
    entry, _ = apply(job(bench, NEWER, keep=False), Work, silent)
    assert (entry.state, entry.kept, entry.kept_bytes, entry.parent) == ("kept", "", 0, 1)
    assert bench.beside() == []
    with pytest.raises(UndoRefusedError) as told:
        undo(2, lambda place: "")
    assert str(told.value) == "fix 2 was made with --no-keep, so the old files are gone"


def discarded(bench: Bench, way: Callable[[], Job]) -> str:
    """Why; the environment is then as it was, and nothing is beside it."""
    before = standin.picture(bench.environment)
    entry, _ = apply(way(), Work, silent)
    assert entry.state == "discarded"
    assert standin.picture(bench.environment) == before
    assert bench.beside() == []
    assert journal.all_entries()[0][0] == entry
    return entry.reason


def test_what_does_not_help_is_put_back(bench: Bench) -> None:
    reason = discarded(bench, lambda: job(bench, Change("protobuf", "4.25.3", "4.25.3")))
    assert reason == "the same problem is still there"


def test_what_cant_be_fetched_is_not_tried(bench: Bench) -> None:
    reason = discarded(bench, lambda: job(bench, Change("protobuf", "4.25.3", "99")))
    assert reason.startswith("uv could not get the packages: No solution found")


def test_what_cant_be_installed_is_put_back(bench: Bench) -> None:
    (bench.root / "not-python").write_text("#!/bin/sh\nexit 1\n")
    (bench.root / "not-python").chmod(0o755)

    def broken() -> Job:
        made = job(bench, Change("protobuf", "4.25.3", ""), remove="protobuf")
        assert made.installer is not None
        made.installer.python = str(bench.root / "not-python")
        return made

    assert discarded(bench, broken).startswith("uv: ")


def test_interrupted_it_is_put_back(bench: Bench) -> None:
    def tell(doing: str) -> None:
        if doing == "Checking":
            raise KeyboardInterrupt

    before = standin.picture(bench.environment)
    with pytest.raises(KeyboardInterrupt):
        apply(job(bench, NEWER), Work, tell)
    assert standin.picture(bench.environment) == before
    assert bench.beside() == []
    [(entry, _)] = journal.all_entries()
    assert (entry.state, entry.reason) == ("discarded", "it was interrupted")


def test_a_device_in_the_environment_is_not_cloned(bench: Bench) -> None:
    os.mkfifo(bench.environment / "pipe")
    entry, _ = apply(job(bench, NEWER), Work, silent)
    assert entry.reason == f"{bench.environment / 'pipe'} is a device, a pipe or a socket"
    assert bench.beside() == []


def test_what_an_installer_may_write_into_is_no_hard_link(bench: Bench) -> None:
    """Scripts, the metadata of what changes, lists of paths, and a file of another package that the new one brings, too."""
    (bench.environment / "bin" / "tool").write_text("")
    (bench.site / "mine.pth").write_text("")
    (bench.site / "tensorflow" / "mine.pth").write_text("")
    (bench.root / "work").mkdir()
    made = job(bench, NEWER)
    work = Work(bench.root / "work", *Journal.begin(Entry(environment=str(made.place))), made)
    written = {"tensorflow/__init__.py", "google/protobuf/__init__.py", "google/protobuf/new.py"}
    copied = work._copied(tree.manifest(made.place), written)
    site = bench.site.relative_to(bench.environment)
    assert copied == {
        "bin/tool", "bin/python", "bin/python3", f"{site}/mine.pth", f"{site}/tensorflow/__init__.py",
        *(f"{site}/protobuf-4.25.3.dist-info/{each}" for each in ("METADATA", "WHEEL", "INSTALLER", "RECORD")),
    }  # fmt: skip


VARIABLE = Change("PROTOCOL_BUFFERS_PYTHON_IMPLEMENTATION", "cpp", "")


@pytest.fixture
def kernel(bench: Bench) -> Path:
    folder = bench.root / "kernels" / "tf"
    folder.mkdir(parents=True)
    document = {"argv": ["python"], "display_name": "TF ü", "env": {VARIABLE.name: "cpp", "A": "1"}}
    (folder / KERNEL_JSON).write_text(json.dumps(document, ensure_ascii=False), encoding="utf-8")
    return folder


def of_a_kernel(bench: Bench, kernel: Path) -> Job:
    made = job(bench)
    fixed = Step(made.step.finding, replace(made.step.fix, where=KERNEL_JSON))
    return replace(made, step=fixed, place=kernel, site=kernel, installer=None, changes=Changes(variables=(VARIABLE,)))  # fmt: skip


def test_a_kernels_file_is_edited_and_comes_back(bench: Bench, kernel: Path) -> None:
    """A check that finds nothing any more: the protobuf of the environment is a newer one."""
    (bench.site / "google" / "protobuf" / "__init__.py").write_text("__version__ = '6.33.0'\n")
    (bench.site / "protobuf-4.25.3.dist-info" / "METADATA").write_text("Metadata-Version: 2.1\nName: protobuf\nVersion: 6.33.0\n")  # fmt: skip
    before = standin.picture(kernel)
    entry, _ = apply(of_a_kernel(bench, kernel), KernelWork, silent)
    assert (entry.state, entry.reason, entry.variables) == ("kept", "", (VARIABLE,))
    document = json.loads((kernel / KERNEL_JSON).read_text(encoding="utf-8"))
    assert document == {"argv": ["python"], "display_name": "TF ü", "env": {"A": "1"}}
    assert undo(0, lambda place: "").state == "undone"
    assert standin.picture(kernel) == before
    assert [each.name for each in kernel.parent.iterdir()] == ["tf"]


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("{", "Expecting property name enclosed in double quotes: line 1 column 2 (char 1)"),
        ('{"argv": []}', "it has no env"),
        ('{"env": []}', "it has no env"),
        ("[]", "it has no env"),
    ],
)
def test_a_kernels_file_that_cant_be_read_stays(
    bench: Bench, kernel: Path, text: str, why: str
) -> None:
    (kernel / KERNEL_JSON).write_text(text)
    entry, _ = apply(of_a_kernel(bench, kernel), KernelWork, silent)
    assert (entry.state, entry.reason) == (
        "discarded",
        f"{kernel / KERNEL_JSON} can't be read ({why})",
    )
    assert (kernel / KERNEL_JSON).read_text() == text
    assert [each.name for each in kernel.parent.iterdir()] == ["tf"]


def test_variables_are_set_and_unset_as_jupyter_writes_a_file() -> None:
    text = '{"env": {"A": "1", "B": "2"}, "name": "ü"}'
    changed = edited(text, (Change("A", "1", ""), Change("C", "", "x"), Change("B", "2", "3")))
    assert changed == '{\n "env": {\n  "C": "x",\n  "B": "3"\n },\n "name": "ü"\n}\n'


def kept(place: Path, state: str = "kept") -> Entry:
    """A fix with its directories, manifests and journal as it leaves them: b.py is new, and a.py stayed."""
    work = beside(place) / "1"
    both = (work / "tree", place)
    for folder, names in zip(both, (("a.py",), ("a.py", "b.py")), strict=True):
        folder.mkdir(parents=True)
        for name in names:
            (folder / name).write_text(name)
    tree.write_manifest(work / journal.BEFORE, tree.manifest(both[0]))
    tree.write_manifest(work / journal.AFTER, tree.manifest(place))
    book, first = Journal.begin(Entry(code="protobuf-incompatible", environment=str(place)))
    entry = replace(
        first,
        state=state,
        kept=str(both[0]),
        kept_bytes=4096,
        packages=(NEWER,),
        inodes=tuple(each.stat().st_ino for each in both),
        generations=tuple(map(tree.generation, both)),
    )
    book.add(entry)
    return entry


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    return tmp_path / "envs" / "tf"


def refused(number: int = 0, why: str = "") -> str:
    with pytest.raises(UndoRefusedError) as told:
        undo(number, lambda place: why)
    return str(told.value)


def test_a_kept_fix_is_undone(place: Path) -> None:
    kept(place)
    entry = undo(0, lambda place: "")
    assert (entry.state, entry.kept, entry.kept_bytes) == ("undone", "", 0)
    assert [each.name for each in place.iterdir()] == ["a.py"]
    assert not (beside(place) / "1").exists()


def made_new(made: Path) -> None:
    """An environment that the first fix made."""
    work = beside(made) / "1"
    work.mkdir(parents=True)
    made.mkdir()
    (made / "pyvenv.cfg").write_text("")
    tree.write_manifest(work / journal.AFTER, tree.manifest(made))
    action = Action("new-environment")
    book, first = Journal.begin(Entry(environment=str(made), action=action))
    inodes, generations = (0, made.stat().st_ino), (0, tree.generation(made))
    book.add(replace(first, state="kept", inodes=inodes, generations=generations))


def test_an_environment_that_a_fix_made_is_removed_again(place: Path) -> None:
    made_new(place)
    (place / "mine").write_text("")
    assert refused() == f"{place} was changed since fix 1 (mine), which --undo would lose"
    (place / "mine").unlink()
    assert undo(0, lambda place: "").state == "undone"
    assert list(place.parent.iterdir()) == []


def test_where_nothing_was_done_nothing_is_undone(place: Path) -> None:
    assert refused() == "there is no fix that can be undone; tfdoctor fix --list shows all"
    assert refused(7) == "there is no fix 7; tfdoctor fix --list shows all"


@pytest.mark.parametrize("state", ["discarded", "undone", "applied"])
def test_a_fix_that_was_not_kept_is_not_undone(place: Path, state: str) -> None:
    kept(place, state=state)
    assert refused(1) == f"fix 1 was {state}, so there is nothing to undo"


def lost(path: str) -> Callable[[Path], object]:
    return lambda place: os.rename(place.parent / path, place.parent / "lost")


def write(path: str, text: str = "") -> Callable[[Path], object]:
    return lambda place: (place.parent / path).write_text(text)


def made_again(place: Path) -> None:
    os.rename(place, place.with_name("aside"))
    place.mkdir()


@pytest.mark.parametrize(
    ("change", "why"),
    [
        (write("tf/mine.py"), "{place} was changed since fix 1 (mine.py), which --undo would lose; the old files are in {kept}"),
        (write("tf/b.py", "mine"), "{place} was changed since fix 1 (b.py), which --undo would lose; the old files are in {kept}"),
        (lambda place: [write(f"tf/{each}.py")(place) for each in "vwxyz"], "{place} was changed since fix 1 (v.py, w.py, x.py and 2 more), which --undo would lose; the old files are in {kept}"),
        (write(".tf.tfdoctor/1/tree/a.py", "mine"), "something wrote into the kept files: a.py. They are in {kept}"),
        (lost(".tf.tfdoctor/1/tree"), "{kept} is gone, so fix 1 can't be undone"),
        (made_again, "{place} was made again since fix 1, so it can't be undone; the old files are in {kept}"),
        (write(".tf.tfdoctor/1/after.json", "{"), "{kept.parent}/after.json is damaged, so nobody can tell what was changed since; the old files are in {kept}"),
        (lost(".tf.tfdoctor/1/before.json"), "{kept.parent}/before.json can't be read (No such file or directory), so nobody can tell what was changed since; the old files are in {kept}"),
    ],
)  # fmt: skip
def test_undo_refuses_to_lose_what_came_since(
    place: Path, change: Callable[[Path], object], why: str
) -> None:
    entry = kept(place)
    change(place)
    both = (place, beside(place) / "1")
    now = [standin.picture(each) for each in both]
    assert refused(1) == why.format(place=place, kept=Path(entry.kept))
    assert [standin.picture(each) for each in both] == now
    assert [each.state for each, _ in journal.all_entries()] == ["kept"]


def test_undo_waits_for_whoever_uses_it(place: Path) -> None:
    kept(place)
    assert refused(0, "python uses it") == "python uses it"
    with (
        journal.locked(place),
        pytest.raises(journal.BusyError, match="another tfdoctor is fixing"),
    ):
        undo(0, lambda place: "")
    assert (place / "b.py").exists()


def test_an_interrupted_fix_is_exchanged_back(place: Path) -> None:
    kept(place, state="applied")
    [entry] = recover()
    assert (entry.state, entry.reason, entry.kept) == ("discarded", "it was interrupted", "")
    assert [each.name for each in place.iterdir()] == ["a.py"]
    assert not (beside(place) / "1").exists()
    assert recover() == []


def test_an_undo_that_was_interrupted_is_brought_to_its_end(place: Path) -> None:
    """Exchanged back, and the journal does not say so yet."""
    entry = kept(place)
    former = Path(entry.kept)
    os.rename(place, place.with_name("x"))
    os.rename(former, place)
    os.rename(place.with_name("x"), former)
    assert [each.state for each in recover()] == ["undone"]
    assert [each.name for each in place.iterdir()] == ["a.py"]
    assert not (beside(place) / "1").exists()


def test_an_interrupted_fix_of_an_environment_that_is_gone(place: Path) -> None:
    kept(place, state="cloned")
    shutil.rmtree(place.parent)
    assert [each.state for each in recover()] == ["discarded"]


def test_one_that_another_is_at_work_on_is_left_to_it(place: Path) -> None:
    kept(place, state="applied")
    with journal.locked(place):
        assert recover(skip_busy=True) == []
        with pytest.raises(journal.BusyError):
            recover()
    assert (place / "b.py").exists()


def test_a_journal_without_a_line_is_removed(place: Path, tmp_path: Path) -> None:
    empty = tmp_path / "state" / "tfdoctor" / "fixes" / "1.journal"
    empty.parent.mkdir(parents=True)
    empty.write_bytes(b"\n" * 100)
    assert recover() == []
    assert not empty.exists()
