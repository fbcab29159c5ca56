"""Imports TensorFlow and computes on each of its GPUs, else on the CPU. Runs in the examined interpreter as

    python -B compute_tensorflow.py [PARENT]

and computes once the line "go" has come on stdin, so that the import can overlap with other work. Each step is
announced before it is taken. It writes nothing but its words: what TensorFlow and Keras write goes where the
environment points. Runs on Python 3.7 and newer, with TensorFlow 1.15 and 2.x.

The inputs are multiples of 1/64 between -1 and 1. Float32, TF32, float16 and bfloat16 all hold them exactly, their
products are multiples of 2^-12, and the sums that occur here need no more than 24 bits: a sum of products
accumulated in float32 is exact in any order, with or without TF32. So the only errors are those listed here, each
relative to the largest value of the reference, which NumPy computes in float64:

| computation     | tolerance | why                                                                                    |
| --------------- | --------- | -------------------------------------------------------------------------------------- |
| matmul-float32  | 1e-6      | exact; a single rounding of float32 (6e-8) is left for algorithms that rescale          |
| matmul-float16  | 2e-2      | the result is rounded to 11 bits (5e-4); old CPU kernels add up in float16, too: 256    |
|                 |           | terms, some sqrt(256) roundings (5e-3 seen with 1.15 to 2.15)                           |
| matmul-bfloat16 | 2e-2      | the result is rounded to 8 bits (4e-3), and so may be a few partial sums                |
| elementwise     | 1e-6      | a*b+a: exact                                                                            |
| conv2d          | 2e-3      | Winograd and FFT transform the inputs first; TF32 then rounds them to 11 bits (5e-4)     |
| xla             | 1e-5      | tanh is approximated, to some units of float32's last place                             |
| keras           | 1e-6      | a dense layer: as matmul-float32                                                        |
| collective      | 1e-6      | a sum of as many exact values as there are GPUs                                         |

A lost or doubled term changes a sum by about 2e-2 of the largest value, a lost block by more.
"""

from __future__ import annotations

import os
import sys
import time
import traceback

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from tfdoctor.ask.probes.workers.preamble import prepare, write
else:  # this program runs by itself: its folder is on the path for this one import
    sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
    from preamble import prepare, write

    del sys.path[0]

TOLERANCES = {
    "matmul-float32": 1e-6,
    "matmul-float16": 2e-2,
    "matmul-bfloat16": 2e-2,
    "elementwise": 1e-6,
    "conv2d": 2e-3,
    "xla": 1e-5,
    "keras": 1e-6,
    "collective": 1e-6,
}
SIZE = 256  # of the matrices
STEADY_CALLS = 3  # after the first; their median is reported
GPU_MEMORY_MIB = 512  # more than all of this needs; the rest of the GPU is left to its users
WRAPPERS = (
    "native TensorFlow runtime",
    "Keras cannot be imported. Check that it is installed.",
    "To use Keras, you need to have",
)


def show_crashes() -> None:
    """A stack on stderr should TensorFlow crash, and not this program's folder on sys.path."""
    import faulthandler

    faulthandler.enable()
    here = os.path.dirname(os.path.abspath(__file__))
    if sys.path and os.path.abspath(sys.path[0] or os.curdir) == here:
        del sys.path[0]


def words(error: BaseException) -> str:
    """ "ImportError: libfoo.so.1: cannot open shared object file", the message's first line alone.

    TensorFlow wraps the loader's error into a page of text, and whatever Keras' import raised into "Check that it is
    installed"; the error inside is the one that says something.
    """
    while any(each in str(error) for each in WRAPPERS) and error.__context__ is not None:
        error = error.__context__
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    return type(error).__name__ + (": " + lines[0][:500] if lines else "")


def import_tensorflow() -> Any:
    """The module, or None after the error was said."""
    write(at="import tensorflow")
    begun = time.perf_counter()
    try:
        import tensorflow

        version = str(tensorflow.__version__)
    except BaseException as error:  # noqa: BLE001  # also SystemExit: whatever the import ends with is the answer
        traceback.print_exc()
        write(say="import-error", error=words(error))
        return None
    seconds = time.perf_counter() - begun
    write(say="imported", version=version, file=str(tensorflow.__file__), seconds=seconds)
    return tensorflow


