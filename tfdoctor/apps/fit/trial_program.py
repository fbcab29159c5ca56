"""One trial, in the user's Python: builds the model, trains a few steps with one batch size, and writes what it learns to a file.

Started with one word of JSON: "file" (FILE.py or a saved model), "function", "batch", "steps", "shapes" (of a sample, for inputs that
leave them open), "out", "callbacks" (the path of tfdoctor/keras.py, whose `Steps` measures) and "compiled" (a folder for XLA's
reports; no step is run then). Each line of "out" is an object: "stage", "model", "host", "report", "error" or "gpus".
Nothing of tfdoctor need be installed here. What the file prints goes where it always goes.
"""

from __future__ import annotations

import ctypes
import importlib.util
import json
import os
import signal
import sys
import traceback

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

_PR_SET_PDEATHSIG = 1  # linux/prctl.h
_COMPILED = (8, 64)


class RefusedError(Exception):
    """What the file gives can't be tried; the kind says why, the text what it is about."""

    def __init__(self, kind: str, text: str = "") -> None:
        super().__init__(text)
        self.kind = kind


def main(asked: dict[str, Any]) -> None:
    tell = _teller(asked["out"])
    _be_the_first_to_die()
    try:
        _try(asked, tell)
    except BaseException as error:  # noqa: BLE001  # also SystemExit: a file that parses its arguments when it is imported
        traceback.print_exc()
        kind = error.kind if isinstance(error, RefusedError) else "raised"
        line = _line_in(asked["file"], error)
        tell(
            error={
                "kind": kind,
                "type": type(error).__name__,
                "text": str(error)[:2000],
                "line": line,
            }
        )
        tell(gpus=_gpus(asked))
        sys.stderr.flush()
        os._exit(1)
    sys.stdout.flush()
    os._exit(0)  # whatever the file has started: threads, atexit


def _try(asked: dict[str, Any], tell: Any) -> None:
    tell(stage="import")
    if asked["compiled"]:
        os.environ["XLA_FLAGS"] = (
            f"{os.environ.get('XLA_FLAGS', '')} --xla_dump_to={asked['compiled']}"
        )
    made = _load(asked["file"], asked["function"], tell)
    model, batch = made if isinstance(made, tuple) and len(made) == 2 else (made, None)
    _refuse_what_is_no_model(model)
    callbacks = _module("_tfdoctor_keras", asked["callbacks"])
    make = batch or _Samples(model, asked["shapes"], asked["batch"]).of
    tell(model=_described(model, callbacks))
    if asked["compiled"]:
        tell(stage="compile")
        for size in _COMPILED:
            tell(report={"batch": size, "bytes": _compiled(model, make, size, asked["compiled"])})
        tell(gpus=_gpus(asked))
        return
    size, steps = asked["batch"], max(asked["steps"], _accumulated(model) + 1)
    tell(stage="data")
    data = _dataset(make(size))
    tell(stage="step")
    model.fit(
        data,
        epochs=1,
        steps_per_epoch=steps,
        verbose=0,
        callbacks=[callbacks.Steps(batch_size=size)],
    )
    tell(host={"peak": _of_process("VmHWM"), "steps": steps})


def _load(file: str, function: str, tell: Any) -> Any:
    if not file.endswith(".py"):
        import tensorflow as tf

        tell(stage="build")
        return tf.keras.models.load_model(file)
    sys.argv = [file]
    sys.path.insert(0, os.path.dirname(file))
    # Its own name may be a library's, too.
    build = getattr(_module("_tfdoctor_file", file), function, None)
    if not callable(build):
        raise RefusedError("no-function", function)
    tell(stage="build")
    return build()


def _module(name: str, file: str) -> Any:
    """The file as a module of that name."""
    spec = importlib.util.spec_from_file_location(name, file)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


def _refuse_what_is_no_model(model: Any) -> None:
    if not all(hasattr(model, name) for name in ("fit", "trainable_variables", "compile")):
        raise RefusedError("no-model", type(model).__name__)
    if getattr(model, "optimizer", None) is None:
        raise RefusedError("not-compiled")
    keras = sys.modules.get("keras")
    backend = (
        keras.backend.backend()
        if keras and type(model).__module__.startswith("keras.")
        else "tensorflow"
    )
    if backend != "tensorflow":
        raise RefusedError("backend", backend)


