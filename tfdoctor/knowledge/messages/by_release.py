"""Which names TensorFlow and Keras had in which release, and what took the place of those that went."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from pathlib import Path

from tfdoctor.base.expressions import Expression
from tfdoctor.base.records import record
from tfdoctor.facts.log_values import Ending

# In which releases of TensorFlow and Keras a name is: the tables of `names/`, read in the published wheels (2026-11-22).

_FOLDER = Path(__file__).with_name("names")
GONE_WITH_2 = ("tensorflow.contrib", "tensorflow.examples")
"""2.0 left them out (its release notes), though its wheel still has some of their files."""
CORE = "tensorflow_core"
"""The folder that held TensorFlow's own files in 1.15, 2.0 and 2.1 (the names of their wheels' files)."""
_BY_HAND = {
    CORE: (1, 2),
    "tensorflow.compat.v2": (1, 99),
    "tensorflow.estimator": (1, 16),
    "tensorflow.compat.v1.estimator": (1, 16),
    "tensorflow.contrib": (1, 0),
    "tensorflow.examples": (1, 0),
}
"""The first minor of 2.x without it: it came from another package (TensorFlow 2.16's release notes), or see above."""
ASKED = Expression(
    r"No module named '?(?P<missing>[\w.]{1,200})'?(?:; '[\w.]{1,100}' is not a package)?|cannot import name '?(?P<name>\w{1,100})'? from '(?P<of>[\w.]{1,200})'"
    r"|module '(?P<module>[\w.]{1,200})' has no attribute '(?P<attribute>\w{1,100})'|cannot import name '?(?P<bare>\w{1,100})'?"
)
"""A module or a name that was asked for in vain, as Python 3.6 to 3.14 say it."""
FROM = Expression(r"^\s*from (?P<of>[\w.]{1,200}) import ")
_IMPORT = Expression(r"^\s*(?:from|import) (?P<of>(?:tensorflow|keras)\.[\w.]{1,200})")
"""Python 2 leaves out of its message what it found: "No module named contrib.slim"."""
_SAME = (
    ("tensorflow._api.v1.compat.v2", "tensorflow"),
    ("tensorflow._api.v1", "tensorflow"), ("tensorflow._api.v2.compat.v2", "tensorflow"), ("tensorflow._api.v2.v2", "tensorflow"), ("tensorflow._api.v2", "tensorflow"),
    ("tensorflow.compat.v2", "tensorflow"), ("tensorflow_core", "tensorflow"), ("keras.api._v2.keras", "tensorflow.keras"),
    ("tensorflow.python.keras.api._v1.keras", "tensorflow.keras"), ("tensorflow.python.keras.api._v2.keras", "tensorflow.keras"),
    ("tensorflow_hub.tf_v1", "tensorflow.compat.v1"), ("keras.api._tf_keras.keras", "tensorflow.keras"), ("keras._tf_keras.keras", "tensorflow.keras"), ("keras.api", "keras"),
)  # fmt: skip
"""Folders and names of others that stand for a public module in some release (tensorflow_hub/tf_v1.py imports tensorflow.compat.v1)."""


@record
class Times:
    """`having` are the minors that have it ("2.5"), in order; `every` all that are known, of the same package."""

    having: tuple[str, ...]
    every: tuple[str, ...]

    @property
    def since(self) -> str:
        return self.having[0]

    @property
    def last(self) -> str:
        return self.having[-1]


def asked_in(last: Ending) -> tuple[str, str] | None:
    """The same of the exception that ended a program; None for another end."""
    return asked(last.what, last.source) if last.how == "exception" else None


def asked(what: str, source: str = "") -> tuple[str, str] | None:
    """The module and the name in it ("" for the module itself) that an exception's words ask for; None for other words."""
    found = ASKED.compiled.search(what)
    if found is None or "partially initialized" in what:
        return None
    line = FROM.compiled.match(source)
    if found["missing"] == CORE:
        return CORE, ""
    if found["missing"]:
        begun = _IMPORT.compiled.match(source)
        if begun is not None and begun["of"].endswith(f".{found['missing']}"):
            return plain(begun["of"]), ""
        deeper = line is not None and line["of"].startswith(f"{found['missing']}.")
        return plain(line["of"] if line is not None and deeper else found["missing"]), ""
    if found["bare"]:
        return (plain(line["of"]), found["bare"]) if line else None
    return plain(found["of"] or found["module"].rstrip(".")), found["name"] or found["attribute"]


def plain(module: str) -> str:
    """The name by which the tables know a module."""
    for folder, public in _SAME:
        if module == folder or module.startswith(f"{folder}."):
            found = public + module[len(folder) :]
            return found if found == module else plain(found)
    return module


def package_of(module: str) -> str:
    """ "tensorflow", "keras", or "" for what no table is about."""
    top = module.partition(".")[0].replace(CORE, "tensorflow")
    return top if top in ("tensorflow", "keras") else ""


def times(module: str, name: str = "") -> Times | None:
    """When it was there; None where no table tells it."""
    if not (package := package_of(module)):
        return None
    text, every = _table(package)
    whole = f"{module}.{name}" if name else module
    for each, (first, behind) in _BY_HAND.items():
        if whole == each or whole.startswith(f"{each}."):
            return Times(
                tuple(minor for minor in every if (first, 0) <= key(minor) < (2, behind)),
                every,
            )
    spans = _spans(text, whole) or (_inside(text, module, name) if name else "")
    return Times(_having(spans, every), every) if spans else None


def inside(table: str, part: str, name: str) -> Times | None:
    """When a part of another table of `names/` had it; None where that table does not tell."""
    text, every = _table(table)
    there, spans = _spans(text, part), _inside(text, part, name)
    return Times(_having(spans, every), every) if there and spans else None


def spelt_otherwise(module: str, name: str) -> str:
    """A name of the module that differs in capitals alone ("Adam" for "adam"), the newest one; "" for none."""
    if not package_of(module):
        return ""
    text, every = _table(package_of(module))
    found = (
        (every.index(_having(spans, every)[-1]), other)
        for other, spans in _names(text, module)
        if other.lower() == name.lower() and other != name
    )
    return max(found, default=(0, ""))[1]


def known_module(module: str) -> bool:
    package = package_of(module)
    return bool(package and _spans(_table(package)[0], module))


def _spans(text: str, module: str) -> str:
    """The rest of the module's own line; "" where there is none."""
    at = text.find(f"\n{module} ")
    return text[at + len(module) + 2 : text.find("\n", at + 1)] if at >= 0 else ""


def _inside(text: str, module: str, name: str) -> str:
    return next((spans for each, spans in _names(text, module) if each == name), "")


def _names(text: str, module: str) -> Iterator[tuple[str, str]]:
    """The names of a module with the rest of their lines."""
    at = text.find(f"\n{module} ")
    for line in text[text.find("\n", at + 1) + 1 :].split("\n") if at >= 0 else ():
        if not line.startswith(" "):
            return
        name, _, spans = line[1:].partition(" ")
        yield name, spans


def _having(spans: str, every: tuple[str, ...]) -> tuple[str, ...]:
    found: list[str] = []
    for span in spans.split(","):
        first, _, last = span.partition("-")
        end = every.index(last) if last else len(every) - 1
        found += every[every.index(first) : end + 1]
    return tuple(found)


@cache
def _table(package: str) -> tuple[str, tuple[str, ...]]:
    text = (_FOLDER / f"{package}.txt").read_text("utf-8")
    return text, tuple(text[: text.index("\n")].lstrip("# ").split())


def key(minor: str) -> tuple[int, ...]:
    return tuple(map(int, minor.split(".")))


# What newer Pythons and setuptools took out of the standard library, as packages that are too old for them ask for it.

MODULES = {
    "3.8": ("macpath",),
    "3.9": ("dummy_threading", "_dummy_thread"),
    "3.10": ("parser", "symbol", "formatter"),
    "3.11": ("binhex",),
    "3.12": ("distutils", "imp", "asynchat", "asyncore", "smtpd"),
    "3.13": (
        "aifc", "audioop", "cgi", "cgitb", "chunk", "crypt", "imghdr", "lib2to3", "mailcap", "msilib", "nis", "nntplib", "ossaudiodev",
        "pipes", "sndhdr", "spwd", "sunau", "telnetlib", "uu", "xdrlib",
    ),
}  # fmt: skip
"""By the first Python without them ("Removed" in docs.python.org's What's New of 3.8 to 3.13, and PEP 594; read 2026-11-22)."""
NAMES: dict[str, dict[str, tuple[str, ...]]] = {
    "time": {"3.8": ("clock",)},
    "fractions": {"3.9": ("gcd",)},
    "collections": {"3.10": ("Callable", "Container", "Hashable", "Iterable", "Iterator", "Mapping", "MutableMapping", "MutableSequence",
                             "MutableSet", "Sequence", "Set", "Sized")},
    "inspect": {"3.11": ("getargspec",)},
    "asyncio": {"3.11": ("coroutine",)},
    "pkgutil": {"3.12": ("ImpImporter", "ImpLoader")},
    "configparser": {"3.12": ("SafeConfigParser",)},
    "ssl": {"3.12": ("wrap_socket", "match_hostname")},
    "locale": {"3.12": ("format",)},
    "unittest": {"3.13": ("makeSuite", "findTestCases")},
    "typing": {"3.13": ("io", "re")},
    "ast": {"3.14": ("Num", "Str", "Bytes", "NameConstant", "Ellipsis")},
}  # fmt: skip
"""By module and by the first Python without them (the same pages, and that of 3.14)."""


OF_PACKAGES: dict[str, tuple[str, str, tuple[str, ...]]] = {
    "scipy.integrate": ("scipy", "1.14", ("simps", "trapz", "cumtrapz")),
    "scipy.linalg": ("scipy", "1.13", ("tril", "triu")),
    "scipy.signal": ("scipy", "1.13", ("gaussian", "hann", "hamming", "blackman", "kaiser", "tukey")),
    "scipy.misc": ("scipy", "1.2", ("imread", "imsave", "imresize", "imrotate", "imshow", "imfilter", "toimage", "fromimage", "bytescale")),
    "sklearn.externals": ("scikit-learn", "0.23", ("joblib", "six")),
    "sklearn": ("scikit-learn", "0.20", ("cross_validation", "grid_search", "learning_curve")),
    "sklearn.preprocessing": ("scikit-learn", "0.22", ("Imputer",)),
    "PIL.Image": ("pillow", "10", ("ANTIALIAS", "LINEAR", "CUBIC")),
    "PIL": ("pillow", "7", ("PILLOW_VERSION",)),
}  # fmt: skip
"""By module: the distribution, its first release without these names, the names (SciPy's release notes of 1.3, 1.13 and 1.14, scikit-learn's of 0.20 to
0.23, Pillow's of 7 and 10; cosanlab/py-feat#242, 2024-11; raphaelvallat/yasa#171, 2024-06). scipy.misc lost imread with 1.2 and the rest with 1.3."""
CAME: dict[str, tuple[str, str, tuple[str, ...]]] = {
    "numpy": ("numpy", "1.25", ("dtypes", "exceptions")),
}
"""The same of names that came: the distribution, its first release with them (NumPy's release notes of 1.25; IAHispano/Applio#1032, 2025-04)."""


def gone_since(module: str, name: str = "") -> str:
    """The first Python without it ("3.12"); "" for what none has removed."""
    if name:
        return next(
            (version for version, names in NAMES.get(module, {}).items() if name in names), ""
        )
    top = module.partition(".")[0]
    return next((version for version, modules in MODULES.items() if top in modules), "")


# TensorFlow's names by their time: those that only TensorFlow 1 has, and those that every release has.

TENSORFLOW_1_ASKED = Expression(
    r"module 'tensorflow(?:\._api\.v2(?:\.compat\.v2)?)?\.?(?P<module>[\w.]{0,60})' has no attribute '(?P<symbol>\w{1,100})'"
    r"|cannot import name '(?P<value>\w{1,100})' from 'tensorflow(?:\.(?P<folder>[\w.]{1,60}))?'"
)
"""A name that was asked of TensorFlow in vain."""
MISSING = Expression(r"No module named '(?P<module>google\.protobuf|\w{1,60})'")
"""A package that is not there; a part that a package lacks is another matter."""
OWN_NAME = Expression(
    r"cannot import name '(?P<symbol>\w{1,100})' from 'tensorflow\.(?P<module>python\.[\w.]{1,150})'"
    r"|module 'tensorflow\.(?P<inner>python\.[\w.]{1,150})' has no attribute '(?P<lacks>\w{1,100})'"
    r"|module '(?P<compiled>_pywrap_tensorflow_internal|tensorflow\.python\._pywrap\w{1,60})' has no attribute '(?P<attribute>\w{1,100})'"
)
"""A name that one file of TensorFlow asks of another one, or of its compiled part."""

_BELOW = ("", "train", "nn", "image", "random", "data", "summary")
"""Where a name is looked up that only 1.15 has: right below `tensorflow`, and in these modules."""
_ONLY_1 = {
    "": "CXX_VERSION executing_eagerly_outside_functions",
    "losses": (
        "Reduction absolute_difference add_loss compute_weighted_loss cosine_distance get_losses get_regularization_loss "
        "get_regularization_losses get_total_loss hinge_loss huber_loss log_loss mean_pairwise_squared_error mean_squared_error "
        "sigmoid_cross_entropy softmax_cross_entropy sparse_softmax_cross_entropy"
    ),
    "test": "StubOutForTesting compute_gradient_error get_temp_dir mock test_src_dir_path",
}
"""What the tables do not tell and compat.v1 has and no 2.x has (read in the wheels of 2.15 to 2.21, 2026-11-22)."""
_NOT_1 = ("LazyLoader", "control_flow_v2_enabled", "enable_v2_behavior", "pywrap_tensorflow", "v1")
"""What only 1.15 has in its tables and a program does not ask for (the same wheels)."""
GONE_MODULES = ("contrib", "examples")
"""In neither, for 2.0 left them out (its release notes)."""
_EVERY = (
    "__version__ __file__ __path__ Graph Module Operation Tensor TensorShape SparseTensor Variable TensorArray abs add argmax bool cast "
    "compat concat constant convert_to_tensor data divide dtypes equal errors exp expand_dims eye feature_column fill float16 float32 "
    "float64 function gather gradients group identity image int32 int64 io keras less linalg linspace lite load_op_library map_fn "
    "math matmul maximum minimum multiply name_scope nn no_op one_hot ones ones_like pad pow print random range rank raw_ops "
    "reduce_max reduce_mean reduce_min reduce_sum reshape saved_model scan shape sigmoid sign sin size slice split sqrt square "
    "squeeze stack stop_gradient strided_slice string strings subtract summary sysconfig tanh test tile train transpose tuple uint8 "
    "unstack version where while_loop zeros zeros_like GradientTape config distribute"
)
EVERY = frozenset(_EVERY.split())
"""What every TensorFlow 2 has (the same wheels), and 1.15 had: without one of them it is not all of TensorFlow."""
_MOVED = {
    "random_normal": "tf.random.normal", "random_uniform": "tf.random.uniform", "truncated_normal": "tf.random.truncated_normal",
    "random_shuffle": "tf.random.shuffle", "random_crop": "tf.image.random_crop", "set_random_seed": "tf.random.set_seed",
    "multinomial": "tf.random.categorical", "log": "tf.math.log", "mod": "tf.math.mod", "div": "tf.divide", "ceil": "tf.math.ceil",
    "matrix_inverse": "tf.linalg.inv", "matrix_determinant": "tf.linalg.det", "matrix_diag": "tf.linalg.diag", "diag": "tf.linalg.tensor_diag",
    "cholesky": "tf.linalg.cholesky", "svd": "tf.linalg.svd", "trace": "tf.linalg.trace", "to_float": "tf.cast(x, tf.float32)",
    "to_int32": "tf.cast(x, tf.int32)", "to_int64": "tf.cast(x, tf.int64)", "gfile": "tf.io.gfile", "py_func": "tf.numpy_function",
    "FixedLenFeature": "tf.io.FixedLenFeature", "VarLenFeature": "tf.io.VarLenFeature", "parse_single_example": "tf.io.parse_single_example",
    "read_file": "tf.io.read_file", "decode_raw": "tf.io.decode_raw", "global_norm": "tf.linalg.global_norm", "is_nan": "tf.math.is_nan",
    "squared_difference": "tf.math.squared_difference", "unsorted_segment_sum": "tf.math.unsorted_segment_sum", "conj": "tf.math.conj",
    "real": "tf.math.real", "imag": "tf.math.imag", "erf": "tf.math.erf", "lgamma": "tf.math.lgamma", "count_nonzero": "tf.math.count_nonzero",
    "is_finite": "tf.math.is_finite", "VERSION": "tf.__version__", "layers": "tf.keras.layers", "metrics": "tf.keras.metrics",
    "losses": "tf.keras.losses", "sparse_to_dense": "tf.sparse.to_dense", "extract_image_patches": "tf.image.extract_patches",
}  # fmt: skip


def is_old(module: str, name: str) -> bool:
    """Whether only TensorFlow 1 has it; `module` "" for what stands right below `tensorflow`."""
    top = module.partition(".")[0]
    if top in GONE_MODULES or name in _ONLY_1.get(top, "").split():
        return True
    there = times(f"tensorflow.{top}".rstrip("."), name) if top in _BELOW else None
    return there is not None and there.last == "1.15" and name not in _NOT_1


def new_name(module: str, name: str) -> str:
    """What to write instead ("tf.random.normal"); "" for what TensorFlow 2 has nowhere."""
    if module.partition(".")[0] in GONE_MODULES or (not module and name in GONE_MODULES):
        return ""
    if not module and name in _MOVED:
        return _MOVED[name]
    return f"tf.compat.v1.{module}.{name}" if module else f"tf.compat.v1.{name}"
