"""Processes of a job that are still tried, and GPU memory that the driver refused without a death."""

from __future__ import annotations

from tfdoctor.judge.log.candidate import Candidate
from tfdoctor.judge.log.testimony import Testimony, place
from tfdoctor.knowledge.actions import act
from tfdoctor.knowledge.model import Confidence
from tfdoctor.knowledge.says import says
from tfdoctor.knowledge.values import checked

_CODE = "worker-lost"
_REFUSED = "driver-refused-memory"


def still_tries(told: Testimony) -> Candidate | None:
    """gRPC's own log of attempts that failed, which a worker writes at its start, too: only where nothing else is told and no work follows."""
    tried = [each for each in told.named("grpc-connect-refused") if "host" in each.told]
    if not tried or told.codes or told.endings or told.informed:
        return None
    address = tried[-1].told["host"]
    host, _, port = address.rpartition(":")
    test = act("look", "test-port", host=checked("host", host.strip("[]")), port=checked("port", port))
    fixes = (test, act("look", "tf-config"), act("unset-variable", "unset-proxy-variables"))
    title = says("worker-lost", "tries-title", host=address, why=tried[-1].told["message"])
    return Candidate(_CODE, Confidence.LIKELY, (place(tried[-1]),), says("worker-lost", "tries"), title=title, fixes=fixes)  # fmt: skip


def survived_a_refusal(told: Testimony, code: str) -> bool:
    """Whether all that is told of the GPU's memory is that the driver refused some, and the program worked on after it."""
    said = told.of(code) if code == "gpu-memory-held" else told.named(_REFUSED)
    others = told.of("gpu-out-of-memory", "gpu-memory-fragmented", "gpu-dataset-on-device")
    return (
        code in ("gpu-memory-held", "gpu-out-of-memory")
        and bool(said)
        and all(each.name == _REFUSED for each in (*said, *others))
        and told.worked
        and not told.ended_badly
    )
