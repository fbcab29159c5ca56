"""Environment variables that TensorFlow, CUDA, the loader or Python obey. All others stay unread.

A name counts when it is listed here. "TF_" is Terraform's prefix, too, and variables of many programs hold secrets:
so no prefix here is one that another program uses, and what looks like a secret is left out always.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping

from tfdoctor.ask.probes.request import Request
from tfdoctor.ask.probes.text_files import guarded
from tfdoctor.base.expressions import Expression
from tfdoctor.base.foreign_json import read_json
from tfdoctor.base.printable import encodable
from tfdoctor.base.safe_open import list_folder
from tfdoctor.base.sysroot import System
from tfdoctor.base.user_folders import home, named_home
from tfdoctor.facts.model import Environment, Facts
from tfdoctor.facts.outcome import Absent, Fact, Known
from tfdoctor.facts.values import LibraryFolder
from tfdoctor.knowledge.variable_names import meant_by

_NAMES = frozenset(
    """
    CUDA_VISIBLE_DEVICES CUDA_DEVICE_ORDER CUDA_HOME CUDA_PATH CUDA_ROOT CUDA_LAUNCH_BLOCKING CUDA_MODULE_LOADING
    CUDA_MODULE_DATA_LOADING CUDA_FORCE_PTX_JIT CUDA_DISABLE_PTX_JIT CUDA_FORCE_JIT CUDA_DISABLE_JIT
    CUDA_ENABLE_COREDUMP_ON_EXCEPTION CUDA_AUTO_BOOST CUDA_DEVICE_MAX_CONNECTIONS CUDA_DEVICE_WAITS_ON_EXCEPTION
    CUDA_ENABLE_CRC_CHECK CUDA_SCALE_LAUNCH_QUEUES CUDA_MANAGED_FORCE_DEVICE_ALLOC CUDA_LOG_FILE CUDNN_PATH CUDNN_HOME
    CUDNN_INSTALL_PATH NVIDIA_VISIBLE_DEVICES NVIDIA_DRIVER_CAPABILITIES NVIDIA_DISABLE_REQUIRE NVIDIA_TF32_OVERRIDE
    NVIDIA_MIG_CONFIG_DEVICES NVIDIA_MIG_MONITOR_DEVICES NVIDIA_IMEX_CHANNELS GPU_DEVICE_ORDINAL
    NVIDIA_TENSORFLOW_VERSION NVIDIA_PRODUCT_NAME NVIDIA_BUILD_ID CUBLAS_WORKSPACE_CONFIG CUBLASLT_LOG_LEVEL
    ROCR_VISIBLE_DEVICES HIP_VISIBLE_DEVICES HSA_OVERRIDE_GFX_VERSION ROCM_PATH
    LD_LIBRARY_PATH LD_PRELOAD LD_AUDIT LD_BIND_NOW LD_DEBUG LD_ORIGIN_PATH DYLD_LIBRARY_PATH
    DYLD_FALLBACK_LIBRARY_PATH DYLD_INSERT_LIBRARIES GLIBC_TUNABLES MALLOC_ARENA_MAX MALLOC_TRIM_THRESHOLD_
    MALLOC_MMAP_THRESHOLD_ MALLOC_CONF
    PYTHONPATH PYTHONHOME PYTHONSAFEPATH PYTHONNOUSERSITE PYTHONUSERBASE PYTHONPLATLIBDIR PYTHONSTARTUP
    PYTHONEXECUTABLE PYTHONOPTIMIZE PYTHONDONTWRITEBYTECODE PYTHONPYCACHEPREFIX PYTHONHASHSEED PYTHONMALLOC
    PYTHONFAULTHANDLER PYTHONUNBUFFERED PYTHONUTF8 PYTHONIOENCODING PYTHONWARNINGS PYTHONDEVMODE PYTHONINSPECT
    PYTHONVERBOSE PYTHONASYNCIODEBUG PYTHONBREAKPOINT PYTHONLEGACYWINDOWSSTDIO PYTHON_GIL PYTHON_JIT
    VIRTUAL_ENV CONDA_PREFIX CONDA_DEFAULT_ENV CONDA_SHLVL CONDA_OVERRIDE_CUDA CONDA_OVERRIDE_GLIBC PYENV_VERSION
    KERAS_BACKEND KERAS_HOME KERAS_MAX_EPOCHS KERAS_MAX_STEPS_PER_EPOCH KERAS_NNX_ENABLED TF_USE_LEGACY_KERAS TF_KERAS TF2_BEHAVIOR TFHUB_CACHE_DIR TFDS_DATA_DIR
    AUTOGRAPH_VERBOSITY AUTOGRAPH_STRICT_CONVERSION PROTOCOL_BUFFERS_PYTHON_IMPLEMENTATION
    TEMPORARILY_DISABLE_PROTOBUF_VERSION_CHECK HDF5_PLUGIN_PATH HDF5_USE_FILE_LOCKING HDF5_DISABLE_VERSION_CHECK
    JAX_PLATFORMS JAX_PLATFORM_NAME JAX_ENABLE_X64 JAX_DEBUG_NANS JAX_DISABLE_JIT JAX_CUDA_VISIBLE_DEVICES
    XLA_FLAGS GOMP_CPU_AFFINITY GOMP_SPINCOUNT NUMEXPR_NUM_THREADS NUMEXPR_MAX_THREADS VECLIB_MAXIMUM_THREADS
    NPY_DISABLE_CPU_FEATURES NPY_PROMOTION_STATE DNNL_MAX_CPU_ISA ONEDNN_MAX_CPU_ISA DNNL_VERBOSE ONEDNN_VERBOSE
    TMPDIR TEMP TMP WSL_DISTRO_NAME
    TF_FORCE_GPU_ALLOW_GROWTH TF_FORCE_UNIFIED_MEMORY TF_CONFIG TF_CONV2D_USE_FP16_ACCUMULATE TF_MATMUL_AUTOTUNE_ENABLE TF_BFC_MEMORY_DUMP TF_SYNC_ON_FINISH
    TF_DATA_EXPERIMENT_OPT_IN TF_DATA_EXPERIMENT_OPT_OUT TF_DISABLE_JIT_KERNELS TF_DISABLE_MKL TF_DISABLE_PROFILING
    TF_DISABLE_RZ_CHECK TF_DISABLE_SCATTER_OP_DETERMINISM TF_DISABLE_SEGMENT_REDUCTION_OP_DETERMINISM_EXCEPTIONS
    TF_LOG_XLA_ACTIVITY TF_ENABLED_DEVICE_TYPES TF_PLUGGABLE_DEVICE_LIBRARY_PATH TF_MIN_GPU_MULTIPROCESSOR_COUNT
    TF_PER_DEVICE_MEMORY_LIMIT_MB TF_DEVICE_MIN_SYS_MEMORY_IN_MB TF_OVERRIDE_GLOBAL_THREADPOOL TF_GRAPH_CACHING
    TF_SET_ONEDNN_FPMATH_MODE TF_FUNCTION_JIT_COMPILE_DEFAULT TF_ROCM_FUSION_ENABLE TF_CPU_ALLOCATOR_USE_BFC
    """.split()  # noqa: SIM905  # 150 names with quotation marks read worse
)
# Prefixes that belong to one program alone. TensorFlow's by the strings of the libraries of its 2.21.0 wheel (2026-11)
_PREFIXES = (
    "TF_AUTOTUNE_", "TF_AUTO_MIXED_PRECISION_", "TF_CPP_", "TF_CPU_", "TF_CUBLAS_", "TF_CUDA_", "TF_CUDNN_",
    "TF_CUFFT_", "TF_DEBUG_", "TF_DETERMINISTIC_", "TF_DUMP_GRAPH_", "TF_EAGER_", "TF_ENABLE_",
    "TF_FP16_", "TF_GPU_", "TF_GRPC_", "TF_JIT_", "TF_MATMUL_", "TF_MKL_", "TF_MLIR_", "TF_NUM_", "TF_ONEDNN_",
    "TF_PROFILER_", "TF_ROCM_", "TF_TENSORRT_", "TF_TRT_", "TF_USE_", "TF_XLA_",
    "CUDA_CACHE_", "CUDA_MPS_", "CUDNN_LOG", "NVIDIA_REQUIRE_", "NCCL_", "XLA_PYTHON_CLIENT_",
    "JAX_COMPILATION_CACHE_", "OMP_", "KMP_", "MKL_", "OPENBLAS_", "KERAS_DISTRIBUTION_", "TFDOCTOR_",
)  # fmt: skip
_MOST_VARIABLES, _LONGEST_NAME = 500, 200
_LONGEST_VALUE = 20_000  # characters; a cluster's LD_LIBRARY_PATH has 10,000
_SECRET = Expression(r"KEY|TOKEN|SECRET|PASSW|CREDENTIAL|AUTH(?!O)|LICENSE", re.IGNORECASE)


def ask(request: Request, facts: Facts) -> Environment:
    """Fills the group Environment."""
    found = variables(request.system.environ)
    return Environment(
        Known(found, "environment variables") if found else Absent("none of these variables is set"),
        guarded(lambda: _keras_settings(request.system), "keras.json"),
        guarded(lambda: _library_path(request.system), "LD_LIBRARY_PATH"),
    )


_OFTEN_IN_THE_WAY = Expression(
    r"lib(?:tensorflow(?:_framework|_cc)?|stdc\+\+|gcc_s|gomp|iomp5|hdf5(?:_hl|_cpp)?|protobuf|absl_\w+|cuda|nvJitLink|"
    r"nvrtc|python3[\d.]*|z|ssl|crypto|ffi|c|m|pthread|mpi|tbb|mkl_rt|openblas)\.so(?:\.[\d.]+)?"
)


def _library_path(system: System) -> Fact[tuple[LibraryFolder, ...]]:
    """The loader takes its entries in order, before what a library's own RUNPATH and the system's cache name."""
    entries = [os.path.abspath(item) for item in system.folders("LD_LIBRARY_PATH", ":;") if item]
    if not entries:
        return Absent("LD_LIBRARY_PATH is not set")
    return Known(tuple(_library_folder(each) for each in dict.fromkeys(entries)), "LD_LIBRARY_PATH")


def _library_folder(path: str) -> LibraryFolder:
    try:
        names = list_folder(path)
    except OSError:
        return LibraryFolder(path, os.path.isdir(path), ())
    return LibraryFolder(path, True, tuple(name for name in names if _OFTEN_IN_THE_WAY.fullmatch(name)))


_KERAS_SETTINGS = ("backend", "floatx", "image_data_format", "epsilon")


def _keras_settings(system: System) -> Fact[dict[str, str]]:
    """The file that Keras reads at its import; what it can't parse it takes for empty (keras/src/backend/config.py of 3.15.1)."""
    user = (home(system.environ) if system.live else named_home(system.environ)) or "~"
    path = f"{system.environ.get('KERAS_HOME') or f'{user}/.keras'}/keras.json"
    try:
        told = read_json(system.read(path).encode())
    except FileNotFoundError:
        return Absent(f"{path} does not exist")
    except ValueError:
        return Absent(f"{path} holds no JSON, so Keras passes over it")
    if not isinstance(told, dict):
        return Absent(f"{path} holds no settings")
    return Known({name: str(told[name])[:200] for name in _KERAS_SETTINGS if name in told}, path)


def variables(environ: Mapping[str, str]) -> dict[str, str]:
    """Those of the variables that count, by name."""
    names = [name for name in sorted(environ) if counts(name)][:_MOST_VARIABLES]
    return {name[:_LONGEST_NAME]: _bounded(encodable(environ[name])) for name in names}


def _bounded(value: str) -> str:
    """As it is; of one that nobody wrote by hand the beginning, and how long it is."""
    if len(value) <= _LONGEST_VALUE:
        return value
    return f"{value[:_LONGEST_VALUE]} … ({len(value)} characters)"


def counts(name: str) -> bool:
    """Whether a variable of this name is read, or was meant to be."""
    if meant_by(name):
        return True
    return not _SECRET.search(name) and (name in _NAMES or name.startswith(_PREFIXES))
