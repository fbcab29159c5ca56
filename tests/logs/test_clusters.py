"""Jobs of clusters and containers: programs that a shell did not find, lists of GPUs, images, hosts and what they bring along."""

from __future__ import annotations

from tests.logs.judged import judged, log, root


def _not_opened(library: str) -> str:
    return f"2023-06-19 15:52:30.103120: W tensorflow/compiler/xla/stream_executor/platform/default/dso_loader.cc:64] Could not load dynamic library '{library}'; dlerror: {library}: cannot open shared object file: No such file or directory; LD_LIBRARY_PATH: /usr/local/nvidia/lib:/usr/local/nvidia/lib64"


def test_the_hosts_libraries_are_not_taken_for_tensorflows() -> None:
    line = "ImportError: /lib/x86_64-linux-gnu/libc.so.6: version `GLIBC_2.38' not found (required by {})"
    of_host = judged(log([line.format("/.singularity.d/libs/libEGL.so.1")])).roots[0].finding
    own = judged(log([line.format("/opt/env/lib/python3.10/site-packages/tensorflow/libtensorflow_cc.so.2")])).roots[0].finding  # fmt: skip
    assert {each.code for each in (of_host, own)} == {"glibc-too-old"}
    assert "--nv" in of_host.title
    assert "--nv" not in own.title


_LIST = (
    "Traceback (most recent call last):",
    '  File "train.py", line 12, in <module>',
    "    {}",
    "IndexError: list index out of range",
)


def test_the_first_gpu_of_an_empty_list_is_a_gpu_that_is_not_listed() -> None:
    text = [each.format("tf.config.experimental.set_memory_growth(physical_devices[0], True)") for each in _LIST]  # fmt: skip
    assert root(judged(log(text))) == "cuda-libraries-missing"


def test_another_list_is_no_list_of_gpus() -> None:
    assert (
        root(judged(log([each.format("first = names[0]") for each in _LIST]))) == "python-exception"
    )


_CREATED = "2025-01-14 01:27:31.185746: I tensorflow/core/common_runtime/gpu/gpu_device.cc:1639] Created device /job:localhost/replica:0/task:0/device:GPU:0 with {} MB memory:  -> device: 0, name: NVIDIA RTX A4500, pci bus id: 0000:4b:00.0, compute capability: 8.6"
_HANDLE = "2025-01-14 01:27:34.080572: E tensorflow/compiler/xla/stream_executor/cuda/cuda_blas.cc:190] failed to create cublas handle: the library was not initialized"


def test_a_gpu_that_others_fill_is_told_by_what_tensorflow_got() -> None:
    assert root(judged(log([_CREATED.format(512), _HANDLE]))) == "gpu-memory-held"
    assert root(judged(log([_CREATED.format(18021), _HANDLE]))) == "gpu-library-no-memory"


def test_a_process_of_a_programs_own_pool_is_not_sought_in_a_cluster() -> None:
    line = "concurrent.futures.process.BrokenProcessPool: A process in the process pool was terminated abruptly while the future was running or pending."
    found = judged(log([line])).roots[0].finding
    assert (found.code, found.fixes[0].title) == (
        "worker-lost",
        "Check the kernel log for out-of-memory kills",
    )
