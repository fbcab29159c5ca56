"""A list of visible GPUs that the driver refuses: one GPU twice, or one that is not there, mostly made by Ray or a launcher."""

from __future__ import annotations

from tfdoctor.checks.log.candidate import Candidate, question
from tfdoctor.checks.log.testimony import Testimony, place
from tfdoctor.facts.log_values import Saying
from tfdoctor.findings.fix import fix
from tfdoctor.findings.model import Confidence, Fix

_REFUSED = "ordinal-invalid"
_AT_INIT = "call to cuInit"
_SHOWN = ("cuda-visible-devices", "visible-list-printed", "ray-gpu-ids")
_OF_RAY = "pid="
"""In what Ray writes before each line of a worker."""
_LIST = (
    "cuInit, CUDA's first call, reads CUDA_VISIBLE_DEVICES and answers so where the list is none that it takes: one GPU stands in it twice, or a number or name that no GPU of this "
    "machine, container or job has. The process then has no GPU at all, and TensorFlow computes on the processor."
)
_BY_RAY = " Ray writes that variable for each of its workers, from the GPUs that it counted when it was started: under a scheduler these can be more than the job was given."
_TWICE = (
    "CUDA_VISIBLE_DEVICES may name each GPU once. A list that names one twice is refused by the driver as a whole, so this process has no GPU at all and TensorFlow computes on the processor. Mostly "
    "a program has written it: Ray does where one worker holds two shares of the same GPU, and launchers do that count processes instead of GPUs."
)


def refused_list(told: Testimony, saying: Saying) -> Candidate | None:
    """None for any other text, and where the number was asked for after CUDA had started."""
    if saying.name != _REFUSED:
        return None
    if twice := _twice(told):
        number, value = twice
        title = (
            f"CUDA_VISIBLE_DEVICES names GPU {number} twice ({value}), and the driver refuses such a list."
        )
        return Candidate("gpu-hidden", Confidence.LIKELY, (place(saying),), _TWICE, title=title)
    if _AT_INIT not in saying.text:
        return None
    words = f"{_LIST}{_BY_RAY}" if _OF_RAY in saying.process or _OF_RAY in saying.text else _LIST
    opened = question(("gpu-hidden", "mig-misused"), "environment.variables")
    title = "The driver refuses the list of GPUs that this process was given (CUDA_VISIBLE_DEVICES)."
    return Candidate("gpu-hidden", Confidence.LIKELY, (place(saying),), words, opened, title)


def _twice(told: Testimony) -> tuple[str, str] | None:
    """The GPU and the list, as the log shows it."""
    for saying in told.named(*_SHOWN):
        listed = [each.strip(" '\"") for each in saying.told.get("value", "").split(",")]
        again = next((each for at, each in enumerate(listed) if each and each in listed[:at]), "")
        if again:
            return again, ",".join(listed)
    return None


def list_fixes(told: Testimony) -> tuple[Fix, ...]:
    """() where the driver refused no list."""
    if not any(refused_list(told, each) is not None for each in told.named(_REFUSED)):
        return ()
    by_ray = any(_OF_RAY in each.process for each in told.named(_REFUSED)) or told.named("ray-gpu-ids")
    in_shell = fix("see-gpus-are-and-name-each")
    of_ray = fix("with-ray-rewrite-list-worker-before")
    start = fix("under-scheduler-tell-ray-how-many")
    return (of_ray, start, in_shell) if by_ray else (in_shell, of_ray)
