"""Which methods, properties and arguments Keras' objects have in each release, read in the published wheels: `tfdoctor/knowledge/messages/names/members.txt`.

`python -m tools.harvest.members_by_release FOLDER` fetches Keras' wheels into FOLDER as `tools.harvest.names_by_release` does, and writes the table.
"""

from __future__ import annotations

import ast
import re
import sys
import warnings
from collections.abc import Iterator
from pathlib import Path

from tools.harvest.names_by_release import OUT, RELEASES, Names, table, unpacked

_LEFT_OUT = re.compile(
    r"/legacy/|_v1\.py$|/dtensor/|/backend/(?:numpy|jax|torch|openvino)/|/applications/|/premade|/feature_column/|/tests?/|_test\.py$|/_tf_keras/|/api/|/quantizers/"
)
_FIRST = (
    "engine/",
    "models/",
    "layers/",
    "trainers/",
    "optimizer_experimental/",
    "optimizers/",
    "optimizer_v2/",
)
"""Where the class is that is meant, if several files have one of that name. Up to 2.10 the newer optimizers were only an experiment."""
_ALSO = {
    "BackendLayer": ("TFLayer",),
    "Trainer": ("Trainer", "TensorFlowTrainer"),
    "BackendOptimizer": ("TFOptimizer", "BaseOptimizer"),
}
"""Names that a module gives to a class of another name (keras/src/layers/layer.py, keras/src/models/model.py)."""
KINDS = {
    "sequential": ("Sequential",),
    "model": ("Functional", "Model", "Network"),
    "optimizer": ("Adam", "SGD"),
    "layer": ("Dense",),
    "loss-scale": ("LossScaleOptimizer",),
}
METHODS = (
    "fit", "fit_generator", "evaluate", "evaluate_generator", "predict", "predict_generator", "compile", "save", "save_weights", "load_weights",
    "train_on_batch", "summary", "add_weight", "add_loss",
)  # fmt: skip
_WITH_ARGUMENTS = re.compile(r"/(?:optimizer\w*|callbacks?|losses|metrics|optimizers)(?:/|\.py)")
_NO_STUB = "2.4.3"
"""This release only passes on to tf.keras."""


def _rank(shown: str, root: Path) -> int:
    early = root.name.startswith("keras-2.") and int(root.name.split(".")[1]) <= 10
    first = [each for each in _FIRST if not (early and each == "optimizer_experimental/")]
    return next((at for at, part in enumerate(("optimizer_v2/", *first) if early else first) if part in shown), len(_FIRST) + ("experimental" in shown))  # fmt: skip


def classes(root: Path) -> dict[str, ast.ClassDef]:
    """Each class of a wheel by its name, the one that users get where several have it."""
    found: dict[str, tuple[int, ast.ClassDef]] = {}
    for file in sorted(root.rglob("*.py")):
        shown = f"/{file.relative_to(root)}"
        if _LEFT_OUT.search(shown):
            continue
        rank = _rank(shown, root)
        for each in ast.parse(file.read_text("utf-8")).body:
            if isinstance(each, ast.ClassDef) and (
                each.name not in found or rank < found[each.name][0]
            ):
                found[each.name] = (rank, each)
    return {name: each for name, (_, each) in found.items()}


def lineage(name: str, every: dict[str, ast.ClassDef]) -> Iterator[ast.ClassDef]:
    """The class and what it is made of, as far as it is Keras' own."""
    waiting, seen = [name], set[str]()
    while waiting:
        for each in _ALSO.get(waiting[0], (waiting[0],)):
            if each in every and each not in seen:
                seen.add(each)
                yield every[each]
                waiting += [ast.unparse(base).rpartition(".")[2] for base in every[each].bases]
        waiting.pop(0)


def members(of: ast.ClassDef) -> set[str]:
    """Methods, properties and what a method gives to self."""
    found = {each.name for each in of.body if isinstance(each, ast.FunctionDef)}
    for each in ast.walk(of):
        if isinstance(each, (ast.Assign, ast.AnnAssign)):
            targets = each.targets if isinstance(each, ast.Assign) else [each.target]
            found |= {one.attr for target in targets for one in ast.walk(target) if isinstance(one, ast.Attribute) and ast.unparse(one.value) == "self"}  # fmt: skip
        elif isinstance(each, ast.Call) and ast.unparse(each.func) == "self._set_hyper" and isinstance(each.args[0], ast.Constant):  # fmt: skip
            found.add(str(each.args[0].value))
    return {each for each in found if not each.startswith("__")}


def arguments(method: ast.FunctionDef) -> set[str]:
    every = (*method.args.posonlyargs, *method.args.args, *method.args.kwonlyargs)
    return {each.arg for each in every} - {"self"}


def of_release(root: Path) -> Names:
    """Kinds with their members, and calls ("fit()", "Adam()") with their arguments."""
    every = classes(root)
    found: Names = {
        kind: {one for name in names for each in lineage(name, every) for one in members(each)}
        for kind, names in KINDS.items()
    }
    if "learning_rate" in found["optimizer"] and any(
        "_get_hyper" in members(each) for each in lineage("Adam", every)
    ):
        found["optimizer"].add("lr")  # OptimizerV2.__getattribute__ gives it
    for method in METHODS:
        line = [each for each in lineage("Sequential", every) for each in each.body if isinstance(each, ast.FunctionDef) and each.name == method]  # fmt: skip
        if line:
            found[f"{method}()"] = set().union(*map(arguments, line))
    return found


def main(folder: Path) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        read = {
            version: of_release(unpacked(folder, "keras", version, python))
            for version, python in RELEASES["keras"].items()
            if version != _NO_STUB
        }
    (OUT / "members.txt").write_text(table(read))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
