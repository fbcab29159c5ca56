"""What converters of models, and Keras where a model is put together, say of an operation or an input that they do not take."""

from __future__ import annotations

from tfdoctor.light.expressions import Expression

OWN_BATCHES = Expression(
    r"Failed to find data adapter that can handle input: <class '(?P<name>[A-Za-z_][\w.]{0,150}\.\w{1,80})'>"
)
"""A class of the user's, or of a package, that Keras does not know as one that gives batches."""
NOT_OWN = ("numpy", "pandas", "tensorflow", "scipy", "jax", "jaxlib", "torch", "builtins", "PIL", "cv2")
"""Packages whose objects are data, and no source of batches."""
OF_PICKLE = Expression(
    r"^(?:EOFError: Ran out of input|_?pickle\.UnpicklingError: pickle data was truncated)"
)
"""CPython's words for a file that ends before the object does (Modules/_pickle.c)."""
