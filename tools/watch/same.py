"""Whole answers of one commit, compared with those of another: `make same-record DIR=...`, then `make same DIR=...`.

`record` keeps the inputs together with the answers, so that a comparison needs neither the tests nor the samples of the
commit that was recorded. An input is a command line with its files; an answer is the exit status, the JSON document and the
text for a terminal of 80 columns. No recording is committed.
"""

from __future__ import annotations

import argparse
import difflib
import gc
import gzip
import hashlib
import json
import os
import re
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tools.build.knowledge import build, is_fresh

ROOT = Path(__file__).parents[2]
PASSING = (
    "generated_at",
    "duration_s",
    "tool",
    "matrix",
)  # of a document: they say when and with what it was made
_WHEN = re.compile(r" · [\d.]+ s$", re.MULTILINE)
LOG, FACTS = "log.txt", "report.json"


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tools.watch.same")
    parser.add_argument("what", choices=("record", "compare"))
    parser.add_argument("folder", type=Path, help="where the recording is kept")
    parser.add_argument(
        "--only",
        default="",
        help="inputs whose names begin with this (diagnose:public, check:scenarios)",
    )
    parser.add_argument("--every", type=int, default=1, help="one input of so many")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--show", type=int, default=20, help="differences that are printed whole")
    given = parser.parse_args()
    if given.what == "record":
        inputs = collected()
        given.folder.mkdir(parents=True, exist_ok=True)
        _write(given.folder / "inputs.json.gz", inputs)
        _write(given.folder / "answers.json.gz", answers(inputs, given.jobs))
        print(f"recorded: {_counts(inputs)}")
        return 0
    inputs = {
        name: each
        for name, each in _read(given.folder / "inputs.json.gz").items()
        if name.startswith(given.only)
    }
    inputs = dict(list(inputs.items())[:: given.every])
    before = _read(given.folder / "answers.json.gz")
    return compared(before, answers(inputs, given.jobs), given.show)


def compared(before: dict[str, Any], now: dict[str, Any], show: int) -> int:
    """0 where nothing differs; what differs is printed."""
    before, now = ({name: _timeless(each) for name, each in side.items()} for side in (before, now))
    differing = [name for name in now if now[name] != before[name]]
    for name in differing[:show]:
        print(f"\n=== {name}")
        print(
            "\n".join(
                difflib.unified_diff(
                    _lines(before[name]), _lines(now[name]), "before", "now", lineterm="", n=1
                )
            )
        )
    for name in differing:
        print(f"{name}: {_headline(before[name])} -> {_headline(now[name])}")
    print(f"{len(now)} compared, {len(differing)} differ")
    return 1 if differing else 0


def _timeless(answer: dict[str, Any]) -> dict[str, Any]:
    return {**answer, "text": _WHEN.sub("", answer["text"])}


def _lines(answer: dict[str, Any]) -> list[str]:
    document = json.dumps(answer["json"], indent=1, ensure_ascii=False) if answer["json"] else ""
    return [f"status {answer['status']}", *document.splitlines(), *answer["text"].splitlines()]


def _headline(answer: dict[str, Any]) -> str:
    document = answer["json"] or {}
    told = document.get("diagnoses") or document.get("findings") or []
    return ", ".join(each["code"] for each in told if each.get("role") == "root") or document.get(
        "verdict", "no document"
    )


def answers(inputs: dict[str, Any], jobs: int) -> dict[str, Any]:
    """By the input's name. Each is given by a fork of this process, so that none sees what another left behind."""
    if not is_fresh():
        build()
    _warm()
    gc.collect()
    gc.freeze()  # so that the forks share what was loaded
    running: dict[int, str] = {}
    found: dict[str, Any] = {}
    for name in inputs:
        running[_begin(inputs[name])] = name
        if len(running) >= jobs:
            _one_ends(running, found)
    while running:
        _one_ends(running, found)
    return {name: found[name] for name in inputs}


_FOLDERS: dict[int, str] = {}


def _begin(given: dict[str, Any]) -> int:
    folder = tempfile.mkdtemp(prefix="same-")
    for name, text in given["files"].items():
        Path(folder, name).write_bytes(text.encode("utf-8", "surrogateescape"))
    child = os.fork()
    if child == 0:
        _both(folder, given["argv"])
    _FOLDERS[child] = folder
    return child


def _both(folder: str, argv: list[str]) -> None:
    """The two runs of an input, each in a child of its own."""
    os.chdir(folder)
    os.environ.clear()
    os.environ.update(PATH="/usr/bin:/bin", HOME=folder, LANG="C.UTF-8", COLUMNS="80")
    for form, options in (("json", ["--json"]), ("text", [])):
        child = os.fork()
        if child == 0:
            for number, name in ((1, form), (2, f"{form}.err")):
                os.dup2(os.open(name, os.O_WRONLY | os.O_CREAT), number)
            os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
            sys.argv[:] = ["tfdoctor", *argv, *options]
            from tfdoctor.apps.cli.entry import main as entry

            entry()
        Path(f"{form}.status").write_text(str(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])))
    os._exit(0)


def _one_ends(running: dict[int, str], found: dict[str, Any]) -> None:
    child, _ = os.wait()
    if child not in running:
        return
    folder = Path(_FOLDERS.pop(child))
    said = {
        form: (folder / form).read_text("utf-8", "replace")
        for form in ("json", "text", "json.err", "text.err")
    }
    try:
        document = json.loads(said["json"])
    except ValueError:
        document = None
    found[running.pop(child)] = {
        "status": (folder / "json.status").read_text(),
        "json": {key: value for key, value in document.items() if key not in PASSING}
        if document
        else None,
        "text": said["text"]
        + said["text.err"]
        + ("" if document else said["json"] + said["json.err"]),
    }
    for each in folder.iterdir():
        if each.is_file():
            each.unlink()
    if not any(folder.iterdir()):
        folder.rmdir()


