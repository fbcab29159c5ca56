"""Kinds of causes: forms of them that no public case has, and what only looks like one."""

from __future__ import annotations

import pytest

from tests.logs.judged import judged, log, root
from tfdoctor.knowledge.model import Finding
from tfdoctor.report.diagnosis import Diagnosis


def first(diagnosis: Diagnosis) -> Finding:
    return diagnosis.roots[0].finding


def typed(diagnosis: Diagnosis) -> str:
    return "\n".join(first(diagnosis).fixes[0].commands)


NO_CUDART_12 = "2024-07-07 22:04:49.005473: I external/local_tsl/tsl/cuda/cudart_stub.cc:31] Could not find cuda drivers on your machine, GPU will not be used."
TABLE = "| NVIDIA-SMI {smi}      Driver Version: {driver}       CUDA Version: {cuda}     |"


@pytest.mark.parametrize(
    ("smi", "driver", "cuda", "code"),
    [
        ("470.255", "475.06", "11.4", "driver-too-old"),  # WSL, where the two differ
        ("470.82.01", "470.82.01", "11.4", "driver-too-old"),
        ("525.60.13", "525.60.13", "12.0", "cuda-libraries-missing"),
        ("550.54.15", "550.54.15", "12.4", "cuda-libraries-missing"),
    ],
)
def test_libraries_are_the_cause_only_for_a_driver_that_runs_them(
    smi: str, driver: str, cuda: str, code: str
) -> None:
    assert (
        root(judged(log([NO_CUDART_12, TABLE.format(smi=smi, driver=driver, cuda=cuda)]))) == code
    )


def test_a_driver_for_cuda_11_is_enough_for_a_build_with_it() -> None:
    line = "W tensorflow/stream_executor/platform/default/dso_loader.cc:64] Could not load dynamic library 'libcudart.so.11.0'; dlerror: libcudart.so.11.0: cannot open shared object file: No such file or directory"
    shown = log([line, TABLE.format(smi="470.82.01", driver="470.82.01", cuda="11.4")])
    assert root(judged(shown)) == "cuda-libraries-missing"


OPENED = "I tensorflow/stream_executor/platform/default/dso_loader.cc:49] Successfully opened dynamic library libcudart.so.{}"
NEEDS = "W tensorflow/stream_executor/platform/default/dso_loader.cc:60] Could not load dynamic library '{}'; dlerror: {}: cannot open shared object file: No such file or directory"


def test_the_library_of_this_cuda_is_put_first_where_another_is_found() -> None:
    diagnosis = judged(
        log([OPENED.format("11.0"), NEEDS.format("libcusparse.so.11", "libnvJitLink.so.12")])
    )
    assert root(diagnosis) == "cuda-libraries-mixed"


ALIAS = """Traceback (most recent call last):
  File "/home/me/train.py", line 3, in <module>
    {line}
{frames}  File "/opt/env/lib/python{python}/site-packages/numpy/__init__.py", line 324, in __getattr__
    raise AttributeError(__former_attrs__[attr])
AttributeError: module 'numpy' has no attribute 'bool'.
"""
FRAME = '  File "/opt/env/lib/python{python}/site-packages/{file}", line 9, in <module>\n    import it\n'


def test_numpys_own_frame_is_not_the_culprit_of_a_removed_name() -> None:
    frames = FRAME.format(python="3.11", file="old_tool/a.py")
    diagnosis = judged(ALIAS.format(line="import old_tool", frames=frames, python="3.11"))
    assert "old-tool" in first(diagnosis).title
    assert '"numpy<1.24"' in typed(diagnosis)


def test_no_numpy_is_asked_for_that_this_python_can_not_have() -> None:
    frames = FRAME.format(python="3.12", file="old_tool/a.py")
    assert "--upgrade PACKAGE" in typed(
        judged(ALIAS.format(line="import old_tool", frames=frames, python="3.12"))
    )


def test_a_removed_name_in_the_users_own_file_is_told_so() -> None:
    diagnosis = judged(ALIAS.format(line="x = np.bool(1)", frames="", python="3.12"))
    assert "bool instead of np.bool" in first(diagnosis).fixes[0].note


PIP = "ERROR: Could not find a version that satisfies the requirement tensorflow=={} (from versions: {})\nERROR: No matching distribution found for tensorflow=={}\n"
INTEL_3_12 = "2.16.0rc0, 2.16.1, 2.16.2"
LINUX_3_12 = (
    "2.16.0rc0, 2.16.1, 2.16.2, 2.17.0, 2.17.1, 2.18.0, 2.18.1, 2.19.0, 2.19.1, 2.20.0, 2.21.0"
)
APPLE_3_10 = "2.13.0rc0, 2.13.0, 2.13.1, 2.14.0, 2.14.1, 2.15.0, 2.15.1, 2.16.1, 2.16.2, 2.17.0"


@pytest.mark.parametrize(
    ("asked", "offered", "words", "command"),
    [
        ("2.18.0", INTEL_3_12, "Intel Macs", "tensorflow==2.16.2"),
        ("2.10.0", APPLE_3_10, "Apple Macs", "tensorflow-macos==2.10.0"),
    ],
)
def test_pips_list_tells_the_machine(asked: str, offered: str, words: str, command: str) -> None:
    diagnosis = judged(PIP.format(asked, offered, asked))
    assert words in first(diagnosis).title
    assert command in typed(diagnosis)


@pytest.mark.parametrize(
    ("asked", "offered"), [("2.10.0", LINUX_3_12), ("2.8.0", INTEL_3_12), ("9.9.9", INTEL_3_12)]
)
def test_a_python_that_is_too_new_is_not_taken_for_a_machine(asked: str, offered: str) -> None:
    diagnosis = judged(PIP.format(asked, offered, asked))
    assert root(diagnosis) == "python-unsupported"
    assert "Mac" not in first(diagnosis).title


