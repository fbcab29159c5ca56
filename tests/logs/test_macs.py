"""What a Mac's log says means what it means on a Mac, and what is to be typed exists there."""

from __future__ import annotations

import pytest

from tests.logs.judged import judged, log

_DARWIN = "[Clang 13.0.0 (clang-1300.0.29.30)] on darwin"


@pytest.mark.parametrize(
    "lines",
    [
        (_DARWIN, ">>> import tensorflow", "zsh: illegal hardware instruction  python"),
        ("zsh: illegal hardware instruction  python train.py",),
        ("$ python -c 'import tensorflow'", "Illegal instruction: 4"),
        ('  File "/Users/me/env/lib/python3.8/site-packages/tensorflow/__init__.py", line 41 in <module>', "Fatal Python error: Illegal instruction", "[1]    4242 illegal hardware instruction  python a.py"),
        ("macOS 12.4, M1", "Fatal Python error: Illegal instruction"),
    ],
)  # fmt: skip
def test_an_illegal_instruction_is_first_intels_tensorflow(lines: tuple[str, ...]) -> None:
    found = judged(log(lines)).roots[0].finding
    assert (found.code, "Rosetta" in found.title) == ("foreign-architecture", True)
    assert "arm64" in " ".join(found.fixes[0].commands)


@pytest.mark.parametrize(
    "lines",
    [
        (
            "/home/me/env/lib/python3.8/site-packages/tensorflow/__init__.py",
            "Illegal instruction (core dumped)",
        ),
        ("root@box:/home/me# python a.py", "zsh: illegal hardware instruction  python a.py"),
    ],
)
def test_elsewhere_it_is_not(lines: tuple[str, ...]) -> None:
    assert "Rosetta" not in judged(log(lines)).roots[0].finding.title


@pytest.mark.parametrize("kill", ["zsh: killed     python", "Killed: 9", "zsh: killed     python3 -c 'import tensorflow'"])  # fmt: skip
def test_a_kill_at_the_import_is_hardly_memory(kill: str) -> None:
    found = judged(log((_DARWIN, "% python", ">>> import tensorflow", kill))).roots[0].finding
    assert found.code == "tensorflow-install-broken"
    assert "signature" in found.title


def test_a_kill_while_it_trains_is_memory_with_a_macs_commands() -> None:
    lines = (_DARWIN, "import tensorflow as tf", "Epoch 1/10", "12/100 [==>....] - ETA: 10s - loss: 0.5", "zsh: killed     python train.py")  # fmt: skip
    found = judged(log(lines)).roots[0].finding
    assert found.code == "host-oom-killed"
    assert all(word not in line for each in found.fixes for line in each.commands for word in ("--sort", "dmesg", "/usr/bin/time -v"))  # fmt: skip


@pytest.mark.parametrize("line", ["Exception Type:  EXC_BAD_ACCESS (Code Signature Invalid)", "Termination Reason:    Namespace CODESIGNING, Code 0x2"])  # fmt: skip
def test_a_crash_report_makes_it_certain(line: str) -> None:
    found = judged(log(("zsh: killed     python", line))).roots[0].finding
    assert (found.code, str(found.confidence.value)) == ("tensorflow-install-broken", "certain")
