"""The command that applies the first fix of an answer, where `tfdoctor fix` would not refuse it."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Sequence

from tfdoctor.base.fix_files import NEW
from tfdoctor.facts.model import Facts
from tfdoctor.fix.kernel import KERNEL_JSON
from tfdoctor.knowledge.model import Confidence, Finding, Fix, Role, Severity

KINDS = ("change-packages", "reinstall", NEW)


def applicable(fix: Fix) -> bool:
    """Whether it is of a kind that can be tried in a clone, and its action says all of it."""
    return (
        fix.applies
        and fix.action is not None
        and (fix.where == KERNEL_JSON or fix.action.kind in KINDS)
    )


def offered(
    findings: Sequence[Finding], facts: Facts, target: Sequence[str], code: str = ""
) -> Fix | None:
    """Of the first cause's first fix; None where it can't be applied. `target`: how the user named the environment; `code`: what is to
    be fixed there, if it need not be what comes first.
    """
    root = next((each for each in findings if each.role is Role.ROOT), None)
    if root is None or not root.fixes or not applicable(root.fixes[0]) or sys.platform != "linux":
        return None
    if root.severity is Severity.INFO or root.confidence is not Confidence.CERTAIN:
        return None
    from tfdoctor.apps.repair.environment import refusal_at_a_glance

    refused = refusal_at_a_glance(facts, root.fixes[0])
    if refused is None:
        words: tuple[str, ...] = (
            shlex.join(["tfdoctor", "fix", *([code] if code else []), *target]),
        )
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
