"""All attacks: each part adds its own as it is imported."""

from __future__ import annotations

from tests.attacks import of_environments, of_files, of_logs, of_reports, of_surroundings
from tests.attacks.attack import ATTACKS

PARTS = (of_reports, of_files, of_environments, of_logs, of_surroundings)

__all__ = ["ATTACKS", "PARTS"]
