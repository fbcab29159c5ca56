"""Texts that can mean two things: what else the log tells decides, or leaves open what would."""

from __future__ import annotations

from tfdoctor.facts.log_values import Ending, Saying
from tfdoctor.facts.model import Facts
from tfdoctor.judge.engine.case import Case
from tfdoctor.judge.log import (
    broken_installs,
    cases,
    companions,
    gpus,
    installers,
    keras_errors,
    libraries,
    memory,
    misfits,
    modules,
    numpys,
    testimony,
    windows,
)
from tfdoctor.judge.log.candidate import Candidate
from tfdoctor.judge.log.testimony import Testimony

_MISSING_PARTS = ("tensorflow-install-broken", "shared-library-missing")
_OF_CUDNN = ("cudnn-execution-failed", "cudnn-internal-error", "cudnn-rnn-failed")


def of_saying(case: Case, told: Testimony, saying: Saying) -> Candidate:
    """The code that a saying speaks of, weighed by the rest of the log: by the first rule that knows it."""
    facts, name, code = case.facts, saying.name, saying.code
    last = misfits.at(told, saying)
    return (
        misfits.opened_by_cudnn(case, saying)
        or installers.of_conda(told, saying)
        or installers.stopped(told, saying)
        or windows.of_another(facts, told, saying)
        or misfits.of_saying(case, told, saying)
        or (_of_a_missing_name(facts, told, last) if name in keras_errors.LACKING else None)
        or misfits.of_itself(told, saying)
        or (gpus.not_newer(case, told, saying) if code == "gpu-too-new-for-build" else None)
        or (companions.refused_add_on(facts, last) if code in _MISSING_PARTS else None)
        or numpys.of_abi(case, told, saying)
        or (broken_installs.incomplete(facts, last) if name == "dll-procedure-missing" else None)
        or memory.without_a_batch(told, code, (testimony.place(saying),))
        or (_of_a_library(case, told, saying) if code == "cuda-libraries-missing" else None)
        or (_of_an_add_on(facts, saying) if code == "custom-op-mismatch" else None)
        or (_poisoned(facts, told, saying) if code == "cuda-context-poisoned" else None)
        or cases.by_itself(facts, saying)
    )


def _of_a_missing_name(facts: Facts, told: Testimony, last: Ending) -> Candidate | None:
    return (
        broken_installs.incomplete(facts, last)
        or keras_errors.out_of_time(facts, last)
        or keras_errors.asked_in_vain(facts, last)
        or keras_errors.of_inner_name(facts, told, last)
    )


def _of_a_library(case: Case, told: Testimony, saying: Saying) -> Candidate:
    return gpus.driver_behind(case, told, saying) or libraries.of_library(case, told, saying)


def _of_an_add_on(facts: Facts, saying: Saying) -> Candidate:
    return modules.left_over(saying) or companions.add_on(facts, saying)


def _poisoned(facts: Facts, told: Testimony, saying: Saying) -> Candidate:
    """A kernel that failed: by the hardware, or of an algorithm of cuDNN beside which another one got no memory."""
    if told.of("gpu-hardware-fault"):
        return cases.plain(facts, saying)
    refused = told.named("cudnn-alloc-failed") if saying.name in _OF_CUDNN else ()
    return cases.by_itself(facts, refused[0] if refused else saying)
