"""What a program's own calls, files and data ended it with: the words decide only where they are what ended the run."""

from __future__ import annotations

import pytest

from tests.logs.judged import judged


def _raised(words: str, frame: str = 'File "train.py", line 7, in main') -> str:
    return f"Traceback (most recent call last):\n  {frame}\n    run()\n{words}\n"


def test_an_error_that_the_program_outlived_is_not_its_end() -> None:
    first = _raised("KeyError: 'acc'")
    working = "\n".join(f"step {number} of 90 done" for number in range(90))
    found = judged(f"{first}{working}\n{_raised('TypeError: of another kind')}").roots[0]
    assert "of another kind" in found.lines[0].text


def test_a_run_that_goes_on_and_ends_well_has_none() -> None:
    log = "WARNING: Key extra/bias not found in checkpoint\nEpoch 1/1\n10/10 [====] - 1s - loss: 0.1\nProcess finished with exit code 0\n"
    assert judged(log).roots == ()


@pytest.mark.parametrize(
    ("op", "package"),
    [("CaseFoldUTF8", "tensorflow-text"), ("Addons>ImageProjectiveTransformV3", "tensorflow-addons"), ("SimpleMLInferenceOpWithHandle", "tensorflow-decision-forests"), ("IO>DecodeDicom", "tensorflow-io")],
)  # fmt: skip
def test_an_operation_leads_to_its_package(op: str, package: str) -> None:
    words = f"tensorflow.python.framework.errors_impl.NotFoundError: Op type not registered '{op}' in binary running on host."
    found = judged(_raised(words)).roots[0].finding
    assert (found.code, package in found.title) == ("custom-op-mismatch", True)
    assert f"install {package}" in found.fixes[0].commands[0]


def test_an_operation_of_nobody_known_is_said_to_be_so() -> None:
    found = judged(_raised("NotFoundError: Op type not registered 'MyOwnOp' in binary running on host.")).roots[0].finding  # fmt: skip
    assert "the log does not show which" in found.explanation


def test_any_exception_while_a_package_is_imported_is_that_packages() -> None:
    log = _raised(
        "ValueError: mutable default <class 'x.Y'> for field z is not allowed: use default_factory",
        'File "train.py", line 3, in <module>\n    import some_package\n  File "/opt/env/lib/python3.11/site-packages/some_package/__init__.py", line 5, in <module>\n    from .parts import Part\n  File "/usr/lib/python3.11/dataclasses.py", line 815, in _get_field',
    )
    found = judged(log).roots[0].finding
    assert (found.code, found.title.partition(":")[0]) == (
        "package-import-failed",
        "some-package can't be imported",
    )


def test_a_package_that_runs_the_program_is_not_what_is_imported() -> None:
    log = _raised("ValueError: wrong", 'File "/opt/env/lib/python3.11/site-packages/launcher/__main__.py", line 3, in <module>\n    main()\n  File "/opt/env/lib/python3.11/site-packages/launcher/run.py", line 9, in main')  # fmt: skip
    assert judged(log).roots[0].finding.code == "python-exception"
