"""Texts that can mean two things: what else the log tells decides, or leaves open what would."""

from __future__ import annotations

from tfdoctor.checks.engine.case import Case
from tfdoctor.checks.log import (
    broken_installs,
    candidate,
    cases,
    clusters,
    companions,
    containers,
    general_rules,
    gpus,
    installers,
    keras_errors,
    kerases,
    libraries,
    macs,
    memory,
    misfits,
    modules,
    numpys,
    processors,
    testimony,
    windows,
    words,
)
from tfdoctor.checks.log.candidate import Candidate
from tfdoctor.checks.log.testimony import Testimony
from tfdoctor.facts.log_values import Saying
from tfdoctor.facts.model import Facts
from tfdoctor.facts.outcome import Known
from tfdoctor.findings.model import Confidence
from tfdoctor.records import replace

_MISSING_PARTS = ("tensorflow-install-broken", "shared-library-missing")
_OF_CUDNN = ("cudnn-execution-failed", "cudnn-internal-error", "cudnn-rnn-failed")


def of_case(case: Case, told: Testimony, saying: Saying) -> Candidate | None:
    """What the knowledge's case for this log says of the message; None where none applies."""
    found = cases.case_of(case, told, saying)
    if found is None:
        return None
    weighed = _undecided(case.facts, saying) if saying.rivals else _plain(case.facts, saying)
    if found.confidence:
        weighed = replace(weighed, confidence=Confidence(found.confidence), open=found.open)
    return replace(weighed, code=found.code, title=found.title, explanation=found.explanation)


def of_saying(case: Case, told: Testimony, saying: Saying) -> Candidate:
    """The code that a saying speaks of, weighed by the rest of the log."""
    facts = case.facts
    if (found := (macs.of_metal_check(facts, saying) or misfits.said_of_another(told, saying))) is not None:
        return found
    found = (
        general_rules.of_message(saying)
        or installers.of_python(told, saying)
        or general_rules.installer_stopped(told, saying)
        or general_rules.not_started(saying)
        or gpus.of_shared_gpu(told, saying)
        or windows.of_another(told, saying)
        or general_rules.without_ipykernel(saying)
        or keras_errors.of_a_package(told, saying)
        or misfits.of_saying(case, told, saying)
        or _of_a_kind(case, told, saying)
        or clusters.unmet(told, saying)
        or clusters.refused(told, saying)
        or processors.lacks_instructions(facts, told, saying)
        or _of_a_gpu(case, told, saying)
        or gpus.without_cudnn_memory(facts, told, saying)
    )
    if found is not None:
        return found
    if saying.code == "cuda-libraries-missing":
        return gpus.driver_behind(case, told, saying) or libraries.of_library(case, told, saying)
    if saying.code == "custom-op-mismatch":
        return modules.left_over(saying) or companions.add_on(facts, told, saying)
    if kerases.is_parts(saying):
        return kerases.other_keras(saying)
    if saying.name == "package-wants-tensorflow":
        return companions.wants_tensorflow(saying)
    if saying.code == "cuda-context-poisoned":
        return _poisoned(facts, told, saying)
    if saying.rivals:
        return _undecided(facts, saying)
    return _plain(facts, saying)


def _of_a_gpu(case: Case, told: Testimony, saying: Saying) -> Candidate | None:
    return (
        gpus.by_number(case.facts, told, saying)
        or gpus.refused_by_xla(case, told, saying)
        or macs.of_plugin(told, saying)
        or gpus.checked(case.facts, saying)
    )


def _poisoned(facts: Facts, told: Testimony, saying: Saying) -> Candidate:
    """A kernel that failed: by the hardware, or of an algorithm of cuDNN beside which another one got no memory."""
    if told.of("gpu-hardware-fault"):
        return _plain(facts, saying)
    if saying.name in _OF_CUDNN and (refused := told.named("cudnn-alloc-failed")):
        return _undecided(facts, refused[0])
    return _undecided(facts, saying) if saying.rivals else _plain(facts, saying)


