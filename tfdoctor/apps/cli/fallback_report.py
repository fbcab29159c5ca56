"""The answer of an examination that could not give one: what it had found, and why it ended.

Made in another child with a short clock, for it is made of the same foreign texts that may have been too much. Where
that fails, too, the answer is a document that holds no foreign text at all.
"""

from __future__ import annotations

import contextlib
import os
import signal
import sys
import time
from typing import Any

from tfdoctor.base.forked import Child, listen
from tfdoctor.base.units import rfc3339

NO_VERDICT = 3
WRITING_S = 0.5


def answer(known: dict[str, Any], facts: dict[str, Any], why: str) -> int:
    """Writes the document in the form and to the place that were asked for. The exit status."""
    begun, judged = {**known["begun"], "matrix": known.get("matrix")}, known.get("judged")
    clear()
    signal.set_wakeup_fd(-1)  # the child below is woken by nothing
    child = Child(lambda send: send("data", written(begun, judged, facts, why)), silent=False)
    listen([child], time.monotonic() + WRITING_S)
    done, data = "data" in child.answers, child.answers.get("data", b"")
    if begun["output"]:
        if not done:
            say(f"no verdict: {why}; -o {begun['output']}: nothing could be written in time")
            return NO_VERDICT
    elif not write(data if done else plainest(begun, why)):
        return NO_VERDICT
    return int(known["status"]) if done and judged else NO_VERDICT


def written(begun: dict[str, Any], judged: Any, facts: dict[str, Any], why: str) -> bytes:
    """The document as bytes; b"" where it went into the file that was asked for."""
    from tfdoctor.apps.cli import report_output as forms
    from tfdoctor.report.report import report_from_json

    report = report_from_json(judged or unjudged(begun, facts, why))
    if begun["redact"]:
        from tfdoctor.say.redact.identity import identity
        from tfdoctor.say.redact.report import redacted

        report = redacted(report, identity(os.environ))
    data = forms.write(report, begun["form"], os.environ, to_file=bool(begun["output"]))
    if not begun["output"]:
        return data
    from tfdoctor.apps.cli.output import OutputFile

    OutputFile(begun["output"]).write(data)
    return b""


def unjudged(begun: dict[str, Any], facts: dict[str, Any], why: str) -> dict[str, Any]:
    """A report without a verdict: the facts that were found, and of the others that they could not be."""
    from tfdoctor.base.records import names
    from tfdoctor.facts.codec import to_json
    from tfdoctor.facts.model import Facts

    document = plainest_document(begun, why)
    missing = {"status": "failed", "kind": "out-of-time", "error": why}
    unknown = dict.fromkeys(to_json(Facts()), missing)
    document["facts"] = {**unknown, **facts}
    found = {path.partition(".")[0] for path in facts}
    document["probes"] = [
        {"name": name, "status": "ok" if name in found else "timeout", "duration_s": 0.0}
        for name in names(Facts)
        if name != "smoke"
    ]
    return document


def plainest(begun: dict[str, Any], why: str) -> bytes:
    """The same without a single foreign text, and without anything that takes time to import."""
    from tfdoctor.base.json_text import dumps

    if begun["form"] == "json":
        return dumps(plainest_document(begun, why)).encode() + b"\n"
    words = f"No verdict: {why}."
    if begun["form"] == "html":
        return f'<!DOCTYPE html>\n<html lang="en"><meta charset="utf-8"><title>tfdoctor</title><p>{words}</p></html>\n'.encode()
    return f"UNKNOWN  {words}\n".encode()


def plainest_document(begun: dict[str, Any], why: str) -> dict[str, Any]:
    from tfdoctor import __version__

    return {
        "schema_version": "1.0",
        "tool": {"name": "tfdoctor", "version": __version__},
        "matrix": begun.get("matrix") or _bundled_matrix(),
        "generated_at": rfc3339(),
        "duration_s": round(time.monotonic() - begun["at"], 3),
        "subject": {"python": "", "python_version": "", "environment": "", "chosen_by": ""},
        "verdict": "unknown",
        "summary": f"No verdict: {why}.",
        "findings": [],
        "undecided": [{"code": "probe-failed", "because": why}],
        "passed": [],
        "ignored": [],
        "smoke": {"requested": begun["smoke"], "stages": []},
        "facts": {},
        "probes": [],
    }


def _bundled_matrix() -> dict[str, str]:
    """The one that would have been asked; its version stands among its first words."""
    import hashlib
    from pathlib import Path

    import tfdoctor

    content = (
        Path(tfdoctor.__file__).parent / "knowledge" / "matrix" / "compat_matrix.json"
    ).read_bytes()
    version = content.partition(b'"version":')[2].lstrip()[1:].partition(b'"')[0].decode()
    return {"version": version, "sha256": hashlib.sha256(content).hexdigest(), "origin": "bundled"}


def write(data: bytes) -> bool:
    """To standard output. False where it could not be; a closed pipe ends the program quietly."""
    try:
        while data:
            data = data[os.write(1, data) :]
    except BrokenPipeError:
        signal.signal(signal.SIGPIPE, signal.SIG_DFL)
        os.kill(os.getpid(), signal.SIGPIPE)
    except OSError as error:
        say(str(error.strerror or error))
        return False
    return True


def say(words: str) -> None:
    with contextlib.suppress(OSError):
        os.write(2, f"tfdoctor: {words}\n".encode("utf-8", "replace"))


def clear() -> None:
    """Takes away the last line of a list of progress, where there may be one, and shows the cursor again."""
    if sys.stderr is not None and os.isatty(2):
        with contextlib.suppress(OSError):
            os.write(2, b"\r\x1b[K\x1b[?25h")
