"""A session of a hosted notebook whose machine has no GPU: it is chosen at the session's start, and nothing typed changes it."""

from __future__ import annotations

from tfdoctor.checks.log.around.releases import shown
from tfdoctor.checks.log.candidate import Candidate, question
from tfdoctor.checks.log.testimony import Place
from tfdoctor.facts.model import Facts
from tfdoctor.findings.fix import fix
from tfdoctor.findings.model import Confidence, Fix

CODE = "gpu-absent"
_NAMES = {"colab": "Colab", "kaggle": "Kaggle"}
_HOW = {
    "colab": 'In Colab: "Runtime", "Change runtime type", "Hardware accelerator": a GPU. Where none is offered, the quota of today is used up.',
    "kaggle": 'In the notebook\'s side panel: "Session options", "Accelerator": a GPU. The week\'s quota is shown there.',
}


def without_a_gpu(facts: Facts, places: tuple[Place, ...]) -> Candidate | None:
    """None elsewhere than on Colab and Kaggle."""
    service = _NAMES.get(shown(facts).service, "")
    if not service:
        return None
    words = (
        f"The machine that {service} gave to this session shows TensorFlow no NVIDIA GPU. {service} gives one only to sessions that ask for it, and a session "
        "keeps its machine. TensorFlow computes on the processor; for a program that needs no GPU nothing is wrong."
    )
    return Candidate(CODE, Confidence.LIKELY, places, words, title=f"This {service} session has no GPU.")


def over_its_own(facts: Facts, places: tuple[Place, ...]) -> Candidate | None:
    """Another TensorFlow was installed in the session, and lists no GPU; None elsewhere than on Colab and Kaggle."""
    service = _NAMES.get(shown(facts).service, "")
    if not service:
        return None
    words = (
        f"{service}'s machine holds the CUDA libraries of {service}'s own TensorFlow. The log shows that another one was installed over it, which opens libraries of its own CUDA by "
        "their exact names, and it lists no GPU. Where the session has none at all, the list is empty as well."
    )
    title = f"A TensorFlow was installed over {service}'s own and lists no GPU: mostly its CUDA libraries are not those of the machine."
    opened = question(("cuda-libraries-missing", CODE), "nvml.devices")
    return Candidate("cuda-libraries-missing", Confidence.LIKELY, places, words, opened, title)


def session_fixes(facts: Facts) -> tuple[Fix, ...]:
    """() elsewhere than on Colab and Kaggle."""
    service = shown(facts).service
    if service not in _HOW:
        return ()
    return (
        Fix(
            "Choose a session with a GPU, where one is wanted. The session restarts, and its files and variables are lost",
            note=_HOW[service],
        ),
        fix("see-afterwards-changes-nothing"),
    )
