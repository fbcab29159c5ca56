"""Runs every benchmark."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path

for file in sorted(Path(__file__).parent.glob("[a-z]*.py")):
    if file.stem != "timing":
        print(f"== {file.stem}")
        import_module(f"benchmarks.{file.stem}").main()
