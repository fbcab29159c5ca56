"""GPUs that a program asks for by their number, and operations that no device of the program can compute."""

from __future__ import annotations

from functools import partial

from tfdoctor.signatures.signature import EXCEPTION, FACT, LIKELY, LOG, POSSIBLE, PYTHON, SHELL, Signature

_beyond = partial(
    Signature,
    code="gpu-hidden",
    speaker=EXCEPTION,
    rivals=("mig-misused",),
    decided_by=("environment.variables",),
)

SIGNATURES = (
    _beyond(
        "ordinal-out-of-range",
        anchor="nvalid device ordinal value (",
        form=r"[Ii]nvalid device ordinal value \((?P<device>\d{1,3})\)\. Valid range is \[0, (?P<limit>\d{1,3})\]",
        sure=LIKELY,
        samples=("InvalidArgumentError: Invalid device ordinal value (1). Valid range is [0, 0].",),
        near=("Invalid device ordinal name",),
        releases="1.14 to 2.21",
        sources=("tensorflow/tensorflow#32793 (2020-01)", "IBM/tensorflow-large-model-support#24 (2020-02)"),
    ),
    _beyond(
        "visible-list-out-of-range",
        anchor="'visible_device_list' listed an ",
        form=r"'visible_device_list' listed an invalid (?:GPU|Device) id '(?P<device>-?\d{1,3})' but visible device count is (?P<number>\d{1,3})",
        samples=("'visible_device_list' listed an invalid GPU id '1' but visible device count is 1", "'visible_device_list' listed an invalid Device id '3' but visible device count is 2"),
        near=("'visible_device_list' listed all devices",),
        releases="1.x to 2.21",
    ),
    _beyond(
        "ordinal-invalid",
        anchor="invalid device ordinal",
        sure=POSSIBLE,
        samples=(
            "E tensorflow/stream_executor/cuda/cuda_driver.cc:271] failed call to cuInit: CUDA_ERROR_INVALID_DEVICE: invalid device ordinal",
            "Internal: failed call to cuDevicePrimaryCtxRetain: CUDA_ERROR_INVALID_DEVICE: invalid device ordinal",
            "RuntimeError: CUDA error: invalid device ordinal",
        ),
        near=("invalid device name",),
        releases="1.x to 2.21",
        sources=("horovod/horovod#1056 (2019-05)",),
    ),
    Signature(
        "cuda-op-without-kernel",
        "tensorflow-cpu-only",
        "OpKernel was registered to support Op 'Cudnn",
        also=("Could not find device for node: {{node Cudnn",),
        form=r"(?:No OpKernel was registered to support Op '|Could not find device for node: \{\{node )(?P<op>Cudnn\w{1,40})",
        speaker=EXCEPTION,
        sure=LIKELY,
        rivals=("cuda-libraries-missing", "gpu-hidden"),
        decided_by=("tensorflow.build",),
        samples=(
            "InvalidArgumentError: No OpKernel was registered to support Op 'CudnnRNN' used by {{node cu_dnnlstm/CudnnRNN}}with these attrs: [dropout=0, seed=0, T=DT_FLOAT]",
            "Could not find device for node: {{node CudnnRNN}} = CudnnRNN[T=DT_FLOAT]",
        ),
        near=("Could not find device for node: {{node MatMul}}", "No OpKernel was registered to support Op 'NcclAllReduce'"),
        releases="1.4 to 2.21",
    ),
    Signature(
        "registered-devices-cpu",
        "",
        "Registered devices: [",
        form=r"Registered devices: \[(?:XLA_)?CPU(?:, ?(?:XLA_)?CPU){0,3}\]",
        role=FACT,
        speaker=EXCEPTION,
        samples=("Registered devices: [CPU, XLA_CPU]", "Registered devices: [CPU]"),
        near=("Registered devices: [CPU, GPU]", "Registered devices: [CPU, GPU, XLA_CPU, XLA_GPU]"),
        releases="1.x to 2.21",
        sources=("tensorflow/models#8560 (2020-05)", "tensorflow/tensorflow#28372 (2019-05)"),
    ),
    Signature(
        "no-registered-kernels",
        "",
        "<no registered kernels>",
        role=FACT,
        speaker=EXCEPTION,
        samples=("  <no registered kernels>",),
        near=("no registered kernels were asked for",),
        releases="1.x to 2.21",
        sources=("tensorflow/models#8560 (2020-05)",),
    ),
    Signature(
        "rocm-memory-fault",
        "cuda-context-poisoned",
        "Memory access fault by GPU node",
        form=r"Memory access fault by GPU node-?(?P<number>\d{1,3}) .{0,80}on address (?P<value>\S{1,40})\. Reason: (?P<message>.{1,80})",
        sure=LIKELY,
        speaker=LOG,
        rivals=("rocm-gpu-unsupported", "gpu-hardware-fault"),
        decided_by=("driver.devices",),
        samples=("Memory access fault by GPU node-1 (Agent handle: 0x562ca9677860) on address 0x7efbeeedc000. Reason: Page not present or supervisor privilege.",),
        near=("Memory access of the GPU node",),
        releases="ROCm 2 to 6",
        sources=("ROCm/legacy-rocm-build#1867 (2022-11)",),
    ),
    Signature(
        "hsa-override",
        "",
        "HSA_OVERRIDE_GFX_VERSION",
        form=r"HSA_OVERRIDE_GFX_VERSION=\"?(?P<value>\d{1,2}\.\d{1,2}\.\d{1,2})",
        role=FACT,
        speaker=SHELL,
        samples=("export HSA_OVERRIDE_GFX_VERSION=10.3.0", 'HSA_OVERRIDE_GFX_VERSION="10.3.0" python train.py'),
        near=("HSA_OVERRIDE_GFX_VERSION is not set",),
        sources=("ROCm/tensorflow-upstream#1800 (2022-11)", "ROCm/legacy-rocm-build#1867 (2022-11)"),
    ),
    *(
        Signature(name, "", anchor, role=FACT, speaker=PYTHON, form=form, samples=samples, near=(near,), sources=("ray-project/ray#14542 (2021-03)",))
        for name, anchor, form, samples, near in (
            ("visible-list-printed", "CUDA_VISIBLE_DEVICES", r"CUDA_VISIBLE_DEVICES['\"]?\]?[`)]{0,2}(?::| is| returns(?: the string)?|,)\s{0,3}['\"]?(?P<value>\d{1,3}(?:, ?\d{1,3}){1,15})\b", ("Calling `os.environ['CUDA_VISIBLE_DEVICES']` returns the string \"0,0\".", "CUDA_VISIBLE_DEVICES: 0,1"), "export CUDA_VISIBLE_DEVICES=0,1"),
            ("ray-gpu-ids", "get_gpu_ids", r"get_gpu_ids\(\).{0,60}?\[(?P<value>['\"\d, ]{3,80})\]", ("ray.get_gpu_ids(): ['0', '0']",), "gpu_ids = ray.get_gpu_ids()"),
        )
    ),
    Signature(
        "gpu-of-a-list",
        "",
        "gpus[",
        also=("GPUs[", "devices[", "gpu_list["),
        form=r"\b\w{0,30}(?:[gG][pP][uU]s?|devices)(?:_list)?\[\s{0,3}(?P<value>\d{1,3}|[\w.]{0,40}rank\w{0,10}|[a-z_]{1,30})\s{0,3}(?:\(\))?\s{0,3}\]",
        role=FACT,
        speaker=PYTHON,
        samples=(
            "    tf.config.experimental.set_visible_devices(gpus[hvd.local_rank()], 'GPU')",
            "    tf.config.experimental.set_memory_growth(physical_devices[0], True)",
            "    tf.config.set_visible_devices(gpus[args_gpu], 'GPU')",
        ),
        near=("for device in devices[1:]:", "gpus[] is empty"),
        sources=("horovod/horovod#1755 (2020-03)",),
    ),
)  # fmt: skip
