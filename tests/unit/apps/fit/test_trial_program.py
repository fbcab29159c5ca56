"""What a trial asks of a model and tells of it, with a Keras and a TensorFlow of some lines in place of the real ones (tests/real/ has those)."""

from __future__ import annotations

import contextlib
import json
import os
import sys
import types
from collections.abc import Callable
from pathlib import Path
from typing import Any

import psutil
import pytest

from tfdoctor.apps.fit import trial_program as trial
from tfdoctor.apps.fit.trial_program import RefusedError

CALLBACKS = str(Path(trial.__file__).parents[2] / "keras.py")


class Spec:
    """tf.TensorSpec, tf.Variable, a tensor: a shape and a type."""

    def __init__(self, shape: Any, dtype: str = "float32", name: str = "x") -> None:
        self.shape, self.dtype, self.name = tuple(shape), dtype, name

    def __repr__(self) -> str:
        return f"{self.dtype}{list(self.shape)}"


def mapped(work: Callable[..., Any], structure: Any) -> Any:
    if isinstance(structure, (list, tuple)):
        return type(structure)(mapped(work, each) for each in structure)
    if isinstance(structure, dict):
        return {key: mapped(work, each) for key, each in structure.items()}
    return work(structure)


def flat(structure: Any) -> list[Any]:
    found: list[Any] = []
    mapped(found.append, structure)
    return found


def packed(structure: Any, leaves: list[Any]) -> Any:
    left = list(leaves)
    return mapped(lambda each: left.pop(0), structure)


class Dataset:
    def __init__(self, batch: Any) -> None:
        self.batch = batch

    from_tensors = classmethod(lambda cls, batch: cls(batch))

    def repeat(self) -> Dataset:
        return self


class Optimizer:
    """`slots`: variables that it keeps for each weight."""

    __module__ = "keras.optimizers"
    slots = 2

    def __init__(self) -> None:
        self.variables: Any = []

    def get_config(self) -> dict[str, Any]:
        return {}

    @classmethod
    def from_config(cls, config: dict[str, Any]) -> Any:
        return cls()

    def build(self, weights: list[Spec]) -> None:
        self.variables = [Spec(each.shape) for each in weights for _ in range(self.slots)]


class Keras2(Optimizer):
    def build(self, weights: list[Spec]) -> None:
        super().build(weights)
        made = self.variables
        self.variables = lambda: made


class Sgd(Optimizer):
    slots = 0


class OfTheUser(Optimizer):
    def get_config(self) -> dict[str, Any]:
        raise NotImplementedError  # as an optimizer of a user may


class Model:
    """One dense layer of 100 times 10 weights, compiled, as Keras 3 has it."""

    __module__ = "keras.src.models"
    inputs: Any = (Spec((None, 100)),)
    outputs: Any = (Spec((None, 10)),)
    loss: Any = "mse"
    built = True

    def __init__(self) -> None:
        self.optimizer: Any = Optimizer()
        self.variables = self.trainable_variables = [Spec((100, 10))]
        self.seen: dict[str, Any] = {}

    def compile(self) -> None: ...

    def fit(self, data: Dataset, **asked: Any) -> None:
        self.seen = {"batch": data.batch, **asked}


class Layer:
    def __init__(self, name: str, weights: list[Spec], output: Any) -> None:
        self.name, self.weights, self.output = name, weights, output


@pytest.fixture(autouse=True)
def keras(monkeypatch: pytest.MonkeyPatch) -> types.ModuleType:
    """TensorFlow and Keras for a test; what a trial changes in its process is taken back."""
    tensorflow, made = types.ModuleType("tensorflow"), types.ModuleType("keras")
    tensorflow.__dict__.update(
        TensorSpec=Spec, zeros=Spec, Variable=lambda each: each, device=lambda name: contextlib.nullcontext(),
        nest=types.SimpleNamespace(map_structure=mapped, flatten=flat, pack_sequence_as=packed),
        data=types.SimpleNamespace(Dataset=Dataset),
        keras=types.SimpleNamespace(models=types.SimpleNamespace(load_model=lambda file: ("saved", file))),
    )  # fmt: skip
    made.__dict__.update(
        Variable=lambda each: each,
        callbacks=types.SimpleNamespace(Callback=object),
        backend=types.SimpleNamespace(backend=lambda: "tensorflow"),
    )
    for name, module in (("tensorflow", tensorflow), ("keras", made)):
        monkeypatch.setitem(sys.modules, name, module)
    for name in ("_tfdoctor_file", "_tfdoctor_keras"):
        monkeypatch.setitem(sys.modules, name, types.ModuleType(name))
    monkeypatch.setattr(sys, "argv", list(sys.argv))
    monkeypatch.setattr(sys, "path", list(sys.path))
    return made


