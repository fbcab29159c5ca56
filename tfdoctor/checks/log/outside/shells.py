"""What a shell or a notebook's front-end did not start: a name that zsh took for a pattern, a Python without ipykernel."""

from __future__ import annotations

from tfdoctor.checks.log.candidate import Candidate
from tfdoctor.checks.log.testimony import Testimony, place
from tfdoctor.facts.log_values import Saying
from tfdoctor.facts.model import Facts
from tfdoctor.findings.model import Confidence, Fix
from tfdoctor.fixes.commands import interpreter, quoted

_GLOBBED, _NO_IPYKERNEL = "package-globbed", "kernel-without-ipykernel"
_CONDA = ("of-conda", "of-miniforge")


def not_started(told: Testimony, saying: Saying) -> Candidate | None:
    """None for anything else."""
    if saying.name == _GLOBBED:
        name = saying.told["package"]
        title = f"zsh took {name} for a pattern of file names, and did not start the command."
        words = f"In zsh, the shell of macOS, square brackets and stars stand for file names. No file fits {name}, so zsh stopped before the command was run. Nothing was installed or changed."
        return Candidate(saying.code, Confidence.CERTAIN, (place(saying),), words, title=title)
    if saying.name == _NO_IPYKERNEL:
        title = "The kernel could not start: the Python that was chosen for it has no ipykernel."
        words = "A notebook's kernel is the package ipykernel, run by the Python of the chosen environment. That Python does not find it, so nothing of the notebook was run. TensorFlow is not what fails."
        return Candidate(saying.code, Confidence.CERTAIN, (place(saying),), words, title=title)
    return None


def start_fixes(code: str, facts: Facts, told: Testimony) -> tuple[Fix, ...]:
    """() where a shell or a front-end said no such thing."""
    globbed, without = told.named(_GLOBBED), told.named(_NO_IPYKERNEL)
    if code == "command-not-started" and globbed:
        name = globbed[0].told["package"]
        return (Fix("Put the name between quotes, so that zsh hands it over as it is", (f"{interpreter(facts)} -m pip install {quoted(name)}",), "Where it was another command than pip, quote the name in that one."),)  # fmt: skip
    if code != "jupyter-kernel-died" or not without:
        return ()
    python = without[0].told.get("file") or interpreter(facts)
    pip = Fix("Install it with that very Python, and start the kernel again", (f"{python} -m pip install ipykernel",))  # fmt: skip
    other = Fix("Or choose the kernel of another environment, one that has ipykernel", note="In VS Code at the notebook's upper right corner; in Jupyter under Kernel, Change kernel.")  # fmt: skip
    if told.named(*_CONDA):
        return (pip, Fix("In a conda environment, let conda bring it, in that environment", ("conda install --yes ipykernel",)), other)  # fmt: skip
    return (pip, other)
