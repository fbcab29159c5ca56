"""A worker that got no answer: at its start it never met the others, later one of them fell silent. Neither closed a connection."""

from __future__ import annotations

from tfdoctor.checks.log.candidate import Candidate
from tfdoctor.checks.log.testimony import Testimony, place
from tfdoctor.facts.log_values import Saying
from tfdoctor.findings.fix import fix
from tfdoctor.findings.model import Confidence, Fix
from tfdoctor.light.records import replace
from tfdoctor.signatures.deaths.meeting import UNMET

_REFUSED = "peer-unavailable"
_ADDED = "grpc-peer-closed"
"""The line that TensorFlow puts below any error of an exchange: it names the peer and says nothing of how it failed."""
_UNANSWERED = (*UNMET, _REFUSED)
_WORKED = ("keras-step", "epoch")
_OF_HEALTH = ("task-seems-down", "cluster-check-failed")
"""Workers look after each other in this way once all of them have come."""
_NEVER = "This worker got no answer from another one of its cluster in time, at the start: that one was not started, or can't be reached."
_SILENT = "Another worker of the job stopped answering: it stands still, it ended, or the network between them failed."
_UNREACHED = "This worker can't reach another one of its cluster: that one was not started, has ended, or its address or port does not answer."
_NOBODY = "Nothing answers at the address that this program connects to: no process listens there, or something in between refuses."
_WORDS_NEVER = (
    "At its start each worker waits until all others of its cluster have come. The time for that ran out. Either another worker was not started (or died before it came "
    "so far: then its own log says why), or the list of addresses differs between the machines, or a firewall, a proxy or a container's network keeps its port closed. "
    "What the log says after that only follows."
)
_WORDS_SILENT = (
    "The workers had met and worked, and then one of them did not answer for as long as another waits. This log is only that of its partner: why the other fell silent "
    "stands in the other's own log, or nowhere if it was killed."
)
_WORDS_NOBODY = "gRPC, by which TensorFlow's processes talk, could not connect to any address that it was given. The process at the other end is not running (any more), or its port can't be reached from here."
_ASK = fix("compare-on-each-machine-what-was-2")
_ASK_JAX = fix("see-all-processes-were-started-as")
_PORT = fix("see-from-machine-whether-others-port")
_PROXY = fix("take-proxy-out-way-grpc-sends")
_LOG = fix("read-end-other-workers-own-log")
_STACKS = fix("if-still-runs-see-what-waits")


def unmet(told: Testimony, saying: Saying) -> Candidate | None:
    """None for a line that tells of something else."""
    if saying.name == _REFUSED and not _of_a_cluster(told):
        return Candidate(saying.code, Confidence.POSSIBLE, (place(saying),), _WORDS_NOBODY, title=_NOBODY)
    unanswered = told.named(*_UNANSWERED)
    if saying.name not in _UNANSWERED and not (saying.name == _ADDED and unanswered):
        return None
    title, words = (_SILENT, _WORDS_SILENT) if _worked(told) else (_NEVER, _WORDS_NEVER)
    if not _worked(told) and not told.named(*UNMET):
        title, words = _UNREACHED, _WORDS_NOBODY
    sure = Confidence.LIKELY if saying.name == _REFUSED else Confidence(saying.sure)
    return Candidate(saying.code, sure, (place(saying),), words, title=title)


_TRIED = "grpc-connect-refused"
_TRIES_TITLE = "This process does not reach {host}: nobody answers there ({why})."
_TRIES = (
    "gRPC tells of each attempt to connect, and of no success after these. The task at that address was not started yet or has ended, listens at another address or port (localhost there is no address for other machines), or "
    "something in between refuses. Until it answers, this process waits and tries again."
)


def still_tries(told: Testimony) -> Candidate | None:
    """gRPC's own log of attempts that failed, which a worker writes at its start, too: only where nothing else is told and no work follows."""
    tried = [each for each in told.named(_TRIED) if "host" in each.told]
    if not tried or told.codes or told.endings or told.informed:
        return None
    title = _TRIES_TITLE.format(host=tried[-1].told["host"], why=tried[-1].told["message"])
    return Candidate("worker-lost", Confidence.LIKELY, (place(tried[-1]),), _TRIES, title=title)


def _tried_fixes(told: Testimony) -> tuple[Fix, ...]:
    tried = [each.told["host"] for each in told.named(_TRIED) if "host" in each.told]
    if not tried or still_tries(told) is None:
        return ()
    host, _, port = tried[-1].rpartition(":")
    return (replace(_PORT, commands=(f"nc -vz {host.strip('[]')} {port}",)), _ASK, _PROXY)


def unmet_fixes(told: Testimony) -> tuple[Fix, ...]:
    """() where a connection that was there broke off."""
    if tries := _tried_fixes(told):
        return tries
    if told.named(*UNMET) or (told.named(_REFUSED) and _of_a_cluster(told)):
        first = _ASK_JAX if any("jax" in each.text for each in told.named(*UNMET)) else _ASK
        return (_LOG, _STACKS, _PORT) if _worked(told) else (first, _PORT, _PROXY, _LOG)
    said = told.of("worker-lost")
    return (_PORT, _ASK, _PROXY) if said and all(each.name == _REFUSED for each in said) else ()


def _of_a_cluster(told: Testimony) -> bool:
    """Whether it is TensorFlow's own exchange between its tasks that failed, and not a client of some server."""
    return bool(told.named(_ADDED, "collective-aborted", *UNMET)) and not told.named(
        "grpc-socket-closed", "grpc-connection-lost", "grpc-reset"
    )


def _worked(told: Testimony) -> bool:
    """Whether steps were told before it, or it says so itself."""
    first = min(place(each) for each in told.named(*_UNANSWERED))
    if told.named(*_OF_HEALTH):
        return True
    return any(place(each) < first for each in told.named(*_WORKED))
