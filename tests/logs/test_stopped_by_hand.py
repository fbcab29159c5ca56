"""Ctrl+C ends what hung, and is not why it hung."""

from __future__ import annotations

import pytest

from tests.logs.judged import judged, log, root

_MIRRORED = (
    "INFO:tensorflow:Using MirroredStrategy with devices ('/job:localhost/replica:0/task:0/device:GPU:0', '/job:localhost/replica:0/task:0/device:GPU:1')",
    "INFO:tensorflow:batch_all_reduce: 8 all-reduces with algorithm = nccl, num_packs = 1",
    "Epoch 1/10",
)
_TRACEBACK = (
    "^CTraceback (most recent call last):",
    '  File "train.py", line 30, in <module>',
    "    model.fit(ds, epochs=10)",
    '  File "/opt/env/lib/python3.8/site-packages/tensorflow/python/eager/execute.py", line 60, in quick_execute',
    "    inputs, attrs, num_outputs)",
    "KeyboardInterrupt",
)
_SERVER = "2020-11-20 10:00:00.000000: I tensorflow/core/distributed_runtime/rpc/grpc_server_lib.cc:405] Started server with target: grpc://localhost:12345"
_RANKS = (
    "n01:4242:4300 [0] NCCL INFO comm 0x7f rank 0 nranks 2 cudaDev 0 busId 1000 - Init COMPLETE",
    "n01:4242:4301 [1] NCCL INFO comm 0x7f rank 1 nranks 2 cudaDev 1 busId 2000 - Init COMPLETE",
    "Epoch 1/10",
)


_HANDS = (
    ("^C",),
    ("^C^C",),
    ("^C", "^C ^C"),
    ("^Z", "[1]+  Stopped                 python train.py"),
    ("^Z", "zsh: suspended  python train.py"),
    ("^\\Quit (core dumped)",),
    ("KeyboardInterrupt",),
    _TRACEBACK,
    ("Traceback (most recent call last):", *_TRACEBACK[1:]),
)


@pytest.mark.parametrize("ended", [(), *_HANDS])
def test_gpus_that_wait_for_each_other_are_told_whoever_stopped_them(
    ended: tuple[str, ...],
) -> None:
    found = judged(log([*_MIRRORED, *ended]))
    assert "NCCL_P2P_DISABLE=1" in found.unfinished
    assert (found.roots, found.suspects) == ((), ())


@pytest.mark.parametrize("ended", [(), ("^C",), _TRACEBACK])
def test_ranks_that_nccl_connected_and_that_do_no_step_are_stalled(ended: tuple[str, ...]) -> None:
    assert root(judged(log([*_RANKS, *ended]))) == "stalled"


@pytest.mark.parametrize("ended", [(), ("^C",), _TRACEBACK])
def test_a_server_that_waits_for_other_tasks_is_told(ended: tuple[str, ...]) -> None:
    assert "TF_CONFIG" in judged(log([_SERVER, *ended])).unfinished


@pytest.mark.parametrize("ended", [("^C",), _TRACEBACK])
def test_a_training_that_somebody_stopped_at_its_beginning_is_no_hang_that_has_a_name(
    ended: tuple[str, ...],
) -> None:
    found = judged(log(["Epoch 1/10", *ended]))
    assert "NCCL" not in found.unfinished
    assert root(found) in ("killed-by-user", "unrecognised")


@pytest.mark.parametrize("ended", ["^C", "^C^C", " ^C ^C"])
def test_a_log_that_ends_in_ctrl_c_alone_is_not_called_fine(ended: str) -> None:
    assert judged(log(["Loading the data", ended])).verdict == "unrecognised"


def test_a_failure_before_the_hand_is_the_cause() -> None:
    failed = "tensorflow.python.framework.errors_impl.InternalError: NCCL: unhandled system error"
    assert root(judged(log([*_MIRRORED, failed, "^C"]))) == "nccl-failed"


def test_steps_before_the_hand_are_no_hang() -> None:
    step = "10/100 [==>...........................] - ETA: 9s - loss: 0.3"
    found = judged(log([*_MIRRORED, step, *_TRACEBACK]))
    assert "NCCL" not in found.unfinished
