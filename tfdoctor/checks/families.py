"""Every family of checks. Importing this registers them all."""

from __future__ import annotations
