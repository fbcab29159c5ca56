"""Packages that conda's channels do not have: names of pip, and CUDA by the name that it had in conda until 11."""

from __future__ import annotations

from tfdoctor.checks.engine.case import Case
from tfdoctor.checks.log.around.settings import setting
from tfdoctor.checks.log.candidate import Candidate
from tfdoctor.checks.log.testimony import Testimony, place
from tfdoctor.facts.log_values import Saying
from tfdoctor.findings.model import Confidence, Fix
from tfdoctor.fixes.commands import interpreter
from tfdoctor.light.expressions import Expression  # reads no log: a release as conda lists it

NAME = "conda-not-in-channels"
_TOOLKIT, _LAST_TOOLKIT = "cudatoolkit", 11
"""conda-forge's cudatoolkit ends with 11.8; CUDA 12 and newer are cuda-toolkit and cuda-version there (conda-forge/cudatoolkit-feedstock, 2023)."""
_OF_PIP = {
    "opencv-python": "opencv", "tensorflow-gpu": "tensorflow", "pytorch": "pytorch", "torch": "pytorch", "sklearn": "scikit-learn", "tf-keras": "tf-keras",
}  # fmt: skip
"""What a package of pip is called in conda-forge, where that is another name."""
_NAMES_SHOWN = 3
_PLAIN = Expression(r"\d+(?:\.\d+){1,3}$")
_CUDA_12 = "conda's cudatoolkit ends with 11.8: from CUDA 12 on its packages have other names (cuda-toolkit), and TensorFlow's own from pip bring CUDA 12 along."


def of_channels(saying: Saying) -> Candidate:
    """What was not found, by name where conda lists it."""
    names = _names(saying)
    if not names:
        words = "The channels that conda was given hold no package of this name and release for this system. The default channel has TensorFlow up to 2.18 and few GPU builds."
        title = "conda finds no such package in the channels that it was given."
        return Candidate(saying.code, Confidence(saying.sure), (place(saying),), words, title=title)
    shown = ", ".join(f"{name} {release}".rstrip(" *") for name, release in names[:_NAMES_SHOWN])
    words = "It is not a conflict: conda looked in the channels that it was given, for this system, and there is no package of that name and release. Nothing was changed."
    if _is_new_toolkit(names):
        words = f"{words} {_CUDA_12}"
    title = f"conda finds no {shown} in the channels that it was given, for this system."
    return Candidate(saying.code, Confidence.CERTAIN, (place(saying),), words, title=title)


def channel_fixes(case: Case, told: Testimony, saying: Saying) -> tuple[Fix, ...]:
    names, python = _names(saying), interpreter(case.facts)
    if not names:
        return (Fix("Ask the channel that has TensorFlow's releases", ("conda search --override-channels --channel conda-forge tensorflow",)), Fix("Or take pip in the conda environment", ("python -m pip install tensorflow",)))  # fmt: skip
    if _is_new_toolkit(names):
        return _of_windows() if setting(case, told).has("windows") else _of_linux(python)
    name, release = names[0]
    own, by_pip = (
        _OF_PIP.get(name, name),
        name.removesuffix("-gpu") if name.startswith("tensorflow") else name,
    )
    pinned = f"{by_pip}=={release}" if _PLAIN.match(release) else by_pip
    look = Fix("See whether the largest channel has it for this system, and in which releases", (f"conda search --override-channels --channel conda-forge {own}",), f"If it is there: conda install --channel conda-forge {own}")  # fmt: skip
    pip = Fix("Or let pip bring it into the activated environment, where it is a Python package", (f"{python} -m pip install {pinned}",))  # fmt: skip
    if by_pip == "tensorflow":
        return (Fix("Let pip bring TensorFlow into the activated environment: its releases are made for that first", pip.commands), look)  # fmt: skip
    return (look, pip)


def _names(saying: Saying) -> list[tuple[str, str]]:
    """(name, release or "") of each that conda lists."""
    parts = (each.split("=") for each in saying.told.get("message", "").split())
    return [(each[0], each[1] if len(each) > 1 else "") for each in parts]


def _is_new_toolkit(names: list[tuple[str, str]]) -> bool:
    majors = (release.partition(".")[0] for name, release in names if name == _TOOLKIT)
    return any(each.isdecimal() and int(each) > _LAST_TOOLKIT for each in majors)


def _of_windows() -> tuple[Fix, ...]:
    return (
        Fix(
            "On Windows itself TensorFlow has had no GPU since 2.11: take 2.10 with the CUDA that it is made for, in an environment of its own",
            (
                "conda create --yes --name tensorflow-2.10 --channel conda-forge python=3.10 cudatoolkit=11.2 cudnn=8.1",
                "conda activate tensorflow-2.10",
                'python -m pip install "tensorflow==2.10.*" "numpy<2"',
            ),
            "The present environments stay as they are.",
        ),
        Fix("Or newer releases with the GPU in WSL2, the Linux inside Windows", ("wsl --install",), "There: python -m pip install 'tensorflow[and-cuda]'"),
    )  # fmt: skip


def _of_linux(python: str) -> tuple[Fix, ...]:
    return (
        Fix("Leave CUDA to TensorFlow's own package, which brings CUDA 12 and cuDNN along", (f"{python} -m pip install 'tensorflow[and-cuda]'",), "In the activated environment. Only the driver is needed besides."),
        Fix("Or see what conda calls CUDA 12", ("conda search --override-channels --channel conda-forge cuda-version",)),
    )  # fmt: skip
