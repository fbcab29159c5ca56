"""Which names each release of TensorFlow and Keras has, read in the published wheels: `tfdoctor/knowledge/messages/names/*.txt`.

`python -m tools.harvest.names_by_release FOLDER` fetches the wheels by pip, one at a time, keeps their Python files in FOLDER and
writes the tables. It takes ten minutes and 4 GB of traffic the first time; what is in FOLDER is not fetched again.
"""

from __future__ import annotations

import ast
import re
import subprocess
import sys
import tempfile
import warnings
import zipfile
from collections.abc import Iterable, Iterator
from pathlib import Path

RELEASES = {
    "tensorflow": {
        "1.15.0": "3.7", "2.0.4": "3.7", "2.1.4": "3.7", "2.2.3": "3.7", "2.3.4": "3.7", "2.4.4": "3.7", "2.5.3": "3.8", "2.6.5": "3.8",
        "2.7.4": "3.8", "2.8.4": "3.8", "2.9.3": "3.8", "2.10.1": "3.9", "2.11.1": "3.9", "2.12.1": "3.9", "2.13.1": "3.9", "2.14.1": "3.10",
        "2.15.1": "3.10", "2.16.2": "3.10", "2.17.1": "3.10", "2.18.1": "3.11", "2.19.1": "3.11", "2.20.0": "3.11", "2.21.0": "3.11",
    },
    "keras": dict.fromkeys(
        (
            "2.2.5", "2.3.1", "2.4.3", "2.6.0", "2.7.0", "2.8.0", "2.9.0", "2.10.0", "2.11.0", "2.12.0", "2.13.1", "2.14.0", "2.15.0",
            "3.0.5", "3.1.1", "3.2.1", "3.3.3", "3.4.1", "3.5.0", "3.6.0", "3.7.0", "3.8.0", "3.9.2", "3.10.0", "3.11.3", "3.12.0",
        ),
        "3.11",
    ),
}  # fmt: skip
"""The last patch of each minor, with a Python that it has a wheel for."""
_WITHOUT_CPU = ("2.0.4", *(f"1.{minor}.{1 if minor == 13 else 0}" for minor in range(5, 15)))
"""These have no package tensorflow-cpu: tensorflow is without CUDA then, but in 2.0.4."""
OUT = Path(__file__).parents[2] / "tfdoctor" / "knowledge" / "messages" / "names"
_PLATFORMS = (
    "manylinux1_x86_64", "manylinux2010_x86_64", "manylinux2014_x86_64", "manylinux_2_17_x86_64", "manylinux_2_27_x86_64", "any",
)  # fmt: skip
_KEPT = ("python", "lite", "core", "compiler", "tools", "examples", "dtensor")
_LEFT_OUT = re.compile(
    r"/contrib/.|/tests?/|test_util|testdata|_test\.py$|/_api/v[12]/compat/|/integration_test|/benchmarks?/"
)
_FUTURE = {"absolute_import", "division", "print_function", "unicode_literals"}
Names = dict[str, set[str]]


def unpacked(folder: Path, package: str, version: str, python: str) -> Path:
    """The Python files and the list of all files (LISTING) of one wheel."""
    out = folder / f"{package}-{version}"
    if out.exists():
        return out
    name = "tensorflow-cpu" if package == "tensorflow" and version not in _WITHOUT_CPU else package
    abi = f"cp{python.replace('.', '')}{'m' if python in ('3.6', '3.7') else ''}"
    where = [word for each in _PLATFORMS for word in ("--platform", each)]
    with tempfile.TemporaryDirectory() as fetched:
        command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--no-cache-dir", "--only-binary=:all:", "--python-version", python]  # fmt: skip
        subprocess.run([*command, "--abi", abi, "--abi", "none", *where, "--dest", fetched, f"{name}=={version}"], check=True)  # fmt: skip
        with zipfile.ZipFile(next(Path(fetched).glob("*.whl"))) as wheel:
            half = folder / f"{out.name}.half"
            wheel.extractall(half, [each for each in wheel.namelist() if each.endswith(".py")])
            (half / "LISTING").write_text("\n".join(wheel.namelist()))
    half.rename(out)
    return out


