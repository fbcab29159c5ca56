"""A plain static check of a plain environment imports none of what takes longer than the examination itself."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.unit.apps.cli.running import machine
from tests.unit.ask.probes.fake_environments import (
    PLAIN_ENVIRON,
    add_distribution,
    add_tensorflow,
    make_venv,
    site_of,
)
from tfdoctor.apps.cli.options import REPORT_FORMATS

HEAVY = {"typer", "click", "rich", "yaml", "requests", "psutil", "pynvml"}


def imported_by_a_check(python: Path, folder: Path) -> tuple[set[str], dict[str, object]]:
    done = subprocess.run(
        [sys.executable, "-X", "importtime", "-m", "tfdoctor", "check", "--smoke", "none", "--json", "--python", str(python)],
        cwd=folder, env=PLAIN_ENVIRON, capture_output=True, text=True, check=False,
    )  # fmt: skip
    return set(re.findall(r"^import time:.*\| +(\S+)$", done.stderr, re.MULTILINE)), json.loads(
        done.stdout
    )


def test_what_is_heavy_stays_outside(tmp_path: Path) -> None:
    venv = make_venv(tmp_path / "venv")
    add_tensorflow(site_of(venv))
    needs = 'Requires-Dist: numpy<2.2.0,>=1.26.0\nRequires-Dist: x>=1 ; python_version >= "3.8" and extra == "and-cuda"'
    add_distribution(site_of(venv), "keras", "3.12.0", metadata=needs)
    add_distribution(site_of(venv), "numpy", "2.1.3")
    imported, report = imported_by_a_check(venv, tmp_path)
    assert report["facts"]["tensorflow.version"]["value"] == "2.21.0"  # type: ignore[index]  # a report holds its facts by name
    assert imported & HEAVY == set()


_AFTER = """
import json, os, sys
from pathlib import Path
from tfdoctor.apps.cli.report_output import prepare, write
from tfdoctor.report.report import report_from_json
form, path = sys.argv[1:]
report = report_from_json(json.loads(Path(path).read_bytes()))
prepare(form, redact=False)
before = set(sys.modules)
write(report, form, os.environ, to_file=True)
print(*(each for each in set(sys.modules) - before if each.startswith("tfdoctor.")))
"""


@pytest.mark.parametrize("form", REPORT_FORMATS)
def test_the_writer_is_imported_while_the_machine_is_asked(form: str) -> None:
    done = subprocess.run(
        [sys.executable, "-c", _AFTER, form, machine("driver-too-old")],
        env=PLAIN_ENVIRON, capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert done.stdout == "\n"
