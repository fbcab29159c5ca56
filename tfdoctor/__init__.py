"""tfdoctor: why TensorFlow won't use this GPU or can't be imported, with the command that mends it."""

__version__ = "0.1.0"
