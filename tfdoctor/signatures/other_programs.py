"""Messages of other frameworks and languages that TensorFlow's users meet, each with the program that reports it."""

from __future__ import annotations

from functools import partial

from tfdoctor.signatures.signature import EXCEPTION, LIKELY, NATIVE, PYTHON, TOOL, Signature

_reported = partial(Signature, code="other-program-failed", sure=LIKELY)

SIGNATURES = (
    _reported(
        "reported-by-torch",
        anchor="PyTorch installation",
        also=("Torch not compiled with CUDA enabled", "cuDNN error: CUDNN_STATUS_", "Found no NVIDIA driver on your system", "The NVIDIA driver on your system is too old (found version "),
        form=r"(?P<message>[^\n:]{1,100} is not compatible with the current PyTorch installation|Torch not compiled with CUDA enabled|cuDNN error: CUDNN_STATUS_\w{1,40}|Found no NVIDIA driver on your system|The NVIDIA driver on your system is too old \(found version \d{4,6}\))",
        unless=("Warning: ",),
        speaker=EXCEPTION,
        samples=(
            "NVIDIA GeForce RTX 3090 with CUDA capability sm_86 is not compatible with the current PyTorch installation.",
            "AssertionError: Torch not compiled with CUDA enabled",
            "RuntimeError: cuDNN error: CUDNN_STATUS_NOT_INITIALIZED",
            "RuntimeError: The NVIDIA driver on your system is too old (found version 11040). Please update your GPU driver by downloading and installing a new version",
        ),
        near=("UserWarning: CUDA initialization: Found no NVIDIA driver on your system.", "the current PyTorch installation has CUDA"),
        releases="PyTorch 1.0 to 2",
    ),
    _reported(
        "reported-by-jax",
        anchor="a CUDA-enabled jaxlib is not installed",
        also=("No GPU/TPU found, falling back to CPU", "but no platforms that are instances of ", "No visible GPU devices", "jaxlib is version ", " is newer than and incompatible with jax version "),
        form=r"(?P<message>An NVIDIA GPU may be present on this machine, but a CUDA-enabled jaxlib is not installed|No GPU/TPU found, falling back to CPU|Unknown backend:? '?\w{1,10}'? requested, but no platforms that are instances of \w{1,10} are present|FAILED_PRECONDITION: No visible GPU devices|jaxlib is version \S{1,40}, but this version of jax requires version [^,\n]{1,40}|jaxlib version \S{1,40} is newer than and incompatible with jax version \S{1,40})",
        speaker=PYTHON,
        samples=(
            "WARNING:2025-06-15 17:04:55,449:jax._src.xla_bridge:791: An NVIDIA GPU may be present on this machine, but a CUDA-enabled jaxlib is not installed. Falling back to cpu.",
            "WARNING:absl:No GPU/TPU found, falling back to CPU. (Set TF_CPP_MIN_LOG_LEVEL=0 and rerun for more info.)",
            "RuntimeError: Unable to initialize backend 'cuda': FAILED_PRECONDITION: No visible GPU devices.",
            "RuntimeError: jaxlib is version 0.3.25, but this version of jax requires version >= 0.4.19.",
        ),
        near=("jaxlib is version 0.4.19", "INFO: Unable to initialize backend 'tpu'"),
        releases="JAX 0.1 to 0.7",
    ),
    _reported(
        "reported-by-cupy",
        anchor="nvrtc: error: ",
        form=r"(?P<message>nvrtc: error: .{1,120})",
        speaker=NATIVE,
        samples=("cupy.cuda.compiler.CompileException: nvrtc: error: invalid value for --gpu-architecture (-arch)",),
        near=("nvrtc: errors are shown",),
        releases="CuPy 5 to 13",
    ),
    _reported(
        "reported-by-numba",
        anchor="CUDA driver library cannot be found",
        also=("Numba needs NumPy ", "Numba requires at least version "),
        form=r"(?P<message>CUDA driver library cannot be found|Numba needs NumPy [^\n]{1,60}|Numba requires at least version \S{1,20} of llvmlite)",
        speaker=EXCEPTION,
        samples=(
            "CudaSupportError: Error at driver init: CUDA driver library cannot be found.",
            "ImportError: Numba needs NumPy 2.0 or less. Got NumPy 2.1.",
            "ImportError: Numba requires at least version 0.38.0 of llvmlite.",
        ),
        near=("Numba needs a compiler",),
        releases="Numba 0.40 to 0.61",
    ),
    _reported(
        "reported-by-node",
        anchor="node_modules",
        also=("node:internal/", "internal/modules/cjs/loader.js"),
        form=r"(?P<message>(?:Uncaught )?\w{0,30}Error:? [^\n]{0,300}node_modules[^\n]{0,200})|\\\\\?\\[^\n]{1,200}node_modules[^\n]{1,200}\.node|\(?(?:node:)?internal/[\w/]{1,60}(?:\.js)?:\d{1,6}",
        speaker=TOOL,
        samples=(
            r"Error: Cannot find module 'c:\Users\x\scripts\node_modules\@tensorflow\tfjs-node-gpu\lib\napi-v4\tfjs_binding.node'",
            r"\\?\D:\nodejs\node_modules\@tensorflow\tfjs-node-gpu\lib\napi-v5\tfjs_binding.node",
            "    at Module._extensions..node (node:internal/modules/cjs/loader:1275:18)",
        ),
        near=("added 12 packages to node_modules",),
        releases="Node.js 10 to 22",
    ),
    _reported(
        "reported-by-java",
        anchor='Exception in thread "',
        also=("java.lang.", "java.util."),
        form=r'(?:Exception in thread "[^"\n]{1,80}" |Caused by: |^)(?P<message>(?:java|javax|org|com)\.[\w.$]{1,120}(?:Error|Exception)(?:: .{1,300})?)',
        unless=("java.lang.OutOfMemoryError",),
        speaker=EXCEPTION,
        samples=(
            'Exception in thread "main" java.lang.UnsatisfiedLinkError: no jnitensorflow in java.library.path',
            "Caused by: java.lang.IllegalStateException: the session is closed",
        ),
        near=("import java.lang.Exception", "at java.lang.Thread.run(Thread.java:748)"),
    ),
    _reported(
        "reported-by-dotnet",
        anchor="System.",
        form=r"(?P<message>\bSystem\.(?:\w{1,40}\.){0,4}\w{1,60}Exception: .{1,300})",
        speaker=EXCEPTION,
        samples=("System.DllNotFoundException: 'Unable to load DLL 'tensorflow': The specified module could not be found. (Exception from HRESULT: 0x8007007E)'",),
        near=("using System.Exception;",),
    ),
    _reported(
        "reported-by-r",
        anchor="R Session Aborted",
        also=("R session aborted", "R encountered a fatal error", "Execution halted"),
        form=r"(?P<message>R [Ss]ession [Aa]borted|R encountered a fatal error[^\n]{0,100})|Execution halted",
        speaker=TOOL,
        samples=("R Session Aborted", "R encountered a fatal error. The session was terminated.", "Execution halted"),
        near=("R session started",),
        releases="RStudio",
    ),
)  # fmt: skip
