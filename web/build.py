"""Builds the pages that run tfdoctor in a browser, beside the documentation: python -m web.build site

What is loaded lies in a folder that is named by its own content, so that a browser never mixes two versions.
"""

from __future__ import annotations

import base64
import hashlib
import json
import re
import shutil
import subprocess
import sys
import tempfile
import zipfile
from importlib.metadata import files
from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined

import tfdoctor
from tfdoctor.facts.outcome import value_or
from tfdoctor.knowledge.matrix.load import load_bundled
from tfdoctor.knowledge.matrix.query import Matrix
from tfdoctor.say.pages import render_html
from tfdoctor.say.view import View

HERE = Path(__file__).parent
PACKAGE = Path(tfdoctor.__file__).parent
PYODIDE = HERE / "node_modules" / "pyodide"
PAGES = {
    "log": "Explain a log",
    "plan": "Find a version that works",
    "lint": "Check build files",
    "report": "Open a report",
    "compare": "Compare two",
}
SYSTEMS = {"linux": "Linux", "wsl2": "Windows with WSL2", "windows": "Windows", "linux-aarch64": "Linux on Arm", "macos": "macOS (Apple silicon)", "macos-x86_64": "macOS (Intel)"}  # fmt: skip
TOOLS = {
    "commands": "pip",
    "uv": "uv",
    "conda": "conda",
    "dockerfile": "Docker",
    "requirements": "a requirements file",
}
NOT_NEEDED = ("keras.py", "__main__.py", *(f"apps/{each}" for each in ("api.py", "pytest_plugin.py", "cli/", "assistant/", "fleet/", "health/", "jupyter/", "repair/")),
              "knowledge/matrix/wheels/", *(f"ask/{each}/" for each in ("recorder", "probes/driver", "probes/libraries",
              "probes/smoke", "probes/tensorflow", "probes/workers")))  # fmt: skip
"""Of the package: whole rooms that ask a machine, and the command line."""
NOT_NEEDED_OF_PYTHON = re.compile(
    r"(multiprocessing|unittest|_pyrepl|pydoc_data|xmlrpc|wsgiref|curses|dbm|sqlite3|tkinter|turtledemo|idlelib|ensurepip|venv|lib2to3|test)/"
    r"|(pydoc|pdb|doctest|mailbox|imaplib|poplib|smtplib|ftplib|turtle|cProfile|profile|pstats|trace|webbrowser|socketserver|tabnanny|pyclbr)\.py"
)
"""Of its standard library: what no path of ours imports, in whole parts."""
LIBRARIES = ("packaging", "jinja2", "markupsafe", "pyyaml")
NOTICES = """These pages run tfdoctor (Apache License 2.0, Copyright the tfdoctor maintainers) with

Pyodide {pyodide}, Mozilla Public License 2.0; its sources: https://github.com/pyodide/pyodide
CPython, compiled to WebAssembly by Pyodide, Python Software Foundation License: https://github.com/python/cpython
packaging, Apache License 2.0 or BSD-2-Clause: https://github.com/pypa/packaging
Jinja and MarkupSafe, BSD-3-Clause: https://github.com/pallets/jinja and https://github.com/pallets/markupsafe
PyYAML, MIT License: https://github.com/yaml/pyyaml
"""


def main() -> None:
    site = Path(sys.argv[1])
    pages = site / "app"
    shutil.rmtree(pages, ignore_errors=True)
    with tempfile.TemporaryDirectory() as made:
        content = Path(made)
        fetched = _fill(content)
        digest = hashlib.sha256(
            b"".join(
                hashlib.sha256(each.read_bytes()).digest() for each in sorted(content.iterdir())
            )
        )
        folder = digest.hexdigest()[:12]
        (pages / folder).mkdir(parents=True)
        for each in content.iterdir():
            shutil.copyfile(each, pages / folder / each.name)
    made_of = Environment(
        loader=FileSystemLoader(HERE / "templates"), autoescape=True, undefined=StrictUndefined
    )
    matrix = load_bundled()
    for name in PAGES:
        text = made_of.get_template(f"{name}.html").render(
            name=name, folder=folder, pages=PAGES, bytes=fetched, styles=_styles(), version=tfdoctor.__version__, matrix=matrix,
            systems=SYSTEMS, tools=TOOLS, gpus=matrix.gpu_names(), pythons=_pythons(matrix),
        )  # fmt: skip
        (pages / f"{name}.html").write_text(text, encoding="utf-8")
    print(f"{pages}: {fetched / 1e6:.1f} MB are loaded")


