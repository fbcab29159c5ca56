"""What a log's own form must not change: marks, nesting, notebooks of every shape, and tracebacks of one shape."""

from __future__ import annotations

import codecs
import io
import json
from typing import Any

import pytest

from tests.logs.judged import judged, root
from tests.scenarios.conftest import bundled
from tfdoctor.apps.documents import diagnose
from tfdoctor.ask.logs.forms.notebook import outputs
from tfdoctor.ask.logs.read import LogError
from tfdoctor.facts.log_values import Ending
from tfdoctor.judge.log.testimony import Testimony
from tfdoctor.report.diagnosis import Diagnosis

ERROR = "ValueError: no such thing"
MARK = "\ufeff"


def diagnosed(content: bytes, name: str = "a.ipynb") -> Diagnosis:
    return diagnose([(name, io.BytesIO(content))], bundled(), None)


@pytest.mark.parametrize(
    "content",
    [
        f"{MARK}{ERROR}\n".encode(),
        f"{MARK}{ERROR}\n".encode("utf-16-le"),
        f"{MARK}{ERROR}\r\n".encode("utf-16-be"),
        f"a first file\n{MARK}{ERROR}\n".encode(),
        codecs.BOM_UTF8 + codecs.BOM_UTF8 + f"{ERROR}\n".encode(),
    ],
)
def test_a_byte_order_mark_hides_no_exception(content: bytes) -> None:
    assert root(diagnosed(content, "a.log")) == "python-exception"


def notebook(*outputs: Any, **cell: Any) -> bytes:
    found = {"cell_type": "code", "source": ["x"], "outputs": list(outputs), **cell}
    return json.dumps(
        {"cells": [found], "nbformat": 4, "nbformat_minor": 5, "metadata": {}}
    ).encode()


@pytest.mark.parametrize("value", [None, 7, "text", {"a": 1}, [None], [[1]], True])
def test_a_notebook_without_a_list_of_outputs_has_none(value: Any) -> None:
    assert diagnosed(notebook(outputs=value)).roots == ()


def error(**parts: Any) -> dict[str, Any]:
    return {"output_type": "error", "ename": "MyOwn", "evalue": "it broke", **parts}


@pytest.mark.parametrize(
    ("output", "said"),
    [
        (error(), "MyOwn: it broke"),
        (error(traceback=None), "MyOwn: it broke"),
        (error(traceback=["<p>no text</p>"]), "MyOwn: it broke"),
        (error(evalue="", traceback=[]), "MyOwn:"),
        (error(evalue=None), "MyOwn:"),
        (error(ename="Stop", evalue="42"), "Stop: 42"),
        (error(ename="KeyError", evalue="'a'", traceback="\x1b[0;31m----"), "KeyError: 'a'"),
    ],
)
def test_an_error_of_a_cell_counts_whatever_its_traceback_holds(
    output: dict[str, Any], said: str
) -> None:
    found = diagnosed(notebook(output)).roots
    assert [each.finding.code for each in found] == ["python-exception"]
    assert said.rstrip(":") in found[0].finding.title


LEVELS = 200_000  # Python 3.14 reads 20,000: its limit is the stack's size
DEEP = '{"a":' * LEVELS + "1" + "}" * LEVELS


def test_a_notebook_that_is_nested_too_deep_is_not_called_right() -> None:
    deep = '{"cells": [{"metadata": ' + DEEP + ', "outputs": []}], "nbformat": 4}'
    with pytest.raises(LogError, match="nested too deep"):
        diagnosed(deep.encode())


@pytest.mark.parametrize(
    "line", [DEEP, "[" * 50_000, '{"log": ' + DEEP + "}", '{"message": ' + "[" * 30_000]
)
def test_a_line_that_is_nested_too_deep_is_a_line(line: str) -> None:
    assert root(judged(f"{line}\n{ERROR}\n")) == "python-exception"


def test_a_report_whose_title_cant_be_read_is_a_report_all_the_same() -> None:
    report = rb'{"schema_version": "1.0", "tool": {"name": "tfdoctor"}, "title": "\x"}'
    with pytest.raises(LogError, match=r"a report of tfdoctor, not a log$"):
        diagnosed(report, "a.json")