@pytest.fixture
def callbacks() -> Any:
    return trial._module("_tfdoctor_keras", CALLBACKS)


def refused(work: Callable[[], object]) -> tuple[str, str]:
    with pytest.raises(RefusedError) as error:
        work()
    return error.value.kind, str(error.value)


def test_a_trial_says_where_it_is_and_what_it_saw(tmp_path: Path) -> None:
    (tmp_path / "train.py").write_text(
        "from tests.unit.apps.fit.test_trial_program import Model\n"
        "model = Model()\n"
        "def build(): return model, lambda size: ([1] * size, [2] * size)\n"
    )
    told: list[dict[str, Any]] = []
    asked = {
        "file": str(tmp_path / "train.py"), "function": "build", "shapes": [], "batch": 3, "steps": 4,
        "compiled": "", "callbacks": CALLBACKS,
    }  # fmt: skip
    trial._try(asked, lambda **said: told.append(said))
    assert [each["stage"] for each in told if "stage" in each] == ["import", "build", "data", "step"]  # fmt: skip
    (host,) = (each["host"] for each in told if "host" in each)
    assert host["steps"] == 4 and host["peak"] > 0
    seen = sys.modules["_tfdoctor_file"].model.seen
    assert seen["batch"] == ((1, 1, 1), (2, 2, 2)), "tf.data makes one tensor of a list"
    assert (seen["steps_per_epoch"], seen["epochs"]) == (4, 1)
    (steps,) = seen["callbacks"]
    assert type(steps).__name__ == "Steps"


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("x = 1", ("no-function", "build")),
        ("build = 3", ("no-function", "build")),
        ("def build(): return 3", ("no-model", "int")),
    ],
)
def test_a_file_that_can_not_be_tried(text: str, kind: tuple[str, str], tmp_path: Path) -> None:
    (tmp_path / "train.py").write_text(text)
    asked = {"file": str(tmp_path / "train.py"), "function": "build", "compiled": ""}
    assert refused(lambda: trial._try(asked, lambda **said: None)) == kind
    assert sys.argv == [str(tmp_path / "train.py")], "as if it had been started"


def test_a_saved_model_is_loaded() -> None:
    told: list[dict[str, Any]] = []
    assert trial._load("m.keras", "", lambda **said: told.append(said)) == ("saved", "m.keras")
    assert told == [{"stage": "build"}]


def test_models_that_are_refused(keras: types.ModuleType) -> None:
    model = Model()
    trial._refuse_what_is_no_model(model)
    keras.__dict__["backend"] = types.SimpleNamespace(backend=lambda: "jax")
    assert refused(lambda: trial._refuse_what_is_no_model(model)) == ("backend", "jax")
    model.optimizer = None
    assert refused(lambda: trial._refuse_what_is_no_model(model)) == ("not-compiled", "")


class OpenImages(Model):
    inputs = (Spec((None, None, None, 3), name="image"),)


class OfASize(Model):
    inputs = (Spec((32, 100)),)


class TwoOutputs(Model):
    inputs = [Spec((None, 4), "int32"), Spec((None, 5))]  # noqa: RUF012  # as Keras has it
    input = inputs
    outputs = (Spec((None, 7)), Spec((None, 9)))
    output = {"word": outputs[0], "rest": outputs[1]}  # noqa: RUF012  # as above
    loss = ["sparse_categorical_crossentropy", "mse"]  # noqa: RUF012  # as above


