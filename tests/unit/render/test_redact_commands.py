"""Redaction takes nothing out of the doctor's own commands: what it wrote itself holds no private value."""

from __future__ import annotations

import pytest

from tfdoctor.findings.catalog import CODES
from tfdoctor.findings.pages import ways_out
from tfdoctor.render.redact.identity import Identity
from tfdoctor.render.redact.redactor import Redactor, Values
from tfdoctor.render.redact.shell import redact_command

ANNA = Identity("anna", "/home/anna", "/home/anna", ("tower7",))
EXAMPLES = ("MIG-8a0c2f3e-5a1b-5c3d-9f00-1234567890ab",)
"""Identifiers of nobody's device, which have to be replaced before the line is typed."""


def redacted(command: str) -> str:
    return redact_command(command, Redactor(ANNA, Values()).split_command)


def test_no_command_of_a_page_is_changed() -> None:
    lines = [line for code in CODES for fix in ways_out(code) for line in fix.commands]
    own = [line for line in lines if not any(each in line for each in EXAMPLES)]
    assert own
    assert [(line, redacted(line)) for line in own if redacted(line) != line] == []


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
    assert redacted(command) == command


@pytest.mark.parametrize(
    ("command", "name"),
    [
        ("apptainer exec docker://registry.corp-seven.lan/tf:2 bash", "corp-seven"),
        ("ssh://tower9/data", "tower9"),
        ("mount nas-04:/export /mnt", "nas-04"),
    ],
)
def test_hosts_do_not(command: str, name: str) -> None:
    assert name not in redacted(command)
