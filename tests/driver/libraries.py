"""Which simulated libraries there are, and what each is made of."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

HERE = Path(__file__).resolve().parent
SOURCES = HERE / "src"
SYMBOLS = HERE / "symbols"
SHARED_SOURCES = ("scenario.c", "faults.c")
CUDNN_PARTS = (
    "libcudnn_graph",
    "libcudnn_ops",
    "libcudnn_cnn",
    "libcudnn_adv",
    "libcudnn_heuristic",
    "libcudnn_engines_precompiled",
    "libcudnn_engines_runtime_compiled",
)
"""What cuDNN 9 consists of beside its main library; its wheel's file list, 9.3.0 (2024)."""


@dataclass(frozen=True)
class Library:
    """One simulated library.

    `stub_answer` is what its functions that nobody wrote by hand return: "not supported" in its own numbers,
    taken from the public header of that library (CUDA 12.9, cuDNN 9, NCCL 2).
    """

    name: str
    soname: str
    sources: tuple[str, ...]
    stub_answer: int

    @property
    def symbols(self) -> list[str]:
        """The names that the library exports, hand-written or not; a part of cuDNN has only hand-written ones."""
        listed = SYMBOLS / f"{self.name}.txt"
        return listed.read_text(encoding="ascii").split() if listed.exists() else []


LIBRARIES = {
    library.name: library
    for library in (
        Library(
            "libcuda",
            "libcuda.so.1",
            (
                "cuda_attributes.c",
                "cuda_context.c",
                "cuda_context_options.c",
                "cuda_copy.c",
                "cuda_device.c",
                "cuda_errors.c",
                "cuda_graph.c",
                "cuda_launch.c",
                "cuda_memory.c",
                "cuda_module.c",
                "cuda_stream.c",
                "cuda_symbols.c",
                "cuda_visible.c",
                "presence.c",
                "ptx_parse.c",
                "ptx_run.c",
            ),
            801,
        ),
        Library(
            "libnvidia-ml",
            "libnvidia-ml.so.1",
            (
                "nvml_device.c",
                "nvml_events.c",
                "nvml_health.c",
                "nvml_license.c",
                "nvml_links.c",
                "nvml_system.c",
                "nvml_use.c",
                "presence.c",
            ),
            3,
        ),
        Library(
            "libcudart",
            "libcudart.so.12",
            (
                "cudart_device.c",
                "cudart_launch.c",
                "cudart_layout.c",
                "cudart_memory.c",
                "cudart_properties.c",
            ),
            801,
        ),
        Library(
            "libcudnn",
            "libcudnn.so.9",
            ("cudnn.c", "cudnn_backend.c", "cudnn_convolution.c", "matmul.c"),
            3000,
        ),
        Library(
            "libcublas", "libcublas.so.12", ("cublas_core.c", "cublas_matmul.c", "matmul.c"), 15
        ),
        Library("libcublasLt", "libcublasLt.so.12", ("cublaslt.c", "matmul.c"), 15),
        Library("libcufft", "libcufft.so.11", ("cufft.c",), 16),
        Library("libcusolver", "libcusolver.so.11", ("cusolver.c",), 9),
        Library("libcusparse", "libcusparse.so.12", ("cusparse.c",), 10),
        Library("libnccl", "libnccl.so.2", ("nccl.c",), 5),
        Library("libcupti", "libcupti.so.12", ("cupti.c",), 27),
        *(Library(name, f"{name}.so.9", ("cudnn_part.c",), 3000) for name in CUDNN_PARTS),
    )
}
DRIVER = ("libcuda", "libnvidia-ml")
CUDA = tuple(name for name in LIBRARIES if name not in DRIVER)
