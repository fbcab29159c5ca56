"""Why the GPU is not used, by the driver's answer: the table of `check`, and what a log can tell beside it."""

from __future__ import annotations

from tfdoctor.facts.log_values import Saying
from tfdoctor.facts.model import Facts
from tfdoctor.facts.outcome import Absent, Known
from tfdoctor.judge.log.candidate import Candidate, of_page, one_of, question
from tfdoctor.judge.log.containers import NO_LIBCUDA, UTILITY, granted, hidden_by, of_amd
from tfdoctor.judge.log.fitting import ray_hides
from tfdoctor.judge.log.gpus import OF_RAY, of_another_maker
from tfdoctor.judge.log.libraries import linked_with_the_driver
from tfdoctor.judge.log.no_gpu_listed import without_a_gpu
from tfdoctor.judge.log.spans import shown, shows_a_driver, shows_a_gpu
from tfdoctor.judge.log.testimony import Place, Testimony, place
from tfdoctor.judge.questions.driver_codes import cuda_meaning
from tfdoctor.judge.questions.versions_match import differ
from tfdoctor.knowledge.actions import act
from tfdoctor.knowledge.catalog import CODES
from tfdoctor.knowledge.driver_errors import STUB_LIBRARY
from tfdoctor.knowledge.model import Confidence, Fix
from tfdoctor.knowledge.pages import ways_out

_MODULE = "module-not-running"
_STUB = "cuinit-stub"
_UNKNOWN_ERROR = 999
_TOOLKIT = "/cuda"
"""Behind the word LD_LIBRARY_PATH: it names a toolkit. TensorFlow's own files are in a folder of that name, too."""
_STEP, _BUS_LOOK = act("look", "slurm-step-gpus"), (act("look", "gpus"),)
_AMD = (act("choose-image", "use-amds-tensorflow-image"),)
_VARIABLES, _BUS, _LIBRARY = "environment.variables", "host.gpus_on_bus", "driver.library"


def _questions() -> tuple[Fix, ...]:
    """In their order, where no variable is shown that hides the GPUs."""
    asked = (act("look", "gpu-where-program-runs"), act("unset-variable", "unset-cuda-visible-devices"))
    return (*asked, *ways_out("container-without-gpu"))


def is_answer(saying: Saying) -> bool:
    """A line whose meaning hangs on the rest of the log: it is weighed here and not by itself."""
    return saying.name.startswith("cuinit-") or saying.name in (*NO_LIBCUDA, _MODULE)


def driver_answer(facts: Facts, told: Testimony) -> Candidate | None:
    """What cuInit's answer, or a libcuda that can't be loaded, means with all else that the log tells."""
    code = facts.driver.init_code
    places = tuple(place(each) for each in told.sayings if is_answer(each))
    if isinstance(code, Known) and code.value:
        return _answered(facts, told, code.value, places)
    if told.named(_STUB):
        return _stub(facts, told, places, -1)
    if told.named(*NO_LIBCUDA):
        return _no_libcuda(facts, told, places)
    if differ(facts):
        return Candidate("driver-versions-differ", Confidence.CERTAIN, places)
    return _module_not_running(facts, places) if told.named(_MODULE) else None


def _answered(facts: Facts, told: Testimony, number: int, places: tuple[Place, ...]) -> Candidate:
    if number == 100:
        return _no_device(facts, told, places)
    if number == STUB_LIBRARY and not isinstance(facts.host.wsl, Known):
        return _stub(facts, told, places, number)
    if (other := of_another_maker(facts, places)) is not None:
        return other
    if number == _UNKNOWN_ERROR and shown(facts).as_root:
        return of_page("gpu-device-permission", "as-root", places)
    meaning, why = cuda_meaning(number, facts)
    if CODES[meaning].family == "smoke":  # no row of the table fits: what the words themselves mean
        said = next((each for each in told.sayings if each.code and "cuInit" in each.text), None)
        code = said.code if said is not None else "driver-unresponsive"
        return Candidate(code, Confidence.POSSIBLE if said is None else Confidence(said.sure), places)
    known = isinstance(facts.driver.module_version, Known) and isinstance(facts.driver.library, Known)
    opened = None
    if number in (803, 804, 999) and not known and not differ(facts):
        opened = question((meaning, "driver-versions-differ"), "driver.module_version")
    sure = Confidence.LIKELY if opened else Confidence.CERTAIN
    return Candidate(meaning, sure, places, f"The driver answered {number}: {why}.", open=opened)


def _stub(facts: Facts, told: Testimony, places: tuple[Place, ...], number: int) -> Candidate:
    """The toolkit's stub in place of the driver's library: in a container mostly because no GPU was handed in."""
    asked = shown(facts).asked and not told.named(
        "no-device-file"
    )  # in vain: the container has no device of a GPU
    boxed = isinstance(facts.host.container, Known) and not asked and not told.named("stubs-on-the-path")
    if boxed:
        return of_page("container-without-gpu", "stub", places, others=("driver-library-unreachable",), fact=_LIBRARY, values={"number": number})  # fmt: skip
    if told.named(_MODULE) and not asked and not _named(facts):
        others = ("container-without-gpu", "driver-missing")
        return of_page(
            "gpu-absent", "stub-alone", places, others=others, fact=_BUS, values={"number": number}
        )
    return of_page("driver-library-unreachable", "stub-answers", places, others=("driver-missing",), fact=_LIBRARY, values={"number": number})  # fmt: skip


def _named(facts: Facts) -> bool:
    """The log names a GPU of this machine."""
    known = shows_a_gpu(facts) or isinstance(facts.driver.module_version, Known)
    return known or shown(facts).own_gpu or bool(shown(facts).cards)


