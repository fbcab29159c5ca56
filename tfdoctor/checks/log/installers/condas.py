"""What conda says where it finds no set of packages: the tree of libmamba, what the machine lacks, a file of another system."""

from __future__ import annotations

from tfdoctor.checks.log.candidate import Candidate
from tfdoctor.checks.log.fit.present import key
from tfdoctor.checks.log.installers.exported import exported, exported_fixes
from tfdoctor.checks.log.installers.told.nowhere import nowhere_fixes, of_nowhere
from tfdoctor.checks.log.testimony import Testimony, place
from tfdoctor.facts.log_values import Saying
from tfdoctor.facts.model import Facts
from tfdoctor.facts.outcome import value_or
from tfdoctor.findings.model import Confidence, Fix
from tfdoctor.light.expressions import (
    Expression,
)  # reads no log: the CUDA and the release in the name of a package of conda

_VIRTUAL, _STRICT = "conda-no-virtual", "conda-strict-priority"
_ASKED_PYTHON = "conda-asked-python"
NAMES = ("conda-no-solution", _VIRTUAL)
_OF_CUDA = Expression(r"cuda(?P<digits>\d{2,4})")
_SHOWN = {"__glibc": "a newer C library (glibc)", "__osx": "a newer macOS"}
_NEW = "An environment that is new, and made in one command, has the fewest such ties."


def of_conda(told: Testimony, saying: Saying) -> Candidate | None:
    """None for what conda does not say."""
    if saying.name == _VIRTUAL:
        return _virtual(saying)
    if saying.name != "conda-no-solution":
        return None
    return exported(saying) or _of_tree(told, saying)


def _virtual(saying: Saying) -> Candidate:
    library, package = saying.told["library"], saying.told["package"]
    if library == "__cuda":
        title = (
            "conda sees no NVIDIA driver on this machine, and the build that was asked for is one for GPUs."
        )
        words = f"conda has a package of its own for what the machine brings, __cuda: it is there where conda finds a driver. {package} asks for it. In an image that is being built, or on a login node, there is none, though the program will run with one later."
    else:
        title = f"The build that was asked for needs {_SHOWN.get(library, library)}: {library} {saying.told.get('wanted', '')}".rstrip() + "."  # fmt: skip
        words = f"conda has packages of its own for what the machine brings, such as {library}. {package} asks for more than is here."
    return Candidate(saying.code, Confidence.CERTAIN, (place(saying),), words, title=title)


def _of_tree(told: Testimony, saying: Saying) -> Candidate:
    """The environment's Python, where conda shows that it is what excludes all builds; what it lists first else."""
    fixed, possible = _pythons(told)
    asked, package = told.named("conda-asked"), _package(told) + _wanted(told)
    if whole := told.named("conda-metapackage"):
        title = f"The environment base holds the whole of Anaconda (anaconda {whole[0].told['version']}), which fixes the release of each of its packages: what needs another one can't be added."
        words = f"The package anaconda names every package of that distribution with its exact build. conda keeps them all in base, so there is hardly anything that fits beside them. {_NEW}"
        return Candidate(saying.code, Confidence.CERTAIN, (place(saying),), words, title=title)
    if told.named(_STRICT):
        by = f" ({asked[0].told['asker']} requires {asked[0].told['package']} {asked[0].told['wanted']})" if asked else ""  # fmt: skip
        title = f"conda's strict channel priority hides packages that are needed{by}."
        words = "With channel_priority: strict conda takes a package from the first channel that has any release of it, and does not look at the releases of the channels below. conda says that this rule stands in the way here. The needed releases may well be there."
        return Candidate(saying.code, Confidence.LIKELY, (place(saying),), words, title=title)
    if fixed and possible:
        only = possible[0] if len(possible) == 1 else f"{possible[0]} to {possible[-1]}"
        whose = "which was asked for" if told.named(_ASKED_PYTHON) else "which this environment has"
        title = f"conda has no build of {package} for Python {fixed}, {whose}: only for {only}."
        words = "conda keeps the Python of an environment, or the one that is asked for. So it can install only what was built for that one, and lists what it would have for others."
        return Candidate("python-unsupported", Confidence.CERTAIN, (place(saying),), words, title=title)
    if (lacking := of_nowhere(told, saying)) is not None:
        return lacking
    if asked:
        first = asked[0].told
        title = f"conda finds no set of packages that fits: {first['asker']} requires {first['package']} {first['wanted']}, and nothing of that can be installed here."  # fmt: skip
        words = f"Either the channels hold no such build for this system, or what is already in the environment excludes it. {_NEW}"
        return Candidate(saying.code, Confidence.LIKELY, (place(saying),), words, title=title)
    if (kept := _keeps(told)) and (refused := told.named("conda-not-installable")):
        title = f"conda finds no {refused[0].told['package']} that fits beside what this environment already has ({kept})."
        words = f"conda keeps the Python of an environment and what was installed into it. Each build of {refused[0].told['package']} that it found needs another Python, or a library in another release than those packages need. {_NEW}"
        return Candidate(saying.code, Confidence.CERTAIN, (place(saying),), words, title=title)
    words = f"What is in the environment, what was asked for and what the channels hold exclude each other; the lines below name them. {_NEW}"
    return Candidate(saying.code, Confidence.LIKELY, (place(saying),), words, title="conda finds no set of packages that fit together.")  # fmt: skip


