"""The lines that lay a link without a number beside a wheel's library, typed in an environment with that wheel."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.fixes.printed import commands
from tests.real.command import by_shell, clone
from tests.real.environments import environment, site_packages

pytestmark = [
    pytest.mark.nightly,
    pytest.mark.real,
    pytest.mark.slow,
    pytest.mark.xdist_group("fixes"),
]

WHEEL = "nvidia-cuda-nvrtc-cu12==12.5.82"


def test_the_link_leads_to_the_library(tmp_path: Path) -> None:
    folder = "LIB=$(python -c 'import nvidia.cuda_nvrtc "
    lines = [
        each
        for each, _ in commands()
        if each.startswith(folder) or (each.startswith("ln -s") and "libnvrtc.so.1" in each)
    ]
    assert [line.partition(" ")[0] for line in sorted(lines)] == ["LIB=$(python", "ln"]
    python = clone(environment(WHEEL), tmp_path / "environment")
    by_shell(f"PATH={python.parent}:$PATH", *sorted(lines))
    link = site_packages(python) / "nvidia" / "cuda_nvrtc" / "lib" / "libnvrtc.so"
    assert link.is_symlink() and link.resolve().name == "libnvrtc.so.12"