def _fill(content: Path) -> int:
    """Everything that a page loads; the bytes of what its worker fetches."""
    with tempfile.TemporaryDirectory() as made:
        sources, stdlib = Path(made, "sources"), Path(made, "stdlib")
        for name, text in _sources():
            (sources / name).parent.mkdir(parents=True, exist_ok=True)
            (sources / name).write_bytes(text)
        with zipfile.ZipFile(PYODIDE / "python_stdlib.zip") as archive:
            archive.extractall(
                stdlib,
                [each for each in archive.namelist() if not NOT_NEEDED_OF_PYTHON.match(each)],
            )
        subprocess.run(["node", "compile.mjs", sources, stdlib, content], cwd=HERE, check=True)
    for name in ("pyodide.mjs", "pyodide.asm.mjs", "pyodide.asm.wasm"):
        shutil.copy(PYODIDE / name, content)
    lock = json.loads((PYODIDE / "pyodide-lock.json").read_text(encoding="utf-8"))
    (content / "pyodide-lock.json").write_text(
        json.dumps({**lock, "packages": {}}), encoding="utf-8"
    )
    for name in ("engine.js", "worker.js", "icon.svg", *(f"{page}.js" for page in PAGES)):
        shutil.copy(HERE / name, content)
    style = (PACKAGE / "say" / "templates" / "page.css").read_text(encoding="utf-8")
    (content / "page.css").write_text(
        style + (HERE / "page.css").read_text(encoding="utf-8"), encoding="utf-8"
    )
    pyodide = json.loads((PYODIDE / "package.json").read_text(encoding="utf-8"))["version"]
    (content / "NOTICES.txt").write_text(NOTICES.format(pyodide=pyodide), encoding="utf-8")
    fetched = ("pyodide.asm.wasm", "pyodide-lock.json", "python_stdlib.zip", "tfdoctor.zip")
    return sum((content / name).stat().st_size for name in fetched)


def _sources() -> list[tuple[str, bytes]]:
    ours = (each for each in PACKAGE.rglob("*") if each.is_file() and each.suffix != ".pyc")
    named = {each.relative_to(PACKAGE).as_posix(): each for each in ours}
    found = [
        (f"tfdoctor/{name}", file)
        for name, file in named.items()
        if not name.startswith((*NOT_NEEDED, "data/"))
    ]
    for library in LIBRARIES:
        found += [
            (str(each), Path(str(each.locate())))
            for each in files(library) or ()
            if each.suffix == ".py"
        ]
    return [
        ("answers.py", (HERE / "answers.py").read_bytes()),
        *((name, file.read_bytes()) for name, file in found),
    ]


def _styles() -> str:
    """What allows the style of tfdoctor's own page in its frame, and no other: a frame has the rules of the page around it."""
    page = render_html(View("", "", "healthy", "", (), ""))
    styles = re.findall(r"<style>(.*?)</style>", page, re.DOTALL)
    digests = (base64.b64encode(hashlib.sha256(each.encode()).digest()).decode() for each in styles)
    return " ".join(f"'sha256-{each}'" for each in digests)


def _pythons(matrix: Matrix) -> list[str]:
    """Those that some version has a wheel for, the newest first."""
    known = {each for release in matrix.releases() for each in value_or(release.python, ())}
    return [each.feature for each in sorted(known, key=lambda each: each.numbers, reverse=True)]


if __name__ == "__main__":
    main()