def _of_a_kind(case: Case, told: Testimony, saying: Saying) -> Candidate | None:
    if saying.name in keras_errors.LACKING:
        last = misfits.at(told, saying)
        return (
            broken_installs.incomplete(last)
            or keras_errors.out_of_time(last)
            or keras_errors.asked_in_vain(case.facts, last)
        )
    if (
        found := macs.of_a_mac(case.facts, told, saying)
        or containers.plain_libcuda(case.facts, saying)
        or processors.arm_instruction(case.facts, told, saying)
    ) is not None:
        return found
    if broken_installs.is_older(saying):
        return broken_installs.too_old(told, saying)
    if (
        found := libraries.of_glibc(saying) or libraries.of_cxx(saying) or misfits.of_itself(told, saying)
    ) is not None:
        return found
    if saying.name == "gast-attribute":
        return None
    if saying.name in modules.WITHOUT:
        return modules.without_tensorflow(saying)
    if saying.code == "gpu-too-new-for-build":
        return gpus.not_newer(case, told, saying)
    if (found := gpus.loaded_other(case.facts, saying)) is not None:
        return found
    return _of_a_package(case, told, saying)


def _of_a_package(case: Case, told: Testimony, saying: Saying) -> Candidate | None:
    if (
        saying.code in _MISSING_PARTS
        and (found := companions.refused_add_on(told, misfits.at(told, saying))) is not None
    ):
        return found
    if saying.name == "numpy-api-version" and (found := broken_installs.of_api(told, saying)) is not None:
        return found
    if (
        found := (
            numpys.of_sizes(told, saying)
            or numpys.of_returned(case, saying)
            or numpys.of_abi(told, saying)
            or misfits.stated(told, saying)
        )
    ) is not None:
        return found
    if saying.name in numpys.OLD_NAMES:
        return numpys.old_name(told, saying)
    if saying.name == "dll-procedure-missing":
        return broken_installs.incomplete(misfits.at(told, saying))
    if saying.name == "wrapper-dict":
        return broken_installs.wrapper(case.facts, saying)
    if (found := _of_an_installer(case, told, saying)) is not None:
        return found
    return memory.without_a_batch(told, saying.code, (testimony.place(saying),)) or libraries.not_found(
        told, saying
    )


def _of_an_installer(case: Case, told: Testimony, saying: Saying) -> Candidate | None:
    if (cut_off := general_rules.index_unreached(told, saying)) is not None:
        return cut_off
    if installers.is_wheel(saying):
        return installers.no_wheel(case.facts, told, saying)
    listed = installers.of_list(told, saying, case.matrix) if saying.code == "python-unsupported" else None
    return listed or installers.of_pip(case, told, saying)


def _plain(facts: Facts, saying: Saying) -> Candidate:
    return Candidate(
        saying.code, Confidence(saying.sure), (testimony.place(saying),), words.words_of(saying.name),
        title=words.title_of(facts, saying),
    )  # fmt: skip


def _undecided(facts: Facts, saying: Saying) -> Candidate:
    """One step less sure where none of the facts that decide is known."""
    open_facts = [path for path in saying.decided_by if not isinstance(_at(facts, path), Known)]
    if len(open_facts) < len(saying.decided_by) or not open_facts:
        return _plain(facts, saying)
    sure = (
        candidate.less_sure(Confidence(saying.sure)) if saying.sure == "certain" else Confidence(saying.sure)
    )
    return Candidate(
        saying.code, sure, (testimony.place(saying),), words.words_of(saying.name), open=candidate.question((saying.code, *saying.rivals), open_facts[0]),
        title=words.title_of(facts, saying),
    )  # fmt: skip


def _at(facts: Facts, path: str) -> object:
    group, _, name = path.partition(".")
    return getattr(getattr(facts, group), name)
