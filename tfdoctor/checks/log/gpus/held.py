"""A GPU of which TensorFlow got next to nothing at its start: what fails for lack of memory afterwards only follows."""

from __future__ import annotations

from tfdoctor.checks.log.around.releases import shown
from tfdoctor.checks.log.candidate import Candidate, question
from tfdoctor.checks.log.gpu_memory import dumps_of_gpus
from tfdoctor.checks.log.testimony import Testimony, place
from tfdoctor.facts.log_values import Saying
from tfdoctor.facts.model import Facts
from tfdoctor.findings.model import Confidence

_NEXT_TO_NOTHING = 1100
"""MB. A GPU of generation 5.0 or newer has 2 GB at least, of which TensorFlow takes more than this where nobody else holds any."""
_GENERATION = 5
_FOLLOWS = ("gpu-library-no-memory", "gpu-out-of-memory")


_NOTHING_TITLE = (
    "The GPU had no memory left to give: another process holds it, or TensorFlow in this very program does."
)
_NOTHING = (
    "PyTorch asked the driver for memory and got none; where it only runs out of its own share, it says how much it tried to allocate. TensorFlow takes nearly all of a GPU's memory when it starts "
    "and gives it back when its process ends, so PyTorch, in the same program or beside it, finds none."
)


def left_nothing(saying: Saying) -> Candidate | None:
    """What PyTorch says of a GPU that is full before it took anything. None for any other text."""
    if saying.name != "torch-got-nothing":
        return None
    opened = question(("gpu-memory-held", "gpu-preallocation-clash"), "nvml.devices")
    return Candidate(saying.code, Confidence.LIKELY, (place(saying),), _NOTHING, opened, _NOTHING_TITLE)


def held_at_start(facts: Facts, told: Testimony) -> Candidate | None:
    """None where nothing failed for lack of the GPU's memory, where the allocator's own accounts are told, and on boards that share theirs."""
    if not told.of(*_FOLLOWS) and not told.named("driver-refused-memory"):
        return None
    small = starved(told)
    if not small or shown(facts).jetson or dumps_of_gpus(facts):
        return None
    size, gpu = small[-1].told["size"], small[-1].told["gpu"]
    words = (
        f"At its start TensorFlow takes nearly all of a GPU's memory that is free, and of this {gpu} it got {size}. Such a GPU has far more, so other processes held the rest by then: a notebook whose kernel "
        "still runs, an earlier start of the program, another worker of the same server, another user. A limit that the program sets itself looks the same. What failed afterwards for lack of memory only follows."
    )
    title = f"TensorFlow got no more than {size} of the {gpu} at its start: others held the rest of its memory, or the program sets such a limit."
    opened = question(("gpu-memory-held", "gpu-preallocation-clash"), "nvml.devices")
    return Candidate("gpu-memory-held", Confidence.LIKELY, (place(small[-1]),), words, opened, title)


def starved(told: Testimony) -> tuple[Saying, ...]:
    """The lines of TensorFlow that tell of a GPU with next to no room."""
    return tuple(each for each in told.named("gpu-created", "gpu-created-old") if _is_small(each))


def _is_small(created: Saying) -> bool:
    megabytes, generation = (
        created.told["size"].partition(" ")[0],
        created.told.get("capability", "").partition(".")[0],
    )
    return generation.isdigit() and int(generation) >= _GENERATION and int(megabytes) < _NEXT_TO_NOTHING
