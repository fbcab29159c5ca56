"""A library that a Mac's loader looks for in Homebrew's folders: whoever built the asker had it from there."""

from __future__ import annotations

from tfdoctor.findings.model import Fix
from tfdoctor.light.expressions import Expression  # reads no log: Homebrew's formula in a path

_OWN = Expression(r"(?:/opt/homebrew|/usr/local)/(?:opt|Cellar)/(?P<formula>[\w.@+-]{1,60})/")
"""A folder of one formula."""
_FOLDERS = ("/usr/local/lib/", "/opt/homebrew/lib/", "/usr/local/opt/", "/opt/homebrew/opt/")
_FORMULAS = {
    "libgomp": "gcc", "libgfortran": "gcc", "libomp": "libomp", "libhdf5": "hdf5", "libprotobuf": "protobuf", "libssl": "openssl@3",
    "libcrypto": "openssl@3", "libjpeg": "jpeg-turbo", "libpng": "libpng", "libopenblas": "openblas",
}  # fmt: skip
"""Homebrew's formulas by the libraries that they bring (its list of formulas, 2026-11)."""


def brewed_fix(library: str, path: str, asker: str) -> Fix | None:
    """None for a path of another place, and for a library that no known formula brings."""
    if own := _OWN.search(path):
        return Fix(f"Bring Homebrew's {own['formula']} back", (f"brew reinstall {own['formula']}",))
    formula = next((name for stem, name in _FORMULAS.items() if library.startswith(stem)), "")
    if not formula or not path.startswith(_FOLDERS):
        return None
    return Fix(
        f"Bring the library from Homebrew, where {asker or 'the program'} looks for it: it was built on a Mac that had it so",
        (f"brew install {formula}", f"ls {path.split()[0]}"),
        "Where the second line still finds nothing, Homebrew's is of another number: take the official package in its place.",
    )
