"""The packages that TensorFlow is compiled against or imports: NumPy, protobuf, ml_dtypes and smaller ones."""

from __future__ import annotations

from functools import partial

from tfdoctor.signatures.signature import EXCEPTION, LIKELY, NATIVE, PYTHON, Signature
from tfdoctor.signatures.sources import SEVERAL_FILES

_numpy = partial(Signature, code="numpy-abi-mismatch", speaker=EXCEPTION)
_protobuf = partial(Signature, code="protobuf-incompatible", speaker=EXCEPTION)
_runtimes = partial(Signature, code="protobuf-two-runtimes", speaker=NATIVE)
_smaller = partial(Signature, code="dependency-mismatch", speaker=EXCEPTION)

SIGNATURES = (
    _numpy(
        "numpy-array-api",
        anchor="_ARRAY_API not found",
        samples=("AttributeError: _ARRAY_API not found",),
        near=("AttributeError: module 'array_api' not found",),
        releases="NumPy 2 under extensions built for 1",
        sources=(SEVERAL_FILES,),
    ),
    _numpy(
        "numpy-1-under-2",
        anchor=" cannot be run in",
        form=r"compiled using NumPy 1\.x cannot be run in(?: NumPy (?P<version>\d[\w.]{0,20}))?",
        speaker=PYTHON,
        samples=(
            "A module that was compiled using NumPy 1.x cannot be run in NumPy 2.1.3 as it may crash. To support both 1.x and 2.x",
            "A module that was compiled using NumPy 1.x cannot be run in",
        ),
        near=("this notebook cannot be run in parallel",),
        releases="NumPy 2 under extensions built for 1",
    ),
    _numpy(
        "numpy-dtype-size",
        anchor=" size changed",
        form=r"(?P<symbol>numpy\.(?:dtype|ufunc|ndarray)) size changed",
        samples=(
            "ValueError: numpy.dtype size changed, may indicate binary incompatibility. Expected 96 from C header, got 88 from PyObject",
            "RuntimeWarning: numpy.ufunc size changed, may indicate binary incompatibility. Expected 192 from C header, got 216 from PyObject",
            "ValueError: numpy.ndarray size changed, may indicate binary incompatibility. Expected 88 from C header, got 80 from PyObject",
        ),
        near=("RuntimeWarning: scipy._lib.messagestream.MessageStream size changed, may indicate binary incompatibility",),
        releases="NumPy 1.20 to 2",
    ),
    _numpy(
        "numpy-api-version",
        anchor="module compiled against A",
        form=r"module compiled against A[PB]I version (?P<wanted>\w{1,20})(?: but this version of numpy is (?P<version>\w{1,20}))?",
        samples=(
            "RuntimeError: module compiled against API version 0xf but this version of numpy is 0xd",
            "RuntimeError: module compiled against API version 0x10 but this version of numpy is 0xf . Check the section C-API incompatibility",
            "RuntimeError: module compiled against ABI version 0x1000009 but this version of numpy is 0x2000000",
        ),
        near=("module compiled against another library",),
        releases="NumPy 1.7 to 2",
        sources=(SEVERAL_FILES,),
    ),
    _numpy(
        "numpy-return-value",
        anchor="Unable to convert function return value to a Python type",
        samples=("TypeError: Unable to convert function return value to a Python type! The signature was",),
        near=("TypeError: Unable to convert function argument",),
        releases="pybind11",
    ),
    _numpy(
        "numpy-core-import",
        anchor=" failed to import",
        form=r"numpy\.(?P<module>_?core\.(?:umath|multiarray|_multiarray_umath)) failed to import",
        samples=(
            "ImportError: numpy.core.umath failed to import",
            "ImportError: numpy.core.multiarray failed to import (auto-generated because you didn't call 'numpy.import_array()' after cimporting numpy; use '<void>numpy._import_array' to disable if you are certain you don't need it).",
            "ImportError: numpy._core.umath failed to import",
        ),
        near=("the module numpy failed to import",),
        releases="NumPy 1.16 to 2",
    ),
    Signature(
        "numpy-source-folder",
        "pythonpath-leak",
        "you should not try to import numpy from",
        speaker=EXCEPTION,
        sure=LIKELY,
        rivals=("numpy-abi-mismatch", "dependency-mismatch"),
        decided_by=("environment.variables", "packages.installed"),
        samples=(
            "ImportError: Error importing numpy: you should not try to import numpy from",
            "ImportError: Error importing numpy: you should not try to import numpy from its source directory; please exit the numpy source tree, and relaunch your python interpreter from there.",
        ),
        near=("you may try to import numpy from a notebook",),
        releases="NumPy 1.x and 2",
        sources=(SEVERAL_FILES,),
    ),
    _numpy(
        "numpy-unreported",
        anchor="raised unreported exception",
        form=r"(?:initialization of|execution of module) (?P<module>[\w.]{1,100}) raised unreported exception",
        sure=LIKELY,
        decided_by=("packages.installed",),
        samples=(
            "SystemError: initialization of _pywrap_checkpoint_reader raised unreported exception",
            "SystemError: execution of module h5py.utils raised unreported exception",
        ),
        near=("the worker raised an unreported exception",),
        releases="NumPy 2 under extensions built for 1; Python's words for any extension that fails so",
        sources=(SEVERAL_FILES,),
    ),
    Signature(
        "numpy-alias",
        "numpy-alias-removed",
        "module 'numpy' has no attribute '",
        form=r"module 'numpy' has no attribute '(?P<symbol>object|bool|int|float|complex|str|typeDict|long|unicode)'",
        speaker=EXCEPTION,
        samples=(
            "AttributeError: module 'numpy' has no attribute 'object'.",
            "AttributeError: module 'numpy' has no attribute 'typeDict'",
            "AttributeError: module 'numpy' has no attribute 'bool'.",
        ),
        near=(
            "AttributeError: module 'numpy' has no attribute 'array_api'",
            "AttributeError: module 'numpy' has no attribute 'objects'",
        ),
        releases="NumPy 1.24 and newer",
    ),
    _protobuf(
        "protobuf-descriptors",
        anchor="be created directly",
        form=r"Descriptors cannot (?:not )?be created directly",
        samples=(
            "TypeError: Descriptors cannot not be created directly.",
            "TypeError: Descriptors cannot be created directly.",
        ),
        near=("TypeError: Tensors cannot be created directly",),
        releases="protobuf 4 and newer over code generated before 3.19",
    ),
    _protobuf(
        "protobuf-gencode",
        anchor=" Protobuf Gencode/Runtime ",
        form=r"Detected (?:mismatched|incompatible) Protobuf Gencode/Runtime \w{1,20}(?: versions)? when loading (?P<file>\S{1,300}): gencode (?P<wanted>\d[\w.-]{1,20}) runtime (?P<version>\d[\w.-]{1,20})",
        samples=(
            "google.protobuf.runtime_version.VersionError: Detected incompatible Protobuf Gencode/Runtime versions when loading tensorflow/core/framework/attr_value.proto: gencode 6.31.1 runtime 5.29.5.",
            "VersionError: Detected mismatched Protobuf Gencode/Runtime major versions when loading x.proto: gencode 6.31.1 runtime 5.28.0.",
        ),
        near=("UserWarning: Protobuf gencode version 5.28.3 is exactly one major version older than the runtime version 6.31.1",),
        releases="protobuf 5.26 and newer",
        sources=(SEVERAL_FILES,),
    ),
    _protobuf(
        "protobuf-version-error",
        anchor="VersionError",
        form=r"VersionError.{0,300}?[Gg]encode",
        samples=("google.protobuf.runtime_version.VersionError: Detected mismatched Protobuf Gencode/Runtime suffixes when loading x.proto: gencode 5.28.3-dev runtime 5.28.3.",),
        near=("pkg_resources.VersionError: gen code",),
        releases="protobuf 5.26 and newer",
    ),
    _protobuf(
        "protobuf-runtime-version",
        anchor="from 'google.protobuf",
        form=r"cannot import name '(?P<symbol>runtime_version|builder)' from 'google\.protobuf",
        samples=(
            "ImportError: cannot import name 'runtime_version' from 'google.protobuf' (/opt/env/lib/python3.12/site-packages/google/protobuf/__init__.py)",
            "ImportError: cannot import name 'builder' from 'google.protobuf.internal' (/opt/env/lib/python3.9/site-packages/google/protobuf/internal/__init__.py)",
        ),
        near=("ImportError: cannot import name 'message' from 'google.protobuf'",),
        releases="generated code newer than protobuf",
    ),
    _protobuf(
        "protobuf-no-cpp",
        anchor="cannot import name '_message' from 'google.protobuf.pyext'",
        samples=("ImportError: cannot import name '_message' from 'google.protobuf.pyext' (/opt/env/lib/python3.11/site-packages/google/protobuf/pyext/__init__.py)",),
        near=("ImportError: cannot import name '_message' from 'google.protobuf'",),
        releases="protobuf 4.21 and newer with PROTOCOL_BUFFERS_PYTHON_IMPLEMENTATION=cpp",
        sources=("run with protobuf 4.25 under 2.15.1 and 7.36 under 2.21.0 (2026-11-20)",),
    ),
    _runtimes(
        "libprotobuf-fatal",
        anchor="[libprotobuf FATAL",
        samples=("[libprotobuf FATAL google/protobuf/stubs/common.cc:83] This program was compiled against version 3.9.2 of the Protocol Buffer runtime library, which is not compatible with the installed version (3.19.4).",),
        near=("[libprotobuf ERROR google/protobuf/message.cc:121] Can't parse message",),
        releases="protobuf 3",
    ),
    _runtimes(
        "protobuf-file-twice",
        anchor="File already exists in database",
        form=r"File already exists in database(?:: (?P<file>\S{1,300}))?",
        samples=("[libprotobuf ERROR google/protobuf/descriptor_database.cc:642] File already exists in database: tensorflow/core/protobuf/config.proto",),
        near=("File already exists: model.h5",),
        releases="protobuf 3 and newer",
    ),
    _runtimes(
        "protobuf-duplicate-file",
        anchor="duplicate file name ",
        form=r"duplicate file name (?P<file>\S{0,300}\.proto)",
        speaker=EXCEPTION,
        samples=("TypeError: Couldn't build proto file into descriptor pool: duplicate file name tensorflow/core/framework/tensor.proto",),
        near=("warning: duplicate file name report.txt",),
        releases="protobuf 3 and newer",
    ),
    Signature(
        "ml-dtypes-attribute",
        "ml-dtypes-mismatch",
        "module 'ml_dtypes' has no attribute",
        form=r"module 'ml_dtypes' has no attribute(?: '(?P<symbol>\w{1,60})')?",
        speaker=EXCEPTION,
        samples=(
            "AttributeError: module 'ml_dtypes' has no attribute 'float8_e3m4'",
            "AttributeError: module 'ml_dtypes' has no attribute 'float4_e2m1fn'",
        ),
        near=("AttributeError: module 'jax.dtypes' has no attribute 'bfloat16'",),
        releases="ml_dtypes older than what asks for it",
    ),
    Signature(
        "package-wants-tensorflow",
        "package-import-failed",
        " requires TensorFlow version ",
        form=r"This version of (?P<asker>[\w -]{1,60}) requires TensorFlow version (?P<wanted>[^;]{1,40}); Detected an installation of version (?P<version>\d[\w.+-]{0,40}\w)",
        speaker=EXCEPTION,
        samples=(
            "ImportError: This version of TensorFlow Probability requires TensorFlow version >= 2.5; Detected an installation of version 2.4.1. Please upgrade TensorFlow to proceed.",
            "ImportError: This version of TensorFlow Probability requires TensorFlow version >= 2.4; Detected an installation of version 2.3.0-dev20200603. Please upgrade TensorFlow to proceed.",
        ),
        near=("tensorflow-decision-forests 1.5.0 requires tensorflow~=2.13.0, but you have tensorflow 2.16.1 which is incompatible.",),
        releases="TensorFlow Probability",
        sources=("Kaggle/docker-python#1057 (2021-07)", "gianlucadetommaso/volatile#4 (2021-02)", "rstudio/tfprobability#127 (2020-03)"),
    ),
    _smaller(
        "typing-extensions-name",
        anchor="from 'typing_extensions'",
        form=r"cannot import name '(?P<symbol>\w{1,60})' from 'typing_extensions'",
        samples=("ImportError: cannot import name 'TypeIs' from 'typing_extensions' (/opt/env/lib/python3.11/site-packages/typing_extensions.py)",),
        near=("ImportError: cannot import name 'Literal' from 'typing'",),
        releases="typing_extensions older than what asks for it",
    ),
    _smaller(
        "param-spec",
        anchor="cannot import name 'ParamSpec'",
        samples=("ImportError: cannot import name 'ParamSpec' from 'typing' (/usr/lib/python3.9/typing.py)",),
        near=("ImportError: cannot import name 'ParamSpecArgs' from 'typing'",),
        releases="typing_extensions before 3.10, Python before 3.10",
    ),
    _smaller(
        "gast-attribute",
        anchor="module 'gast' has no attribute",
        form=r"module 'gast' has no attribute(?: '(?P<symbol>\w{1,60})')?",
        samples=("AttributeError: module 'gast' has no attribute 'Index'",),
        near=("AttributeError: module 'ast' has no attribute 'Index'",),
        releases="gast 0.3 and newer under 1.x and 2.0",
    ),
    _smaller(
        "argspec-gone",
        anchor=" 'ArgSpec'",
        form=r"(?:module 'inspect' has no attribute|cannot import name) 'ArgSpec'",
        samples=("AttributeError: module 'inspect' has no attribute 'ArgSpec'. Did you mean: 'FullArgSpec'?",),
        near=("AttributeError: module 'inspect' has no attribute 'getargspec'",),
        releases="wrapt before 1.14 on Python 3.11",
    ),
    _smaller(
        "formatargspec-gone",
        anchor=" 'formatargspec'",
        form=r"(?:module 'inspect' has no attribute|cannot import name) 'formatargspec'",
        samples=("ImportError: cannot import name 'formatargspec' from 'inspect' (/usr/lib/python3.11/inspect.py)",),
        near=("AttributeError: module 'inspect' has no attribute 'getargspec'",),
        releases="wrapt before 1.13 on Python 3.11",
    ),
    _smaller(
        "wrapper-dict",
        anchor="this __dict__ descriptor does not support '",
        form=r"this __dict__ descriptor does not support '(?P<symbol>_?\w{0,40}Wrapper)' objects",
        samples=(
            "TypeError: this __dict__ descriptor does not support '_DictWrapper' objects",
            "TypeError: this __dict__ descriptor does not support '_TupleWrapper' objects",
        ),
        near=("TypeError: this __dict__ descriptor does not support 'type' objects",),
        releases="wrapt 1.15 and newer under code that looks through a wrapper: typing_extensions 4.6, Python 3.12",
        sources=("tensorflow/tensorflow#63548 (2024-03)", "tensorflow/tensorflow#62217 (2025-08)", "tensorflow/tensorflow#59869 (2023-03)", "python/typing_extensions#216 (2023-06)", "secondmind-labs/trieste#889 (2026-01)"),
    ),
)  # fmt: skip
