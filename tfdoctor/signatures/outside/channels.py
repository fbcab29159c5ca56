"""What conda and mamba say of a package that no channel has for this system."""

from __future__ import annotations

from functools import partial

from tfdoctor.signatures.signature import FACT, PIP, Signature

_fact = partial(Signature, code="", role=FACT, speaker=PIP)
_NAME = r"[A-Za-z_][\w.-]{0,80}"
_RANGE = r"[<>=!~*\d][^,;│├└]{0,30}(?:,[<>=!~][^,;│├└]{1,30}){0,4}"

SIGNATURES = (
    _fact(
        "conda-nowhere",
        anchor=" does not exist (perhaps a ",
        also=("nothing provides ",),
        form=rf"[├└]─ (?P<package>{_NAME}) {{0,3}}(?P<wanted>{_RANGE}?)? {{0,3}}\*? {{0,3}},?(?: which)? does not exist \(perhaps a|nothing provides (?:requested )?(?P<module>{_NAME}) {{0,3}}(?P<value>{_RANGE}?)?(?: needed by (?P<asker>{_NAME}?)-\d[\w.+!]{{0,30}}-\w{{1,60}})?\s{{0,9}}$",
        samples=(
            "          │  └─ tensorflow >=2.4.0 *, which does not exist (perhaps a missing channel);",
            "          └─ tensorflow >=2.4.0,<2.16 *, which does not exist (perhaps a missing channel).",
            "└─ deeplabcut does not exist (perhaps a typo or a missing channel).",
            "  - nothing provides tensorflow >=2.4.0 needed by caiman-1.9.16-py310h5eee18b_0",
            "  - nothing provides requested tensorflow-gpu ==2.4.1",
        ),
        near=("the package does not exist (perhaps a typo)", "nothing provides more joy than a passing test"),
        releases="conda 22 and newer, mamba",
        sources=("nel-lab/mesmerize-core#332 (2025-06)", "flatironinstitute/CaImAn#1517 (2025-08)"),
    ),
    _fact(
        "conda-would-require",
        anchor=" would require",
        also=(" is not installable because it requires",),
        form=rf"[├└]─ (?P<asker>{_NAME}) [^│├└]{{0,120}}(?:would require|is not installable because it requires)\s{{0,9}}$",
        samples=(
            "          ├─ caiman [1.10.1|1.10.2|...|1.9.16] would require",
            "└─ caiman   is not installable because it requires",
        ),
        near=("that would require",),
        releases="conda 22 and newer, mamba",
        sources=("nel-lab/mesmerize-core#332 (2025-06)",),
    ),
)  # fmt: skip