class Tried:
    """Runs computations and says how each went."""

    def __init__(self, tf: Any) -> None:
        import numpy

        self.tf, self.np = tf, numpy
        self.random = numpy.random.RandomState(2026)

    def exact(self, *shape: int) -> Any:
        return self.random.randint(-64, 65, size=shape) / 64.0

    def attempt(self, name: str, device: str, compute: Callable[[], Any], expected: Any) -> None:
        write(at=name + " on " + device)
        answer = {
            "say": "computation",
            "name": name,
            "device": device,
            "tolerance": TOLERANCES[name],
        }
        try:
            first, steady, result = self.timed(compute)
            answer.update(self.judge(result, expected, TOLERANCES[name]))
            answer.update(first_s=first, steady_s=steady)
        except Exception as error:  # noqa: BLE001  # the computation failed, and the next is tried
            traceback.print_exc()
            answer.update(status="failed", error=words(error))
        write(**answer)

    def timed(self, compute: Callable[[], Any]) -> Any:
        times = []
        for _ in range(1 + STEADY_CALLS):
            begun = time.perf_counter()
            result = compute()
            times.append(time.perf_counter() - begun)
        return times[0], sorted(times[1:])[STEADY_CALLS // 2], result

    def judge(self, result: Any, expected: Any, tolerance: float) -> dict[str, Any]:
        difference = self.np.abs(self.np.asarray(result, dtype="float64") - expected)
        if not self.np.all(self.np.isfinite(difference)):
            return {"status": "wrong", "max_error": None, "error": "some results are no numbers"}
        worst = float(difference.max() / self.np.abs(expected).max())
        if worst <= tolerance:
            return {"status": "passed", "max_error": worst, "error": ""}
        return {"status": "wrong", "max_error": worst, "error": "the results differ from NumPy's"}

    def constant(self, device: str, values: Any, kind: str = "float32") -> Any:
        """Rounded on the host, so that nothing but the computation itself runs on the device."""
        with self.tf.device("/" + device):
            return self.tf.constant(values.astype(getattr(self.tf, kind).as_numpy_dtype))

    def on(self, device: str, compute: Callable[[], Any]) -> Any:
        """The result as NumPy has it. Raises RuntimeError where it was computed elsewhere."""
        with self.tf.device("/" + device):
            result = compute()
        if not self.tf.is_tensor(
            result
        ):  # Keras was told to compute with another library, wherever that does it
            return self.np.asarray(result.detach().cpu() if hasattr(result, "detach") else result)
        if not result.device.endswith(device):
            raise RuntimeError("TensorFlow placed it on " + result.device + " instead")
        return result.numpy()

    def matmul(self, device: str, kind: str) -> None:
        left, right = self.exact(SIZE, SIZE), self.exact(SIZE, SIZE)
        a, b = self.constant(device, left, kind), self.constant(device, right, kind)
        self.attempt(
            "matmul-" + kind,
            device,
            lambda: self.on(device, lambda: self.tf.matmul(a, b)),
            left @ right,
        )

    def elementwise(self, device: str) -> None:
        """TensorFlow's own generated kernels, of which a build may have no binary for this GPU."""
        left, right = self.exact(SIZE, SIZE), self.exact(SIZE, SIZE)
        a, b = self.constant(device, left), self.constant(device, right)
        self.attempt(
            "elementwise", device, lambda: self.on(device, lambda: a * b + a), left * right + left
        )

    def conv2d(self, device: str) -> None:
        images, filters = self.exact(4, 24, 24, 16), self.exact(3, 3, 16, 32)
        padded = self.np.pad(images, ((0, 0), (1, 1), (1, 1), (0, 0)), "constant")
        parts = [
            self.np.tensordot(padded[:, y : y + 24, x : x + 24, :], filters[y, x], 1)
            for y in range(3)
            for x in range(3)
        ]
        a, b = self.constant(device, images), self.constant(device, filters)
        self.attempt(
            "conv2d",
            device,
            lambda: self.on(device, lambda: self.tf.nn.conv2d(a, b, 1, "SAME")),
            sum(parts),
        )

    def xla(self, device: str) -> None:
        """A function compiled by XLA. Older releases call the option otherwise, and 1.15 and 2.0 have none."""
        left, right = self.exact(SIZE, SIZE), self.exact(SIZE, SIZE)

        def formula(x: Any, y: Any) -> Any:
            return self.tf.tanh(self.tf.matmul(x, y) * 0.125)

        for option in ("jit_compile", "experimental_compile"):
            try:
                compiled = self.tf.function(formula, autograph=False, **{option: True})
                break
            except TypeError:
                continue
        else:
            return
        a, b = self.constant(device, left), self.constant(device, right)
        expected = self.np.tanh(left @ right * 0.125)
        self.attempt("xla", device, lambda: self.on(device, lambda: compiled(a, b)), expected)

    def keras(self, device: str) -> None:
        """A layer of tf.keras, which newer releases import at its first use alone."""
        inputs, kernel, bias = self.exact(32, 64), self.exact(64, 16), self.exact(16)
        layers: list[Any] = []

        def compute() -> Any:
            if not layers:
                layers.append(self.tf.keras.layers.Dense(16))
                layers[0].build((None, 64))
                layers[0].set_weights([kernel, bias])
            return layers[0](self.tf.constant(inputs.astype("float32")))

        self.attempt("keras", device, lambda: self.on(device, compute), inputs @ kernel + bias)

    def collective(self, devices: list[str]) -> None:
        """A sum over all GPUs, as distributed training does it."""
        values = self.exact(1024)
        expected = values * sum(range(1, len(devices) + 1))
        strategies: list[Any] = []

        def one_replica() -> Any:
            context = self.tf.distribute.get_replica_context()
            share = self.tf.cast(context.replica_id_in_sync_group + 1, self.tf.float32)
            return context.all_reduce(
                self.tf.distribute.ReduceOp.SUM, self.tf.constant(values.astype("float32")) * share
            )

        def compute() -> Any:
            if not strategies:
                strategy = self.tf.distribute.MirroredStrategy(["/" + device for device in devices])
                strategies.extend(
                    [strategy, self.tf.function(lambda: strategy.run(one_replica), autograph=False)]
                )
            return strategies[0].experimental_local_results(strategies[1]())[-1].numpy()

        self.attempt("collective", "+".join(devices), compute, expected)


def devices_of(tf: Any) -> list[str]:
    """ "GPU:0" and so on, memory growth and a limit set; ["CPU:0"] where TensorFlow has no GPU."""
    write(at="listing the GPUs")
    listing = tf.config if hasattr(tf.config, "list_physical_devices") else tf.config.experimental
    gpus = listing.list_physical_devices("GPU")
    names = [gpu.name.split("physical_device:")[-1] for gpu in gpus]
    write(say="gpus", names=names, built_with_cuda=bool(tf.test.is_built_with_cuda()))
    write(at="limiting the GPUs' memory")
    for gpu in (
        gpus
    ):  # growth is switched on by TF_FORCE_GPU_ALLOW_GROWTH, which goes together with a limit
        limit = tf.config.experimental.VirtualDeviceConfiguration(memory_limit=GPU_MEMORY_MIB)
        tf.config.experimental.set_virtual_device_configuration(gpu, [limit])
    return names or ["CPU:0"]


def compute(tf: Any) -> None:
    tried = Tried(tf)
    devices = devices_of(tf)
    for device in devices:
        for kind in ("float32", "float16", "bfloat16"):
            tried.matmul(device, kind)
        tried.elementwise(device)
        tried.conv2d(device)
        tried.xla(device)
    tried.keras(devices[0])
    if len(devices) > 1:
        tried.collective(devices)


def main() -> None:
    prepare(int(sys.argv[1]) if len(sys.argv) > 1 else os.getppid(), direct=False)
    show_crashes()
    tf = import_tensorflow()
    if tf is None:
        write(done=1)
        return
    write(at="waiting for the word to start")
    if sys.stdin.readline().strip() != "go":
        return
    if tf.__version__.startswith("1."):
        tf.compat.v1.enable_eager_execution()
    compute(tf)
    write(done=1)


if __name__ == "__main__":
    main()
