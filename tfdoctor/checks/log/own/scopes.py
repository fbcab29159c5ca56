"""Tensors, variables, delegates and layers that are used outside of the place that they belong to: what each text means, and what helps."""

from __future__ import annotations

from collections.abc import Mapping

from tfdoctor.checks.log.ways.meaning import PYTHON, Meaning
from tfdoctor.findings.model import Fix

_OUT_OF_SCOPE = Meaning(
    "While TensorFlow traces a tf.function, or Keras puts a model together, tensors are only names in that graph. One of them was kept (in self, in a list, in a loss that takes the model's own inputs) or given to what computes at once, and is asked for outside of its graph. The installation is not what fails.",
    (
        Fix(
            "Hand the tensor on by arguments and return values; keep a number that has to last in a tf.Variable that is made before",
            note="In your files: return it from the function in place of self.x = … or list.append inside of it; in a layer compute it in call, not in __init__ or build; tf.zeros(tf.shape(x)) in place of K.zeros, which makes a variable.",
        ),
        Fix(
            "A loss that needs the model's inputs gets them by add_loss, or by a train_step of the model's own",
            note="In your files: model.add_loss(loss(y, x)) up to Keras 2; else class My(keras.Model) with train_step.",
        ),
        Fix("To find the line, have all functions run step by step", note="In your files: tf.config.run_functions_eagerly(True)"),
    ),
)  # fmt: skip
_STRATEGY = Meaning(
    "With a tf.distribute.Strategy each variable exists once for each GPU. Model, optimizer and metrics have to be made inside of its scope, and what computes with them has to run inside of the replicas. Here one of the two is not so. The GPUs are not what fails.",
    (
        Fix(
            "Make model, optimizer and metrics under the strategy, and hand the training step to it",
            note="In your files: with strategy.scope(): model = …; optimizer = …; then strategy.run(train_step, args=(batch,)) with GradientTape and apply_gradients inside of train_step. model.fit does the second by itself. Only one @tf.function, around strategy.run.",
        ),
        Fix("To see whether the program is right without it, run it on one GPU and leave the strategy out"),
    ),
)
_MERGED = Meaning(
    "With several GPUs (MirroredStrategy and its kin) the optimizer brings the gradients of all replicas together, and that can't be done inside of a function that is compiled or traced by itself. Two things put it there: XLA, by "
    "jit_compile=True for model.compile, a tf.function or the optimizer, and by Keras 2.11's and newer optimizers on their own; or a second @tf.function below the one around strategy.run. On one GPU both work.",
    (
        Fix(
            "Switch XLA off for what trains on several GPUs",
            note="In your files: model.compile(…, jit_compile=False), and for Keras 2.11 to 2.15 Adam(…, jit_compile=False) or tf.keras.optimizers.legacy.Adam; take TF_XLA_FLAGS and runtime.enable_xla out, too.",
        ),
        Fix("In a loop of your own, leave one @tf.function, around strategy.run, and none below it"),
        Fix("To see that nothing else is wrong, run it on one GPU", ("export CUDA_VISIBLE_DEVICES=0",)),
    ),
)
_DELEGATE = Meaning(
    "A delegate is a library that computes for TFLite on another device. It was not found, or it found no device that it may use; TFLite says the same for both. For the Edge TPU: libedgetpu is not installed or of another time than the TFLite here, the device is not plugged in or was plugged in before libedgetpu came, this user may not use it (group plugdev), or another program has it.",
    (
        Fix(
            "See whether the library itself can be loaded; the system then says what is missing. On Windows edgetpu.dll takes the place of libedgetpu.so.1",
            (f"{PYTHON} -c \"import ctypes; print(ctypes.CDLL('libedgetpu.so.1'))\"",),
            "Where it loads, it is the device: unplug it and plug it in again, end other programs that use it, and try once as root.",
        ),
        Fix("Take a libedgetpu and a tflite-runtime of the same time: both projects name each other's releases"),
    ),
)  # fmt: skip
_CUSTOM = Meaning(
    "The model has an operation that TFLite itself does not have: it is brought by a library, which was not loaded here. edgetpu-custom-op is a model that was compiled for Coral's Edge TPU and runs by its delegate alone; one that begins with Flex is TensorFlow's own operation; any other is registered by the program that is to run it. The model is in order.",
    (
        Fix(
            "For the Edge TPU, hand its delegate to the interpreter, and take both from one package",
            note="In your files: from tflite_runtime.interpreter import Interpreter, load_delegate; Interpreter(model_path, experimental_delegates=[load_delegate('libedgetpu.so.1')]). tf.lite beside load_delegate of tflite_runtime does not work.",
        ),
        Fix("Without an Edge TPU, take the model before it was compiled for it: the file whose name does not end in _edgetpu.tflite"),
    ),
)  # fmt: skip
_TFJS = Meaning(
    "TensorFlow.js reads a model layer by layer, and does not know this one: it is a class of Python (one's own, a package's, or a newer Keras'), or TensorFlow.js is older than the Keras that saved the model (Functional came with Keras 2.4).",
    (
        Fix(
            "Convert the model as a graph: it holds operations in place of layers, so no class has to be known",
            note="tensorflowjs_converter with --output_format=tfjs_graph_model, and tf.loadGraphModel in place of tf.loadLayersModel. Such a model can't be trained on.",
        ),
        Fix("For Functional and other layers of Keras itself, take a newer @tensorflow/tfjs; for a class of one's own write it in JavaScript and register it", note="tf.serialization.registerClass(FixedDropout), before the model is loaded"),
    ),
)  # fmt: skip
_SPEC = Meaning(
    "TF-Agents compares every value that goes through an environment with what its specs say: the same structure, the same shape, the same kind of number. The message has both. Mostly there is one pair of brackets too many, a float64 where float32 is said, or a Python environment that was not wrapped for TensorFlow.",
    (
        Fix(
            "Give just what the spec says; this checks an environment with a few steps",
            note="In your files: tf_agents.environments.utils.validate_py_environment(env). np.array(state, dtype=np.float32) in place of np.array([state]); where (1, n) is meant, say it in observation_spec.",
        ),
        Fix("Wrap a Python environment where an agent or a driver of TensorFlow takes it", note="In your files: env = tf_py_environment.TFPyEnvironment(env), and the specs of that one"),
    ),
)  # fmt: skip
_LENGTH = Meaning(
    "The code asks a tensor that is still a name for its length. Keras before TensorFlow 2.4 let len() pass in places where a list could stand as well; code of that time, packages among it, still asks so. Nothing is damaged.",
    (
        Fix("Ask for the shape instead, where the code is your own", note="In your files: x.shape[0], or tf.shape(x)[0] inside of a function; isinstance(model.output, list) to see whether there are several outputs"),
        Fix("Where the code is a package's, take its successor or the TensorFlow of its time, in an environment of its own", ("tfdoctor plan --tensorflow '<2.4'",), "keras-rl was followed by keras-rl2."),
    ),
)  # fmt: skip
_NOTHING = Meaning(
    "A Saver of TensorFlow 1 was made for no variable at all. Either the model was not built before, or none of its variables is in the checkpoint that the training is to begin with: that one is another model's, or it is read as another kind (a classifier's, a detector's).",
    (
        Fix(
            "For the object detection API, say which kind of checkpoint it is, and give the one of the very model that the configuration describes",
            note="In pipeline.config: from_detection_checkpoint: true below fine_tune_checkpoint, in newer releases fine_tune_checkpoint_type: 'detection'; the path ends in model.ckpt, without .index or .data.",
        ),
        Fix(
            "See which variables the checkpoint holds, with its own path in place of model.ckpt",
            (f"{PYTHON} -c \"import tensorflow as tf; print(*tf.train.list_variables('model.ckpt'), sep='\\n')\"",),
            "In a program of your own, make the model before the Saver.",
        ),
    ),
)  # fmt: skip
_DAEMON = Meaning(
    "Python does not let a process that is itself a worker (a daemon: of multiprocessing.Pool, of Celery, of a DataLoader) start processes of its own. Something in this worker wants some: mostly the worker processes of fit() or of a DataLoader, joblib, or a pool of the program's own.",
    (
        Fix(
            "Let what runs inside of the worker start no processes",
            note='In your files: fit(…, workers=1, use_multiprocessing=False); DataLoader(…, num_workers=0); joblib.Parallel(n_jobs=1), or backend="threading".',
        ),
        Fix(
            "Where the worker is Celery's, let it work in its own process, which may start others",
            ("celery -A app worker --pool=solo",),
            "With your own application's name. --pool=threads does as well.",
        ),
        Fix(
            "Where the outer pool is your own, take concurrent.futures.ProcessPoolExecutor in place of multiprocessing.Pool: from Python 3.9 on its workers are no daemons"
        ),
    ),
)
OF_SCOPES: Mapping[str, Meaning] = {
    "tensor-out-of-its-function": _OUT_OF_SCOPE,
    "strategy-of-another-scope": _STRATEGY,
    "merge-call-in-a-function": _MERGED,
    "lite-delegate-not-loaded": _DELEGATE,
    "lite-operation-of-others": _CUSTOM,
    "layer-unknown-to-tfjs": _TFJS,
    "values-of-another-spec": _SPEC,
    "length-of-a-symbol": _LENGTH,
    "nothing-to-restore": _NOTHING,
    "worker-starts-processes": _DAEMON,
}
"""By the signature's name."""
TITLES_OF_SCOPES = {
    "tensor-out-of-its-function": "The program uses a tensor outside of the tf.function or model in which it was made.",
    "strategy-of-another-scope": "Something of the model is made or used outside of the distribution strategy's scope (strategy.scope, strategy.run).",
    "merge-call-in-a-function": "The optimizer can't join the gradients of several GPUs inside of a compiled or nested function: mostly jit_compile (XLA) with MirroredStrategy.",
    "lite-delegate-not-loaded": "TFLite could not load a delegate: its library is missing or does not fit, or it finds no device.",
    "lite-operation-of-others": "The TFLite model has an operation that TFLite itself does not have (an Edge TPU's, for instance).",
    "layer-unknown-to-tfjs": "The model has a layer that this TensorFlow.js does not know.",
    "values-of-another-spec": "What the environment or the agent got is not what its spec says (TF-Agents).",
    "worker-starts-processes": "A worker process wanted to start processes of its own, which Python does not allow it.",
    "nothing-to-restore": "No variable of the model is in the checkpoint that is to be read, or there is no model yet.",
    "length-of-a-symbol": "The code asks a symbolic tensor of Keras for its length, which it does not have.",
}
