"""Lines that tell a fact without being a cause: what is missing by name, where code was, what is there, how it ended."""

from __future__ import annotations

from functools import partial

from tfdoctor.signatures.signature import (
    EXCEPTION,
    FACT,
    KERNEL,
    LOADER,
    LOG,
    NATIVE,
    PYTHON,
    SCHEDULER,
    TOOL,
    Signature,
)
from tfdoctor.signatures.sources import NVIDIA_MODULE, SEVERAL_FILES, WHEELS

_fact = partial(Signature, code="", role=FACT)

SIGNATURES = (
    _fact(
        "module-missing",
        anchor="No module named '",
        form=r"No module named '(?P<module>[\w.]{1,200})",
        speaker=EXCEPTION,
        samples=(
            "ModuleNotFoundError: No module named 'absl'",
            "ModuleNotFoundError: No module named 'google.protobuf.internal'",
        ),
        near=("No module named tensorflow",),
    ),
    _fact(
        "package-asked-for",
        anchor="need to have `",
        form=r"need to have `(?P<module>[\w.]{1,60})` installed",
        speaker=EXCEPTION,
        samples=("ImportError: To use Keras, you need to have `optree` installed. Install it via `pip install optree`",),
        near=("you need to have `root` rights",),
        releases="Keras 3",
    ),
    _fact(
        "undefined-symbol",
        anchor="undefined symbol: ",
        form=r"(?:(?P<file>[^\s:]{1,400}): )?undefined symbol: (?P<symbol>\w{1,400})(?:, version (?P<library>lib[\w.+-]{1,100}))?",
        speaker=LOADER,
        samples=(
            "ImportError: /opt/env/lib/python3.11/site-packages/tensorflow/libtensorflow_cc.so.2: undefined symbol: _ZN3tsl5trace10ProfileEv",
            "ImportError: /opt/env/lib/python3.11/site-packages/nvidia/cusparse/lib/libcusparse.so.12: undefined symbol: __nvJitLinkComplete_12_4, version libnvJitLink.so.12",
        ),
        near=("undefined symbol table",),
    ),
    _fact(
        "versioned-symbol",
        anchor="no version information available",
        form=r"(?P<file>[^\s:]{1,400}): no version information available",
        speaker=LOADER,
        samples=("python: /opt/lib/libtinfo.so.6: no version information available (required by /bin/sh)",),
        near=("there is no version information",),
    ),
    _fact(
        "traceback",
        anchor="Traceback (most recent call last)",
        speaker=EXCEPTION,
        samples=("Traceback (most recent call last):", "ModuleNotFoundError                       Traceback (most recent call last)"),
        near=("Traceback of the error",),
    ),
    _fact(  # of the program itself: nothing was called yet, so no traceback stands before it
        "syntax-error",
        anchor="SyntaxError: ",
        speaker=EXCEPTION,
        samples=("SyntaxError: invalid syntax", "SyntaxError: '(' was never closed"),
        near=("a SyntaxError was raised",),
    ),
    _fact(  # as above
        "indentation-error",
        anchor="IndentationError: ",
        speaker=EXCEPTION,
        samples=("IndentationError: unexpected indent",),
        near=("an IndentationError was raised",),
    ),
    _fact(
        "package-frame",
        anchor="-packages",
        form=r'File "[^"]{0,400}?[\\/](?:site|dist)-packages[\\/](?P<module>\w{1,100})',
        speaker=EXCEPTION,
        samples=(
            '  File "/opt/env/lib/python3.12/site-packages/keras/src/backend/__init__.py", line 10, in <module>',
            '  File "C:\\Python39\\lib\\site-packages\\tensorflow\\__init__.py", line 41, in <module>',
        ),
        near=('  File "/home/u/train.py", line 3, in <module>',),
        sources=("tensorflow/tensorflow#42600 (2020-08)",),
    ),
    _fact(
        "cython-frame",
        anchor='.pyx"',
        form=r'File "(?P<module>\w{1,100})/[^"]{0,200}\.pyx"',
        speaker=EXCEPTION,
        samples=('  File "h5py/_objects.pyx", line 1, in init h5py.defs',),
        near=('  File "/opt/x.pyx", line 1',),
    ),
    _fact(
        "faulthandler-frame",
        anchor='", line ',
        form=r'File "(?P<file>[^"<]{1,400})", line (?P<line>\d{1,9}) in (?P<function>\S{1,200})',
        speaker=NATIVE,
        samples=('  File "/opt/env/lib/python3.12/site-packages/tensorflow/__init__.py", line 40 in <module>',),
        near=(
            '  File "/home/u/train.py", line 3, in <module>',
            '  File "<frozen importlib._bootstrap>", line 488 in _call_with_frames_removed',
        ),
        releases="Python 3.3 and newer",
    ),
    _fact(
        "faulthandler-current-thread",
        anchor="Current thread 0x",
        form=r"Current thread 0x[0-9a-f]{4,16}",
        speaker=NATIVE,
        samples=("Current thread 0x00007fd4d7656b80 (most recent call first):",),
        near=("Thread 0x00007fd4d3e806c0 (most recent call first):",),
        releases="Python 3.3 and newer",
    ),
    _fact(
        "fatal-python-signal",
        anchor="Fatal Python error: ",
        form=r"Fatal Python error: (?P<signal>Segmentation fault|Aborted|Bus error|Illegal instruction|Floating-point exception)",
        speaker=NATIVE,
        samples=("Fatal Python error: Segmentation fault", "Fatal Python error: Aborted"),
        near=("Fatal Python error: init_fs_encoding: failed to get the Python codec of the filesystem encoding",),
        releases="Python 3.3 and newer",
    ),
    _fact(
        "file-not-opened",
        anchor=": cannot open shared object file",
        form=r"(?P<library>[\w.+-]{3,120}): cannot open shared object file",
        speaker=LOADER,
        samples=("ImportError: libamdhip64.so.6: cannot open shared object file: No such file or directory",),
        near=("cannot open the file",),
    ),
    _fact(
        "libcuda-version",
        anchor="libcuda reported version is: ",
        form=r"libcuda reported version is: (?P<version>\d[\d.]{2,20})",
        samples=("I tensorflow/stream_executor/cuda/cuda_diagnostics.cc:189] libcuda reported version is: 375.66.0",),
        near=("libcuda reported version is: NOT_FOUND: was unable to find libcuda.so DSO loaded into this program",),
        releases="1.x to 2.21",
        sources=("tensorflow/tensorflow#22525 (2018-09)", WHEELS, "tensorflow/tensorflow#4768 (2016-10)"),
    ),
    _fact(
        "module-version",
        anchor="kernel reported version is: ",
        form=r"kernel reported version is: (?P<version>\d[\d.]{2,20})",
        samples=("I tensorflow/stream_executor/cuda/cuda_diagnostics.cc:193] kernel reported version is: 384.130.0",),
        near=("kernel reported version is: NOT_FOUND: could not find kernel module information",),
        releases="1.x to 2.21",
        sources=("tensorflow/tensorflow#22525 (2018-09)", WHEELS, "tensorflow/tensorflow#4768 (2016-10)"),
    ),
    _fact(
        "cuinit-answer",
        anchor="ailed call to cuInit: ",
        form=r"ailed call to cuInit: (?:INTERNAL: CUDA error: Failed call to cuInit: )?(?:(?P<error>CUDA_ERROR_\w{1,60})|UNKNOWN ERROR \((?P<number>\d{1,4})\))",
        samples=(
            "E tensorflow/stream_executor/cuda/cuda_driver.cc:406] failed call to cuInit: CUDA_ERROR_NO_DEVICE",
            "E0000 00:00:1741242560.1 123 cuda_platform.cc:51] failed call to cuInit: INTERNAL: CUDA error: Failed call to cuInit: UNKNOWN ERROR (303)",
        ),
        near=("cuInit was called",),
        releases="1.x to 2.21",
        sources=("tensorflow/tensorflow#22525 (2018-09)", WHEELS, "tensorflow/tensorflow#1158 (2018-01)"),
    ),
    _fact(
        "smi-banner",
        anchor="NVIDIA-SMI ",
        form=r"NVIDIA-SMI \d[\d.]{2,20} {1,40}(?:Driver|KMD) Version: (?P<version>\d[\d.]{2,20}) {1,40}CUDA (?:UMD )?Version: (?P<value>\d{1,2}\.\d{1,2})",
        speaker=TOOL,
        samples=(
            "| NVIDIA-SMI 530.47                 Driver Version: 531.68       CUDA Version: 12.1     |",
            "| NVIDIA-SMI 610.43.02              KMD Version: 610.43.02     CUDA UMD Version: 13.3     |",
        ),
        near=("NVIDIA-SMI has failed because it couldn't communicate with the NVIDIA driver.",),
        releases="driver 410 to 617",
        sources=("NVIDIA/cudf#13388 (2023-05)", SEVERAL_FILES),
    ),
    _fact(
        "xid",
        anchor="NVRM: Xid (",
        form=r"NVRM: Xid \((?:PCI:)?(?P<gpu>[0-9a-fA-F:.]{4,16})\): (?P<xid>\d{1,4})(?:, pid=(?P<pid>\d{1,10})(?:, name=(?P<process>[^,]{1,64}))?)?",
        speaker=KERNEL,
        samples=(
            "[12345.678901] NVRM: Xid (PCI:0000:01:00): 79, pid='<unknown>', name=<unknown>, GPU has fallen off the bus.",
            "kernel: NVRM: Xid (PCI:0000:65:00): 31, pid=4242, name=python3, Ch 00000008, intr 00000000. MMU Fault: ENGINE GRAPHICS GPCCLIENT_T1_0 faulted @ 0x7f1b_2a000000.",
        ),
        near=("NVRM: GPU 0000:01:00.0: RmInitAdapter failed! (0x23:0x65:1401)",),
        releases="driver 340 to 617",
        sources=(NVIDIA_MODULE,),
    ),
    *(
        _fact(name, anchor=anchor, form=form, samples=samples, near=("the pool is empty",), releases=releases, sources=(WHEELS, SEVERAL_FILES))
        for name, anchor, form, releases, samples in (
            ("bfc-limit", "Limit:  ", r"Limit: {2,60}(?P<limit>\d{1,20}|[\d.]{1,12}[KMGT]?i?B)", "1.x to 2.21", ("Limit:                     10604892160", "Limit:                         9.88GiB")),
            ("bfc-in-use", "InUse:  ", r"(?:^|[^x])InUse: {2,60}(?P<used>\d{1,20}|[\d.]{1,12}[KMGT]?i?B)", "1.x to 2.21", ("InUse:                     10599999488", "InUse:                         9.87GiB")),
            ("bfc-sum", "Sum Total of in-use chunks: ", r"Sum Total of in-use chunks: (?P<used>[\d.]{1,12}[KMGT]?i?B)", "1.x to 2.21", ("I tensorflow/core/common_runtime/bfc_allocator.cc:1072] Sum Total of in-use chunks: 9.87GiB",)),
            ("bfc-pool", " memory_limit_: ", r"(?:total_region_allocated_bytes_|Total bytes in pool|Total size in pool): (?P<total>[\d.]{1,20}(?:[KMGT]?i?B)?) {1,3}memory_limit_: (?P<limit>[\d.]{1,20}(?:[KMGT]?i?B)?) {1,3}available (?:bytes|size): (?P<free>[\d.]{1,20}(?:[KMGT]?i?B)?)", "2.0 to 2.21", (
                "I tensorflow/core/common_runtime/bfc_allocator.cc:1074] total_region_allocated_bytes_: 10604892160 memory_limit_: 10604892160 available bytes: 0 curr_region_allocation_bytes_: 21209784320",
                "I external/local_tsl/tsl/framework/bfc_allocator.cc:1100] Total bytes in pool: 10604892160 memory_limit_: 10604892160 available bytes: 0 curr_region_allocation_bytes_: 21209784320",
            )),
            ("bfc-free-block", " of size ", r"Free {1,3}at (?:0x)?[0-9a-f]{6,16} of size (?P<free>\d{1,20})", "1.x to 2.21", ("I tensorflow/core/common_runtime/bfc_allocator.cc:1052] Free  at 7f2a5c000000 of size 25165824 next 42", "I tensorflow/core/common_runtime/bfc_allocator.cc:670] Free at 0x1116e55a0 of size 252672")),
        )
    ),
    _fact(
        "exit-status",
        anchor="Process finished with exit code ",
        form=r"Process finished with exit code (?P<number>-?\d{1,10})(?: \((?:interrupted by signal \d{1,2}:? ?(?P<signal>SIG\w{2,8}))?)?",
        speaker=TOOL,
        samples=(
            "Process finished with exit code 137 (interrupted by signal 9: SIGKILL)",
            "Process finished with exit code -1073740791 (0xC0000409)",
            "Process finished with exit code 0",
        ),
        near=("The process has finished",),
        releases="PyCharm",
        sources=(SEVERAL_FILES,),
    ),
    _fact(
        "srun-exit",
        anchor="Exited with exit code ",
        form=r"srun: error: (?P<host>[\w.-]{1,64}): tasks? \S{1,30}: Exited with exit code (?P<number>\d{1,3})",
        speaker=SCHEDULER,
        samples=("srun: error: n17: task 0: Exited with exit code 137",),
        near=("Exited with exit code 0",),
        releases="Slurm 2 to 26",
    ),
    _fact(
        "kubernetes-exit",
        anchor="Exit Code: ",
        form=r"Exit Code: {1,20}(?P<number>\d{1,3})",
        speaker=SCHEDULER,
        samples=("      Exit Code:    137",),
        near=("the exit code is 1",),
    ),
    _fact(
        "cuda-visible-devices",
        anchor="CUDA_VISIBLE_DEVICES",
        form=r"CUDA_VISIBLE_DEVICES=(?P<value>[\w,/-]{0,200})",
        speaker=LOG,
        samples=("CUDA_VISIBLE_DEVICES=-1 python train.py", "export CUDA_VISIBLE_DEVICES=0,1"),
        near=("CUDA_VISIBLE_DEVICES is unset",),
    ),
    *(
        Signature(
            name, "", anchor, role=FACT, speaker=PYTHON, form=form, samples=samples, near=near, releases=releases, sources=sources,
        )
        for name, anchor, form, samples, near, releases, sources in (
            ("frozen-pyinstaller", "pyimod0", r"PyInstaller[\\/]loader[\\/]pyimod0\d\w{0,20}\.py", ('  File "PyInstaller\\loader\\pyimod02_importers.py", line 385, in exec_module',), ('  File "C:\\env\\Lib\\site-packages\\PyInstaller\\building\\build_main.py", line 1', "my pyimod0 folder"), "PyInstaller 3.5 and newer", ("pyinstaller/pyinstaller#8234 (2024-01)",)),
            ("frozen-pyinstaller-folder", "_MEI", r"[\\/]_MEI\d{3,8}\d{0,2}[\\/]", ("ImportError: C:\\Users\\me\\AppData\\Local\\Temp\\_MEI138882\\tensorflow\\python\\_pywrap_tf2.pyd", "ImportError: /opt/run/_MEI424242/libz.so.1: file too short"), ("set _MEIPASS to a folder",), "PyInstaller, one file", ("pyinstaller/pyinstaller#8234 (2024-01)",)),
            ("frozen-cx-freeze", "__startup__.py", r"cx_Freeze[\\/]initscripts[\\/]__startup__\.py", ('  File "C:\\env\\lib\\site-packages\\cx_Freeze\\initscripts\\__startup__.py", line 124, in run',), ('  File "app/__startup__.py", line 1',), "cx_Freeze 5 and newer", ()),
            ("frozen-nuitka", "<frozen nuitka", r"<frozen nuitka[\w. -]{0,60}>", ('  File "<frozen nuitka_module_loader>", line 1, in <module>',), ('  File "<frozen importlib._bootstrap>", line 1',), "Nuitka", ()),
        )
    ),
)  # fmt: skip
