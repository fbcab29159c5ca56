"""At which lines of TensorFlow's and Keras' own Python files a frame of a traceback can be in each release: `tfdoctor/ask/logs/machine/frame_lines.txt`.

A traceback names file, line and function of each frame ("execute.py", line 54, in quick_execute), and such a line moves from
release to release. `python -m tools.harvest.frame_lines_by_release FOLDER` fetches the wheels into FOLDER as `tools.harvest.names_by_release`
does, reads the lines that call, raise or import something, and writes the table.
"""

from __future__ import annotations

import ast
import sys
import warnings
from collections.abc import Iterator
from pathlib import Path

from tools.harvest.log_lines_by_release import _FIRST, _key, _minor, _spans
from tools.harvest.names_by_release import RELEASES, unpacked

OUT = Path(__file__).parents[2] / "tfdoctor" / "ask" / "logs" / "machine" / "frame_lines.txt"
FRAMES = {
    "tensorflow/__init__.py": {"<module>"},
    "tensorflow/python/__init__.py": {"<module>"},
    "tensorflow/python/pywrap_tensorflow.py": {"<module>"},
    "tensorflow/python/eager/execute.py": {"quick_execute"},
    "tensorflow/python/eager/context.py": {"ensure_initialized", "_initialize_logical_devices"},
    "tensorflow/python/eager/def_function.py": {"__call__", "_call", "_initialize"},
    "tensorflow/python/eager/function.py": {"__call__", "_call_flat", "call", "_maybe_define_function", "_create_graph_function"},
    "tensorflow/python/eager/polymorphic_function/polymorphic_function.py": {"__call__", "_call", "_initialize"},
    "tensorflow/python/framework/ops.py": {"raise_from_not_ok_status", "convert_to_tensor", "__array__", "_create_c_op", "__bool__"},
    "tensorflow/python/framework/load_library.py": {"load_op_library"},
    "tensorflow/python/framework/func_graph.py": {"func_graph_from_py_func", "wrapper", "autograph_handler"},
    "tensorflow/python/framework/constant_op.py": {"convert_to_eager_tensor", "constant", "_constant_impl", "_constant_eager_impl"},
    "tensorflow/python/framework/config.py": {"set_memory_growth", "list_physical_devices"},
    "tensorflow/python/util/traceback_utils.py": {"error_handler"},
    "tensorflow/python/client/session.py": {"run", "_run", "_do_run", "_do_call", "_run_fn", "_call_tf_sessionrun"},
    "tensorflow/python/data/ops/iterator_ops.py": {"__next__", "next", "_next_internal"},
    "tensorflow/python/saved_model/load.py": {"load", "load_partial", "load_internal", "load_with_tags"},
    "keras/engine/training.py": {"fit", "evaluate", "predict", "train_step", "train_function", "step_function", "run_step", "train_on_batch", "compile", "__init__", "tf__train_function"},
    "keras/engine/base_layer.py": {"__call__", "__init__", "add_weight", "_functional_construction_call", "_keras_tensor_symbolic_call", "_infer_output_signature"},
    "keras/engine/functional.py": {"__init__", "call", "_run_internal_graph", "_init_graph_network", "from_config", "reconstruct_from_config"},
    "keras/engine/sequential.py": {"__init__", "add", "call"},
    "keras/engine/input_spec.py": {"assert_input_compatibility"},
    "keras/engine/data_adapter.py": {"__init__", "select_data_adapter", "get_data_handler", "enumerate_epochs", "_validate_data_handler"},
    "keras/utils/traceback_utils.py": {"error_handler"},
    "keras/saving/hdf5_format.py": {"load_model_from_hdf5", "load_weights_from_hdf5_group"},
    "keras/saving/legacy/hdf5_format.py": {"load_model_from_hdf5", "load_weights_from_hdf5_group"},
}  # fmt: skip
"""The files that most tracebacks pass, and their functions. Keras' are under tensorflow/python/ up to 2.5, then in a package of its own."""
_OLD = {
    "1.5.0": "3.6", "1.6.0": "3.6", "1.7.0": "3.6", "1.8.0": "3.6", "1.9.0": "3.6", "1.10.0": "3.6", "1.11.0": "3.6", "1.12.0": "3.6", "1.13.1": "3.7", "1.14.0": "3.7",
}  # fmt: skip
"""So that a traceback of them is not taken for one of a later release that has something else at that line."""
_LAST_WITH_PYTHON_3_7 = (2, 11)
_PLACES = {"keras/": ("tensorflow/python/keras/", "keras/", "keras/src/")}
Lines = dict[tuple[str, str], frozenset[int]]


