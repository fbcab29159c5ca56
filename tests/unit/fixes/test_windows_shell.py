"""Commands as Windows' Command Prompt takes them."""

from __future__ import annotations

import pytest

from tests.scenarios.conftest import base
from tfdoctor.facts.codec import from_json
from tfdoctor.facts.model import Facts
from tfdoctor.facts.outcome import Known
from tfdoctor.findings.model import Fix
from tfdoctor.fixes.shell import for_windows, typed_here
from tfdoctor.records import replace


@pytest.mark.parametrize(
    ("posix", "windows"),
    [
        (r"'C:\tf\python.exe' -m pip install 'numpy>=1.26,<2'", r'C:\tf\python.exe -m pip install "numpy>=1.26,<2"'),
        (r"'C:\my env\python.exe' -c 'print(\"x\")'".replace("\\\"", '"'), r'''"C:\my env\python.exe" -c "print('x')"'''),
        ("env -u A -u B python -X faulthandler", "set A= && set B= && python -X faulthandler"),
        ("mv random.py my_random.py", "move random.py my_random.py"),
        ("wsl --install", "wsl --install"),
        (r'tf\Scripts\python -m pip install "tensorflow==2.21.0"', r'tf\Scripts\python -m pip install "tensorflow==2.21.0"'),
        ("echo 'left open", "echo 'left open"),
    ],
)  # fmt: skip
def test_a_command(posix: str, windows: str) -> None:
    assert for_windows(posix) == windows


def test_other_systems_keep_theirs() -> None:
    facts = from_json(base("cpu"), Facts)
    fixes = (Fix("Install", ("pip install 'numpy<2'",)),)
    assert typed_here(facts, fixes) == fixes
    windows = replace(facts, host=replace(facts.host, os=Known("windows", "a test")))
    assert typed_here(windows, fixes)[0].commands == ('pip install "numpy<2"',)
