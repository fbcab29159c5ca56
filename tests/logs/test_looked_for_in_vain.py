"""What an installer, a linker or a program looks for and does not find: releases, channels, libraries, parts of a module."""

from __future__ import annotations

import pytest

from tests.logs.judged import judged, log, root


def _said(lines: list[str]) -> tuple[str, str, str]:
    """The code, the title, and the commands of the first way out with its note."""
    found = judged(log(lines))
    first = found.roots[0].finding
    way = first.fixes[0]
    return root(found), first.title, " ".join((*way.commands, way.note, way.title))


_FETCHED = [
    "  Downloading tensorflow_text-2.8.2-cp310-cp310-manylinux_2_12_x86_64.whl (4.9 MB)",
    "  Downloading tensorflow_text-2.8.1-cp310-cp310-manylinux_2_12_x86_64.whl (4.9 MB)",
    "  Downloading tensorflow_text-2.7.3-cp310-cp310-manylinux_2_12_x86_64.whl (4.9 MB)",
]


@pytest.mark.parametrize("prefix", ["", "#11 1173.8 ", "[1,0]<stderr>:", "2024-05-01T10:00:00.123Z "])
def test_pip_on_its_way_back(prefix: str) -> None:
    code, title, step = _said([prefix + each for each in _FETCHED])
    assert code == "dependency-mismatch"
    assert "tensorflow-text (3 of them, 2.8.2 to 2.7.3)" in title
    assert "tensorflow-text==" in step


def test_a_package_of_nobodys_number_is_left_to_uv() -> None:
    lines = [each.replace("tensorflow_text", "transformers") for each in _FETCHED]
    assert "uv pip install --dry-run transformers" in _said(lines)[2]


@pytest.mark.parametrize(
    "more",
    [
        ["Successfully installed tensorflow-text-2.7.3"],
        [],
    ],
)
def test_pip_that_ends_or_takes_two_alarms_nobody(more: list[str]) -> None:
    assert not judged(log([*_FETCHED[: 3 if more else 2], *more])).roots


def test_pip_that_filled_the_disk_on_its_way_back() -> None:
    full = "ERROR: Could not install packages due to an OSError: [Errno 28] No space left on device"
    code, title, _ = _said([*_FETCHED, full])
    assert code == "disk-full"
    assert title.startswith("pip filled the disk")


def test_an_extra_that_was_lost_on_the_way_back() -> None:
    lines = ["Collecting tf-agents[reverb]", "  Downloading tf_agents-0.17.0-py3-none-any.whl (1.4 MB)", "WARNING: tf-agents 0.5.0 does not provide the extra 'reverb'"]  # fmt: skip
    code, title, step = _said(lines)
    assert code == "dependency-mismatch"
    assert "from tf-agents 0.17.0 to 0.5.0" in title
    assert "tf-agents[reverb]==0.17.0" in step


def test_an_extra_that_never_was_is_no_alarm() -> None:
    assert not judged("WARNING: jax 0.4.30 does not provide the extra 'gpu'\nSuccessfully installed jax-0.4.30\n").roots  # fmt: skip


@pytest.mark.parametrize(
    ("line", "file", "step"),
    [
        ("/usr/bin/ld: cannot find -ltensorflow_cc", "libtensorflow_cc.so", "find / -name 'libtensorflow_cc.so*'"),
        ("ld: library 'tensorflow' not found", "libtensorflow.dylib", "find / -name 'libtensorflow.dylib*'"),
        ("ld.lld: error: unable to find library -ltensorflow_framework", "libtensorflow_framework.so", "get_link_flags"),
        ("LINK : fatal error LNK1181: cannot open input file 'tensorflow.lib' [C:\\src\\app.vcxproj]", "tensorflow.lib", "where.exe /r C:\\ tensorflow.lib"),
    ],
)  # fmt: skip
def test_a_library_that_the_linker_does_not_find(line: str, file: str, step: str) -> None:
    code, title, first = _said([line, "make: *** [Makefile:20: app] Error 1"])
    assert code == "shared-library-missing"
    assert f"no {file} " in title
    assert step in first


@pytest.mark.parametrize(
    "lines",
    [
        ["LibMambaUnsatisfiableError: Encountered problems while solving:", "  - nothing provides tensorflow >=2.4.0 needed by caiman-1.9.16-py310h5eee18b_0"],
        ["Could not solve for environment specs", "The following package could not be installed", "└─ caiman   is not installable because it requires", "   └─ tensorflow >=2.4.0 , which does not exist (perhaps a missing channel)."],
    ],
)  # fmt: skip
def test_what_no_channel_has(lines: list[str]) -> None:
    code, title, step = _said(lines)
    assert code == "dependency-mismatch"
    assert "tensorflow >=2.4.0, which caiman requires" in title
    assert "conda search" in step


_OFFERED = "(from versions: 1.15.0, 2.0.0, 2.0.1, 2.1.0)"


