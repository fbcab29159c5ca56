"""Which names TensorFlow and Keras had in which release, and what took the place of those that went."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from tfdoctor.base.expressions import Expression
from tfdoctor.base.records import record

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
        return (plain(line["of"]), found["bare"]) if line else _by_its_name(found["bare"])
    return plain(found["of"] or found["module"].rstrip(".")), found["name"] or found["attribute"]


def _by_its_name(name: str) -> tuple[str, str] | None:
    """Python 3.6 does not say where it looked, and an egg shows no line of its source: a module of Keras by that name, where
    there is one alone."""
    if "_" not in name.strip("_"):
        return None
    parents = {
        line.partition(" ")[0] for line in _table("keras")[0].split("\n") if f".{name} " in line
    }
    parents = {each.removesuffix(f".{name}") for each in parents if each.endswith(f".{name}")}
    return (parents.pop(), name) if len(parents) == 1 else None


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
    at = text.find(f"\n{module} ")
    found: list[tuple[int, str]] = []
    for line in text[text.find("\n", at + 1) + 1 :].split("\n") if at >= 0 else ():
        if not line.startswith(" "):
            break
        other, _, spans = line[1:].partition(" ")
        if other.lower() == name.lower() and other != name:
            found.append((every.index(_having(spans, every)[-1]), other))
    return max(found, default=(0, ""))[1]


def known_module(module: str) -> bool:
    package = package_of(module)
    return bool(package and _spans(_table(package)[0], module))


def _spans(text: str, module: str) -> str:
    """The rest of the module's own line; "" where there is none."""
    at = text.find(f"\n{module} ")
    return text[at + len(module) + 2 : text.find("\n", at + 1)] if at >= 0 else ""


def _inside(text: str, module: str, name: str) -> str:
    at = text.find(f"\n{module} ")
    if at < 0:
        return ""
    for line in text[text.find("\n", at + 1) + 1 :].split("\n"):
        if not line.startswith(" "):
            return ""
        if line.startswith(f" {name} "):
            return line[len(name) + 2 :]
    return ""


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

