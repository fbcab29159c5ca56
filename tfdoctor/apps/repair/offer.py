"""The command that applies the first fix of an answer, where `tfdoctor fix` would not refuse it."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Sequence

from tfdoctor.facts.model import Facts
from tfdoctor.knowledge.model import Confidence, Finding, Fix, Role, Severity


def offered(findings: Sequence[Finding], facts: Facts, target: Sequence[str], code: str = "") -> Fix | None:
    """Of the first cause's first fix; None where it can't be applied. `target`: how the user named the environment; `code`: what is to
    be fixed there, if it need not be what comes first.
    """
    root = next((each for each in findings if each.role is Role.ROOT), None)
    if root is None or not root.fixes or not root.fixes[0].applies or sys.platform != "linux":
        return None
    if root.severity is Severity.INFO or root.confidence is not Confidence.CERTAIN:
        return None
    from tfdoctor.apps.repair.environment import refusal_at_a_glance
    from tfdoctor.apps.repair.plan import applicable

    if not applicable(root.fixes[0]):
        return None
    refused = refusal_at_a_glance(facts, root.fixes[0])
    if refused is None:
        words: tuple[str, ...] = (shlex.join(["tfdoctor", "fix", *([code] if code else []), *target]),)
    elif refused.from_outside:
        words = refused.instead
    else:
        return None
    return Fix("Apply this fix, with undo", words)


def target(python: str, kernel: str) -> tuple[str, ...]:
    """The options by which the user named an environment."""
    if kernel:
        return ("--kernel", kernel)
    return ("--python", python) if python else ()
