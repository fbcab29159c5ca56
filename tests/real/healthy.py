"""Environments that work: a TensorFlow with what people have beside it, resolved by uv, importing and training a small model."""

from __future__ import annotations

from dataclasses import dataclass

from tests.real.stories import TRAINS, cpu


@dataclass(frozen=True)
class Works:
    """`beside`: resolved together with TensorFlow; `alone`: without their requirements, since these name the other TensorFlow."""

    name: str
    python: str
    version: str
    beside: tuple[str, ...]
    alone: tuple[str, ...]
    modules: str

    @property
    def program(self) -> str:
        return f"{TRAINS}; {self.modules}" if self.modules else TRAINS

    @property
    def installed(self) -> tuple[str, ...]:
        return (*cpu(self.version), *self.beside)


VERSIONS = (
    ("3.10", "2.10.1", "numpy<2"), ("3.10", "2.11.1", "numpy<2"), ("3.10", "2.12.1", ""), ("3.10", "2.13.1", ""),
    ("3.11", "2.14.1", ""), ("3.11", "2.15.1", ""), ("3.11", "2.16.2", ""), ("3.11", "2.17.1", ""),
    ("3.11", "2.18.1", ""), ("3.11", "2.19.1", ""), ("3.11", "2.20.0", ""), ("3.13", "2.20.0", ""),
)  # fmt: skip
BESIDE = (
    ("alone", (), (), ""),
    ("science", ("pandas", "scikit-learn", "matplotlib", "seaborn"), (), "import pandas, sklearn.linear_model, matplotlib"),
    ("pictures", ("opencv-python-headless", "pillow", "albumentations", "scikit-image"), (), "import cv2, PIL, skimage"),
    ("text", ("transformers<5", "sentencepiece"), (), "from transformers import TFBertModel"),
    ("service", ("fastapi", "pydantic", "grpcio-status", "google-cloud-storage", "ipykernel"), ("keras-tuner", "kt-legacy"), "import fastapi, pydantic, google.cloud.storage"),
)  # fmt: skip
_WITHOUT_KERAS_3 = tuple(f"2.{minor}." for minor in range(10, 16))


def _keras_2(name: str, version: str) -> tuple[str, ...]:
    """What transformers needs beside Keras 3 for all that it does with TensorFlow; without it `check` rightly warns."""
    return (
        (f"tf-keras~={version.rpartition('.')[0]}.0",)
        if name == "text" and not version.startswith(_WITHOUT_KERAS_3)
        else ()
    )


HEALTHY = tuple(
    Works(
        f"{version}-{name}-{python}",
        python,
        version,
        (*beside, *([extra] if extra else [])),
        (*alone, *_keras_2(name, version)),
        modules,
    )
    for python, version, extra in VERSIONS
    for name, beside, alone, modules in BESIDE
)
