"""Acme's rules."""

from __future__ import annotations

from tfdoctor.judge.interface import Ability, Case, Found, act, check, evidence, found_by, says

NEEDED = 570
"""The oldest branch of the driver that Acme's base image supports."""


@check("acme/old-driver", blocks=Ability.NOTHING)
def old_driver(case: Case) -> Found | None:
    """The driver of one of Acme's images is of a branch that the image does not support."""
    image = found_by(case, "acme/image")
    driver = case.need(case.facts.driver.version)
    branch = int(str(driver).partition(".")[0])
    if branch >= NEEDED:
        return None
    return Found(
        says("acme/old-driver", "found", image=image, driver=driver, needed=NEEDED),
        (evidence(case, "driver.version", f"≥ {NEEDED}", "Acme's support matrix, 2026-11"),),
        (act("install-driver", "acme/driver"),),
    )
