"""Where reports about kernels go."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest

from tfdoctor.apps.jupyter.reports import KEPT, folder_of, keep, newest

DIED_AT = 1_763_800_000.25
ID = "958cf5f9-f9f6-4ecd-914f-b4bf4844b24e"


def test_the_folder_is_the_one_that_was_named_else_the_state_folder() -> None:
    assert folder_of({"TFDOCTOR_REPORT_DIR": "/srv/reports", "XDG_STATE_HOME": "/x"}) == Path(
        "/srv/reports"
    )
    assert folder_of({"XDG_STATE_HOME": "/x"}) == Path("/x/tfdoctor")
    assert folder_of({"XDG_STATE_HOME": "relative"}) == Path.home() / ".local/state/tfdoctor"
    assert folder_of({}) == Path.home() / ".local/state/tfdoctor"


def test_a_report_is_whole_private_and_alone(tmp_path: Path) -> None:
    path = keep(tmp_path / "new", ID, b"{}\n", DIED_AT)
    assert path.name == "kernel-20251122T082640.250Z-958cf5f9f9f6.json"
    assert path.read_bytes() == b"{}\n"
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert os.listdir(path.parent) == [path.name]


def test_the_newest_fifty_of_its_own_stay_and_other_files_are_never_touched(tmp_path: Path) -> None:
    others = [
        tmp_path / name
        for name in ("kernel-1.json", "theirs.json", "kernel-20251122T082640.250Z-x.json.bak")
    ]
    for other in others:
        other.write_text("theirs")
    paths = [keep(tmp_path, f"k{number}", b"{}", DIED_AT + number) for number in range(KEPT + 5)]
    assert newest(tmp_path) == paths[: -KEPT - 1 : -1]
    assert all(other.read_text() == "theirs" for other in others)


def test_a_name_of_a_kernel_leads_nowhere_else(tmp_path: Path) -> None:
    path = keep(tmp_path, "../../etc/x", b"{}", DIED_AT)
    assert path.parent == tmp_path


def test_a_folder_that_cannot_be_made_is_an_error_of_the_system(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(OSError, match="file"):
        keep(tmp_path / "file" / "below", ID, b"{}", DIED_AT)
    assert newest(tmp_path / "nowhere") == []
