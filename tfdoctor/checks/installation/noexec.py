"""Whether TensorFlow's libraries are where the system forbids to run code."""

from __future__ import annotations

from tfdoctor.checks.engine.case import Ability, Case, Found, check
from tfdoctor.checks.engine.evidence import evidence
from tfdoctor.checks.questions.stage_output import FOLLOWS, words
from tfdoctor.findings.fix import fix
from tfdoctor.findings.model import Confidence, Fix
from tfdoctor.fixes.commands import check_again, quoted
from tfdoctor.fixes.driver import sudo


@check("noexec-mount", prevents=Ability.IMPORT, explains=(*FOLLOWS, "memory-limit-too-small"))
def noexec_mount(case: Case) -> Found | None:
    """TensorFlow is on a mount that forbids to run code from it."""
    mount = case.need(case.facts.tensorflow.noexec_mount)
    text = words(case.facts, "noexec-mount", "map-segment")
    return Found(
        f"{mount} is mounted with `noexec`, so the loader may read TensorFlow's libraries and not run them. The same sentence comes "
        "where memory lacks; here it is the mount.",
        (evidence(case, "tensorflow.noexec_mount", "a mount without noexec"), *((text,) if text else ())),
        (
            fix("make-environment-on-another-mount"),
            Fix(
                "Allow code on this mount",
                (sudo(case.facts, quoted("mount", "-o", "remount,exec", mount)),),
                "Until the next mount; /etc/fstab makes it last. On a shared machine the option is often set on purpose. "
                f"`{check_again(case.facts)}` afterwards shows that it helped.",
            ),
        ),
        Confidence.CERTAIN if text else Confidence.LIKELY,
    )
