"""What the graphics systems of Windows and Macs, and the plug-ins that use them, say where the GPU is lost or gives nothing."""

from __future__ import annotations

from tfdoctor.signatures.signature import LIKELY, NATIVE, Signature
from tfdoctor.signatures.sources import SEVERAL_FILES

SIGNATURES = (
    Signature(
        "dml-device-removed",
        "cuda-context-poisoned",
        "DXGI_ERROR_DEVICE_",
        also=("GetDeviceRemovedReason", "0x887a000", "0x887A000"),
        form=r"DXGI_ERROR_DEVICE_(?:REMOVED|HUNG|RESET)|0x887[aA]000(?:5|6|7)|GPU device instance has been suspended|GetDeviceRemovedReason\(\)\){0,4} ?>= ?0",
        speaker=NATIVE,
        sure=LIKELY,
        samples=(
            "The DirectML device has encountered an unrecoverable error (DXGI_ERROR_DEVICE_REMOVED)",
            "RuntimeError: The GPU device instance has been suspended. Use GetDeviceRemovedReason to determine the appropriate action.",
            "F tensorflow/core/common_runtime/dml/dml_command_recorder.cc:366] Check failed: (((HRESULT)((dml_device_->GetDeviceRemovedReason()))) >= 0) == true (0 vs. 1)",
            "HRESULT failed with 0x887a0006: dml_device_->GetDeviceRemovedReason()",
        ),
        near=("HRESULT failed with 0x887a0001: dml_device_->GetDeviceRemovedReason()", "DXGI_ERROR_INVALID_CALL"),
        releases="tensorflow-directml 1.15 and tensorflow-directml-plugin; Direct3D's words (dxgi.h)",
        sources=("microsoft/tensorflow-directml-plugin#341 (2022-12)", "microsoft/tensorflow-directml#28 (2020-09)", "microsoft/DirectML#550 (2024-01)"),
    ),
    Signature(
        "dml-no-adapter",
        "gpu-absent",
        "DirectML device enumeration: found 0 compatible adapters",
        speaker=NATIVE,
        rivals=("wsl-driver-shadowed",),
        decided_by=("host.wsl",),
        sure=LIKELY,
        samples=("I tensorflow/c/logging.cc:34] DirectML device enumeration: found 0 compatible adapters.",),
        near=("DirectML device enumeration: found 1 compatible adapters.",),
        releases="tensorflow-directml 1.15 and tensorflow-directml-plugin",
        sources=("microsoft/DirectML#329 (2022-11)",),
    ),
    Signature(
        "dml-library",
        "tensorflow-install-broken",
        "Could not load dynamic library '",
        form=r"Could not load dynamic library '(?P<library>(?:DirectML|directml)\.?[0-9a-f]{20,64}\.dll)'",
        speaker=NATIVE,
        sure=LIKELY,
        samples=("W tensorflow/stream_executor/platform/default/dso_loader.cc:98] Could not load dynamic library 'DirectMLba106a7c621ea741d2159d8708ee581c11918380.dll'; dlerror: DirectMLba106a7c621ea741d2159d8708ee581c11918380.dll not found",),
        near=("Could not load dynamic library 'nvcuda.dll'; dlerror: nvcuda.dll not found",),
        releases="tensorflow-directml 1.15",
        sources=("microsoft/tensorflow-directml#36 (2020-08)", "microsoft/DirectML#39 (2020-08)"),
    ),
    Signature(
        "metal-command-buffer",
        "gpu-computes-wrong",
        "ommand buffer exited with error status",
        also=("ommand buffer execution failed",),
        form=r"[Cc]ommand buffer (?:exited with error status|execution failed)",
        speaker=NATIVE,
        sure=LIKELY,
        samples=(
            "Error: command buffer exited with error status.",
            "[METAL] Command buffer execution failed: Caused GPU Timeout Error (00000002:kIOGPUCommandBufferCallbackErrorTimeout)",
        ),
        near=("the command buffer exited",),
        releases="macOS 11 and newer",
        sources=("apple/tensorflow_macos#202 (2021-03)", "tensorflow/tensorflow#57058 (2022-08)"),
    ),
    Signature(
        "metal-no-memory",
        "gpu-out-of-memory",
        "kIOGPUCommandBufferCallbackErrorOutOfMemory",
        also=("Insufficient Memory (IOAF code 8)",),
        speaker=NATIVE,
        samples=(
            "	Insufficient Memory (00000008:kIOGPUCommandBufferCallbackErrorOutOfMemory)",
            "	Insufficient Memory (IOAF code 8)",
        ),
        near=("	Internal Error (0000000e:Internal Error)",),
        releases="macOS 11 and newer",
        sources=(SEVERAL_FILES,),
    ),
)  # fmt: skip
