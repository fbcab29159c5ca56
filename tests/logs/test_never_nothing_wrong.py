"""What looks like an error is never "nothing wrong", unless each such line is a harmless entry of the knowledge."""

from __future__ import annotations

import re

import pytest

from tests.logs.judged import judged
from tests.public.test_logs import NAMES, log_of
from tfdoctor.examine.diagnosis import NOISE_ONLY, UNRECOGNISED
from tfdoctor.signatures.catalogue import read
from tfdoctor.signatures.signature import CAUSE, NOISE
from tools.knowledge import entries

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
WENT_ON = {
    "h4-14-01-faceswap-exit-del": "Python ignores an exception of a destructor at exit",
    "h4-14-08-tune-one-terminated": "Python ignores an exception of a destructor at exit, after all trials",
    "h4-14-16-dlc-thread-after-training": "a thread's queue is closed after the training",
    "h4-14-17-deepjetcore-generator-ran-out": "TensorFlow warns of a generator's end, and the epoch goes on",
    "h4-14-31-distutils-precedence-pth": "Python ignores the remainder of a .pth file",
    "h4-15-16-deleter-at-exit": "Python ignores exceptions of destructors at exit",
    "r4-o3-no-device-on-purpose": "the last step hides the GPU and finishes",
}
"""Logs with an error that stopped nothing."""


def unexcused(text: str) -> list[str]:
    """The error lines of a log that is called fine, without those that a harmless entry or a note explains."""
    found = judged(text)
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


@pytest.mark.parametrize("name", sorted(set(NAMES) - set(WENT_ON)))
def test_a_kept_log_with_an_error_is_not_fine(name: str) -> None:
    assert unexcused(log_of(name)) == []


@pytest.mark.parametrize("name", sorted(set(NAMES) - set(WENT_ON)))
def test_a_kept_log_cut_behind_its_first_error_is_not_fine(name: str) -> None:
    lines = log_of(name).splitlines()
    first = next((number for number, line in enumerate(lines, 1) if ERROR.search(line)), 0)
    assert unexcused("\n".join(lines[:first])) == []


def test_a_sample_of_a_cause_that_looks_like_an_error_is_not_fine() -> None:
    samples = [sample for each in entries() if each.signature.role == CAUSE for sample in each.samples]
    assert {sample: found for sample in samples if (found := unexcused(sample))} == {}


@pytest.mark.parametrize("turned", (False, True))
def test_a_success_says_nothing_of_the_log_beside_it(turned: bool) -> None:
    trained = "Epoch 1/1\n10/10 [==============================] - 1s 2ms/step - loss: 0.1\n"
    failed = "main.cpp:1:10: fatal error: tensorflow/core/public/session.h: No such file or directory\n"
    logs = (failed, trained) if turned else (trained, failed)
    assert judged(trained).verdict == NOISE_ONLY
    diagnosis = judged(*logs)
    assert diagnosis.verdict == UNRECOGNISED
    assert [each.text for each in diagnosis.suspects] == [failed.rstrip()]