class OneSparse(Model):
    loss = type("SparseCategoricalCrossentropy", (), {})()


class Unbuilt(Model):
    inputs = None
    built = False

    def build(self, shape: Any) -> None:
        self.built_for = shape

    def __call__(self, sample: Spec) -> Spec:
        return Spec((*sample.shape[:1], 2))


@pytest.mark.parametrize(
    ("model", "shapes", "batch"),
    [
        (Model, [], "(float32[None, 100], float32[None, 10])"),
        (OfASize, [], "(float32[32, 100], float32[None, 10])"),
        (OpenImages, [[8, 8, 3]], "(float32[None, 8, 8, 3], float32[None, 10])"),
        (TwoOutputs, [], "((int32[None, 4], float32[None, 5]), {'word': int64[None], 'rest': float32[None, 9]})"),
        (OneSparse, [], "(float32[None, 100], int64[None])"),
        (Unbuilt, [[5]], "(float32[None, 5], float32[None, 2])"),
    ],
)  # fmt: skip
def test_made_up_samples_have_the_models_shapes(
    model: type[Model], shapes: list[list[int]], batch: str
) -> None:
    made = model()
    samples = trial._Samples(made, shapes, 32)
    assert repr((samples._inputs, samples._targets)) == batch
    assert getattr(made, "built_for", (None, 5)) == (None, 5)


@pytest.mark.parametrize(
    ("model", "size", "why"),
    [
        (OpenImages, 32, ("no-shape", "the input image is (None, None, 3)")),
        (OfASize, 8, ("fixed-batch", "32")),
        (Unbuilt, 8, ("no-shape", "the model was built without an input")),
    ],
)
def test_samples_that_can_not_be_made_up(
    model: type[Model], size: int, why: tuple[str, str]
) -> None:
    assert refused(lambda: trial._Samples(model(), [], size)) == why


def test_a_model_is_described(callbacks: Any) -> None:
    model: Any = Model()
    model.variables = [*model.variables, Spec((10,), "int64")]
    model.dtype_policy = types.SimpleNamespace(compute_dtype="float16")
    inner = Layer("inside", [Spec((2, 2))], Spec((None, 2)))
    nested = types.SimpleNamespace(layers=[inner])
    outputs = [Spec((None, 3), "float16"), Spec((None, 5)), None]
    dense = Layer("dense", [Spec((100, 10))], Spec((None, 10)))
    model._flatten_layers = lambda: [model, nested, inner, dense, Layer("two", [], outputs)]
    told = trial._described(model, callbacks)
    assert told.pop("base") > 0
    assert told == {
        "weights": 4000 + 80, "gradients": 4000, "optimizer": 8000, "optimizer_name": "Optimizer", "compute": "float16",
        "layers": [
            {"name": "inside", "weights": 16, "output": 8},
            {"name": "dense", "weights": 4000, "output": 40},
            {"name": "two", "weights": 0, "output": 6 + 20},
        ],
    }  # fmt: skip


@pytest.mark.parametrize(
    ("optimizer", "times"), [(Optimizer, 2.0), (Keras2, 2.0), (Sgd, 0.0), (OfTheUser, 0.0)]
)
def test_the_state_of_an_optimizer(optimizer: type[Optimizer], times: float, callbacks: Any) -> None:  # fmt: skip
    assert trial._state_of(optimizer(), callbacks) == times


def test_gradients_that_are_added_up_take_one_step_more() -> None:
    model = Model()
    assert trial._accumulated(model) == 0
    model.optimizer.gradient_accumulation_steps = 4
    assert trial._accumulated(model) == 4


class Function:
    """tf.function, whose compiler leaves a report of 100 bytes a sample, and a smaller one."""

    def __init__(self, step: Any, jit_compile: bool) -> None:
        assert jit_compile

    def experimental_get_compiler_ir(self, *specs: Spec) -> Callable[..., None]:
        def compiled(stage: str) -> None:
            size, place = specs[0].shape[0], Path(os.environ["XLA_FLAGS"].partition("_to=")[2])
            for name, total in ((f"a{size}", 7), (f"b{size}", size * 100)):
                report = place / f"{name}-memory-usage-report.txt"
                report.write_text(f"Total bytes used: {total} ({stage})\nAllocations: …\n")
            (place / f"{size}.txt").write_text("HloModule")

        return compiled


