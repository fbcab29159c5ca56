"""Commands that the shell could not start."""

from __future__ import annotations

import pytest

from tests.logs.judged import judged, log, root


@pytest.mark.parametrize(
    ("line", "program", "command"),
    [
        ("/bin/sh: 1: horovodrun: not found", "horovodrun", "type -a horovodrun"),
        ("-bash: mpirun: command not found", "mpirun", "type -a mpirun"),
        ("zsh: command not found: tensorboard", "tensorboard", "type -a tensorboard"),
        ("bash: sbatch: 未找到命令", "sbatch", "type -a sbatch"),
        ("nohup: failed to run command 'python': No such file or directory", "python", "type -a python"),
        ("Command 'nvidia-smi' not found, but can be installed with:", "nvidia-smi", "type -a nvidia-smi"),
        ("'pip' is not recognized as an internal or external command,", "pip", "py -0p"),
        ("bash: ./train.py: Permission denied", "./train.py", "ls -l ./train.py"),
        ("bash: ./train.py: /usr/bin/python: bad interpreter: No such file or directory", "./train.py", "head -n 1 ./train.py"),
        ("bash: line 1: /opt/app/bin/train: No such file or directory", "/opt/app/bin/train", "ls -l /opt/app/bin/train"),
    ],
)  # fmt: skip
def test_the_title_names_the_program(line: str, program: str, command: str) -> None:
    finding = judged(log([line])).roots[0].finding
    assert (finding.code, finding.title) == (
        "command-not-started",
        f"The shell could not start {program}.",
    )
    assert finding.fixes[0].commands[0] == command


def test_a_look_at_the_machine_is_no_fault_beside_one() -> None:
    missing = "W tensorflow/stream_executor/platform/default/dso_loader.cc:64] Could not load dynamic library 'libcudnn.so.8'; dlerror: libcudnn.so.8: cannot open shared object file: No such file or directory"
    assert root(judged(log(["bash: nvcc: command not found", missing]))).startswith(
        "cuda-libraries-"
    )
    lines = (
        "$ nvcc --version",
        "bash: nvcc: command not found",
        "$ python train.py",
        "ValueError: no data",
    )
    assert root(judged(log(lines))) == "python-exception"


def test_a_compiler_that_the_program_itself_calls_is_the_cause() -> None:
    lines = (
        "Traceback (most recent call last):",
        '  File "train.py", line 9, in <module>',
        "    plugin = custom_ops.get_plugin('filter.cu')",
        "RuntimeError: NVCC returned an error. See below for full command line and output log:",
        "",
        "/bin/sh: 1: nvcc: not found",
    )
    assert root(judged(log(lines))) == "command-not-started"
