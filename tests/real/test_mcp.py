"""An assistant asks about a real TensorFlow."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.unit.apps.assistant.client import answered, document

pytestmark = [pytest.mark.real, pytest.mark.slow, pytest.mark.xdist_group("tensorflow")]


def test_a_healthy_environment(tensorflow_python: Path) -> None:
    async def ask(client: Any) -> Any:
        return await document(client, "check", require_gpu=False), await document(
            client, "facts", report="check-1", beginning="smoke."
        )

    told, facts = answered(ask, "--python", str(tensorflow_python))
    assert (told["verdict"], told["report"]) == ("healthy", "check-1")
    assert facts["facts"]["smoke.tensorflow"]["status"] == "known"
