"""Environments as people break them: what was installed, what was done then, and the small program that fails since.

Each is a few lines of data. `done` is typed into a shell in the story's own folder, where `pip` is uv's for this environment, `python`
its interpreter and `$SITE` its site-packages. uv lays files as links into its cache: remove or replace them, never write into one.
"""

from __future__ import annotations

import os
import subprocess
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.real.command import PATH, Run, check, clone, typed
from tests.real.environments import environment, make, site_packages

PROGRAM_S = 300
"""Importing TensorFlow on a busy machine takes a minute."""
QUIET = {"CUDA_VISIBLE_DEVICES": "", "TF_CPP_MIN_LOG_LEVEL": "2"}
TRAINS = "import numpy as np, tensorflow as tf; m = tf.keras.Sequential([tf.keras.layers.Dense(1)]); m.compile(loss='mse'); m.fit(np.ones((8, 2)), np.ones(8), verbose=0)"
COMPUTES = "import tensorflow as tf; assert float(tf.reduce_sum(tf.ones((3, 3)))) == 9.0"


def cpu(version: str) -> tuple[str, ...]:
    """TensorFlow without CUDA and without a second fault: newer setuptools break the tensorboard command up to 2.20."""
    return (f"tensorflow-cpu=={version}", "setuptools<82")


@dataclass(frozen=True)
class Story:
    """`env`: variables beside the usual ones, with $SITE and $PWD filled in. `options`: those of `check`.

    `not_good`: why the first fix is known not to heal it.
    """

    name: str
    installed: tuple[str, ...]
    done: tuple[str, ...]
    program: str
    python: str = "3.11"
    env: dict[str, str] = field(default_factory=dict)
    options: tuple[str, ...] = ()
    not_good: str = ""


@dataclass(frozen=True)
class Outcome:
    """What the first fix that `check` prints made of it; `why` is empty where it healed."""

    name: str
    found: tuple[str, ...]
    commands: tuple[str, ...]
    why: str
    symptom: str
    seconds: float


def told(story: Story, folder: Path) -> Outcome:
    """Breaks one, has it checked, types the first fix and looks again."""
    started = time.monotonic()
    python, env = broken(story, folder)
    symptom = run(python, story.program, env, folder)
    if not symptom:
        return Outcome(
            story.name,
            (),
            (),
            "the program does not fail",
            "",
            round(time.monotonic() - started, 1),
        )
    complaints, tensorflows = pip_check(python), tensorflows_in(python)
    before = check(python, *story.options, env=env, cwd=folder)
    roots, commands = tuple(before.roots), first_fix(before)
    why = "no command" if not commands else healed(story, python, commands, env, folder, complaints)
    if not why and len(tensorflows) == 1 and tensorflows_in(python) != tensorflows:
        why = f"another TensorFlow: {', '.join(sorted(tensorflows_in(python)))}"
    return Outcome(story.name, roots, commands, why, symptom, round(time.monotonic() - started, 1))


def broken(story: Story, folder: Path, *, of_a_kept: bool = False) -> tuple[Path, dict[str, str]]:
    """The interpreter and the variables. `of_a_kept`: a clone of an environment that is made once, for many stories with the same."""
    root = folder / "environment"
    if of_a_kept:
        python = clone(environment(*story.installed, python=story.python), root)
    else:
        python = make(root, *story.installed, python=story.python)
    places = {"SITE": str(site_packages(python)), "PWD": str(folder)}
    env = {**os.environ, **QUIET, "PATH": PATH}
    lines = (
        f'pip() {{ uv pip "$@" --quiet --python "{python}"; }}; python() {{ "{python}" "$@"; }}',
        *story.done,
    )
    done = subprocess.run(
        ["bash", "-e", "-c", "\n".join(lines)],
        env={**env, **places}, cwd=folder, capture_output=True, text=True, timeout=900, check=False,
    )  # fmt: skip
    if done.returncode != 0:
        raise AssertionError(f"{story.name}: {done.stderr[-800:]}")
    for name, value in story.env.items():
        for each, place in places.items():
            value = value.replace(f"${each}", place)
        env[name] = value
    return python, env


def run(python: Path, program: str, env: dict[str, str], folder: Path) -> str:
    """What the program's death says, in its last line; empty where it does its work."""
    done = subprocess.run(
        [python, "-c", program], env=env, cwd=folder, capture_output=True, text=True, check=False, timeout=PROGRAM_S
    )  # fmt: skip
    last = [line for line in done.stderr.splitlines() if line.strip()]
    return "" if done.returncode == 0 else (last[-1] if last else f"exit status {done.returncode}")


def first_fix(run: Run) -> tuple[str, ...]:
    """Those of the first problem, as printed."""
    problems = [each for each in run.report["findings"] if each["role"] == "root"]
    fixes: list[dict[str, Any]] = problems[0]["fixes"] if problems else []
    return tuple(fixes[0]["commands"]) if fixes else ()


def healed(
    story: Story,
    python: Path,
    commands: tuple[str, ...],
    env: dict[str, str],
    folder: Path,
    complaints: set[str],
) -> str:
    try:
        shell = typed(*commands, env=env, cwd=folder)
    except (AssertionError, subprocess.TimeoutExpired) as failed:
        return f"the fix itself: {str(failed)[-300:]}"
    # What a fix made, the program is to be run with.
    python = next(folder.glob("tensorflow-*/bin/python"), python)
    if symptom := run(python, story.program, shell, folder):
        return f"the program: {symptom[:200]}"
    after = check(python, *story.options, env=shell, cwd=folder)
    worse = [
        f"{each['code']} {each['severity']}"
        for each in after.report["findings"]
        if each["severity"] in ("error", "warning")
    ]
    if worse:
        return f"the check: {', '.join(worse)}"
    new = pip_check(python) - complaints
    return f"pip check: {'; '.join(sorted(new))}" if new else ""


def tensorflows_in(python: Path) -> set[str]:
    """The distributions of TensorFlow, without their versions."""
    found = (
        each.name.partition("-")[0].replace("_", "-")
        for each in site_packages(python).glob("*.dist-info")
    )
    return {each for each in found if each in ("tensorflow", "tensorflow-cpu")}


def pip_check(python: Path) -> set[str]:
    """Not what asks for `tensorflow` by that name where tensorflow-cpu is installed: that is no conflict."""
    done = subprocess.run(
        [python, "-m", "pip", "check"], capture_output=True, text=True, check=False
    )
    return {
        line
        for line in done.stdout.splitlines()
        if "requires tensorflow, which" not in line and "No broken" not in line
    }