def _package(told: Testimony) -> str:
    asked, refused, spec = told.named("conda-asked"), told.named("conda-not-installable"), _spec(told)
    if spec is not None:
        return _name(spec)
    return asked[0].told["package"] if asked else refused[0].told["package"] if refused else "TensorFlow"


def _pinned(told: Testimony) -> tuple[str, bool]:
    """The Python that conda keeps because the environment has it, and whether that itself is refused; "" where no pin is shown."""
    for pin in told.named("conda-pin"):
        below = [
            each
            for each in told.named("conda-python")
            if place(pin) <= place(each) <= (pin.file, pin.line + 1)
        ]
        if below:
            return below[0].told["version"], below[0].told["message"].startswith("conflicts")
    return "", False


def _pythons(told: Testimony) -> tuple[str, list[str]]:
    """The environment's Python, where it is what excludes every build, and those that there are builds for."""
    said = told.named("conda-python")
    own = told.named("conda-own-python", _ASKED_PYTHON)
    if own and (listed := _listed(told)):
        return own[0].told["version"], listed
    pinned, refused = _pinned(told)
    if pinned and not refused:
        return "", []
    fixed = pinned or next((each.told["version"] for each in said if each.told["message"].startswith("conflicts")), "")  # fmt: skip
    possible = {each.told["version"] for each in said if each.told["message"].startswith("can")}
    return fixed, sorted(possible - {fixed}, key=key)


_FEATURE = Expression(r"(?:>=|=|^|\|)(?P<feature>3\.\d{1,2})")


def _spec(told: Testimony) -> Saying | None:
    """Of the packages that conda lists with their Pythons, TensorFlow's, else the first."""
    said = told.named("conda-spec-python")
    return next(
        (each for each in said if each.told["package"].startswith("tensorflow")), said[0] if said else None
    )


def _name(spec: Saying) -> str:
    """What is asked for by name: tensorflow-base is a part that tensorflow brings."""
    return spec.told["package"].removesuffix("-base")


def _listed(told: Testimony) -> list[str]:
    """The Pythons that there are builds for, as ">=3.6,<3.7.0a0|3.7.*" tells them; without the environment's own."""
    spec, own = _spec(told), told.named("conda-own-python", _ASKED_PYTHON)
    found = (
        {each["feature"] for each in _FEATURE.finditer(spec.told["message"])} if spec is not None else set()
    )
    if told.named(_ASKED_PYTHON) and found & {each.told["version"] for each in own}:
        return []  # there are builds for it, so something else is in the way
    return sorted(found - {each.told["version"] for each in own}, key=key)


def _wanted(told: Testimony) -> str:
    """ " 1.13.1" for tensorflow==1.13.1; "" for any release."""
    spec = _spec(told)
    wanted = spec.told.get("wanted", "").lstrip("=") if spec is not None else ""
    return f" {wanted}" if wanted else ""


_NO_PACKAGES = ("pin-1", "pin", "python")


def _keeps(told: Testimony) -> str:
    """What conda names as there and installable: its Python, and the packages at the tree's first level."""
    pinned = _pinned(told)[0]
    others = [each.told["package"] for each in told.named("conda-installable")]
    names = [f"Python {pinned}"] if pinned else []
    return ", ".join([*names, *dict.fromkeys(each for each in others if each not in _NO_PACKAGES)][:4])


