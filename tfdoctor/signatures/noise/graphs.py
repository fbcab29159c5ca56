"""What TensorFlow's graph rewriting, MLIR and tf.data say, which frightens and means nothing."""

from __future__ import annotations

from functools import partial

from tfdoctor.signatures.signature import NOISE, Signature
from tfdoctor.signatures.sources import WHEELS

_noise = partial(Signature, code="noise", role=NOISE)

SIGNATURES = (
    _noise(
        "iterator-outlives-python",
        anchor="finalizing GeneratorDataset iterator",
        form=r"Error occurred when finalizing GeneratorDataset iterator: (?:Failed precondition|FAILED_PRECONDITION|Cancelled|CANCELLED)",
        samples=(
            "2020-03-11 20:12:40.159126: W tensorflow/core/kernels/data/generator_dataset_op.cc:103] Error occurred when finalizing GeneratorDataset iterator: Failed precondition: Python interpreter state is not initialized. The process may be terminated.",
            "W tensorflow/core/kernels/data/generator_dataset_op.cc:103] Error occurred when finalizing GeneratorDataset iterator: Cancelled: Operation was cancelled",
        ),
        near=("Error occurred when finalizing GeneratorDataset iterator: Invalid argument: ValueError: bad row",),
        why="a generator of data was still open when the program was ending already, or when its iterator was given up; it is no reason for an end.",
        releases="2.0 to 2.10",
        sources=("autorope/donkeycar#741 (2021-01)", "tensorflow/tensorflow#35100 (2019-12)"),
    ),
    _noise(
        "graph-not-sorted",
        anchor="The graph couldn't be sorted in topological order",
        form=r"(?:topological sort failed with message|Ignoring multi-device function optimization failure: .{3,40}): The graph couldn't be sorted in topological order",
        samples=(
            "E tensorflow/core/grappler/optimizers/dependency_optimizer.cc:697] Iteration = 0, topological sort failed with message: The graph couldn't be sorted in topological order.",
            "W tensorflow/core/common_runtime/process_function_library_runtime.cc:733] Ignoring multi-device function optimization failure: Invalid argument: The graph couldn't be sorted in topological order.",
        ),
        near=("ValueError: The graph couldn't be sorted in topological order.",),
        why="An optional rearrangement of a graph with a loop was left out; the result is the same.",
        releases="1.15 to 2.9",
    ),
    _noise(
        "end-of-sequence",
        anchor="End of sequence",
        form=r"(?:OUT_OF_RANGE|Out of range|OutOfRange)\w{0,20}: {1,9}End of sequence",
        samples=(
            "I tensorflow/core/framework/local_rendezvous.cc:405] Local rendezvous is aborting with status: OUT_OF_RANGE: End of sequence",
            "W tensorflow/core/framework/local_rendezvous.cc:404] Local rendezvous is aborting with status: OUT_OF_RANGE: End of sequence",
            "OutOfRangeError: End of sequence [Op:IteratorGetNext]",
        ),
        near=("End of sequence marker is <eos>",),
        why="A data set has come to its end, as it should.",
        releases="2.0 to 2.21",
        sources=(WHEELS,),
    ),
    _noise(
        "executor-aborting",
        anchor="Executor start aborting",
        samples=("I tensorflow/core/common_runtime/executor.cc:1197] [/job:localhost/replica:0/task:0/device:GPU:0] (DEBUG INFO) Executor start aborting (this does not indicate an error and you can ignore this message): INTERNAL: libdevice not found at ./libdevice.10.bc", "I tensorflow/core/common_runtime/executor.cc:1197] [/device:CPU:0] Executor start aborting: INVALID_ARGUMENT: You must feed a value for placeholder tensor 'Placeholder/_0' with dtype float"),
        near=("The executor was aborted",),
        why="A note for developers. What it quotes after the colon is told by a line of its own, where it matters.",
        releases="2.12 to 2.21",
        sources=(WHEELS, "tensorflow/tensorflow#60790 (2023-06)"),
    ),
    _noise(
        "mlir-reproducer",
        anchor="disabling MLIR crash reproducer",
        samples=("I tensorflow/compiler/mlir/tensorflow/utils/dump_mlir_util.cc:269] disabling MLIR crash reproducer, set env var `MLIR_CRASH_REPRODUCER_DIRECTORY` to enable.",),
        near=("MLIR crash reproducer is set to '/var/x'",),
        why="A tool for developers is off.",
        releases="2.4 to 2.21",
        sources=(WHEELS,),
    ),
    _noise(
        "mlir-passes",
        anchor="None of the MLIR",
        form=r"None of the MLIR [Oo]ptimization [Pp]asses are enabled",
        samples=("I tensorflow/compiler/mlir/mlir_graph_optimization_pass.cc:185] None of the MLIR Optimization Passes are enabled (registered 2)",),
        near=("The MLIR passes failed",),
        why="It says which optional passes run.",
        releases="2.4 to 2.21",
        sources=(WHEELS,),
    ),
    _noise(
        "predict-cost",
        anchor="Error in PredictCost() for the op",
        samples=('W tensorflow/core/grappler/costs/op_level_cost_estimator.cc:690] Error in PredictCost() for the op: op: "Softmax"',),
        near=("PredictCost() returned 1",),
        why="An estimate for choosing among kernels failed; the result is the same.",
        releases="2.5 to 2.21",
        sources=(WHEELS,),
    ),
    _noise(
        "layout-optimizer",
        anchor="failed: INVALID_ARGUMENT: ",
        form=r"(?:layout|model_pruner|remapper|function_optimizer|constant_folding|arithmetic_optimizer|dependency_optimizer) failed: INVALID_ARGUMENT: ",
        samples=("E tensorflow/core/grappler/optimizers/meta_optimizer.cc:961] layout failed: INVALID_ARGUMENT: Size of values 0 does not match size of permutation 4 @ fanin shape inmodel/dropout/dropout/SelectV2-2-TransposeNHWCToNCHW-LayoutOptimizer",),
        near=("my_op failed: INVALID_ARGUMENT: shapes differ",),
        why="An optional rearrangement of the graph was left out; the result is the same.",
        releases="2.9 to 2.21",
    ),
)  # fmt: skip
