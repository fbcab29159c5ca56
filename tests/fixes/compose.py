"""What a service of a compose file can say, by the Compose Specification's own schema."""

from __future__ import annotations

import json
from pathlib import Path

from jsonschema import Draft7Validator


def compose_service() -> Draft7Validator:
    """Its `validate` raises where docker compose would refuse the lines below a service's name."""
    return Draft7Validator(
        json.loads(Path(__file__).with_name("compose_service.json").read_text("utf-8"))
    )
