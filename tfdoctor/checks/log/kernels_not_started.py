"""A notebook's kernel that could not start: the Python that was chosen for it has no ipykernel."""

from __future__ import annotations

from tfdoctor.checks.log.candidate import Candidate
from tfdoctor.checks.log.testimony import Testimony, place
from tfdoctor.facts.log_values import Saying
from tfdoctor.facts.model import Facts
from tfdoctor.findings.fix import fix
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
    pip = fix("install-with-very-python-and-start", python=python, what=what)
    other = fix("or-choose-kernel-another-environment-one")
    if told.named(*_CONDA):
        return (pip, fix("in-conda-environment-let-conda-bring"), other)
    return (pip, other)
