"""conda and poetry that have no build for the environment's Python or system."""

from __future__ import annotations

import pytest

from tests.logs.judged import judged, log
from tfdoctor.knowledge.model import Finding

_TREE = "LibMambaUnsatisfiableError: Encountered problems while solving:"


def _found(*lines: str) -> Finding:
    return judged(log(lines)).roots[0].finding


def test_a_python_that_is_kept_and_has_no_build() -> None:
    found = _found(
        _TREE,
        "  - package cvnn-0.3.40-py_0 requires tensorflow >=2.0, but none of the providers can be installed",
        "├─ cvnn is installable and it requires",
        "│  └─ tensorflow >=2.0  with the potential options",
        "│     ├─ tensorflow [2.0.0|2.1.0] would require",
        "│     │  └─ python 3.10.* , which can be installed;",
        "└─ pin-1 is not installable because it requires",
        "   └─ python 3.11.* , which conflicts with any installable versions previously reported.",
    )
    assert (
        found.title
        == "conda has no build of tensorflow for Python 3.11, which this environment has: only for 3.10."
    )
    assert "--name python-3.10 python=3.10" in found.fixes[0].commands[0]


@pytest.mark.parametrize(
    ("spec", "own", "title", "first"),
    [
        ("  - tensorflow==1.13.1 -> python[version='>=2.7,<2.8.0a0|>=3.7,<3.8.0a0|>=3.6,<3.7.0a0']", "python=3.8.5", "tensorflow 1.13.1 for Python 3.8, which this environment has: only for 3.6 to 3.7.", "python=3.7"),
        (" **- tensorflow-base -> python[version='3.6.*|3.7.*']**", "python=3.8**", "tensorflow for Python 3.8, which this environment has: only for 3.6 to 3.7.", "python=3.7"),
    ],
)  # fmt: skip
def test_the_older_condas_list_of_pythons(spec: str, own: str, title: str, first: str) -> None:
    found = _found(
        "UnsatisfiableError: The following specifications were found",
        "to be incompatible with the existing python installation in your environment:",
        "",
        spec,
        "",
        f"Your python: {own}",
    )
    assert (found.code, found.title) == ("python-unsupported", f"conda has no build of {title}")
    assert first in found.fixes[0].commands[0]


def test_alpine_has_no_files_for_poetry_either() -> None:
    found = _found(
        "FROM python:3.10-alpine",
        "  Unable to find installation candidates for tensorflow-io-gcs-filesystem (0.26.0)",
    )
    assert found.title == "tensorflow-io-gcs-filesystem 0.26.0 has no wheel for Alpine Linux."
    assert "slim" in found.fixes[0].commands[0]


@pytest.mark.parametrize(
    ("line", "title", "first"),
    [
        ("  - nothing provides __cuda needed by tensorflow-2.7.0-cuda102py310hcf4adbc_0", "an NVIDIA driver (__cuda)", "export CONDA_OVERRIDE_CUDA=12.0"),
        ("  - nothing provides __glibc >=2.28,<3.0.a0 needed by tensorflow-base-2.19.0-cpu_py312h69ecde4_51", "it needs __glibc", "conda info"),
    ],
)  # fmt: skip
def test_what_the_machine_lacks_goes_before_what_conda_says(
    line: str, title: str, first: str
) -> None:
    found = _found(_TREE, line)
    assert (found.code, title in found.title) == ("installer-stopped", True)
    assert found.fixes[0].commands[0].startswith(first)


@pytest.mark.parametrize(
    ("build", "line"),
    [
        ("cpu_py312h69ecde4_0", "conda install"),
        ("cuda126py312hcd65ccb_251", "tensorflow[and-cuda]==2.18.0"),
        ("cuda118py311h1234567_0", "tensorflow[and-cuda]==2.18.0"),
    ],
)
def test_build_without_cuda_by_its_own_word(build: str, line: str) -> None:
    """The same build again would change nothing, whatever conda calls it."""
    log = (
        f"(tf) me@box:~$ conda list tensorflow\ntensorflow                2.18.0          {build}    conda-forge\n"
        ">>> tf.test.is_built_with_cuda()\nFalse\n>>> tf.config.list_physical_devices('GPU')\n[]\n"
    )
    found = judged(log).roots[0].finding
    assert found.code == "tensorflow-cpu-only"
    assert build in found.explanation
    assert any(line in each for each in found.fixes[0].commands)
