"""What hosted notebooks and the tools in them say where they give less than was asked for."""

from __future__ import annotations

from tfdoctor.signatures.signature import JUPYTER, LIKELY, PYTHON, Signature

SIGNATURES = (
    Signature(
        "colab-no-backend",
        "gpu-absent",
        "o backend with GPU available",
        also=("annot connect to GPU backend",),
        speaker=JUPYTER,
        samples=("No backend with GPU available. Would you like to use a runtime with no accelerator?", "Cannot connect to GPU backend"),
        near=("Failed to assign a backend",),
        sources=("googlecolab/colabtools#4572 (2024-05)", "googlecolab/colabtools#1404 (2020-07)"),
    ),
    Signature(
        "tensorboard-timed-out",
        "stalled",
        "imed out waiting for TensorBoard to start",
        also=("seconds waiting for TensorBoard to launch",),
        speaker=PYTHON,
        sure=LIKELY,
        samples=(
            "ERROR: Timed out waiting for TensorBoard to start. It may still be running as pid 24472.",
            "We failed to start a TensorBoard session due to the following error: Timed out after 60 seconds waiting for TensorBoard to launch.",
        ),
        near=("Timed out waiting for the board to start",),
        releases="TensorBoard 1.14 and newer; VS Code's TensorBoard extension",
        sources=("tensorflow/tensorboard#2739 (2019-10)", "tensorflow/tensorboard#4300 (2020-11)", "microsoft/vscode-jupyter#9467 (2022-05)"),
    ),
)  # fmt: skip
