"""Why the GPU is not used, by the driver's answer: the table of `check`, and what a log can tell beside it."""

from __future__ import annotations

from tfdoctor.facts.log_values import Saying
from tfdoctor.facts.outcome import Known
from tfdoctor.judge.engine.case import Case
from tfdoctor.judge.log.candidate import Candidate, of_page, question
from tfdoctor.judge.log.cases import situated
from tfdoctor.judge.log.containers import NO_LIBCUDA
from tfdoctor.judge.log.fitting import ray_hides
from tfdoctor.judge.log.testimony import Place, Testimony, place
from tfdoctor.judge.questions.driver_codes import cuda_meaning
from tfdoctor.judge.questions.versions_match import differ
from tfdoctor.knowledge.actions import act
from tfdoctor.knowledge.catalog import CODES
from tfdoctor.knowledge.driver_errors import STUB_LIBRARY
from tfdoctor.knowledge.model import Confidence

_MODULE, _NO_DEVICE, _STUB, _UNKNOWN = (
    "module-not-running",
    "cuinit-no-device",
    "cuinit-stub",
    "cuinit-unknown",
)
"""Messages whose cases weigh the answer: 100, a stub's and 999."""
_NVCUDA = "nvcuda-not-found"


def is_answer(saying: Saying) -> bool:
    """A line whose meaning hangs on the rest of the log: it is weighed here and not by itself."""
    return saying.name.startswith("cuinit-") or saying.name in (*NO_LIBCUDA, _MODULE)


def driver_answer(case: Case, told: Testimony) -> Candidate | None:
    """What cuInit's answer, or a libcuda that can't be loaded, means with all else that the log tells."""
    code = case.facts.driver.init_code
    places = tuple(place(each) for each in told.sayings if is_answer(each))
    if isinstance(code, Known) and code.value:
        return _answered(case, told, code.value, places)
    if told.named(_STUB):
        return situated(case, told, _STUB, places, number="-1")
    if told.named(*NO_LIBCUDA):
        of_windows = situated(case, told, _NVCUDA, places) if told.named(_NVCUDA) else None
        return of_windows or situated(case, told, "libcuda-not-opened", places)
    if differ(case.facts):
        return Candidate("driver-versions-differ", Confidence.CERTAIN, places)
    return situated(case, told, _MODULE, places) if told.named(_MODULE) else None


def _answered(
    case: Case, told: Testimony, number: int, places: tuple[Place, ...]
) -> Candidate | None:
    facts = case.facts
    if number == 100:
        return _no_device(case, told, places)
    if number == STUB_LIBRARY and not isinstance(facts.host.wsl, Known):
        return situated(case, told, _STUB, places, number=str(number))
    if number == 999 and (found := situated(case, told, _UNKNOWN, places)) is not None:
        return found
    meaning, why = cuda_meaning(number, facts)
    if CODES[meaning].family == "smoke":  # no row of the table fits: what the words themselves mean
        said = next((each for each in told.sayings if each.code and "cuInit" in each.text), None)
        code = said.code if said is not None else "driver-unresponsive"
        return Candidate(
            code, Confidence.POSSIBLE if said is None else Confidence(said.sure), places
        )
    known = isinstance(facts.driver.module_version, Known) and isinstance(
        facts.driver.library, Known
    )
    opened = None
    if number in (803, 804, 999) and not known and not differ(facts):
        opened = question((meaning, "driver-versions-differ"), "driver.module_version")
    sure = Confidence.LIKELY if opened else Confidence.CERTAIN
    return Candidate(meaning, sure, places, f"The driver answered {number}: {why}.", open=opened)


def _no_device(case: Case, told: Testimony, places: tuple[Place, ...]) -> Candidate | None:
    """ "No device": hidden, not passed through, or none there. What the text shows decides; None where a message tells what hides it."""
    if differ(case.facts):
        return Candidate("driver-versions-differ", Confidence.CERTAIN, places)
    if any(not is_answer(each) for each in told.of("gpu-hidden")):
        return None
    if ray_hides(told):
        fixes = (act("give-gpu", "ray"), act("look", "ray-gpus"))
        return of_page("gpu-hidden", "by-ray", places, fixes=fixes)
    return situated(case, told, _NO_DEVICE, places)