def traceback(number: int, words: str) -> str:
    place = f'  File "/home/me/step{number}.py", line {number}, in <module>\n    f()\n'
    return f"Traceback (most recent call last):\n{place}{words}\n"


@pytest.mark.parametrize(
    "words",
    [
        [f"ValueError: bad {number}" for number in range(1, 12)],
        ["ValueError: shape (1, 2", "ValueError: shape (1, 20)"],
        ["KeyError: 'a'", "KeyError: 'a' is not in b"],
        ["ValueError: the same"] * 3,
        ["OSError: no", "OSError: nowhere"],
    ],
)
def test_the_last_errors_own_line_is_named(words: list[str]) -> None:
    text = "".join(traceback(number, each) for number, each in enumerate(words, start=1))
    (found, *_) = judged(text).roots
    assert f"step{len(words)}.py" in found.finding.title


def test_an_error_within_anothers_words_is_the_one_to_look_at() -> None:
    texts = [
        traceback(1, "ValueError: bad 1"),
        traceback(2, "ValueError: bad 12"),
        traceback(3, "RuntimeError: ValueError: bad 12"),
    ]
    assert "step2.py" in judged("".join(texts)).roots[0].finding.title


def test_a_raised_again_error_keeps_the_line_that_first_raised_it() -> None:
    again = 'Traceback (most recent call last):\n  File "/opt/v/lib/python3.10/site-packages/ray/worker.py", line 9, in get\n    raise value\n'
    text = (
        traceback(1, "ValueError: bad 1")
        + again
        + "ray.exceptions.RayTaskError(ValueError): ValueError: bad 1\n"
    )
    assert "step1.py" in judged(text).roots[0].finding.title


MISSING = (
    "Traceback (most recent call last):",
    '  File "/home/me/a.py", line 1, in <module>',
    "    import x",
)
INSTALLED = (
    *MISSING[:1],
    '  File "/v/lib/python3.10/site-packages/foo/x.py", line 1, in <module>',
    "    import x",
)


@pytest.mark.parametrize(
    "module",
    ["tensorfIow", "nurnpy", "tensorf1ow", "keraas", "totally_unknown", "tеnsorflow", "requests2"],
)
@pytest.mark.parametrize("above", [MISSING, INSTALLED])
def test_a_module_that_nobody_knows_is_never_installed(module: str, above: tuple[str, ...]) -> None:
    text = "\n".join((*above, f"ModuleNotFoundError: No module named '{module}'", ""))
    commands = [
        line for each in judged(text).roots for fix in each.finding.fixes for line in fix.commands
    ]
    assert not any(" install " in line and module.replace("_", "-") in line for line in commands), (
        commands
    )


@pytest.mark.parametrize(
    ("module", "project"),
    [("cv2", "opencv-python"), ("sklearn", "scikit-learn"), ("pandas", "pandas")],
)
def test_a_module_that_is_known_is_installed_by_its_projects_name(
    module: str, project: str
) -> None:
    text = "\n".join((*MISSING, f"ModuleNotFoundError: No module named '{module}'", ""))
    commands = [
        line for each in judged(text).roots for fix in each.finding.fixes for line in fix.commands
    ]
    assert any(line.endswith(f"-m pip install {project}") for line in commands), commands


def test_a_notebook_of_many_errors_is_read_in_few_pieces() -> None:
    """Each piece is searched for every message, and each exception is asked for once."""
    error = {"output_type": "error", "ename": "ValueError", "evalue": "no", "traceback": [ERROR]}
    cells = [{"cell_type": "code", "outputs": [error] * 3000}]
    content = json.dumps({"nbformat": 4, "cells": cells}).encode()
    pieces = list(outputs(content, iter(())))
    assert len(pieces) <= 3 and b"".join(pieces).count(ERROR.encode()) == 3000
    endings = tuple(Ending("exception", 1, ERROR, 0, line) for line in range(3000))
    told = Testimony(sayings=(), endings=endings, earlier=())
    assert told.raised is told.raised
