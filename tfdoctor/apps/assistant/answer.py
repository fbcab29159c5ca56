"""Documents as an assistant gets them."""

from __future__ import annotations

import json
from typing import Any

from tfdoctor.base.json_text import with_texts
from tfdoctor.say.clean import clean

MOST = 400_000  # characters of JSON: what a client still takes in


class TooLarge(Exception):  # noqa: N818  # an answer to the client
    """More than a client takes."""


def answer(document: dict[str, Any]) -> dict[str, Any]:
    """The document without characters that hide or turn text around. Raises TooLarge."""
    told: dict[str, Any] = with_texts(document, clean)
    if len(json.dumps(told, ensure_ascii=False)) > MOST:
        raise TooLarge
    return told
