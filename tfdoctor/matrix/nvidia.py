"""What NVIDIA's wheels bring: the libraries and tools in each, and the folder in which they are.

`holds` of a package is a series like those of the releases, by the package's own versions: it is stated where it
changes. Only what TensorFlow or XLA looks for by name counts; plug-ins of cuDNN and the like are left out.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tfdoctor.matrix.model import NvidiaWheel, Source


def nvidia_wheels(document: Mapping[str, Any], sources: Mapping[str, Source]) -> tuple[NvidiaWheel, ...]:
    """One entry for each package and each span of its versions that holds the same, the oldest first."""
    source = str(sources[document["nvidia"]["source"]])
    found = []
    for package, stated in document["nvidia"]["packages"].items():
        starts = list(stated["holds"])
        for at, since in enumerate(starts):
            below = starts[at + 1] if at + 1 < len(starts) else ""
            names = tuple(stated["holds"][since])
            found.append(NvidiaWheel(package, stated["folder"], names, since, below, source))
    return tuple(found)
