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
        (_listed("tensorflow==2.16.1"), "cuda-libraries-missing", "tensorflow[and-cuda]==2.16.2"),
        (_listed("tensorflow-cpu==2.15.0"), "tensorflow-cpu-only", "uninstall --yes tensorflow tensorflow-cpu"),
        (_listed("tensorflow==2.15.0", "tensorflow-cpu==2.15.0"), "tensorflow-mixed-distributions", "uninstall --yes"),
        (_listed("tensorflow==2.15.0", "nvidia-cudnn-cu12==9.1.0.70"), "cuda-libraries-wrong-version", "tensorflow[and-cuda]==2.15.0"),
        (f"{_ASKED}docker run --gpus all -it tensorflow/tensorflow:latest bash\n", "tensorflow-cpu-only", "tensorflow/tensorflow:latest-gpu"),
        (f"{_ASKED}The GPU of this machine is Intel Iris Xe Graphics.\n", "gpu-absent", ""),
        (f"{_ASKED}>>> tf.__version__\n'2.10.0'\nCuda compilation tools, release 12.1, V12.1.105\n", "cuda-libraries-wrong-version", "tensorflow==2.10.0"),
    ],
)  # fmt: skip
def test_what_stands_beside_it_decides(log: str, code: str, command: str) -> None:
    root = judged(log).roots[0].finding
    assert root.code == code
    assert command in " && ".join(root.fixes[0].commands)


def test_packages_that_fit_are_no_cause() -> None:
    log = _listed("tensorflow==2.17.0", "nvidia-cudnn-cu12==8.9.7.29")
    assert judged(log).roots[0].finding.confidence.value == "possible"


def test_a_toolkit_of_the_system_may_hold_what_no_package_does() -> None:
    log = _listed("tensorflow==2.17.0") + "Cuda compilation tools, release 12.3, V12.3.107\n"
    assert judged(log).roots[0].finding.confidence.value == "possible"
