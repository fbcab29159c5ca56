"""TensorFlow in a program of Node.js: CUDA's libraries have to be found by the system's loader, and no Python brings them."""

from __future__ import annotations

from tfdoctor.findings.model import Fix

NODE = (
    Fix(
        "Install the libraries of CUDA 11 and cuDNN 8 into a folder of their own, and start Node.js from this shell",
        (
            "python3 -m venv cuda-11",
            "cuda-11/bin/python -m pip install nvidia-cuda-runtime-cu11 nvidia-cublas-cu11 nvidia-cufft-cu11 nvidia-curand-cu11 nvidia-cusolver-cu11 nvidia-cusparse-cu11 'nvidia-cudnn-cu11>=8.6,<9'",
            'export LD_LIBRARY_PATH="$(echo $PWD/cuda-11/lib/python3*/site-packages/nvidia/*/lib | tr " " :)${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}"',
        ),
        "@tensorflow/tfjs-node-gpu brings a TensorFlow that is built for CUDA 11. Python is only the way to the files; nothing of it is needed afterwards.",
    ),
    Fix(
        "Where no GPU is wanted, use the package without CUDA, which asks for none of these",
        ("npm uninstall @tensorflow/tfjs-node-gpu", "npm install @tensorflow/tfjs-node"),
        "In your files: import from \"@tensorflow/tfjs-node\".",
    ),
)  # fmt: skip
NEWER_NODE = (
    Fix(
        "Take the newest package of TensorFlow.js for the GPU: the TensorFlow that it brings holds code for more generations",
        ("npm uninstall @tensorflow/tfjs-node-gpu", "npm install @tensorflow/tfjs-node-gpu"),
        "The TensorFlow 1.14 and 1.15 of its releases 1.x begin at compute capability 6.0; later ones hold 3.5 and newer.",
    ),
    Fix("Or use the package for processors alone", ("npm uninstall @tensorflow/tfjs-node-gpu", "npm install @tensorflow/tfjs-node")),
)  # fmt: skip
"""For a GPU that the one that is there holds no code for (TensorFlow issues 36853 and 38971)."""
