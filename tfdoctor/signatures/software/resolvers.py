"""What pip, uv, poetry and conda say where wishes exclude each other, and where a package has to be compiled and can't be."""

from __future__ import annotations

from functools import partial

from tfdoctor.signatures.signature import FACT, LIKELY, PIP, Signature
from tfdoctor.signatures.sources import SEVERAL_FILES

_wishes = partial(Signature, code="dependency-mismatch", speaker=PIP)
_fact = partial(Signature, code="", role=FACT, speaker=PIP)
_built = partial(Signature, code="python-unsupported", speaker=PIP, sure=LIKELY)
_NAME = r"[A-Za-z][\w.-]{0,80}"

SIGNATURES = (
    _fact(
        "pip-party",
        anchor=" depends on ",
        form=rf"(?P<asker>{_NAME})(?:\[[\w,-]{{1,60}}\])? (?P<version>\d[\w.+!]{{0,30}}) depends on (?P<package>{_NAME})(?:\[[\w,-]{{1,60}}\])?(?P<wanted>[<>=!~][^;\n]{{1,200}})?",
        samples=("    tensorflow 2.7.4 depends on protobuf<3.20 and >=3.9.2", "    tensorboardx 2.6.2 depends on protobuf"),
        near=("   Because tfx (0.30.0) depends on tensorflow (2.5.0)",),
        releases="pip 20.3 and newer",
        sources=("ZJUICSR/AIcert#3 (2024-12)",),
    ),
    _fact(
        "pip-user-requested",
        anchor="The user requested ",
        form=rf"The user requested (?:\(constraint\) )?(?P<package>{_NAME})(?:\[[\w,-]{{1,60}}\])?(?P<wanted>[<>=!~]\S{{1,160}})?",
        samples=("    The user requested protobuf==3.20.0", "    The user requested (constraint) numpy<2"),
        near=("The user requested 3 files",),
        releases="pip 20.3 and newer",
        sources=("ZJUICSR/AIcert#3 (2024-12)",),
    ),
    _wishes(
        "poetry-no-solution",
        anchor=", version solving failed",
        samples=("So, because venv depends on tfx (0.30.0), version solving failed.",),
        near=("equation solving failed",),
        releases="poetry 1 and 2",
        sources=("tensorflow/tfx#3794 (2021-05)", "python-poetry/poetry#174 (2018-06)"),
    ),
    _fact(
        "poetry-party",
        anchor=" depends on ",
        form=rf"(?:[Bb]ecause|and) (?P<asker>{_NAME}) (?:\((?P<version>[^)]{{1,60}})\) )?depends on (?P<package>{_NAME}) \((?P<wanted>[^)]{{1,200}})\)",
        samples=(
            "  Because tfx (0.30.0) depends on tensorflow (>=1.15.2,<2.0.0 || >=2.4.0,<2.5.0 || >=2.6.0,<3)",
            "   and venv depends on tensorflow (2.5.0), tfx is forbidden.",
        ),
        near=("    tensorflow 2.7.4 depends on protobuf<3.20 and >=3.9.2",),
        releases="poetry 1 and 2",
        sources=("tensorflow/tfx#3794 (2021-05)",),
    ),
    Signature(
        "poetry-python",
        "python-unsupported",
        ", so it will not be ",
        form=rf"(?P<package>{_NAME}) requires Python (?P<wanted>[^,\s].{{0,80}}?), so it will not be (?:satisfied|installable) for Python (?P<value>.{{1,80}})$",
        speaker=PIP,
        samples=(
            "  - tensorflow requires Python >=3.9,<3.13, so it will not be installable for Python >=3.13,<4.0",
            "  - tensorflow-io-gcs-filesystem requires Python >=3.7, <3.12, so it will not be satisfied for Python >=3.12,<4.0",
        ),
        near=("it is late, so it will not be done",),
        releases="poetry 1 and 2",
        sources=(SEVERAL_FILES,),
    ),
    _fact(
        "poetry-python-range",
        anchor="a possible solution would be to set the `python` property to ",
        form=rf"For (?P<package>{_NAME}), a possible solution would be to set the `python` property to \"(?P<value>[^\"]{{1,80}})\"",
        samples=('    For tensorflow, a possible solution would be to set the `python` property to ">=3.9,<3.13"',),
        near=("a possible solution would be to set the `path` property",),
        releases="poetry 1 and 2",
        sources=(SEVERAL_FILES,),
    ),
    _wishes(
        "uv-no-solution",
        anchor="No solution found when resolving",
        samples=("  × No solution found when resolving dependencies:", "  × No solution found when resolving script dependencies:"),
        near=("No solution found for the equation",),
        releases="uv",
        sources=("astral-sh/uv#13262 (2025-05)", "astral-sh/uv#1491 (2024-02)"),
    ),
    _fact(
        "uv-python-hint",
        anchor="but we only found wheels for",
        form=rf"You require (?P<host>[A-Za-z][\w. ]{{1,30}}?)? ?\(?`(?P<value>\w{{1,40}})`\)?, but we only found wheels for(?: `(?P<package>{_NAME})` \(v(?P<version>[\w.+!-]{{1,40}})\))?",
        samples=("      hint: You require CPython 3.13 (`cp313`), but we only found wheels for `tensorflow` (v2.19.0) with the following",),
        near=("we looked, but we only found wheels for bicycles",),
        releases="uv 0.5 and newer",
        sources=("astral-sh/uv#13262 (2025-05)",),
    ),
    _fact(
        "uv-python-tags",
        anchor="Python ABI tag",
        also=("Python implementation tag", "Python version tag"),
        form=r"Python (?:ABI|implementation|version) tags?: (?P<message>`\w{1,40}`(?:, ?`\w{1,40}`){0,40})",
        samples=("      Python ABI tags: `cp39`, `cp310`, `cp311`, `cp312`",),
        near=("the Python ABI tag is cp311",),
        releases="uv 0.5 and newer",
        sources=("astral-sh/uv#13262 (2025-05)",),
    ),
    _wishes(
        "conda-no-solution",
        anchor="UnsatisfiableError: ",
        also=("Could not solve for environment specs", "Encountered problems while solving", "ResolvePackageNotFound"),
        samples=(
            "LibMambaUnsatisfiableError: Encountered problems while solving:",
            "UnsatisfiableError: The following specifications were found to be in conflict:",
            "Could not solve for environment specs",
            "Encountered problems while solving:",
            "ResolvePackageNotFound:",
        ),
        near=("except UnsatisfiableError as error:", "problems while solving a puzzle"),
        releases="conda 4 to 25, mamba",
        sources=("NEGU93/cvnn#53 (2024-07)", "conda-forge/tensorflow-feedstock#216 (2022-03)", SEVERAL_FILES),
    ),
    _wishes(
        "conda-no-virtual",
        anchor="nothing provides ",
        form=r"nothing provides (?P<library>__(?:cuda|glibc|osx|linux|win|unix|archspec))\b ?(?P<wanted>[<>=!~*\d][^\s]{0,40})? ?needed by (?P<package>[\w.-]{1,120})",
        samples=(
            "  - nothing provides __cuda needed by tensorflow-2.7.0-cuda102py310hcf4adbc_0",
            "  - nothing provides __glibc >=2.28,<3.0.a0 needed by tensorflow-base-2.19.0-cpu_py312h69ecde4_51",
        ),
        near=("  - nothing provides bleach 1.5.0 needed by tensorboard-1.8.0-py310h6c2663c_0",),
        releases="conda 22 and newer, mamba",
        sources=("conda-forge/tensorflow-feedstock#216 (2022-03)",),
    ),
    _fact(
        "conda-python",
        anchor=", which can be installed",
        also=(", which conflicts with",),
        form=r"\bpython (?P<version>3\.\d{1,2})(?:\.\*)? ?\*? ?, which (?P<message>can be installed|conflicts with)",
        samples=("│     │  └─ python 3.6.* , which can be installed;", "   └─ python 3.11.* , which conflicts with any installable versions previously reported."),
        near=("numpy 1.26.* , which can be installed;",),
        releases="conda 22 and newer, mamba",
        sources=("NEGU93/cvnn#53 (2024-07)",),
    ),
    _fact(
        "conda-asked",
        anchor="but none of the providers can be installed",
        form=rf"- package (?P<asker>[\w.-]{{1,120}}) requires (?P<package>{_NAME}) ?(?P<wanted>[^,]{{0,20}}(?:,[<>=!~][^,]{{1,20}}){{0,3}}), but none of the providers can be installed",
        samples=("  - package cvnn-0.3.40-py_0 requires tensorflow >=2.0, but none of the providers can be installed",),
        near=("it is a package, but none of the providers can be installed",),
        releases="conda 22 and newer, mamba",
        sources=("NEGU93/cvnn#53 (2024-07)", "chklovski/CheckM2#141 (2025-05)"),
    ),
    _built(
        "wheel-not-built",
        anchor="Failed building wheel for ",
        form=rf"Failed building wheel for (?P<package>{_NAME})",
        samples=("  ERROR: Failed building wheel for h5py",),
        near=("Failed building wheel for  ",),
        releases="pip",
        sources=("h5py/h5py#2452 (2024-07)", "mozilla/TTS#781 (2023-12)"),
    ),
    _built(
        "wheels-not-built",
        anchor="Could not build wheels for ",
        form=rf"Could not build wheels for (?P<package>{_NAME})",
        samples=("ERROR: Could not build wheels for numpy, which is required to install pyproject.toml-based projects",),
        near=("Could not build wheels for 3 cars",),
        releases="pip 20 and newer",
        sources=("mozilla/TTS#781 (2023-12)",),
    ),
    _built(
        "wheel-metadata-failed",
        anchor="metadata-generation-failed",
        samples=("error: metadata-generation-failed",),
        near=("metadata generation failed",),
        releases="pip 22 and newer",
        sources=("haven-jeon/PyKoSpacing#40 (2024)", SEVERAL_FILES),
    ),
    _fact(
        "sdist-taken",
        anchor=".tar.gz",
        also=(".zip", ".tar.bz2"),
        form=r"(?:Downloading|Using cached) (?:\S{1,300}/)?(?P<package>[A-Za-z][A-Za-z0-9_.]{0,60}?(?:-[A-Za-z][A-Za-z0-9_.]{0,40}?){0,4})-(?P<version>\d[\w.]{0,30}?)\.(?:tar\.gz|zip|tar\.bz2)(?:#\S{0,300})?(?: \(.{1,40}\))?\s{0,3}$",
        samples=("  Downloading numpy-1.18.5.zip (5.4 MB)", "  Using cached h5py-3.1.0.tar.gz (371 kB)"),
        near=("  Downloading tensorflow-2.3.0-cp38-cp38-win_amd64.whl (342.5 MB)", "Downloading data.zip"),
        releases="pip",
        sources=(SEVERAL_FILES,),
    ),
)  # fmt: skip
