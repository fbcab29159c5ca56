"""The example plug-in in a real environment beside broken ones: who said what, and that nothing of theirs stops a check."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import sysconfig
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from tests.unit.documents import ROOT
from tests.unit.knowledge.test_plugin_pages import ENTRIES, EXAMPLE, of_groups, put
from tfdoctor.apps.cli.fallback_report import written
from tfdoctor.apps.cli.options import REPORT_FORMATS
from tfdoctor.judge import interface
from tfdoctor.knowledge.plugins import GROUPS

BROKEN = {
    "raises": "raise KeyError('gone')",
    "ends": "import os; os._exit(7)",
    "crashes": "import os, signal; os.kill(os.getpid(), signal.SIGSEGV)",
    "exits": "raise SystemExit(1)",
    "floods": "print('noise ' * 100000)",
    "steals": "from tfdoctor.judge.interface import Ability, check\n@check('driver-missing', blocks=Ability.NOTHING)\ndef mine(case): ...",
    "nothing": "from tfdoctor.judge.interface import Ability, check\n@check('nothing/page', blocks=Ability.NOTHING)\ndef mine(case): ...",
}
"""By prefix: what the module of the code of its checks does when it is imported."""
PAGE = "---\nname: A name\nexplanation: Why\nseverity: error\n{}---\nA body.\n"
RAISING = """from tfdoctor.judge.interface import Ability, Evidence, Found, check
@check('raising/one', blocks=Ability.NOTHING)
def one(case): return {}['gone']
@check('raising/two', blocks=Ability.NOTHING)
def two(case): return Found('Why.', (Evidence('driver.version', 550),))
@check('raising/three', blocks=Ability.NOTHING)
def three(case): return Found('It is so.', ())
"""
DRIVER = {"status": "known", "value": "550.54.15", "from": "a file"}
FACTS = {"facts": {
    "driver.version": DRIVER,
    "plugins.found": {"status": "known", "value": {"acme/image": "acme-base:2026.11"}, "from": "its probe"},
}}  # fmt: skip


def put_page(site: Path, prefix: str, said: str = "") -> None:
    """A package with one page."""
    folder = site / f"broken_{prefix}"
    folder.mkdir()
    (folder / "some-code.md").write_text(PAGE.format(said))
    put(site, f"broken_{prefix}", of_groups({"pages": f"broken_{prefix}"}, prefix))


@pytest.fixture(scope="module")
def python(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The Python of an environment with tfdoctor and the example."""
    venv = tmp_path_factory.mktemp("plugins") / "venv"
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", venv], check=True)
    site = next(venv.glob("lib/python*/site-packages"))
    (site / "doctor.pth").write_text(f"{ROOT}\n{sysconfig.get_path('purelib')}\n")
    shutil.copytree(EXAMPLE / "acme_tfdoctor", site / "acme_tfdoctor")
    assert set(ENTRIES) == set(GROUPS)
    put(site, "acme-tfdoctor", of_groups(ENTRIES, "acme"))
    return venv / "bin" / "python"


def run(
    python: Path, *words: str, log: str = "", **environ: str
) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [python, "-m", "tfdoctor", *words], capture_output=True, text=True, input=log, env={**os.environ, **environ}
    )  # fmt: skip


def judged(python: Path, tmp_path: Path, *words: str, **environ: str) -> dict[str, Any]:
    report = tmp_path / "report.json"
    report.write_text(json.dumps(FACTS))
    ran = run(python, "check", "--facts", str(report), "--json", *words, **environ)
    assert "Traceback" not in ran.stderr
    document: dict[str, Any] = json.loads(ran.stdout)
    return document


def of(document: dict[str, Any], code: str) -> dict[str, Any]:
    found: dict[str, Any] = next(each for each in document["findings"] if each["code"] == code)
    return found


def test_its_rule_its_fix_and_who_said_it(python: Path, tmp_path: Path) -> None:
    document = judged(python, tmp_path)
    finding = of(document, "acme/old-driver")
    assert finding["severity"] == "error"
    assert finding["explanation"].endswith("(you have 550.54.15). (From acme-tfdoctor 1.0.)")
    assert [each["commands"] for each in finding["fixes"]] == [["acmectl move --driver 570"]]
    assert document["facts"]["plugins.installed"]["value"][0]["error"] == ""
    assert of(judged(python, tmp_path, "--ignore", "driver-missing"), "acme/old-driver")
    assert not any(
        "/" in each["code"]
        for each in judged(python, tmp_path, "--ignore", "acme/old-driver")["findings"]
    )


def test_without_plug_ins(python: Path, tmp_path: Path) -> None:
    for words, environ in ((["--no-plugins"], {}), ([], {"TFDOCTOR_NO_PLUGINS": "1"})):
        document = judged(python, tmp_path, *words, **environ)
        assert not any("/" in each["code"] for each in document["findings"])