def conda_fixes(facts: Facts, told: Testimony) -> tuple[Fix, ...]:
    """() where conda said nothing of the kind."""
    if not told.named(*NAMES):
        return ()
    if files := exported_fixes(facts, told):
        return files
    if virtual := [each for each in told.named(_VIRTUAL) if each.told["library"] == "__cuda"]:
        return _with_cuda(virtual[0])
    if told.named(_STRICT):
        return _flexible()
    fixed, possible = _pythons(told)
    if not (fixed and possible) and (way_out := nowhere_fixes(facts, told)):
        return way_out
    asked = told.named("conda-asked")
    refused = [each.told["package"] for each in told.named("conda-not-installable")]
    wanted = _of_noarch(asked[0].told["asker"]) if asked else next((each for each in refused if each.startswith("tensorflow")), "tensorflow")  # fmt: skip
    if (spec := _spec(told)) is not None and possible:
        return _of_listed(spec, possible[-1])
    if wanted == "tensorflow-gpu":
        return _for_gpus(told)
    feature = possible[-1] if fixed and possible else "3.12"
    new = Fix(
        f"Make a new environment with Python {feature}" if possible else "Make a new environment, all in one command",
        (f"conda create --yes --name {wanted}-new --override-channels --channel conda-forge python={feature} {wanted}", f"conda activate {wanted}-new"),
        "The present one stays as it is.",
    )  # fmt: skip
    by_pip = Fix("Take TensorFlow from pip in a new environment", ("conda create --yes --name tensorflow-pip python=3.12", "conda activate tensorflow-pip", "python -m pip install tensorflow"))  # fmt: skip
    if not wanted.startswith("tensorflow"):
        return (new,)
    return (by_pip, new) if value_or(facts.host.os, "") == "windows" else (new, by_pip)


def _of_listed(spec: Saying, feature: str) -> tuple[Fix, ...]:
    """A Python of the list, from the channels that made it."""
    what = f"{_name(spec)}{spec.told.get('wanted', '')}"
    name = f"python-{feature}"
    own = Fix(
        f"Make a new environment with Python {feature}, the newest of the list, and the package in one command",
        (f'conda create --yes --name {name} python={feature} "{what}"', f"conda activate {name}"),
        "The present one stays as it is. Name the channel again where you named one.",
    )  # fmt: skip
    newest = Fix("Take today's TensorFlow from pip, where no old release is needed", ("conda create --yes --name tensorflow-pip python=3.12", "conda activate tensorflow-pip", "python -m pip install tensorflow"))  # fmt: skip
    return (own,) if spec.told.get("wanted") else (own, newest)


def _flexible() -> tuple[Fix, ...]:
    return (
        Fix(
            "Let conda look into the lower channels as well, then run the same command again, with conda-forge as the first channel",
            ("conda config --set channel_priority flexible", "conda config --show channels"),
            "conda config --set channel_priority strict undoes it. Bioconda asks for --channel conda-forge before --channel bioconda.",
        ),
    )


_NOARCH = Expression(r"^(?P<package>[\w.-]{1,80}?)-\d[\w.]{0,30}-(?:py|pyh\w{1,12})_\d{1,3}$")
"""A Python package for every system is mostly what was asked for; a compiled one is a need of it."""


def _of_noarch(asker: str) -> str:
    found = _NOARCH.match(asker)
    return found["package"] if found else "tensorflow"


def _for_gpus(told: Testimony) -> tuple[Fix, ...]:
    """tensorflow-gpu: conda's default channel has it up to 2.6 on Windows, and pip's TensorFlow up to 2.10 has a GPU there."""
    old = Fix(
        "Make a new environment, in which conda chooses Python and all else for this package, in one command",
        ("conda create --yes --name tensorflow-gpu-new python=3.9 tensorflow-gpu", "conda activate tensorflow-gpu-new"),
        "The present one stays as it is. On Windows 2.6 is the newest that conda has with a GPU.",
    )  # fmt: skip
    pip = Fix(
        "On Windows, take TensorFlow 2.10 from pip, the last one with a GPU there, with conda's CUDA libraries",
        ("conda create --yes --name tf210 --channel conda-forge python=3.10 cudatoolkit=11.2 cudnn=8.1", "conda activate tf210", 'python -m pip install "tensorflow==2.10.*" "numpy<2"'),
    )  # fmt: skip
    linux = Fix(
        "On Linux, take today's TensorFlow from pip, which brings the CUDA libraries",
        ("python3 -m venv venv-gpu", "venv-gpu/bin/python -m pip install 'tensorflow[and-cuda]'"),
    )  # fmt: skip
    return (old, pip, linux)


def _with_cuda(virtual: Saying) -> tuple[Fix, ...]:
    digits = _OF_CUDA.search(virtual.told["package"])
    cuda = _dotted(digits["digits"]) if digits else "12.0"
    spec = "=".join(virtual.told["package"].split("-")[:2])
    return (
        Fix("Tell conda which CUDA the machine will have, where it is to run with a GPU later", (f"CONDA_OVERRIDE_CUDA={cuda} conda install --channel conda-forge {spec}",), "mamba and micromamba read the same variable."),
        Fix("Take the build for processors alone", (f'conda install --channel conda-forge "{spec}=cpu*"',)),
    )  # fmt: skip


def _dotted(digits: str) -> str:
    """ "102" and "118" are 10.2 and 11.8, "12" is 12.0."""
    return f"{digits[:2]}.{digits[2:] or '0'}"
