"""What a kernel's argv starts, past env, shells and launchers."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.unit.ask.probes.fake_environments import make_venv
from tfdoctor.ask.probes.python.jupyter import all_kernels, kernel_environment, started
from tfdoctor.base.sysroot import System
from tfdoctor.facts.outcome import Failed, Known

KERNEL = ("-m", "ipykernel_launcher", "-f", "{connection_file}")


@pytest.mark.parametrize(
    ("argv", "program"),
    [
        (("/opt/e/bin/python", *KERNEL), "/opt/e/bin/python"),
        (("python", *KERNEL), "python"),
        (("/opt/wrapper.sh", "-f", "{connection_file}"), "/opt/wrapper.sh"),
        (("env", "A=1", "B=x y", "/opt/e/bin/python", *KERNEL), "/opt/e/bin/python"),
        (("/usr/bin/env", "-u", "PYTHONPATH", "-i", "/opt/e/bin/python3", *KERNEL), "/opt/e/bin/python3"),
        (("env", "-S", "A=1 /opt/e/bin/python -m ipykernel"), "/opt/e/bin/python"),
        (("bash", "-c", "source /opt/x && exec /opt/e/bin/python -m ipykernel_launcher -f {connection_file}"), "/opt/e/bin/python"),
        (("bash", "-l", "-c", "/opt/e/bin/python -m ipykernel_launcher"), "/opt/e/bin/python"),
        (("bash", "-lc", "module load tf; /opt/e/bin/python -m ipykernel"), "/opt/e/bin/python"),
        (("conda", "run", "-p", "/opt/e", "/opt/e/bin/python", *KERNEL), "/opt/e/bin/python"),
        (("bash", "/opt/start.sh"), "bash"),
    ],
)  # fmt: skip
def test_the_program_is_found(argv: tuple[str, ...], program: str) -> None:
    assert started(argv).program == program


@pytest.mark.parametrize(
    "argv",
    [
        ("bash", "-c", "conda activate tf && python -m ipykernel_launcher"),
        ("bash", "-c", "$HOME/env/bin/python -m ipykernel_launcher"),
        ("conda", "run", "-n", "tf", "python", *KERNEL),
        ("env", "A=1"),
        ("env", "env", "env", "env", "env", "env", "env", "/opt/e/bin/python"),
    ],
)
def test_what_only_the_launcher_knows_is_said(argv: tuple[str, ...]) -> None:
    found = started(argv)
    assert found.program == ""
    assert found.why


def _spec(folder: Path, *argv: str) -> None:
    folder.mkdir(parents=True)
    (folder / "kernel.json").write_text(
        json.dumps({"argv": argv, "display_name": "x", "env": {"A": "0", "C": "3"}})
    )


def test_kernels_through_env_and_a_shell(tmp_path: Path) -> None:
    python = f"{make_venv(tmp_path / 'e')}/bin/python"
    _spec(tmp_path / "j" / "kernels" / "env", "env", "A=1", python, *KERNEL)
    _spec(
        tmp_path / "j" / "kernels" / "shell",
        "bash",
        "-c",
        "conda activate tf && python -m ipykernel",
    )
    system = System(
        Path("/"),
        {"JUPYTER_PATH": str(tmp_path / "j"), "HOME": str(tmp_path), "PATH": "/usr/bin:/bin"},
    )
    listed = all_kernels(system, ())
    assert isinstance(listed, Known)
    kernels = {each.name: each.interpreter for each in listed.value}
    assert isinstance(kernels["env"], Known)
    assert kernels["env"].value == python
    assert isinstance(kernels["shell"], Failed)
    assert kernel_environment(system, (), "env") == {"A": "1", "C": "3"}
