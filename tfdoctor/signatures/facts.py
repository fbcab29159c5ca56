"""Lines that tell a fact without being a cause: what is missing by name, where code was, what is there, how it ended."""

from __future__ import annotations

COMPANIONS = (
    "spektral", "stellargraph", "tensorflow_addons", "tensorflow_hub", "tensorflow_text", "tensorflow_probability", "tensorflow_datasets", "tf_agents", "tf_keras", "keras_cv", "keras_nlp",
    "keras_hub", "keras_tuner", "kerastuner", "autokeras", "transformers", "sentence_transformers", "deepface", "tflite_model_maker", "tensorflow_decision_forests", "tfx", "mrcnn", "keras_contrib",
)  # fmt: skip
"""Packages that ask TensorFlow or Keras for names of theirs, by what is imported."""
