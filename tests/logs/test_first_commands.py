"""The first command is for the place and the release of the log: what the thirteenth blind round found to be right causes with the wrong first step."""

from __future__ import annotations

from tests.logs.judged import judged, log
from tfdoctor.knowledge.model import Finding

CANNOT = "Cannot dlopen some GPU libraries. Please make sure the missing libraries mentioned above are installed properly if you would like to use GPU."


def first(*lines: str) -> Finding:
    return judged(log(lines)).roots[0].finding


def commands(finding: Finding) -> list[str]:
    return [line for each in finding.fixes for line in each.commands]


def test_a_client_of_tensorflow_serving_is_a_python_package() -> None:
    told = first(
        'File "/usr/local/lib/python3.10/dist-packages/tensorflow_serving/apis/input_pb2.py", line 5, in <module>',
        "ImportError: cannot import name 'builder' from 'google.protobuf.internal' (/usr/local/lib/python3.10/dist-packages/google/protobuf/internal/__init__.py)",
    )
    assert commands(told)[0] == "python -m pip install protobuf==3.20.3"


def test_a_piece_of_memory_without_samples_gives_no_number_for_the_batch() -> None:
    told = first(
        "tensorflow.python.framework.errors_impl.ResourceExhaustedError: OOM when allocating tensor with shape[1032651776] and type uint8 on /job:localhost/replica:0/task:0/device:GPU:0 by allocator GPU_0_bfc"
    )
    assert "try 516325888" not in " ".join(each.note for each in told.fixes)


def test_libraries_that_are_there_already_are_only_to_be_found() -> None:
    told = first(
        f"W0000 00:00:1737317404.2 10111 gpu_device.cc:2344] {CANNOT}",
        "Skipping registering GPU devices...",
    )
    assert commands(told)[0] == 'python -m pip install "tensorflow[and-cuda]"'
    assert "LD_LIBRARY_PATH" in commands(told)[1]


def test_the_newest_release_is_no_way_out_of_itself() -> None:
    told = first(
        "W0000 00:00:1782122311.4 412 gpu_device.cc:2459] TensorFlow was not built with CUDA kernel binaries compatible with compute capability 12.0a. CUDA kernels will be jit-compiled from PTX, which could take 30 minutes or longer.",
        "LLVM ERROR: PTX version 8.5 does not support target 'sm_120'. Minimum required PTX version is 8.7.",
    )
    assert told.code == "gpu-too-new-for-build"
    assert not any("2.21.0" in line for line in commands(told))


def test_what_xla_alone_can_t_do_names_xla() -> None:
    """Without a word of which TensorFlow it is: TensorFlow's own kernels are no matter of LLVM."""
    told = first(
        "LLVM ERROR: PTX version 8.5 does not support target 'sm_120'. Minimum required PTX version is 8.7."
    )
    assert "XLA can't generate code for this GPU (sm_120)" in told.title
    assert "jit_compile=False" in told.fixes[0].note


def test_metal_that_went_on_is_worth_knowing_and_no_cause() -> None:
    lines = (
        "312/312 [==============================] - 41s 128ms/step - loss: 0.6412 - val_loss: 0.5510",
        "Error: command buffer exited with error status.",
    )
    assert [each.finding.code for each in judged(log(lines[1:])).roots] == ["gpu-computes-wrong"]
    assert judged(log((*lines, lines[0].replace("0.6412", "0.5127")))).roots == ()


def test_pips_conflict_is_no_suspect_where_it_installed() -> None:
    told = judged(
        log(
            (
                "ERROR: pip's dependency resolver does not currently take into account all the packages that are installed. This behaviour is the source of the following dependency conflicts.",
                "google-colab 1.0.0 requires requests==2.32.4, but you have requests 2.31.0 which is incompatible.",
                "Successfully installed requests-2.31.0",
            )
        )
    )
    assert told.verdict == "healthy" or not told.roots
