"""Whether the loaded kernel module and the driver's libraries are of one release."""

from __future__ import annotations

from tfdoctor.checks.driver.driver import FOLLOWS, answer
from tfdoctor.checks.engine.case import Ability, Case, Found, check
from tfdoctor.checks.engine.evidence import evidence
from tfdoctor.checks.questions.abilities import abilities_seen
from tfdoctor.checks.questions.driver_codes import Refusal, cuda_refusal, nvml_refusal
from tfdoctor.checks.questions.gpu import driver_starts
from tfdoctor.checks.questions.versions_match import library_release, pair
from tfdoctor.facts.outcome import Failed, Known
from tfdoctor.findings.driver_errors import AMBIGUOUS
from tfdoctor.findings.fix import fix
from tfdoctor.findings.model import Confidence, Fix
from tfdoctor.fixes import driver as fixes


@check("driver-versions-differ", prevents=Ability.GPU, explains=(*FOLLOWS, "forward-compat-unsupported"))
def driver_versions_differ(case: Case) -> Found | None:
    """The answers of cuInit and NVML that mean it, read beside the release of the loaded module and of libcuda. An
    answer that can mean it stays undecided while the module's release is unknown.
    """
    by_nvml = _nvml_mismatch(case)
    by_cuda = _refusal(case, settled=by_nvml is not None)
    if by_cuda is None and by_nvml is None:
        if isinstance(case.need_outcome(case.facts.nvml.library), Known):
            case.need(case.facts.nvml.init_code)
        return None
    found = pair(case.facts)
    measured = found is not None and found[0] != found[1]
    return Found(
        "The kernel still runs one version of the driver while programs open another, mostly since an update without a "
        "reboot or a second driver package. " + _what_differing_does(case, by_nvml_alone=by_cuda is None),
        (
            *((answer(case, by_cuda),) if by_cuda else ()),
            *((answer(case, by_nvml),) if by_nvml else ()),
            evidence(case, "driver.module_version", "the library's release"),
            evidence(case, "driver.library", observed=_library_words(case)),
        ),
        _ways_to_one_version(case),
        Confidence.CERTAIN if measured or by_nvml else Confidence.LIKELY,
    )


def _ways_to_one_version(case: Case) -> tuple[Fix, ...]:
    """An update leaves the older module loaded. In a container an older library is the image's own, for the toolkit brings the host's."""
    reload = (
        fixes.reload_modules(case.facts),
        fixes.reboot(case.facts, "The kernel then loads the module that belongs to the installed libraries."),
    )
    found = pair(case.facts)
    older = found is not None and found[1] < found[0]
    second = _second_driver(case)
    return (second, *reload) if older and fixes.in_container(case.facts) else (*reload, second)


def _what_differing_does(case: Case, *, by_nvml_alone: bool) -> str:
    """What the driver API was seen to do overrules what NVML's answer lets one expect."""
    if by_nvml_alone and Ability.GPU in abilities_seen(case.facts):
        return "NVML, the library behind nvidia-smi, refuses to work with that. TensorFlow computed on the GPU all the same."
    if by_nvml_alone and driver_starts(case.facts):
        return (
            "NVML, the library behind nvidia-smi, refuses to work with that: TensorFlow 2.21 and newer, which ask it for the "
            "GPUs, show none. The driver itself starts all the same, so other programs can use the GPU."
        )
    return "The two refuse to talk to each other, so no program can use the GPU."


def _library_words(case: Case) -> str:
    release = library_release(case.facts)
    path = case.facts.driver.library
    where = (
        f" ({path.value.path.value})"
        if isinstance(path, Known) and isinstance(path.value.path, Known)
        else ""
    )
    return f"{release.value}{where}" if isinstance(release, Known) else f"release unknown{where}"


def _refusal(case: Case, *, settled: bool) -> Refusal | None:
    """cuInit's refusal where it means this. Undecided where its number can mean it and the versions are unknown.

    settled: NVML has said that the versions differ, so nothing stays open.
    """
    facts = case.facts
    if settled and not isinstance(facts.driver.init_code, Known):
        return None
    if not isinstance(case.need_outcome(facts.driver.library), Known):
        return None
    refusal = cuda_refusal(case)
    if refusal is None or refusal.code == "driver-versions-differ":
        return refusal
    open_question = refusal.number in AMBIGUOUS and refusal.code in (
        "forward-compat-unsupported",
        "uvm-broken",
    )
    if open_question and not settled and isinstance(facts.driver.module_version, Failed):
        case.cant_tell(facts.driver.module_version)
    return None


def _nvml_mismatch(case: Case) -> Refusal | None:
    if not isinstance(case.facts.nvml.init_code, Known):
        return None
    refusal = nvml_refusal(case)
    return refusal if refusal is not None and refusal.code == "driver-versions-differ" else None


def _second_driver(case: Case) -> Fix:
    facts = case.facts
    if fixes.in_container(facts):
        note = "The image holds a driver library of its own: remove the packages libcuda1 or libnvidia-compute from it; the toolkit brings the host's."
        return Fix("Remove the driver from the image", note=note)
    return fix("if-stays-after-reboot-find-second")
