"""Where a fuzzer begins: small whole files of each kind, made of what the repository holds."""

from __future__ import annotations

import json
import struct
from collections.abc import Iterator

from tests.unit.ask.builds import test_readers as readers
from tests.unit.documents import ROOT
from tfdoctor import __version__
from tfdoctor.knowledge.matrix.load import BUNDLED
from tfdoctor.knowledge.messages.catalogue import everything
from tools.build.knowledge import entries

MOST = 16 << 10  # bytes of one input
_SHORT = 3000  # of a log


def seeds(name: str) -> Iterator[bytes]:
    """The first inputs of a reader, none longer than `MOST`."""
    yield from (each for each in _MAKERS[name]() if len(each) <= MOST)


def words(name: str) -> list[bytes]:
    """What a fuzzer would hardly find by itself."""
    if name in ("log", "diagnosis"):
        return sorted({each.anchor.encode() for each in everything() if len(each.anchor) < 60})
    return [each.encode() for each in _WORDS.get(name, ())]


_WORDS = {
    "redactor": ("password=", "://", "/home/alice", "Bearer ", "eyJ", "-----BEGIN PRIVATE KEY-----"),
    "build-file": (
        "tensorflow", "==2.15.0", "[and-cuda]", "numpy<2", "python", "FROM ", "ARG ", "ENV ", "RUN ", "COPY --from=", " AS ", "<<EOF\n", "${V:-1}", "\\\n",
        "pip install ", "conda install ", " -r ", " -c ", "--hash=sha256:", " ; python_version < '3.12'", "\n[[package]]\nname = ", "\n[[packages]]\nname = ",
        "version = ", "[project]\n", "dependencies = [", "[tool.poetry.dependencies]\n", "[tool.pixi.dependencies]\n", "requires-python = ", "dependencies:\n- ",
        "- pip:\n  - ", "packages:\n- conda: ", "services:\n  a:\n    ", "image: ", "build: ", "environment: ", "containers:\n- ", "command: [sh, -c, ", "args:\n- |\n  ", "{include-group = ", "apptainer exec docker://", "*a", "&a ", "<<: ", "---\n",
        '"cells": [', '"cell_type": "code"', '"source": [', "!pip install ", "%%bash\n", '"postCreateCommand": ', '"image": ', '"build": ', "//", "#SBATCH --gres=gpu:1\n",
    ),
}  # fmt: skip


def _report() -> Iterator[bytes]:
    document = json.loads((ROOT / "tests" / "machines" / "two-roots" / "report.json").read_bytes())
    facts = sorted(document["facts"].items(), key=lambda item: len(json.dumps(item[1])))
    for at in range(0, len(facts), 12):
        part = {**document, "facts": dict(facts[at : at + 12])}
        yield json.dumps({**part, "findings": document.get("findings", [])[:1]}).encode()


def _matrix() -> Iterator[bytes]:
    import yaml

    document = json.loads(BUNDLED.read_bytes())
    whole = {"sources", "fields"}
    few = {key: value if key in whole else _few(value, 20) for key, value in document.items()}
    few["releases"] = {key: _few(value, 6) for key, value in document["releases"].items()}
    yield json.dumps(few).encode()
    yield yaml.safe_dump(few).encode()
    yield b"version: &a [1, 2]\nreleases: [*a, *a]\n"


def _few(value: object, small: int) -> object:
    """The first of each list, and of each table of more than `small` rows."""
    if isinstance(value, list):
        return [_few(each, small) for each in value[:1]]
    if isinstance(value, dict):
        chosen = list(value.items())[: None if len(value) <= small else 1]
        return {key: _few(each, small) for key, each in chosen}
    return value


def _settings() -> Iterator[bytes]:
    yield b'required-tensorflow = ">=2.18,<2.22"\nrequire-gpu = true\nmin-free-memory = "2G"\nmin-free-vram = 1000\n'
    yield b'ignore = ["noise", {code = "gpu-throttled", reason = "a laptop"}]\n'
    yield b'[[ignore]]\ncode = \'noise\'\nreason = """\na"""\n'


def _state() -> Iterator[bytes]:
    yield json.dumps(
        {
            "schema_version": "1.0", "tool": __version__, "written_at": 1.79e9, "boot_id": "b", "since_boot": 12.5, "machine": "$MACHINE",
            "uid": "$UID", "verdict": "healthy", "summary": "all is well", "roots": ["a"], "python": "/usr/bin/python3",
            "driver_version": "580.95.05", "gpus": [{"uuid": "GPU-1", "name": "Tesla T4", "ecc": 0}], "cuda_count": 1,
            "failing": [], "nvml_started": True, "ignored": ["noise"],
            "xids": [[79, "0000:00:04", 1.5]], "files": [["tensorflow", "/a/b", 12, 13]],
        }
    ).encode()  # fmt: skip


def _metadata() -> Iterator[bytes]:
    yield (
        b"Metadata-Version: 2.1\nName: some\nVersion: 1.0\nRequires-Dist: numpy (<2.2,>=1.26)\n"
        b'Requires-Dist: nvidia-cudnn-cu12 >=9.3 ; extra == "and-cuda"\n'
        b"Requires-Dist: a[b,c]~=1.0; python_version < '3.13' and (sys_platform == 'linux' or os_name != 'nt')\n"
        b"Requires-Dist: x @ https://example.org/x.whl\n\nName: no field\n"
    )


