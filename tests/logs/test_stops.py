"""What stopped a program, where the words alone mislead: workers that never met, memory that was refused, a crash in a
package's compiled code, a message without its class."""

from __future__ import annotations

import pytest

from tests.logs.judged import judged, log, root
from tfdoctor.report.diagnosis import NOISE_ONLY, UNRECOGNISED
from tfdoctor.say.diagnosis_view import diagnosis_view

_PEER = "Additional GRPC error information from remote target /job:worker/replica:0/task:0:"
_DEADLINE = ':{"created":"@1685013057.9","description":"Deadline Exceeded","file":"deadline_filter.cc","file_line":69,"grpc_status":4}'
_UNREACHED = "E tensorflow/core/common_runtime/base_collective_executor.cc:249] BaseCollectiveExecutor::StartAbort UNAVAILABLE: failed to connect to all addresses"
_CLOSED = ':{"created":"@1663638747.95","description":"Error received from peer ipv4:10.244.14.61:2222","grpc_message":"Socket closed","grpc_status":14}'
_STEP = "313/313 ━━━━━━━━━━━━━━━━━━━━ 3s 9ms/step - accuracy: 0.7744 - loss: 0.6531"
_REFUSED = "I tensorflow/stream_executor/cuda/cuda_driver.cc:763] failed to allocate {} ({} bytes) from device: CUDA_ERROR_OUT_OF_MEMORY: out of memory"
_PIECE = _REFUSED.format("2.08G", 2234974208)
_POOL = (_REFUSED.format("7.41G", 7957839872), _REFUSED.format("6.67G", 7162055680))
_SEGFAULT = "[gpu01:1] Signal: Segmentation fault (11)"
_LIBC = "[gpu01:1] [ 0] /lib/x86_64-linux-gnu/libc.so.6(+0x3ef10)[0x7fd1dc5a7f10]"
_OWN_OPS = "[gpu01:1] [ 1] /opt/env/lib/python3.8/site-packages/mypackage/_ops.so(+0x10)[0x7f2]"
_TENSORFLOW = "[gpu01:1] [ 1] /opt/env/lib/python3.8/site-packages/tensorflow/libtensorflow_framework.so.2(+0x10)[0x7f2]"
_PYTHON = "[gpu01:1] [ 2] python3(_PyEval_EvalFrameDefault+0x10)[0x7f4]"


@pytest.mark.parametrize(
    ("lines", "says"),
    [
        ((_PEER, _DEADLINE), "at the start"),
        (("Epoch 1/5", _STEP, _PEER, _DEADLINE), "stopped answering"),
        ((_PEER, _CLOSED), "closed the connection"),
        ((_UNREACHED, _PEER), "can't reach another one"),
        (("Epoch 1/5", _STEP, _UNREACHED, _PEER), "stopped answering"),
    ],
    ids=["never met", "fell silent", "closed", "not reached", "gone"],
)
def test_a_worker_that_was_never_reached_closed_nothing(lines: tuple[str, ...], says: str) -> None:
    found = judged(log(lines)).roots[0].finding
    assert found.code == "worker-lost"
    assert says in found.title


def test_a_refused_piece_is_no_other_process() -> None:
    alone = judged(log([_PIECE, _PIECE]))
    assert root(alone) == "gpu-out-of-memory"
    assert "Another process" not in alone.roots[0].finding.title


def test_a_refused_pool_may_be_held() -> None:
    assert root(judged(log(_POOL))) == "gpu-memory-held"


@pytest.mark.parametrize("progress", ["TIME : 2.737 batch :  64", _STEP, "Elapsed time: 12.5 s"])
def test_work_after_a_refusal_shows_that_nothing_failed(progress: str) -> None:
    diagnosis = judged(log([_PIECE, _PIECE, progress]))
    assert root(diagnosis) == NOISE_ONLY
    assert [each.finding.role.value for each in diagnosis.diagnoses] == ["note"]


def test_a_refusal_before_a_death_is_not_taken_back() -> None:
    lines = [_PIECE, _STEP, "tensorflow.python.framework.errors_impl.ResourceExhaustedError: failed to allocate memory [Op:AddV2]"]  # fmt: skip
    assert root(judged(log(lines))) == "gpu-out-of-memory"


@pytest.mark.parametrize(
    ("stack", "package"),
    [
        ((_LIBC, _OWN_OPS, _PYTHON), "mypackage"),
        ((_LIBC, _TENSORFLOW, _OWN_OPS), "mypackage"),
        ((_LIBC, _TENSORFLOW, _PYTHON), ""),
        ((_LIBC, _PYTHON, _OWN_OPS), ""),
    ],
    ids=[
        "innermost",
        "below TensorFlow's own handler",
        "TensorFlow alone",
        "behind the interpreter",
    ],
)
def test_the_package_in_whose_compiled_code_it_crashed_is_named(
    stack: tuple[str, ...], package: str
) -> None:
    found = judged(log([_SEGFAULT, *stack])).roots[0].finding
    assert found.code == "native-crash"
    assert ("mypackage" in found.title) == bool(package)


@pytest.mark.parametrize(
    ("line", "code"),
    [
        ("*** Received signal 7 ***", "shared-memory-too-small"),
        ("Bus error (core dumped)", "shared-memory-too-small"),
        ("zsh: bus error  python train.py\nPlatform: macOS-14.1-arm64", "native-crash"),
    ],
)
def test_a_bus_error_is_mostly_shared_memory_but_not_on_a_mac(line: str, code: str) -> None:
    assert root(judged(log([line]))) == code


