"""An empty list of GPUs beside what else people paste: lists of packages, the image, the GPU's maker."""

from __future__ import annotations

import pytest

from tests.logs.judged import judged

_ASKED = "Python 3.10.12 (main, Nov 20 2023, 15:14:05) [GCC 11.4.0] on linux\n>>> tf.config.list_physical_devices('GPU')\n[]\n"
_HEAD = "Package                      Version\n---------------------------- -------\nabsl-py                      2.1.0\nwheel                        0.43.0\n"


def _listed(*packages: str) -> str:
    pairs = (each.split("==") for each in packages)
    return _ASKED + _HEAD + "".join(f"{name:28} {version}\n" for name, version in pairs)


@pytest.mark.parametrize(
    ("log", "code", "command"),
    [
        (_listed("tensorflow==2.17.0"), "cuda-libraries-missing", "tensorflow[and-cuda]==2.17.0"),
        (_listed("tensorflow==2.16.1"), "cuda-libraries-missing", "tensorflow[and-cuda]==2.16.1"),
        (_listed("tensorflow-cpu==2.15.0"), "tensorflow-cpu-only", "uninstall --yes tensorflow tensorflow-cpu"),
        (_listed("tensorflow==2.15.0", "tensorflow-cpu==2.15.0"), "tensorflow-cpu-only", "uninstall --yes tensorflow tensorflow-cpu"),
        (f"{_ASKED}docker run --gpus all -it tensorflow/tensorflow:latest bash\n", "tensorflow-cpu-only", "tensorflow/tensorflow:latest-gpu"),
        (f"{_ASKED}The GPU of this machine is Intel Iris Xe Graphics.\n", "gpu-absent", ""),
        (f"{_ASKED}>>> tf.__version__\n'2.10.0'\nCuda compilation tools, release 12.1, V12.1.105\n", "cuda-libraries-wrong-version", "tensorflow==2.10.0"),
    ],
)  # fmt: skip
def test_what_stands_beside_it_decides(log: str, code: str, command: str) -> None:
    root = judged(log).roots[0].finding
    assert root.code == code
    assert command in " && ".join(root.fixes[0].commands)


_WINDOWS = "Python 3.10.10 (tags/v3.10.10:aad5f6a, Feb  7 2023, 17:20:36) [MSC v.1929 64 bit (AMD64)] on win32\n>>> tf.__version__\n'2.14.0'\n>>> tf.config.list_physical_devices('GPU')\n[]\n"
_NO_DEVICE = "E tensorflow/stream_executor/cuda/cuda_driver.cc:265] failed call to cuInit: CUDA_ERROR_NO_DEVICE: no CUDA-capable device is detected\n"
_UNKNOWN = "E tensorflow/stream_executor/cuda/cuda_driver.cc:318] failed call to cuInit: CUDA_ERROR_UNKNOWN: unknown error\n"
_AMD = "Ignoring visible gpu device (device: 0, name: AMD Radeon RX 6600 XT, pci bus id: 0000:0c:00.0) with AMDGPU version : {own}. The supported AMDGPU versions are gfx1030, gfx900, gfx906.\n"


@pytest.mark.parametrize(
    ("log", "code", "command"),
    [
        (_WINDOWS, "os-gpu-unsupported", "wsl --install"),
        (f"$ sbatch run.sh\n{_NO_DEVICE}", "container-without-gpu", "srun --gres=gpu:1"),
        (f"{_UNKNOWN}It only works with sudo, not as my user\n", "gpu-device-permission", ""),
        (_UNKNOWN, "uvm-broken", ""),
        (_AMD.format(own="gfx1032"), "rocm-gpu-unsupported", "HSA_OVERRIDE_GFX_VERSION=10.3.0"),
        (_AMD.format(own="gfx803"), "rocm-gpu-unsupported", "rocminfo"),
    ],
)
def test_the_first_step_is_that_of_the_place(log: str, code: str, command: str) -> None:
    root = judged(log).roots[0].finding
    assert root.code == code
    assert command in " && ".join(root.fixes[0].commands)


_NOT_OPENED = "W0000 00:00:1741242560.1 123 gpu_device.cc:2344] Cannot dlopen some GPU libraries. Please make sure the missing libraries mentioned above are installed properly\n"


@pytest.mark.parametrize(
    ("typed", "begins"),
    [
        ("$ uv add tensorflow\n$ uv run python train.py\n", 'uv add "tensorflow[and-cuda]'),
        ("$ uv pip install tensorflow\n", 'uv pip install "tensorflow[and-cuda]'),
        ("$ pip install tensorflow\n", 'python -m pip install "tensorflow[and-cuda]'),
    ],
)
def test_what_uv_made_has_no_pip(typed: str, begins: str) -> None:
    assert judged(typed + _NOT_OPENED).roots[0].finding.fixes[0].commands[0].startswith(begins)


def test_a_title_names_what_the_line_tells() -> None:
    line = "Ignoring visible gpu device (device: 0, name: GeForce GT 750M, pci bus id: 0000:01:00.0, compute capability: 3.0) with Cuda compute capability 3.0. The minimum required Cuda capability is 3.5."
    title = judged(line).roots[0].finding.title
    assert all(each in title for each in ("GeForce GT 750M", "3.0", "3.5"))


def test_packages_that_fit_are_no_cause() -> None:
    log = _listed("tensorflow==2.17.0", "nvidia-cudnn-cu12==8.9.7.29")
    assert judged(log).roots[0].finding.confidence.value == "possible"


def test_a_toolkit_of_the_system_may_hold_what_no_package_does() -> None:
    log = _listed("tensorflow==2.17.0") + "Cuda compilation tools, release 12.3, V12.3.107\n"
    assert judged(log).roots[0].finding.confidence.value == "possible"


@pytest.mark.parametrize(
    "shown",
    [
        "$ pip list | grep tensor\ntensorboard                  2.15.1\ntensorflow-cpu               2.15.0\n",
        "tensorflow_cpu 2.15.0\n",
        "$ pip freeze | grep tensorflow\ntensorflow-cpu==2.15.0\n",
        "$ pip show tensorflow-cpu\nName: tensorflow-cpu\nVersion: 2.15.0\n",
        "$ pip install tensorflow-cpu==2.15.0\n",
        '!pip install -q "tensorflow-cpu==2.15.0"\n',
    ],
)
def test_a_row_is_enough_to_know_the_build_without_cuda(shown: str) -> None:
    found = judged(shown + _ASKED).roots[0].finding
    assert found.code == "tensorflow-cpu-only" and found.title.startswith("tensorflow-cpu")


@pytest.mark.parametrize(
    "typed", ["$ pip uninstall tensorflow-cpu\n", "# do not install tensorflow-cpu here\n"]
)
def test_a_build_that_was_taken_away_is_not_there(typed: str) -> None:
    assert judged(typed + _ASKED).roots[0].finding.confidence.value == "possible"


def test_windows_prompt_gets_no_single_quotes() -> None:
    log = "C:\\Users\\me>pip list\ntensorflow-cpu               2.10.0\n>>> tf.config.list_physical_devices('GPU')\n[]\n"
    assert (
        "python -m pip install tensorflow==2.10.0" in judged(log).roots[0].finding.fixes[0].commands
    )
