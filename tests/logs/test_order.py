"""The ways out in the order of their log: what fits the place, the free question first, what was done already last."""

from __future__ import annotations

import pytest

from tests.logs.judged import judged, log, root
from tfdoctor.knowledge.model import Finding
from tfdoctor.report.diagnosis import NOISE_ONLY, UNRECOGNISED

_MISSING = (
    "2022-07-30 14:43:50.994118: W tensorflow/stream_executor/platform/default/dso_loader.cc:64] Could not load dynamic library 'libcudart.so.11.0'; "
    "dlerror: libcudart.so.11.0: cannot open shared object file: No such file or directory"
)
_NO_LIBCUDA = (
    "2021-06-18 23:18:55.259030: W tensorflow/stream_executor/platform/default/dso_loader.cc:60] Could not load dynamic library 'libcuda.so.1'; dlerror: "
    "libcuda.so.1: cannot open shared object file: No such file or directory; LD_LIBRARY_PATH: /usr/local/cuda-10.1/lib64"
)
_UNKNOWN = "2021-03-23 05:59:00.705979: E tensorflow/stream_executor/cuda/cuda_driver.cc:328] failed call to cuInit: CUDA_ERROR_UNKNOWN: unknown error"
_NO_DEVICE = "2020-03-26 16:26:58.453867: E tensorflow/stream_executor/cuda/cuda_driver.cc:313] failed call to cuInit: CUDA_ERROR_NO_DEVICE: no CUDA-capable device is detected"
_NO_IMAGE = "RuntimeError: CUDA runtime implicit initialization on GPU:0 failed. Status: device kernel image is invalid"


def finding(*lines: str) -> Finding:
    return judged(log(lines)).roots[0].finding


def first(*lines: str) -> str:
    fix = finding(*lines).fixes[0]
    return " ".join((fix.title, *fix.commands, fix.note))


def test_an_option_that_the_start_has_is_not_asked_for_first() -> None:
    start = "docker run -it --rm --gpus all tensorflow/tensorflow:latest-gpu python"
    assert "nvidia-modprobe" in first(start, _UNKNOWN)
    assert "--gpus all" in finding(start, _UNKNOWN).fixes[-1].note
    assert "--gpus all" in first("root@0a1b2c3d4e5f:/app# python train.py", _UNKNOWN)


def test_a_driver_is_not_installed_before_it_is_known_to_be_missing() -> None:
    found = finding(_NO_LIBCUDA)
    assert found.code == "driver-missing"
    assert "not on this system" not in found.explanation
    assert found.fixes[0].commands[0] == "nvidia-smi"
    assert "nvidia-driver" in " ".join(found.fixes[1].commands)


def test_a_kernel_image_that_does_not_run_names_no_direction() -> None:
    python = '  File "/usr/local/lib/python3.8/dist-packages/tensorflow/python/client/device_lib.py", line 43, in list_local_devices'
    found = finding("Traceback (most recent call last):", python, "    pass", _NO_IMAGE)
    assert "too new or too old" in found.title
    assert found.fixes[0].commands == ("nvidia-smi -L", "tfdoctor plan")


def test_a_release_that_the_python_of_the_log_has_no_wheel_for_brings_its_own() -> None:
    gpu = "2021-06-18 23:18:55.1: I tensorflow/core/common_runtime/gpu/gpu_device.cc:1733] Found device 0 with properties: "
    name = "pciBusID: 0000:01:00.0 name: NVIDIA GeForce RTX 5090 computeCapability: 12.0"
    python = '  File "/opt/lib/python3.8/site-packages/a.py", line 1, in f'
    lines = [line for fix in finding(gpu, name, python, _NO_IMAGE).fixes for line in fix.commands]
    assert not any("tensorflow" in line and line.startswith("python -m pip") for line in lines)


@pytest.mark.parametrize(
    ("words", "command"),
    [
        (
            "It works in the terminal and finds the GPU. In a Jupyter notebook it does not:",
            "jupyter notebook",
        ),
        ("From the terminal the GPU is found, it works fine in the terminal. In PyCharm:", "Start the editor from that terminal"),
    ],
)  # fmt: skip
def test_what_works_in_the_terminal_is_carried_to_where_it_does_not(
    words: str, command: str
) -> None:
    found = finding(words, _MISSING)
    assert found.code == "cuda-libraries-unreachable"
    assert command in first(words, _MISSING)


