"""The list that a person sees while an examination runs."""

from __future__ import annotations

import re

from tfdoctor.apps.cli.progress import Progress


def test_what_is_waited_for_stands_last_with_its_limit() -> None:
    progress = Progress(live=False)
    progress("smoke: tensorflow", 120.0)
    progress("driver", 12.0)
    progress("nvml", 12.0)
    progress("driver", None)
    progress("interpreter", 12.0)
    progress("interpreter", None)
    lines = progress.__rich__().plain.splitlines()
    untimed = [re.sub(r"\s+[\d.]+ s\b", " N s", line).strip() for line in lines]
    assert untimed[0] == "✓ Python, packages N s"
    assert [line.split(" ", 1)[1] for line in untimed[1:]] == [
        "TensorFlow test N s, at most 120",
        "Driver, GPU N s, at most 12",
    ]