_TOP = (
    "AUTO_REUSE AttrValue COMPILER_VERSION CXX11_ABI_FLAG CXX_VERSION ConditionalAccumulator ConditionalAccumulatorBase "
    "ConfigProto Dimension Event FIFOQueue FixedLenFeature FixedLenSequenceFeature FixedLengthRecordReader GIT_VERSION GPUOptions "
    "GRAPH_DEF_VERSION GRAPH_DEF_VERSION_MIN_CONSUMER GRAPH_DEF_VERSION_MIN_PRODUCER GraphDef GraphKeys GraphOptions "
    "HistogramProto IdentityReader InteractiveSession LMDBReader LogMessage MONOLITHIC_BUILD MetaGraphDef NameAttrList NoGradient "
    "NodeDef NotDifferentiable OpError OptimizerOptions PaddingFIFOQueue Print PriorityQueue QUANTIZED_DTYPES QueueBase "
    "RandomShuffleQueue ReaderBase RunMetadata RunOptions Session SessionLog SparseConditionalAccumulator SparseFeature "
    "SparseTensorValue Summary SummaryMetadata TFRecordReader TensorInfo TextLineReader VERSION VarLenFeature VariableScope "
    "WholeFileReader accumulate_n add_check_numerics_ops add_to_collection add_to_collections all_variables angle app arg_max "
    "arg_min assert_greater_equal assert_integer assert_less_equal assert_near assert_negative assert_non_negative "
    "assert_non_positive assert_none_equal assert_positive assert_proper_iterable assert_rank_at_least assert_rank_in "
    "assert_same_float_dtype assert_scalar assert_type assert_variables_initialized assign assign_add assign_sub batch_gather "
    "batch_scatter_update batch_to_space_nd betainc bincount ceil check_numerics cholesky cholesky_solve clip_by_average_norm "
    "colocate_with confusion_matrix conj container convert_to_tensor_or_indexed_slices convert_to_tensor_or_sparse_tensor "
    "count_nonzero count_up_to create_partitioned_variables cross cumprod decode_base64 decode_compressed decode_csv "
    "decode_json_example decode_raw delete_session_tensor depth_to_space dequantize deserialize_many_sparse diag diag_part digamma "
    "dimension_at_index dimension_value disable_control_flow_v2 disable_eager_execution disable_resource_variables "
    "disable_tensor_equality disable_v2_behavior disable_v2_tensorshape distributions div div_no_nan enable_control_flow_v2 "
    "enable_eager_execution enable_resource_variables enable_tensor_equality enable_v2_tensorshape encode_base64 erf erfc "
    "executing_eagerly_outside_functions expm1 extract_image_patches fake_quant_with_min_max_args "
    "fake_quant_with_min_max_args_gradient fake_quant_with_min_max_vars fake_quant_with_min_max_vars_gradient "
    "fake_quant_with_min_max_vars_per_channel fake_quant_with_min_max_vars_per_channel_gradient fft fft2d fft3d "
    "fixed_size_partitioner flags floor_div floordiv floormod get_collection get_collection_ref get_default_graph "
    "get_default_session get_local_variable get_seed get_session_handle get_session_tensor get_variable get_variable_scope gfile "
    "global_norm global_variables global_variables_initializer glorot_normal_initializer glorot_uniform_initializer ifft ifft2d "
    "ifft3d igamma igammac imag initialize_all_tables initialize_all_variables initialize_local_variables initialize_variables "
    "initializers invert_permutation is_finite is_inf is_nan is_non_decreasing is_numeric_tensor is_strictly_increasing "
    "is_variable_initialized layers lbeta lgamma lin_space load_file_system_library local_variables local_variables_initializer "
    "log log1p log_sigmoid logging logical_xor losses make_template manip matching_files matrix_band_part matrix_determinant "
    "matrix_diag matrix_diag_part matrix_inverse matrix_set_diag matrix_solve matrix_solve_ls matrix_transpose "
    "matrix_triangular_solve metrics min_max_variable_partitioner mod model_variables moving_average_variables multinomial "
    "no_regularizer op_scope orthogonal_initializer parse_example parse_single_example parse_single_sequence_example parse_tensor "
    "placeholder placeholder_with_default polygamma py_func python_io qr quantize quantize_v2 quantized_concat random_crop "
    "random_gamma random_normal random_poisson random_shuffle random_uniform read_file real reciprocal reduce_join regex_replace "
    "report_uninitialized_variables reset_default_graph resource_loader resource_variables_enabled reverse_v2 rint rsqrt "
    "scatter_add scatter_div scatter_max scatter_min scatter_mul scatter_nd_add scatter_nd_sub scatter_nd_update scatter_sub "
    "scatter_update segment_max segment_mean segment_min segment_prod segment_sum self_adjoint_eig self_adjoint_eigvals "
    "serialize_many_sparse serialize_sparse serialize_tensor set_random_seed setdiff1d space_to_depth sparse_add sparse_concat "
    "sparse_fill_empty_rows sparse_mask sparse_matmul sparse_maximum sparse_merge sparse_minimum sparse_placeholder "
    "sparse_reduce_max sparse_reduce_max_sparse sparse_reduce_sum sparse_reduce_sum_sparse sparse_reorder sparse_reset_shape "
    "sparse_reshape sparse_retain sparse_segment_mean sparse_segment_sqrt_n sparse_segment_sum sparse_slice sparse_softmax "
    "sparse_split sparse_tensor_dense_matmul sparse_tensor_to_dense sparse_to_dense sparse_to_indicator sparse_transpose spectral "
    "squared_difference string_join string_split string_strip string_to_hash_bucket string_to_hash_bucket_fast "
    "string_to_hash_bucket_strong string_to_number substr svd tables_initializer tensor_scatter_add tensor_scatter_sub "
    "tensor_scatter_update to_bfloat16 to_complex128 to_complex64 to_double to_float to_int32 to_int64 trace trainable_variables "
    "truncated_normal truncated_normal_initializer uniform_unit_scaling_initializer unsorted_segment_max unsorted_segment_mean "
    "unsorted_segment_min unsorted_segment_prod unsorted_segment_sqrt_n unsorted_segment_sum user_ops "
    "variable_axis_size_partitioner variable_op_scope variable_scope variables_initializer variance_scaling_initializer "
    "verify_tensor_all_finite where_v2 wrap_function write_file zeta"
)
_BELOW = {
    "train": (
        "AdadeltaOptimizer AdagradDAOptimizer AdagradOptimizer AdamOptimizer CheckpointSaverHook CheckpointSaverListener "
        "ChiefSessionCreator FeedFnHook FinalOpsHook FtrlOptimizer GlobalStepWaiterHook GradientDescentOptimizer LoggingTensorHook "
        "LooperThread MomentumOptimizer MonitoredSession MonitoredTrainingSession NanLossDuringTrainingError NanTensorHook "
        "NewCheckpointReader Optimizer ProfilerHook ProximalAdagradOptimizer ProximalGradientDescentOptimizer QueueRunner "
        "RMSPropOptimizer Saver SaverDef Scaffold SecondOrStepTimer Server SessionCreator SessionManager SessionRunArgs "
        "SessionRunContext SessionRunHook SessionRunValues SingularMonitoredSession StepCounterHook StopAtStepHook SummarySaverHook "
        "Supervisor SyncReplicasOptimizer VocabInfo WorkerSessionCreator add_queue_runner assert_global_step basic_train_loop batch "
        "batch_join checkpoint_exists cosine_decay cosine_decay_restarts create_global_step do_quantize_training_on_graphdef "
        "exponential_decay export_meta_graph generate_checkpoint_state_proto get_checkpoint_mtimes get_global_step "
        "get_or_create_global_step global_step import_meta_graph init_from_checkpoint input_producer inverse_time_decay limit_epochs "
        "linear_cosine_decay match_filenames_once maybe_batch maybe_batch_join maybe_shuffle_batch maybe_shuffle_batch_join "
        "natural_exp_decay noisy_linear_cosine_decay piecewise_constant piecewise_constant_decay polynomial_decay queue_runner "
        "range_input_producer remove_checkpoint replica_device_setter sdca_fprint sdca_optimizer sdca_shrink_l1 shuffle_batch "
        "shuffle_batch_join slice_input_producer start_queue_runners string_input_producer summary_iterator update_checkpoint_state "
        "warm_start write_graph"
    ),
    "nn": (
        "avg_pool_v2 bidirectional_dynamic_rnn conv2d_backprop_filter conv2d_backprop_input conv3d_backprop_filter "
        "conv3d_backprop_filter_v2 ctc_beam_search_decoder_v2 ctc_loss_v2 depthwise_conv2d_native "
        "depthwise_conv2d_native_backprop_filter depthwise_conv2d_native_backprop_input dynamic_rnn fused_batch_norm "
        "log_uniform_candidate_sampler max_pool_v2 quantized_avg_pool quantized_conv2d quantized_max_pool quantized_relu_x raw_rnn "
        "relu_layer rnn_cell softmax_cross_entropy_with_logits_v2 static_bidirectional_rnn static_rnn static_state_saving_rnn "
        "uniform_candidate_sampler xw_plus_b"
    ),
    "image": (
        "extract_image_patches resize_area resize_bicubic resize_bilinear resize_image_with_crop_or_pad resize_image_with_pad "
        "resize_images resize_nearest_neighbor transpose_image"
    ),
    "losses": (
        "Reduction absolute_difference add_loss compute_weighted_loss cosine_distance get_losses get_regularization_loss "
        "get_regularization_losses get_total_loss hinge_loss huber_loss log_loss mean_pairwise_squared_error mean_squared_error "
        "sigmoid_cross_entropy softmax_cross_entropy sparse_softmax_cross_entropy"
    ),
    "random": ("get_seed multinomial set_random_seed stateless_multinomial"),
    "data": (
        "get_output_classes get_output_shapes get_output_types make_initializable_iterator make_one_shot_iterator"
    ),
    "summary": (
        "Event FileWriter FileWriterCache SessionLog Summary SummaryDescription TaggedRunMetadata all_v2_summary_ops "
        "get_summary_description initialize merge merge_all tensor_summary"
    ),
    "test": ("StubOutForTesting compute_gradient_error get_temp_dir mock test_src_dir_path"),
}
ONLY_1 = frozenset((*_TOP.split(), "contrib", "examples"))
"""Right below `tensorflow`: what compat.v1 has and no 2.x has (read in the wheels of 2.15 to 2.21, 2026-11-22); contrib and the
examples are in neither, for 2.0 left them out (its release notes)."""
BELOW_1 = {module: frozenset(names.split()) for module, names in _BELOW.items()}
"""The same for modules below it (the same wheels)."""
GONE_MODULES = ("contrib", "examples")
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
    return top in GONE_MODULES or name in (BELOW_1.get(top, frozenset()) if module else ONLY_1)


def new_name(module: str, name: str) -> str:
    """What to write instead ("tf.random.normal"); "" for what TensorFlow 2 has nowhere."""
    if module.partition(".")[0] in GONE_MODULES or (not module and name in GONE_MODULES):
        return ""
    if not module and name in _MOVED:
        return _MOVED[name]
    return f"tf.compat.v1.{module}.{name}" if module else f"tf.compat.v1.{name}"
