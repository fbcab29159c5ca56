"""Callbacks for Keras. `Steps` tells `tfdoctor run` how training goes: when steps begin, how often they were traced, what GPU
memory a step takes. `Guard` saves before memory runs out.

    import tfdoctor.keras

    guard = tfdoctor.keras.Guard("checkpoints")
    callbacks = [tfdoctor.keras.Steps(batch_size=64), guard]
    model.fit(x, y, batch_size=64, initial_epoch=guard.restore(model), callbacks=callbacks)

Outside of `tfdoctor run` `Steps` does nothing unless it requires a GPU. It waits for no GPU and stops no training; after the first step of a
`fit` it resets TensorFlow's peak of memory, once. Of TensorFlow both use what Keras has imported; nothing else of tfdoctor is
loaded into a program that makes no `Guard`.
"""

from __future__ import annotations

import contextlib
import errno
import importlib
import json
import os
import re
import shutil
import sys
import time
from typing import TYPE_CHECKING, Any

_PLACE, _RUN = "TFDOCTOR_RUN_STEPS", "TFDOCTOR_RUN_ID"
_PAUSE_S = 0.1  # steps that follow each other more quickly are not written one by one
_LOOK_EVERY_S = 1.0
# What TensorFlow writes before it renames (tensor_bundle.cc)
_PART = re.compile(r"\.tempstate\d+|_temp(?:$|/)")
_DOUBLED_AFTER = 20_000  # lines; so the file of a run that takes weeks stays small


def _base() -> Any:
    """The class that callbacks of the program's Keras have: Keras 2 in its package of today where TensorFlow is told so."""
    legacy = os.environ.get("TF_USE_LEGACY_KERAS", "").lower() in ("1", "true")
    return importlib.import_module("tf_keras" if legacy else "keras").callbacks.Callback


if TYPE_CHECKING:

    class Callback:
        """What both releases of Keras have in common, as far as it is used here."""

        model: Any
else:
    Callback = _base()