def defined(source: str, *, imports: bool) -> set[str]:
    """What a module's own statements give a name to, those of if, try and with among them."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        tree = ast.parse(source)
    found = {each for each in _names(tree.body, imports) if not each.startswith("_") or each.startswith("__internal")}  # fmt: skip
    return found - _FUTURE


def _names(body: Iterable[ast.stmt], imports: bool) -> Iterator[str]:
    for each in body:
        if isinstance(each, (ast.FunctionDef, ast.ClassDef)):
            yield each.name
        elif isinstance(each, (ast.Assign, ast.AnnAssign)):
            targets = each.targets if isinstance(each, ast.Assign) else [each.target]
            yield from (
                one.id
                for target in targets
                for one in ast.walk(target)
                if isinstance(one, ast.Name)
            )
        elif isinstance(each, (ast.Import, ast.ImportFrom)) and imports:
            yield from (
                (one.asname or one.name).partition(".")[0] for one in each.names if one.name != "*"
            )
        elif isinstance(each, (ast.If, ast.Try, ast.With)):
            for part in ("body", "orelse", "finalbody"):
                yield from _names(getattr(each, part, ()), imports)


def modules(root: Path) -> dict[str, Path | None]:
    """Every module of a wheel by its dotted name; None where it is compiled."""
    found: dict[str, Path | None] = {}
    for line in (root / "LISTING").read_text().splitlines():
        name = line.replace("tensorflow_core/", "tensorflow/")
        if name.endswith((".py", ".so")) and not _LEFT_OUT.search(name):
            stem = name.partition(".")[0].removesuffix("/__init__").replace("/", ".")
            found[stem] = root / line if line.endswith(".py") else None
    return found


def public(module: str, api: str) -> str | None:
    """ "tensorflow.io" for the file that stands for it in this release; None for a file of another kind."""
    for prefix in (
        f"tensorflow._api.{api}",
        "tensorflow.python.keras.api._v2.keras",
        "tensorflow.keras",
        "keras.api._v2.keras",
        "keras._tf_keras.keras",
        "keras.api._tf_keras.keras",
    ):
        if module == prefix or module.startswith(f"{prefix}."):
            rest = module.removeprefix(prefix)
            top = "tensorflow.keras" if prefix.endswith("keras") else "tensorflow"
            return None if rest.startswith(".compat.") else top + rest
    return None


def of_tensorflow(root: Path, version: str, keras: Path | None) -> Names:
    """Modules with their names: the public ones, and the inner ones below tensorflow."""
    every = modules(root)
    api = "v1" if version.startswith("1.") else "v2"
    found: Names = {}
    for module, file in (*every.items(), *(modules(keras).items() if keras else ())):
        if (shown := public(module, api)) is not None and file is not None:
            found.setdefault(shown, set()).update(defined(file.read_text("utf-8"), imports=True))
    for module, file in every.items():
        part = module.split(".")[1] if module.startswith("tensorflow.") else ""
        if part in _KEPT and ".keras.api." not in module:
            text = (
                file.read_text("utf-8") if file is not None and part in ("python", "lite") else ""
            )
            found[module] = found.get(module, set()) | defined(
                text, imports=text and file is not None and file.name == "__init__.py"
            )
    top = every.get("tensorflow")
    if top is not None:
        found.setdefault("tensorflow", set()).update(
            defined((root / _top(root)).read_text("utf-8"), imports=True)
        )
    return found


def _top(root: Path) -> str:
    return (
        "tensorflow_core/__init__.py"
        if (root / "tensorflow_core").exists()
        else "tensorflow/__init__.py"
    )


def of_keras(root: Path) -> Names:
    """Also by the public name, where a release keeps its public modules below keras.api."""
    found: Names = {}
    for module, file in modules(root).items():
        if (
            file is None
            or not f"{module}.".startswith("keras.")
            or "_tf_keras" in module
            or ".api._v" in module
        ):
            continue
        names = defined(file.read_text("utf-8"), imports=file.name == "__init__.py")
        for each in {module, module.replace("keras.api", "keras", 1)}:
            found.setdefault(each, set()).update(names)
    return found


def table(by_release: dict[str, Names]) -> str:
    """The releases; then a line for each module, and below it one for each name that was not there all its time."""
    order = list(by_release)
    lines = [f"# {' '.join(map(_minor, order))}"]
    for module in sorted({each for names in by_release.values() for each in names}):
        there = [each for each in order if module in by_release[each]]
        lines.append(f"{module} {_spans(there, order)}")
        for name in sorted({each for release in there for each in by_release[release][module]}):
            having = [each for each in there if name in by_release[each][module]]
            if len(having) < len(there) and f"{module}.{name}" not in by_release[having[0]]:
                lines.append(f" {name} {_spans(having, order)}")
    return "\n".join(lines) + "\n"


def _spans(having: list[str], order: list[str]) -> str:
    """ "2.1-2.4,2.6-": runs of releases; an open end where the last known one has it."""
    spans: list[list[str]] = []
    for each in having:
        if spans and order.index(each) == order.index(spans[-1][1]) + 1:
            spans[-1][1] = each
        else:
            spans.append([each, each])
    return ",".join(
        f"{_minor(first)}-{'' if last == order[-1] else _minor(last)}" for first, last in spans
    )


def _minor(version: str) -> str:
    return ".".join(version.split(".")[:2])


def main(folder: Path) -> None:
    every = {
        package: {
            version: unpacked(folder, package, version, python)
            for version, python in versions.items()
        }
        for package, versions in RELEASES.items()
    }
    by_minor = {_minor(version): root for version, root in every["keras"].items()}
    newest = list(every["keras"].values())[-1]
    read = {
        version: of_tensorflow(
            root,
            version,
            by_minor.get(_minor(version)) if _minor(version) not in ("2.2", "2.3", "2.4") else None,
        )
        if not _is_keras_3(version)
        else of_tensorflow(root, version, newest)
        for version, root in every["tensorflow"].items()
    }
    OUT.mkdir(exist_ok=True)
    (OUT / "tensorflow.txt").write_text(table(read))
    (OUT / "keras.txt").write_text(
        table({version: of_keras(root) for version, root in every["keras"].items()})
    )


def _is_keras_3(version: str) -> bool:
    return tuple(map(int, version.split(".")[:2])) >= (2, 16)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
