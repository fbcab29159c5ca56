"""Titles with the very values that a line tells: which GPU, which release, which driver."""

from __future__ import annotations

from tfdoctor.checks.log.own_words import title_of_text
from tfdoctor.facts.log_values import Saying
from tfdoctor.facts.model import Facts
from tfdoctor.facts.outcome import Known

_FORMS = {
    "capability-too-low": ("gpu capability wanted", "TensorFlow leaves {gpu} out: it has compute capability {capability}, and this build holds code from {wanted} on."),
    "capability-left-out": ("gpu capability", "TensorFlow leaves {gpu} out: this build holds no code for GPUs as old as that (compute capability {capability})."),
    "rocm-gpu-ignored": ("gpu capability", "TensorFlow leaves {gpu} out: this ROCm build holds no code for its architecture, {capability}."),
    "ptxas-fatal": ("value", "The ptxas that XLA found is older than the GPU: it does not know {value}."),
    "xid-of-a-program": ("xid", "The driver reports Xid {xid}: a program's own work on the GPU failed, mostly by an access to memory that is not its own."),
    "banner-needs-driver": ("wanted", "The container image asks for a driver of release {wanted} or newer on the host."),
}  # fmt: skip
_DRIVER = "driver-too-old"


def title_of(facts: Facts, saying: Saying) -> str:
    """ "" for that of the code."""
    needed, form = _FORMS.get(saying.name, ("", ""))
    if form and all(saying.told.get(each) for each in needed.split()):
        return form.format(**saying.told)
    driver = facts.driver.version
    if saying.code == _DRIVER and isinstance(driver, Known) and not title_of_text(saying.name):
        return f"The NVIDIA driver, {driver.value}, is older than the CUDA of this program needs."
    return title_of_text(saying.name)