@pytest.mark.parametrize(
    "message",
    [
        "logits and labels must be broadcastable: logits_size=[32,8] labels_size=[32,7]",
        "Shapes (None, 1) and (None, 3) are incompatible",
        'Input 0 of layer "sequential" is incompatible with the layer: expected shape=(None, 28, 28), found shape=(None, 28)',
        "Graph disconnected: cannot obtain value for tensor Tensor(\"input_2:0\", shape=(?, 100), dtype=float32)",
        "could not broadcast input array from shape (3,4) into shape (3,5)",
        "The tensors to be joined must have the same size, but are [8,20] and [8,21]",
        "OP_REQUIRES failed at xent_op.cc:99 : INVALID_ARGUMENT: logits and labels must be broadcastable: logits_size=[4,2] labels_size=[4,3]",
    ],
)  # fmt: skip
def test_a_message_without_its_class_is_the_programs_own_error(message: str) -> None:
    found = judged(log(["During training this comes:", "", message])).roots[0].finding
    assert found.code == "python-exception"
    assert message.rpartition("INVALID_ARGUMENT: ")[2][:40] in f"{found.title} {found.explanation}"


@pytest.mark.parametrize(
    "lines",
    [
        ["The output is expected to be (None, 8)"],
        ["UserWarning: the input must have shape (None, 8), but got (None, 8, 1)", _STEP],
        [
            "Shapes (None, 1) and (None, 3) are incompatible with mixed precision",
            "Epoch 1/5",
            _STEP,
        ],
        ["dense (Dense)               (None, 8)                 802824"],
        ["How can I see why the shapes (3, 4) and (3, 5) must be equal?"],
    ],
    ids=["an output", "a warning", "work goes on", "a summary", "a question"],
)
def test_sizes_in_a_healthy_text_are_no_error(lines: list[str]) -> None:
    assert root(judged(log(lines))) == NOISE_ONLY


def test_a_buffer_that_is_not_full_leaves_the_end_open() -> None:
    filling = "I tensorflow/core/kernels/data/shuffle_dataset_op.cc:98] Filling up shuffle buffer (this may take a while): 359987 of 604388"
    ends_there = judged(log([filling]))
    assert (root(ends_there), "shuffle buffer" in ends_there.unfinished) == (UNRECOGNISED, True)
    full = judged(log([filling, "I tensorflow/core/kernels/data/shuffle_dataset_op.cc:162] Shuffle buffer filled."]))  # fmt: skip
    assert (root(full), full.unfinished) == (NOISE_ONLY, "")
    assert root(judged(log([filling, "Killed"]))) == "shuffle-buffer-too-large"


def test_a_log_without_an_end_says_how_to_ask_on() -> None:
    assert any(
        "py-spy" in each.text
        for each in diagnosis_view(judged(log(["Started the learner."]))).facts
    )
    assert diagnosis_view(judged(log(["Epoch 1/1", _STEP]))).facts == ()


@pytest.mark.parametrize(
    ("line", "code"),
    [
        ("Connection reset by peer", "worker-lost"),
        ("Evicted", "scheduler-killed"),
        ("Connection to node lost", "worker-lost"),
        ("Process finished with exit code -1", "killed-by-user"),
    ],
)
def test_a_word_that_was_pasted_alone_is_heard(line: str, code: str) -> None:
    assert root(judged(log([line]))) == code


@pytest.mark.parametrize(
    ("size", "code"), [((4 << 30) - 1, "gpu-out-of-memory"), (4 << 30, "gpu-memory-held")]
)
def test_a_piece_as_large_as_a_gpu_is_the_pool_of_the_start(size: int, code: str) -> None:
    assert root(judged(log([_REFUSED.format("4.00G", size)] * 2))) == code


@pytest.mark.parametrize(("samples", "counted"), [(4096, False)])
def test_a_batch_that_somebody_chose_is_no_whole_data_set(
    samples: int, counted: bool
) -> None:  # what is expected
    line = f"ResourceExhaustedError: OOM when allocating tensor with shape[{samples},262144] and type float on /job:localhost/replica:0/task:0/device:CPU:0 by allocator cpu [Op:MatMul]"
    fixes = judged(log([line])).roots[0].finding.fixes
    assert (f"{samples:,} samples" in fixes[0].title) == counted


@pytest.mark.parametrize(
    ("line", "code"),
    [
        ("[2022-11-02 22:42:04 -0700] [4819] [WARNING] Worker with pid 4832 was terminated due to signal 11", "fork-after-init"),
        ("billiard.exceptions.WorkerLostError: Worker exited prematurely: signal 11 (SIGSEGV).", "fork-after-init"),
        ("[2022-11-02 22:42:04 -0700] [4819] [WARNING] Worker with pid 4832 was terminated due to signal 9", "host-oom-killed"),
        ("Segmentation fault (core dumped)", "native-crash"),
    ],
    ids=["gunicorn", "celery", "a kill", "no server"],
)  # fmt: skip
def test_a_crash_of_a_servers_worker_is_mostly_its_fork(line: str, code: str) -> None:
    assert judged(log([line])).roots[0].finding.code == code
