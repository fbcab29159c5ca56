"""What is supported: facts of the published TensorFlow wheels and of NVIDIA's pages, each with its source."""

from tfdoctor.matrix.load import load_bundled, load_file, load_in_force
from tfdoctor.matrix.model import CudnnBug, CudnnSupport, Defect, MatrixError, Origin, Release, Requirement
from tfdoctor.matrix.query import Matrix

__all__ = [
    "CudnnBug",
    "CudnnSupport",
    "Defect",
    "Matrix",
    "MatrixError",
    "Origin",
    "Release",
    "Requirement",
    "load_bundled",
    "load_file",
    "load_in_force",
]
