"""Which cell runs, by messages as kernels send them."""

from __future__ import annotations

import json
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from tfdoctor.apps.jupyter.cells import Cells


def message(
    kind: str, content: dict[str, Any], request: str = "r1", asked: str = "execute_request"
) -> list[bytes]:
    parent = {"msg_id": request, "msg_type": asked, "session": "s"}
    parts = [{"msg_type": kind, "msg_id": "m"}, parent, {}, content]
    return [
        b"kernel.1.x",
        b"<IDS|MSG>",
        b"signature",
        *(json.dumps(part).encode() for part in parts),
    ]


BUSY, IDLE = {"execution_state": "busy"}, {"execution_state": "idle"}


def test_a_cell_runs_from_busy_to_idle() -> None:
    cells = Cells()
    cells.update(message("status", BUSY))
    assert cells.running is not None and cells.running.count == 0
    cells.update(message("execute_input", {"code": "1+1", "execution_count": 7}))
    assert cells.running.count == 7 if cells.running else False
    assert json.loads(cells.running.parent if cells.running else b"{}")["msg_id"] == "r1"
    cells.update(message("status", IDLE))
    assert cells.running is None


def test_code_is_not_kept() -> None:
    cells = Cells()
    cells.update(message("execute_input", {"code": "SECRET", "execution_count": 7}))
    assert "SECRET" not in repr(vars(cells))


def test_a_cell_that_waits_is_not_the_one_that_runs() -> None:
    cells = Cells()
    cells.update(message("execute_input", {"execution_count": 1}, "r1"))
    cells.update(message("status", IDLE, "r1"))
    cells.update(message("execute_input", {"execution_count": 2}, "r2"))
    assert cells.running is not None and cells.running.count == 2


def asked(cells: Cells, request: str, counts: bool = True) -> None:
    cells.ask(json.dumps({"msg_id": request, "msg_type": "execute_request"}).encode(), counts)


def test_a_cell_that_was_asked_for_is_the_one_that_runs_where_the_kernel_did_not_say_so() -> None:
    cells = Cells()
    cells.update(message("execute_input", {"execution_count": 4}, "r1"))
    asked(cells, "r2")
    assert cells.running is not None and cells.running.count == 4
    cells.update(message("status", IDLE, "r1"))
    assert cells.begun is None
    assert cells.running is not None and (cells.running.count, b"r2" in cells.running.parent) == (
        5,
        True,
    )


def test_what_came_before_a_request_at_work_is_done() -> None:
    cells = Cells()
    for each in ("r1", "r2", "r3"):
        asked(cells, each)
    cells.update(message("status", BUSY, "r2"))
    cells.update(message("status", IDLE, "r2"))
    assert cells.running is not None and b"r3" in cells.running.parent
    cells.update(message("status", IDLE, "r3"))
    assert cells.running is None


def test_a_request_that_the_kernel_does_not_count_has_no_count() -> None:
    cells = Cells()
    asked(cells, "r1", counts=False)
    assert cells.running is not None and cells.running.count == 0
    cells.update(message("status", BUSY, "r1"))
    assert cells.running.count == 0


def test_a_question_of_the_client_is_no_cell() -> None:
    cells = Cells()
    cells.update(message("status", BUSY, asked="kernel_info_request"))
    assert cells.running is None
    assert cells.spoke


def test_a_client_that_ends_the_kernel_itself_is_heard() -> None:
    cells = Cells()
    cells.update(message("shutdown_reply", {"restart": False}, asked="shutdown_request"))
    assert cells.shut_down


@given(st.lists(st.binary(max_size=60), max_size=8), st.booleans())
def test_whatever_a_kernel_says_nothing_breaks(frames: list[bytes], marked: bool) -> None:
    cells = Cells()
    cells.update([b"kernel", b"<IDS|MSG>", *frames] if marked else frames)
    assert cells.running is None


@given(
    st.recursive(
        st.none() | st.integers() | st.text(max_size=5),
        lambda each: st.lists(each) | st.dictionaries(st.text(max_size=5), each),
        max_leaves=8,
    )
)
def test_json_of_any_shape_is_passed_over(content: Any) -> None:
    cells = Cells()
    cells.update(message("status", content))
    cells.update([b"kernel", b"<IDS|MSG>", b"", *[json.dumps(content).encode()] * 4])
    assert cells.running is None
