"""Each output that the documentation shows is the program's own. `--update-golden` writes it."""

from __future__ import annotations

import json
import re
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest

from tests.unit.apps.fit.test_fit import FITS
from tests.unit.apps.health.test_states_simulated import ROWS
from tests.unit.documents import DOCS
from tests.unit.report.test_death import LIBRARIES, of, on_the_cpu
from tests.unit.report.test_lint import linted
from tfdoctor.apps import documents
from tfdoctor.apps.cli.fit_command import drawn
from tfdoctor.apps.cli.run_report import cpu_words
from tfdoctor.ask.recorder.live import live_line
from tfdoctor.base.records import replace
from tfdoctor.knowledge.matrix.load import load_bundled
from tfdoctor.knowledge.says import says
from tfdoctor.report.death import Timeline
from tfdoctor.report.fit import Parts, Tried
from tfdoctor.report.lint import lint_to_json
from tfdoctor.say.lint import lint_to_text
from tfdoctor.say.run_view import run_view
from tfdoctor.say.terminal import Page, render_text

MB = 10**6
BLOCK = re.compile(r"(?<=^```text\n)(.*?\n)(?=```$)", re.MULTILINE | re.DOTALL)
LIVE: list[dict[str, Any]] = [
    {"t": 62.0, "cgroup_bytes": 640 * MB, "cgroup_limit_bytes": 944 * MB},
    {"t": 72.0, "cgroup_bytes": 709 * MB, "cgroup_limit_bytes": 944 * MB,
     "gpus": [{"index": 0, "used_bytes": 3100 * MB, "total_bytes": 24_700 * MB, "utilization": 0.87}]},
]  # fmt: skip
EXCUSED = "numpy==2.0.0  # tfdoctor: ignore numpy-abi-mismatch because this image never imports TensorFlow\n"
OUT_OF_MEMORY = "tensorflow.python.framework.errors_impl.ResourceExhaustedError: OOM when allocating tensor with shape[256,64,112,112] and type float on /job:localhost/replica:0/task:0/device:GPU:0 by allocator GPU_0_bfc"
BUILD = {"requirements__txt": "tensorflow==2.10.0\nnumpy==2.0.0\n"}

FOUND = replace(
    FITS, batch=1061, larger_fails=1117, limit_bytes=831 * MB, fixed_bytes=229 * MB, sample_bytes=563_000, duration_s=90.4,
    parts=Parts(2_100_000, 2_100_000, 4_200_000, 48_000, "wide", 16 * MB, 40_000, "float32", "Adam"),
    trials=(
        Tried(8, "ran", 9.0, 234 * MB, 0), Tried(256, "ran", 21.0, 373 * MB, 0),
        Tried(1117, "out-of-memory", 12.0, 0, 0, "was ended"), Tried(1061, "ran", 40.0, 826 * MB, 0),
    ),
)  # fmt: skip


def killed() -> str:
    """Of a program that keeps what it makes, under a limit of 2 GB."""
    line = {"file": "/srv/kept.py", "line": 7, "function": "main", "text": "kept.append(model(x))", "grew": 1444 * MB, "whole": 2000 * MB}  # fmt: skip
    samples: tuple[dict[str, Any], ...] = tuple({"t": float(at), "cgroup_bytes": 500 * MB + at * 18 * MB, "cgroup_limit_bytes": 2000 * MB} for at in range(84))  # fmt: skip
    run = of(grown_line={"status": "known", "value": line, "from": "py-spy"})
    return render_text(
        run_view(replace(run, timeline=Timeline(1.0, samples))), Page(80, signed=True)
    )


def outputs(page: str) -> list[str]:
    """What stands in the page's blocks of text, in their order."""
    match page:
        case "run":
            rate, limit = "8.8 MB", "944 MB"
            warning = says("container-oom-killed", "warning", rate=rate, limit=limit, left="22 s")
            told = (
                f"{live_line(LIVE)}\n",
                f"tfdoctor: {warning}\n",
                cpu_words(on_the_cpu(*LIBRARIES)),
            )
            return [killed(), *told]
        case "fit":
            return [drawn(FOUND, "terminal", Page(80))]
        case "lint":
            return [lint_to_text(linted(Path(), **BUILD), Page(80)), EXCUSED]
    raise AssertionError(page)


@pytest.mark.parametrize("page", ["run", "fit", "lint"])
def test_outputs_are_the_programs(
    page: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest
) -> None:
    monkeypatch.chdir(tmp_path)
    file = DOCS / f"{page}.md"
    text, made = file.read_text("utf-8"), outputs(page)
    if request.config.getoption("--update-golden"):
        rest = iter(made)
        text = BLOCK.sub(lambda _: next(rest), text)
        file.write_text(text, "utf-8")
    assert BLOCK.findall(text) == made


def test_the_finding_of_a_build_file_is_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (block,) = re.findall(r"```json\n(.*?)```", (DOCS / "lint.md").read_text("utf-8"), re.DOTALL)
    (finding,) = json.loads(json.dumps(lint_to_json(linted(Path(), **BUILD))))["findings"]
    shown = json.loads(block)
    assert {key: finding[key] for key in shown} == shown


def test_the_health_checks_answers_are_those_of_its_own_tests() -> None:
    text = (DOCS / "healthcheck.md").read_text("utf-8")
    shown = re.findall(r"^((?:un)?healthy: .*?)(?: \[.*)?$", text, re.MULTILINE)
    known = {re.sub(r"\d+ min ago", "5 min ago", row.first) for row in ROWS}
    assert len(shown) == 2 and set(shown) <= known


def test_the_diagnosis_that_is_shown_is_one() -> None:
    (block,) = re.findall(
        r"```json\n(\{\n  \"verdict\".*?)```", (DOCS / "json.md").read_text("utf-8"), re.DOTALL
    )
    shown = json.loads(block)
    told = documents.diagnose(
        [("train.log", BytesIO(f"{OUT_OF_MEMORY}\n".encode()))], load_bundled(), None
    )
    made = documents.to_dict(told)
    (root,), found = shown["diagnoses"], made["diagnoses"][0]
    for key in ("code", "role", "caused_by", "severity", "confidence", "title", "docs"):
        assert found[key] == root[key], key
    assert root["fixes"][0]["title"] in [each["title"] for each in found["fixes"]]
    assert root["evidence"][0]["text"].rstrip("…") in OUT_OF_MEMORY
    assert set(root) <= set(found) and set(shown) <= set(made)
    assert set(root["evidence"][0]) <= set(found["evidence"][0])
    assert shown["open"] == [{key: each[key] for key in shown["open"][0]} for each in made["open"]]
