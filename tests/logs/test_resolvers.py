"""pip's list of wishes: the two that no release can satisfy are named, and the line of the file that has to change."""

from __future__ import annotations

import pytest

from tests.logs.judged import judged, log

_HEAD = "ERROR: Cannot install -r requirements.txt (line 12), -r requirements.txt (line 3) and x because these package versions have conflicting dependencies."


@pytest.mark.parametrize(
    ("wishes", "says", "first"),
    [
        (("The user requested absl-py==0.11.0", "tensorboard 2.4.0 depends on absl-py>=0.4", "tensorflow-metadata 0.25.0 depends on absl-py<0.11 and >=0.9"), "tensorflow-metadata 0.25.0 for >=0.9,<0.11", "write absl-py>=0.9,<0.11"),
        (("The user requested numpy==1.21.6", "jax 0.3.24 depends on numpy>=1.20", "scipy 1.7.3 depends on numpy<1.23.0 and >=1.16.5", "tensorflow-cpu 2.12.0 depends on numpy<1.24 and >=1.22"), "tensorflow-cpu 2.12.0 for >=1.22,<1.24", "write numpy>=1.22,<1.23.0"),
        (("The user requested numpy==1.19.5", "scipy 1.7.0 depends on numpy<1.23.0 and >=1.16.5", "tensorflow 2.5.1 depends on numpy~=1.19.2", "jaxlib 0.4.13 depends on numpy>=1.21"), "jaxlib 0.4.13 for >=1.21", "an older jaxlib"),
        (("torch 2.5.1+cu121 depends on typing-extensions>=4.8.0", "tensorflow-intel 2.12.1 depends on typing-extensions<4.6.0 and >=3.6.6"), "torch 2.5.1+cu121", "write tensorflow==2.14.0"),
    ],
)  # fmt: skip
def test_the_two_that_clash_are_named(wishes: tuple[str, ...], says: str, first: str) -> None:
    found = (
        judged(log((_HEAD, "", "The conflict is caused by:", *(f"    {each}" for each in wishes))))
        .roots[0]
        .finding
    )
    assert (found.code, says in found.title) == ("dependency-mismatch", True)
    assert first in found.fixes[0].title.replace("Take", "take")
    assert found.fixes[0].commands[0].startswith("python -m pip install -r requirements.txt")


@pytest.mark.parametrize(
    ("code", "text", "first"),
    [
        ("tensorflow-shadowed", "ImportError: Could not import tensorflow. Do not import tensorflow from its source directory; change directory to outside the TensorFlow source tree, and relaunch your Python interpreter from there.", "cd ~"),
        ("shared-library-missing", "ImportError: libGL.so.1: cannot open shared object file: No such file or directory", "sudo apt-get install --yes libgl1"),
    ],
)  # fmt: skip
def test_words_with_one_way_out(code: str, text: str, first: str) -> None:
    found = (
        judged(
            log(("Traceback (most recent call last):", '  File "/opt/me/a.py", line 1, in <module>', text))
        )
        .roots[0]
        .finding
    )
    assert (found.code, found.fixes[0].commands[0]) == (code, first)


def test_an_operation_that_the_plug_in_of_a_mac_lacks() -> None:
    text = "tensorflow.python.framework.errors_impl.NotFoundError: No registered 'RngReadAndSkip' OpKernel for 'GPU' devices compatible with node {{node RngReadAndSkip}}"
    frames = ("Traceback (most recent call last):", '  File "/Users/me/a.py", line 1, in <module>')
    assert (
        judged(log((*frames, text))).roots[0].finding.title
        == "The GPU's plug-in on this Mac (tensorflow-metal) has no RngReadAndSkip."
    )
    assert (
        judged(log((frames[0], '  File "/home/me/a.py", line 1, in <module>', text))).roots[0].finding.code
        == "python-exception"
    )


def test_pip_s_last_line_alone_names_the_release_and_so_the_python() -> None:
    fix = judged("ERROR: No matching distribution found for tensorflow==1.15\n").roots[0].finding.fixes[0]
    assert fix.commands[0].startswith("uv venv --python 3.7")


def test_the_line_without_its_list_is_enough() -> None:
    found = judged("Could not find a version that satisfies the requirement tensorflow==1.15\n")
    assert found.roots[0].finding.code == "python-unsupported"
