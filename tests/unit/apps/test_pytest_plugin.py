"""The plug-in in a pytest of its own, with a TensorFlow of one line that sees as many GPUs as it is told."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

TEST = "def test_it(tensorflow_gpu):\n    assert tensorflow_gpu == ['GPU:0']\n"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("gpus", "options", "status", "told"),
    [
        (["GPU:0"], ("--require-gpu",), 0, "1 passed"),
        ([], (), 0, "1 skipped"),
        ([], ("--require-gpu",), 1, "1 error"),
    ],
)
def test_without_a_gpu_it_skips_or_fails_and_says_why(
    gpus: list[str], options: tuple[str, ...], status: int, told: str, tmp_path: Path
) -> None:
    (tmp_path / "tensorflow.py").write_text(
        f"class config:\n    list_physical_devices = staticmethod(lambda kind: {gpus})\n"
    )
    (tmp_path / "test_it.py").write_text(TEST)
    words = [sys.executable, "-m", "pytest", "-rs", "-p", "no:cacheprovider", *options]  # fmt: skip
    environ = {**os.environ, "PYTHONPATH": f"{tmp_path}:{Path(__file__).parents[3]}"}
    done = subprocess.run(
        [*words, "test_it.py"],
        cwd=tmp_path,
        env=environ,
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, told in done.stdout) == (status, True), done.stdout + done.stderr
    assert ("TensorFlow sees no GPU: " in done.stdout) == (not gpus)