class _Samples:
    """Batches of made-up samples of the model's shapes: memory does not depend on what is in them."""

    def __init__(self, model: Any, shapes: list[list[int]], size: int) -> None:
        import tensorflow as tf

        self._tf, self._given, self._size = tf, [tuple(each) for each in shapes], size
        if self._given and not getattr(model, "built", True):
            model.build((None, *self._given[0]))
        if getattr(model, "inputs", None):
            self._inputs = tf.nest.map_structure(self._input, _structure(model, "input"))
            outputs = _structure(model, "output")
        elif self._given:
            self._inputs = tf.TensorSpec((None, *self._given[0]), "float32")
            outputs = model(tf.zeros((1, *self._given[0])))
        else:
            raise RefusedError("no-shape", "the model was built without an input")
        self._targets = self._of_outputs(
            _as_tuples(outputs), tf.nest.flatten(getattr(model, "loss", None))
        )

    def of(self, size: int) -> Any:
        """Inputs and targets."""
        return self._tf.nest.map_structure(
            lambda spec: _full(spec, size), (self._inputs, self._targets)
        )

    def _input(self, each: Any) -> Any:
        shape = tuple(each.shape)
        if shape[0] not in (None, self._size):
            raise RefusedError("fixed-batch", str(shape[0]))
        if self._given:
            shape = (None, *self._given.pop(0))
        elif None in shape[1:]:
            raise RefusedError("no-shape", f"the input {each.name} is {shape[1:]}")
        return self._tf.TensorSpec(shape, each.dtype)

    def _of_outputs(self, outputs: Any, losses: list[Any]) -> Any:
        """Integers without the last length for a sparse loss, else what the output is."""
        flat = self._tf.nest.flatten(outputs)
        losses = losses if len(losses) == len(flat) else losses[:1] * len(flat)
        specs = []
        for each, loss in zip(flat, losses):  # noqa: B905  # may be Python 3.9
            name = f"{loss} {getattr(loss, '__name__', '')} {type(loss).__name__}".lower()
            shape = (None, *each.shape[1:])
            sparse = "sparse" in name
            specs.append(
                self._tf.TensorSpec(shape[:-1], "int64")
                if sparse
                else self._tf.TensorSpec(shape, "float32")
            )
        return self._tf.nest.pack_sequence_as(outputs, specs)


def _structure(model: Any, name: str) -> Any:
    """Its inputs or outputs as it was given them; a Sequential model of Keras 3 has the plain list alone."""
    try:
        return _as_tuples(getattr(model, name))
    except AttributeError:
        listed = tuple(getattr(model, f"{name}s"))
        return listed[0] if len(listed) == 1 else listed


def _as_tuples(structure: Any) -> Any:
    """tf.data makes one tensor of a list."""
    if isinstance(structure, (list, tuple)):
        return tuple(_as_tuples(each) for each in structure)
    if isinstance(structure, dict):
        return {key: _as_tuples(each) for key, each in structure.items()}
    return structure


def _full(spec: Any, size: int) -> Any:
    """An array whose pages are all written, as those of real data are."""
    import numpy as np

    kind = spec.dtype.as_numpy_dtype
    return np.full((size, *spec.shape[1:]), b"" if kind is np.object_ else 0, kind)


def _dataset(batch: Any) -> Any:
    """The same batch again and again, kept outside of the GPU."""
    import tensorflow as tf

    with tf.device("CPU:0"):
        return tf.data.Dataset.from_tensors(_as_tuples(batch)).repeat()


def _accumulated(model: Any) -> int:
    """Steps whose gradients the optimizer adds up before it changes the weights."""
    return int(getattr(model.optimizer, "gradient_accumulation_steps", None) or 0)


def _described(model: Any, callbacks: Any) -> dict[str, Any]:
    """What the model takes whatever the batch, and its layers, in bytes."""
    size = callbacks._bytes_of
    optimizer = getattr(model.optimizer, "inner_optimizer", model.optimizer)
    gradients = callbacks._weights(model)
    layers = []
    for layer in getattr(model, "_flatten_layers", list)():
        if layer is model or getattr(layer, "layers", None):
            continue
        outputs = _flat(getattr(layer, "output", None))
        made = sum(size(each.shape[1:], each.dtype) for each in outputs if hasattr(each, "shape"))
        held = sum(size(each.shape, each.dtype) for each in getattr(layer, "weights", ()))
        layers.append({"name": str(getattr(layer, "name", "")), "weights": held, "output": made})
    return {
        "weights": sum(size(each.shape, each.dtype) for each in model.variables),
        "gradients": gradients,
        "optimizer": round(gradients * _state_of(optimizer, callbacks)),
        "optimizer_name": type(optimizer).__name__,
        "layers": layers,
        "compute": str(getattr(getattr(model, "dtype_policy", None), "compute_dtype", "float32")),
        "base": _of_process("VmRSS"),
    }


