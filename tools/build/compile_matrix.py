"""Compiles data/compat_matrix.yaml, which people review, to the JSON that tfdoctor loads.

Run it after each change of the YAML: `python -m tools.build.compile_matrix`. A test fails while the two differ.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

from tfdoctor.knowledge.matrix.load import BUNDLED, parse
from tfdoctor.knowledge.matrix.model import MatrixError
from tfdoctor.knowledge.matrix.validate import validate

SOURCE = Path(__file__).parents[2] / "data" / "compat_matrix.yaml"


def compiled(source: Path = SOURCE) -> bytes:
    """The JSON for this YAML. Raises MatrixError where the YAML is no matrix."""
    document = parse(source.read_bytes(), str(source))
    validate(document, str(source))
    return json.dumps(document, ensure_ascii=False, separators=(",", ":")).encode() + b"\n"


def main() -> int:
    try:
        BUNDLED.write_bytes(compiled())
    except MatrixError as error:
        print(error, file=sys.stderr)  # noqa: T201  # a tool for developers
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