@pytest.mark.parametrize(
    "row",
    [
        "May 14, 2021, 4:54:43 PM | WARNING | {}",
        '"May 14, 2021, 4:54:43 PM",WARNING,"{}"',
        "May 14, 2021, 4:54:43\u202fPM\tWARNING\t{}",
        "14 May 2021, 16:54:43 | WARNING | {}",
    ],
)
def test_a_row_of_colabs_log_is_read_without_its_time(row: str) -> None:
    opened = "2021-05-14  14:54:43.022052: I  tensorflow/stream_executor/platform/default/dso_loader.cc:53]  Successfully opened dynamic library libcusparse.so.11"
    lacking = "2021-05-14  14:54:43.021067: W  tensorflow/stream_executor/platform/default/dso_loader.cc:64] Could not  load dynamic library 'libcusolver.so.11'; dlerror: libcusolver.so.11:  cannot open shared object file: No such file or directory"
    found = judged(log([row.format(opened), row.format(lacking)]))
    assert root(found) == "cuda-libraries-wrong-version"
    assert "Colab" in found.roots[0].finding.fixes[0].title


def test_a_row_of_colabs_log_in_markdown_loses_its_escapes() -> None:
    escaped = _MISSING.replace(".so.", "\\.so\\.").replace("_", "\\_")
    assert "libcudart.so.11.0" in finding(f"|May 14, 2021, 4:54:43 PM|WARNING|{escaped}|").title


def test_a_session_of_colab_without_a_gpu_is_told_so_and_kills_no_kernel() -> None:
    rows = [
        "Mar 26, 2020, 12:27:00 PM | INFO | KernelRestarter: restarting kernel (1/5), keep random ports",
        f"Mar 26, 2020, 12:26:58 PM | WARNING | {_NO_DEVICE}",
    ]
    found = judged(log(rows))
    assert [each.finding.code for each in found.roots] == ["jupyter-kernel-died"]
    alone = finding(rows[1], "Num GPUs Available:  0")
    assert alone.title == "This session of Colab or Kaggle has no GPU."
    assert "Change runtime type" in alone.fixes[0].note


@pytest.mark.parametrize(
    ("host", "command"),
    [
        ("jupyter-maria", "kubectl"),
        ("tfexecutor-7bc4bbdbf4-tw7sl", "kubectl"),
        ("video-analytics-0002", "nvidia-smi"),
        ("jupyter", "nvidia-smi"),
    ],
)
def test_a_pod_is_known_by_the_name_of_its_host(host: str, command: str) -> None:
    line = f"2021-06-18 23:18:55.3: I tensorflow/stream_executor/cuda/cuda_diagnostics.cc:176] hostname: {host}"
    assert command in first(_NO_LIBCUDA, line)


def test_docker_compose_is_told_in_its_own_file() -> None:
    lines = [
        f"trainer_1  | {_NO_DEVICE}",
        "trainer_1  | Num GPUs Available:  0",
        "trainer_1  | start",
        "trainer_1  | end",
    ]
    assert "deploy: {resources" in first(*lines)


def test_a_variable_is_handed_into_the_container() -> None:
    full = "Could not create cudnn handle: CUDNN_STATUS_INTERNAL_ERROR"
    assert "-e TF_FORCE_GPU_ALLOW_GROWTH=true" in first("docker run --gpus all tensorflow/serving:latest-gpu", full)  # fmt: skip
    assert "{name: TF_FORCE_GPU_ALLOW_GROWTH" in first("kubectl logs pod/train-0", full)
    assert "-e TF" not in first("$ python train.py", full)


def test_a_program_of_node_gets_the_libraries_without_a_python_of_its_own() -> None:
    text = first("/app/node_modules/@tensorflow/tfjs-node-gpu/dist/index.js", _MISSING)
    assert "ldconfig" in text
    assert "tensorflow==" not in text


def test_stubs_on_the_path_are_taken_off_it() -> None:
    refused = "E external/org_tensorflow/tensorflow/stream_executor/cuda/cuda_driver.cc:406] failed call to cuInit: CUresult(-1)"
    path = "LD_LIBRARY_PATH=/usr/local/cuda/lib64/stubs/:/usr/local/cuda/lib64"
    found = finding("kubectl exec -it train-0 bash", path, refused)
    assert found.code == "driver-library-unreachable"
    assert "/stubs" in " ".join(found.fixes[0].commands)


def test_a_gpu_below_every_build_needs_no_libraries() -> None:
    lines = ("name: GeForce GT 750M major: 3 minor: 0 memoryClockRate(GHz): 0.967", _MISSING)
    assert finding(*lines).code == "compute-capability-too-low"
    assert (
        finding(lines[0].replace("minor: 0", "minor: 5"), _MISSING).code
        != "compute-capability-too-low"
    )


def test_both_versions_of_cudnn_stand_in_the_title() -> None:
    old = "E tensorflow/stream_executor/cuda/cuda_dnn.cc:378] Loaded runtime CuDNN library: 7103 (compatibility version 7100) but source was compiled with 7005 (compatibility version 7000)."
    found = finding("I use a conda environment", old)
    assert found.title == "cuDNN 7.1.3 is loaded, but this TensorFlow was compiled with 7.0.5."


