"""Aborts of TensorFlow whose line names a reason of its own, and programs that stood still until somebody stopped them."""

from __future__ import annotations

from tfdoctor.signatures.signature import FACT, LIKELY, LOG, POSSIBLE, PYTHON, Signature

SIGNATURES = (
    Signature(
        "launch-configuration",
        "check-failed",
        "invalid configuration argument",
        speaker=LOG,
        sure=LIKELY,
        samples=(
            "Non-OK-status: GpuLaunchKernel(SwapDimension1And2InTensor3UsingTiles) status: Internal: invalid configuration argument",
            "Non-OK-status: CudaLaunchKernel Internal: invalid configuration argument",
        ),
        near=("invalid configuration of the argument",),
        releases="1.12 to 2.21",
        sources=("keras-team/keras#13093 (2019-07)", "OpenNMT/OpenNMT-tf#523 (2019-10)", "tensorflow/tensorflow#30665 (2019-11)"),
    ),
    Signature(
        "non-ok-status",
        "check-failed",
        "Non-OK-status: ",
        form=r"Non-OK-status: (?P<message>.{1,300})",
        speaker=LOG,
        sure=LIKELY,
        samples=("F tensorflow/core/kernels/softmax_op_gpu.cu.cc:192] Non-OK-status: GpuLaunchKernel( GenerateNormalizedProb<T, acc_type>) status: Internal: out of memory",),
        near=("the status is OK",),
        releases="1.12 to 2.21",
        sources=("tensorflow/tensorflow#53132 (2021-11)", "tensorflow/tensorflow#42055 (2020-08)"),
    ),
    Signature(
        "driver-query-failed",
        "driver-unresponsive",
        "failed to get device attribute ",
        form=r"failed to get device attribute (?P<number>\d{1,3}) for device (?P<device>\d{1,3}): (?P<error>CUDA_ERROR_\w{1,40})",
        speaker=LOG,
        sure=POSSIBLE,
        rivals=("gpu-hardware-fault",),
        decided_by=("kernel_log.xids", "driver.version"),
        samples=("F tensorflow/stream_executor/lib/statusor.cc:34] Attempting to fetch value instead of handling error Internal: failed to get device attribute 13 for device 0: CUDA_ERROR_UNKNOWN: unknown error",),
        near=("failed to get device attributes",),
        releases="1.14 to 2.10",
        sources=("tensorflow/tensorflow#37186 (2020-02)", "tensorflow/tensorflow#28582 (2019-05)", "CorentinJ/Real-Time-Voice-Cloning#520 (2020-09)", "bubbliiiing/ssd-keras#13 (2020-09)"),
    ),
    Signature(
        "multiprocessing-warned",
        "",
        "multiprocessing can interact badly with TensorFlow",
        role=FACT,
        speaker=PYTHON,
        samples=("WARNING:tensorflow:multiprocessing can interact badly with TensorFlow, causing nondeterministic deadlocks. For high performance data pipelines tf.data is recommended.",),
        near=("multiprocessing works well with TensorFlow",),
        releases="2.0 to 2.15",
        sources=("tensorflow/tensorflow#34119 (2020-03)",),
    ),
    Signature(
        "waits-in-frame",
        "",
        ".py\", line ",
        form=r"File \"[^\"]{0,200}\b(?P<module>threading|queue|popen_fork|synchronize|connection|pool)\.py\", line \d{1,6}, in (?P<function>_wait_for_tstate_lock|wait|get|acquire|poll|_poll|recv|_recv|recv_bytes|_recv_bytes|join|__enter__)$",
        role=FACT,
        speaker=PYTHON,
        samples=('  File "/home/me/anaconda3/lib/python3.7/threading.py", line 1060, in _wait_for_tstate_lock',),
        near=('  File "/home/me/train.py", line 10, in wait', '  File "/usr/lib/python3.8/threading.py", line 870, in run'),
        releases="Python 3",
        sources=("keras-team/keras#14332 (2020-12)",),
    ),
)  # fmt: skip
