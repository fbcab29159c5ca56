"""What the shell would do with a command: nothing that a log asked for."""

from __future__ import annotations

import pytest

from tfdoctor.fix.shell import ours_alone, shown
from tfdoctor.knowledge.model import Fix
from tfdoctor.knowledge.shells import LEFT_OUT

OURS = [
    "python -m pip install 'tensorflow[and-cuda]==2.15.1'",
    "python -m pip install --upgrade jax $(python -m pip list --format=freeze | grep -E '^tensorflow(-cpu|-gpu)?==')",
    'export LD_LIBRARY_PATH="$CONDA_PREFIX/lib${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}"',
    "sudo apt-get update && sudo apt-get install --yes python3-venv",
    "python train.py > run.log 2>&1; tail -n 30 run.log",
    "find / -name 'libcusolver.so.11*' -not -path '/proc/*' 2>/dev/null",
    "nohup python train.py > run.log 2>&1 &",
    "ls -l '/tmp/$(touch x)'",
    "singularity exec --nv docker://ubuntu nvidia-smi",
    "ps -eo pid,stat | awk 'NR == 1 || $2 ~ /^D/'",
]
OF_A_LOG = [
    "module unload cuda/10.1$(touch x)",
    "module unload cuda/10.1`touch x`",
    "module unload cuda/10.1;touch x",
    "module unload cuda/10.1; touch x",
    "module unload cuda/10.1&touch x",
    "module unload cuda/10.1 && touch x",
    "module unload cuda/10.1|sh",
    "module unload cuda/10.1 | sh",
    "module unload cuda/10.1>x",
    "module unload cuda/10.1\ntouch x",
    'python -m pip install "numpy<2$(touch x)"',
    'python -m pip install "numpy<2`touch x`"',
    'python -m pip install "numpy<2";touch x;""',
    'dir "C:\\Users\\$(touch x)"',
    "python -m pip install --index-url=//index.example/ numpy",
    "python -m pip install '--extra-index-url=//index.example/' numpy",
    "uv pip install git+ssh://code.example/numpy",
    "python -m pip install -e x",
    '$env:PATH = "C:\\tools\\$(calc)\\bin;" + $env:PATH',
    "Rscript -e \"install.packages('keras', repos = 'https://index.example')\"",
]


@pytest.mark.parametrize("command", OURS)
def test_our_own_syntax_is_kept(command: str) -> None:
    assert ours_alone(command)


@pytest.mark.parametrize("command", OF_A_LOG)
def test_syntax_out_of_a_log_is_not_printed(command: str) -> None:
    assert not ours_alone(command)


def test_a_command_that_is_left_out_is_not_left_unsaid() -> None:
    fix = Fix("Unload it", ("module unload a$(touch x)",), "Names are the cluster's own.")
    assert shown(fix) == Fix("Unload it", (), f"{LEFT_OUT} Names are the cluster's own.")
    assert shown(Fix("Look", ("nvidia-smi",))) == Fix("Look", ("nvidia-smi",))
