"""What looks like an error is never "nothing wrong", unless each such line is a harmless entry of the knowledge."""

from __future__ import annotations

import re

from tfdoctor.knowledge.messages.catalogue import read
from tfdoctor.knowledge.messages.signature import NOISE
from tfdoctor.report.diagnosis import NOISE_ONLY, Diagnosis

ERROR = re.compile(
    r"^(?:\S+ \S+: )?[EF] \S+:\d+\] |^[EF]\d{4} \d\d:|\bTraceback \(most recent call last\)|^\w*(?:\.\w+)*(?:Error|Exception): |\b(?:ERROR|FATAL|CRITICAL)\b"
    r"|\b[Ff]atal(?: \w+)? error\b|[Ee]xit(?:ed)?(?: with)?(?: code| status)?[ :=]+[1-9]|\bnon-zero\b|\(core dumped\)|^(?:Killed|Aborted|Segmentation fault)"
)
"""By level, word, traceback or status."""
EXCUSED = {
    "pip's dependency resolver does not currently take into account": "the heading of pip's list of conflicts: pip installs all the same",
    "has requirement ": "an entry of that list",
    "Ignored the following versions that require a different python version": "pip's list of the versions that it did not look at",
    "could not retrieve CUDA device count: CUDA_ERROR_NOT_INITIALIZED": "a forked reader asks for GPUs that it does not need",
    "slow_operation_alarm.cc": "XLA tells how long a search takes",
}
"""Lines that are no harmless entry because they lead to an answer elsewhere in a log: why they are none alone."""


def error_lines_called_fine(text: str, found: Diagnosis) -> list[str]:
    """The error lines of a log that is called fine, without those that a harmless entry or a note explains."""
    if found.verdict != NOISE_ONLY:
        return []
    noted = {line.line for each in found.diagnoses for line in each.lines}
    return [
        line
        for number, line in enumerate(text.splitlines(), 1)
        if ERROR.search(line)
        and number not in noted
        and not any(words in line for words in EXCUSED)
        and not any(hit.signature.role == NOISE for hit in read(line))
    ]
