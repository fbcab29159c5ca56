"""What pip, uv, poetry and conda say where a package that TensorFlow needs, or TensorFlow, has no file for this machine."""

from __future__ import annotations

from functools import partial

from tfdoctor.signatures.signature import FACT, LIKELY, PIP, Signature
from tfdoctor.signatures.sources import SEVERAL_FILES

_none = partial(Signature, code="python-unsupported", speaker=PIP)
_NAME = r"[\w.-]{1,80}"
_OWN = (
    *(f"requirement tensorflow{rest}" for rest in ("=", "<", ">", "~", "!", " ", "[", ";", "-cpu", "-gpu", "-intel", "-macos", "_cpu", "_gpu", "_intel")),
    "requirement tensorrt",
)  # fmt: skip
"""What pip's own signatures are about."""

SIGNATURES = (
    _none(
        "uv-no-wheel-here",
        anchor="doesn't have a source distribution or wheel for the current platform",
        form=rf"[Dd]istribution `?(?P<package>{_NAME})==(?P<version>\d[\w.+!-]{{0,30}})(?: @ [^`\s]{{1,120}})?`? can't be installed because it doesn't have a source distribution or wheel for the current platform",
        samples=(
            "error: Distribution `tensorflow-io-gcs-filesystem==0.37.1 @ registry+https://pypi.example/simple` can't be installed because it doesn't have a source distribution or wheel for the current platform",
            "error: distribution tensorflow==2.8.1 @ registry+https://pypi.example/simple can't be installed because it doesn't have a source distribution or wheel for the current platform",
            "error: Distribution `tensorflow==2.18.0 @ registry+https://pypi.example/simple` can't be installed because it doesn't have a source distribution or wheel for the current platform",
        ),
        near=("hint: You're on macOS (`macosx_15_0_x86_64`), but `tensorflow` (v2.18.0) only has wheels for the following platforms: `win_amd64`",),
        releases="uv 0.4 to 0.9",
        sources=("trailofbits/anamorpher#8 (2025-09)", "OpenMind/OM1#14 (2025-01)", "prism-oncology/sopa#316 (2025-09)", "astral-sh/uv#9420 (2024-11)"),
    ),
    Signature(
        "uv-platform-hint",
        "python-unsupported",
        "only has wheels ",
        form=rf"hint: You're (?:on|using) (?P<host>[^(`]{{1,40}}) \(`(?P<value>\w{{1,60}})`\), but `(?P<package>{_NAME})` \(v(?P<version>\d[\w.+!-]{{0,30}})\) only has wheels (?P<message>(?:for the following platforms?|with the following [\w ]{{1,40}}tags?): .{{1,600}})",
        speaker=PIP,
        samples=(
            "hint: You're on macOS (`macosx_15_0_x86_64`), but `tensorflow` (v2.18.0) only has wheels for the following platforms: `manylinux_2_17_aarch64`, `macosx_12_0_arm64`, `win_amd64`",
            "hint: You're using CPython 3.13 (`cp313`), but `tensorflow` (v2.18.1) only has wheels with the following Python ABI tags: `cp310`, `cp311`, `cp312`",
        ),
        near=("this only has wheels for show",),
        releases="uv 0.5 and newer",
        sources=("OpenMind/OM1#14 (2025-01)", "prism-oncology/sopa#316 (2025-09)"),
    ),
    _none(
        "poetry-no-candidates",
        anchor="Unable to find installation candidates for ",
        form=rf"Unable to find installation candidates for (?P<package>{_NAME}) \((?P<version>\d[\w.+!-]{{0,30}})\)",
        samples=(
            "  Unable to find installation candidates for tensorflow-io-gcs-filesystem (0.28.0)",
            "RuntimeError: Unable to find installation candidates for tensorflow (2.13.0)",
        ),
        near=('raise RuntimeError(f"Unable to find installation candidates for {package}")',),
        releases="poetry 1.1 to 2",
        sources=("tensorflow/io#1617 (2022-01)", "pixeltable/pixeltable#15 (2023-08)", "tensorflow/io#1881 (2023-10)", "tensorflow/io#1832 (2023-08)"),
    ),
    _none(
        "pip-no-companion",
        anchor="Could not find a version that satisfies the requirement ",
        form=rf"Could not find a version that satisfies the requirement (?P<package>{_NAME})(?:\[[\w,-]{{1,60}}\])?(?P<wanted>[<>=!~][^\s(;]{{1,80}})?(?P<message>.{{0,300}}?) \(from versions: (?P<version>[^)]{{0,1600}})",
        unless=_OWN,
        sure=LIKELY,
        decided_by=("interpreter.version",),
        samples=(
            "ERROR: Could not find a version that satisfies the requirement tensorflow-io-gcs-filesystem==0.37.1 (from versions: 0.23.1, 0.24.0, 0.25.0, 0.26.0, 0.27.0, 0.28.0, 0.29.0, 0.30.0, 0.31.0)",
            "ERROR: Could not find a version that satisfies the requirement tensorflow-text==2.12 (from versions: none)",
            "ERROR: Could not find a version that satisfies the requirement tensorflow-decision-forests (from versions: none)",
            "ERROR: Could not find a version that satisfies the requirement tflite-support>=0.4.2 (from tflite-model-maker) (from versions: 0.1.0a0.dev3, 0.1.0a0, 0.1.0a1)",
            'ERROR: Could not find a version that satisfies the requirement tensorflow_text==2.1.0rc0; extra == "convert" (from rasa[convert]~=1.10.0->-r requirements.txt (line 1)) (from versions: none)',
        ),
        near=(
            "ERROR: Could not find a version that satisfies the requirement tensorflow==2.10.0 (from versions: 2.16.1)",
            "ERROR: Could not find a version that satisfies the requirement tensorflow-gpu==1.15 (from versions: 2.2.0)",
            "ERROR: Could not find a version that satisfies the requirement tensorrt==8.5.3.1; extra == \"and-cuda\" (from tensorflow[and-cuda]) (from versions: 8.6.0)",
        ),
        releases="pip 9 and newer",
        sources=("SamuelSchmidgall/AgentLaboratory#87 (2025-04)", "tensorflow/io#2109 (2024-12)", "tensorflow/tflite-support#917 (2023-03)", SEVERAL_FILES),
    ),
    _none(
        "pip-no-companion-alone",
        anchor="satisfies the requirement tensorflow-io-gcs-filesystem",
        form=r"Could not find a version that satisfies the requirement (?P<package>tensorflow-io-gcs-filesystem)(?P<wanted>[<>=!~][^\s(;]{1,80})?",
        unless=("(from versions: ",),
        sure=LIKELY,
        samples=("ERROR: Could not find a version that satisfies the requirement tensorflow-io-gcs-filesystem==0.37.1",),
        near=("ERROR: Could not find a version that satisfies the requirement tensorflow-io==0.37.1",),
        releases="pip, in titles of threads, where the list was left out",
        sources=("SamuelSchmidgall/AgentLaboratory#87 (2025-04)",),
    ),
    _none(
        "pip-no-companion-last",
        anchor="No matching distribution found for ",
        form=rf"No matching distribution found for (?P<package>{_NAME}?)(?:\[[\w,-]{{1,60}}\])?(?P<wanted>[<>=!~][^\s;(`*]{{1,60}}[\w*])?(?:; .{{1,200}}?)?(?: \(from [^()]{{1,120}}(?:\([^()]{{1,40}}\))?\))?(?:\s{{0,3}}$|[`*.\"'])",
        unless=tuple(each.replace("requirement ", "found for ") for each in _OWN),
        sure=LIKELY,
        decided_by=("interpreter.version",),
        samples=(
            "ERROR: No matching distribution found for tflite-runtime>=2.5",
            "ERROR: No matching distribution found for tensorflow-text==2.16.1",
            "ERROR: No matching distribution found for tensorflow-addons",
        ),
        near=("ERROR: No matching distribution found for tensorflow==2.10.0", "ERROR: No matching distribution found for tensorrt"),
        releases="pip 9 and newer; in titles of threads its list is left out",
        sources=("google/hypernerf#43 (2023-02)", "whitew1994WW/PyIng#20 (2022-04)", "Seeed-Studio/ModelAssistant#279 (2025-01)"),
    ),
    _none(
        "wheel-not-supported",
        anchor=" is not a supported wheel on this platform",
        form=r"(?P<file>(?P<package>[A-Za-z][A-Za-z0-9_.]{0,60})-(?P<version>\d[\w.]{0,30})(?:-\d\w{0,20})?-(?P<value>\w{2,40}(?:\.\w{2,40}){0,3})-\w{3,40}(?:\.\w{2,40}){0,3}-(?P<host>[\w.]{3,120})\.whl) is not a supported wheel on this platform",
        samples=(
            "ERROR: tensorflow-2.6.0-cp38-cp38-macosx_11_0_x86_64.whl is not a supported wheel on this platform.",
            "ERROR: tensorflow_gpu-2.1.0-cp36-cp36m-manylinux2010_x86_64.whl is not a supported wheel on this platform.",
        ),
        near=("it is not a supported wheel on this platform of ours",),
        releases="pip",
        sources=("tensorflow/tensorflow#38609 (2020-04)",),
    ),
    Signature(
        "of-alpine",
        "",
        "lpine",
        form=r"\b(?:python|node|jupyter)?[\w./-]{0,60}:?[\w.-]{0,20}-alpine[\d.]{0,6}\b|\balpine:\d|\bapk add\b|Alpine Linux|musllinux",
        also=("apk add", "musllinux"),
        role=FACT,
        speaker=PIP,
        samples=("Step 1/12 : FROM python:3.6-alpine3.7", "FROM alpine:3.19", "RUN apk add --no-cache python3-dev"),
        near=("alpine skiing",),
        releases="images of Alpine Linux, whose C library is musl",
        sources=("tensorflow/tensorflow#38609 (2020-04)",),
    ),
    Signature(
        "pip-passed-over",
        "",
        "Ignored the following versions that require a different python version: ",
        form=r"Ignored the following versions that require a different python version: (?P<message>.{1,1900})",
        role=FACT,
        speaker=PIP,
        samples=("ERROR: Ignored the following versions that require a different python version: 0.52.0 Requires-Python >=3.6,<3.9; 0.53.0 Requires-Python >=3.6,<3.10",),
        near=("ERROR: Ignored the following yanked versions: 0.1.63, 0.4.0",),
        releases="pip 21.1 and newer",
        sources=("tensorflow/tensorflow#58535 (2022-11)", "codewithriza/MoodTracker#1 (2024-12)", "google-deepmind/alphageometry#142 (2024-10)"),
    ),
    Signature(
        "of-apple-silicon",
        "",
        "Apple silicon",
        also=("Apple Silicon", "Apple M", "M1 Mac", "M2 Mac", "M3 Mac", "M4 Mac", "Mac M1", "Mac M2", "Mac M3", "Mac M4", "osx-arm64", "darwin-arm64", "Book Air M", "Book Pro M"),
        form=r"\bApple [Ss]ilicon\b|\bApple M[1-5]\b|\bM[1-5] Mac(?:s|[Bb]ook|[Bb]ooks| mini| Mini| Studio)?\b|\bMac(?:[Bb]ook (?:Air|Pro))? M[1-5]\b|\b(?:osx|darwin)-arm64\b",
        role=FACT,
        speaker=PIP,
        samples=("M1 Mac mini can not install", "on my Apple M2", "MacBook Air M1, 2020", "platform : osx-arm64"),
        near=("an apple tree",),
        releases="Macs since 2020",
        sources=("spotify/basic-pitch#60 (2023-02)",),
    ),
    Signature(
        "of-arm",
        "",
        "aarch64",
        also=("linux/arm64", "linux-arm64"),
        form=r"\b(?:aarch64|linux/arm64|linux-arm64)\b",
        role=FACT,
        speaker=PIP,
        samples=("uname -m: aarch64", " ---> [Warning] The requested image's platform (linux/arm64)"),
        near=("aarch64be_of_mine",),
        releases="Linux on ARM",
        sources=("tensorflow/tensorflow#52768 (2021-10)",),
    ),
    _none(
        "conda-not-in-channels",
        anchor="PackagesNotFoundError",
        form=r"PackagesNotFoundError: The following packages are (?:not available|missing)",
        sure=LIKELY,
        samples=("PackagesNotFoundError: The following packages are not available from current channels:",),
        near=("except PackagesNotFoundError as error:",),
        releases="conda 4 to 25",
        sources=(SEVERAL_FILES,),
    ),
)  # fmt: skip
