"""What JAX says where it computes on the processor: its part for NVIDIA's GPUs is a package of its own, and pip leaves it out."""

from __future__ import annotations

from functools import partial

from tfdoctor.signatures.signature import LIKELY, POSSIBLE, PYTHON, Signature

_without = partial(Signature, code="tensorflow-cpu-only", speaker=PYTHON)

SIGNATURES = (
    _without(
        "jax-without-cuda",
        anchor="a CUDA-enabled jaxlib is not installed",
        sure=LIKELY,
        samples=(
            "An NVIDIA GPU may be present on this machine, but a CUDA-enabled jaxlib is not installed. Falling back to cpu.",
            "WARNING:2025-06-15 17:04:55,449:jax._src.xla_bridge:791: An NVIDIA GPU may be present on this machine, but a CUDA-enabled jaxlib is not installed. Falling back to cpu.",
        ),
        near=("A Google TPU may be present on this machine, but either a TPU-enabled jaxlib or libtpu is not installed. Falling back to cpu.",),
        releases="jax 0.4.20 and newer",
        sources=("JeffSHF/ColabDock#28 (2025-04)", "sanchit-gandhi/whisper-jax#211 (2025-06)", "ziatdinovmax/gpax#63 (2023-11)"),
    ),
    _without(
        "jax-no-gpu",
        anchor="No GPU/TPU found, falling back to CPU",
        also=("but no platforms that are instances of ",),
        form=r"No GPU/TPU found, falling back to CPU|Unknown backend:? '?(?:gpu|cuda)'? requested, but no platforms that are instances of (?:gpu|cuda) are present",
        sure=POSSIBLE,
        rivals=("cuda-libraries-missing",),
        samples=(
            "/opt/env/lib/python3.6/site-packages/jax/lib/xla_bridge.py:130: UserWarning: No GPU/TPU found, falling back to CPU.",
            "WARNING:absl:No GPU/TPU found, falling back to CPU. (Set TF_CPP_MIN_LOG_LEVEL=0 and rerun for more info.)",
            "RuntimeError: Unknown backend: 'gpu' requested, but no platforms that are instances of gpu are present. Platforms present are: cpu",
        ),
        near=("No GPU found, falling back to CPU", "Unknown backend: 'tpu' requested, but no platforms that are instances of tpu are present. Platforms present are: cpu"),
        releases="jax 0.1 and newer",
        sources=("jax-ml/jax#4059 (2020-08)", "jax-ml/jax#17624 (2023-09)"),
    ),
)  # fmt: skip
