"""A local index, and an environment in which it is the configured one and the cache is empty."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.unit.knowledge.matrix.wheels import Site, serving


@pytest.fixture
def site(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[Site]:
    with serving(Site()) as served:
        monkeypatch.setenv("PIP_INDEX_URL", served.address)
        monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
        monkeypatch.delenv("TFDOCTOR_MATRIX", raising=False)
        yield served
