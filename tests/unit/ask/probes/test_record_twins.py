"""The fast look at RECORD's lines and the careful one say the same of every file."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tfdoctor.ask.probes.workers.compare_files import compare, doubtful_lines, lines_of, own_entries

if TYPE_CHECKING:
    from pathlib import Path

    import pytest

PATHS = (
    *(
        "a.py",
        "there/b.so",
        "there",
        "gone.py",
        "a.pyc",
        "../bin/tool",
        "/etc/hostname",
        "./a.py",
        "a.py/c",
        "",
    ),
    *(
        '"there/with ""this"", and a comma"',
        "x-1.0.dist-info/METADATA",
        "x.egg-info/PKG-INFO",
        "null\0byte",
        ",",
    ),
)
SIZES = ("", "0", "3", "03", "+3", "3 ", "3_0", "٣", "4", "999999999999999999999999", "three")
LINES = st.one_of(
    st.builds(
        "{},{},{}".format,
        st.sampled_from(PATHS),
        st.sampled_from(["", "sha256=x"]),
        st.sampled_from(SIZES),
    ),
    st.sampled_from(["", "  ", "a.py", "a.py,", "sha256=x,3"]),
)


def lay_out(folder: Path) -> None:
    for name in (
        "a.py",
        "there/b.so",
        'there/with "this", and a comma',
        "x-1.0.dist-info/METADATA",
        "a.pyc",
    ):
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_bytes(b"abc")


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=100)
@given(lines=st.lists(LINES, max_size=12), end=st.sampled_from(["\n", "\r\n"]))
def test_twins(tmp_path: Path, lines: list[str], end: str) -> None:
    lay_out(tmp_path)
    before = os.getcwd()
    os.chdir(tmp_path)
    try:
        every, broken, broken_too = lines_of(end.join(lines)), list[int](), list[int]()
        doubtful = doubtful_lines(every)
        careful = list(own_entries(enumerate(every, 1), broken))
        rest = list(own_entries(doubtful, broken_too))
        assert compare(rest) == compare(careful)
        assert broken_too == broken
        assert len(every) - len(doubtful) + len(rest) == len(careful)
    finally:
        os.chdir(before)


def test_sound_lines_are_not_looked_at_twice(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    lay_out(tmp_path)
    monkeypatch.chdir(tmp_path)
    assert doubtful_lines(["a.py,sha256=x,3", "there/b.so,sha256=x,3", "a.py,sha256=x,4"]) == [
        (3, "a.py,sha256=x,4")
    ]