class _Told:
    """The file that the recorder reads: a line of JSON each. Steps, epochs and fits are counted over the whole program."""

    def __init__(self, place: str) -> None:
        self._place, self._pid, self._handle = place, 0, -1
        self.steps = self.epochs = self.fits = self._lines = 0
        self._next = 0.0

    def write(self, **said: Any) -> None:
        """Nothing where the file can't be written: the program's work goes on. A forked child has a file of its own."""
        if self._pid != os.getpid():
            self._pid = os.getpid()
            self._handle = self._open()
        if self._handle < 0:
            return
        line = json.dumps({"pid": self._pid, "t": round(time.monotonic(), 3), **said})
        try:
            os.write(self._handle, line.encode("ascii") + b"\n")
        except OSError:  # a full disk
            os.close(self._handle)
            self._handle = -1

    def _open(self) -> int:
        flags = os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC | os.O_NOFOLLOW
        try:
            return os.open(self._place, flags, 0o600)
        except OSError:
            return -1

    def step(self, *, always: bool, traces: int | None) -> None:
        """The step that begins now. `always`: however short the last one is past."""
        now = time.monotonic()
        if now < self._next and not always:
            return
        self._lines += 1
        self._next = now + _PAUSE_S * 2 ** (self._lines // _DOUBLED_AFTER)
        counted = {} if traces is None else {"traces": traces}
        self.write(step=self.steps, epoch=self.epochs, **counted)


_told = _Told(os.environ[_PLACE]) if os.environ.get(_PLACE) else None


class Steps(Callback):
    """The callback. `batch_size`: the one that `fit` works with; Keras does not tell it to callbacks.

    `require_gpu`: raise RuntimeError at the first step of a `fit` where TensorFlow has no GPU, also outside of `tfdoctor run`.
    """

    async_safe = True  # Keras 3 may go on handing out steps before the last one's numbers are there
    _supports_tf_logs = True  # Keras 2: no need to fetch them for us

    def __init__(self, batch_size: int = 0, *, require_gpu: bool = False) -> None:
        super().__init__()
        self._batch, self._told, self._require_gpu = int(batch_size), _told, require_gpu
        self._first = 0
        self._last, self._stride = -1, 1
        self._memory: dict[str, dict[str, int]] | None = None
        self._result = 0
        self._unseen = False

    def on_train_begin(self, logs: Any = None) -> None:
        """Another `fit`."""
        self._last, self._memory = -1, None
        self._unseen = self._require_gpu
        if self._told is not None:
            self._told.fits += 1
            self._first = self._told.steps

    def on_train_batch_begin(self, batch: int, logs: Any = None) -> None:
        """What the step before it took shows now."""
        if self._unseen:
            self._unseen = False
            _need_gpu()
        self._safely(self._step, batch)

    def on_epoch_end(self, epoch: int, logs: Any = None) -> None:
        """The last step of an epoch shows here."""
        self._safely(self._epoch)

    def on_train_end(self, logs: Any = None) -> None:
        """How many steps there were: quick ones are not told one by one."""
        self._safely(lambda told: told.write(done=told.steps))

    def _safely(self, tell: Any, *arguments: Any) -> None:
        """Whatever goes wrong here must not end the training; the recorder is told, and nothing more is asked."""
        if self._told is None:
            return
        try:
            tell(self._told, *arguments)
        except Exception as error:  # noqa: BLE001  # any release of Keras may surprise us
            self._told.write(error=f"{type(error).__name__}: {error}"[:300])
            self._told = None

    def _step(self, told: _Told, batch: int) -> None:
        if batch > self._last >= 0:
            self._stride = batch - self._last
        told.steps = self._first + batch
        told.step(
            always=self._last < 0, traces=_traces(getattr(self.model, "train_function", None))
        )
        self._last = batch
        self._look(told)

    def _epoch(self, told: _Told) -> None:
        self._look(told)
        told.epochs += 1
        told.steps = self._first = told.steps + self._stride
        self._last = -1

    def _look(self, told: _Told) -> None:
        """Written where a peak has risen: after the first steps, and then hardly ever."""
        context = _context()
        if context is None:
            return
        if self._memory is None:
            self._memory = {name: {"limit": size} for name, size in _limits(context).items()}
            told.write(gpus=len(self._memory))
            self._result = _largest_result(self.model)
        changed = False
        for name, known in self._memory.items():
            changed |= self._learn(context, name, known)
        if changed:
            devices = [{"device": name, **known} for name, known in self._memory.items()]
            told.write(
                fit=told.fits,
                batch=self._batch,
                result=self._result,
                weights=_weights(self.model),
                xla=_by_xla(self.model),
                memory=devices,
            )

    def _learn(self, context: Any, name: str, known: dict[str, int]) -> bool:
        """Whether there is news. The first step also tries out algorithms and makes the optimizer's variables, so a later one is measured."""
        used = context.get_memory_info(name)
        if "before" not in known:
            known["before"] = used["current"]
            return True
        if "held" not in known:
            known["held"] = used["current"]
            context.reset_memory_stats(name)
            return True
        if used["peak"] <= known.get("peak", 0):
            return False
        known["peak"] = used["peak"]
        return True


class Guard(Callback):
    """Saves model, optimizer, epoch and step at the end of a batch when memory is about to run out: that of the container, of
    the machine, or what TensorFlow may use of a GPU.

    `directory` gets checkpoints of tf.train.Checkpoint, the newest two: saving by it needs next to no memory, unlike
    `model.save`. `stop`: also end the training in order. `every`: also save after so many seconds. What can't be saved is said on
    stderr, and the training goes on. Raises OSError where the directory can't be made or written.
    """

    def __init__(
        self, directory: str | os.PathLike[str], *, stop: bool = False, every: float | None = None
    ) -> None:
        super().__init__()
        self._place = os.fspath(directory)
        os.makedirs(self._place, exist_ok=True)
        if not os.access(self._place, os.W_OK | os.X_OK):
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), self._place)
        self._stop, self._every = stop, float("inf") if every is None else float(every)
        self._watch: Any = None
        self._saver: Any = None
        self._counts: dict[str, Any] = {}
        self._wanted: str | None = None
        self._epoch = 0

    def restore(self, model: Any = None) -> int:
        """Loads the newest checkpoint into the model, without one when `fit` begins; returns the epoch to go on with.

        0 where nothing has been saved. An epoch that was interrupted begins again. Raises what TensorFlow raises for a checkpoint that
        does not fit the model.
        """
        train = _tensorflow().train
        newest = train.latest_checkpoint(self._place)
        if newest is None:
            return 0
        if model is None:
            self._wanted = newest
        else:
            self._checkpoint(model).restore(
                newest
            ).expect_partial().assert_existing_objects_matched()
        return int(train.load_checkpoint(newest).get_tensor("epoch/.ATTRIBUTES/VARIABLE_VALUE"))

    def on_train_begin(self, logs: Any = None) -> None:
        """Another `fit`."""
        self._saver = self._watch = None
        wanted, self._wanted = self._wanted, None
        if refused := _why_not_saved(self.model):
            _say(f"nothing is saved: {refused}")
            return
        checkpoint = self._checkpoint(self.model)
        if wanted is not None:
            checkpoint.restore(wanted).expect_partial().assert_existing_objects_matched()
        self._saver = _tensorflow().train.CheckpointManager(checkpoint, self._place, max_to_keep=2)
        self._watch = _Watch(self._every)

    def on_epoch_begin(self, epoch: int, logs: Any = None) -> None:
        """The number that a checkpoint gets."""
        self._epoch = epoch

    def on_train_batch_end(self, batch: int, logs: Any = None) -> None:
        """At most once a second memory is looked at."""
        due = self._watch.look() if self._watch is not None else None
        if due is not None:
            self._save(batch + 1, warning=due)

    def _save(self, step: int, *, warning: str) -> None:
        self._counts["epoch"].assign(self._epoch)
        self._counts["step"].assign(step)
        where = f"epoch {self._epoch + 1}, step {step}"
        if warning and not os.environ.get(_RUN):  # `tfdoctor run` says it itself
            _say(warning)
        try:
            saved = self._saver.save()
        except Exception as error:  # noqa: BLE001  # a full disk, a share that is gone: the training must go on
            _remove_parts(self._place)
            why = str(error).partition("\n")[0][:300]
            _say(f"could not save to {self._place} at {where}: {type(error).__name__}: {why}")
            return
        stopped = bool(warning) and self._stop
        if stopped:
            self.model.stop_training = True
        if warning:
            _say(f"saved to {saved} at {where}{'; the training ends now' if stopped else ''}.")

    def _checkpoint(self, model: Any) -> Any:
        train, variable = _tensorflow().train, _tensorflow().Variable
        self._counts = {
            name: variable(0, dtype="int64", trainable=False) for name in ("epoch", "step")
        }
        optimizer = getattr(model, "optimizer", None)
        known = {} if optimizer is None else {"optimizer": optimizer}
        return train.Checkpoint(model=model, **known, **self._counts)


