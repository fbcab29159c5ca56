"""The list that a person sees while an examination runs."""

from __future__ import annotations

from tfdoctor.cli.progress import Progress


def test_what_is_waited_for_stands_last_with_its_limit() -> None:
    progress = Progress(live=False)
    progress("smoke: tensorflow", 120.0)
    progress("driver", 12.0)
    progress("nvml", 12.0)
    progress("driver", None)
    progress("interpreter", 12.0)
    progress("interpreter", None)
    lines = progress.__rich__().plain.splitlines()
    assert lines[0].split() == ["✓", "Python,", "packages", "0.0", "s"]
    assert [line.split()[1:] for line in lines[1:]] == [
        ["TensorFlow", "test", "0.0", "s,", "at", "most", "120"],
        ["Driver,", "GPU", "0.0", "s,", "at", "most", "12"],
    ]
