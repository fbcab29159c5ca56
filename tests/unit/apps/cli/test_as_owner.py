"""Root is told before it runs what another user can change, and can run it as that user instead."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.needs import NO_CONTAINER, SYSTEM_PYTHON, only_root
from tests.unit.apps.cli.running import environment, tfdoctor
from tfdoctor.ask.probes.host.container import container_kind
from tfdoctor.base.owners import environment_of, owner
from tfdoctor.base.sysroot import System
from tfdoctor.facts.outcome import Known

SOMEBODY = 65534
LINE = "tfdoctor: root runs code of an environment that the user "
NOTE = f"run as root, though the user number {SOMEBODY} can change it"
pytestmark = [
    pytest.mark.slow,  # starts the program
    only_root,
    pytest.mark.skipif(isinstance(container_kind(System()), Known), reason=NO_CONTAINER),
]


@pytest.fixture
def theirs() -> Iterator[Path]:
    """Another user's environment, whose interpreter notes as whom it was started."""
    # pytest's own folder is closed to others.
    folder = Path(tempfile.mkdtemp(prefix="trust-", dir="/var/tmp"))
    folder.chmod(0o755)
    (folder / "bin").mkdir()
    (folder / "ran").touch()
    program = folder / "bin" / "python3"
    program.write_text(
        f"#!/bin/sh\necho $(id -u) $(id -g) $(id -G) $HOME >> {folder}/ran\nexit 3\n"
    )
    program.chmod(0o755)
    for path in (folder, *folder.rglob("*")):
        os.chown(path, SOMEBODY, SOMEBODY)
    yield folder
    shutil.rmtree(folder)


def ran(theirs: Path) -> list[str]:
    lines = (theirs / "ran").read_text().splitlines()
    (theirs / "ran").write_text("")
    return lines


def check(theirs: Path, *more: str, **variables: str) -> subprocess.CompletedProcess[str]:
    return tfdoctor(
        "check", "--smoke", "none", "--json", "--python", str(theirs), *more, env=variables
    )


def test_root_is_told_and_the_report_notes_it(theirs: Path) -> None:
    said = check(theirs)
    assert said.stderr.startswith(LINE)
    assert said.stderr.count("\n") == 1
    assert json.loads(said.stdout)["subject"]["note"] == NOTE
    assert [line.split()[0] for line in ran(theirs)] == ["0"]


@pytest.mark.parametrize(
    "asked",
    [("--as-owner", {}), ("--deep", {"TFDOCTOR_AS_OWNER": "1"})],
    ids=["option", "variable"],
)
def test_as_owner_it_runs_as_its_owner_groups_too(
    asked: tuple[str, dict[str, str]], theirs: Path
) -> None:
    said = check(theirs, asked[0], **asked[1])
    assert said.stderr == ""
    assert (
        json.loads(said.stdout)["subject"]["note"]
        == f"run as its owner, the user number {SOMEBODY}"
    )
    (line,) = ran(theirs)
    user = owner(SOMEBODY, SOMEBODY)
    assert line.split() == [*map(str, (user.uid, user.gid, *user.groups)), user.home]


def test_a_node_check_runs_nothing_that_others_can_change(theirs: Path) -> None:
    words = ("healthcheck", "--smoke", "tf", "--node", "-v", "--python", str(theirs))
    env = {"XDG_RUNTIME_DIR": str(theirs.parent)}
    assert "TensorFlow is not run: the user" in tfdoctor(*words, env=env).stdout
    assert ran(theirs) == []
    tfdoctor(*words, "--as-owner", env=env)
    assert {line.split()[0] for line in ran(theirs)} == {str(SOMEBODY)}


def test_in_a_container_it_is_examined_as_its_programs_run(theirs: Path) -> None:
    said = check(theirs, KUBERNETES_SERVICE_HOST="10.0.0.1")
    assert said.stderr == ""
    assert "note" not in json.loads(said.stdout)["subject"]


def test_ones_own_environment_is_worth_no_word() -> None:
    words = ["check", "--smoke", "none", "--json", "--python", "/usr/bin/python3"]
    if not Path(words[-1]).exists():
        pytest.skip(SYSTEM_PYTHON)
    done = subprocess.run(
        [sys.executable, "-m", "tfdoctor", *words],
        env=environment(),
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.stderr == ""


def test_a_user_without_a_name() -> None:
    nameless = owner(4_000_000, 4_000_001)
    assert (nameless.name, nameless.groups) == ("#4000000", (4_000_001,))
    env = environment_of(
        nameless, {"HOME": "/home/admin", "XDG_STATE_HOME": "/home/admin/x", "A": "b"}
    )
    assert env == {"A": "b", "HOME": "/", "USER": "#4000000", "LOGNAME": "#4000000"}


def test_a_node_does_not_run_it_since_an_old_state_names_it(theirs: Path, tmp_path: Path) -> None:
    state = tmp_path / "state.json"
    words = ("healthcheck", "--timeout", "30", "--state", str(state))
    tfdoctor(*words, "--python", str(theirs))
    assert json.loads(state.read_text())["python"].startswith(str(theirs))
    ran(theirs)
    tfdoctor(*words, "--node", "--max-age", "0")
    assert ran(theirs) == []
