"""What TensorFlow, TFLite, TensorFlow.js and TF-Agents say of parts that are used outside of the place that they belong to."""

from __future__ import annotations

from functools import partial

from tfdoctor.signatures.signature import EXCEPTION, FACT, PYTHON, Signature

_own = partial(Signature, code="python-exception", speaker=EXCEPTION)

SIGNATURES = (
    _own(
        "tensor-out-of-its-function",
        anchor=" is out of scope and cannot be used here",
        also=(
            "An op outside of the function building code is being passed",
            "cannot be Keras symbolic tensors, but found",
            "because it was defined in FuncGraph",
        ),
        samples=(
            "TypeError: <tf.Tensor 'Const_2:0' shape=(6808, 24) dtype=float32> is out of scope and cannot be used here. Use return values, explicit Python locals or TensorFlow collections to access it.",
            "TypeError: An op outside of the function building code is being passed",
            "tensorflow.python.eager.core._SymbolicException: Inputs to eager execution function cannot be Keras symbolic tensors, but found [<tf.Tensor 'lengths:0' shape=(None, 1) dtype=int32>]",
            "tensorflow.python.framework.errors_impl.InaccessibleTensorError: The tensor 'Tensor(\"add:0\", shape=(), dtype=float32)' cannot be accessed here, because it was defined in FuncGraph(name=f, id=140), which is out of scope.",
        ),
        near=("The variable is out of scope",),
        releases="2.0 to 2.21",
        sources=(
            "NVlabs/sionna#867 (2025-04)",
            "titu1994/keras-attention-augmented-convs#8 (2022-11)",
            "noahchalifour/rnnt-speech-recognition#9 (2020-02)",
        ),
    ),
    _own(
        "strategy-of-another-scope",
        anchor=" outside the replica context",
        also=(
            "must only be passed a variable created in this tf.distribute.Strategy.scope",
            "which is different from the scope used for the original variable",
            "was not created in the distribution strategy scope of",
            "cross-replica context",
            "Mixing different tf.distribute.Strategy objects",
        ),
        form=r"is not available outside the replica context|must only be passed a variable created in this tf\.distribute\.Strategy\.scope|different from the scope used for the original variable|was not created in the distribution strategy scope of|(?:cannot be|was|must be) called in (?:a )?cross-replica context|Mixing different tf\.distribute\.Strategy objects|requires being in cross-replica context",
        samples=(
            "ValueError: `handle` is not available outside the replica context or a `tf.distribute.Strategy.update()` call.",
            "ValueError: `colocate_vars_with` must only be passed a variable created in this tf.distribute.Strategy.scope(), not: MirroredVariable",
            "ValueError: Trying to create optimizer slot variable under the scope for tf.distribute.Strategy (A), which is different from the scope used for the original variable (w). Make sure the slot variables are created under the same strategy scope.",
            "ValueError: Variable (w) was not created in the distribution strategy scope of (A). It is most likely because some layers, model, or optimizer was being created outside the distribution strategy scope.",
            "RuntimeError: `apply_gradients() cannot be called in cross-replica context. Use `tf.distribute.Strategy.run` to enter replica context.",
            "RuntimeError: `add_update` was called in a cross-replica context. This is not expected.",
        ),
        near=("It is called in a cross-replica context of this job",),
        releases="1.14 to 2.21",
        sources=(
            "manicman1999/StyleGAN2-Tensorflow-2.0#17 (2021-07)",
            "google/automl#755 (2020-09)",
            "tensorflow/tensorflow#39270 (2020-05)",
        ),
    ),
    _own(
        "merge-call-in-a-function",
        anchor="`merge_call` called while defining a new graph",
        samples=(
            "RuntimeError: `merge_call` called while defining a new graph or a tf.function. This can often happen if the function `fn` passed to `strategy.run()` contains a nested `@tf.function`",
            "    RuntimeError: `merge_call` called while defining a new graph or a tf.function. This can often happen if the",
        ),
        near=("merge_call was called in the graph",),
        releases="2.0 to 2.21",
        sources=(
            "keras-team/tf-keras#385 (2022-10)",
            "keras-team/keras#21366 (2025-06)",
            "tensorflow/models#10752 (2022-08)",
        ),
    ),
    _own(
        "lite-delegate-not-loaded",
        anchor="Failed to load delegate from ",
        form=r"Failed to load delegate from (?P<library>[^\s'\"]{1,200})",
        samples=(
            "ValueError: Failed to load delegate from libedgetpu.so.1",
            "ValueError: Failed to load delegate from edgetpu.dll",
        ),
        near=("INFO: Failed to load delegates of the party",),
        releases="TFLite 1.15 and newer",
        sources=("google-coral/edgetpu#281 (2020-12)", "google-coral/tflite#2 (2019-11)"),
    ),
    _own(
        "lite-operation-of-others",
        anchor="Encountered unresolved custom op: ",
        also=("(EdgeTpuDelegateForCustomOp) failed to prepare", "Didn't find custom op for name '"),
        form=r"Encountered unresolved custom op: (?P<op>[\w-]{1,80}?)\.|Didn't find custom op for name '(?P<value>[\w-]{1,80})'|\((?P<symbol>EdgeTpuDelegateForCustomOp)\) failed to prepare",
        samples=(
            "RuntimeError: Encountered unresolved custom op: edgetpu-custom-op.Node number 0 (edgetpu-custom-op) failed to prepare.",
            "ValueError: Didn't find custom op for name 'edgetpu-custom-op' with version 1",
            "RuntimeError: Internal: Unsupported data type in custom op handler: 0Node number 1 (EdgeTpuDelegateForCustomOp) failed to prepare.",
        ),
        near=("INFO: no unresolved custom op: all were found",),
        releases="TFLite 1.15 and newer",
        sources=("google-coral/edgetpu#159 (2020-07)", "google-coral/edgetpu#44 (2020-02)"),
    ),
    _own(
        "layer-unknown-to-tfjs",
        anchor=". This may be due to one of the following reasons",
        form=r"Unknown layer: (?P<symbol>[\w>./-]{1,80})\. This may be due to one of the following reasons",
        samples=("Uncaught (in promise) Error: Unknown layer: FixedDropout. This may be due to one of the following reasons:",),
        near=("It failed. This may be due to one of the following reasons",),
        releases="TensorFlow.js 1 to 4",
        sources=("tensorflow/tfjs#4069 (2020-10)", "tensorflow/tfjs#3949 (2020-09)"),
    ),
    _own(
        "values-of-another-spec",
        anchor=" does not match expected `",
        also=(
            " must match the sample_spec",
            "Tensor dtypes do not match spec dtypes",
            "or Tensors are not compatible with Specs",
            "Spec type not supported: '",
        ),
        form=r"Given `(?:time_step|action|observation)`: .{1,900} does not match expected `|must match the sample_spec|Tensor dtypes do not match spec dtypes|or Tensors are not compatible with Specs|Spec type not supported: '(?P<symbol>\w{1,60})'",
        samples=(
            "ValueError: Given `time_step`: TimeStep(step_type=array(0), reward=array(0.), observation=array([[0., 0.]])) does not match expected `time_step_spec`: TimeStep(step_type=ArraySpec(shape=(), dtype=dtype('int32')))",
            "ValueError: Inputs to NormalProjectionNetwork must match the sample_spec.dtype.",
            "TypeError: Tensor dtypes do not match spec dtypes:",
            "ValueError: Received a mix of batched and unbatched Tensors, or Tensors are not compatible with Specs.",
            "NotImplementedError: Spec type not supported: 'BoundedArraySpec'",
        ),
        near=("ValueError: The value does not match expected `names`",),
        releases="TF-Agents 0.3 to 0.19",
        sources=("tensorflow/agents#504 (2020-10)", "tensorflow/agents#740 (2022-05)", "tensorflow/agents#414 (2020-07)"),
    ),
    _own(
        "length-of-a-symbol",
        anchor="len is not well defined for ",
        also=("Keras symbolic inputs/outputs do not implement `__len__`",),
        form=r"len is not well defined for (?:a )?symbolic Tensors?|Keras symbolic inputs/outputs do not implement `__len__`",
        samples=(
            "TypeError: len is not well defined for symbolic Tensors. (activation_4/Identity:0) Please call `x.shape` rather than `len(x)` for shape information.",
            "TypeError: len is not well defined for a symbolic Tensor (dense_5/BiasAdd:0). Please call `x.shape` rather than `len(x)` for shape information.",
            "TypeError: Keras symbolic inputs/outputs do not implement `__len__`. You may be trying to pass Keras symbolic inputs/outputs to a TF API",
        ),
        near=("the len is not well defined for a row",),
        releases="1.15 to 2.15",
        sources=("keras-rl/keras-rl#371 (2020-12)", "inarikami/keras-rl2#4 (2019-08)"),
    ),
    _own(
        "nothing-to-restore",
        anchor="ValueError: No variables to save",
        samples=("ValueError: No variables to save",),
        near=("ValueError: No variables to save it from",),
        form=r"ValueError: No variables to save\s{0,3}$",
        releases="TensorFlow 1, tf.compat.v1",
        sources=("tensorflow/models#3203 (2018-12)",),
    ),
    _own(
        "worker-starts-processes",
        anchor="daemonic processes are not allowed to have children",
        samples=("AssertionError: daemonic processes are not allowed to have children",),
        near=("a daemonic process may have no children",),
        sources=("JoHof/lungmask#47 (2021-06)", "ThilinaRajapakse/simpletransformers#1247 (2021-08)", "python/cpython:Lib/multiprocessing/process.py (2026-11)"),
    ),
    Signature(
        "keras-reads-its-results",
        "",
        "logs.items()",
        form=r"\b(?:val_)?logs\.items\(\)",
        role=FACT,
        speaker=PYTHON,
        samples=("    for key, value in sorted(logs.items()):", '--> 354         "val_" + name: val for name, val in val_logs.items()'),
        near=("for name, value in dialogs.items():",),
        releases="Keras 3",
        sources=("PrudhviGNV/Speech-Emotion-Recognization#6 (2024-03)", "keras-team/keras#20104 (2024-08)"),
    ),
)  # fmt: skip
