"""tfdoctor: why TensorFlow won't use this GPU, or why a run died, with the command that mends it."""

__version__ = "0.1.0"
