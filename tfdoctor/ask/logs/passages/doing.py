"""What a program was doing by its frames: importing a package, reading weights, making variables, or working on a batch."""

from __future__ import annotations

from tfdoctor.base.expressions import Expression

WEIGHTS, BUILDING, IMPORTING = "weights", "building", "importing"

_WORKING = frozenset((
    "fit", "fit_generator", "train_on_batch", "train_step", "train_function", "evaluate", "test_step", "test_function", "predict",
    "predict_on_batch", "predict_step", "predict_function", "apply_gradients", "gradient",
))  # fmt: skip
"""Functions of Keras and TensorFlow that have a batch in hand."""
_READING = frozenset((
    "load_weights", "load_weights_from_hdf5_group", "load_weights_from_hdf5_group_by_name", "load_subset_weights_from_hdf5_group",
    "batch_set_value", "set_weights", "load_own_variables", "load_tf_weights", "load_tf2_weights", "restore_saveables",
    "_restore_from_tensors", "restore_ops", "_load_state",
))  # fmt: skip
_MAKING = frozenset((
    "add_weight", "_maybe_build", "_add_variable_with_custom_getter", "make_variable", "variable_initializer",
))  # fmt: skip
_DRAWN = frozenset(("random_uniform", "random_normal", "truncated_normal"))
"""Of keras/backend.py, which draws the first values of weights; dropout, which draws too, has a batch in hand."""
_INITIALIZERS = Expression(r"[\\/]initializers(?:[\\/]|_v\d|\.py)|[\\/]init_ops\w{0,4}\.py")
_ASKS = Expression(
    r"^\s{0,80}(?:-{2,}> ?\d{1,9} )?(?:from [\w.]{1,200} import |import [\w.]{1,200})"
)
"""A frame's own line that is an import; in a notebook the one at the arrow, for the lines around it are shown, too."""
_CALLED = Expression(r"\.(?:load_weights|set_weights|batch_set_value)\(")


class Doing:
    """Asked frame by frame, the outermost first."""

    def __init__(self) -> None:
        self._working = self._reading = self._making = False
        self._asks = self._importing = False
        """Whether the frame before is an import, and whether a package's own module was then run by it."""

    def frame(self, file: str, function: str, *, installed: bool) -> None:
        """A user's own function may have any name, so it tells nothing."""
        if not installed:
            self._asks = self._asks and "importlib" in file
            return
        name = function.split("(")[0].rpartition(".")[2]
        self._importing = self._importing or (self._asks and name == "<module>")
        self._asks = False
        self._working = self._working or name in _WORKING
        self._reading = self._reading or name in _READING
        drawn = name in _DRAWN and "keras" in file
        self._making = self._making or drawn or name in _MAKING or bool(_INITIALIZERS.search(file))

    def source(self, line: str) -> None:
        """The line of the program that a frame quotes."""
        self._reading = self._reading or bool(_CALLED.search(line))
        self._asks = self._asks or bool(_ASKS.match(line))

    @property
    def what(self) -> str:
        """ "" where a batch was at work, or where the frames do not tell."""
        if self._working:
            return ""
        if self._importing:
            return IMPORTING
        return WEIGHTS if self._reading else BUILDING if self._making else ""