def test_xlas_own_reports_of_steps_that_are_compiled_and_not_run(
    tmp_path: Path, keras: types.ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of each size the largest that this step added."""
    monkeypatch.setenv("XLA_FLAGS", "--xla_gpu_autotune_level=0")
    monkeypatch.setattr("tensorflow.function", Function, raising=False)
    (tmp_path / "xla").mkdir()
    (tmp_path / "xla/old-memory-usage-report.txt").write_text("Total bytes used: 999999 (1MiB)\n")
    (tmp_path / "train.py").write_text(
        "from tests.unit.apps.fit.test_trial_program import Model, Spec\n"
        "def build(): return Model(), lambda size: [Spec((size, 100))]\n"
    )
    told: list[dict[str, Any]] = []
    asked = {
        "file": str(tmp_path / "train.py"), "function": "build", "shapes": [], "batch": 3, "steps": 4,
        "compiled": str(tmp_path / "xla"), "callbacks": CALLBACKS,
    }  # fmt: skip
    trial._try(asked, lambda **said: told.append(said))
    assert [each for each in told if "stage" not in each and "model" not in each] == [
        {"report": {"batch": 8, "bytes": 800}},
        {"report": {"batch": 64, "bytes": 6400}},
        {"gpus": []},
    ]
    assert told[-4] == {"stage": "compile"}
    assert os.environ["XLA_FLAGS"].startswith("--xla_gpu_autotune_level=0 --xla_dump_to=")


def test_the_own_memory_of_a_process() -> None:
    told, seen = trial._of_process("VmRSS"), psutil.Process().memory_info()
    assert told == pytest.approx(seen.rss - seen.shared, rel=0.1)
    assert trial._of_process("VmHWM") >= told * 0.9


@pytest.mark.parametrize("asked", [{"callbacks": CALLBACKS}, {"callbacks": "/none.py"}])
def test_gpus_that_nobody_shows(asked: dict[str, str], monkeypatch: pytest.MonkeyPatch) -> None:
    """It is about another error: nothing is raised here."""
    monkeypatch.delitem(sys.modules, "_tfdoctor_keras")
    assert trial._gpus(asked) == []
    monkeypatch.delitem(sys.modules, "tensorflow")
    assert trial._gpus(asked) == []


def test_the_limit_of_each_gpu(monkeypatch: pytest.MonkeyPatch) -> None:
    callbacks = types.SimpleNamespace(_context=lambda: 1, _limits=lambda context: {"GPU:0": 9})
    monkeypatch.setitem(sys.modules, "_tfdoctor_keras", callbacks)
    assert trial._gpus({"callbacks": CALLBACKS}) == [{"device": "GPU:0", "limit": 9}]


@pytest.mark.parametrize(("text", "line"), [("x = 1\n1 / 0", 2), ("import json\njson.loads('')", 2)])  # fmt: skip
def test_the_users_line_of_an_error(text: str, line: int, tmp_path: Path) -> None:
    file = tmp_path / "train.py"
    file.write_text(text)
    with pytest.raises((ZeroDivisionError, ValueError)) as error:
        trial._module("_tfdoctor_file", str(file))
    assert trial._line_in(str(file), error.value) == line
    assert trial._line_in("/elsewhere.py", error.value) == 0


def test_what_is_told_is_a_line_of_json_and_a_fork_of_the_file_tells_nothing(tmp_path: Path) -> None:  # fmt: skip
    tell = trial._teller(str(tmp_path / "told"))
    tell(stage="import")
    child = os.fork()
    if not child:
        tell(stage="never")
        os._exit(9)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    tell(host={"peak": 1, "steps": 2})
    told = [json.loads(line) for line in (tmp_path / "told").read_text().splitlines()]
    assert told == [{"stage": "import"}, {"host": {"peak": 1, "steps": 2}}]
    assert (tmp_path / "told").stat().st_mode & 0o777 == 0o600