class _Watch:
    """What says when to save: a forecast as that of `tfdoctor run`, made of this process' own memory, or the clock."""

    def __init__(self, every: float) -> None:
        from tfdoctor.ask.recorder.own_memory import OwnMemory
        from tfdoctor.ask.recorder.warner import Warner

        self._memory, self._warnings = OwnMemory(), list[str]()
        self._warner = Warner(self._warnings.append)
        self._every, self._began = every, time.monotonic()
        self._looked = 0.0
        self._saved = self._began

    def look(self) -> str | None:
        """The warning, "" where it is only time again, None where nothing is to be saved."""
        now = time.monotonic()
        if now - self._looked < _LOOK_EVERY_S:
            return None
        self._looked = now
        self._warner.look(self._memory.look(now - self._began, _gpus()), ())
        warning = self._warnings.pop() if self._warnings else ""
        if not warning and now - self._saved < self._every:
            return None
        self._warnings.clear()
        self._saved = now
        return warning


def _gpus() -> list[dict[str, int]]:
    """What TensorFlow holds of what it may use of each GPU, as a sample has it."""
    context = _context()
    if context is None:
        return []
    limits = _limits(context)
    return [
        {"index": int(name.partition(":")[2]), "used_bytes": context.get_memory_info(name)["current"], "total_bytes": limit}
        for name, limit in limits.items()
    ]  # fmt: skip


def _tensorflow() -> Any:
    return importlib.import_module("tensorflow")