@pytest.mark.parametrize(
    ("line", "said", "step"),
    [
        (f"tensorflow==2.0.0-beta1 (from keras-rl2) {_OFFERED}", "keras-rl2 asks for tensorflow 2.0.0-beta1", "--upgrade keras-rl2"),
        (f"tensorflow==2.0.0rc0 (from agentnet->-r requirements.txt (line 3)) {_OFFERED}", "agentnet asks for", "--upgrade agentnet"),
        (f"tensorflow-gpu==2.0.0a0 {_OFFERED}", "a preview that is not on offer any more", "tensorflow-gpu==2.0.0"),
        ("tensorflow>=1.2 (from versions: 1.12.0rc1, 1.12.0rc2)", "only previews of tensorflow", "Python 3.6"),
    ],
)  # fmt: skip
def test_a_preview_that_is_gone_or_all_that_there_is(line: str, said: str, step: str) -> None:
    code, title, first = _said([f"ERROR: Could not find a version that satisfies the requirement {line}"])
    assert code == "python-unsupported"
    assert said in title
    assert step in first


@pytest.mark.parametrize(
    "words",
    [
        "Exception: Not all required packages are installed. Please install tensorflow",
        "RuntimeError: TensorFlow is required for this operation. Please install tensorflow>=2.4",
        "ImportError: ludwig requires TensorFlow to be installed",
    ],
)
def test_a_package_that_says_itself_that_it_finds_no_tensorflow(words: str) -> None:
    code, _, step = _said([words])
    assert code == "tensorflow-missing"
    assert "pip install tensorflow" in step


def test_another_package_that_is_asked_for_is_not_tensorflow() -> None:
    assert root(judged("ValueError: Please install TensorFlow Addons\n")) != "tensorflow-missing"


@pytest.mark.parametrize(
    ("module", "said"),
    [
        ("official.legacy", "has no official.legacy"),
        ("sklearn.externals", "The installed scikit-learn has no sklearn.externals"),
        ("utils.datasets", "Python finds a utils, and that has no utils.datasets"),
    ],
)
def test_a_part_of_a_module_that_was_found(module: str, said: str) -> None:
    lines = ["Traceback (most recent call last):", '  File "train.py", line 4, in <module>', f"    import {module}", f"ModuleNotFoundError: No module named '{module}'"]  # fmt: skip
    assert said in _said(lines)[1]


def test_a_numpy_that_was_exchanged_under_a_kernel() -> None:
    lines = [
        '  File "/usr/local/lib/python3.11/dist-packages/numpy/random/_pickle.py", line 1, in <module>',
        "    from .mtrand import RandomState",
        '  File "numpy/random/mtrand.pyx", line 1, in init numpy.random.mtrand',
        "ValueError: numpy.dtype size changed, may indicate binary incompatibility. Expected 96 from C header, got 88 from PyObject",
    ]
    code, title, step = _said(["Traceback (most recent call last):", *lines])
    assert code == "numpy-abi-mismatch"
    assert "exchanged" in title
    assert "Restart" in step


def test_of_three_wishes_the_two_that_exclude_each_other_are_named() -> None:
    lines = [
        "ERROR: Cannot install -r req.txt (line 1), -r req.txt (line 2) and -r req.txt (line 3) because these package versions have conflicting dependencies.",
        "The conflict is caused by:",
        "    tensorflow 2.8.0 depends on typing-extensions>=3.6.6",
        "    apache-beam 2.34.0 depends on typing-extensions<4 and >=3.7.0",
        "    pydantic 1.10.1 depends on typing-extensions>=4.1.0",
    ]
    step = _said(lines)[2]
    assert "apache-beam and pydantic" in step
    assert "tensorflow" not in step


def test_a_name_that_is_misspelt_by_one_letter() -> None:
    lines = ["Traceback (most recent call last):", '  File "t.py", line 1, in <module>', "    from keras.layers import Con2D", "ImportError: cannot import name 'Con2D' from 'keras.layers' (/usr/lib/python3/dist-packages/keras/layers/__init__.py)"]  # fmt: skip
    _, title, step = _said(lines)
    assert "it has Conv2D" in title
    assert "Write Conv2D in place of Con2D" in step


def test_a_companion_that_is_too_new_for_a_program_of_tensorflow_1() -> None:
    line = "ImportError: This version of TensorFlow Datasets requires TensorFlow version >= 2.1.0; Detected an installation of version 1.15.0. Please upgrade TensorFlow to proceed."
    assert "tensorflow-datasets<4" in _said([line])[2]


@pytest.mark.parametrize("prefix", ["", "#8 12.1 "])
def test_poetry_without_its_last_line(prefix: str) -> None:
    lines = [
        "Because tfx (0.30.0) depends on tfx-bsl (>=0.30.0,<0.31.0)",
        " and tfx-bsl (0.30.0) depends on protobuf (>=3.9,<4), tfx requires protobuf (>=3.9,<4).",
        "And because onnx (1.15.0) depends on protobuf (>=3.20.2), tfx is incompatible with onnx.",
    ]
    code, title, step = _said([prefix + each for each in lines])
    assert code == "dependency-mismatch"
    assert "they turn on protobuf" in title
    assert "poetry lock" in step


def test_one_sentence_of_dependence_is_no_alarm() -> None:
    assert not judged("The speed is low because keras (3.0) depends on tensorflow (2.16)\n").roots


def test_bazel_that_was_not_told_of_headers() -> None:
    code, _, step = _said(["ERROR: /home/u/tf/tensorflow/core/BUILD:853:1: undeclared inclusion(s) in rule '//tensorflow/core:lib_internal':"])  # fmt: skip
    assert code == "dependency-mismatch"
    assert "bazel clean --expunge" in step