def _no_device(facts: Facts, told: Testimony, places: tuple[Place, ...]) -> Candidate:
    """ "No device": hidden, not handed in, or none there. What the text shows decides."""
    if differ(facts):
        return Candidate("driver-versions-differ", Confidence.CERTAIN, places)
    hidden = [each for each in told.of("gpu-hidden") if not is_answer(each)]
    if hidden:
        return Candidate("gpu-hidden", Confidence.CERTAIN, (*map(place, hidden), *places))
    if ray_hides(told):
        return of_page("gpu-hidden", "by-ray", places, fixes=OF_RAY)
    if of_amd(told):
        return of_page("gpu-absent", "amd", places, fixes=_AMD)
    if (hosted := without_a_gpu(facts, places)) is not None:
        return hosted
    if (boxed := _no_device_in_a_box(facts, places)) is not None:
        return boxed
    if told.named(_MODULE):
        return _module_not_running(facts, places)
    if shown := hidden_by(told):
        return Candidate("gpu-hidden", Confidence.LIKELY, (*map(place, shown), *places))
    sure = Confidence.LIKELY if isinstance(facts.driver.module_version, Known) else Confidence.POSSIBLE
    others = ("container-without-gpu", "gpu-absent", "mig-misused")
    return of_page(
        "gpu-hidden", "no-device", places, sure=sure, others=others, fact=_VARIABLES, fixes=_questions()
    )


def _no_device_in_a_box(facts: Facts, places: tuple[Place, ...]) -> Candidate | None:
    """In a container or a scheduler's job; None outside of both."""
    boxed = isinstance(facts.host.container, Known) or isinstance(facts.host.scheduler, Known)
    if granted(facts) or (boxed and shown(facts).asked):
        others = ("container-without-gpu", "mig-misused")
        fixes = (
            (_STEP, act("unset-variable", "unset-cuda-visible-devices")) if granted(facts) else _questions()
        )
        return of_page("gpu-hidden", "asked-in-vain", places, sure=Confidence.POSSIBLE, others=others, fact=_VARIABLES, fixes=fixes)  # fmt: skip
    if not boxed:
        return None
    return of_page("container-without-gpu", "no-device", places, others=("gpu-hidden",), fact=_VARIABLES)


def _module_not_running(facts: Facts, places: tuple[Place, ...]) -> Candidate:
    if (hosted := without_a_gpu(facts, places)) is not None:
        return hosted
    if isinstance(facts.host.container, Known):
        return one_of(("container-without-gpu", "driver-module-not-loaded"), _BUS, places)
    if isinstance(facts.driver.init_code, Known):
        others = ("driver-missing", "gpu-absent")
        return of_page("driver-module-not-loaded", "no-gpu", places, others=others, fact=_BUS)
    return one_of(("driver-module-not-loaded", "driver-missing", "gpu-absent"), _BUS, places)


def _started_without(facts: Facts) -> bool:
    """A container sees the host's kernel module in any case; the driver's library comes in where its start asks for a GPU."""
    boxed = isinstance(facts.host.container, Known)
    return boxed and not shown(facts).asked and not isinstance(facts.nvml.driver_version, Known)


def _no_libcuda(facts: Facts, told: Testimony, places: tuple[Place, ...]) -> Candidate:
    """libcuda can't be loaded. Alone: a machine without a GPU. A driver, a GPU or a container in the text says otherwise."""
    if isinstance(facts.host.wsl, Known):
        return one_of(("wsl-driver-shadowed", "driver-missing"), "driver.library", places)
    runs = shows_a_driver(facts)
    if not runs and (hosted := without_a_gpu(facts, places)) is not None:
        return hosted
    if runs and _started_without(facts):
        return of_page("container-without-gpu", "not-passed", places)
    if runs:
        return one_of(("driver-library-unreachable", "driver-missing"), "driver.library", places)
    if told.named(UTILITY):
        return of_page("container-without-gpu", "without-compute", places)
    if isinstance(facts.host.container, Known):
        return of_page("container-without-gpu", "no-driver", places, others=("gpu-absent",), fact=_BUS)
    return _no_driver(facts, told, places)


def _no_driver(facts: Facts, told: Testimony, places: tuple[Place, ...]) -> Candidate:
    """libcuda can't be loaded on a machine of which nothing shows a driver."""
    if of_amd(told):
        return of_page("gpu-absent", "amd", places, fixes=_AMD)
    if linked_with_the_driver(told):
        return of_page("driver-missing", "linked", places)
    if granted(facts):
        return of_page("driver-missing", "granted", places, others=("driver-library-unreachable",), fact=_LIBRARY, fixes=(_STEP,))  # fmt: skip
    if shows_a_gpu(facts):
        return one_of(("driver-missing", "driver-library-unreachable"), _LIBRARY, places)
    if isinstance(facts.host.gpus_on_bus, Absent):
        return Candidate("gpu-absent", Confidence.CERTAIN, places)
    if any(_TOOLKIT in each.text.partition("LD_LIBRARY_PATH")[2] for each in told.named(*NO_LIBCUDA)):
        others = ("gpu-absent", "driver-library-unreachable", "container-without-gpu")
        return of_page("driver-missing", "with-a-toolkit", places, others=others, fact=_BUS)
    library = "nvcuda.dll" if any("nvcuda.dll" in each.text for each in told.named(*NO_LIBCUDA)) else "libcuda.so.1"  # fmt: skip
    others = ("driver-missing", "driver-library-unreachable", "container-without-gpu")
    return of_page(
        "gpu-absent",
        "no-driver",
        places,
        others=others,
        fact=_BUS,
        fixes=_BUS_LOOK,
        values={"library": library},
    )