def _warm() -> None:
    """Loads what nearly every input needs, once."""
    from contextlib import suppress
    from importlib import import_module

    for path in sorted((ROOT / "tfdoctor").rglob("*.py")):
        module = ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")
        if not module.startswith(
            (
                "tfdoctor.apps.jupyter",
                "tfdoctor.keras",
                "tfdoctor.__main__",
                "tfdoctor.ask.probes.workers",
            )
        ):
            with suppress(ImportError, SystemExit):
                import_module(module)


def collected() -> dict[str, Any]:
    """The kept public logs, the samples, the texts inside the tests, the scenarios, machines and cases of facts."""
    inputs: dict[str, Any] = {}
    for name, text in (*_public(), *_recordings(), *_samples()):
        inputs[f"diagnose:{name}"] = {"argv": ["diagnose", LOG], "files": {LOG: text}}
    inputs.update(_of_tests())
    inputs.update(_checks())
    return inputs


def _public() -> Iterator[tuple[str, str]]:
    import yaml

    for path in sorted((ROOT / "tests/public/logs").glob("*.yaml")):
        yield f"public/{path.stem}", yaml.safe_load(path.read_text("utf-8"))["log"]


def _recordings() -> Iterator[tuple[str, str]]:
    for path in sorted((ROOT / "tests/recordings").glob("2.*/*.log")):
        yield (
            f"recordings/{path.parent.name}-{path.stem}",
            path.read_bytes().decode("utf-8", "surrogateescape"),
        )


def _samples() -> Iterator[tuple[str, str]]:
    from tools.build.knowledge import entries

    for each in entries():
        for number, sample in enumerate(each.samples):
            yield f"samples/{each.name}-{number}", sample + "\n"


def _of_tests() -> dict[str, Any]:
    """The texts that the tests of logs have judged."""
    import pytest

    import tests.logs.judged as judging
    from tfdoctor.facts.codec import to_json

    found: dict[str, Any] = {}
    real = judging.judged

    def kept(text: str | bytes, *more: str, report: Any = None, **options: Any) -> Any:
        files, names = {}, []
        for number, each in enumerate((text, *more)):
            name = LOG if number == 0 else f"{number}.txt"
            files[name] = (
                each.decode("utf-8", "surrogateescape") if isinstance(each, bytes) else each
            )
            names.append(name)
        argv = ["diagnose", *names]
        if report is not None:
            files[FACTS] = json.dumps(_report(to_json(report)))
            argv += ["--facts", FACTS]
        if sum(map(len, files.values())) < 300_000:
            key = hashlib.sha256(json.dumps([argv, files]).encode("utf-8", "replace")).hexdigest()[
                :12
            ]
            found.setdefault(f"diagnose:tests/{key}", {"argv": argv, "files": files})
        return real(text, *more, report=report, **options)

    judging.judged = kept
    pytest.main(
        [
            "-q",
            "-p",
            "no:cacheprovider",
            "-p",
            "no:xdist",
            "-m",
            "not slow and not real",
            "tests/logs",
        ]
    )
    judging.judged = real
    return dict(sorted(found.items()))


def _checks() -> dict[str, Any]:
    from tests.scenarios.conftest import all_scenarios, whole_machines

    found = {}
    for each in (*all_scenarios(), *(each for each in whole_machines() if each.code != "_seen")):
        argv = ["check", "--facts", FACTS]
        if (wanted := each.said.get("require_gpu")) is not None:
            argv.append("--require-gpu" if wanted else "--no-require-gpu")
        files = {FACTS: json.dumps(_report(each.document()))}
        if ram := each.said.get("min_free_ram"):
            files["tfdoctor.toml"] = f"min-free-memory = {ram}\n"
        found[f"check:scenarios/{each.name}"] = {"argv": argv, "files": files}
    for path in sorted((ROOT / "tests/machines").glob("*/report.json")):
        found[f"check:machines/{path.parent.name}"] = {
            "argv": ["check", "--facts", FACTS],
            "files": {FACTS: path.read_text("utf-8")},
        }
    for name in sorted(path.stem for path in (ROOT / "tests/public/cases").glob("*.yaml")):
        found[f"check:cases/{name}"] = {
            "argv": ["check", "--facts", FACTS],
            "files": {FACTS: json.dumps(_report(_case_facts(name)))},
        }
    return found


def _case_facts(name: str) -> dict[str, Any]:
    import yaml

    said = yaml.safe_load((ROOT / f"tests/public/cases/{name}.yaml").read_text("utf-8"))
    base: dict[str, Any] = json.loads(
        (ROOT / f"tests/public/_{said['base']}.json").read_text("utf-8")
    )
    return {**base, **(said["facts"] or {})}


def _report(facts: dict[str, Any]) -> dict[str, Any]:
    document: dict[str, Any] = json.loads(
        (ROOT / "tests/machines/healthy-gpu/report.json").read_text("utf-8")
    )
    return {**document, "facts": facts}


def _counts(inputs: dict[str, Any]) -> str:
    return ", ".join(
        f"{count} {kind}" for kind, count in Counter(name.split("/")[0] for name in inputs).items()
    )


def _write(path: Path, document: dict[str, Any]) -> None:
    with gzip.open(path, "wt", encoding="utf-8", errors="surrogatepass") as file:
        json.dump(document, file)


def _read(path: Path) -> dict[str, Any]:
    with gzip.open(path, "rt", encoding="utf-8", errors="surrogatepass") as file:
        found: dict[str, Any] = json.load(file)
    return found


if __name__ == "__main__":
    sys.exit(main())
