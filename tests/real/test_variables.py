"""Real TensorFlow 2.15, 2.18 and 2.21 read their variables as tests/real/variables.json says; on the simulated driver."""

from __future__ import annotations

import json

import pytest

from tests.needs import need_gcc
from tests.real.variables import KEPT, table

pytestmark = [pytest.mark.nightly, pytest.mark.slow, pytest.mark.real]


def test_real_tensorflow_reads_its_variables_as_it_was_kept_simulated() -> None:
    need_gcc()
    assert table() == json.loads(KEPT.read_text())["read"]
