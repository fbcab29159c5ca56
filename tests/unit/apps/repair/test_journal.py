"""The journal: wherever it is cut off, it tells a step before, and one tfdoctor at a time changes an environment."""

from __future__ import annotations

from pathlib import Path

import pytest

from tfdoctor.apps.repair import journal, tree
from tfdoctor.apps.repair.journal import Change, Entry, Journal
from tfdoctor.apps.repair.repair import UndoRefusedError, recover, undo
from tfdoctor.base.fix_files import beside
from tfdoctor.base.records import replace
from tfdoctor.knowledge.model import Action

ENTRY = Entry(
    code="protobuf-incompatible",
    action=Action("change-packages", "", (("install", ("protobuf>=6.31.1,<7",)),)),
    packages=(Change("protobuf", "4.25.3", "6.33.0"),),
    environment="/home/me/envs/tf",
)


@pytest.fixture(autouse=True)
def state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    return tmp_path / "state" / "tfdoctor" / "fixes"


def test_the_last_line_is_the_state(state: Path) -> None:
    book, first = Journal.begin(ENTRY)
    book.add(replace(first, state="cloned", inodes=(1, 2)))
    [(entry, again)] = journal.all_entries()
    assert (entry.id, entry.state, entry.inodes, entry.packages) == (
        1,
        "cloned",
        (1, 2),
        ENTRY.packages,
    )
    again.add(replace(entry, state="kept"))
    assert [each.state for each, _ in journal.all_entries()] == ["kept"]


def test_an_environment_that_was_made_again_stays(tmp_path: Path) -> None:
    """Killed with the changed one in its place; ext4 gives the inode number of what was removed again."""
    place = tmp_path / "tf"
    former = beside(place) / "1" / "tree"
    former.mkdir(parents=True)
    place.mkdir()
    book, first = Journal.begin(replace(ENTRY, environment=str(place)))
    inodes = (former.stat().st_ino, place.stat().st_ino)
    generations = (tree.generation(former), tree.generation(place))
    book.add(replace(first, state="applied", inodes=inodes, generations=generations))
    place.rmdir()
    place.mkdir()
    (place / "mine").write_text("")
    assert [each.state for each in recover()] == ["discarded"]
    assert (place / "mine").exists()


def test_numbers_go_on(state: Path) -> None:
    assert [Journal.begin(ENTRY)[1].id for _ in range(3)] == [1, 2, 3]
    (state / "2.journal").unlink()
    assert Journal.begin(ENTRY)[1].id == 4
    assert [each.id for each, _ in journal.all_entries()] == [4, 3, 1]


def test_it_has_its_full_length_before_anything_is_changed(state: Path) -> None:
    book, first = Journal.begin(ENTRY)
    length = book.path.stat().st_size
    book.add(replace(first, state="cloned"))
    assert book.path.stat().st_size == length


def test_cut_off_at_any_byte_it_tells_a_state_that_was(state: Path) -> None:
    book, first = Journal.begin(ENTRY)
    book.add(replace(first, state="cloned", inodes=(1, 2)))
    book.add(replace(first, state="kept", inodes=(1, 2), kept="/somewhere"))
    whole = book.path.read_bytes()
    written = len(whole.rstrip(b"\n")) + 1
    seen = []
    ends = [at + 1 for at, byte in enumerate(whole[:written]) if byte == ord("\n")]
    near = {at + off for at in (0, *ends) for off in range(-3, 4) if 0 <= at + off <= written}
    for length in sorted({*near, *range(0, written, 7)}):
        for rest in (b"", b"\0" * 50, b"\n" * 50):
            book.path.write_bytes(whole[:length] + rest)
            read = journal.read(book.path)
            seen.append(None if read is None else read[0].state)
    assert list(dict.fromkeys(seen)) == [None, "planned", "cloned", "kept"]


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"\n\n",
        b"rubbish\n",
        b"{}\n",
        b'{"id": 1, "state": "gone"}\n',
        b"[" * 100_000,
        b"\xff\n",
    ],
)
def test_rubbish_is_no_journal(state: Path, content: bytes) -> None:
    state.mkdir(parents=True)
    (state / "1.journal").write_bytes(content)
    (state / "notes.txt").write_text("")
    assert journal.all_entries() == []
    assert journal.empty_journals() == [state / "1.journal"]


def test_the_newest_is_undone_first(tmp_path: Path) -> None:
    kept = replace(ENTRY, state="kept", kept="/home/me/envs/.tf.tfdoctor/1/tree")
    Journal.begin(kept)
    Journal.begin(replace(kept, parent=1))
    with pytest.raises(UndoRefusedError, match="fix 2 came after it; undo that one first"):
        undo(1, lambda place: "")


def test_two_at_once_are_one_too_many(tmp_path: Path) -> None:
    environment = tmp_path / "tf"
    with journal.locked(environment) as folder:
        assert (folder, (folder / ".gitignore").read_text()) == (tmp_path / ".tf.tfdoctor", "*\n")
        with (
            pytest.raises(journal.BusyError, match="another tfdoctor is fixing"),
            journal.locked(environment),
        ):
            pass
    with journal.locked(environment):
        pass


def test_a_hidden_environment_gets_no_second_dot() -> None:
    assert beside(Path("/project/.venv")) == Path("/project/.venv.tfdoctor")
