"""Texts that can mean two things: what else the log tells decides, or leaves open what would."""

from __future__ import annotations

from tfdoctor.checks.engine.case import Case
from tfdoctor.checks.log.broken_installs import (
    incomplete,
    is_older,
    of_api,
    too_old,
    wrapper,
)
from tfdoctor.checks.log.candidate import Candidate, less_sure, question
from tfdoctor.checks.log.cases import case_of
from tfdoctor.checks.log.clusters import refused, unmet
from tfdoctor.checks.log.companions import add_on, refused_add_on, wants_tensorflow
from tfdoctor.checks.log.containers import plain_libcuda
from tfdoctor.checks.log.general_rules import (
    index_unreached,
    installer_stopped,
    not_started,
    of_message,
    without_ipykernel,
)
from tfdoctor.checks.log.gpus import (
    by_number,
    checked,
    driver_behind,
    loaded_other,
    not_newer,
    of_shared_gpu,
    refused_by_xla,
    without_cudnn_memory,
)
from tfdoctor.checks.log.installers import is_wheel, no_wheel, of_list, of_pip, of_python
from tfdoctor.checks.log.keras_errors import (
    LACKING,
    asked_in_vain,
    compiled_by_oneself,
    of_a_package,
    of_inner_name,
    out_of_time,
)
from tfdoctor.checks.log.kerases import is_parts, layer_of_keras_2, other_keras
from tfdoctor.checks.log.libraries import (
    not_found,
    of_cxx,
    of_glibc,
    of_library,
)
from tfdoctor.checks.log.libraries import of_another as asked_by_another
from tfdoctor.checks.log.macs import of_a_mac, of_metal_check, of_plugin
from tfdoctor.checks.log.memory import evicted, without_a_batch
from tfdoctor.checks.log.misfits import NAMES, at, of_itself, registered_twice, said_of_another, stated, torn
from tfdoctor.checks.log.misfits import of_saying as of_misfit
from tfdoctor.checks.log.modules import WITHOUT, left_over, without_tensorflow
from tfdoctor.checks.log.numpys import OLD_NAMES, of_abi, of_returned, of_sizes, old_name
from tfdoctor.checks.log.processors import arm_instruction, lacks_instructions
from tfdoctor.checks.log.testimony import Testimony, place
from tfdoctor.checks.log.windows import of_another
from tfdoctor.checks.log.words import title_of, words_of
from tfdoctor.facts.log_values import Saying
from tfdoctor.facts.model import Facts
from tfdoctor.facts.outcome import Known
from tfdoctor.findings.model import Confidence
from tfdoctor.records import replace

_MISSING_PARTS = ("tensorflow-install-broken", "shared-library-missing")
_OF_CUDNN = ("cudnn-execution-failed", "cudnn-internal-error", "cudnn-rnn-failed")


def of_case(case: Case, told: Testimony, saying: Saying) -> Candidate | None:
    """What the knowledge's case for this log says of the message; None where none applies."""
    found = case_of(case, told, saying)
    if found is None:
        return None
    weighed = _undecided(case.facts, saying) if saying.rivals else _plain(case.facts, saying)
    if found.confidence:
        weighed = replace(weighed, confidence=Confidence(found.confidence), open=found.open)
    return replace(weighed, code=found.code, title=found.title, explanation=found.explanation)


def of_saying(case: Case, told: Testimony, saying: Saying) -> Candidate:
    """The code that a saying speaks of, weighed by the rest of the log."""
    facts = case.facts
    if (found := (of_metal_check(facts, saying) or said_of_another(told, saying))) is not None:
        return found
    found = (
        of_message(saying)
        or of_python(told, saying)
        or installer_stopped(told, saying)
        or not_started(saying)
        or of_shared_gpu(told, saying)
        or of_another(told, saying)
        or registered_twice(saying)
        or without_ipykernel(saying)
        or layer_of_keras_2(saying)
        or of_a_package(told, saying)
        or (torn(told, saying) if saying.name in (*NAMES, "keras-module") else None)
        or of_misfit(case, told, saying)
        or _of_an_inner_name(facts, told, saying)
        or _of_a_kind(case, told, saying)
        or unmet(told, saying)
        or refused(told, saying)
        or lacks_instructions(facts, told, saying)
        or _of_a_gpu(case, told, saying)
        or evicted(told, saying)
        or without_cudnn_memory(facts, told, saying)
    )
    if found is not None:
        return found
    if saying.code == "cuda-libraries-missing":
        return driver_behind(case, told, saying) or of_library(case, told, saying)
    if saying.code == "custom-op-mismatch":
        return left_over(saying) or compiled_by_oneself(saying) or add_on(facts, told, saying)
    if is_parts(saying):
        return other_keras(saying)
    if saying.name == "package-wants-tensorflow":
        return wants_tensorflow(saying)
    if saying.code == "cuda-context-poisoned":
        return _poisoned(facts, told, saying)
    if saying.rivals:
        return _undecided(facts, saying)
    return _plain(facts, saying)


