"""What an installer says last where it stops. A message is named for its tool: "uv-stopped" is uv's."""

from __future__ import annotations

from functools import partial

from tfdoctor.signatures.signature import PIP, Signature
from tfdoctor.signatures.sources import SEVERAL_FILES

_stopped = partial(Signature, code="installer-stopped", speaker=PIP)

SIGNATURES = (
    _stopped(
        "pip-stopped",
        anchor="Invalid requirement: ",
        also=("Could not open requirements file", "resolution-too-deep"),
        samples=(
            "ERROR: Invalid requirement: 'tensorflow=2.10'",
            "ERROR: Could not open requirements file: [Errno 2] No such file or directory: 'requirements.txt'",
            "error: resolution-too-deep",
        ),
        near=("Could not open requirement files", "an invalid requirement: none"),
        releases="pip 9 and newer",
        sources=("ximinng/PyTorch-SVGRender#15 (2024-04)", SEVERAL_FILES),
    ),
    _stopped(
        "conda-stopped",
        anchor="Conda",
        also=("NotWritableError: ", "EnvironmentFileNotFound: ", "InvalidVersionSpec: "),
        form=r"\b(?:Conda(?:HTTP|SSL|Value|IO|OS|Multi|System|Memory|Verification|Upgrade|Dependency)?Error|(?:Environment)?NotWritableError|EnvironmentFileNotFound|InvalidVersionSpec): \S",
        samples=(
            "CondaHTTPError: HTTP 000 CONNECTION FAILED for url <https://index.example/main/linux-64/repodata.json>",
            "CondaValueError: prefix already exists: /opt/conda/envs/tf",
            "EnvironmentNotWritableError: The current user does not have write permissions to the target environment.",
            "NotWritableError: The current user does not have write permissions to a required path.",
        ),
        near=("raise CondaHTTPError(message)", "CondaToSNonInteractiveError: see above"),
        releases="conda 4 to 25",
        sources=("conda/conda#5744 (2017-07)", "ContinuumIO/anaconda-issues#8149 (2018-01)"),
    ),
    _stopped(
        "pixi-stopped",
        anchor="failed to solve the conda requirements of",
        also=("failed to solve the pypi requirements of", "× Cannot install environment '"),
        samples=(
            "  × failed to solve the pypi requirements of 'default' 'linux-64'",
            "  × failed to solve the conda requirements of 'default' 'osx-arm64'",
        ),
        near=("failed to solve the equation",),
        releases="pixi",
        sources=("prefix-dev/pixi#2554 (2024-11)", "prefix-dev/pixi#1918 (2024-08)"),
    ),
    _stopped(
        "uv-stopped",
        anchor="error: Failed to prepare distributions",
        also=("× Failed to download ", "error: Failed to fetch: "),
        samples=(
            "error: Failed to prepare distributions",
            "  × Failed to download `tensorflow==2.18.0`",
            "error: Failed to fetch: `https://index.example/simple/tensorflow/`",
        ),
        near=("Failed to download the weights", "Failed to fetch: the model"),
        releases="uv 0.2 and newer",
        sources=("astral-sh/uv#7075 (2024-09)",),
    ),
)  # fmt: skip
