"""Keras, tf-keras and TensorFlow beside each other."""

from __future__ import annotations

from functools import partial

from tfdoctor.signatures.signature import EXCEPTION, LIKELY, Signature
from tfdoctor.signatures.sources import SEVERAL_FILES, WHEELS

_mismatch = partial(Signature, code="keras-mismatch", speaker=EXCEPTION)
_legacy = partial(Signature, code="keras-legacy-needed", speaker=EXCEPTION)

SIGNATURES = (
    Signature(
        "keras-wants-tensorflow",
        "keras-mismatch",
        "Keras requires TensorFlow 2",
        form=r"Keras requires TensorFlow (?P<wanted>2\.\d{1,2}) or higher",
        speaker=EXCEPTION,
        samples=("ImportError: Keras requires TensorFlow 2.2 or higher. Install TensorFlow via `pip install tensorflow`",),
        near=("Keras requires TensorFlow to be installed",),
        releases="the package keras 2.4, beside TensorFlow 2.1 and older",
        sources=("serengil/deepface#179 (2021-01)",),
    ),
    Signature(
        "keras-2-handed",
        "keras-mismatch",
        "<tf_keras.",
        also=("<class 'tf_keras.",),
        unless=("Only instances of",),
        form=r"(?:[Ee]xpected|must be|should be|[Oo]nly|instances? of|[Rr]eceived).{0,300}?<(?:class ')?(?P<module>tf_keras)\.",
        speaker=EXCEPTION,
        samples=(
            "keras_tuner.src.errors.FatalTypeError: Expected the model-building function, or HyperModel.build() to return a valid Keras Model instance. Received: <tf_keras.src.engine.functional.Functional object at 0x7fe49809f8d0>",
            "ValueError: Expected a Keras optimizer. Received: <class 'tf_keras.src.optimizers.adam.Adam'>",
        ),
        near=("<tf_keras.src.engine.functional.Functional object at 0x7fe49809f8d0>",),
        releases="Keras 3 and packages that work with it, beside tf-keras",
        sources=("keras-team/keras-tuner#1039 (2025-03)",),
    ),
    _mismatch(
        "keras-private-name",
        anchor="from 'tensorflow.python.keras",
        form=r"cannot import name '?(?P<symbol>[^'\n]{1,100}?)'? from 'tensorflow\.python\.keras",
        samples=("ImportError: cannot import name 'get_config' from 'tensorflow.python.keras' (/opt/env/lib/python3.9/site-packages/tensorflow/python/keras/__init__.py)",),
        near=("ImportError: cannot import name 'ops' from 'tensorflow.python' (/opt/x/__init__.py)",),
        releases="Keras 2 code under 2.6 and newer",
    ),
    _mismatch(
        "keras-name",
        anchor="from 'keras",
        form=r"cannot import name '?(?P<symbol>[^'\n]{1,100}?)'? from 'keras(?:[.']|\s{0,3}$)",
        samples=(
            "ImportError: cannot import name 'Adam' from 'keras.optimizers' (/opt/env/lib/python3.9/site-packages/keras/optimizers.py)",
            "ImportError: cannot import name '__version__' from 'keras' (unknown location)",
        ),
        near=("ImportError: cannot import name 'x' from 'mykeras'", "ImportError: cannot import name 'TransformerEncoder' from 'keras_nlp.layers'"),
        releases="Keras 1 and 2 code under a newer Keras",
    ),
    _mismatch(
        "keras-get-config",
        anchor="cannot import name 'get_config'",
        samples=("ImportError: cannot import name 'get_config' from 'tensorflow.python.eager.context' (/opt/env/lib/python3.8/site-packages/tensorflow_core/python/eager/context.py)",),
        near=("ImportError: cannot import name 'get_configs' from 'helpers'",),
        releases="Keras 2.3 and older beside 2.x",
    ),
    _mismatch(
        "keras-load-context",
        anchor="register_load_context_function",
        samples=("AttributeError: module 'tensorflow._api.v2.compat.v2.__internal__' has no attribute 'register_load_context_function'",),
        near=("AttributeError: module 'x' has no attribute 'register_load_context'",),
        releases="Keras 2.13 and newer beside an older TensorFlow",
    ),
    _mismatch(
        "keras-module",
        anchor="No module named '",
        form=r"No module named '(?P<module>(?:tensorflow\.|tf_)?keras\.[\w.]{1,100})'",
        samples=(
            "ModuleNotFoundError: No module named 'keras.api._v2'",
            "ModuleNotFoundError: No module named 'keras.engine'",
            "ModuleNotFoundError: No module named 'keras.src'",
            "ModuleNotFoundError: No module named 'keras.src.engine'",
            "ModuleNotFoundError: No module named 'keras.utils.np_utils'",
            "ModuleNotFoundError: No module named 'tensorflow.keras.wrappers'",
        ),
        near=("ModuleNotFoundError: No module named 'keras'", "ModuleNotFoundError: No module named 'mykeras.engine'", "ModuleNotFoundError: No module named 'keras_tuner.engine'"),
        releases="code for another Keras than the installed one",
        sources=("keras-team/tf-keras#196 (2023-05)", "keras-team/keras#18878 (2023-12)", "tencent-quantum-lab/tensorcircuit#155 (2023-06)"),
    ),
    _mismatch(
        "keras-of-tensorflow",
        anchor="No module named 'tensorflow.keras'",
        unless=("is not a package",),
        sure=LIKELY,
        rivals=("tensorflow-shadowed", "tensorflow-install-broken"),
        decided_by=("packages.installed", "tensorflow.record"),
        samples=("ModuleNotFoundError: No module named 'tensorflow.keras'",),
        near=("ModuleNotFoundError: No module named 'tensorflow.keras'; 'tensorflow' is not a package",),
        releases="every TensorFlow since 1.4 has it, where the Keras beside it fits",
        sources=("keras-team/keras#19426 (2024-04)",),
    ),
    _mismatch(
        "keras-attribute",
        anchor="' has no attribute '",
        form=r"module '(?P<module>(?:tensorflow\.)?keras(?:\.[\w.]{1,100})?)' has no attribute '(?P<symbol>\w{1,60})'",
        samples=(
            "AttributeError: module 'keras._tf_keras.keras.layers' has no attribute 'experimental'",
            "AttributeError: module 'keras.api._v2.keras' has no attribute '__version__'",
            "AttributeError: module 'keras' has no attribute 'engine'",
            "AttributeError: module 'tensorflow.keras' has no attribute '__version__'",
        ),
        near=("AttributeError: module 'keras_cv' has no attribute 'models'", "AttributeError: module 'my.keras' has no attribute 'x'"),
        releases="code for another Keras than the installed one",
        sources=("tensorflow/tensorflow#64349 (2024-08)", "ageron/handson-ml2#618 (2023-06)", "jeffheaton/t81_558_deep_learning#175 (2024-02)"),
    ),
    _mismatch(
        "keras-3-file",
        anchor="Unrecognized keyword arguments: [",
        form=r"Unrecognized keyword arguments: \[[^\]]{0,200}?'(?P<symbol>batch_shape|optional)'",
        samples=("ValueError: Unrecognized keyword arguments: ['batch_shape']", "ValueError: Unrecognized keyword arguments: ['batch_shape', 'optional']"),
        near=("TypeError: Unrecognized keyword arguments: ['shape']", "ValueError: Unrecognized keyword arguments: dict_keys(['ragged'])"),
        releases="a model file of Keras 3 under Keras 2",
        sources=("tensorflow/tensorflow#64685 (2024-03)",),
    ),
    _mismatch(
        "keras-dtensor",
        anchor="cannot import name 'dtensor'",
        form=r"cannot import name 'dtensor'(?: from 'tensorflow|\s{0,3}$)",
        samples=("ImportError: cannot import name 'dtensor'", "ImportError: cannot import name 'dtensor' from 'tensorflow.compat.v2.experimental' (/opt/env/lib/python3.9/site-packages/tensorflow/_api/v2/compat/v2/experimental/__init__.py)",),
        near=("ImportError: cannot import name 'dtensor' from 'mesh'",),
        releases="Keras 2.9 and newer beside an older TensorFlow",
    ),
    _mismatch(
        "keras-private-module",
        anchor="No module named 'tensorflow.python.",
        form=r"No module named '(?P<module>tensorflow\.python\.(?:trackable|checkpoint|types|distribute)[\w.]{0,100})",
        rivals=("tensorflow-install-broken",),
        decided_by=("tensorflow.record", "packages.installed"),
        samples=(
            "ModuleNotFoundError: No module named 'tensorflow.python.trackable'",
            "ModuleNotFoundError: No module named 'tensorflow.python.distribute.distribute_lib'",
        ),
        near=("ModuleNotFoundError: No module named 'tensorflow.python.tools'",),
        releases="Keras newer than TensorFlow",
    ),
    *(
        _mismatch(
            name,
            anchor=anchor,
            samples=(sample,),
            near=("AlreadyExistsError: Resource localhost/x/variable already exists", "metrics with the same name are added up"),
            releases="TensorFlow 2.6 beside a newer Keras",
            sources=("tensorflow/tensorflow#52937 (2021-11)", "naurril/SUSTechPOINTS#44 (2021-11)"),
        )
        for name, anchor, sample in (
            ("keras-metric-twice", "Another metric with the same name already exists", "tensorflow.python.framework.errors_impl.AlreadyExistsError: Another metric with the same name already exists."),
            ("keras-gauge-twice", "metrics with the same name: /tensorflow/api/", "E tensorflow/core/lib/monitoring/collection_registry.cc:77] Cannot register 2 metrics with the same name: /tensorflow/api/keras/optimizers"),
        )
    ),
    _legacy(
        "tf-keras-missing",
        anchor="do not have the tf_keras package installed",
        samples=(
            "ImportError: Keras cannot be imported. Your environment has TF_USE_LEGACY_KERAS set to True, but you do not have the tf_keras package installed.",
        ),
        near=("you have the tf_keras package installed",),
        releases="2.15 to 2.21",
        sources=(WHEELS,),
    ),
    _legacy(
        "probability-without-tf-keras",
        anchor="Failed to import TF-Keras",
        also=("please install the tf-keras or tf-keras-nightly package",),
        samples=(
            "Failed to import TF-Keras. ",
            "To use TensorFlow Probability with TensorFlow, please install the tf-keras or tf-keras-nightly package.",
        ),
        near=("TF-Keras was imported", "please install the tf-keras package"),
        releases="TensorFlow Probability 0.24 and newer",
        sources=("google-deepmind/distrax#280 (2024-12)",),
    ),
    _legacy(
        "keras-not-imported",
        anchor="Keras cannot be imported. Check that it is installed",
        samples=("ImportError: Keras cannot be imported. Check that it is installed.",),
        near=("Keras can be imported",),
        rivals=("keras-mismatch", "dependency-mismatch"),
        decided_by=("environment.variables", "packages.installed"),
        releases="2.15 to 2.21",
        sources=(WHEELS,),
    ),
    _legacy(
        "keras-3-installed",
        anchor="currently installed version of Keras is Keras 3",
        samples=(
            "ValueError: Your currently installed version of Keras is Keras 3, but this is not yet supported in Transformers. Please install the backwards-compatible tf-keras package with `pip install tf-keras`.",
        ),
        near=("your currently installed version of Keras is 2.15",),
        releases="transformers 4.37 and newer",
    ),
    _legacy(
        "keras-2-file",
        anchor="Keras 3 only supports V3 `.keras`",
        samples=(
            "ValueError: File format not supported: filepath=saved/model. Keras 3 only supports V3 `.keras` files and legacy H5 format files (`.h5` extension). Note that the legacy SavedModel format is not supported by `load_model()` in Keras 3.",
            "ValueError: File format not supported: filepath=saved/model. Keras 3 only supports V3 `.keras` and `.weights.h5` files, or legacy V1/V2 `.h5` files.",
        ),
        near=("Keras 3 supports `.keras` files",),
        releases="Keras 3",
    ),
    _legacy(
        "keras-layer-instances",
        anchor="can be added",
        form=r"Only instances of `?keras\.Layer`? can be added",
        samples=("ValueError: Only instances of `keras.Layer` can be added to a Sequential model. Received: <tensorflow_hub.keras_layer.KerasLayer object at 0x7f2a5c> (of type <class 'tensorflow_hub.keras_layer.KerasLayer'>)",),
        near=("Only instances of Model can be added",),
        releases="Keras 3",
    ),
    Signature(
        "keras-backend-unknown",
        "keras-backend-unusable",
        "Unable to import backend",
        form=r"Unable to import backend ?: ?(?P<value>\S{1,60})",
        speaker=EXCEPTION,
        samples=("ValueError: Unable to import backend : pytorch",),
        near=("Unable to import the backend",),
        releases="Keras 3",
        sources=(SEVERAL_FILES,),
    ),
    Signature(
        "keras-needs-package",
        "dependency-mismatch",
        "To use Keras, you need to have `",
        form=r"To use Keras, you need to have `(?P<module>[\w.-]{1,60})` installed",
        speaker=EXCEPTION,
        samples=("ImportError: To use Keras, you need to have `optree` installed. Install it via `pip install optree`",),
        near=("To use Keras, you need to have a backend",),
        releases="Keras 3",
        sources=(SEVERAL_FILES,),
    ),
)  # fmt: skip
