"""What pip says where it has chosen and still installs nothing: a damaged download, a Python or a package that is not its own."""

from __future__ import annotations

from functools import partial

from tfdoctor.signatures.outside.builds import SIGNATURES as OF_BUILDS
from tfdoctor.signatures.outside.channels import SIGNATURES as OF_CHANNELS
from tfdoctor.signatures.outside.fetching import SIGNATURES as OF_FETCHING
from tfdoctor.signatures.outside.linking import SIGNATURES as OF_LINKING
from tfdoctor.signatures.outside.unusable import SIGNATURES as OF_WHAT_CANT_BE_USED
from tfdoctor.signatures.signature import FACT, LIKELY, PIP, Signature
from tfdoctor.signatures.sources import SEVERAL_FILES

_stopped = partial(Signature, code="tensorflow-missing", speaker=PIP)
_kept = partial(Signature, code="dependency-mismatch", speaker=PIP)
_NAME = r"[A-Za-z][\w.-]{0,80}"

SIGNATURES = (
    *OF_WHAT_CANT_BE_USED,
    *OF_BUILDS,
    *OF_CHANNELS,
    *OF_LINKING,
    *OF_FETCHING,
    _stopped(
        "pip-hash-differs",
        anchor="THESE PACKAGES DO NOT MATCH THE HASHES",
        samples=(
            "ERROR: THESE PACKAGES DO NOT MATCH THE HASHES FROM THE REQUIREMENTS FILE. If you have updated the package versions, please update the hashes. Otherwise, examine the package contents carefully; someone may have tampered with them.",
        ),
        near=("these packages do not match the hashes",),
        releases="pip 8 and newer",
        sources=("MycroftAI/mycroft-precise#164 (2020-07)", "piwheels/packages#88 (2020-03)", "devpi/devpi#967 (2023-04)", "tensorflow/tensorflow#42093 (2020-08)"),
    ),
    _kept(
        "poetry-hash-unknown",
        anchor=" not found in known hashes",
        form=rf"Hash for (?P<package>{_NAME}) \((?P<version>\d[\w.+!]{{0,30}})\) from archive (?P<file>\S{{1,200}}) not found in known hashes",
        samples=("Hash for tensorflow (2.11.0) from archive tensorflow-2.11.0-cp37-cp37m-macosx_10_14_x86_64.whl not found in known hashes (was: sha256:2c8bde1b)",),
        near=("the file was not found in known hashes",),
        releases="poetry 1.2 and newer",
        sources=("Giskard-AI/giskard-oss#843 (2023-02)",),
    ),
    Signature(
        "pip-hash-of",
        "",
        " from http",
        form=rf"(?P<package>{_NAME})(?:\[[\w,-]{{1,40}}\])?(?:[<>=!~][^\s]{{1,80}})? from (?P<file>https?://\S{{1,300}}?\.(?:whl|tar\.gz))\b",
        role=FACT,
        speaker=PIP,
        samples=(
            "    tensorflow from https://index.example/packages/a5/tensorflow-2.2.0-cp38-cp38-win_amd64.whl#sha256=784ab821:",
            "    grpcio>=1.8.6 from https://index.example/simple/grpcio/grpcio-1.26.0-cp37-cp37m-linux_armv7l.whl#sha256=e147 (from tensorflow):",
        ),
        near=("Downloading model from https://index.example/model.h5",),
        releases="pip 8 and newer",
        sources=("MycroftAI/mycroft-precise#164 (2020-07)", "tensorflow/tensorflow#35426 (2019-12)"),
    ),
    _stopped(
        "pip-download-broken",
        anchor="pip._vendor.urllib3.exceptions.",
        form=r"pip\._vendor\.urllib3\.exceptions\.(?P<error>ReadTimeoutError|ProtocolError|IncompleteRead|ConnectTimeoutError|NewConnectionError|MaxRetryError)\b",
        sure=LIKELY,
        samples=(
            "pip._vendor.urllib3.exceptions.ReadTimeoutError: HTTPSConnectionPool(host='files.index.example', port=443): Read timed out.",
            "pip._vendor.urllib3.exceptions.ProtocolError: ('Connection broken: IncompleteRead(1024 bytes read, 5120 more expected)', IncompleteRead(1024 bytes read, 5120 more expected))",
        ),
        near=("requests.exceptions.ReadTimeout: HTTPSConnectionPool(host='x', port=443): Read timed out.",),
        releases="pip 19 and newer",
        sources=("tensorflow/tensorflow#38235 (2020-04)", SEVERAL_FILES),
    ),
    _stopped(
        "python-externally-managed",
        anchor="externally-managed-environment",
        also=("This environment is externally managed",),
        samples=("error: externally-managed-environment", "× This environment is externally managed"),
        near=("an environment that is managed externally",),
        releases="pip 23 and newer on Debian 12, Ubuntu 23.04, Homebrew and newer (PEP 668)",
        sources=("tensorflow/tensorflow#79370 (2024-12)", "pypa/pip#12809 (2024-06)"),
    ),
    _kept(
        "pip-not-its-own",
        anchor="Cannot uninstall ",
        form=rf"Cannot uninstall '?(?P<package>{_NAME}?)'?(?:[ -](?P<version>\d[\w.+!]{{0,30}}?))?(?:\. It is a distutils installed project|, RECORD file not found|\s{{0,3}}$)",
        samples=(
            "ERROR: Cannot uninstall 'wrapt'. It is a distutils installed project and thus we cannot accurately determine which files belong to it which would lead to only a partial uninstall.",
            "× Cannot uninstall blinker 1.4",
            "ERROR: Cannot uninstall PyYAML 5.3.1, RECORD file not found. Hint: The package was installed by debian.",
        ),
        near=("Cannot uninstall the program now", "Cannot uninstall packages while they are in use"),
        releases="pip 10 and newer",
        sources=("rish-16/gpt2client#3 (2019-08)", "tensorflow/tensorflow#30191 (2019-06)", "PINTO0309/Tensorflow-bin#36 (2021-06)", "MIT-SPARK/KISS-Matcher#60 (2025-04)"),
    ),
    _kept(
        "pip-tools-no-version",
        anchor="Could not find a version that matches ",
        form=rf"Could not find a version that matches (?P<package>{_NAME})(?:\[[\w,-]{{1,60}}\])?(?P<wanted>[<>=!~]\S{{1,300}})?(?: \(from (?P<message>.{{1,300}}))?",
        samples=(
            "Could not find a version that matches tensorflow!=2.0.*,<2.5,<3,>=1.15.2,>=2.5.0 (from -r requirements.in (line 1))",
            "ERROR: Could not find a version that matches tensorflow<2.6,<3,>=1.15.2,>=2.6.0 (from tfx==1.2.0->-r /tmp/pipenv-constraints.txt (line 3))",
        ),
        near=("Could not find a version that satisfies the requirement tensorflow==2.10 (from versions: none)",),
        releases="pip-tools up to 6 with its legacy resolver, pipenv up to 2021",
        sources=("jazzband/pip-tools#1436 (2021-06)", "pypa/pipenv#4789 (2021-09)", "pypa/pipenv#4578 (2021-01)"),
    ),
    Signature(
        "pip-tools-party",
        "",
        " (from -r ",
        also=("->-r ",),
        form=rf"(?P<package>{_NAME})(?:\[[\w,-]{{1,60}}\])?(?P<wanted>[<>=!~][^\s;(]{{1,200}})? \(from (?:(?P<asker>{_NAME})==(?P<version>\d[\w.+!]{{0,30}})(?:->.{{0,300}})?|-r .{{1,300}})\)",
        role=FACT,
        speaker=PIP,
        samples=(
            "  tensorflow!=2.4.*,<2.6,>=1.15.2 (from tensorflow-transform==1.2.0->tfx==1.2.0->-r /tmp/pipenv-constraints.txt (line 3))",
            "  tensorflow>=2.4.0 (from -r requirements.in (line 1))",
        ),
        near=("a tensor->-r is no arrow", "the notes (from -r)"),
        releases="pip-tools up to 6, pipenv up to 2021",
        sources=("pypa/pipenv#4789 (2021-09)",),
    ),
    Signature(
        "pip-tools-nothing-there",
        "",
        "No versions found",
        role=FACT,
        speaker=PIP,
        samples=("No versions found",),
        near=("No version found",),
        releases="pip-tools up to 6, pipenv up to 2021",
        sources=("pypa/pipenv#4578 (2021-01)",),
    ),
    Signature(
        "uv-nowhere",
        "",
        "there is no version of ",
        also=("there are no versions of ",),
        form=rf"there (?:is no version|are no versions) of (?P<package>{_NAME})(?:\[[\w,-]{{1,60}}\])?(?:\{{[^}}]{{1,160}}\}})?(?P<wanted>[<>=!~][^\s;]{{1,120}})?(?: and (?P<asker>{_NAME})==(?P<version>\d[\w.+!]{{0,30}}) depends on)?",
        role=FACT,
        speaker=PIP,
        samples=(
            "  ╰─▶ Because there is no version of tensorflow-intel{sys_platform == 'win32'}==2.19.0 and tensorflow-cpu==2.19.0 depends on",
            "  ╰─▶ Because there is no version of tensorflow==2.99.0 and you require tensorflow==2.99.0, we can conclude that",
        ),
        near=("there is no version control here",),
        releases="uv",
        sources=("astral-sh/uv#12588 (2025-03)",),
    ),
    Signature(
        "conda-strict-priority",
        "",
        "SOLVER_RULE_STRICT_REPO_PRIORITY",
        role=FACT,
        speaker=PIP,
        samples=("warning  libmamba Problem type not implemented SOLVER_RULE_STRICT_REPO_PRIORITY",),
        near=("STRICT_REPO_PRIORITY is a rule",),
        also=("is excluded by strict repo priority",),
        releases="conda 22 and newer, mamba",
        sources=(SEVERAL_FILES,),
    ),
)  # fmt: skip
