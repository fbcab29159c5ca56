"""A report as one JSON document, `schema_version` "1.0"."""

from __future__ import annotations

import json
import math
from typing import Any


def render_json(document: Any) -> str:
    """UTF-8 text that ends in a newline, valid for every reader: no NaN, no lone surrogates."""
    try:
        text = json.dumps(document, ensure_ascii=False, indent=2, allow_nan=False)
        text.encode("utf-8")
    except UnicodeEncodeError:
        text = json.dumps(document, ensure_ascii=True, indent=2)
    except ValueError:
        return render_json(_finite(document))
    return text + "\n"


def _finite(value: Any) -> Any:
    """JSON has no NaN and no infinity: as a fact they could not be found out, elsewhere they are null."""
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, list):
        return [_finite(item) for item in value]
    if isinstance(value, dict):
        stated = value.get("value")
        if value.get("status") == "known" and isinstance(stated, float) and not math.isfinite(stated):
            return {"status": "failed", "error": f"{stated} is no finite number"}
        return {key: _finite(item) for key, item in value.items()}
    return value
