"""A report as one JSON document, `schema_version` "1.0"."""

from __future__ import annotations

import json
import math
from typing import Any

from tfdoctor.say.clean import escape_in_json


def render_json(document: dict[str, Any]) -> str:
    """UTF-8 text that ends in a newline, valid for every reader: no NaN, no lone surrogates.

    One line for each fact and each finding: people can look for a line and compare two reports, and the fast
    encoder of the standard library does nearly all of the work.
    """
    try:
        text = _lines(document, ensure_ascii=False)
        text.encode("utf-8")
    except UnicodeEncodeError:
        text = _lines(document, ensure_ascii=True)
    except ValueError:
        return render_json(_finite(document))
    return escape_in_json(text)


def _lines(document: dict[str, Any], *, ensure_ascii: bool) -> str:
    def dump(value: Any) -> str:
        return json.dumps(value, ensure_ascii=ensure_ascii, allow_nan=False)

    parts = []
    for key, value in document.items():
        if value and isinstance(value, dict):
            inner = ",\n".join(f"    {dump(name)}: {dump(item)}" for name, item in value.items())
            parts.append(f"  {dump(key)}: {{\n{inner}\n  }}")
        elif value and isinstance(value, list):
            inner = ",\n".join(f"    {dump(item)}" for item in value)
            parts.append(f"  {dump(key)}: [\n{inner}\n  ]")
        else:
            parts.append(f"  {dump(key)}: {dump(value)}")
    return "{\n" + ",\n".join(parts) + "\n}\n"


def _finite(value: Any) -> Any:
    """JSON has no NaN and no infinity: as a fact they could not be found out, elsewhere they are null."""
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, list):
        return [_finite(item) for item in value]
    if isinstance(value, dict):
        stated = value.get("value")
        if (
            value.get("status") == "known"
            and isinstance(stated, float)
            and not math.isfinite(stated)
        ):
            return {
                "status": "failed",
                "kind": "unreadable",
                "error": f"{stated} is no finite number",
            }
        return {key: _finite(item) for key, item in value.items()}
    return value
