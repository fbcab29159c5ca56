"""Packages that do not go together, by real installs: the first fix, typed unedited, mends the program and breaks nothing else.

No second TensorFlow comes in, and `pip check` has no complaint that it had not before.
"""

from __future__ import annotations

import os
import subprocess
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from tests.real.command import check, fix_commands, typed
from tests.real.environments import install, make

pytestmark = [pytest.mark.slow, pytest.mark.real, pytest.mark.nightly]

CPU_2_16 = ("tensorflow-cpu==2.16.2", "setuptools<82")
CPU_2_21 = ("tensorflow-cpu==2.21.0",)
USES_PROBABILITY = "import tensorflow_probability as tfp; tfp.layers.DenseFlipout(1)"


@dataclass(frozen=True)
class Story:
    """`installed` first, then `later` without its requirements, as another tool's pins bring it; the `program` fails then."""

    name: str
    code: str
    installed: tuple[str, ...]
    later: tuple[str, ...]
    program: str
    variables: dict[str, str] = field(default_factory=dict)


STORIES = (
    Story("text-of-2.18-under-2.16", "custom-op-mismatch", CPU_2_16, ("tensorflow-text==2.18.1",), "import tensorflow_text"),
    Story("text-of-2.18-under-2.21", "custom-op-mismatch", CPU_2_21, ("tensorflow-text==2.18.1",), "import tensorflow_text"),
    Story("probability-without-tf-keras", "keras-legacy-needed", (*CPU_2_16, "tensorflow-probability==0.24.0"), (), USES_PROBABILITY),
    Story("transformers-without-tf-keras", "keras-legacy-needed", (*CPU_2_16, "transformers==4.49.0"), (), "from transformers import BertConfig, TFBertModel; TFBertModel(BertConfig(hidden_size=8, num_hidden_layers=1, num_attention_heads=1, intermediate_size=8))"),
    Story("numpy-2-beside-pandas", "numpy-abi-mismatch", (*CPU_2_16, "pandas==2.0.3"), ("numpy==2.1.3",), "import tensorflow, pandas"),
)  # fmt: skip


@pytest.mark.parametrize("story", [pytest.param(each, id=each.name) for each in STORIES])
def test_the_first_fix_mends_it_and_breaks_nothing(story: Story, tmp_path: Path) -> None:
    python = make(tmp_path / "environment", *story.installed)
    if story.later:
        install(python, *story.later, options=("--no-deps",))
    variables = {**os.environ, **story.variables}
    assert not runs(python, story.program, variables)
    before, tensorflows, complaints = check(python, env=variables), tensorflows_in(python), pip_check(python)
    assert story.code in before.roots, before.report["summary"]
    typed(*fix_commands(before, story.code), env=variables)
    assert tensorflows_in(python) == tensorflows or not tensorflows
    assert runs(python, story.program, variables)
    after = check(python, env=variables)
    assert (after.roots, after.report["verdict"]) == ([], "healthy"), after.report["summary"]
    assert pip_check(python) <= complaints


def runs(python: Path, program: str, variables: dict[str, str]) -> bool:
    done = subprocess.run(
        [python, "-c", program], env=variables, capture_output=True, check=False, timeout=300
    )
    return done.returncode == 0


def tensorflows_in(python: Path) -> set[str]:
    """The distributions of TensorFlow, with their versions."""
    done = subprocess.run(
        [python, "-m", "pip", "list", "--format=freeze"], capture_output=True, text=True, check=True
    )
    return {
        line
        for line in done.stdout.splitlines()
        if line.partition("==")[0] in ("tensorflow", "tensorflow-cpu", "tensorflow_cpu")
    }


def pip_check(python: Path) -> set[str]:
    """Not what asks for `tensorflow` by that very name where tensorflow-cpu is installed: that is no conflict."""
    done = subprocess.run([python, "-m", "pip", "check"], capture_output=True, text=True, check=False)
    return {
        line
        for line in done.stdout.splitlines()
        if "requires tensorflow, which" not in line and "No broken" not in line
    }
