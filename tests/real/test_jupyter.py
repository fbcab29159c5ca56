"""Real kernels that die: ipykernel under nbclient, with the provisioner that the environment names."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path
from typing import Any

import pytest

from tests.memory_group import memory_group
from tests.needs import PACKAGES
from tests.real.environments import CannotBuild, environment, with_jupyter
from tests.real.fixtures import NEWEST
from tests.real.kernel_deaths import DEATHS, DIES_AT, can_die_here, kernelspecs

pytestmark = [pytest.mark.slow, pytest.mark.real]

ROOT = Path(__file__).parents[2]
PROGRAM = Path(__file__).parent / "notebook_program.py"
SERVER = Path(__file__).parent / "server_program.py"
LIMIT_S = 240


@pytest.fixture(scope="session")
def python() -> Path:
    """An environment with Jupyter and this doctor, without TensorFlow."""
    try:
        return with_jupyter()
    except CannotBuild:
        if os.environ.get("TFDOCTOR_TESTS") == "all-must-work":
            raise
        pytest.skip(PACKAGES)


class Place:
    """A home of its own, so that neither the developer's kernels nor ours are met."""

    def __init__(self, folder: Path, python: Path) -> None:
        self.python, self.reports_at = python, folder / "reports"
        self.environ = {
            **os.environ,
            "HOME": str(folder),
            "IPYTHONDIR": str(folder / "ipython"),
            "JUPYTER_RUNTIME_DIR": str(folder / "runtime"),
            "JUPYTER_PREFER_ENV_PATH": "1",
            "JUPYTER_PATH": str(folder),
            "JUPYTER_DEFAULT_PROVISIONER_NAME": "tfdoctor",
            "TFDOCTOR_REPORT_DIR": str(self.reports_at),
        }

    def run(self, *cells: str, kernel: str = "python3", **more: str) -> tuple[dict[str, Any], str]:
        """What nbclient gave, and the log."""
        done = subprocess.run(
            [str(self.python), str(PROGRAM), kernel, *cells],
            capture_output=True, text=True, env={**self.environ, **more}, timeout=LIMIT_S, check=False,
        )  # fmt: skip
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout), done.stderr

    def reports(self) -> list[dict[str, Any]]:
        assert all(path.suffix == ".json" for path in self.reports_at.glob("*"))
        return [
            json.loads(path.read_text("utf-8")) for path in sorted(self.reports_at.glob("*.json"))
        ]


@pytest.fixture
def place(tmp_path: Path, python: Path) -> Place:
    return Place(tmp_path, python)


def words(outputs: list[dict[str, Any]]) -> tuple[str, str]:
    """The line and the card of a cell's outputs."""
    stream, card = outputs[-2:]
    assert (stream["output_type"], card["output_type"]) == ("stream", "display_data")
    assert "<div" in card["data"]["text/html"]
    return stream["text"], card["data"]["text/plain"]


DAILY = {"memory cgroup", "SIGSEGV", "status 3"}


@pytest.mark.parametrize(
    "name",
    [
        pytest.param(name, marks=() if name in DAILY else pytest.mark.nightly)
        for name in DEATHS
        if can_die_here(name)
    ],
)
def test_the_words_stand_in_the_cell_that_died(place: Place, name: str, tmp_path: Path) -> None:
    death = DEATHS[name]
    with kernelspecs(tmp_path, death.kernel):
        # Some at its first millisecond.
        seen, log = place.run("print('before')", death.cell(), kernel=death.kernel)
    assert seen["raised"] == "Kernel died"
    assert [each["output_type"] for each in seen["outputs"][0]] == ["stream"]
    line, card = words(seen["outputs"][1])
    assert death.ended in line and death.outcome in line
    (report,) = place.reports()
    assert (report["outcome"], report["execution_count"]) == (death.outcome, 2)
    assert report["kernel_id"] in log
    assert death.dies not in json.dumps(report)
    assert next(place.reports_at.glob("*.json")).name in card


def test_a_life_and_an_end_by_wish_leave_nothing(place: Place) -> None:
    seen, log = place.run(
        "try:\n    x = bytearray(1 << 62)\nexcept MemoryError:\n    print('went on')"
    )
    assert seen["outputs"][0][0]["text"] == "went on\n"
    assert place.reports() == []
    assert "tfdoctor" not in log


@pytest.mark.nightly
def test_a_folder_that_cannot_be_written_is_named_in_the_cell(place: Place) -> None:
    seen, _ = place.run(
        "import os, time; time.sleep(.5); os._exit(4)", TFDOCTOR_REPORT_DIR="/proc/none"
    )
    _, card = words(seen["outputs"][0])
    assert "There is no report: the report could not be written to /proc/none" in " ".join(
        card.split()
    )


