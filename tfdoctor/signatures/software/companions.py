"""What TensorFlow's companions say of the TensorFlow that they are made for, and what shows which one is there."""

from __future__ import annotations

from functools import partial

from tfdoctor.signatures.signature import EXCEPTION, FACT, PYTHON, Signature
from tfdoctor.signatures.sources import SEVERAL_FILES

_fact = partial(Signature, code="", role=FACT, speaker=PYTHON)

SIGNATURES = (
    _fact(
        "addons-range",
        anchor="supports using Python ops for all Tensorflow versions above or equal to ",
        form=r"(?P<asker>Tensorflow Addons) supports using Python ops for all Tensorflow versions above or equal to (?P<wanted>\d[\d.]{1,10}) and strictly below (?P<limit>\d[\d.]{1,10})",
        samples=("UserWarning: Tensorflow Addons supports using Python ops for all Tensorflow versions above or equal to 2.3.0 and strictly below 2.5.0 (nightly versions are not supported). ",),
        near=("It supports using Python ops for all versions",),
        releases="tensorflow-addons 0.7 to 0.23",
        sources=("tensorflow_addons/utils/ensure_tf_install.py (2026-11)",),
    ),
    _fact(
        "forests-range",
        anchor="is compatible with the following TensorFlow Versions: [",
        form=r"(?P<asker>TensorFlow Decision Forests) (?P<version>\d[\w.]{1,15}) is compatible with the following TensorFlow Versions: \['(?P<wanted>\d[\w.]{1,15})'",
        samples=("WARNING:root:TensorFlow Decision Forests 1.8.1 is compatible with the following TensorFlow Versions: ['2.15.0']. However, TensorFlow 2.15.1 was detected.",),
        near=("It is compatible with the following TensorFlow Versions: all",),
        releases="tensorflow-decision-forests 1.1 and newer",
        sources=("tensorflow/tfjs#8301 (2024-06)",),
    ),
    _fact(
        "keras-version",
        anchor="eras ",
        also=("eras=", "eras:", "eras_"),
        form=r"(?:^|[\s(\[:>,])[Kk]eras(?:[ _][Vv]ersion)?(?:==|:? {1,40}|: ?|=)v?(?P<version>[123]\.\d{1,2}\.\d{1,2})\b",
        samples=("- keras 3.8.0", "keras==3.4.1", "Keras version: 2.3.1", "keras                        3.1.1"),
        near=("- tf-keras 2.16.0", "tf_keras 2.18.0", "keras 3 is new"),
    ),
    _fact(
        "tensorflow-loads-keras",
        anchor="_keras._load()",
        samples=("    _keras._load()",),
        near=("    self._load()",),
        releases="2.7 to 2.15: 2.16.2, 2.20 and 2.21 have the line no more (their wheels, 2026-11)",
    ),
    _fact(
        "importlib-line",
        anchor=", in import_module",
        form=r"[Ii]mportlib[\\/]__init__\.py\", line (?P<line>\d{2,3}), in import_module",
        samples=('  File "C:\\Users\\user\\anaconda3\\lib\\importlib\\__init__.py", line 127, in import_module',),
        near=('  File "tools.py", line 127, in import_module',),
        releases="Python 3.6 to 3.13",
    ),
    Signature(
        "add-on-not-loaded",
        "custom-op-mismatch",
        ".so not found",
        also=(".dll not found", ".dylib not found"),
        form=r"NotFoundError: (?P<library>.{1,200}(?:site|dist)-packages[\\/].{1,200}\.(?:so|dll|dylib)) not found",
        speaker=EXCEPTION,
        samples=(r"tensorflow.python.framework.errors_impl.NotFoundError: C:\Python311\Lib\site-packages\tensorflow_decision_forests\tensorflow\ops\inference\inference.so not found",),
        near=("NotFoundError: /home/user/ops/mine.so not found",),
        releases="every TensorFlow on Windows, where a library or one that it needs can't be loaded",
        sources=("tensorflow/tfjs#8220 (2024-03)", "tensorflow/text#1001 (2022-09)"),
    ),
    Signature(
        "protobuf-create-key",
        "protobuf-incompatible",
        "'_internal_create_key'",
        speaker=EXCEPTION,
        samples=("AttributeError: module 'google.protobuf.descriptor' has no attribute '_internal_create_key'",),
        near=("'_internal_create' is private",),
        releases="code of protoc 3.12 and newer under an older protobuf",
        sources=("keras-team/keras#14995 (2021-07)", "tensorflow/toolchains#28 (2021-06)"),
    ),
    Signature(
        "python-of-32-bit",
        "python-unsupported",
        "-32\\",
        form=r"[Pp]ython3\d{1,2}-32\\[Ll]ib\\site-packages\\tensorflow",
        speaker=PYTHON,
        samples=(r'  File "C:\Users\user\AppData\Local\Programs\Python\Python37-32\lib\site-packages\tensorflow\__init__.py", line 24, in <module>',),
        near=(r"C:\Python37-32\python.exe",),
        releases="python.org's installer names the folder of its 32-bit Pythons so",
        sources=(SEVERAL_FILES,),
    ),
)  # fmt: skip
