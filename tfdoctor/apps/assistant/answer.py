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


_WHOLE_OPTIONS = 3


def shortened(plan: dict[str, Any]) -> dict[str, Any]:
    """A plan that an assistant can read whole: the best options, the names of the others, and each reason once with its versions."""
    options = plan["options"]
    reasons: dict[str, list[str]] = {}
    for each in plan["excluded"]:
        reasons.setdefault(json.dumps(each["because"]), []).append(each["tensorflow"])
    excluded = [
        {"tensorflow": names, "because": json.loads(because)} for because, names in reasons.items()
    ]
    also = [each["tensorflow"] for each in options[_WHOLE_OPTIONS:]]
    plan = {key: each for key, each in plan.items() if key != "$schema"}  # which says it otherwise
    return {**plan, "options": options[:_WHOLE_OPTIONS], "also_works": also, "excluded": excluded}