def test_the_extension_gives_a_crash_its_line_and_its_last_words(place: Place) -> None:
    check = "F tensorflow/core/framework/tensor_shape.cc:359] Check failed: d < dims() (5 vs. 1)"
    crash = f"import os, time; time.sleep(.5)\nos.write(2, b'{check}\\n')\nos.abort()"
    seen, _ = place.run("%load_ext tfdoctor\n%tfdoctor why", crash)
    assert "No kernel's death is on record" in seen["outputs"][0][0]["data"]["text/plain"]
    line, _ = words(seen["outputs"][1])
    assert "died of SIGABRT" in line and "check-failed" in line
    (report,) = place.reports()
    lines = report["facts"]["death.said"]["value"]
    assert any("ipykernel_" in line and "line 3 in <module>" in line for line in lines), lines
    assert [path.name for path in place.reports_at.iterdir() if path.suffix != ".json"] == []


@pytest.mark.nightly
def test_papermill_keeps_the_words_in_its_notebook(place: Place, tmp_path: Path) -> None:
    no_outputs: dict[str, Any] = {"metadata": {}, "outputs": [], "execution_count": None}
    sources = ("print('before')", "import os; os._exit(3)")
    cells = [{"cell_type": "code", "source": each, **no_outputs} for each in sources]
    metadata = {"kernelspec": {"name": "python3", "display_name": "", "language": "python"}}
    book, kept = tmp_path / "in.ipynb", tmp_path / "out.ipynb"
    book.write_text(
        json.dumps({"cells": cells, "metadata": metadata, "nbformat": 4, "nbformat_minor": 4})
    )
    command = [str(place.python), "-m", "papermill", "--no-progress-bar", str(book), str(kept)]
    done = subprocess.run(
        command, capture_output=True, text=True, env=place.environ, timeout=LIMIT_S, check=False
    )
    assert done.returncode != 0
    assert done.stderr.splitlines()[-1] == "nbclient.exceptions.DeadKernelError: Kernel died", (
        done.stderr
    )
    ran = [each for each in json.loads(kept.read_text())["cells"] if each["cell_type"] == "code"]
    outputs = [
        {**each, "text": "".join(each.get("text", ""))} if each["output_type"] == "stream" else each
        for each in ran[-1]["outputs"]
    ]
    assert [each["output_type"] for each in outputs] == ["stream", "display_data"]
    assert "ended itself with status 3" in outputs[0]["text"]


def test_a_server_says_each_death_before_the_kernel_is_back(place: Place, tmp_path: Path) -> None:
    deaths = [DEATHS[name] for name in ("failed check", "memory cgroup") if can_die_here(name)]
    cells = [f"{death.kernel}={death.cell(DIES_AT)}" for death in deaths]
    with kernelspecs(tmp_path, *(death.kernel for death in deaths)):
        done = subprocess.run(
            [str(place.python), str(SERVER), "deaths", *cells],
            capture_output=True, text=True, env=place.environ, timeout=LIMIT_S, check=False,
        )  # fmt: skip
    assert done.returncode == 0, done.stderr
    reports = place.reports()
    assert len(reports) == len(deaths)
    for seen, report, death in zip(json.loads(done.stdout), reports, deaths, strict=True):
        line, card = seen["outputs"][-2:]  # a real TensorFlow's own words stand before them
        assert seen["ended"] == "restarting"
        assert death.ended in line["text"] and death.outcome in line["text"]
        assert death.ended.split()[-1] in card["data"]["text/plain"]
        assert (
            0 < seen["after_s"]["words"] <= seen["after_s"]["ended"] < seen["after_s"]["answered"]
        )
        told = (report["outcome"], report["kernel_id"], report["execution_count"])
        assert told == (death.outcome, seen["kernel"], 1)


LEAK = """
import time
held = []
try:
    while True:
        held.append(b"x" * 1_000_000)
        time.sleep(0.1)
except KeyboardInterrupt:
    print("interrupted with", len(held))
"""