def _record() -> Iterator[bytes]:
    yield b'some/__init__.py,sha256=abc,12\n"a,""b"".py",,\n../../bin/x,sha256=,1\nsome-1.0.dist-info/RECORD,,\nsome/a.pyc,,\r\n'


def _elf() -> Iterator[bytes]:
    for wide, order in ((True, "<"), (False, "<"), (True, ">")):
        yield _library(wide, order)


def _library(wide: bool, order: str) -> bytes:
    """A shared library of headers alone: its name, what it needs and where it looks, by elf(5)."""
    strings = b"\0libx.so.1\0libc.so.6\0$ORIGIN/../lib:/opt\0"
    head, each, pair = (64, 56, "qQ") if wide else (52, 32, "iI")
    dynamic_at = head + 3 * each
    tags = [(14, 1), (1, 11), (29, 21), (15, 21), (5, 0), (0, 0)]
    strings_at = dynamic_at + len(tags) * struct.calcsize(order + pair)
    tags = [(tag, strings_at if tag == 5 else value) for tag, value in tags]
    dynamic = b"".join(struct.pack(order + pair, *tag) for tag in tags)
    size = strings_at + len(strings)
    ident = b"\x7fELF" + bytes((2 if wide else 1, 1 if order == "<" else 2, 1)) + bytes(9)
    form = "HHIQQQIHHHHHH" if wide else "HHIIIIIHHHHHH"
    header = ident + struct.pack(order + form, 3, 62, 1, 0, head, 0, 0, head, each, 3, 0, 0, 0)
    parts = ((1, 0, size), (2, dynamic_at, len(dynamic)), (3, strings_at + 1, 9))
    segments = b"".join(
        struct.pack(order + "IIQQQQQQ", kind, 4, at, at, at, length, length, 8)
        if wide
        else struct.pack(order + "IIIIIIII", kind, at, at, at, length, length, 4, 4)
        for kind, at, length in parts
    )
    return header + segments + dynamic + strings


def _loader_cache() -> Iterator[bytes]:
    names = b"libx.so.1\0/lib/libx.so.1\0"
    magic = b"glibc-ld.so.cache1.1"
    entry_at = 48 + 24
    body = magic + struct.pack("<II", 1, len(names)) + bytes(20)
    body += struct.pack("<iIIIQ", 0x0303, entry_at, entry_at + 10, 0, 0) + names
    yield body
    yield b"ld.so-1.7.0\0" + struct.pack("<I", 0) + body


def _redactor() -> Iterator[bytes]:
    yield b"token=abc https://alice:pw@host.example.org/t/xyz?sig=1 Authorization: Bearer eyJhbGciOi.J9.x\n"
    yield b"/home/alice/a /users/bob smith/b \\\\server\\share 10.1.2.3 fe80::1 aa:bb:cc:dd:ee:ff 12.9.79.1\n"
    yield b"AKIAABCDEFGHIJKLMNOP 'password': 'a b' -----BEGIN PRIVATE KEY-----\nabc\n-----END PRIVATE KEY-----\n"
    yield b"srun -w node17 mysql -psecret --password=\"a $(b) c\" 'it''s' ~/x user@node17\n"


def _logs() -> Iterator[bytes]:
    for file in sorted((ROOT / "tests" / "recordings").glob("2.2*/*.log")):
        yield file.read_bytes()[-_SHORT:]
    samples = [sample for each in entries() for sample in each.samples[:1]]
    for at in range(0, len(samples), 12):
        yield "\n".join(samples[at : at + 12]).encode()[:_SHORT]
    yield b"> 12%|##  |\r\x1b[31mE0000 a\x1b[0m\r\n<pre>&lt;x&gt;</pre>\r\n" + "é\n".encode(
        "utf-16"
    )


def _build_files() -> Iterator[bytes]:
    texts = (
        readers.DOCKERFILE,
        readers.PROJECT,
        readers.LOCK,
        readers.CONDA,
        readers.COMPOSE,
        readers.MANIFEST,
    )
    yield from (each.encode() for each in texts)
    yield b"-r x\ntensorflow[and-cuda]~=2.14 ; python_version < '3.12'\nnumpy==1.0 \\\n --hash=sha256:ab\n"
    yield b'{"cells": [{"cell_type": "code", "source": ["!pip install -q tensorflow==2.10.0\\n"]}]}'
    yield b"packages:\n- conda: https://x/linux-64/tensorflow-2.16.1-cpu_py311.conda\n- pypi: https://x/y.whl\n  name: numpy\n  version: 2.0.0\n"
    yield b'{"image": "python:3.12", /* a */ "containerEnv": {"A": "${x}"}, "postCreateCommand": {"a": ["pip", "install", "tensorflow"],},}'
    yield b"#!/bin/sh\n#SBATCH --gres=gpu:1\nsource a\npip install 'tensorflow==2.15.0' && python x.py\n"


_MAKERS = {
    "build-file": _build_files,
    "report": _report,
    "matrix": _matrix,
    "settings": _settings,
    "state": _state,
    "metadata": _metadata,
    "record": _record,
    "elf": _elf,
    "loader-cache": _loader_cache,
    "redactor": _redactor,
    "log": _logs,
    "diagnosis": _logs,
}