def _of_an_inner_name(facts: Facts, told: Testimony, saying: Saying) -> Candidate | None:
    """A name that no table has."""
    found = of_inner_name(facts, told, at(told, saying)) if saying.name in NAMES else None
    if found is None or found.code != saying.code:
        return None
    return Candidate(saying.code, Confidence.LIKELY, (place(saying),), found.words, title=found.title)


def _of_a_gpu(case: Case, told: Testimony, saying: Saying) -> Candidate | None:
    return (
        by_number(case.facts, told, saying)
        or refused_by_xla(case, told, saying)
        or of_plugin(told, saying)
        or checked(case.facts, saying)
    )


def _poisoned(facts: Facts, told: Testimony, saying: Saying) -> Candidate:
    """A kernel that failed: by the hardware, or of an algorithm of cuDNN beside which another one got no memory."""
    if told.of("gpu-hardware-fault"):
        return _plain(facts, saying)
    if saying.name in _OF_CUDNN and (refused := told.named("cudnn-alloc-failed")):
        return _undecided(facts, refused[0])
    return _undecided(facts, saying) if saying.rivals else _plain(facts, saying)


def _of_a_kind(case: Case, told: Testimony, saying: Saying) -> Candidate | None:
    if saying.name in LACKING:
        last = at(told, saying)
        return incomplete(told, last) or out_of_time(last) or asked_in_vain(case.facts, told, last)
    if (
        found := of_a_mac(case.facts, told, saying)
        or plain_libcuda(case.facts, saying)
        or arm_instruction(case.facts, told, saying)
    ) is not None:
        return found
    if is_older(saying):
        return too_old(told, saying)
    if (
        found := asked_by_another(saying) or of_glibc(saying) or of_cxx(saying) or of_itself(told, saying)
    ) is not None:
        return found
    if saying.name == "gast-attribute":
        return None
    if saying.name in WITHOUT:
        return without_tensorflow(saying)
    if saying.code == "gpu-too-new-for-build":
        return not_newer(case, told, saying)
    if (found := loaded_other(case.facts, saying)) is not None:
        return found
    return _of_a_package(case, told, saying)


def _of_a_package(case: Case, told: Testimony, saying: Saying) -> Candidate | None:
    if saying.code in _MISSING_PARTS and (found := refused_add_on(told, at(told, saying))) is not None:
        return found
    if saying.name == "numpy-api-version" and (found := of_api(told, saying)) is not None:
        return found
    if (
        found := (
            of_sizes(told, saying)
            or of_returned(case, saying)
            or of_abi(told, saying)
            or stated(told, saying)
        )
    ) is not None:
        return found
    if saying.name in OLD_NAMES:
        return old_name(told, saying)
    if saying.name == "dll-procedure-missing":
        return incomplete(told, at(told, saying))
    if saying.name == "wrapper-dict":
        return wrapper(case.facts, saying)
    if (found := _of_an_installer(case, told, saying)) is not None:
        return found
    return without_a_batch(told, saying.code, (place(saying),)) or not_found(told, saying)


def _of_an_installer(case: Case, told: Testimony, saying: Saying) -> Candidate | None:
    if (cut_off := index_unreached(told, saying)) is not None:
        return cut_off
    if is_wheel(saying):
        return no_wheel(case.facts, told, saying)
    listed = of_list(told, saying, case.matrix) if saying.code == "python-unsupported" else None
    return listed or of_pip(case, told, saying)


def _plain(facts: Facts, saying: Saying) -> Candidate:
    return Candidate(
        saying.code, Confidence(saying.sure), (place(saying),), words_of(saying.name),
        title=title_of(facts, saying),
    )  # fmt: skip


def _undecided(facts: Facts, saying: Saying) -> Candidate:
    """One step less sure where none of the facts that decide is known."""
    open_facts = [path for path in saying.decided_by if not isinstance(_at(facts, path), Known)]
    if len(open_facts) < len(saying.decided_by) or not open_facts:
        return _plain(facts, saying)
    sure = less_sure(Confidence(saying.sure)) if saying.sure == "certain" else Confidence(saying.sure)
    return Candidate(
        saying.code, sure, (place(saying),), words_of(saying.name), open=question((saying.code, *saying.rivals), open_facts[0]),
        title=title_of(facts, saying),
    )  # fmt: skip


def _at(facts: Facts, path: str) -> object:
    group, _, name = path.partition(".")
    return getattr(getattr(facts, group), name)
