"""What a program's own calls, files and data ended it with: the words decide only where they are what ended the run."""

from __future__ import annotations

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


def test_an_operation_of_nobody_known_is_said_to_be_so() -> None:
    found = judged(_raised("NotFoundError: Op type not registered 'MyOwnOp' in binary running on host.")).roots[0].finding  # fmt: skip
    assert "the log does not show which" in found.explanation


def test_a_package_that_runs_the_program_is_not_what_is_imported() -> None:
    log = _raised("ValueError: wrong", 'File "/opt/env/lib/python3.11/site-packages/launcher/__main__.py", line 3, in <module>\n    main()\n  File "/opt/env/lib/python3.11/site-packages/launcher/run.py", line 9, in main')  # fmt: skip
    assert judged(log).roots[0].finding.code == "python-exception"


def test_a_training_that_stopped_itself_for_nan_did_not_go_well() -> None:
    begin = "Epoch 1/5\n10/10 - 1s - loss: 0.5\nEpoch 2/5\n 3/10 - 1s - loss: nan\n"
    for last in (
        "Batch 3: Invalid loss, terminating training",
        "NaN detected in loss, aborting",
        "Loss is NaN, quitting",
        "nan encountered in gradients; stopping the run",
        "Training diverged, giving up.",
        "loss became inf at step 12: abort",
        "ERROR:tensorflow:Model diverged with loss = NaN.",
        "FloatingPointError: Loss became infinite or NaN at iteration=3!",
    ):
        found = judged(f"{begin}{last}\n").roots[0].finding
        assert (found.code, found.title.partition(":")[0]) == ("python-exception", "The training stopped itself"), last  # fmt: skip


def test_a_setting_that_speaks_of_nan_is_no_end() -> None:
    assert judged("terminate_on_nan: True\nEpoch 1/1\n10/10 - 1s - loss: 0.5\n").roots == ()
