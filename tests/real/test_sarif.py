"""What `lint` and `check` write as SARIF, against the schema of 2.1.0 (in Microsoft's npm package jest-sarif, MIT License). Needs npm."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import tarfile
from pathlib import Path
from typing import Any

import jsonschema
import pytest

pytestmark = [pytest.mark.nightly, pytest.mark.real, pytest.mark.slow]
ROOT = Path(__file__).parents[2]
PACKAGE = "@microsoft/jest-sarif@1.0.0-beta.0"
SCHEMA = "package/lib/schemas/sarif-2.1.0-rtm.5.json"


@pytest.fixture(scope="module")
def schema(tmp_path_factory: pytest.TempPathFactory) -> Any:
    folder, npm = tmp_path_factory.mktemp("npm"), shutil.which("npm")
    if (
        npm is None
        or subprocess.run([npm, "pack", "--silent", PACKAGE], cwd=folder, timeout=120).returncode
    ):
        pytest.skip("npm and its registry are needed")
    (packed,) = folder.glob("*.tgz")
    with tarfile.open(packed) as archive:
        member = archive.extractfile(SCHEMA)
        assert member is not None
        return json.load(member)


@pytest.mark.parametrize(
    "words",
    [
        ["lint", "--format", "sarif", "."],
        [
            "check",
            "--format",
            "sarif",
            "--facts",
            str(ROOT / "tests/machines/two-roots/report.json"),
        ],
        [
            "check",
            "--format",
            "sarif",
            "--facts",
            str(ROOT / "tests/machines/healthy-gpu/report.json"),
        ],
    ],
)
def test_sarif_is_as_its_schema_says(words: list[str], schema: Any, tmp_path: Path) -> None:
    (tmp_path / "requirements.txt").write_text("tensorflow[cuda12]==2.21.0\nkeras==2.15.0\n")
    (tmp_path / "Dockerfile").write_text(
        "FROM python:3.12-alpine\nRUN pip install tensorflow==2.15.0\n"
    )
    ran = subprocess.run(
        [sys.executable, "-m", "tfdoctor", *words], cwd=tmp_path, capture_output=True
    )
    document = json.loads(ran.stdout)
    kind = jsonschema.validators.validator_for(schema)
    assert [error.message for error in kind(schema).iter_errors(document)] == []
    if words[0] == "lint":
        assert len(document["runs"][0]["results"]) >= 3
