"""TensorFlow's own files and what hides them."""

from __future__ import annotations

from tfdoctor.signatures.signature import EXCEPTION, LOADER, Signature
from tfdoctor.signatures.sources import GLIBC, SEVERAL_FILES

SIGNATURES = (
    Signature(
        "tensorflow-lacks-attribute",
        "tensorflow-install-broken",
        "module 'tensorflow' has no attribute",
        form=r"module 'tensorflow' has no attribute(?: '(?P<symbol>\w{1,100})')?",
        speaker=EXCEPTION,
        rivals=("tensorflow-shadowed",),
        decided_by=("packages.shadowing", "tensorflow.record"),
        samples=(
            "AttributeError: module 'tensorflow' has no attribute '__version__'",
            "AttributeError: module 'tensorflow' has no attribute 'constant'",
        ),
        near=("AttributeError: module 'tensorflow.keras' has no attribute 'layers'",),
    ),
    Signature(
        "tensorflow-submodule-missing",
        "tensorflow-install-broken",
        "No module named 'tensorflow.",
        form=r"No module named '(?P<module>tensorflow\.[\w.]{1,200})'?",
        unless=("'tensorflow.python.keras", "'tensorflow.keras", "'tensorflow.compat.v1.keras", "'tensorflow.compat.v2.keras"),
        speaker=EXCEPTION,
        rivals=("keras-mismatch", "tensorflow-shadowed"),
        decided_by=("tensorflow.record", "packages.installed"),
        samples=(
            "ModuleNotFoundError: No module named 'tensorflow.compat'",
            "ModuleNotFoundError: No module named 'tensorflow.python.tools'; 'tensorflow.python' is not a package",
        ),
        near=(
            "ModuleNotFoundError: No module named 'tensorflow.python.keras.engine'",
            "ModuleNotFoundError: No module named 'tensorflow_hub'",
        ),
    ),
    Signature(
        "pywrap-not-importable",
        "tensorflow-install-broken",
        "cannot import name 'pywrap_tensorflow",
        speaker=EXCEPTION,
        samples=("ImportError: cannot import name 'pywrap_tensorflow' from 'tensorflow.python' (/opt/env/lib/python3.8/site-packages/tensorflow/python/__init__.py)",),
        near=("ImportError: cannot import name 'pywrap' from 'helpers'",),
        sources=(SEVERAL_FILES,),
    ),
    Signature(
        "pywrap-missing",
        "tensorflow-install-broken",
        "_pywrap_tensorflow",
        form=r"No module named '(?P<module>(?:tensorflow\.python\.)?_pywrap_tensorflow\w{0,40})",
        speaker=EXCEPTION,
        samples=(
            "ModuleNotFoundError: No module named '_pywrap_tensorflow_internal'",
            "ModuleNotFoundError: No module named 'tensorflow.python._pywrap_tensorflow_internal'",
        ),
        near=("ImportError: DLL load failed while importing _pywrap_tensorflow_internal: The specified module could not be found.",),
        releases="1.x to 2.21",
        sources=("tensorflow/tensorflow#37863 (2020-03)", "tensorflow/tensorflow#11326 (2020-03)", "Dimsmary/Ossas_ChatBot#22 (2020-07)"),
    ),
    Signature(
        "generated-file-missing",
        "tensorflow-install-broken",
        "from 'tensorflow.core.",
        form=r"cannot import name '(?P<symbol>\w{1,60}_pb2)' from '(?P<module>tensorflow\.core\.[\w.]{1,100})' \(unknown location\)",
        speaker=EXCEPTION,
        samples=("ImportError: cannot import name 'tensor_pb2' from 'tensorflow.core.framework' (unknown location)",),
        near=("ImportError: cannot import name 'tensor_pb2' from 'tensorflow.core.framework' (/opt/env/lib/python3.9/site-packages/tensorflow/core/framework/__init__.py)",),
        releases="1.x to 2.21: these files are in every wheel",
        sources=(SEVERAL_FILES,),
    ),
    *(
        Signature(
            f"library-{name}",
            "tensorflow-install-broken",
            words,
            form=rf"(?P<library>[^\s:]{{0,400}}tensorflow[^\s:]{{0,400}}): {words}",
            speaker=LOADER,
            samples=(
                f"ImportError: /opt/env/lib/python3.10/site-packages/tensorflow/libtensorflow_cc.so.2: {words}",
                f"ImportError: /opt/env/lib/python3.12/site-packages/tensorflow/python/platform/_pywrap_cpu_feature_guard.so: {words}",
            ),
            near=(f"ImportError: /opt/env/lib/libhdf5.so.200: {words}",),
            releases="glibc 2",
            sources=(GLIBC, *sources),
        )
        for name, words, *sources in (
            ("too-short", "file too short", SEVERAL_FILES),
            ("no-elf", "invalid ELF header", SEVERAL_FILES),
            ("unread", "cannot read file data"),
            ("not-aligned", "ELF load command address/offset not page-aligned", SEVERAL_FILES),
            ("not-aligned-old", "ELF load command address/offset not properly aligned", SEVERAL_FILES),
            ("without-segments", "object file has no loadable segments"),
            ("without-dynamic", "object file has no dynamic section"),
        )
    ),
    Signature(
        "own-library-missing",
        "tensorflow-install-broken",
        "cannot open shared object file",
        form=r"(?P<library>libtensorflow_\w{1,40}\.so\.\d{1,2}): cannot open shared object file",
        speaker=LOADER,
        samples=(
            "ImportError: libtensorflow_framework.so.2: cannot open shared object file: No such file or directory",
            "ImportError: libtensorflow_cc.so.2: cannot open shared object file: No such file or directory",
        ),
        near=(
            "W tensorflow/stream_executor/platform/default/dso_loader.cc:64] Could not load dynamic library 'libcudart.so.11.0'; dlerror: libcudart.so.11.0: cannot open shared object file: No such file or directory",
        ),
        releases="1.14 to 2.21",
        sources=(GLIBC, SEVERAL_FILES),
    ),
    Signature(
        "tensorflow-no-package",
        "tensorflow-shadowed",
        "'tensorflow' is not a package",
        speaker=EXCEPTION,
        samples=("ModuleNotFoundError: No module named 'tensorflow.keras'; 'tensorflow' is not a package",),
        near=("ModuleNotFoundError: No module named 'a.b'; 'a' is not a package",),
        sources=(SEVERAL_FILES,),
    ),
    Signature(
        "tensorflow-source-folder",
        "tensorflow-shadowed",
        "Do not import tensorflow from its source directory",
        speaker=EXCEPTION,
        samples=("ImportError: Could not import tensorflow. Do not import tensorflow from its source directory; change directory to outside the TensorFlow source tree, and relaunch your Python interpreter from there.",),
        near=("change directory to outside the TensorFlow source tree",),
        releases="1.5 to 2.21",
        sources=(SEVERAL_FILES,),
    ),
    Signature(
        "partially-initialized",
        "tensorflow-shadowed",
        "partially initialized module",
        form=r"partially initialized module '(?P<module>[\w.]{1,200})'",
        speaker=EXCEPTION,
        sure="likely",
        samples=(
            "AttributeError: partially initialized module 'tensorflow' has no attribute 'constant' (most likely due to a circular import)",
            "ImportError: cannot import name 'keras' from partially initialized module 'tensorflow' (most likely due to a circular import) (/home/u/tensorflow.py)",
        ),
        near=("the module was partially initialized",),
    ),
)  # fmt: skip