def _why_not_saved(model: Any) -> str:
    """ "" where a checkpoint of this model can be made by this process alone."""
    if _context() is None:
        return "Keras works with another backend than TensorFlow."
    strategy = getattr(model, "distribute_strategy", None)
    if getattr(getattr(strategy, "extended", None), "_in_multi_worker_mode", bool)():
        return "this training runs on several workers, which have to save together (keras.callbacks.BackupAndRestore)."
    try:
        _tensorflow().train.Checkpoint(model=model)
    except (TypeError, ValueError) as error:
        return f"this model can't be saved: {error}"
    return ""


def _remove_parts(place: str) -> None:
    """What a save that failed has left."""
    with contextlib.suppress(OSError):
        for name in os.listdir(place):
            if _PART.search(name):
                found = os.path.join(place, name)
                with contextlib.suppress(OSError):
                    shutil.rmtree(found) if os.path.isdir(found) else os.unlink(found)


def _say(text: str) -> None:
    with contextlib.suppress(OSError, ValueError):  # nobody reads
        sys.stderr.write(f"tfdoctor: {text}\n")
        sys.stderr.flush()


def _context() -> Any:
    """TensorFlow's own, where Keras works with it and it has started; None elsewhere: nothing may be started by asking."""
    keras = sys.modules.get("keras")
    backend = getattr(getattr(keras, "backend", None), "backend", None)
    if (
        Callback.__module__.partition(".")[0] == "keras"
        and backend is not None
        and backend() != "tensorflow"
    ):
        return None
    module = sys.modules.get("tensorflow.python.eager.context")
    found = module.context() if module is not None else None
    return (
        found if found is not None and getattr(found, "_context_handle", None) is not None else None
    )


def _limits(context: Any) -> dict[str, int]:
    """What TensorFlow may use of each GPU, in bytes: its list of devices says it, as it does for a session's."""
    eager = sys.modules.get("tensorflow.python.pywrap_tfe")
    session = sys.modules.get("tensorflow.python.client.pywrap_tf_session")
    if eager is None or session is None:
        return {}
    devices = eager.TFE_ContextListDevices(context._context_handle)
    found = {}
    for place in range(session.TF_DeviceListCount(devices)):
        name = session.TF_DeviceListName(devices, place).rpartition("device:")[2]
        if name.startswith("GPU:"):
            found[name] = int(session.TF_DeviceListMemoryBytes(devices, place))
    return found


def _need_gpu() -> None:
    """Raises RuntimeError where it is certain that TensorFlow has none."""
    context = _context()
    if context is not None and not _limits(context):
        raise RuntimeError("TensorFlow has no GPU. To see why, run: tfdoctor check --require-gpu")


def _by_xla(model: Any) -> bool:
    """Whether XLA compiles the step: the default of Keras 3 on a GPU."""
    return (getattr(model, "jit_compile", None) or getattr(model, "_jit_compile", None)) is True


def _weights(model: Any) -> int:
    """The bytes of the weights that are trained: their gradients are held by a step, whatever the batch."""
    return sum(
        _bytes_of(each.shape, each.dtype) for each in getattr(model, "trainable_variables", ())
    )


def _largest_result(model: Any) -> int:
    """The bytes that one element takes in the largest result of a layer; 0 where the model does not tell."""
    sizes = [0]
    for layer in getattr(model, "_flatten_layers", list)():
        output = getattr(layer, "output", None)
        outputs: Any = output if isinstance(output, (list, tuple)) else [output]
        sizes += [
            _bytes_of(each.shape[1:], each.dtype) for each in outputs if hasattr(each, "shape")
        ]
    return max(sizes)


def _bytes_of(shape: Any, dtype: Any) -> int:
    size = 1
    for length in shape:
        size *= int(length or 0)
    bits = re.search(r"\d+", str(getattr(dtype, "name", dtype)))
    return size * (int(bits[0]) // 8 if bits else 1)


def _traces(function: Any) -> int | None:
    """How often the training function was traced; None where this Keras does not show it.

    Keras 3 hands out a plain function around the traced one.
    """
    around = [cell.cell_contents for cell in getattr(function, "__closure__", None) or ()]
    counted = [
        each.experimental_get_tracing_count()
        for each in (function, *around)
        if hasattr(each, "experimental_get_tracing_count")
    ]
    return sum(counted) if counted else None
