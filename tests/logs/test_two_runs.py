"""Two runs in one log, of which one sees the GPU: what differs is the answer, and no new environment."""

from __future__ import annotations

import pytest

from tests.logs.judged import judged, log
from tfdoctor.knowledge.model import Finding
from tfdoctor.report.diagnosis import NOISE_ONLY

SKIPPED = "Skipping registering GPU devices..."
NOT_OPENED = "2023-05-01 10:00:00.0: W tensorflow/core/common_runtime/gpu/gpu_device.cc:1956] Cannot dlopen some GPU libraries. Please make sure the missing libraries mentioned above are installed properly if you would like to use GPU."
MISSING = "2023-05-01 10:00:00.0: W tensorflow/compiler/xla/stream_executor/platform/default/dso_loader.cc:64] Could not load dynamic library 'libcudnn.so.8'; dlerror: libcudnn.so.8: cannot open shared object file: No such file or directory"
NONE = "Num GPUs Available:  0"
ONE = "[PhysicalDevice(name='/physical_device:GPU:0', device_type='GPU')]"
CREATED = "2022-09-08 21:45:09.3: I tensorflow/core/common_runtime/gpu/gpu_device.cc:1532] Created device /job:localhost/replica:0/task:0/device:GPU:0 with 22299 MB memory:  -> device: 0, name: NVIDIA A30, pci bus id: 0000:17:00.0, compute capability: 8.0"
ASKED = "(tf) me@server:~$ python3 -c \"import tensorflow as tf; print(tf.config.list_physical_devices('GPU'))\""


def _found(*lines: str) -> Finding:
    found: Finding = judged(log(lines)).roots[0].finding
    return found


def _typed(found: Finding) -> str:
    return "\n".join(line for fix in found.fixes for line in fix.commands)


@pytest.mark.parametrize(
    ("lines", "differs"),
    [
        ((SKIPPED, NONE, ASKED, ONE), "another Python"),
        ((MISSING, NOT_OPENED, SKIPPED, ASKED, ONE), "another Python"),
        (("In [1]: import tensorflow", MISSING, NOT_OPENED, "[]", ASKED, ONE), "Jupyter"),
        ((ASKED, ONE, "$ jupyter notebook", "/env/lib/python3.10/site-packages/ipykernel/kernelapp.py", NOT_OPENED, NONE), "Jupyter"),
        ((NOT_OPENED, SKIPPED, NONE, "$ LD_LIBRARY_PATH=/usr/local/cuda/lib64 python check.py", "Num GPUs Available:  1"), "LD_LIBRARY_PATH"),
        (("$ sudo python train.py", NOT_OPENED, SKIPPED, "$ python train.py", CREATED), "another Python"),
        (("$ python a.py", "GPU available: False", "$ conda activate tf", "(tf) $ python a.py", "GPU available: True"), "another Python"),
        (("$ /usr/bin/python3 check.py", NONE, "$ /opt/envs/tf/bin/python check.py", "Num GPUs Available:  2"), "another Python"),
    ],
)  # fmt: skip
def test_what_differs_is_the_answer(lines: tuple[str, ...], differs: str) -> None:
    found = _found(*lines)
    assert found.code == "cuda-libraries-unreachable"
    assert differs in found.explanation
    assert "sys.executable" in found.fixes[0].commands[0]
    assert "venv" not in _typed(found)
    assert "install tensorflow" not in _typed(found)


def test_two_logs_are_two_runs() -> None:
    found = judged(log((MISSING, NOT_OPENED, SKIPPED)), log((ONE,))).roots[0].finding
    assert found.code == "cuda-libraries-unreachable"
    assert "venv" not in _typed(found)


@pytest.mark.parametrize(
    "lines", [(MISSING, NOT_OPENED, SKIPPED), (MISSING, NOT_OPENED, SKIPPED, ASKED, "[]")]
)
def test_no_gpu_anywhere_is_as_before(lines: tuple[str, ...]) -> None:
    assert _found(*lines).code == "cuda-libraries-missing"