UV = "error: Distribution `{name}=={version} @ registry+https://index.example/simple` can't be installed because it doesn't have a source distribution or wheel for the current platform\n\n"


def test_another_package_without_a_file_is_named() -> None:
    diagnosis = judged(UV.format(name="pyqt5-qt5", version="5.15.17"))
    assert "pyqt5-qt5 5.15.17" in first(diagnosis).title
    assert "--upgrade-package pyqt5-qt5" in typed(diagnosis)


DYLIB = "ImportError: dlopen({file}, 0x0006): Library not loaded: {library}"


@pytest.mark.parametrize(
    ("file", "library", "code", "command"),
    [
        ("/opt/e/lib/python3.8/site-packages/tensorflow/python/_pywrap_tfe.so", "@rpath/_pywrap_tensorflow_internal.so", "tensorflow-install-broken", "--force-reinstall"),
        ("/opt/e/lib/python3.9/site-packages/tensorflow_text/x.so", "@rpath/libtensorflow_framework.2.dylib", "custom-op-mismatch", "tensorflow-text"),
    ],
)  # fmt: skip
def test_a_library_that_a_mac_does_not_find_is_judged_by_its_owner(
    file: str, library: str, code: str, command: str
) -> None:
    diagnosis = judged(DYLIB.format(file=file, library=library) + "\n")
    assert root(diagnosis) == code
    assert command in typed(diagnosis)


OTHER = "ImportError: dlopen({file}, 0x0002): tried: '{file}' (mach-o file, but is an incompatible architecture (have '{have}', need '{need}'))"


@pytest.mark.parametrize(
    ("have", "need", "command"),
    [
        ("x86_64", "arm64e", "pip uninstall --yes tensorflow"),
        ("arm64", "x86_64", "platform.machine()"),
    ],
)
def test_a_library_for_the_macs_other_processor_is_told(have: str, need: str, command: str) -> None:
    file = "/opt/e/lib/python3.10/site-packages/tensorflow/python/_pywrap_tensorflow_internal.so"
    diagnosis = judged(OTHER.format(file=file, have=have, need=need) + "\n")
    assert root(diagnosis) == "foreign-architecture"
    assert have in first(diagnosis).title
    assert command in typed(diagnosis)


SYMBOL = "ImportError: dlopen(/opt/e/lib/python3.6/site-packages/tensorflow_core/python/_pywrap_tensorflow_internal.so, 6): Symbol not found: _SecKeyCopyExternalRepresentation\n  Referenced from: /opt/e/x.so\n  Expected in: {}\n"


def test_a_symbol_that_the_system_lacks_tells_an_old_macos() -> None:
    system = "/System/Library/Frameworks/Security.framework/Versions/A/Security"
    assert "older" in first(judged(SYMBOL.format(system))).title
    assert "older" not in first(judged(SYMBOL.format("/opt/e/lib/libprotobuf.25.dylib"))).title


GONE = 'Traceback (most recent call last):\n  File "/opt/e/lib/python3.12/site-packages/old_tool/a.py", line 1, in <module>\n    import x\n{}\n'


@pytest.mark.parametrize(
    ("error", "since", "command"),
    [
        ("ModuleNotFoundError: No module named 'imp'", "3.12", "--upgrade PACKAGE"),
        ("ImportError: cannot import name 'Mapping' from 'collections' (/usr/lib/python3.12/collections/__init__.py)", "3.10", "--upgrade PACKAGE"),
        ("ModuleNotFoundError: No module named 'telnetlib'", "3.13", "--upgrade PACKAGE"),
    ],
)  # fmt: skip
def test_what_newer_pythons_lack_is_told_with_who_asks(
    error: str, since: str, command: str
) -> None:
    diagnosis = judged(GONE.format(error))
    assert since in first(diagnosis).title
    assert "old-tool" in first(diagnosis).title
    assert command in typed(diagnosis)


PTXAS = "UNIMPLEMENTED: ptxas ptxas too old. Falling back to the driver to compile."


@pytest.mark.parametrize(
    ("path", "of_cuda_12"),
    [
        ("tensorflow/compiler/xla/stream_executor/gpu/redzone_allocator.cc:318", False),
        ("external/local_xla/xla/stream_executor/gpu/redzone_allocator.cc:318", True),
    ],
)
def test_an_old_ptxas_is_replaced_by_one_of_the_same_cuda(path: str, of_cuda_12: bool) -> None:
    diagnosis = judged(log([f"2023-10-07 11:43:16.651110: W {path}] {PTXAS}"]))
    assert root(diagnosis) == "ptxas-too-old"
    commands = [line for fix in first(diagnosis).fixes for line in fix.commands]
    assert any("cu12" in line for line in commands) is of_cuda_12


@pytest.mark.parametrize(
    ("limit", "code"), [((1 << 30) - 1, "gpu-memory-held"), (1 << 30, "gpu-out-of-memory")]
)
def test_an_allocator_that_got_less_than_any_whole_gpu_has_shares_it(limit: int, code: str) -> None:
    report = (
        "W tensorflow/core/common_runtime/bfc_allocator.cc:479] Allocator (GPU_0_bfc) ran out of memory trying to allocate 2.00GiB (rounded to 2147483648)requested by op MatMul\n"
        "I tensorflow/core/common_runtime/bfc_allocator.cc:1105] Stats: \n"
        f"Limit:                      {limit}\nInUse:                        2048\nMaxInUse:                     2048\n"
        "NumAllocs:                       6\nMaxAllocSize:                 1280\n"
    )
    assert root(judged(report)) == code
