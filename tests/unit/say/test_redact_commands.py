"""Redacted commands: the own home is `~/`, what else was hidden is named in the note, and the doctor's own words stay."""

from __future__ import annotations

import subprocess

import pytest

from tests.unit.say.reports import finding
from tfdoctor.knowledge.catalog import CODES
from tfdoctor.knowledge.model import Fix
from tfdoctor.knowledge.pages import ways_out
from tfdoctor.report.report import Report
from tfdoctor.say.redact.identity import Identity
from tfdoctor.say.redact.report import redacted

ANNA = Identity("anna", "/home/anna", "/home/anna", ("tower7",))
EXAMPLES = ("MIG-8a0c2f3e-5a1b-5c3d-9f00-1234567890ab",)
"""Identifiers of nobody's device, which have to be replaced before the line is typed."""


def fixed(command: str) -> str:
    return fix(command)[0]


def fix(command: str) -> tuple[str, str]:
    """The redacted command and the note of its fix."""
    after = redacted(
        Report(findings=(finding(fixes=(Fix("Do it", (command,), "It helps."),)),)), ANNA
    )
    assert redacted(after, ANNA) == after
    told = after.findings[0].fixes[0]
    return told.commands[0], told.note


@pytest.mark.parametrize(
    ("command", "after"),
    [
        ("/home/anna/v/bin/python -m pip install 'a[b]==1'", "~/v/bin/python -m pip install 'a[b]==1'"),
        ("'/home/anna/my v/bin/python' -V", "~/'my v/bin/python' -V"),
        ("'~/v/bin/python' -V", "~/'v/bin/python' -V"),
        ('export A="/home/anna/l:$A"', 'export A=~/"l:$A"'),
        ("export A=/opt/l:/home/anna/l${A:+:$A}", "export A=/opt/l:~/l${A:+:$A}"),
        ("echo 'export A=/home/anna/l' >> ~/.bashrc", "echo 'export A=~/l' >> ~/.bashrc"),
        ("LIB=$(/home/anna/v/bin/python x.py)/lib", "LIB=$(~/v/bin/python x.py)/lib"),
        ("sudo reboot", "sudo reboot"),
        ("pip install a==12.5.3.2 'b>=9.3.0.75,<10' --x=1", "pip install a==12.5.3.2 'b>=9.3.0.75,<10' --x=1"),
    ],
)  # fmt: skip
def test_the_own_home_is_a_tilde_where_a_shell_reads_one(command: str, after: str) -> None:
    assert fix(command) == (after, "It helps.")


@pytest.mark.parametrize(
    ("command", "after", "gap"),
    [
        ("ls /home/bob/x", "ls /home/<user-2>/x", "<user-2>"),
        ("CUDA_VISIBLE_DEVICES=GPU-8932f937 x.py", "CUDA_VISIBLE_DEVICES=<gpu-uuid-1> x.py", "<gpu-uuid-1>"),
        ("export XLA_FLAGS=--dir=/home/anna/c", "export XLA_FLAGS=--dir=~/c", "~"),
        ("uv pip install --python=/home/anna/v a", "uv pip install --python=~/v a", "~"),
        ("x \"/opt:/home/anna/c\"", "x \"/opt:~/c\"", "~"),
        ("export A=\"$A:/home/anna/c\"", "export A=\"$A:~/c\"", "~"),
        ("python3 -c \"open('/home/anna/c')\" 10.0.0.5", "python3 -c \"open('~/c')\" <ip-1>", "<ip-1>, ~"),
    ],
)  # fmt: skip
def test_what_has_to_be_filled_in_is_said(command: str, after: str, gap: str) -> None:
    what = "your user name" if "user" in gap else "the real value"
    assert fix(command) == (after, f"It helps. Replace {gap} with {what}.")


@pytest.mark.parametrize(
    "command", ["ls '/home/anna/a b'", 'A="/home/anna/a b"; ls "$A"', "ls /home/anna/a*b"]
)
def test_a_shell_reads_the_home(command: str) -> None:
    said = command.replace("ls", "printf %s")
    ran = subprocess.run(
        ["sh", "-c", fixed(said)], env={"HOME": "/home/anna"}, capture_output=True, check=True
    )
    assert ran.stdout.decode() in ("/home/anna/a b", "/home/anna/a*b")


@pytest.mark.slow  # more than a second
def test_no_command_of_a_page_is_changed() -> None:
    lines = [line for code in CODES for fix in ways_out(code) for line in fix.commands]
    own = [line for line in lines if not any(each in line for each in EXAMPLES)]
    assert own
    assert [(line, fixed(line)) for line in own if fixed(line) != line] == []


@pytest.mark.parametrize(
    "command",
    [
        "apptainer exec docker://python:3.12-slim bash",
        "singularity exec --nv docker://ubuntu nvidia-smi",
        "apptainer pull docker://rocm/tensorflow:latest",
        "docker run -v cudacache:/cache ubuntu true",
    ],
)
def test_images_and_volumes_keep_their_names(command: str) -> None:
    assert fixed(command) == command


@pytest.mark.parametrize(
    ("command", "name"),
    [
        ("apptainer exec docker://registry.corp-seven.lan/tf:2 bash", "corp-seven"),
        ("ssh://tower9/data", "tower9"),
        ("mount nas-04:/export /mnt", "nas-04"),
    ],
)
def test_hosts_do_not(command: str, name: str) -> None:
    assert name not in fixed(command)
