"""What a log reports of driver, GPU and memory, without being a cause: releases, answers, Xids, an allocator's sums."""

from __future__ import annotations

from functools import partial

from tfdoctor.signatures.signature import (
    FACT,
    KERNEL,
    LOG,
    TOOL,
    Signature,
)
from tfdoctor.signatures.sources import NVIDIA_MODULE, SEVERAL_FILES, WHEELS

_fact = partial(Signature, code="", role=FACT)

SIGNATURES = (
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
        "gpu-memory-usage",
        anchor="Memory usage: ",
        form=r"Memory usage: (?P<free>\d{1,20}) bytes free, (?P<total>\d{1,20}) bytes total",
        samples=("E external/xla/xla/stream_executor/cuda/cuda_dnn.cc:443] Memory usage: 1812398080 bytes free, 2099904512 bytes total.",),
        near=("Memory usage: 12 MB",),
        releases="XLA of 2.11 and newer, where cuDNN's handle fails",
        sources=(WHEELS,),
    ),
    _fact(
        "cuda-visible-devices",
        anchor="CUDA_VISIBLE_DEVICES",
        form=r"CUDA_VISIBLE_DEVICES=(?P<value>[\w,/-]{0,200})",
        speaker=LOG,
        samples=("CUDA_VISIBLE_DEVICES=-1 python train.py", "export CUDA_VISIBLE_DEVICES=0,1"),
        near=("CUDA_VISIBLE_DEVICES is unset",),
    ),
)  # fmt: skip
