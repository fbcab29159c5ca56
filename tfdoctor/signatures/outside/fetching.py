"""What pip says while it looks for a set of releases: what it fetches, and that it goes back to older ones."""

from __future__ import annotations

from functools import partial

from tfdoctor.signatures.signature import FACT, PIP, Signature

_fact = partial(Signature, code="", role=FACT, speaker=PIP)
_NAME = r"[A-Za-z][\w.-]{0,80}"

SIGNATURES = (
    _fact(
        "pip-fetches",
        anchor="Downloading ",
        also=("Using cached ",),
        form=r"(?:Downloading|Using cached) (?:https?://\S{1,300}/)?(?P<package>[A-Za-z][\w.]{0,80}?)-(?P<version>\d[\w.+!]{0,30}?)(?:-(?:py\d|cp(?P<value>3\d{1,2})|[\w.]{2,20})\S{0,160}?\.whl|\.tar\.gz|\.zip)(?:\.metadata)?\b",
        samples=(
            "  Downloading tensorflow-2.7.2-cp38-cp38-manylinux2010_x86_64.whl (495.5 MB)",
            "  Using cached keras_rl2-1.0.3.tar.gz (40 kB)",
            "#11 1191.0   Downloading transformers-4.33.2-py3-none-any.whl.metadata (119 kB)",
            "  Downloading https://index.example/packages/ab/tensorflow-2.2.0-cp38-cp38-win_amd64.whl (459.2 MB)",
        ),
        near=("Downloading data from https://index.example/mnist.npz", "Downloading model-00001 of 3"),
        releases="pip 9 and newer",
    ),
    _fact(
        "pip-goes-back",
        anchor=" looking at multiple versions of ",
        also=("This is taking longer than usual",),
        form=rf"pip is (?:still )?looking at multiple versions of (?P<package>{_NAME})|This is taking longer than usual\. You might need to provide the dependency resolver",
        samples=(
            "INFO: pip is looking at multiple versions of tensorflow-text to determine which version is compatible with other requirements. This could take a while.",
            "INFO: pip is still looking at multiple versions of keras to determine which version is compatible with other requirements. This could take a while.",
            "INFO: This is taking longer than usual. You might need to provide the dependency resolver with stricter constraints to reduce runtime. See https://index.example/ for guidance.",
        ),
        near=("INFO: the team is looking at multiple versions of the text",),
        releases="pip 20.3 and newer",
        sources=("tensorflow/text#1111 (2023-02)", "tensorflow/tensorflow#60431 (2023-04)"),
    ),
    _fact(
        "pip-extra-unknown",
        anchor=" does not provide the extra '",
        form=rf"(?P<package>{_NAME}) (?P<version>\d[\w.+!]{{0,30}}) does not provide the extra '(?P<value>[\w.-]{{1,60}})'",
        unless=("extra 'and-cuda'",),
        samples=("WARNING: tf-agents 0.5.0 does not provide the extra 'reverb'",),
        near=("WARNING: tensorflow 2.13.1 does not provide the extra 'and-cuda'",),
        releases="pip 9 and newer",
        sources=("tensorflow/agents#669 (2021-10)", "tensorflow/agents#695 (2022-01)"),
    ),
)  # fmt: skip
