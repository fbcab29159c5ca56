"""The fields of an issue's form, which people paste above their log, are read as what they are: answers about the machine."""

from __future__ import annotations

import pytest

from tests.logs.judged import judged
from tfdoctor.facts.outcome import Known, value_or

OLD = """**System information**
- OS Platform and Distribution (e.g., Linux Ubuntu 16.04): {system}
- TensorFlow version (use command below): {tensorflow}
- Python version: {python}
- CUDA/cuDNN version: 11.2/8.1

>>> tf.config.list_physical_devices('GPU')
[]
"""
NEW = """### TensorFlow version

{tensorflow}

### OS platform and distribution

{system}

### Python version

{python}

### Relevant log output

>>> tf.config.list_physical_devices('GPU')
[]
"""


@pytest.mark.parametrize("form", [OLD, NEW], ids=["old", "new"])
@pytest.mark.parametrize("system", ["Windows 10", "Windows 11 Pro"])
def test_windows_has_had_no_gpu_build_since_2_11(form: str, system: str) -> None:
    told = judged(form.format(system=system, tensorflow="2.11.0", python="3.9"))
    assert [each.finding.code for each in told.roots] == ["os-gpu-unsupported"]
    python = told.facts.interpreter.version
    assert isinstance(python, Known)
    assert python.value.feature == "3.9"


@pytest.mark.parametrize("form", [OLD, NEW], ids=["old", "new"])
@pytest.mark.parametrize("system", ["Linux Ubuntu 22.04", "Windows 11, WSL2 Ubuntu"])
def test_linux_is_not_windows(form: str, system: str) -> None:
    told = judged(form.format(system=system, tensorflow="2.11.0", python="3.9"))
    assert value_or(told.facts.host.os, "") != "windows"
    assert [each.finding.code for each in told.roots] == ["cuda-libraries-missing"]


def test_cusolver_of_cuda_11_1_under_tensorflow_2_4() -> None:
    told = judged(
        "TensorFlow version: 2.4.1\nCUDA/cuDNN version: 11.2 / 8.1\n"
        "2021-03-01 10:00:00.0: W tensorflow/stream_executor/platform/default/dso_loader.cc:60] Could not load dynamic library 'libcusolver.so.10'; "
        "dlerror: libcusolver.so.10: cannot open shared object file: No such file or directory; LD_LIBRARY_PATH: /usr/local/cuda-11.2/lib64\n"
    )
    (root,) = told.roots
    assert root.finding.code == "cuda-libraries-wrong-version"
    assert "from CUDA 11.1 on it is libcusolver.so.11" in root.finding.explanation


def test_windows_in_peoples_words_counts_where_nothing_speaks_of_linux() -> None:
    told = "I have an RTX 4070 laptop GPU, Windows 11 and TensorFlow 2.17 by pip, but tensorflow does not detect my gpu\n"
    assert [each.finding.code for each in judged(told).roots] == ["os-gpu-unsupported"]
    of_wsl = told.replace("Windows 11", "Windows 11 with Ubuntu in WSL")
    assert "os-gpu-unsupported" not in [each.finding.code for each in judged(of_wsl).roots]


def test_the_archive_of_a_package_that_was_given_up_says_it_where_its_words_are_cut_off() -> None:
    told = judged(
        "  Using cached tensorflow-gpu-2.12.0.tar.gz (2.6 kB)\n"
        "packaging._tokenizer.ParserSyntaxError: Expected end or semicolon (after name and no valid version specifier)\n"
    )
    assert "discontinued" in told.roots[0].finding.title
