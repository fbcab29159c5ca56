"""The matrix as `matrix show` prints it: for people, and as JSON."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from tfdoctor.facts.outcome import Absent, AnyFact, Known, value_or
from tfdoctor.knowledge.matrix.cells import FIELDS, ORDER, Order, Row, cell, cells
from tfdoctor.knowledge.matrix.model import Release, Source
from tfdoctor.knowledge.matrix.query import Matrix
from tfdoctor.knowledge.matrix.tables import concerns


def shown(matrix: Matrix, chosen: Iterable[Row]) -> dict[str, Any]:
    """These rows and the tables beside them. A field that is unknown is left out, as is one without meaning."""
    found = list(chosen)
    document = matrix.document
    order = Order(document["releases"]["tensorflow"][ORDER])
    releases = {row.release for row in found}
    return {
        "version": matrix.version,
        "releases": [_release(matrix, row) for row in found],
        "cuda": [_cuda(matrix, each) for each in document["cuda"]["rows"]],
        "cudnn": [
            _cited(matrix, each, each.get("source", document["cudnn"]["source"]))
            for each in document["cudnn"]["rows"]
        ],
        "cudnn_bugs": [
            _cited(matrix, each, each["source"]) for each in document["cudnn"].get("bugs", ())
        ],
        "gpus": [
            {
                "name": name,
                "compute_capability": capability,
                "sources": _all(matrix, document["gpus"]["source"]),
            }
            for capability, names in document["gpus"]["names"].items()
            for name in names
        ],
        "gpu_drivers": [
            {
                **{key: value for key, value in each.items() if key != "sources"},
                "sources": {
                    field: _source(matrix.sources[name]) for field, name in each["sources"].items()
                },
            }
            for each in document["gpus"].get("drivers", ())
        ],
        "gpu_listed": [
            _cited(matrix, each, each["source"]) for each in document["gpus"].get("listed", ())
        ],
        "containers": [
            _cited(matrix, each, each["source"]) for each in document.get("containers", ())
        ],
        "nvidia_wheels": [
            {"package": package, **stated, "sources": _all(matrix, document["nvidia"]["source"])}
            for package, stated in document["nvidia"]["packages"].items()
        ],
        "defects": [
            _cited(matrix, each, each["source"])
            for each in document["defects"]
            if any(concerns(each, order, release) for release in releases)
        ],
        "runtime": {
            package: [_cited(matrix, each, each.get("source", "")) for each in rows]
            for package, rows in document["runtime"].items()
        },
    }


def _release(matrix: Matrix, row: Row) -> dict[str, Any]:
    document = matrix.document
    found = cells(document["releases"], document["fields"], row)
    told = {name: here for name, here in found.items() if here.value not in (None, "", {})}
    return {
        "tensorflow": row.release,
        "distribution": row.distribution,
        "platform": row.platform,
        **{name: here.value for name, here in told.items()},
        "sources": {
            name: _source(matrix.sources[here.source], here.disagrees)
            for name, here in told.items()
        },
    }


def _cuda(matrix: Matrix, stated: Mapping[str, Any]) -> dict[str, Any]:
    source = stated.get("source", matrix.document["cuda"]["source"])
    driver = stated["driver"]
    return {
        "version": stated["version"],
        "driver_min": stated.get("driver_min", driver),
        "driver_for_ptx": driver,
        "ptx_isa": stated["ptx_isa"],
        "compute_capabilities": stated.get("compute_capabilities", []),
        "sources": _all(matrix, source),
    }


def _cited(matrix: Matrix, stated: Mapping[str, Any], source: str) -> dict[str, Any]:
    row = {key: value for key, value in stated.items() if key != "source"}
    return {**row, "sources": _all(matrix, source)} if source else row


def _all(matrix: Matrix, source: str) -> dict[str, Any]:
    """The sources of a row whose cells all have the same."""
    return {"*": _source(matrix.sources[source])}


def _source(source: Source, disagrees: str = "") -> dict[str, str]:
    cited = {"source": source.text, "date": source.date, "kind": source.kind}
    return {**cited, "disagrees": disagrees} if disagrees else cited


COLUMNS = ("release", "distribution", "platform", "gpu", "python", "cuda", "cudnn")
_OF_A_VERSION = ("TensorFlow", "Python", "CUDA", "cuDNN", "driver", "GPUs")


def versions(matrix: Matrix, platform: str) -> str:
    """One line for each version on this platform, the newest first."""
    lines = [_OF_A_VERSION]
    for release in matrix.releases(platform):
        cuda = (_known(release.cuda), _known(release.cudnn), _driver(matrix, release))
        lines.append((release.tensorflow, _span(release), *cuda, _range_of_gpus(release)))
    return _printable([
        *_table(lines),
        "",
        "GPUs by compute capability; +: newer ones compile at start",
        f"{platform} · matrix {matrix.version} ({matrix.origin})",
        "One version: tfdoctor matrix show 2.21.0; every wheel: --all",
    ])  # fmt: skip


def version(matrix: Matrix, release: Release) -> str:
    """What one version needs on one platform, on one screen, with its sources as footnotes."""
    notes: dict[str, int] = {}

    def cited(*fields: str) -> str:
        marks = [
            notes.setdefault(str(release.sources[field]), len(notes) + 1)
            for field in fields
            if field in release.sources
        ]
        return "".join(f" [{mark}]" for mark in dict.fromkeys(marks))

    rows = [("Python", _span(release) + cited("python"))]
    if isinstance(release.cuda, Known):
        rows += [
            (
                "CUDA",
                f"{_known(release.cuda)}, cuDNN {_known(release.cudnn)}" + cited("cuda", "cudnn"),
            ),
            ("Driver", f"{_driver(matrix, release)} or newer"),
            ("GPUs", _gpus(release) + cited("sass", "ptx")),
        ]
    else:
        rows.append(("GPUs", "none: this wheel computes on the CPU alone" + cited("gpu")))
    if isinstance(release.glibc, Known):
        rows.append(("glibc", f"{release.glibc.value} or newer" + cited("glibc")))
    extra = (
        "[and-cuda]"
        if isinstance(release.and_cuda, Known) and isinstance(release.cuda, Known)
        else ""
    )
    rows.append(
        ("Install", f"python -m pip install '{release.distribution}{extra}=={release.tensorflow}'")
    )
    rows += [
        ("Known", f"{each.text}{_note(notes, each.source)}")
        for each in matrix.defects(release.tensorflow)
    ]
    others = sorted(
        row.platform for row in matrix.rows if row[:2] == (release.tensorflow, release.distribution)
    )
    heading = f"{release.distribution} {release.tensorflow} on {release.platform}"
    return _printable(
        [
            heading,
            "",
            *(f"  {label:<8} {text}" for label, text in rows),
            "",
            *(f"[{number}] {source}" for source, number in notes.items()),
            f"Wheels: {', '.join(others)} · matrix {matrix.version} · --all: every cell",
        ]
    )


def _note(notes: dict[str, int], source: str) -> str:
    return f" [{notes.setdefault(source, len(notes) + 1)}]"


def _span(release: Release) -> str:
    pythons = [str(each) for each in value_or(release.python, ())]
    return f"{pythons[0]}–{pythons[-1]}" if len(pythons) > 1 else "".join(pythons) or "?"


def _known(fact: AnyFact) -> str:
    return str(fact.value) if isinstance(fact, Known) else "–" if isinstance(fact, Absent) else "?"


def _driver(matrix: Matrix, release: Release) -> str:
    if not isinstance(release.cuda, Known):
        return "–"
    os = "windows" if release.platform.startswith("win") else "linux"
    return _known(matrix.driver_floor(release.cuda.value, os))


def _range_of_gpus(release: Release) -> str:
    """From the oldest to the newest generation that the build has code for; + where it has PTX for newer ones."""
    binaries = value_or(release.sass, ())
    return (
        f"{binaries[0]}–{binaries[-1]}{'+' * bool(value_or(release.ptx, ()))}" if binaries else "–"
    )


def _gpus(release: Release) -> str:
    binaries = value_or(release.sass, ())
    if not binaries:
        return "–"
    shown, ptx = ", ".join(map(str, binaries)), value_or(release.ptx, ())
    return f"{shown}; newer from PTX {ptx[-1]}" if ptx else shown


def _table(lines: Sequence[Sequence[str]]) -> list[str]:
    widths = [max(len(line[at]) for line in lines) for at in range(len(lines[0]))]
    return [
        "  ".join(text.ljust(width) for text, width in zip(line, widths, strict=True)).rstrip()
        for line in lines
    ]


def listing(matrix: Matrix, chosen: Iterable[Row]) -> str:
    """One line for each wheel, the newest release last, so that it stands next to the prompt."""
    order = {
        release: at for at, release in enumerate(matrix.document["releases"]["tensorflow"]["order"])
    }
    lines = [COLUMNS]
    for row in sorted(
        chosen, key=lambda row: (order.get(row.release, 0), row.distribution, row.platform)
    ):
        found = {name: _value(matrix, row, name) for name in ("gpu", "python", "cuda", "cudnn")}
        pythons = found["python"] or []
        python = f"{pythons[0]}-{pythons[-1]}" if len(pythons) > 1 else "".join(pythons)
        gpu = {True: "yes", False: "no"}.get(found["gpu"], "?")
        lines.append((*row, gpu, python, found["cuda"] or "-", found["cudnn"] or "-"))
    return _printable([f"matrix {matrix.version} ({matrix.origin})", *_table(lines)])


def release_text(matrix: Matrix, chosen: Iterable[Row]) -> str:
    """Every cell of these rows with its source, and the known defects."""
    lines: list[str] = []
    rows = list(chosen)
    for row in rows:
        lines += [f"{row.distribution} {row.release} on {row.platform}"]
        for field in FIELDS:
            here = cell(matrix.document["releases"], matrix.document["fields"], row, field)
            if here.value is None or here.value in ("", {}):
                continue
            source = matrix.sources[here.source]
            lines.append(f"  {field}: {_text(here.value)}  [{source}]")
            if here.disagrees:
                lines.append(f"    against it: {here.disagrees}")
        lines.append("")
    for release in dict.fromkeys(row.release for row in rows):
        lines += [
            f"known of {release}: {each.text}  [{each.source}]" for each in matrix.defects(release)
        ]
    return _printable(lines)


def _value(matrix: Matrix, row: Row, field: str) -> Any:
    return cell(matrix.document["releases"], matrix.document["fields"], row, field).value


def _text(value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, list):
        return ", ".join(_text(each) for each in value) or "none"
    if isinstance(value, dict):
        return ", ".join(f"{name} {_text(each)}".rstrip() for name, each in value.items())
    return str(value)


def _printable(lines: list[str]) -> str:
    """Text of a matrix file is data: what could steer a terminal is replaced."""
    return "".join(
        "".join(each if each.isprintable() else "?" for each in line) + "\n" for line in lines
    )
