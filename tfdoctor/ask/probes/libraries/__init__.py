"""The CUDA libraries and tools that a build of TensorFlow opens, and where the loader finds them."""
