"""What the Keras callback writes, with a Keras of three lines in place of the real one (tests/real/ has that)."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]
KERAS = "class callbacks:\n    class Callback:\n        def __init__(self): self.model = None\n"
BEGIN = f"import sys; sys.path.append({str(ROOT)!r}); import tfdoctor.keras as k; each = k.Steps(batch_size=8)\n"
FIT = """
def fit(epochs, *batches):
    each.on_train_begin()
    for epoch in range(epochs):
        for batch in batches:
            each.on_train_batch_begin(batch)
        each.on_epoch_end(epoch)
    each.on_train_end()
"""


def told(folder: Path, program: str, *, inside: bool = True) -> list[dict[str, Any]]:
    """The lines of the file; [] where there is none."""
    (folder / "keras.py").write_text(KERAS)
    place = folder / "steps"
    environ = {**os.environ, "PYTHONPATH": str(folder), **({"TFDOCTOR_RUN_STEPS": str(place)} if inside else {})}  # fmt: skip
    done = subprocess.run([sys.executable, "-c", BEGIN + FIT + program], env=environ, capture_output=True, text=True, check=False)  # fmt: skip
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    return [json.loads(line) for line in place.read_text().splitlines()] if place.exists() else []


def steps(lines: list[dict[str, Any]]) -> list[tuple[int, int]]:
    """The step and the epoch of those that began."""
    return [(each["step"], each["epoch"]) for each in lines if "step" in each]


def test_outside_of_a_run_it_writes_nothing(tmp_path: Path) -> None:
    assert told(tmp_path, "fit(2, 0, 1, 2)", inside=False) == []
    assert sorted(each.name for each in tmp_path.iterdir() if each.name != "__pycache__") == [
        "keras.py"
    ]


def test_steps_and_epochs_are_counted_over_the_whole_program(tmp_path: Path) -> None:
    lines = told(tmp_path, "k._PAUSE_S = 0.0\nfit(2, 0, 1, 2)\nfit(1, 0, 1)")
    assert steps(lines) == [
        (0, 0), (1, 0), (2, 0), (3, 1), (4, 1), (5, 1), (6, 2), (7, 2)
    ]  # fmt: skip


def test_several_steps_in_one_execution(tmp_path: Path) -> None:
    lines = told(tmp_path, "k._PAUSE_S = 0.0\nfit(2, 0, 10, 20)")
    assert [step for step, _ in steps(lines)] == [0, 10, 20, 30, 40, 50]


def test_quick_steps_are_not_written_one_by_one(tmp_path: Path) -> None:
    lines = told(tmp_path, "k._PAUSE_S = 3600.0\nfit(3, *range(1000))")
    assert steps(lines) == [(0, 0), (1000, 1), (2000, 2)]
    assert lines[-1]["done"] == 3000


def test_a_file_that_cant_be_written_ends_nothing(tmp_path: Path) -> None:
    (tmp_path / "steps").mkdir()
    (tmp_path / "keras.py").write_text(KERAS)
    environ = {
        **os.environ,
        "PYTHONPATH": str(tmp_path),
        "TFDOCTOR_RUN_STEPS": str(tmp_path / "steps"),
    }
    done = subprocess.run([sys.executable, "-c", f"{BEGIN}{FIT}fit(2, 0, 1)"], env=environ, capture_output=True, check=False)  # fmt: skip
    assert (done.returncode, done.stderr) == (0, b"")


def test_what_surprises_it_is_told_once_and_ends_nothing(tmp_path: Path) -> None:
    surprising = "class Odd:\n    @property\n    def train_function(self): raise KeyError('odd')\n"
    lines = told(tmp_path, f"{surprising}each.model = Odd()\nfit(2, 0, 1)")
    assert [each.get("error") for each in lines] == ["KeyError: 'odd'"]


def test_a_forked_child_writes_lines_of_its_own(tmp_path: Path) -> None:
    program = "k._PAUSE_S = 0.0\nimport os\nfit(1, 0, 1)\npid = os.fork()\nif not pid:\n    fit(1, 0)\n    os._exit(0)\nos.waitpid(pid, 0)\n"
    lines = told(tmp_path, program)
    assert len({each["pid"] for each in lines}) == 2
    assert [step for step, _ in steps(lines)] == [0, 1, 2]


MEMORY = """
import sys, types
class Context:
    _context_handle = 1
    now = {"current": 0, "peak": 0}
    def get_memory_info(self, name): return dict(self.now)
    def reset_memory_stats(self, name): self.now["peak"] = self.now["current"]
context = Context()
module = types.ModuleType("tensorflow.python.eager.context")
module.context = lambda: context
sys.modules[module.__name__] = module
class backend:
    backend = staticmethod(lambda: "tensorflow")
sys.modules["keras"].backend = backend
k._limits = lambda context: {"GPU:0": 1000}
class Result:
    def __init__(self, *shape): self.shape, self.dtype = shape, "float32"
class Layer:
    def __init__(self, output): self.output = output
class Unbuilt:
    @property
    def output(self): raise AttributeError("never called")
class Model:
    jit_compile = False
    trainable_variables = [Result(3, 4), Result(5)]
    def _flatten_layers(self): return [Layer(Result(None, 7)), Layer([Result(None, 5, 9), Result(None, None)]), Unbuilt()]
each.model = Model()
def step(batch, current, peak):
    context.now.update(current=current, peak=max(peak, context.now["peak"]))
    each.on_train_batch_begin(batch)
"""


def test_a_later_step_is_measured_and_not_the_first(tmp_path: Path) -> None:
    program = "each.on_train_begin()\nstep(0, 50, 300)\nstep(1, 60, 900)\nstep(2, 60, 400)\nstep(3, 60, 450)\neach.on_epoch_end(0)\n"
    last = [each for each in told(tmp_path, MEMORY + program) if "memory" in each][-1]
    assert last["memory"] == [
        {"device": "GPU:0", "limit": 1000, "before": 50, "held": 60, "peak": 450}
    ]
    assert (last["batch"], last["result"], last["weights"], last["xla"]) == (
        8,
        5 * 9 * 4,
        17 * 4,
        False,
    )


def test_of_one_step_nothing_is_measured_and_xla_is_told(tmp_path: Path) -> None:
    program = (
        "Model.jit_compile = True\neach.on_train_begin()\nstep(0, 50, 300)\neach.on_epoch_end(0)\n"
    )
    last = [each for each in told(tmp_path, MEMORY + program) if "memory" in each][-1]
    assert ("peak" in last["memory"][0], last["xla"]) == (False, True)


@pytest.mark.parametrize(("gpus", "raises"), [({"GPU:0": 1000}, False), ({}, True)])
def test_it_tells_how_many_gpus_there_are_and_can_require_one(
    gpus: dict[str, int], raises: bool, tmp_path: Path
) -> None:
    program = f"k._limits = lambda context: {gpus}\neach.on_train_begin()\nstep(0, 50, 300)\nstep(1, 50, 300)\n"
    assert [each["gpus"] for each in told(tmp_path, MEMORY + program) if "gpus" in each] == [
        len(gpus)
    ]
    required = "old, each = each, k.Steps(require_gpu=True)\neach.model = old.model\n"
    caught = f"try:\n    each.on_train_begin()\n    step(0, 50, 300)\nexcept RuntimeError as error:\n    assert {raises} and 'no GPU' in str(error)\nelse:\n    assert not {raises}\n"
    told(tmp_path, f"{MEMORY}{required}k._limits = lambda context: {gpus}\n{caught}")
