"""Asks the registry, by uv, whether what a command installs can be resolved."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

UV = Path(sys.executable).with_name("uv")

Asked = tuple[tuple[str, ...], str, str]
"""Requirements, Python's feature version, platform."""


def complaint(asked: Asked) -> str:
    """Why it can't be resolved, "" where it can. Without a known Python: by none of those that TensorFlow had."""
    requirements, python, platform = asked
    every = [f"3.{minor}" for minor in (12, 10, 8, 11, 9, 13, 7)]
    said = ""
    for version in [python] if python else every:
        done = subprocess.run(
            [UV, "pip", "compile", "--quiet", "--no-header", "--python-version", version, "--python-platform", platform, "-"],
            input="\n".join(requirements), capture_output=True, text=True, check=False, timeout=300,
        )  # fmt: skip
        if done.returncode == 0:
            return ""
        said = said or done.stderr.strip()[-600:]
    return f"{requirements} with Python {python or 'any'} on {platform}: {said}"