def _state_of(optimizer: Any, callbacks: Any) -> float:
    """How many bytes such an optimizer keeps for each byte of weights, by those it makes for a small one."""
    import tensorflow as tf

    keras = sys.modules[type(optimizer).__module__.partition(".")[0]]
    make = getattr(keras, "Variable", tf.Variable)
    try:
        other = type(optimizer).from_config(optimizer.get_config())
        with tf.device("CPU:0"):
            other.build([make(tf.zeros((256, 256)))])
    except Exception:  # noqa: BLE001  # one of the user's own that can't be made again
        return 0.0
    state: int = sum(callbacks._bytes_of(each.shape, each.dtype) for each in _variables_of(other))
    return state / (256 * 256 * 4)


def _variables_of(optimizer: Any) -> Any:
    found = optimizer.variables
    return found() if callable(found) else found  # Keras 2


def _flat(outputs: Any) -> list[Any]:
    return list(outputs) if isinstance(outputs, (list, tuple)) else [outputs]


def _compiled(model: Any, make: Any, size: int, folder: str) -> int:
    """The bytes that XLA's own report gives for a step that it compiles. Nothing is run."""
    import tensorflow as tf

    known = set(os.listdir(folder))
    specs = tf.nest.map_structure(
        lambda each: tf.TensorSpec(each.shape, each.dtype), _as_tuples(make(size))
    )
    step = tf.function(lambda *data: model.train_step(data), jit_compile=True)
    step.experimental_get_compiler_ir(*specs)(stage="optimized_hlo")
    return max(_total(os.path.join(folder, name)) for name in set(os.listdir(folder)) - known)


def _total(name: str) -> int:
    if not name.endswith("memory-usage-report.txt"):
        return 0
    with open(name, encoding="ascii", errors="replace") as file:
        return int(file.readline().partition("Total bytes used:")[2].split()[0])


def _of_process(which: str) -> int:
    """VmRSS or its peak, VmHWM, of this process' own memory: less the pages of files and what is shared (proc(5))."""
    with open("/proc/self/status", encoding="ascii", errors="replace") as file:
        told = dict(
            line.split(":", 1) for line in file if line.startswith((which, "RssFile", "RssShmem"))
        )
    kib = {name: int(value.split()[0]) for name, value in told.items()}
    return (kib[which] - kib["RssFile"] - kib["RssShmem"]) * 1024


def _gpus(asked: dict[str, Any]) -> list[dict[str, Any]]:
    """What TensorFlow may use of each GPU, where it has come so far."""
    if "tensorflow" not in sys.modules:
        return []
    try:
        callbacks = sys.modules.get("_tfdoctor_keras") or _module(
            "_tfdoctor_keras", asked["callbacks"]
        )
        return [
            {"device": name, "limit": size}
            for name, size in callbacks._limits(callbacks._context()).items()
        ]
    except Exception:  # noqa: BLE001  # it is about another error
        return []


def _line_in(file: str, error: BaseException) -> int:
    """The line of the user's file that it came from; 0 where it came from elsewhere."""
    lines = [
        each.lineno for each in traceback.extract_tb(error.__traceback__) if each.filename == file
    ]
    return lines[-1] or 0 if lines else 0


def _teller(out: str) -> Any:
    handle, pid = (
        os.open(out, os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC, 0o600),
        os.getpid(),
    )

    def tell(**said: Any) -> None:
        if (
            os.getpid() != pid
        ):  # the file forked when it was imported, and this is no trial of its own
            os._exit(0)
        os.write(handle, json.dumps(said).encode("ascii") + b"\n")

    return tell


def _be_the_first_to_die() -> None:
    """With the process that started this one (prctl(2)), and before anything else on this machine where memory runs out."""
    ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
    try:
        with open("/proc/self/oom_score_adj", "w", encoding="ascii") as file:
            file.write("1000")
    except OSError:  # a sandbox whose /proc can't be written
        return


if __name__ == "__main__":
    main(json.loads(sys.argv[1]))