@pytest.mark.parametrize(
    "lines",
    [
        (ONE, "[]"),
        (">>> tf.config.list_physical_devices('GPU')", ONE, ">>> tf.config.list_physical_devices('GPU')", "[]"),
        (ONE, "In [7]: tf.test.is_gpu_available()", "Out[7]: False"),
        ("Num GPUs Available:  1", "restarted the container", NONE),
    ],
)  # fmt: skip
def test_a_gpu_that_is_no_longer_listed_is_told(lines: tuple[str, ...]) -> None:
    found = _found(*lines)
    assert found.title == "TensorFlow listed the GPU first and later no GPU."
    assert "venv" not in _typed(found)
    assert "nvidia-smi -L" in _typed(found)


@pytest.mark.parametrize(
    "lines",
    [
        (ONE, "[]", "Epoch 1/2"),  # nobody asked: the list may be anything
        (">>> tf.config.set_visible_devices([], 'GPU')", ONE, ">>> tf.config.list_logical_devices('GPU')", "[]"),
        ("[]", ">>> tf.config.list_physical_devices('GPU')", ONE),
        (">>> tf.config.list_physical_devices('GPU')", ONE, ">>> tf.config.list_physical_devices('GPU')", ONE),
    ],
)  # fmt: skip
def test_a_gpu_that_nobody_lost_is_not_missed(lines: tuple[str, ...]) -> None:
    assert judged(log(lines)).roots == ()


@pytest.mark.parametrize(
    "lines",
    [
        ("In [2]: tf.test.is_gpu_available()", "Out[2]: False"),
        ("Out[4]: []", "In [3]: tf.config.list_physical_devices('GPU')", "Out[3]: []"),
        ("WARNING:tensorflow:From a.py:1: is_gpu_available (from tensorflow.python.framework.test_util) is deprecated", "False"),
    ],
)  # fmt: skip
def test_an_empty_answer_of_a_cell_is_one(lines: tuple[str, ...]) -> None:
    assert _found(*lines).code == "cuda-libraries-missing"


NOT_INSTALLED = (
    "Traceback (most recent call last):",
    '  File "t.py", line 1, in <module>',
    "ModuleNotFoundError: No module named 'tensorflow'",
)


@pytest.mark.parametrize(
    "prompt",
    [
        "$ ", "root@a1b2:/app# ", "(tf) me@server:~$ ", "(base) C:\\Users\\me>", "C:\\Users\\me>", "PS C:\\x> ", "(tf) PS C:\\x> ", "me@host ~ % ",
        "➜  ~ ", "❯ ", "me@host ~> ", "[me@node01 ~]$ ", "Me-MacBook:~ me$ ",
    ],
)  # fmt: skip
def test_a_run_begins_at_any_shells_prompt(prompt: str) -> None:
    """What the run before it ended with is told, and is no failure of one that lists the GPU."""
    worked = judged(
        log(
            (
                f"{prompt}python t.py",
                *NOT_INSTALLED,
                f"{prompt}python3 t.py",
                ONE,
            )
        )
    )
    assert worked.verdict == NOISE_ONLY
    assert worked.earlier == (NOT_INSTALLED[-1],)
    failed = judged(
        log((f"{prompt}python t.py", ONE, "Killed", f"{prompt}python u.py", *NOT_INSTALLED))
    )
    assert [each.finding.code for each in failed.roots] == ["tensorflow-missing"]
    assert "host-oom-killed" not in [each.code for each in failed.diagnoses]


def test_an_address_that_names_python_begins_no_run() -> None:
    lines = (*NOT_INSTALLED, "More information: https://example.org/news#python-updates", ONE)
    assert judged(log(lines)).earlier == ()


def test_a_run_that_has_nothing_to_tell_leaves_the_one_before_it() -> None:
    assert judged(log(("$ python t.py", *NOT_INSTALLED, "$ python3 t.py"))).verdict != NOISE_ONLY