@pytest.mark.parametrize("answer", ["[]", "False"])
def test_an_answer_that_is_written_behind_its_question_is_heard(answer: str) -> None:
    question = {
        "[]": "tf.config.list_physical_devices('GPU')",
        "False": "tf.test.is_built_with_cuda()",
    }
    assert root(judged(log([f"{question[answer]} # {answer}"]))) != "healthy"


_CUBLAS = "E tensorflow/stream_executor/cuda/cuda_blas.cc:428] failed to run cuBLAS routine: CUBLAS_STATUS_EXECUTION_FAILED"


def test_a_gpu_that_is_named_in_words_counts_where_something_failed_on_it() -> None:
    words = "I have an RTX 3090 and tensorflow-gpu==1.14.0"
    found = finding(words, f"2020-12-29 04:45:47.9: {_CUBLAS}")
    assert (found.code, found.title) == (
        "gpu-too-new-for-build",
        "The GPU RTX 3090 (compute capability 8.6) is too new for CUDA 10.0, which this program uses.",
    )
    assert root(judged(log([words, "Epoch 1/5"]))) != "gpu-too-new-for-build"
    assert finding(f"{words}, and it works on a GTX 1080", f"2020-12-29 04:45:47.9: {_CUBLAS}").code == "cuda-context-poisoned"  # fmt: skip


def test_an_exception_that_says_that_there_is_no_gpu_is_no_fault_of_the_line_that_raised_it() -> (
    None
):
    lines = (
        "Traceback (most recent call last):",
        '  File "train.py", line 4, in <module>',
        "    raise SystemError('GPU device not found')",
        "SystemError: GPU device not found",
    )
    assert finding(*lines).code == "cuda-libraries-missing"
    assert (
        finding("/content/train.py", *lines).title == "This session of Colab or Kaggle has no GPU."
    )


def test_what_conda_was_asked_for_is_there_and_out_of_reach() -> None:
    typed = "After installing them by conda (`conda install cudatoolkit=11.2 cudnn=8.1`) TensorFlow 2.7 says:"
    assert finding(typed, _MISSING).code == "cuda-libraries-unreachable"
    assert finding(typed.replace("11.2", "10.1"), _MISSING).code != "cuda-libraries-unreachable"


def test_a_container_without_a_device_got_none_whatever_its_start_asked_for() -> None:
    lines = (
        "docker run --runtime nvidia image python train.py",
        "E tensorflow/stream_executor/cuda/cuda_driver.cc:300] failed call to cuInit: UNKNOWN ERROR (-1)",
        "I tensorflow/stream_executor/cuda/cuda_diagnostics.cc:157] no NVIDIA GPU device is present: /dev/nvidia0 does not exist",
    )
    assert finding(*lines).code == "container-without-gpu"
    assert finding(*lines[:2]).code == "driver-library-unreachable"


def test_a_library_that_this_process_does_not_find_is_looked_for_before_it_is_installed() -> None:
    kernel = "I tensorflow/stream_executor/cuda/cuda_diagnostics.cc:204] kernel reported version is: 460.91.3"
    found = finding(_NO_LIBCUDA.replace("/usr/local/cuda-10.1/lib64", "/opt/lib"), kernel)
    assert found.code == "driver-library-unreachable"
    assert "ldconfig -p | grep libcuda.so.1" in found.fixes[0].commands


_NO_CUBLAS_9 = (
    "ImportError: libcublas.so.9.0: cannot open shared object file: No such file or directory"
)


def test_a_toolkit_that_somebody_names_is_out_of_reach_or_of_another_release() -> None:
    there = finding(
        "But /usr/local/cuda-9.0 is installed, and CUDA_HOME points to it.", _NO_CUBLAS_9
    )
    assert there.code == "cuda-libraries-unreachable"
    assert "/usr/local/cuda-9.0/lib64" in " ".join(there.fixes[0].commands)
    other = finding("I successfully installed CUDA 10. Then:", _NO_CUBLAS_9)
    assert other.code == "cuda-libraries-wrong-version"
    assert finding(_NO_CUBLAS_9).code == "cuda-libraries-missing"


@pytest.mark.parametrize("turned", (False, True))
def test_a_success_says_nothing_of_the_log_beside_it(turned: bool) -> None:
    trained = "Epoch 1/1\n10/10 [==============================] - 1s 2ms/step - loss: 0.1\n"
    failed = "2026-11-20 12:00:00 ERROR solver: step 7 went astray\n"
    logs = (failed, trained) if turned else (trained, failed)
    assert judged(trained).verdict == NOISE_ONLY
    diagnosis = judged(*logs)
    assert diagnosis.verdict == UNRECOGNISED
    assert [each.text for each in diagnosis.suspects] == [failed.rstrip()]
