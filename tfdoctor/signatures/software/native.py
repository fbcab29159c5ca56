"""Other native libraries in the process: HDF5, OpenMP, Metal, custom operations, symbols that clash."""

from __future__ import annotations

from functools import partial

from tfdoctor.signatures.signature import EXCEPTION, FACT, LIKELY, LOADER, NATIVE, Signature
from tfdoctor.signatures.sources import GLIBC, SEVERAL_FILES

_clash = partial(Signature, code="native-library-clash", speaker=NATIVE)

_OF_CUDA = (
    "libcuda", "libcublas", "libcudnn", "libcufft", "libcurand", "libcusolver", "libcusparse", "libcupti", "libnv", "libnccl",
    "libtensorflow", "libamdhip", "librocm", "libd3d12", "libdxcore", "libdirectml",
)  # fmt: skip
"""Libraries with codes of their own."""

SIGNATURES = (
    Signature(
        "hdf5-version-mismatch",
        "hdf5-mismatch",
        "HDF5 library version mismatched error",
        speaker=NATIVE,
        samples=("Warning! ***HDF5 library version mismatched error***",),
        near=("HDF5 library version 1.14.3",),
        releases="HDF5 1.8 to 1.14",
        sources=(SEVERAL_FILES,),
    ),
    Signature(
        "libhdf5-loader",
        "hdf5-mismatch",
        "libhdf5",
        form=r"(?P<library>libhdf5[^\s:]{0,100}): (?:version|undefined symbol)",
        speaker=LOADER,
        samples=(
            "ImportError: /opt/env/lib/python3.9/site-packages/h5py/../../../libhdf5_hl.so.200: undefined symbol: H5Pget_fapl_direct",
            "ImportError: /usr/lib/libhdf5.so.103: version `HDF5_1.10' not found (required by defs.so)",
        ),
        near=("ImportError: libhdf5.so.200: cannot open shared object file: No such file or directory",),
        releases="HDF5 1.8 to 1.14",
        sources=(GLIBC,),
    ),
    _clash(
        "lock-blocking",
        anchor="RAW: Lock blocking",
        samples=("[mutex.cc : 452] RAW: Lock blocking 0x7f8e4d1b0d28   @ ",),
        near=("RAW: Check w->waitp failed",),
        releases="TensorFlow 2.16 and newer beside pyarrow and others",
        sources=(SEVERAL_FILES,),
    ),
    _clash(
        "mutex-lock-failed",
        anchor="mutex lock failed: Invalid argument",
        samples=("libc++abi: terminating due to uncaught exception of type std::__1::system_error: mutex lock failed: Invalid argument",),
        near=("mutex lock failed: Resource deadlock avoided",),
        releases="macOS",
    ),
    Signature(
        "openmp-twice",
        "openmp-duplicate",
        "OMP: Error #15",
        form=r"OMP: Error #15(?:: Initializing (?P<library>\S{1,100}),? but found (?P<file>\S{1,100}) already initialized)?",
        speaker=NATIVE,
        samples=(
            "OMP: Error #15: Initializing libiomp5.so, but found libomp.so already initialized.",
            "OMP: Error #15: Initializing libiomp5md.dll, but found libiomp5md.dll already initialized.",
        ),
        near=("OMP: Error #13: Assertion failure at kmp_runtime.cpp(1234).",),
        releases="Intel's and LLVM's OpenMP",
    ),
    Signature(
        "metal-plugin",
        "metal-plugin-mismatch",
        "libmetal_plugin.dylib",
        form=r"dlopen\([^\n]{0,300}libmetal_plugin\.dylib|libmetal_plugin\.dylib[^\n]{0,300}(?:not found|not loaded|no such file|incompatible|mismatch)|(?:not found|not loaded)[^\n]{0,300}libmetal_plugin\.dylib",
        speaker=LOADER,
        samples=(
            "tensorflow.python.framework.errors_impl.NotFoundError: dlopen(/opt/env/lib/python3.10/site-packages/tensorflow-plugins/libmetal_plugin.dylib, 0x0006): Symbol not found: __ZN3tsl8internal10LogMessageC1EPKcii",
        ),
        near=("Metal device set to: Apple M1 Pro", "Loaded plugin /opt/env/lib/python3.10/site-packages/tensorflow-plugins/libmetal_plugin.dylib"),
        releases="tensorflow-metal 0.1 to 1.2",
    ),
    Signature(
        "plugin-not-loaded",
        "custom-op-mismatch",
        "tensorflow-plugins",
        form=r"NotFoundError: (?P<library>[^\n]{0,300}?tensorflow-plugins[\\/][^\\/\s]{1,100}) not found",
        unless=("libmetal_plugin",),
        speaker=LOADER,
        samples=(
            "tensorflow.python.framework.errors_impl.NotFoundError: C:\\opt\\env\\lib\\site-packages\\tensorflow-plugins\\tfdml_plugin.dll not found",
            "tensorflow.python.framework.errors_impl.NotFoundError: /opt/env/lib/python3.10/site-packages/tensorflow-plugins/libitex_gpu.so not found",
        ),
        near=("NotFoundError: /data/model not found", "loading tensorflow-plugins"),
        releases="2.5 to 2.21",
        sources=("microsoft/tensorflow-directml-plugin#331 (2022-11)", "microsoft/tensorflow-directml-plugin#352 (2023-02)", "bmaltais/kohya_ss#3130 (2025-03)"),
    ),
    Signature(
        "no-gpu-kernel",
        "",
        "OpKernel for 'GPU' devices",
        form=r"No registered '(?P<op>\w{1,80})' OpKernel for 'GPU' devices",
        role=FACT,
        speaker=EXCEPTION,
        samples=("tensorflow.python.framework.errors_impl.NotFoundError: No registered 'RngReadAndSkip' OpKernel for 'GPU' devices compatible with node {{node RngReadAndSkip}}",),
        near=("No registered 'Conv2D' OpKernel for 'CPU' devices compatible with node",),
        releases="2.5 and newer",
        sources=(SEVERAL_FILES,),
    ),
    Signature(
        "library-not-found",
        "shared-library-missing",
        ": cannot open shared object file",
        form=r"(?:ImportError|OSError|NotFoundError|[Oo]riginal error was|error while loading shared libraries): (?P<library>[\w.+-]{1,100}\.so[\d.]{0,20}): cannot open shared object file",
        unless=_OF_CUDA,
        speaker=LOADER,
        samples=(
            "ImportError: libflatbuffers.so.23.3.3: cannot open shared object file: No such file or directory",
            "ImportError: libGL.so.1: cannot open shared object file: No such file or directory",
            "/opt/env/bin/python3: error while loading shared libraries: libpython3.10.so.1.0: cannot open shared object file: No such file or directory",
            "Original error was: libf77blas.so.3: cannot open shared object file: No such file or directory",
        ),
        near=(
            "ImportError: libcudart.so.11.0: cannot open shared object file: No such file or directory",
            "INFO: Failed to open libtpu.so: libtpu.so: cannot open shared object file: No such file or directory",
        ),
        releases="all",
        sources=(GLIBC,),
    ),
    Signature(
        "own-symbol-missing",
        "library-path-leak",
        ": undefined symbol: ",
        form=r"(?P<library>[^\s:]{0,400}libtensorflow_(?:cc|framework)\.so[\d.]{0,8}): undefined symbol: (?P<symbol>\w{1,400})",
        speaker=LOADER,
        sure=LIKELY,
        rivals=("tensorflow-install-broken", "tensorflow-mixed-distributions", "custom-op-mismatch"),
        decided_by=("environment.variables", "tensorflow.record"),
        samples=("ImportError: /opt/env/lib/python3.11/site-packages/tensorflow/libtensorflow_cc.so.2: undefined symbol: _ZN3tsl8internal10LogMessageC1EPKcii",),
        near=("NotFoundError: /opt/x/_ops.so: undefined symbol: _ZN3tsl8internal10LogMessageC1EPKcii",),
        releases="all",
        sources=(GLIBC,),
    ),
    Signature(
        "custom-op-symbol",
        "custom-op-mismatch",
        "undefined symbol: _ZN",
        form=r"(?:(?P<library>[^\s:]{1,400}): )?undefined symbol: (?P<symbol>_ZN\w{0,400}?(?:tsl|tensorflow|tflite)\w{0,400})",
        unless=("libtensorflow_cc.so", "libtensorflow_framework.so"),
        speaker=LOADER,
        samples=(
            "tensorflow.python.framework.errors_impl.NotFoundError: /opt/ops/_box_ops.so: undefined symbol: _ZN10tensorflow8OpKernel11TraceStringEPNS_15OpKernelContextEb",
            "NotFoundError: /opt/x/_ops.so: undefined symbol: _ZN3tsl8internal10LogMessageC1EPKcii",
        ),
        near=("ImportError: /opt/x/libtorch.so: undefined symbol: _ZN3c105ErrorC1E",),
        releases="1.x to 2.21",
        sources=(GLIBC,),
    ),
    Signature(
        "add-on-symbol",
        "custom-op-mismatch",
        "undefined symbol: ",
        form=r"(?P<library>[^\s:]{0,300}(?:site|dist)-packages/(?:tensorflow_|tf_|tfx_|horovod/)[^\s:]{1,300}): undefined symbol: (?P<symbol>\w{1,400})",
        speaker=LOADER,
        samples=(
            "ImportError: /usr/local/lib/python3.7/dist-packages/tensorflow_text/core/pybinds/tflite_registrar.so: undefined symbol: _ZN4absl12lts_2021110220raw_logging_internal21internal_log_functionB5cxx11E",
            "ImportError: /opt/env/lib/python3.10/site-packages/tfx_bsl/cc/tfx_bsl_extension.so: undefined symbol: _ZN6google8protobuf7MessageD2Ev",
        ),
        near=(
            "ImportError: /opt/env/lib/python3.10/site-packages/tensorflow/libtensorflow_cc.so.2: undefined symbol: cudnnCreate",
            "ImportError: /opt/env/lib/python3.10/site-packages/grpc/cygrpc.so: undefined symbol: _ZN4absl4CondD1Ev",
        ),
        releases="compiled add-ons beside another TensorFlow",
        sources=("tensorflow/text#963 (2022-06)", "NVIDIA/JAX-Toolbox#1605 (2025-08)", GLIBC),
    ),
    Signature(
        "add-on-symbol-mac",
        "custom-op-mismatch",
        "ymbol not found",
        form=r"dlopen\((?P<library>[^,\n]{0,300}site-packages/(?:tensorflow_|tf_|tfx_|horovod/)[^,\n]{1,300}), ?\w{1,10}\): (?:re-export ordinal [^\n]{1,900}?)?[Ss]ymbol not found(?: in flat namespace)?:? \(?'?(?P<symbol>[\w$]{1,400})",
        unless=("tensorflow_core/",),
        speaker=LOADER,
        samples=(
            "Full error:dlopen(/opt/env/lib/python3.10/site-packages/tensorflow_decision_forests/tensorflow/ops/inference/inference.so, 6): Symbol not found: __ZNKSt3__115basic_stringbufIcNS_11char_traitsIcEENS_9allocatorIcEEE3strEv",
            "ImportError: dlopen(/opt/env/lib/python3.11/site-packages/tensorflow_text/core/pybinds/tflite_registrar.so, 0x0002): symbol not found in flat namespace (__ZN4absl12lts_202301255MutexD1Ev)",
            "dlopen(/opt/env/lib/python3.9/site-packages/tensorflow_text/python/ops/_regex_split_ops.dylib, 0x0006): re-export ordinal -2 in /opt/env/lib/python3.9/site-packages/tensorflow_text/python/ops/_regex_split_ops.dylib out of range for __ZN10tensorflow14kernel_factorysymbol not found in flat namespace '__ZN10tensorflow14kernel_factory17OpKernelRegistrar12InitInternalE'",
        ),
        near=("ImportError: dlopen(/opt/env/lib/python3.9/site-packages/grpc/_cython/cygrpc.so, 2): Symbol not found: _CFRelease",),
        releases="macOS",
        sources=("tensorflow/decision-forests#195 (2023-09)", "sun1638650145/Libraries-and-Extensions-for-TensorFlow-for-Apple-Silicon#4 (2022-07)"),
    ),
    Signature(
        "built-for-newer-macos",
        "",
        "which was built for ",
        role=FACT,
        form=r"Referenced from: (?P<library>.{1,400}?) \(which was built for (?:Mac OS X|macOS) (?P<wanted>\d{1,2}(?:\.\d{1,2}){0,2})\)",
        speaker=LOADER,
        samples=("  Referenced from: /opt/env/lib/python3.10/site-packages/tensorflow_decision_forests/tensorflow/ops/inference/inference.so (which was built for Mac OS X 12.3)",),
        near=("the wheel which was built for Python 3.9",),
        releases="macOS 10 to 12",
        sources=("rstudio/tensorflow#493 (2021-12)", "tensorflow/decision-forests#195 (2023-09)"),
    ),
)  # fmt: skip
