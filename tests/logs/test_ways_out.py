"""What is to be typed fits the release that wrote the log; no command installs another one by the way."""

from __future__ import annotations

import pytest

from tests.logs.judged import judged
from tfdoctor.report.diagnosis import Diagnosis

OLD = "W tensorflow/dso_loader.cc:64] Could not load dynamic library '{}'; dlerror: {}: cannot open shared object file: No such file or directory\n"
DIFFERS = "E cuda_dnn.cc:362] Loaded runtime CuDNN library: {} but source was compiled with: {}.  CuDNN library needs to have matching major version and equal or higher minor version.\n"


def commands(diagnosis: Diagnosis) -> str:
    return "\n".join(line for fix in diagnosis.roots[0].finding.fixes for line in fix.commands)


def lacking(*libraries: str) -> str:
    return "".join(OLD.format(each, each) for each in libraries)


def test_the_release_of_the_log_is_the_one_that_is_completed() -> None:
    diagnosis = judged(lacking("libcudnn.so.8") + "tensorflow version: 2.15.1\n")
    assert '"tensorflow[and-cuda]==2.15.1"' in commands(diagnosis)
    assert "2.21" not in commands(diagnosis)


def test_windows_command_prompt_is_given_no_substitution_that_only_shells_know() -> None:
    frame = '  File "C:\\Users\\me\\venv\\lib\\site-packages\\tensorflow\\__init__.py", line 37, in <module>\n'
    text = f"Traceback (most recent call last):\n{frame}RuntimeError: module compiled against API version 0xf but this version of numpy is 0xe\nImportError: numpy.core.multiarray failed to import\n"
    assert commands(judged(text)) == 'python -m pip install --upgrade "numpy>=1.22,<2"'
    assert "$(" in commands(judged(text.replace("C:\\Users\\me\\", "/home/me/").replace("\\", "/")))


@pytest.mark.parametrize(
    ("libraries", "release", "why"),
    [
        (("libcusolver.so.10", "libcusparse.so.11", "libcudnn.so.8"), "2.4.4", "TensorFlow 2.4.4 needs the libraries that it asks for."),
        (("libcudart.so.10.1", "libcudnn.so.7"), "2.3.4", "By its messages it is TensorFlow 2.1 to 2.3."),
    ],
)  # fmt: skip
def test_the_libraries_that_it_asks_for_tell_an_old_release(
    libraries: tuple[str, ...], release: str, why: str
) -> None:
    diagnosis = judged(lacking(*libraries))
    assert f"tensorflow=={release}" in commands(diagnosis)
    assert why in diagnosis.roots[0].finding.fixes[0].note


def test_cusolver_that_is_not_alone_gets_no_link() -> None:
    assert "sudo ln -s" not in commands(judged(lacking("libcusolver.so.10", "libcublas.so.11")))


def test_where_nothing_tells_the_release_none_is_named() -> None:
    shown = commands(
        judged("Cannot dlopen some GPU libraries. Please make sure the missing libraries\n")
    )
    assert '"tensorflow[and-cuda]"' in shown
    assert "==" not in shown
    assert "cuda-libraries-1" not in shown


@pytest.mark.parametrize(
    ("wanted", "expected"),
    [
        ("8.6.0", "nvidia-cudnn-cu11>=8.6,<9"),
        ("9.3.0", "nvidia-cudnn-cu12>=9.3,<10"),
        ("8.9.6", "nvidia-cudnn-cu12>=8.9,<9"),
    ],
)
def test_the_cudnn_is_the_one_that_the_build_was_compiled_with(wanted: str, expected: str) -> None:
    assert expected in commands(judged(DIFFERS.format("8.0.5", wanted)))


def test_a_cudnn_of_no_known_release_is_named_without_a_command() -> None:
    old = "E cuda_dnn.cc:378] Loaded runtime CuDNN library: 7201 (compatibility version 7200) but source was compiled with 7004 (compatibility version 7000).\n"
    diagnosis = judged(old)
    assert "nvidia-cudnn-cu1" not in commands(diagnosis)
    assert "cuDNN 7.0" in diagnosis.roots[0].finding.fixes[1].title


def test_a_release_that_this_python_has_no_wheel_for_is_installed_where_there_is_one() -> None:
    shown = commands(
        judged(
            "ERROR: Could not find a version that satisfies the requirement tensorflow==2.10.0 (from versions: 2.16.1, 2.16.2)\n"
        )
    )
    assert shown.startswith("python3.10 -m venv tensorflow-2.10.0\n")


def test_broken_files_are_reinstalled_in_their_own_release() -> None:
    text = "AttributeError: module 'tensorflow' has no attribute 'compat'\n"
    assert "tensorflow==2.17.1" in commands(judged(text + "tensorflow version: 2.17.1\n"))


@pytest.mark.parametrize(
    ("tensorflow", "fitting"), [("2.0.4", ""), ("2.1.4", "0.9"), ("2.16.2", "0.24"), ("2.17.1", "")]
)
def test_tensorflow_probability_goes_in_step_with_tensorflow_from_2_1_to_2_16(
    tensorflow: str, fitting: str
) -> None:
    """Its release notes name the TensorFlow of each: 0.9 is for 2.1, 0.24 for 2.16; 0.25 is for 2.18."""
    text = (
        "ImportError: This version of TensorFlow Probability requires TensorFlow version >= 2.18; "
        f"Detected an installation of version {tensorflow}. Please upgrade TensorFlow to proceed.\n"
    )
    shown = commands(judged(text))
    assert (f"tensorflow-probability=={fitting}.*" in shown) if fitting else ("==0." not in shown)


def test_the_variable_that_the_line_names_is_removed_and_no_other() -> None:
    said = {
        "PYTHONHASHSEED": 'Fatal Python error: config_init_hash_seed: PYTHONHASHSEED must be "random" or an integer in range [0; 4294967295]',
        "TF_XLA_FLAGS": "F tensorflow/compiler/xla/parse_flags_from_env.cc:221] Unknown flags in TF_XLA_FLAGS: --tf_xla_x=8",
        "TF_GPU_ALLOCATOR": "F tensorflow/core/common_runtime/gpu/gpu_cudamallocasync_allocator.cc:118] "
        "TF_GPU_ALLOCATOR=cuda_malloc_async isn't currently supported on GPU id 0: Possible causes: device not supported, driver too old",
    }
    for variable, line in said.items():
        assert commands(judged(line)).splitlines()[0] == f"unset {variable}"
