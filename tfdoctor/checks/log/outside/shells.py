"""What a shell or a notebook's front-end did not start: a name that zsh took for a pattern, a Python without ipykernel."""

from __future__ import annotations

from tfdoctor.checks.log.candidate import Candidate
from tfdoctor.checks.log.testimony import Testimony, place
from tfdoctor.facts.log_values import Saying
from tfdoctor.facts.model import Facts
from tfdoctor.findings.model import Confidence, Fix
from tfdoctor.fixes.commands import interpreter, quoted

_GLOBBED, _NO_IPYKERNEL = "package-globbed", ("kernel-without-ipykernel", "kernel-needs-package")
_OF_APT = "apt-other-python"
_FORBIDDEN = "scripts-not-allowed"
_CONDA = ("of-conda", "of-miniforge")


def of_front_end(saying: Saying) -> Candidate | None:
    """None for anything else."""
    if saying.name == _GLOBBED:
        name = saying.told["package"]
        title = f"zsh took {name} for a pattern of file names, and did not start the command."
        words = f"In zsh, the shell of macOS, square brackets and stars stand for file names. No file fits {name}, so zsh stopped before the command was run. Nothing was installed or changed."
        return Candidate(saying.code, Confidence.CERTAIN, (place(saying),), words, title=title)
    if saying.name in _NO_IPYKERNEL:
        title = f"The kernel could not start: the Python that was chosen for it has no {saying.told.get('package', 'ipykernel')}."
        words = "A notebook's kernel is the package ipykernel, run by the Python of the chosen environment. That Python does not find it, so nothing of the notebook was run. TensorFlow is not what fails."
        return Candidate(saying.code, Confidence.CERTAIN, (place(saying),), words, title=title)
    return _of_apt(saying)


def without_activation(told: Testimony, saying: Saying) -> bool:
    """PowerShell ran no script, and a program that lacked nothing of an environment's was started after it."""
    raised = [each.what for each in told.endings if each.how == "exception"]
    return (
        saying.name == _FORBIDDEN and bool(raised) and not any("No module named" in each for each in raised)
    )


def _of_apt(saying: Saying) -> Candidate | None:
    if saying.name != _OF_APT:
        return None
    told = saying.told
    title = f"The system's package {told['package']} is made for Python {told['wanted']}, and the system has {told['version']}."
    words = "apt installs such a package for the system's own Python alone, and there is none of that release here. pip has newer releases of most of them. Nothing was installed or changed."
    return Candidate(saying.code, Confidence.CERTAIN, (place(saying),), words, title=title)


def front_end_fixes(code: str, facts: Facts, told: Testimony) -> tuple[Fix, ...]:
    """() where a shell or a front-end said no such thing."""
    globbed, without = told.named(_GLOBBED), told.named(*_NO_IPYKERNEL)
    if code == "command-not-started" and globbed:
        name = globbed[0].told["package"]
        return (Fix("Put the name between quotes, so that zsh hands it over as it is", (f"{interpreter(facts)} -m pip install {quoted(name)}",), "Where it was another command than pip, quote the name in that one."),)  # fmt: skip
    if code == "python-unsupported":
        return _apt_fixes(told)
    if code != "jupyter-kernel-died" or not without:
        return ()
    python = without[0].told.get("file") or interpreter(facts)
    what = without[0].told.get("package", "ipykernel").replace(" and ", " ")
    pip = Fix("Install it with that very Python, and start the kernel again", (f"{python} -m pip install {what}",))  # fmt: skip
    other = Fix("Or choose the kernel of another environment, one that has ipykernel", note="In VS Code at the notebook's upper right corner; in Jupyter under Kernel, Change kernel.")  # fmt: skip
    if told.named(*_CONDA):
        return (pip, Fix("In a conda environment, let conda bring it, in that environment", ("conda install --yes ipykernel",)), other)  # fmt: skip
    return (pip, other)


def _apt_fixes(told: Testimony) -> tuple[Fix, ...]:
    said = told.named(_OF_APT)
    if not said:
        return ()
    name = said[0].told["package"].removeprefix("python3-")
    newer = "ai-edge-litert" if name == "tflite-runtime" else name
    own = Fix(f"Let pip bring {newer}, in an environment of its own", (f"python3 -m venv {newer}", f"{newer}/bin/python -m pip install {newer}"), "It took the place of tflite-runtime; its interpreter is ai_edge_litert.interpreter." if newer != name else "The system's own Python stays as it is.")  # fmt: skip
    return (own,)
