"""Each document names its schema and fits it; the settings' schema says what their reader says; SARIF and JUnit count alike."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import jsonschema
import pytest

from tests.unit.apps.cli.running import machine, tfdoctor
from tfdoctor.apps.cli.schemas import DOCUMENTS, schema, settings_schema
from tfdoctor.report.settings import SettingsError, find_settings

BROKEN, HEALTHY = machine("driver-too-old"), machine("healthy-gpu")
PRINTED = {
    "check": ("check", "--facts", BROKEN, "--json"),
    "plan": ("plan", "--os", "linux", "--gpu", "none", "--python", "3.12", "--json"),
    "diff": ("diff", BROKEN, HEALTHY, "--json"),
    "lint": ("lint", "--json", "Dockerfile"),
    "fleet": ("fleet", "summarize", BROKEN, HEALTHY, "--json"),
}


@pytest.mark.parametrize("name", DOCUMENTS)
def test_a_schema_has_a_name_of_its_own(name: str) -> None:
    said = json.loads(schema(name))
    jsonschema.Draft202012Validator.check_schema(said)
    assert said["$id"] == f"urn:tfdoctor:schema:{name}:1.0"


@pytest.mark.parametrize("name", PRINTED)
def test_a_document_names_its_schema_and_fits_it(name: str, tmp_path: Path) -> None:
    (tmp_path / "Dockerfile").write_text(
        "FROM python:3.12\nRUN pip install tensorflow-gpu==2.11.0\n"
    )
    document = json.loads(tfdoctor(*PRINTED[name], cwd=tmp_path).stdout)
    assert document["$schema"] == json.loads(schema(name))["$id"]
    jsonschema.Draft202012Validator(json.loads(schema(name))).validate(document)


def test_the_option_prints_it() -> None:
    for words in (("plan", "--schema"), ("run", "--schema"), ("diff", "a", "--schema")):
        assert tfdoctor(*words).stdout == schema(words[0])
    assert tfdoctor("fleet", "summarize", "--schema").stdout == schema("fleet")
    assert tfdoctor("check", env={"TFDOCTOR_SCHEMA": "1"}).stdout == schema("check")
    done = tfdoctor("run", "--", "echo", "--schema")
    assert done.stdout == "--schema\n", "it is the command's"


SETTINGS: list[tuple[dict[str, Any], bool]] = [
    ({"required-tensorflow": ">=2.18,<2.22", "require-gpu": True, "smoke": "none", "timeout": 60}, True),
    ({"ignore": ["noexec-mount", {"code": "swap-thrashing", "reason": "it is fast"}], "min-free-vram": "2G"}, True),
    ({"min-free-memory": 1000, "fail-on": "warning"}, True),
    ({"ignore": ["acme/old-driver", {"code": "acme/license-expired"}]}, True),
    ({"ignore": ["no-such-code"]}, False),
    ({"ignore": ["acme/"]}, False),
    ({"smoke": "all"}, False),
    ({"require-gpu": "yes"}, False),
    ({"timeout": 0}, False),
    ({"min-free-vram": True}, False),
    ({"as-owner": True}, False),
]  # fmt: skip


@pytest.mark.parametrize("settings, fine", SETTINGS)
def test_the_settings_schema_says_what_their_reader_says(
    settings: dict[str, Any], fine: bool, tmp_path: Path
) -> None:
    assert jsonschema.Draft202012Validator(json.loads(settings_schema())).is_valid(settings) is fine
    text = "\n".join(f"{key} = {_toml(value)}" for key, value in settings.items())
    (tmp_path / "tfdoctor.toml").write_text(text)
    if fine:
        find_settings(tmp_path)
    else:
        with pytest.raises(SettingsError):
            find_settings(tmp_path)


def _toml(value: Any) -> str:
    if isinstance(value, dict):
        return "{" + ", ".join(f"{key} = {_toml(each)}" for key, each in value.items()) + "}"
    return f"[{', '.join(map(_toml, value))}]" if isinstance(value, list) else json.dumps(value)


def test_sarif_and_junit_say_what_the_report_says() -> None:
    report, sarif = (
        json.loads(tfdoctor("check", "--facts", BROKEN, "--format", form).stdout) for form in ("json", "sarif")
    )  # fmt: skip
    suite = ElementTree.fromstring(tfdoctor("check", "--facts", BROKEN, "--format", "junit").stdout)
    (run,) = sarif["runs"]
    found = [each["code"] for each in report["findings"]]
    assert [each["ruleId"] for each in run["results"]] == found
    assert [each["id"] for each in run["tool"]["driver"]["rules"]] == found
    failed = [
        each.get("name") for each in suite.findall("testcase") if each.find("failure") is not None
    ]
    assert failed == [each["code"] for each in report["findings"] if each["severity"] == "error"]
    assert suite.get("failures") == str(len(failed))
    assert int(suite.get("tests", 0)) == 1 + len(found) + len(report["passed"]) + len(
        report["undecided"]
    )


def test_junit_fails_where_the_command_does(tmp_path: Path) -> None:
    facts = {"packages.leftovers": {"status": "known", "value": ["/x/~ip"], "from": "a file"}}
    (tmp_path / "report.json").write_text(json.dumps({"facts": facts}))
    said = tfdoctor("check", "--facts", str(tmp_path / "report.json"), "--format", "junit")
    assert said.returncode == 3
    assert said.stdout.count("<error message=") == 1


def test_color_goes_before_all() -> None:
    for words, environ, colored in (
        (("--color", "always"), {"NO_COLOR": "1"}, True),
        (("--color", "never"), {"FORCE_COLOR": "1"}, False),
        ((), {"FORCE_COLOR": "1"}, True),
        ((), {"CLICOLOR_FORCE": "1"}, True),
        ((), {"TFDOCTOR_COLOR": "always"}, True),
        ((), {}, False),
    ):  # fmt: skip
        said = tfdoctor("check", "--facts", BROKEN, *words, env=dict(environ)).stdout
        assert ("\x1b[" in said) is colored, (words, environ)
