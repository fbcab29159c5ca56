"""Reads what GPU code each release's wheel holds. Downloads whole wheels (about 500 MB each), one at a time.

    python -m tools.harvest.read_fatbins data/gpu_code.json 2.20.0 2.21.0 …

Results are added to the file, release by release, so that a stopped run goes on where it was. tools/harvest/harvest_matrix.py
takes the matrix' cells ptx_isa, ptx_target, ptx_isa_compiled and sass_incomplete from it. Three kinds of kernels are
in a wheel: `compiled` by nvcc or clang, `generated` by TensorFlow's own compiler at build time (these have fewer
binaries), and `relocatable` inputs of the device linker, which are never loaded. `runpath` gives the folders of
NVIDIA's wheels in which each library looks.
"""

from __future__ import annotations

import json
import shutil
import sys
import tempfile
import zipfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import requests

from tfdoctor.knowledge.matrix.wheels.index import Index, Wheel
from tools.harvest.fatbins import SECTIONS, FatBinary, Library, read_library

LIBRARIES = (
    "libtensorflow_cc.so.2",
    "_pywrap_tensorflow_internal.so",
    "libtensorflow_framework.so.2",
)


def summary(libraries: dict[str, Library]) -> dict[str, Any]:
    """What the matrix wants to know, and the counts behind it."""
    found = [each for library in libraries.values() for each in library.fat_binaries]
    kinds = {
        name: [each for each in found if each.section == section]
        for name, section in SECTIONS.items()
    }
    generated = [each for each in found if each.section not in SECTIONS.values()]
    return {
        **{name: _kinds(each) for name, each in kinds.items()},
        "generated": _kinds(generated),
        "runpath": {name: _nvidia(library.runpath) for name, library in libraries.items()},
    }


def _nvidia(runpath: tuple[str, ...]) -> list[str]:
    """ "$ORIGIN/../nvidia/cudnn/lib" is "nvidia/cudnn/lib"; several ways to one folder count once."""
    return sorted({folder[folder.index("nvidia/") :] for folder in runpath if "nvidia/" in folder})


def _kinds(found: list[FatBinary]) -> list[dict[str, Any]]:
    counts = Counter((tuple(sorted(each.binaries)), tuple(sorted(each.ptx))) for each in found)
    return [
        {
            "count": count,
            "binaries": list(binaries),
            "ptx": [f"{isa} {target}" for isa, target in ptx],
        }
        for (binaries, ptx), count in counts.most_common()
    ]


def read_wheel(wheel: Wheel) -> dict[str, Any]:
    """Downloads one wheel and reads its libraries; nothing of it is kept."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "wheel.zip"
        with requests.get(wheel.url, stream=True, timeout=180) as answer, path.open("wb") as file:
            answer.raise_for_status()
            shutil.copyfileobj(answer.raw, file, 1 << 20)
        return summary(dict(_libraries(path, Path(folder))))


def _libraries(path: Path, folder: Path) -> Iterator[tuple[str, Library]]:
    with zipfile.ZipFile(path) as archive:
        for member in archive.namelist():
            if member.rpartition("/")[2] in LIBRARIES:
                yield member, read_library(Path(archive.extract(member, folder)))


def main() -> int:
    results = Path(sys.argv[1])
    known = json.loads(results.read_text()) if results.exists() else {}
    wheels = Index().wheels("tensorflow")
    for release in sys.argv[2:]:
        mine = [
            each for each in wheels if each.release == release and each.platform == "linux_x86_64"
        ]
        if release in known or not mine:
            continue
        try:
            known[release] = {"wheel": mine[-1].filename, **read_wheel(mine[-1])}
        except (requests.RequestException, ValueError, zipfile.BadZipFile) as error:
            print(f"{release}: {error}", file=sys.stderr)  # noqa: T201  # a tool for developers
            continue
        results.write_text(json.dumps(known, indent=1))
        print(release, known[release]["generated"][:2], file=sys.stderr)  # noqa: T201  # a tool for developers
    return 0


if __name__ == "__main__":
    sys.exit(main())
