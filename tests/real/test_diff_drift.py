"""A report that was saved, and the same environment after somebody changed it."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.needs import PACKAGES
from tests.real.command import doctor
from tests.real.environments import CannotBuild, install, make

pytestmark = [pytest.mark.nightly, pytest.mark.real, pytest.mark.slow]


def test_another_numpy_is_drift_and_the_old_one_is_none(tmp_path: Path) -> None:
    try:
        python = make(tmp_path / "env", "tensorflow==2.21.0", "numpy==2.3.5")
    except CannotBuild:
        pytest.skip(PACKAGES)
    saved = tmp_path / "saved.json"
    assert (
        doctor("check", "--python", python, "--no-require-gpu", "--json", "-o", saved).status == 0
    )
    install(python, "numpy==2.2.6")
    drifted = doctor("diff", saved, ".")
    assert drifted.status == 1
    rows = [" ".join(line.split()) for line in drifted.stdout.splitlines()]
    assert rows[rows.index("saved.json this machine") + 1] == "numpy 2.3.5 2.2.6"
    install(python, "numpy==2.3.5")
    again = doctor("diff", saved, ".")
    assert again.status == 0, again.stdout