def main() -> None:
    folder = Path(sys.argv[1])
    folder.mkdir(exist_ok=True)
    # The older ones have no package tensorflow-cpu.
    kept = {version: python for version, python in _FIRST.items() if _key(version) >= (2, 3)}
    every = sorted(
        {**_OLD, **RELEASES["tensorflow"], **kept}.items(), key=lambda each: _key(each[0])
    )
    keras = {_minor(version): unpacked(folder, "keras", version, python) for version, python in RELEASES["keras"].items() if (2, 6) <= _key(version) < (3,)}  # fmt: skip
    read = {version: lines_of(unpacked(folder, "tensorflow", version, python), keras.get(_minor(version)), old=_key(version)[:2] <= _LAST_WITH_PYTHON_3_7) for version, python in every}  # fmt: skip
    OUT.write_text(table(read))


def lines_of(tensorflow: Path, keras: Path | None, *, old: bool) -> Lines:
    """Of one release, by file and function. The Keras of 2.6 to 2.15 has the same number."""
    found: Lines = {}
    # Where wheels of 1.x have their files.
    tensorflow = next(tensorflow.glob("*.data/purelib"), tensorflow)
    for file, functions in FRAMES.items():
        for place in (
            (prefix + file.removeprefix("keras/") for prefix in _PLACES["keras/"])
            if file.startswith("keras/")
            else (file,)
        ):
            root = keras if place.startswith("keras/") else tensorflow
            for folder in (place, place.replace("tensorflow/", "tensorflow_core/", 1)):
                if root is not None and (root / folder).is_file():
                    found.update(
                        {
                            (folder, name): lines
                            for name, lines in _of_file(root / folder, old=old).items()
                            if name in functions
                        }
                    )
    return found


def _of_file(path: Path, *, old: bool) -> dict[str, frozenset[int]]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        tree = ast.parse(path.read_text("utf-8"))
    found: dict[str, set[int]] = {"<module>": set(_acting(tree, old=old))}
    for each in ast.walk(tree):
        if isinstance(each, ast.FunctionDef):
            found.setdefault(each.name, set()).update(_acting(each, old=old))
    return {name: frozenset(lines) for name, lines in found.items()}


def _acting(scope: ast.Module | ast.FunctionDef, *, old: bool) -> Iterator[int]:
    """The lines of a scope's own calls, raises and imports, those of the functions in it left out. A call has the line where it begins; `old`:
    also that of its last argument, which Python up to 3.7 tells."""
    waiting: list[ast.AST] = list(scope.body)
    while waiting:
        each = waiting.pop()
        if isinstance(
            each, ast.Call | ast.Raise | ast.Import | ast.ImportFrom | ast.With | ast.Assert
        ):
            yield each.lineno
        if isinstance(each, ast.Call) and old:
            yield max((part.lineno for part in (*each.args, *(word.value for word in each.keywords))), default=each.lineno)  # fmt: skip
        if not isinstance(each, ast.FunctionDef | ast.Lambda):
            waiting += ast.iter_child_nodes(each)


def table(by_release: dict[str, Lines]) -> str:
    """The minors; then a row for each file, function and line, with the minors whose releases have a frame there."""
    minors = list(dict.fromkeys(map(_minor, by_release)))
    rows: dict[tuple[str, str], dict[int, set[str]]] = {}
    for version, places in by_release.items():
        for place, lines in places.items():
            for line in lines:
                rows.setdefault(place, {}).setdefault(line, set()).add(_minor(version))
    texts = [f"# {' '.join(minors)}"]
    for (file, function), lines in sorted(rows.items()):
        cells = (f"{line} {_spans([each for each in minors if each in having], minors)}" for line, having in sorted(lines.items()))  # fmt: skip
        texts.append(f"{file} {function}|{';'.join(cells)}")
    return "\n".join(texts) + "\n"


if __name__ == "__main__":
    main()
