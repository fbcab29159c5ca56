"""A notebook's kernel that could not start: the Python that was chosen for it has no ipykernel."""

from __future__ import annotations

from tfdoctor.checks.log.candidate import Candidate
from tfdoctor.checks.log.testimony import Testimony, place
from tfdoctor.facts.log_values import Saying
from tfdoctor.facts.model import Facts
from tfdoctor.findings.model import Confidence, Fix
from tfdoctor.fixes.commands import interpreter

_NO_IPYKERNEL = ("kernel-without-ipykernel", "kernel-needs-package")
_CONDA = ("of-conda", "of-miniforge")


def without_ipykernel(saying: Saying) -> Candidate | None:
    """None for anything else."""
    if saying.name not in _NO_IPYKERNEL:
        return None
    title = f"The kernel could not start: the Python that was chosen for it has no {saying.told.get('package', 'ipykernel')}."
    words = "A notebook's kernel is the package ipykernel, run by the Python of the chosen environment. That Python does not find it, so nothing of the notebook was run. TensorFlow is not what fails."
    return Candidate(saying.code, Confidence.CERTAIN, (place(saying),), words, title=title)


def ipykernel_fixes(code: str, facts: Facts, told: Testimony) -> tuple[Fix, ...]:
    """() where no kernel lacked it."""
    without = told.named(*_NO_IPYKERNEL)
    if code != "jupyter-kernel-died" or not without:
        return ()
    python = without[0].told.get("file") or interpreter(facts)
    what = without[0].told.get("package", "ipykernel").replace(" and ", " ")
    pip = Fix("Install it with that very Python, and start the kernel again", (f"{python} -m pip install {what}",))  # fmt: skip
    other = Fix("Or choose the kernel of another environment, one that has ipykernel", note="In VS Code at the notebook's upper right corner; in Jupyter under Kernel, Change kernel.")  # fmt: skip
    if told.named(*_CONDA):
        return (pip, Fix("In a conda environment, let conda bring it, in that environment", ("conda install --yes ipykernel",)), other)  # fmt: skip
    return (pip, other)