def interrupted(
    place: Place, folder: Path, python: Path, limit: int, *cells: str, seconds: int = LIMIT_S
) -> tuple[dict[str, Any], dict[str, str]]:
    """Cells in a kernel of this Python that is interrupted before the kill; and the words of the first one, by stream."""
    spec = folder / "kernels" / "leaky"
    spec.mkdir(parents=True)
    mark = {"of": "python3", "how": "beside", "interrupt": "before-kill"}
    metadata = {"kernel_provisioner": {"provisioner_name": "tfdoctor"}, "tfdoctor": mark}
    words = [str(python), "-m", "ipykernel_launcher", "-f", "{connection_file}"]
    (spec / "kernel.json").write_text(json.dumps({"argv": words, "display_name": "leaky", "language": "python", "metadata": metadata}))  # fmt: skip
    # ipykernel shows no file 2 where pytest's variable stands
    environ = {name: each for name, each in place.environ.items() if name != "PYTEST_CURRENT_TEST"}
    environ["CELL_S"] = str(seconds)
    with memory_group(limit) as group:
        command = group.inside(str(place.python), str(PROGRAM), "leaky", *cells)
        done = subprocess.run(command, capture_output=True, text=True, env=environ, timeout=2 * seconds, check=False)  # fmt: skip
    assert done.returncode == 0, done.stderr
    seen = json.loads(done.stdout)
    return seen, {name: "".join(each["text"] for each in seen["outputs"][0] if each.get("name") == name) for name in ("stdout", "stderr")}  # fmt: skip


@pytest.mark.nightly
def test_a_cell_is_warned_and_interrupted_and_its_kernel_lives_on(
    place: Place, tmp_path: Path
) -> None:
    """It grows by 10 MB a second, in 900 MB together with its client: it can be warned of after a minute."""
    cells = (LEAK, "kept = len(held)\nheld.clear()\nprint('lives', kept > 300)")
    seen, told = interrupted(place, tmp_path, place.python, 900 << 20, *cells)
    assert told["stdout"].startswith("interrupted with "), seen
    assert (
        "tfdoctor: memory grows by " in told["stderr"]
        and "tfdoctor: interrupted this cell" in told["stderr"]
    )
    assert seen["outputs"][1][0]["text"] == "lives True\n"
    assert (seen["raised"], place.reports()) == ("", [])


MODEL = """
import sys, time
sys.path.append({root!r})
import tfdoctor.keras, keras, numpy, tensorflow as tf
x = numpy.random.RandomState(0).rand(2048, 20).astype("float32")
y = x.sum(1, keepdims=True) ** 2
def build():
    model = keras.Sequential([keras.Input((20,)), keras.layers.Dense(64, "relu"), keras.layers.Dense(1)])
    model.compile("adam", "mse")
    return model
def now(model): return int(model.optimizer.iterations), round(float(((model(x) - y) ** 2).numpy().mean()), 5)
"""
TRAINING = """
place = {place!r}
model, guard, held, saved = build(), tfdoctor.keras.Guard(place), [], {{}}
class Leak(keras.callbacks.Callback):
    def on_train_batch_end(self, batch, logs=None):
        newest = tf.train.latest_checkpoint(place)
        if newest is not None and newest not in saved:
            saved[newest] = now(model)
        held.append(b"x" * 400_000)
        time.sleep(0.05)
try:
    model.fit(x, y, batch_size=64, epochs=1000, verbose=0, callbacks=[guard, Leak()])
except KeyboardInterrupt:
    print("interrupted")
"""
GOES_ON = """
held.clear()
again, guard = build(), tfdoctor.keras.Guard(place)
epoch = guard.restore(again)
print("the same", now(again) == list(saved.values())[-1])
again.fit(x, y, batch_size=64, epochs=epoch + 2, initial_epoch=epoch, verbose=0, callbacks=[guard])
print("goes on", now(again)[0] == list(saved.values())[-1][0] + 64)
"""


@pytest.mark.nightly
def test_a_training_whose_cell_is_interrupted_goes_on_from_what_guard_saved(
    place: Place, tmp_path: Path
) -> None:
    """By 8 MB a second; the client and the kernel with TensorFlow take half of the limit."""
    try:
        tensorflow = environment(f"tensorflow=={NEWEST}", "ipykernel")
    except CannotBuild:
        pytest.skip(PACKAGES)
    kept = str(tmp_path / "kept")
    cells = (MODEL.format(root=str(ROOT)) + TRAINING.format(place=kept), GOES_ON)
    seen, told = interrupted(place, tmp_path, tensorflow, 1100 << 20, *cells, seconds=400)
    assert "interrupted\n" in told["stdout"], seen
    assert f"tfdoctor: saved to {kept}/ckpt-" in told["stderr"]
    assert "tfdoctor: interrupted this cell" in told["stderr"]
    said = "".join(each["text"] for each in seen["outputs"][1] if each.get("name") == "stdout")
    assert said == "the same True\ngoes on True\n", seen
    assert (seen["raised"], place.reports()) == ("", [])