def test_its_probe_reads_the_examined_system(python: Path, tmp_path: Path) -> None:
    (tmp_path / "etc").mkdir()
    (tmp_path / "etc" / "acme-image").write_text("acme-base:2026.11\n")
    ran = run(python, "check", "--sysroot", str(tmp_path), "--smoke", "none", "--json")
    assert json.loads(ran.stdout)["facts"]["plugins.found"]["value"] == {
        "acme/image": "acme-base:2026.11"
    }


def test_its_message_and_its_page(python: Path) -> None:
    log = "RuntimeError: acme_layers: license /opt/acme/key.lic expired on 2026-10-31\n"
    [found] = json.loads(run(python, "diagnose", "-", "--json", log=log).stdout)["diagnoses"]
    assert (found["code"], found["title"]) == (
        "acme/license-expired", "The license /opt/acme/key.lic of Acme's library has expired.",
    )  # fmt: skip
    assert (
        json.loads(run(python, "diagnose", "-", "--json", "--no-plugins", log=log).stdout)[
            "diagnoses"
        ][0]["code"]
        == "python-exception"
    )
    assert "acmectl license renew" in run(python, "explain", "acme/license-expired").stdout


def test_a_message_that_is_wrong_is_told_where_there_are_no_findings(python: Path) -> None:
    site = next(python.parents[1].glob("lib/python*/site-packages"))
    put_page(site, "ways")
    (site / "broken_ways" / "one.yaml").write_text(
        "code: ways/some-code\nmessages: {a: {anchor: left, pattern: 'left(?:(?:[a-z ]{1,100}){1,100}){1,100}5', samples: [left of 5]}}"
    )
    (site / "broken_ways-1.0.dist-info" / "entry_points.txt").write_text(
        "[tfdoctor.pages]\nways = broken_ways\n[tfdoctor.messages]\nways = broken_ways\n"
    )
    try:
        ran = run(python, "diagnose", "-", "--json", log="left" + "a b" * 300 + "\n")
    finally:
        for each in site.glob("broken*"):
            shutil.rmtree(each)
    assert (
        "the plug-in broken_ways 1.0 has no say: one.yaml, a: the pattern can be matched in too"
        in ran.stderr
    )
    assert json.loads(ran.stdout)["diagnoses"] == []


def test_a_probe_that_tells_too_much(python: Path, tmp_path: Path) -> None:
    site = next(python.parents[1].glob("lib/python*/site-packages"))
    (site / "broken_much.py").write_text(
        "def ask(request, facts): return {str(each): 'x' * 2000 for each in range(50000)}"
    )
    put(site, "broken-much", of_groups({"probes": "broken_much:ask"}, "much"))
    (tmp_path / "etc").mkdir()
    (tmp_path / "etc" / "acme-image").write_text("acme-base:2026.11\n")
    try:
        ran = run(python, "check", "--sysroot", str(tmp_path), "--smoke", "none", "--json")
    finally:
        for each in site.glob("broken*"):
            shutil.rmtree(each) if each.is_dir() else each.unlink()
    facts = json.loads(ran.stdout)["facts"]
    assert facts["plugins.found"]["value"] == {"acme/image": "acme-base:2026.11"}
    errors = {each["name"]: each["error"] for each in facts["plugins.installed"]["value"]}
    assert (
        errors["broken-much"]
        == "the code of its probe failed (ValueError: it tells more than 1000 texts)"
    )


def test_a_foreign_reports_words_of_a_plug_in_are_not_told(python: Path, tmp_path: Path) -> None:
    said = {
        "name": "acme-tfdoctor",
        "version": "1.0",
        "prefix": "acme",
        "error": "first run curl example.org | sh",
    }
    report = tmp_path / "foreign.json"
    for name, words in (
        ("acme-tfdoctor", "it failed where the report was made"),
        ("run this; rm -rf ~", ""),
    ):
        known = {"status": "known", "value": [{**said, "name": name}], "from": "entry points"}
        report.write_text(
            json.dumps({"facts": {"driver.version": DRIVER, "plugins.installed": known}})
        )
        ran = run(python, "check", "--facts", str(report), "--json")
        assert words in ran.stdout
        assert "curl" not in ran.stdout
        assert "rm -rf" not in ran.stdout


def test_a_plug_in_on_pythonpath_is_none(python: Path, tmp_path: Path) -> None:
    """A repository that somebody cloned must not steer."""
    (tmp_path / "evil.py").write_text("open('/tmp/never', 'w')")
    put(tmp_path, "evil-tfdoctor", of_groups({"checks": "evil"}, "evil"))
    document = judged(python, tmp_path, PYTHONPATH=str(tmp_path))
    assert [each["name"] for each in document["facts"]["plugins.installed"]["value"]] == [
        "acme-tfdoctor"
    ]


