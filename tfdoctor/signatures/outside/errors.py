"""Last lines of exceptions that mean something else than they say: texts in another encoding, servers, TPUs, notebooks' front-ends."""

from __future__ import annotations

from tfdoctor.light.expressions import Expression

ENCODED = Expression(r"UnicodeEncodeError: '(?P<codec>[\w-]{1,20})' codec can't encode character")
"""CPython's words, of every release of 3 (keras-team/keras#19386, 2024-03; minimaxir/gpt-2-simple#295, 2022-05)."""
DECODED = Expression(
    r"UnicodeDecodeError: '(?P<codec>[\w-]{1,20})' codec can't decode bytes? (?:(?P<byte>0x[0-9a-f]{2}) )?in position (?P<at>\d{1,12})"
)
"""CPython's words, as above (tensorflow/tensorflow#62691, 2023-12; zzh8829/yolov3-tf2#246, 2020-04)."""
CERTIFICATE = Expression(
    r"CERTIFICATE_VERIFY_FAILED\]? ?certificate verify failed(?:: (?P<why>[^(\n]{1,80}?))? ?(?:\(_ssl|$)"
)
"""OpenSSL's reason by Python's ssl module (keras-team/keras#14089, 2020-06; alexandrainst/danlp#12, 2019-10)."""
FETCHED = Expression(r"URL fetch failure on (?P<url>\S{1,300}): (?P<why>[^\n]{1,200})")
"""Keras' get_file, of Keras 2 and 3."""
NO_NAME = Expression(
    r"Temporary failure in name resolution|Name or service not known|getaddrinfo failed|nodename nor servname provided|No address associated with hostname|Failed to resolve '(?P<host>[^'\n]{1,200})'"
)
"""What the C libraries of Linux, Windows and macOS say where a name has no address (gai_strerror)."""
NO_CREDENTIALS = Expression(
    r"(?P<name>PermissionDenied|Unauthenticated|FailedPrecondition)Error: Error executing an HTTP request: HTTP response code (?P<number>401|403)\b"
)
"""TensorFlow's client of Google's storage (tsl/platform/cloud/curl_http_request.cc, in the wheels of 2.4 to 2.21)."""
HOST = Expression(r"(?:host='|https?://)(?P<host>[\w.-]{3,200})")
TPU_NAME = Expression(
    r"Please provide a TPU Name to connect to|KeyError: 'COLAB_TPU_ADDR'|Not connected to a TPU runtime"
)
"""TensorFlow's TPUClusterResolver without an address, and what notebooks for Colab's first TPUs check (googlecolab/colabtools#4699, 2024-07)."""
NO_TPU_BUILD = Expression(r"No OpKernel was registered to support Op '(?P<op>\w{0,40}TPU\w{0,40})'")
"""googlecolab/colabtools#5203 (2025-03)."""
NOT_ON_DEVICE = Expression(
    r"Could not satisfy device specification '[^'\n]{0,80}device:(?P<device>GPU|TPU|XPU):\d.{0,80}Supported device types \[CPU\].{0,600}\[Op:(?P<op>\w{1,60})\]"
)
"""The eager placer (core/common_runtime/eager/placement_utils.cc); developer.apple.com/forums/thread/759438 (2024-07)."""
COLOCATED = Expression(
    r"Cannot assign a device for operation (?P<op>[\w/.:-]{1,160}): Could not satisfy explicit device specification (?:'' because the node|.{0,600}colocated with a group of nodes that required incompatible device)"
)
"""The placer of graphs (core/common_runtime/colocation_graph.cc)."""
NOT_MADE = Expression(
    r"Failed to create a (?:directory|NewWriteableFile): (?P<file>[^;\n]{1,300}?)(?: : |; |$)"
)
"""TensorFlow's file systems (tsl/platform/windows/windows_file_system.cc)."""
OF_A_CLASS = Expression(
    r"'(?:google\.protobuf\.pyext\._message\.)?(?:FieldProperty|property|getset_descriptor|member_descriptor)' object has no attribute '(?P<name>\w{1,60})'"
)
"""zerowasteestonia/wade-ai#7 (2022-01), karolmajek/object_detection_tensorflow#3 (2021-04)."""
OPTIMIZERS = Expression(
    r"AttributeError: '\w{1,40}' object has no attribute '(?P<name>build|_build|minimize|apply|apply_gradients|variables|_variables|learning_rate|finalize_variable_values|exclude_from_weight_decay)'|Unknown optimizer"
)
"""What an optimizer of the other generation lacks (keras-team/tf-keras#46 and keras-team/keras#18224, 2023)."""
NOT_COPIED = Expression(
    r"can(?:not|'t) pickle '?(?P<name>_thread\.(?:RLock|lock|_local)|weakref|weakref\.ReferenceType|module|tensorflow[\w.]{0,100}|keras[\w.]{0,100})'? ?objects?"
)
"""CPython's pickle of what holds a lock or a module (keras-team/keras#14180, 2020-08; tensorflow/tensorflow#46917, 2021-02)."""
CALLBACK = Expression(
    r"AttributeError: (?:can't set attribute 'model'|property 'model' of '(?P<name>\w{1,80})' object has no setter)"
)
"""Python's words of 3.10, and of 3.11 and newer (HenriquesLab/ZeroCostDL4Mic#325, 2024-08)."""
NEEDED = (
    Expression(r"ImportError: `?(?P<asker>\w{1,60})`? requires (?P<package>[A-Za-z][\w-]{1,40})\.?$"),
    Expression(r"Missing optional dependency '(?P<package>[\w.-]{2,40})'"),
    Expression(r"ImportError: Could not import (?P<package>PIL|scipy|pydot|h5py|pandas|matplotlib)\b"),
    Expression(
        r"(?:Import|ModuleNotFound)Error: .{0,80}?\b[Yy]ou (?:must|need to|have to|should) (?:install|have) (?P<package>[A-Za-z][\w-]{1,40})\b"
    ),
    Expression(
        r"(?:Import|ModuleNotFound)Error: .{0,160}?\b(?:pip|conda) install (?:-[-\w]{1,20} ){0,3}[`'\"]?(?P<package>[A-Za-z][\w-]{1,40})\b"
    ),
)
"""A module that says in words of its own what it lacks (keras-team/keras#13148, 2019-07; pandas/compat/_optional.py)."""
NO_GRAPHVIZ = Expression(
    r"\"dot(?:\.exe)?\" not found in path|'dot(?:\.exe)?' is not recognized|failed to execute .{0,60}\bdot\b.{0,80}make sure the Graphviz executables are on your systems' PATH|GraphViz's executables not found|Graphviz.{0,40} not found"
)
"""Graphviz' program dot, as pydot and the package graphviz miss it (public copies of their code and of their users' logs, looked up 2026-11-23)."""
KERNEL_DEATH = (
    "_handle_kernel_died",
    "_kernel_restarted_message",
    "_kill_kernel",
    "_async_kill_kernel",
    "restart_kernel",
)
"""Functions of Spyder, qtconsole and jupyter_client that run where a kernel died (spyder-ide/spyder#22532, 2024-09; #17791, 2022-04)."""
UPGRADE = Expression(
    r"(?i:\b(?:upgrade|update|newer)\b).{0,120}?\bpip3? install (?:-[-\w]{1,20} ){0,2}(?:-U|--upgrade) (?:-[-\w]{1,20} ){0,2}[`'\"]?(?P<package>[A-Za-z][\w-]{1,60})(?:[\s)`'\",;:]|\.? ?$)"
)
"""A package that says itself that it is too old for what it was asked (aws/sagemaker-python-sdk#2648, 2021-09)."""
LOOP = Expression(
    r"Cannot run the event loop while another loop is running|This event loop is already running|asyncio\.run\(\) cannot be called from a running event loop"
)
"""Python's asyncio, of every release of 3 (google-parfait/tensorflow-federated#861, 2020-06)."""
SILENT = Expression(
    r"'NoneType' object has no attribute '(?P<name>write|flush|isatty|fileno|encoding|buffer)'"
)
"""What a part of sys.stdout and sys.stderr is asked for where both are None (rstudio/keras3#33, 2019-08; rstudio/reticulate#65, 2017-06)."""
NO_TF_1 = Expression(r"[Tt]ensor[Ff]low 1 is unsupported in Colab")
"""Colab's magic %tensorflow_version, since 2022-08 (dvschultz/stylegan2-ada#31, 2022-08; justinpinkney/toonify#20, 2022-11)."""
_TENSORFLOW = r"[`'\"]?(?:TensorFlow|Tensorflow|tensorflow)"
TENSORFLOW_NEEDED = Expression(
    rf"\b(?:[Pp]lease|need to|must|have to) (?:first )?(?:pip )?install {_TENSORFLOW}(?:[`'\".,;:!<>=]|\s{{0,3}}$| (?:first|to|in|using|with|via|by|and|or|library|package)\b)"
    rf"|\b{_TENSORFLOW}[`'\"]? (?:is not installed|is required|must be installed|needs to be installed|has to be installed)|\brequires {_TENSORFLOW}[`'\"]? to be installed"
)
"""A package that says in words of its own that it does not find TensorFlow (RasaHQ/rasa#1702, 2019-02; deezer/spleeter, ktrain and others)."""
