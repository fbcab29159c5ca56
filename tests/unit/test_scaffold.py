"""What `make new-code` writes compiles and passes its own scenarios; what `make new-message` proposes recognizes its line."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.scenarios.conftest import base
from tests.scenarios.overlay import laid_over
from tests.unit.documents import ROOT
from tfdoctor.facts.codec import from_json
from tfdoctor.facts.model import Facts
from tfdoctor.facts.outcome import Known
from tools.build.first_try import Try, try_of
from tools.build.scaffold import new_code, proposed, unexplained

SAID = "FrobnicateError: cannot attach buffer 'weights_12' at 0x7fff8a to /srv/data/x.bin (code 34)"


WRITTEN = {
    "weights-on-tape": ("notes", "host.kernel", False),
    "odd-gpu": ("devices", "nvml.devices", True),
    "no-package-installer": ("memory", "interpreter.has_pip", False),
    "odd-kernels": ("packages", "jupyter.kernels", False),
    "odd-libraries": ("libraries", "smoke.libraries", True),
}
"""Facts of different types, and such as the base knows, lacks or was not asked for."""
SHOWING = [f"tests/scenarios/test_{name}.py" for name in ("scenarios", "shown", "gpu_marks")]


@pytest.mark.slow
def test_new_codes_pass_once_they_are_filled_in(tmp_path: Path) -> None:
    copy = tmp_path / "tfdoctor"
    for name in ("tfdoctor", "tools", "data", "docs", "tests/scenarios"):
        shutil.copytree(
            ROOT / name, copy / name, ignore=shutil.ignore_patterns("__pycache__", "results")
        )
    shutil.copy(ROOT / "tests" / "__init__.py", copy / "tests")
    for code, (family, fact, gpu) in WRITTEN.items():
        for path in new_code(copy, code, family, fact, gpu=gpu):
            path.write_text(path.read_text("utf-8").replace("FILL IN", "filled"), "utf-8")
    for command in (
        ("-m", "tools.build.knowledge"),
        ("-m", "tools.watch.shown", "odd-gpu"),  # and those that it does not list yet
        ("-m", "pytest", "-q", "-p", "no:cacheprovider", *SHOWING, "-k", " or ".join(WRITTEN)),
    ):  # fmt: skip
        done = subprocess.run(
            [sys.executable, *command], cwd=copy, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stdout + done.stderr
    assert " passed" in done.stdout


@pytest.mark.parametrize("on", ["cpu", "gpu"])
def test_what_is_asked_of_a_fact_is_true_of_its_value_and_of_no_healthy_machine(on: str) -> None:
    healthy = base(on)
    for path, _ in Facts().items():
        usual = healthy.get(path, {}).get("value")
        tried = try_of(path, usual)
        wholly = {path: {"status": "known", "value": tried.value, "from": "scenario"}}
        assert _answers(tried, _seen(wholly, path)), path
        if usual:
            differs = {path + tried.at: tried.part}
            assert _answers(tried, _seen(laid_over(healthy, differs), path)), path
        if usual is not None:
            assert not _answers(tried, _seen(healthy, path)), path


def _seen(document: dict[str, Any], path: str) -> object:
    fact = dict(from_json(document, Facts).items())[path]
    assert isinstance(fact, Known), fact
    return fact.value


def _answers(tried: Try, seen: object) -> bool:
    assert isinstance(eval(tried.shown, {"seen": seen}), str)  # an expression of our own
    return bool(eval(tried.when, {"seen": seen}))


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


def test_a_proposed_message_holds_the_line_as_it_is_printed() -> None:
    said = "FrobnicateError: no answer from gpu17.cluster.example.com in time"
    line = unexplained(said.encode())
    assert line == said
    assert re.search(yaml.safe_load(proposed(line))["messages"]["fill-in-a-name"]["pattern"], said)


def test_a_log_that_is_explained_needs_no_message() -> None:
    assert unexplained(b"Killed\n") == ""


def test_nothing_is_left_to_be_filled_in() -> None:
    written = (*(ROOT / "docs" / "codes").glob("*.md"), *(ROOT / "data" / "knowledge").rglob("*.yaml"),
               *(ROOT / "tests" / "scenarios").rglob("*.yaml"), *(ROOT / "tfdoctor" / "judge").rglob("*.py"))  # fmt: skip
    assert [str(path) for path in written if "FILL IN" in path.read_text(encoding="utf-8")] == []