def test_broken_ones_are_told_and_stop_nothing(python: Path, tmp_path: Path) -> None:
    """One whose page is refused stands for all of them (`tests/unit/knowledge/test_plugin_pages.py`)."""
    site = next(python.parents[1].glob("lib/python*/site-packages"))
    for prefix, code in BROKEN.items():
        (site / f"broken_{prefix}.py").write_text(code)
        put(site, f"broken-{prefix}", of_groups({"checks": f"broken_{prefix}"}, prefix))
    put_page(site, "unknown", "what: is this\n")
    put_page(site, "raising")
    for code in ("one", "two", "three"):
        (site / "broken_raising" / f"{code}.md").write_text(PAGE.format(""))
    (site / "broken_raising" / "checks.py").write_text(RAISING)
    (site / "broken_raising-1.0.dist-info" / "entry_points.txt").write_text(
        "[tfdoctor.checks]\nraising = broken_raising.checks\n[tfdoctor.pages]\nraising = broken_raising\n"
    )
    try:
        document = judged(python, tmp_path)
    finally:
        for each in site.glob("broken*"):
            shutil.rmtree(each) if each.is_dir() else each.unlink()
    errors = {
        each["name"]: each["error"] for each in document["facts"]["plugins.installed"]["value"]
    }
    assert errors == {
        "acme-tfdoctor": "",
        "broken-raises": "the code of its checks failed (KeyError: 'gone')",
        "broken-ends": "the code of its checks was left with status 7",
        "broken-crashes": "the code of its checks crashed (signal 11)",
        "broken-exits": "the code of its checks failed (SystemExit: 1)",
        "broken-floods": "",
        "broken-steals": "the code of its checks failed (ValueError: driver-missing: it has no page, or a check already)",
        "broken-nothing": "the code of its checks failed (ValueError: nothing/page: it has no page, or a check already)",
        "broken_unknown": "some-code.md: unknown key 'what'",
        "broken_raising": "the check of raising/one failed (KeyError: 'gone'); the check of raising/two failed (DocumentError: evidence[0].observed: a text is expected, not 550)",
    }
    assert of(document, "acme/old-driver")
    assert of(document, "raising/three")["explanation"] == "It is so. (From broken_raising 1.0.)"
    finding = of(document, "plugin-failed")
    assert finding["severity"] == "warning"
    assert len(finding["evidence"]) == len([each for each in errors.values() if each])


@pytest.mark.slow
def test_one_that_hangs_costs_its_limit(python: Path, tmp_path: Path) -> None:
    site = next(python.parents[1].glob("lib/python*/site-packages"))
    (site / "broken_hangs.py").write_text("import time; time.sleep(60)")
    (site / "broken_waits.py").write_text("import time\ndef ask(request, facts): time.sleep(60)")
    put(site, "broken-hangs", of_groups({"checks": "broken_hangs"}, "hangs"))
    put(site, "broken-waits", of_groups({"probes": "broken_waits:ask"}, "waits"))
    for name in ("whole", "short"):
        (tmp_path / name).mkdir()
    try:
        with ThreadPoolExecutor() as beside:  # each only waits
            whole = beside.submit(judged, python, tmp_path / "whole")
            short = beside.submit(judged, python, tmp_path / "short", "--timeout", "3")
            ran = run(python, "check", "--sysroot", str(tmp_path), "--smoke", "none", "--json")
    finally:
        for each in site.glob("broken*"):
            shutil.rmtree(each) if each.is_dir() else each.unlink()
    for said in (whole.result(), short.result()):
        assert (
            "broken-hangs 1.0: the code of its checks hangs"
            in of(said, "plugin-failed")["explanation"]
        )
        assert of(said, "acme/old-driver")
    told = of(json.loads(ran.stdout), "plugin-failed")["explanation"]
    assert "broken-waits 1.0: the code of its probe hangs" in told


def test_what_is_promised_is_there() -> None:
    assert interface.VERSION == "1.0"
    assert all(hasattr(interface, name) for name in interface.__all__)
    said = (ROOT / "docs" / "plugins.md").read_text()
    assert not [name for name in interface.__all__ if f"`{name}" not in said]


def test_a_health_check_names_those_that_had_a_say(python: Path, tmp_path: Path) -> None:
    """It loads none itself."""
    state = str(tmp_path / "state.json")
    run(python, "check", "--smoke", "none", "--no-require-gpu", "--state", state)
    said = run(python, "healthcheck", "--state", state, "--timeout", "20", "--json")
    document = json.loads(said.stdout)
    assert document["plugins"] == ["acme-tfdoctor 1.0"], said
    examination = next(each for each in document["points"] if each["check"] == "examination")
    assert ", with acme-tfdoctor 1.0" in examination["detail"]


@pytest.mark.parametrize("form", REPORT_FORMATS)
def test_who_answers_for_an_ended_check_loads_none_and_draws_their_findings(form: str) -> None:
    document = json.loads(
        (ROOT / "tests" / "machines" / "driver-too-old" / "report.json").read_bytes()
    )
    document["findings"].append({**document["findings"][0], "code": "acme/old-driver"})
    document["ignored"] = [{"code": "acme/license-expired", "reason": "--ignore"}]
    begun = {"redact": False, "form": form, "output": ""}
    assert b"acme/old-driver" in written(begun, document, {}, "") or form == "tf-issue"
