"""Short pastes: a line or two of the kind that people hand in alone, and mere mentions that mean nothing."""

from __future__ import annotations

import pytest

from tests.logs.judged import judged, root
from tfdoctor.report.diagnosis import Diagnosis

TABLE = "| NVIDIA-SMI {smi}      Driver Version: {driver}       CUDA Version: {cuda}     |"


def first_step(diagnosis: Diagnosis) -> str:
    fix = diagnosis.roots[0].finding.fixes[0]
    return "\n".join((fix.title, *fix.commands, fix.note or ""))


NOT_OPENED = "W0000 00:00:1723456789.123456 4242 gpu_device.cc:2344] Cannot dlopen some GPU libraries. Please make sure the missing libraries mentioned above are installed properly if you would like to use GPU."


@pytest.mark.parametrize("quote", ["", "'", '"'])
def test_a_version_that_the_prompt_prints_meets_the_driver(quote: str) -> None:
    text = f"{NOT_OPENED}\nSkipping registering GPU devices...\n>>> tf.__version__\n{quote}2.17.0{quote}\n{TABLE.format(smi='470.182.03', driver='470.182.03', cuda='11.4')}\n"
    assert root(judged(text)) == "driver-too-old"


def test_the_removed_package_s_own_words_alone() -> None:
    found = judged(
        '      The "tensorflow-gpu" package has been removed!\n\n      Please install "tensorflow" instead.\n'
    )
    assert root(found) == "python-unsupported"
    assert "pip install tensorflow" in first_step(found)


def test_a_name_of_tensorflow_1_alone_is_replaced() -> None:
    found = judged("AttributeError: module 'tensorflow' has no attribute 'placeholder'\n")
    assert root(found) == "python-exception"
    assert "tf.compat.v1.placeholder" in first_step(found)


def test_a_driver_that_windows_does_not_have_goes_by_its_name_there() -> None:
    found = judged(
        "Could not load dynamic library 'nvcuda.dll'; dlerror: nvcuda.dll not found\nfailed call to cuInit: UNKNOWN ERROR (303)\n"
    )
    assert "nvcuda.dll" in found.roots[0].finding.title


@pytest.mark.parametrize(
    "mention",
    [
        "tmpfs            64M     0   64M   0% /dev/shm",
        "docker run -v /dev/shm:/dev/shm tensorflow/tensorflow",
        "    except MemoryError:",
        "Loaded plugin /opt/env/tensorflow-plugins/libmetal_plugin.dylib",
        "Uses posix_fallocate to reserve space",
    ],
)
def test_a_mere_mention_is_no_cause(mention: str) -> None:
    assert not judged(f"{mention}\n").roots


@pytest.mark.parametrize(
    ("said", "code", "step"),
    [
        ("0/5 nodes are available: 5 Insufficient nvidia.com/gpu.", "container-without-gpu", "kubectl get nodes"),
        ("RuntimeError: CUDA out of memory. Tried to allocate 20.00 MiB (GPU 0; 7.79 GiB total capacity)", "gpu-out-of-memory", "Halve the batch"),
        ("Exception: URL fetch failure on https://files.example/a.h5: None -- [Errno -3] Temporary failure in name resolution", "python-exception", "curl"),
    ],
)  # fmt: skip
def test_one_line_leads_to_the_next_step(said: str, code: str, step: str) -> None:
    found = judged(f"{said}\n")
    assert root(found) == code
    assert step in first_step(found)


@pytest.mark.parametrize(
    ("log", "code", "step"),
    [
        ("Python 3.9.10 (tags/v3.9.10:f2f3f53, Jan 17 2022, 15:14:21) [MSC v.1929 64 bit (AMD64)] on win32\n>>> print(tf.test.is_built_with_cuda())\nFalse\n>>> tf.config.list_physical_devices('GPU')\n[]", "os-gpu-unsupported", "wsl"),
        ("C:\\Users\\me>pip install tensorflow-text==2.13.0\nERROR: Could not find a version that satisfies the requirement tensorflow-text==2.13.0 (from versions: 2.8.2, 2.9.0, 2.10.0b2, 2.10.0rc0, 2.10.0)\nERROR: No matching distribution found for tensorflow-text==2.13.0", "python-unsupported", "wsl"),
        ("Traceback (most recent call last):\n  File \"test.py\", line 4, in <module>\n    import apache_beam as beam\nAttributeError: partially initialized module 'apache_beam.coders.coders' has no attribute 'VarIntCoder' (most likely due to a circular import)", "tensorflow-shadowed", "mv test.py"),
        ("Traceback (most recent call last):\n  File \"train.py\", line 4, in <module>\n    import pandas\nAttributeError: partially initialized module 'pandas.core.x' has no attribute 'y' (most likely due to a circular import)", "tensorflow-shadowed", "ls *.py"),
    ],
)  # fmt: skip
def test_a_few_lines_lead_to_the_step_for_their_system(log: str, code: str, step: str) -> None:
    found = judged(f"{log}\n")
    assert root(found) == code
    assert step in first_step(found)
