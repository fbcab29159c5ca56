"""How a log ends where no end is told: a run that is complete, one that goes on, one that only began."""

from __future__ import annotations

import pytest

from tests.logs.healthy import RELEASES, healthy
from tests.logs.judged import judged, log, root
from tfdoctor.report.diagnosis import NOISE_ONLY, UNRECOGNISED
from tfdoctor.say.diagnosis_view import diagnosis_view

EPOCH = ["Epoch 1/5"]
STEP = ["313/313 ━━━━━━━━━━━━━━━━━━━━ 3s 9ms/step - accuracy: 0.7744 - loss: 0.6531"]
NCCL = [
    "node:1:2 [0] NCCL INFO ncclCommInitRank comm 0x7d10 rank 0 nranks 2 cudaDev 0 busId a000 commId 0x5d - Init COMPLETE",
    "node:1:3 [1] NCCL INFO Connected all rings",
]
SERVER = ["I tensorflow/core/distributed_runtime/rpc/grpc_server_lib.cc:427] Started server with target: grpc://10.0.0.1:2222"]  # fmt: skip
_CHANNEL = "I tensorflow/core/distributed_runtime/rpc/grpc_channel.cc:272] Initialize GrpcChannelCache for job worker -> "
ALLOC = ["tcmalloc: large alloc 2198593536 bytes == 0x557a97f8c000 @  0x7f47af7371e7"]
BAR = ["  0% 0/248 [00:00<?, ?it/s]"]
FORKED = ["E cuda_driver.cc:1278] could not retrieve CUDA device count: CUDA_ERROR_NOT_INITIALIZED: initialization error"]  # fmt: skip


@pytest.mark.parametrize(
    "lines", [EPOCH, BAR, SERVER, NCCL], ids=["epoch", "bar", "server", "nccl"]
)
def test_what_only_began_is_neither_healthy_nor_explained(lines: list[str]) -> None:
    diagnosis = judged(log(lines))
    assert root(diagnosis) == UNRECOGNISED
    assert f"(line {len(lines)})" in diagnosis.unfinished


@pytest.mark.parametrize(
    "lines",
    [
        [*EPOCH, *STEP],
        [*EPOCH, *NCCL, *STEP, "Epoch 2/5"],
        [*SERVER, *EPOCH, *STEP],
        [*ALLOC, *BAR, "  4% 10/248 [00:09<03:20, 1.2it/s]"],
        [*STEP, *ALLOC],
        ALLOC,
        [*EPOCH, "train_acc 0.91 val_acc 0.88"],
        [*EPOCH, "Saved the weights."],
        [*SERVER, "Number of devices: 2"],
        ["Epoch 1/5", "Epoch 2/5"],
    ],
    ids=["a step", "after the first epoch", "a server that trains", "a bar that moved", "memory and steps", "memory alone", "its own measures", "its own words", "a server's program", "a second epoch"],
)  # fmt: skip
def test_what_goes_on_is_healthy(lines: list[str]) -> None:
    diagnosis = judged(log(lines))
    assert (root(diagnosis), diagnosis.unfinished) == (NOISE_ONLY, "")


@pytest.mark.parametrize("release", RELEASES)
def test_a_training_that_was_copied_while_it_ran_is_healthy(release: str) -> None:
    assert root(judged(log(healthy(release)))) == NOISE_ONLY


@pytest.mark.parametrize(
    ("text", "nothing"),
    [
        ("my tensorflow does not use the gpu please help\n", "question"),
        ("Why is my RTX 3090 not used by TensorFlow 2.15?\n", "question"),
        ("Loading the model now\n", ""),
        ("Please install the GPU driver first\n", ""),
    ],
)
def test_a_question_is_no_log(text: str, nothing: str) -> None:
    told = judged(text)
    assert (told.nothing, told.roots, told.open) == (nothing, (), ())


def test_a_warning_that_led_to_nothing_is_a_note() -> None:
    old = "W tensorflow/stream_executor/gpu/asm_compiler.cc:235] /usr/bin/ptxas ptxas too old. Falling back to the driver to compile."
    told = judged(log([old, "Relying on driver to perform ptx compilation.", "Epoch 1/1", *STEP]))
    assert [(each.code, each.role.value) for each in told.diagnoses] == [("ptxas-too-old", "note")]
    assert diagnosis_view(told).headline == "The log shows no failure."


def test_a_loss_of_nan_is_told_of_a_run_that_did_not_fail() -> None:
    nan, val = (
        "313/313 ━━━━━━━━━━━━━━━━━━━━ 3s 9ms/step - loss: nan",
        " - loss: 0.7 - val_loss: nan",
    )
    assert "the loss is NaN (line 2)" in judged(log([*EPOCH, nan])).own_result
    assert judged(log([*EPOCH, nan.replace(" - loss: nan", val)])).own_result == ""


def test_a_cluster_on_localhost_waits_for_itself() -> None:
    both = "{0 -> localhost:1111, 1 -> localhost:2222}"
    apart = "{0 -> 10.0.0.1:2222, 1 -> 10.0.0.2:2222}"
    assert root(judged(log([_CHANNEL + both, *SERVER]))) == "stalled"
    assert root(judged(log([_CHANNEL + apart, *SERVER]))) == UNRECOGNISED
    assert root(judged(log([_CHANNEL + "{0 -> localhost:1111}", *SERVER]))) == UNRECOGNISED


def test_gpus_that_never_exchange_stall_and_memory_may_have_run_out() -> None:
    assert root(judged(log([*EPOCH, *NCCL]))) == "stalled"
    assert root(judged(log([*BAR, *ALLOC]))) == "host-oom-killed"
    assert root(judged(log([*BAR, *ALLOC, "^C"]))) == "host-oom-killed"
    assert (
        root(
            judged(
                log(
                    [
                        *BAR,
                        *ALLOC,
                        *[
                            "WARNING: All log messages before absl::InitializeLog() is called are written to STDERR"
                        ]
                        * 4,
                    ]
                )
            )
        )
        == UNRECOGNISED
    )


def test_a_run_that_says_that_it_is_complete_has_no_root() -> None:
    for done in ("Training completed in 12 s", "I1 call_variants.py:738] Complete: call_variants."):
        assert root(judged(log([*FORKED, done]))) == NOISE_ONLY
    assert root(judged(log([*FORKED, "Epoch 2/2", *STEP]))) == NOISE_ONLY


@pytest.mark.parametrize(
    "lines",
    [
        ["Training completed in 12 s", *FORKED],
        [*FORKED, "Epoch 2/5", *STEP],
        [*FORKED, "Epoch 2/2", "12/313 ━━━━━━━━━━━━━━━━━━━━ 3s 9ms/step - loss: 0.6531"],
        [*FORKED, "Finished writing checkpoint 3 in 1.5 s"],
        [*FORKED, "Finished trainer set up. [6.1s]"],
    ],
    ids=["before", "not the last epoch", "not the last step", "a checkpoint", "a part"],
)
def test_what_is_not_complete_keeps_its_root(lines: list[str]) -> None:
    assert root(judged(log(lines))) == "fork-after-init"


def test_a_kill_after_the_work_was_told_to_be_done_stays() -> None:
    assert root(judged(log(["Training completed in 12 s", "Killed"]))) == "host-oom-killed"
