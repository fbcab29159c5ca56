"""Processes of a job that do not meet, are refused, or were ended by their launcher."""

from __future__ import annotations

from tfdoctor.facts.log_values import Saying
from tfdoctor.judge.log.candidate import Candidate, of_line, question
from tfdoctor.judge.log.memory import size
from tfdoctor.judge.log.testimony import Testimony, place
from tfdoctor.knowledge.actions import act
from tfdoctor.knowledge.messages.expressions import UNMET
from tfdoctor.knowledge.model import Confidence, Fix
from tfdoctor.knowledge.values import checked

# A worker that got no answer: at its start it never met the others, later one of them fell silent. Neither closed a connection.

_REFUSED = "peer-unavailable"
_ADDED = "grpc-peer-closed"
"""The line that TensorFlow puts below any error of an exchange: it names the peer and says nothing of how it failed."""
_UNANSWERED = (*UNMET, _REFUSED)
_WORKED = ("keras-step", "epoch")
_OF_HEALTH = ("task-seems-down", "cluster-check-failed")
"""Workers look after each other in this way once all of them have come."""
_NEVER = "This worker got no answer from another one of its cluster in time, at the start: that one was not started, or can't be reached."
_SILENT = "Another worker of the job stopped answering: it hangs, has ended, or the network failed."
_UNREACHED = "This worker can't reach another one of its cluster: that one was not started, has ended, or its address or port does not answer."
_NOBODY = "Nothing answers at the address that this program connects to: no process listens there, or something in between refuses."
_WORDS_NEVER = "At its start each worker waits for all others, and the time ran out. Another worker was not started (or died: see its own log), the list of addresses differs between machines, or a firewall, proxy, or container network blocks its port. Later messages are consequences."
_WORDS_SILENT = "The workers were connected before. The reason is in that worker's own log."
_WORDS_NOBODY = "gRPC, which connects TensorFlow's processes, could not reach any address it was given. The other process is not running, or its port can't be reached from here."
_ASK = act("look", "tf-config")
_PROXY = act("unset-variable", "unset-proxy-variables")
_LOG = act("look", "peer-log")


def unmet(told: Testimony, saying: Saying) -> Candidate | None:
    """None for a line that tells of something else."""
    if saying.name == _REFUSED and not _of_a_cluster(told):
        return of_line(saying, _WORDS_NOBODY, _NOBODY, sure=Confidence.POSSIBLE)
    unanswered = told.named(*_UNANSWERED)
    if saying.name not in _UNANSWERED and not (saying.name == _ADDED and unanswered):
        return None
    title, words = (_SILENT, _WORDS_SILENT) if _worked(told) else (_NEVER, _WORDS_NEVER)
    if not _worked(told) and not told.named(*UNMET):
        title, words = _UNREACHED, _WORDS_NOBODY
    sure = Confidence.LIKELY if saying.name == _REFUSED else Confidence(saying.sure)
    return of_line(saying, words, title, sure=sure)


_TRIED = "grpc-connect-refused"
_TRIES_TITLE = "This process can't reach {host}: {why}."
_TRIES = "The task there is not started or has ended, listens at another address or port (localhost is no address for other machines), or something blocks it. This process keeps trying."


def still_tries(told: Testimony) -> Candidate | None:
    """gRPC's own log of attempts that failed, which a worker writes at its start, too: only where nothing else is told and no work follows."""
    tried = [each for each in told.named(_TRIED) if "host" in each.told]
    if not tried or told.codes or told.endings or told.informed:
        return None
    title = _TRIES_TITLE.format(host=tried[-1].told["host"], why=tried[-1].told["message"])
    return Candidate("worker-lost", Confidence.LIKELY, (place(tried[-1]),), _TRIES, title=title)


def unmet_fixes(told: Testimony) -> tuple[Fix, ...]:
    """() where a connection that was there broke off."""
    if told.named(*UNMET) or (told.named(_REFUSED) and _of_a_cluster(told)):
        if _worked(told):
            return (_LOG, act("look", "program-stacks"), _port(told))
        of_jax = any("jax" in each.text for each in told.named(*UNMET))
        return (act("edit-program", "start-all-jax") if of_jax else _ASK, _port(told), _PROXY, _LOG)
    said = told.of("worker-lost")
    refused = said and all(each.name == _REFUSED for each in said)
    return (_port(told), _ASK, _PROXY) if refused or still_tries(told) is not None else ()


def _port(told: Testimony) -> Fix:
    """The test of the address that the log names."""
    tried = [each.told["host"] for each in told.named(_TRIED) if "host" in each.told]
    if not tried:
        return act("look", "test-port")
    host, _, port = tried[-1].rpartition(":")
    return act("look", "test-port", host=checked("host", host.strip("[]")), port=checked("port", port))


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


# GPU memory that the driver refused: by itself no death, for TensorFlow asks for less then or takes another way.

_REFUSED_REFUSED = "driver-refused-memory"
_POOL = 4 << 30
"""Bytes. TensorFlow asks for a larger piece only at its start, when it reserves all that is free."""
_TITLE_PIECE = "The GPU had no room left for a piece of {size} that TensorFlow asked for"
_TITLE_POOL = "The GPU had less free memory than TensorFlow wanted to reserve for itself"
_ALONE = "TensorFlow then asks for less. "
_WORDS_PIECE = "The driver refused {size} of GPU memory. {alone}Usually the model with this batch needs more than is free, or another process uses part of it: nvidia-smi shows which."
_WORDS_POOL = "By default TensorFlow reserves nearly all free GPU memory at its start, and the driver refused {size}. {alone}Another process may use some; Windows keeps a part for itself."


def refused(told: Testimony, saying: Saying) -> Candidate | None:
    """The driver's refusal by itself, which is no death. None for any other text."""
    if saying.name != _REFUSED_REFUSED:
        return None
    piece = _is_a_piece(told)
    code, title, words = (
        ("gpu-out-of-memory", _TITLE_PIECE, _WORDS_PIECE)
        if piece
        else ("gpu-memory-held", _TITLE_POOL, _WORDS_POOL)
    )
    asked = size(int(saying.told["size"]))
    after = "; the program went on" if survived_a_refusal(told, code) else ""
    alone = _ALONE if not told.ended_badly else ""
    opened = question(("gpu-out-of-memory", "gpu-memory-held", "gpu-preallocation-clash"), "nvml.devices")
    return Candidate(
        code, Confidence(saying.sure), (place(saying),), words.format(size=asked, alone=alone), opened,
        f"{title.format(size=asked)}{after}.",
    )  # fmt: skip


def _is_a_piece(told: Testimony) -> bool:
    """A piece for the work, and not the pool of the start: that is large, and asked for again in ever smaller sizes."""
    sizes = {int(each.told["size"]) for each in told.named(_REFUSED_REFUSED)}
    return len(sizes) == 1 and max(sizes) < _POOL


def survived_a_refusal(told: Testimony, code: str) -> bool:
    """Whether all that is told of the GPU's memory is that the driver refused some, and the program worked on after it."""
    said = told.of(code) if code == "gpu-memory-held" else told.named(_REFUSED_REFUSED)
    others = told.of("gpu-out-of-memory", "gpu-memory-fragmented", "gpu-dataset-on-device")
    return (
        code in ("gpu-memory-held", "gpu-out-of-memory")
        and bool(said)
        and all(each.name == _REFUSED_REFUSED for each in (*said, *others))
        and told.worked
        and not told.ended_badly
    )
