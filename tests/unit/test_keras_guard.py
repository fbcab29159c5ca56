"""`tfdoctor.keras.Guard`, with a Keras and a TensorFlow of some lines in place of the real ones (tests/real/ has those)."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
KERAS = "class callbacks:\n    class Callback:\n        def __init__(self): self.model = None\n"
TENSORFLOW = """
import os, sys, types
class Variable:
    def __init__(self, value, **kind): self.value = value
    def assign(self, value): self.value = value
class Manager:
    def __init__(self, checkpoint, place, max_to_keep): self.place = place
    def save(self):
        if full:
            os.mkdir(os.path.join(self.place, "ckpt-1_temp"))
            raise OSError(28, "No space left on device")
        return os.path.join(self.place, "ckpt-1")
def checkpoint(**parts):
    if parts["model"].odd:
        raise ValueError("`Checkpoint` was expecting model to be a trackable object")
full = False
tensorflow = sys.modules["tensorflow"] = types.ModuleType("tensorflow")
tensorflow.Variable = Variable
tensorflow.train = types.SimpleNamespace(Checkpoint=checkpoint, CheckpointManager=Manager, latest_checkpoint=lambda place: None)
context = sys.modules["tensorflow.python.eager.context"] = types.ModuleType("context")
context.context = lambda: types.SimpleNamespace(_context_handle=1)
"""
FIT = """
import tfdoctor.keras as k
k._LOOK_EVERY_S = 0.0
class Model:
    odd = stop_training = False
    optimizer = None
def fit(guard, model):
    guard.model = model
    guard.on_train_begin()
    guard.on_epoch_begin(2)
    for batch in range(3):
        guard.on_train_batch_end(batch)
"""


def said(folder: Path, program: str, *, tensorflow: str = TENSORFLOW) -> str:
    """What it wrote to stderr, with the folder's name left out."""
    (folder / "keras.py").write_text(KERAS)
    begin = f"import sys; sys.path.append({str(ROOT)!r})\nplace = {str(folder / 'kept')!r}\n"
    words = [sys.executable, "-c", f"{begin}{tensorflow}{FIT}{program}"]
    environ = {**os.environ, "PYTHONPATH": str(folder)}
    done = subprocess.run(words, env=environ, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (0, ""), done.stderr
    return done.stderr.replace(str(folder), "")


def test_a_save_that_fails_ends_nothing_and_leaves_no_parts(tmp_path: Path) -> None:
    program = "full = True\nfit(k.Guard(place, every=0), Model())\nassert os.listdir(place) == []"
    why = "OSError: [Errno 28] No space left on device"
    assert said(tmp_path, program).splitlines() == [
        f"tfdoctor: could not save to /kept at epoch 3, step {step}: {why}" for step in (1, 2, 3)
    ]


def test_a_save_because_it_is_time_says_nothing_and_stops_nothing(tmp_path: Path) -> None:
    program = "model = Model()\nfit(k.Guard(place, stop=True, every=0), model)\nassert not model.stop_training"
    assert said(tmp_path, program) == ""


WORKERS = "class extended:\n    _in_multi_worker_mode = staticmethod(lambda: True)\n"


@pytest.mark.parametrize(
    ("program", "tensorflow", "why"),
    [
        ("", "", "Keras works with another backend than TensorFlow."),
        ("Model.odd = True", TENSORFLOW, "this model can't be saved: `Checkpoint` was expecting model to be a trackable object"),
        (f"{WORKERS}Model.distribute_strategy = type('Strategy', (), {{'extended': extended}})", TENSORFLOW, "this training runs on several workers, which have to save together (keras.callbacks.BackupAndRestore)."),
    ],
)  # fmt: skip
def test_where_nothing_can_be_saved_it_says_why_once(
    program: str, tensorflow: str, why: str, tmp_path: Path
) -> None:
    said_all = said(
        tmp_path, f"{program}\nfit(k.Guard(place, every=0), Model())", tensorflow=tensorflow
    )
    assert said_all == f"tfdoctor: nothing is saved: {why}\n"


def test_a_directory_that_cant_be_made_is_told_before_the_training(tmp_path: Path) -> None:
    (tmp_path / "kept").write_text("a file")
    program = "try:\n    k.Guard(place)\nexcept OSError as error:\n    print(type(error).__name__, file=sys.stderr)"
    assert said(tmp_path, program) == "FileExistsError\n"


def test_without_a_checkpoint_it_begins_with_the_first_epoch(tmp_path: Path) -> None:
    assert said(tmp_path, "assert k.Guard(place).restore(Model()) == 0") == ""
