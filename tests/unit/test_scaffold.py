"""What `make new-code` writes compiles and passes its own scenarios; what `make new-message` proposes recognizes its line."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from tests.unit.documents import ROOT
from tools.build.scaffold import new_code, proposed, unexplained

SAID = "FrobnicateError: cannot attach buffer 'weights_12' at 0x7fff8a to /srv/data/x.bin (code 34)"


@pytest.mark.slow
def test_a_new_code_passes_before_it_is_filled(tmp_path: Path) -> None:
    copy = tmp_path / "tfdoctor"
    for name in ("tfdoctor", "tools", "data", "docs", "tests/scenarios"):
        shutil.copytree(
            ROOT / name, copy / name, ignore=shutil.ignore_patterns("__pycache__", "results")
        )
    shutil.copy(ROOT / "tests" / "__init__.py", copy / "tests")
    new_code(copy, "weights-on-tape", "notes", "host.kernel")
    for command in (
        ("-m", "tools.build.knowledge"),
        ("-m", "pytest", "-q", "-p", "no:cacheprovider", "tests/scenarios/test_scenarios.py", "-k", "weights-on-tape"),
    ):  # fmt: skip
        done = subprocess.run(
            [sys.executable, *command], cwd=copy, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stdout + done.stderr
    assert " passed" in done.stdout


@pytest.mark.parametrize(
    ("code", "family", "fact", "named"),
    [
        ("Weights", "memory", "host.kernel", "Weights"),
        ("gpu-absent", "memory", "host.kernel", "gpu-absent"),
        ("weights-on-tape", "tapes", "host.kernel", "tapes"),
        ("weights-on-tape", "memory", "host.tape", "host.tape"),
    ],
)
def test_what_can_be_no_code_writes_nothing(
    tmp_path: Path, code: str, family: str, fact: str, named: str
) -> None:
    shutil.copytree(ROOT / "tfdoctor" / "judge", tmp_path / "tfdoctor" / "judge")
    with pytest.raises(ValueError, match=f"^{named}: "):
        new_code(tmp_path, code, family, fact)
    assert not (tmp_path / "docs").exists()


def test_a_message_is_proposed_for_the_line_that_nothing_explains() -> None:
    line = unexplained(f"epoch 1\n{SAID}\n".encode())
    assert line == SAID
    entry = yaml.safe_load(proposed(line))["messages"]["fill-in-a-name"]
    assert entry["anchor"] == "FrobnicateError: cannot attach buffer "
    assert "(?P<value>" in entry["pattern"] and "(?P<file>" in entry["pattern"]
    told = re.search(entry["pattern"], SAID.replace("weights_12", "bias").replace("34", "35"))
    assert told is not None and told["value"] == "bias" and told["file"] == "/srv/data/x.bin"


def test_a_log_that_is_explained_needs_no_message() -> None:
    assert unexplained(b"Killed\n") == ""


def test_nothing_is_left_to_be_filled_in() -> None:
    written = (*(ROOT / "docs" / "codes").glob("*.md"), *(ROOT / "data" / "knowledge").rglob("*.yaml"),
               *(ROOT / "tests" / "scenarios").rglob("*.yaml"), *(ROOT / "tfdoctor" / "judge").rglob("*.py"))  # fmt: skip
    assert [str(path) for path in written if "FILL IN" in path.read_text(encoding="utf-8")] == []
