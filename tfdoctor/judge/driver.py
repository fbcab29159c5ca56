"""NVIDIA's driver, and whether the GPU reaches the program."""

from __future__ import annotations

from tfdoctor.facts.outcome import Absent, AnyFact, Fact, Failed, Known, known, value_or
from tfdoctor.facts.values import Library
from tfdoctor.facts.versions import CudaRelease, DriverRelease
from tfdoctor.fix import driver as fixes
from tfdoctor.fix.architecture import Fit, Service
from tfdoctor.fix.commands import system_install
from tfdoctor.fix.libraries import on_cpu, release_that_fits
from tfdoctor.fix.variables import leave_out, search_here, unset
from tfdoctor.judge.engine.case import Ability, Case, Found, Inconclusive, check
from tfdoctor.judge.engine.evidence import evidence, if_known
from tfdoctor.judge.questions import visibility as hiding
from tfdoctor.judge.questions.abilities import abilities_seen
from tfdoctor.judge.questions.architecture import served, unknown
from tfdoctor.judge.questions.build import at_least, build_of, made_for_rocm
from tfdoctor.judge.questions.driver_codes import (
    Refusal,
    answered_as,
    compat_library,
    cuda_refusal,
    ended_badly,
    loader_error,
    module_not_loaded,
    no_gpu_given,
    no_response,
    nvml_refusal,
    refused_as,
)
from tfdoctor.judge.questions.gpu import (
    boxed,
    driver_os,
    driver_starts,
    for_consumers,
    has_nodes,
    in_wsl,
    libcuda,
    need_gpu,
    nvidia_gpu,
    nvidia_on_bus,
)
from tfdoctor.judge.questions.search_paths import supplied_by
from tfdoctor.judge.questions.stage_output import first_of, tensorflow_said, texts_of, words
from tfdoctor.judge.questions.unsupported import Refused, ignored
from tfdoctor.judge.questions.variables import variables
from tfdoctor.judge.questions.versions_match import library_release, pair
from tfdoctor.judge.questions.visibility import hidden_at_start
from tfdoctor.knowledge.actions import act
from tfdoctor.knowledge.driver_errors import AMBIGUOUS, STUB_LIBRARY
from tfdoctor.knowledge.lines import AsWord, Words, quoted
from tfdoctor.knowledge.model import Action, Confidence, Evidence, Fix, Severity
from tfdoctor.knowledge.says import says

OUT_OF_REACH = ("jetson", "nixos", "container")
"""Words of `found_via` for places that the loader did not search (WSL's has a code of its own)."""


def answer(refusal: Refusal) -> Evidence:
    """The driver's own answer as evidence."""
    name = f" ({refusal.name})" if refusal.name else ""
    return Evidence(
        refusal.path, f"{refusal.step} answers {refusal.number}{name}", "0", refusal.why
    )


def installed_out_of_reach(case: Case) -> tuple[str, ...]:
    """Copies of libcuda that are no stubs and no compat packages, where the loader does not look."""
    found = value_or(case.facts.driver.other_libraries, ())
    return tuple(path for path in found if "/stubs/" not in path and "compat" not in path)


@check("driver-missing", blocks=Ability.DRIVER)
def driver_missing(case: Case) -> Found | None:
    """An NVIDIA GPU is on the bus, and neither libcuda nor device nodes nor a loaded module are there. In WSL, and where
    no GPU was given to a container, other codes speak.
    """
    facts = case.facts
    if isinstance(case.need_outcome(facts.driver.library), Known) or in_wsl(facts):
        return None
    need_gpu(case)
    if no_gpu_given(facts) or has_nodes(facts) or installed_out_of_reach(case):
        return None
    if isinstance(case.need_outcome(facts.driver.module_version), Known):
        return None
    bound = bound_elsewhere(case)
    return Found(
        says("driver-missing", "found", bound=bound),
        (
            evidence(case, "host.gpus_on_bus", observed="an NVIDIA GPU"),
            evidence(case, "driver.library", "libcuda.so.1"),
            evidence(case, "driver.module_version", "a loaded kernel module"),
        ),
        (fixes.install_driver(facts, case.matrix),),
    )


def held_by(case: Case, name: str) -> bool:
    """Whether that kernel driver holds an NVIDIA GPU."""
    gpus = value_or(case.facts.host.gpus_on_bus, ())
    return any(gpu.vendor == "nvidia" and known(gpu.driver) == name for gpu in gpus)


def bound_elsewhere(case: Case) -> str:
    if held_by(case, "vfio-pci"):
        return " (vfio-pci reserves the GPU for a virtual machine)"
    return " (nouveau, which can't compute, uses the GPU)" if held_by(case, "nouveau") else ""


@check("driver-library-unreachable", blocks=Ability.DRIVER)
def driver_library_unreachable(case: Case) -> Found | None:
    """A module is loaded or device nodes exist while the loader finds no libcuda; or it finds a stub (cuInit answers
    34); or a copy that only we found by looking where this kind of system keeps it.
    """
    facts = case.facts
    library = facts.driver.library
    if isinstance(library, Known):
        return (
            _stub(case)
            or _found_by_us_alone(case, library.value)
            or _without_number(case, library.value)
        )
    if in_wsl(facts) or no_response(
        library
    ):  # wsl-driver-shadowed and driver-unresponsive speak of these
        return None
    if not loader_error(library):
        case.need_outcome(library)
    loaded = case.need_outcome(facts.driver.module_version)
    if no_gpu_given(facts) or not (isinstance(loaded, Known) or has_nodes(facts)):
        return None
    return Found(
        says("driver-library-unreachable", "found"),
        (
            evidence(case, "driver.module_version"),
            evidence(case, "driver.library", "libcuda.so.1 where the loader looks"),
            if_known(case, "driver.other_libraries"),
        ),
        _reach_library(case),
    )


def _without_number(case: Case, library: Library) -> Found | None:
    """libcuda.so.1 is found, and something asks for libcuda.so, which only packages for developers bring."""
    text = None if in_wsl(case.facts) else words(case.facts, "libcuda-plain-name")
    if text is None or not isinstance(library.path, Known):
        return None
    folder, _, name = library.path.value.rpartition("/")
    return Found(
        says("driver-library-unreachable", "without-number"),
        (text, evidence(case, "driver.library", "libcuda.so beside it")),
        (
            Fix(
                "Add the missing link",
                (fixes.sudo(case.facts, quoted("ln", "-s", name, f"{folder}/libcuda.so")),),
                "It adds a link next to the driver's library. In a container, add the line to the image's start script.",
            ),
        ),
        title=says("driver-library-unreachable", "without-number-title"),
        explains=frozenset(("smoke-tensorflow-failed", "native-crash", "check-failed")),
    )


def _reach_library(case: Case) -> tuple[Fix, ...]:
    facts, found = case.facts, installed_out_of_reach(case)
    if found:
        return search_here(facts, tuple(dict.fromkeys(path.rpartition("/")[0] for path in found)))
    if fixes.in_container(facts):
        note = "Start the container with -e NVIDIA_DRIVER_CAPABILITIES=compute,utility."
        return (
            Fix("Request the driver's compute capability", note=note),
            act("give-gpu", "start-with-gpu"),
        )
    loaded = facts.driver.module_version
    if isinstance(loaded, Known):
        return (
            fixes.install_libcuda(facts, loaded.value),
            fixes.install_driver(facts, case.matrix),
        )
    return (fixes.install_driver(facts, case.matrix),)


def _found_by_us_alone(case: Case, library: Library) -> Found | None:
    """libcuda is where this kind of system keeps it, but the loader, which TensorFlow asks, does not look there."""
    if library.found_via not in OUT_OF_REACH or not isinstance(library.path, Known):
        return None
    need_gpu(case)
    folder = library.path.value.rpartition("/")[0]
    return Found(
        says("driver-library-unreachable", "found-by-us-alone", folder=folder),
        (
            Evidence(
                "driver.library",
                f"found in {folder} only by looking there",
                "found by the loader",
                "dlopen(3)",
            ),
        ),
        search_here(case.facts, (folder,)),
    )


def _stub(case: Case) -> Found | None:
    refusal = refused_as(case, "driver-library-unreachable")
    if refusal is None:
        return None
    present = isinstance(nvidia_gpu(case.facts), Known)
    return Found(
        says("driver-library-unreachable", "stub"),
        (answer(refusal), evidence(case, "driver.library", "the driver's own libcuda")),
        (
            _off_the_stubs(case),
            fixes.install_driver(case.facts, case.matrix)
            if not installed_out_of_reach(case)
            else None,
        ),
        severity=None if present or case.policy.require_gpu else Severity.INFO,
        title=says("driver-library-unreachable", "stub-title"),
    )


def _off_the_stubs(case: Case) -> Fix:
    folder = supplied_by(case, "libcuda.so.1") or libcuda(case.facts).rpartition("/")[0]
    if folder in _library_path(case):
        return leave_out(case.facts, "LD_LIBRARY_PATH", folder)
    return act("change-path", "unset-library-path-with-stubs")


@check("driver-module-not-loaded", blocks=Ability.DRIVER)
def driver_module_not_loaded(case: Case) -> Found | None:
    """libcuda is installed, the kernel shows no module, cuInit does not start, and its answer names no other reason."""
    facts = case.facts
    if driver_starts(facts) or in_wsl(facts):
        return None
    installed = isinstance(case.need_outcome(facts.driver.library), Known) or bool(
        installed_out_of_reach(case)
    )
    if not installed or isinstance(case.need_outcome(facts.driver.module_version), Known):
        return None
    need_gpu(case)
    if no_gpu_given(facts) or not module_not_loaded(facts) or _other_reason(case):
        return None
    return Found(
        says("driver-module-not-loaded", "found", bound_elsewhere=bound_elsewhere(case)),
        (
            evidence(case, "driver.module_version", "a loaded kernel module"),
            if_known(case, "driver.init_code", "0"),
            evidence(case, "driver.module_on_disk", "an nvidia.ko for this kernel"),
            _rejected(case),
        ),
        _load_module(case),
        title=says("driver-module-not-loaded", "secure-boot-title") if _rejected(case) else "",
    )


def _other_reason(case: Case) -> bool:
    """cuInit named a fault of its own: a stub, a compat library."""
    said = case.facts.driver.init_code
    if isinstance(said, Failed) and isinstance(case.facts.driver.library, Known):
        case.cant_tell(said)
    return compat_library(case.facts) or value_or(said, 0) in (STUB_LIBRARY, 803, 804, 802)


_REFUSALS = (
    "unsigned module",
    "unavailable key",
    "Key was rejected",
    "module loading is restricted",
    "key not available",
)
"""What the kernel says of a module without a signature that it trusts (kernel/module/signing.c and Lockdown, 4.4 to 6.12)."""


def _rejected(case: Case) -> Evidence | None:
    lines = value_or(case.facts.kernel_log.nvidia_messages, ())
    line = next((each for each in lines if any(words in each for words in _REFUSALS)), "")
    return (
        Evidence("kernel_log.nvidia_messages", line, "the module is loaded", "the kernel log")
        if line
        else None
    )


def _signed(case: Case) -> tuple[Fix, ...]:
    """A key of one's own in the firmware's list (MOK), with which DKMS or akmods sign, or no Secure Boot."""
    key, make, build = (
        ("/etc/pki/akmods/certs/public_key.der", "kmodgenca -a", "akmods --force")
        if value_or(case.facts.host.package_manager, "") == "dnf"
        else (
            "/var/lib/shim-signed/mok/MOK.der",
            "update-secureboot-policy --new-key",
            "dkms autoinstall --force",
        )
    )
    enrol = Fix(
        "Enroll the key that signs the module",
        (fixes.sudo(case.facts, f"mokutil --import {key}"), fixes.sudo(case.facts, "reboot")),
        f"Choose a password and enter it again at the next start (Enroll MOK). If the file is missing, run `sudo {make}` and "
        f"`sudo {build}` first.",
    )
    off = act("install-driver", "turn-off-secure-boot")
    return (enrol, off)


def _load_module(case: Case) -> tuple[Fix, ...]:
    facts = case.facts
    if _rejected(case):
        return _signed(case)
    load = Fix(
        "Load the kernel module",
        (fixes.sudo(facts, "modprobe nvidia"),),
        f"Until the next reboot. {fixes.SEE_GPU}",
    )
    if isinstance(facts.driver.module_on_disk, Absent):
        note = (
            "There is no module for the running kernel: it was updated after the driver. DKMS builds one from the driver's "
            "source; with Secure Boot it must also be signed (mokutil --sb-state says whether that is on)."
        )
        build = Fix(
            "Build the module for this Linux kernel",
            (fixes.sudo(facts, "dkms autoinstall"), fixes.sudo(facts, "modprobe nvidia")),
            note,
        )
        return (build, fixes.install_driver(facts, case.matrix))
    if held_by(case, "nouveau"):
        return (fixes.without_nouveau(facts),)
    return (
        load,
        Fix(
            "See why it fails to load",
            (fixes.sudo(facts, "dmesg | grep -iE 'nvidia|NVRM|nouveau' | tail -n 20"),),
            "`Key was rejected` means Secure Boot and a module without a signature; `nouveau` in use means that it has to "
            "be blacklisted and the machine rebooted.",
        ),
        fixes.reboot(facts, "A module that was just installed is loaded at the start."),
    )


@check("driver-versions-differ", blocks=Ability.GPU)
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
        "Usually the driver was updated without a reboot. "
        + _what_differing_does(case, by_nvml_alone=by_cuda is None),
        (
            answer(by_cuda) if by_cuda else None,
            answer(by_nvml) if by_nvml else None,
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
        fixes.reboot(
            case.facts, "The kernel then loads the module that belongs to the installed libraries."
        ),
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
    return "No program can use the GPU until they match."


def _library_words(case: Case) -> str:
    release, path = known(library_release(case.facts)), libcuda(case.facts)
    return f"{release or 'release unknown'}{f' ({path})' if path else ''}"


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
    return act("look", "driver-copies")


_HARM = {
    "dropped": "Driver {release} no longer supports {gpu}; branch {branch} is the last that does.",
    "too old": "Driver {release} is too old for {gpu}; install branch {branch}.",
    "not listed": "Driver {release} does not list {gpu}; drivers list it from {listed} on.",
    "open": "{gpu} needs NVIDIA's open kernel module, but the proprietary one is loaded.",
    "proprietary": "{gpu} needs NVIDIA's proprietary kernel module; the open one supports Turing (2018) and newer.",
}


@check("driver-lacks-gpu", blocks=Ability.NOTHING)
def driver_lacks_gpu(case: Case) -> Found | None:
    """The kernel log's own words about a GPU that the module ignores, else the GPU's number on the bus against the
    driver's branch and kind of module. A warning where the driver starts for other GPUs, and where it is only
    older than the first release that lists this product.
    """
    facts = case.facts
    works = driver_starts(facts)
    installed = isinstance(facts.driver.library, Known) or isinstance(
        facts.driver.module_version, Known
    )
    if not installed or in_wsl(facts) or no_gpu_given(facts):
        return None
    if not works and isinstance(case.need_outcome(facts.host.gpus_on_bus), Absent):
        return None
    found = ignored(facts, case.matrix)
    if not found:
        return None
    worst = found[0]
    harm = _HARM[worst.why].format(
        release=worst.release, gpu=worst.gpu, branch=worst.branch, listed=worst.listed
    )
    rest = (
        "TensorFlow uses the other GPUs alone."
        if works
        else "The driver answers as if there were no GPU, and TensorFlow runs on the CPU."
    )
    return Found(
        f"{harm[:1].upper()}{harm[1:]} {rest}",
        (
            *_seen(worst),
            evidence(case, "driver.module_version"),
            answer(refusal) if (refusal := answered_as(case, "driver-lacks-gpu")) else None,
        ),
        (
            fixes.fitting_driver(facts, case.matrix, worst.branch, worst.module),
            fixes.kernel_log(facts),
        ),
        Confidence.CERTAIN if worst.said else Confidence.LIKELY,
        Severity.WARNING if works or worst.why == "not listed" else None,
    )


def _seen(refused: Refused) -> tuple[Evidence, ...]:
    bus = Evidence(
        "host.gpus_on_bus",
        refused.gpu,
        "a GPU that this driver serves",
        "NVIDIA's driver release notes",
    )
    return (Evidence("kernel_log.nvidia_messages", refused.said), bus) if refused.said else (bus,)


@check("driver-too-old", blocks=Ability.GPU)
def driver_too_old(case: Case) -> Found | None:
    """cuInit's own answer, else the driver's release against the floor of the build's CUDA in the matrix, else the newest
    CUDA that the driver offers. A compat libcuda that starts carries a newer CUDA on an older module.
    """
    facts = case.facts
    need_gpu(case)
    refusal = answered_as(case, "driver-too-old")
    if refusal is not None:
        return Found(
            says("driver-too-old", "by-the-runtime"),
            (answer(refusal), evidence(case, "driver.version")),
            _ways(case, _known_floor(case)),
        )
    cuda = case.need(build_of(case).cuda)
    floor = case.matrix.driver_floor(cuda, driver_os(facts))
    if compat_library(facts) and driver_starts(facts):
        return (
            None  # a newer libcuda on an older kernel module, which NVIDIA allows and which starts
        )
    if not isinstance(facts.driver.version, Known):
        return _by_cuda_offered(case, cuda)
    release = facts.driver.version.value
    if release >= (needed := case.need(floor)):
        return None
    return Found(
        says("driver-too-old", "found", version=_version(case), cuda=cuda),
        (
            evidence(
                case,
                "driver.version",
                f">={needed}",
                floor.source if isinstance(floor, Known) else "",
            ),
            evidence(case, "driver.cuda_version", f"at least {cuda.major}.0"),
            evidence(case, "tensorflow.build", observed=f"built with CUDA {cuda}"),
        ),
        _ways(case, needed),
    )


def _known_floor(case: Case) -> DriverRelease | None:
    """The release that this build needs; None where nobody knows. Raises NotApplicable for a build without CUDA."""
    try:
        return case.need(
            case.matrix.driver_floor(case.need(build_of(case).cuda), driver_os(case.facts))
        )
    except Inconclusive:
        return None


def _version(case: Case) -> str:
    return value_or(case.facts.tensorflow.version, "here")


def _by_cuda_offered(case: Case, cuda: CudaRelease) -> Found | None:
    """Without the driver's release: the newest CUDA that it offers is of an older major than the build's."""
    offered = case.need(case.facts.driver.cuda_version)
    if offered.major >= cuda.major:
        return None
    return Found(
        says(
            "driver-too-old", "by-cuda-offered", offered=offered, version=_version(case), cuda=cuda
        ),
        (
            evidence(
                case,
                "driver.cuda_version",
                f">={cuda.major}.0",
                "a driver runs programs of its own CUDA major and older ones",
            ),
        ),
        _ways(case, None),
        Confidence.LIKELY,
    )


def _ways(case: Case, at_least: DriverRelease | None) -> tuple[Fix, ...]:
    fitting = release_that_fits(case.facts, case.matrix, "this driver runs")
    return (fixes.install_driver(case.facts, case.matrix, at_least), *fitting, on_cpu())


@check("driver-too-old-for-ptx", blocks=Ability.GPU)
def driver_too_old_for_ptx(case: Case) -> Found | None:
    """The GPU gets kernels as PTX from this build, and the matrix names a newer driver as the first that compiles that
    version of PTX. Certain where the stage's words say so.
    """
    quoted_line = tensorflow_said(case, "driver-too-old-for-ptx")
    undecided = ""
    for each in served(case):
        fit = each.fit
        undecided = undecided or unknown(fit) or _unknown_driver(case, fit)
        if not isinstance(fit, Known) or fit.value.service is not Service.DRIVER_TOO_OLD:
            continue
        needed = case.need(fit.value.driver_needed)
        return Found(
            says(
                "driver-too-old-for-ptx",
                "found",
                device=each.device.name,
                capability=each.device.capability,
                needed=needed,
            ),
            (
                evidence(case, "driver.version", f">={needed}", fit.source),
                evidence(case, each.device.path, observed=each.device.shown),
                evidence(case, "tensorflow.build", observed=each.says),
            ),
            _ways(case, needed),
            Confidence.CERTAIN if quoted_line else Confidence.LIKELY,
        )
    if undecided:
        raise Inconclusive(undecided)
    return None


def _unknown_driver(case: Case, fit: Fact[Fit]) -> str:
    """PTX has to be compiled, and nobody knows by which driver."""
    version, offered = case.facts.driver.version, case.facts.driver.cuda_version
    compiles = isinstance(fit, Known) and isinstance(fit.value.driver_needed, Known)
    return (
        version.error
        if compiles and isinstance(version, Failed) and not isinstance(offered, Known)
        else ""
    )


@check("forward-compat-unsupported", blocks=Ability.DRIVER)
def forward_compat_unsupported(case: Case) -> Found | None:
    """A libcuda from a cuda-compat folder that does not start, whatever it answers; or the answer 804 of another one."""
    refusal = refused_as(case, "forward-compat-unsupported")
    if refusal is None:
        return None
    return Found(
        says("forward-compat-unsupported", "found"),
        (
            answer(refusal),
            evidence(
                case,
                "driver.library",
                "the driver's own libcuda",
                observed=libcuda(case.facts) or "libcuda.so.1",
            ),
            evidence(case, "driver.module_version"),
        ),
        _ways_from_compat(case),
        Confidence.CERTAIN if compat_library(case.facts) else Confidence.LIKELY,
    )


def _ways_from_compat(case: Case) -> tuple[Fix, ...]:
    """Without the package first, unless this build needs a newer driver and no cuda-compat runs on this GPU."""
    remove = (
        'sh -c \'apt-get remove --yes "cuda-compat-*" || dnf remove --assumeyes "cuda-compat-*"\''
    )
    without = (
        *_leave_compat_out(case),
        Fix(
            "Remove the cuda-compat package",
            (fixes.sudo(case.facts, remove),),
            "The driver's own libcuda is then found. In a container, remove it from the image.",
        ),
    )
    versions, newer = pair(case.facts), fixes.install_driver(case.facts, case.matrix)
    needed = _known_floor(case) if isinstance(build_of(case).cuda, Known) else None
    too_old = versions is not None and needed is not None and versions[0] < needed
    return (newer, *without) if too_old and for_consumers(case.facts) else (*without, newer)


def _leave_compat_out(case: Case) -> tuple[Fix, ...]:
    """By what led the loader there: LD_LIBRARY_PATH, or the system's own list of folders. A folder with the system's own libraries stays."""
    library = case.facts.driver.library
    folder = libcuda(case.facts).rpartition("/")[0]
    if isinstance(library, Known) and library.value.found_via == "ld.so.cache" and folder:
        if not folder.endswith("/compat"):
            return ()
        away = AsWord(
            "grep -lE {{listed}} /etc/ld.so.conf.d/*.conf | xargs -r sed -i.bak {{out}} && ldconfig",
            listed=AsWord("^{{folder}}/?$", folder=folder),
            out=AsWord("\\#^{{folder}}#s/^/# /", folder=folder),
        )
        note = (
            "It comments the folder out in the list that the loader's cache is made of, and keeps the old file beside it. In an image, put "
            "the same line into the Dockerfile."
        )
        return (
            Fix(
                "Remove the compat directory from the loader's cache",
                (fixes.sudo(case.facts, quoted("sh", "-c", away)),),
                note,
            ),
        )
    if folder and folder in _library_path(case):
        return (leave_out(case.facts, "LD_LIBRARY_PATH", folder),)
    return (act("change-path", "remove-compat-directory-from-library-path"),)


def _library_path(case: Case) -> list[str]:
    """LD_LIBRARY_PATH's entries without a trailing slash."""
    return [
        each.rstrip("/") for each in variables(case.facts).get("LD_LIBRARY_PATH", "").split(":")
    ]


@check("uvm-broken", blocks=Ability.DRIVER)
def uvm_broken(case: Case) -> Found | None:
    """cuInit's answer 999 (unknown) that nothing else explains, or any refusal where /dev/nvidia-uvm is missing beside the
    GPU's own nodes, which makes it certain.
    """
    refusal = refused_as(case, "uvm-broken")
    if refusal is None:
        return None
    facts = case.facts
    inside, missing = fixes.in_container(facts), isinstance(facts.host.uvm_node, Absent)
    return Found(
        says("uvm-broken", "found"),
        (
            answer(refusal),
            evidence(
                case,
                "host.uvm_node",
                "" if isinstance(facts.host.uvm_node, Known) else "/dev/nvidia-uvm",
            ),
            evidence(case, "nvml.init_code"),
        ),
        (
            *(_expose_uvm(case) if inside else ()),
            *_uvm_ways(case, " (on the host)" if inside else ""),
            fixes.reboot(facts, "The module starts with a clean state."),
        ),
        Confidence.CERTAIN if missing else Confidence.LIKELY,
        title=says("uvm-broken", "missing-title")
        if missing
        else says("uvm-broken", "silent-title"),
    )


def _uvm_ways(case: Case, where: str) -> tuple[Fix, ...]:
    """A device that is missing is made; one that is there and does not answer has lost its state."""
    facts = case.facts
    make = Fix(
        f"Create the device and load the module{where}",
        (
            "sudo nvidia-modprobe -u -c=0"
            if where
            else fixes.sudo(facts, "nvidia-modprobe -u -c=0"),
        ),
        "Then: tfdoctor check --smoke driver",
        Action("restart", "create-device-and-load-module"),
        "machine",
        "host" if where else "",
    )
    again = Fix(
        f"Reload the module after sleep{where}",
        (
            fixes.sudo(facts, "modprobe --remove nvidia_uvm"),
            fixes.sudo(facts, "modprobe nvidia_uvm"),
        ),
        "End all programs that use CUDA first.",
        Action("restart", "reload-nvidia-uvm"),
        "machine",
        "host" if where else "",
    )
    return (again, make) if isinstance(facts.host.uvm_node, Known) else (make,)


def _expose_uvm(case: Case) -> tuple[Fix, ...]:
    if known(case.facts.host.container) == "lxc":
        return (act("give-gpu", "start-with-gpu"),)
    note = "Start the container with --gpus all (docker) or --device nvidia.com/gpu=all (podman) instead of single --device entries."
    return (Fix("Pass all GPU devices to the container", note=note, action=Action("give-gpu")),)


@check("fabric-manager-not-running", blocks=Ability.DRIVER)
def fabric_manager_not_running(case: Case) -> Found | None:
    """The driver's answer that means it (802, system not yet initialised)."""
    refusal = refused_as(case, "fabric-manager-not-running")
    if refusal is None:
        return None
    facts = case.facts
    version = known(facts.driver.version)
    install = Fix(
        f"Install the fabric manager for driver {version}"
        if version
        else "Install the fabric manager matching the driver",
        _fabric_packages(case, str(version.major) if version else ""),
        "Its version must match the driver's exactly: nvidia-smi and `nv-fabricmanager --version` show both.",
    )
    start = Fix(
        "Start the fabric manager" + (" (on the host)" if fixes.in_container(facts) else ""),
        (fixes.sudo(facts, "systemctl enable --now nvidia-fabricmanager"),),
        "It initializes the switches between the GPUs, which takes up to a minute. `systemctl status "
        "nvidia-fabricmanager` must say active; nvidia-smi -q must say `Fabric … State: Completed`.",
    )
    return Found(
        says("fabric-manager-not-running", "found"),
        (answer(refusal), evidence(case, "driver.version")),
        (start, install, fixes.kernel_log(facts)),
    )


def _fabric_packages(case: Case, branch: str) -> tuple[str, ...]:
    if not branch or fixes.in_container(case.facts):
        return ()
    return system_install(
        case.facts, apt=f"nvidia-fabricmanager-{branch}", dnf="nvidia-fabric-manager"
    )


@check("wsl-container-toolkit-old", blocks=Ability.DRIVER)
def wsl_container_toolkit_old(case: Case) -> Found | None:
    """The driver's answer 500 (not found) in a container in WSL: a part of the driver was not handed in."""
    refusal = refused_as(case, "wsl-container-toolkit-old")
    if refusal is None:
        return None
    return Found(
        says("wsl-container-toolkit-old", "found"),
        (answer(refusal), evidence(case, "driver.version"), evidence(case, "host.container")),
        (act("install-software", "update-container-toolkit-in-wsl"),),
        Confidence.LIKELY,
    )


TITLES = {
    frozenset({True}): "A call to the driver hangs.",
    frozenset({False}): "A call to the driver crashes.",
}
"""By whether the calls hang."""


@check("driver-unresponsive", blocks=Ability.NOTHING)
def driver_unresponsive(case: Case) -> Found | None:
    """A call into the driver or NVML, or the driver stage, that hung, crashed or ended its caller. A kernel that does not
    end is smoke-timeout.
    """
    proof = _silent_calls(case)
    if not proof:
        for library, said in (
            (case.facts.driver.library, case.facts.driver.init_code),
            (case.facts.nvml.library, case.facts.nvml.init_code),
        ):
            if not loader_error(library):
                case.need_outcome(said)
        return None
    facts = case.facts
    return Found(
        says("driver-unresponsive", "found"),
        tuple(each for each, _ in proof),
        (
            fixes.kernel_log(facts),
            act("look", "stuck-processes"),
            fixes.reload_modules(facts),
            fixes.reboot(facts, "The driver and the GPU start afresh."),
        ),
        title=TITLES.get(frozenset(hangs for _, hangs in proof), ""),
    )


def _silent_calls(case: Case) -> tuple[tuple[Evidence, bool], ...]:
    """Each with whether it hangs; else its caller died or was ended."""
    facts = case.facts
    asked: dict[str, AnyFact] = {
        "driver.library": facts.driver.library,
        "driver.init_code": facts.driver.init_code,
        "driver.devices": facts.driver.devices,
        "nvml.library": facts.nvml.library,
        "nvml.init_code": facts.nvml.init_code,
        "nvml.devices": facts.nvml.devices,
    }
    found: dict[str, tuple[str, bool]] = {}
    for path, fact in asked.items():
        said = no_response(fact)
        if said and said not in [words for words, _ in found.values()]:
            found[path] = (said, isinstance(fact, Failed) and fact.kind == "timed-out")
    smoke = facts.smoke.driver
    stage = ended_badly(smoke.value.end) if isinstance(smoke, Known) else ""
    if isinstance(smoke, Known) and stage and not kernel_ran_out(case):
        step = next((each.step for each in smoke.value.devices if each.status == "failed"), "")
        place = f" in {step}" if step else ""
        found["smoke.driver"] = (
            f"the driver stage {stage}{place}",
            smoke.value.end.how != "signal",
        )
    return tuple(
        (Evidence(path, said, "an answer"), hangs) for path, (said, hangs) in found.items()
    )


KERNEL_STEPS = (
    "cuLaunchKernel",
    "cuCtxSynchronize",
    "cuStreamSynchronize",
    "cuEventSynchronize",
    "cuMemcpyDtoH",
)
"""Where a kernel that does not end is waited for; a hang there is smoke-timeout."""


def kernel_ran_out(case: Case) -> str:
    """The call that waited for a kernel which did not end; "" where none did."""
    smoke = case.facts.smoke.driver
    if not isinstance(smoke, Known) or smoke.value.end.how != "timeout":
        return ""
    failed = [each.step for each in smoke.value.devices if each.status == "failed"]
    return next((step for step in failed if step.startswith(KERNEL_STEPS)), "")


@check("nvml-unusable", blocks=Ability.GPU)
def nvml_unusable(case: Case) -> Found | None:
    """NVML's library is not found or refuses to start, beside a GPU that is there and a build with CUDA. An error where
    this TensorFlow asks NVML for the GPUs (2.21 on) or nothing else starts, else a warning.
    """
    facts = case.facts
    need_gpu(case)
    if _no_use_for_nvml(case):
        return None
    library = facts.nvml.library
    if no_response(library) or no_response(facts.nvml.init_code):
        case.need(facts.nvml.init_code)
    refusal = None
    if isinstance(library, Known):
        refusal = nvml_refusal(case)
        if refusal is None or refusal.code != "nvml-unusable":
            return None
    elif not loader_error(library):
        case.need_outcome(library)
    return _without_nvml(case, refusal)


def _no_use_for_nvml(case: Case) -> bool:
    """A TensorFlow without CUDA asks for none; a container that was given no GPU gets no NVML, either."""
    build = case.facts.tensorflow.build
    bare = isinstance(build, Known) and isinstance(build.value.cuda, Absent)
    return bare or hidden_at_start(case.facts)


def _without_nvml(case: Case, refusal: Refusal | None) -> Found:
    facts = case.facts
    needed = at_least(facts.tensorflow.version, 2, 21)
    silent = not isinstance(needed, Known) or needed.value
    effect = (
        "TensorFlow 2.21 and newer asks NVML for the GPUs; without it they show none and log nothing."
        if silent
        else "This TensorFlow does without NVML; nvidia-smi and GPU memory monitoring do not work."
    )
    works = driver_starts(facts)
    return Found(
        ("The driver itself starts, but NVML, " if works else "NVML, ")
        + "the library behind nvidia-smi, can't be used. "
        + effect,
        (
            answer(refusal) if refusal else evidence(case, "nvml.library", "libnvidia-ml.so.1"),
            if_known(case, "driver.init_code", "0"),
        ),
        _bring_nvml(case, refusal),
        severity=None if silent or not works else Severity.WARNING,
    )


def _bring_nvml(case: Case, refusal: Refusal | None) -> tuple[Fix, ...]:
    facts = case.facts
    if fixes.in_container(facts):
        note = (
            "Start the container with -e NVIDIA_DRIVER_CAPABILITIES=compute,utility (NVML belongs to `utility`). If it worked "
            "and stopped, create the container again: a reload of systemd takes its devices away."
        )
        return (Fix("Request the driver's utility capability", note=note),)
    if refusal is not None and refusal.number == 4:
        return (fixes.see_permissions(facts),)
    if refusal is not None:
        return (fixes.kernel_log(facts), fixes.reboot(facts, "The driver starts afresh."))
    return (_utility_package(case),)


def _utility_package(case: Case) -> Fix:
    version = known(case.facts.driver.version)
    branch = (version or fixes.BRANCH).major
    commands = system_install(
        case.facts,
        apt=f"libnvidia-compute-{branch} nvidia-utils-{branch}",
        dnf="xorg-x11-drv-nvidia-cuda",
    )
    return Fix(
        "Install the driver's utility package",
        commands,
        f"It must be of the version of the running driver ({version or 'see /proc/driver/nvidia/version'}). "
        f"{fixes.SEE_GPU}",
    )


CODE = "gpu-device-permission"
_AMD = "/dev/kfd"


@check(CODE, blocks=Ability.DRIVER)
def device_permission(case: Case) -> Found | None:
    """Device nodes that this user may not open; or NVML's answer 4, or ROCm's words for that."""
    refusal = _refused(case)
    closed = value_or(case.facts.host.closed_nodes, ())
    amd, words = _rocm_refused(case), _rocm_words(case)
    if amd:
        case.need_outcome(case.facts.host.closed_nodes)
    nodes = [
        each for each in closed if refusal or (amd and not each.path.startswith("/dev/nvidia"))
    ]
    if refusal is None and not words and not (amd and nodes):
        return None
    groups = tuple(dict.fromkeys(each.group for each in nodes if each.group not in ("", "root")))
    named = ", ".join(each.path for each in nodes) or (
        _AMD if amd or words else "/dev/nvidiactl and /dev/nvidia0"
    )
    return Found(
        says("gpu-device-permission", "found"),
        (
            answer(refusal) if refusal else None,
            if_known(case, "nvml.init_code", "0") if refusal else None,
            *(Evidence("host.closed_nodes", f"{each.path} (group {each.group or 'unknown'})", "may be opened for reading and writing", "access(2)") for each in nodes),
            Evidence("smoke.tensorflow", words[:300], "the GPU can be opened", "the TensorFlow stage") if words else None,
            evidence(case, "host.gpu_device_nodes") if not nodes else None,
        ),
        _permission_ways(case, groups, amd=amd or bool(words)),
        Confidence.CERTAIN if nodes or words else Confidence.LIKELY,
        title=says("gpu-device-permission", "title", named=named),
    )  # fmt: skip


def _refused(case: Case) -> Refusal | None:
    """cuInit's or NVML's answer, where it means this."""
    for said, ask in (
        (case.facts.driver.init_code, cuda_refusal),
        (case.facts.nvml.init_code, nvml_refusal),
    ):
        refusal = ask(case) if isinstance(said, Known) else None
        if refusal is not None and refusal.code == CODE:
            return refusal
    return None


def _rocm_refused(case: Case) -> bool:
    """A build for AMD's GPUs, one of which is here, and TensorFlow shows none."""
    return made_for_rocm(case.facts) and "amd" in _vendors(case)


def _rocm_words(case: Case) -> str:
    """Also of a stage that passed: TensorFlow runs on the CPU then."""
    smoke = case.facts.smoke.tensorflow
    if not isinstance(smoke, Known) or value_or(smoke.value.gpus, ()):
        return ""
    return first_of((*texts_of(smoke.value), *smoke.value.end.stderr_tail), "kfd-refused")


def _permission_ways(case: Case, groups: tuple[str, ...], *, amd: bool) -> tuple[Fix, ...]:
    facts = case.facts
    if fixes.in_container(facts):
        note = (
            "Add --device /dev/kfd --device /dev/dri --group-add video --group-add render to your own docker run; groups count by number, so "
            "where the host's `render` has another, name that number (getent group render)."
            if amd
            else "Start the container with --gpus all, as a user whom the host lets open the devices. On a host with SELinux (Fedora, RHEL): "
            "--security-opt label=disable, or on the host `sudo setsebool -P container_use_devices=true`."
        )
        return (Fix("Pass the devices with permission (on the host)", note=note),)
    wanted = groups or (("render", "video") if amd else ())
    after = "Then log in again; restart services and Jupyter servers."
    see = fixes.see_permissions(facts) if not amd else act("look", "amd-device-files")
    if not wanted:
        return (see,)
    join = Fix(f"Join the {' and '.join(wanted)} {'group' if len(wanted) == 1 else 'groups'}", (fixes.sudo(facts, quoted("usermod", "-aG", ",".join(wanted), Words('"$(id -un)"'))),), after)  # fmt: skip
    return (join, see)


@check("gpu-absent", blocks=Ability.DRIVER)
def gpu_absent(case: Case) -> Found | None:
    """Nothing shows a GPU of NVIDIA: no device on the bus, no node, no driver that starts; nor one of another vendor that
    this build serves. An error only where a GPU is required.
    """
    facts = case.facts
    if isinstance(case.need_outcome(nvidia_gpu(facts)), Known) or _other_vendor(case):
        return None
    required = bool(case.policy.require_gpu)
    inside = isinstance(boxed(facts), Known)
    maker = _other_maker(case)
    return Found(
        _REACH[maker],
        (
            evidence(
                case,
                "host.gpus_on_bus",
                "an NVIDIA GPU" if required else "",
                observed=f"a GPU of {maker}'s" if maker else "",
            ),
            evidence(case, "host.gpu_device_nodes"),
            if_known(case, "driver.init_code"),
        ),
        (_OF_ITS_MAKER.get(maker), *_ways_to_a_gpu(case, inside=inside)) if required else (),
        severity=Severity.ERROR if required else Severity.INFO,
        title=says("gpu-absent", "maker-title", maker=maker) if maker else "",
    )


_REACH = {
    "": "TensorFlow runs on the CPU.",
    "AMD": "The GPU here is AMD's, for which this TensorFlow holds no code, so it runs on the CPU; AMD publishes builds of its own for Linux "
    "(tensorflow-rocm).",
    "Intel": "The GPU here is Intel's, for which TensorFlow holds no code, so it runs on the CPU; Intel's plug-in, which ended with "
    "TensorFlow 2.15, serves its data center and Arc GPUs.",
}
_OF_ITS_MAKER = {
    "AMD": act("change-packages", "use-amds-build"),
    "Intel": act("new-environment", "use-intels-plug-in"),
}


def _other_maker(case: Case) -> str:
    """ "AMD" or "Intel" where its GPU is the only one; "" for none."""
    if _vendors(case) == {"amd"}:
        return "AMD"
    return "Intel" if isinstance(case.facts.host.intel_gpu, Known) else ""


def _vendors(case: Case) -> set[str]:
    return {gpu.vendor for gpu in value_or(case.facts.host.gpus_on_bus, ())}


def _other_vendor(case: Case) -> bool:
    """An AMD GPU with a ROCm build, Intel's with its plug-in, or Apple's: supported in another way."""
    vendors, plugins = _vendors(case), value_or(case.facts.tensorflow.plugins, ())
    intel = isinstance(case.facts.host.intel_gpu, Known) and any(
        each.startswith(("intel", "libitex")) for each in plugins
    )
    return "apple" in vendors or ("amd" in vendors and made_for_rocm(case.facts)) or intel


def _ways_to_a_gpu(case: Case, *, inside: bool) -> tuple[Fix, ...]:
    if in_wsl(case.facts):
        return (
            *((act("give-gpu", "start-with-gpu"),) if inside else ()),
            fixes.install_driver(case.facts, case.matrix),
        )
    note = "In a virtual machine, pass a GPU through in the hypervisor; in a cloud, choose a machine type with one."
    ways: tuple[Fix, ...] = (Fix("Use a machine with an NVIDIA GPU", note=note),)
    if inside:
        ways = (act("give-gpu", "start-with-gpu"), *ways)
    accept = Fix(
        "Use the CPU",
        (Words("tfdoctor check --no-require-gpu"),),
        "The same check without requiring a GPU.",
    )
    return (*ways, accept)


@check("container-without-gpu", blocks=Ability.DRIVER)
def container_without_gpu(case: Case) -> Found | None:
    """In a container or job: a GPU on the bus that no device node leads to, or a libcuda that is a stub. Without hardware
    on the bus nothing was held back.
    """
    facts = case.facts
    if case.policy.to_be_built:
        return _not_requested(case)
    refusal = answered_as(case, "container-without-gpu")
    if refusal is None:
        if driver_starts(facts) or hiding.hidden_at_start(facts):
            return None
        if not nvidia_on_bus(facts):
            if _asked_of_docker_desktop(case):
                return _in_docker_desktop(case)
            _nothing_to_hand_in(case)
            return None
        case.need(boxed(facts))
        if not _nothing_inside(case):
            return None
    present = (
        nvidia_on_bus(facts) or case.policy.require_gpu or not isinstance(nvidia_gpu(facts), Absent)
    )
    return Found(
        says("container-without-gpu", "nvidia-on-bus", kind=_kind(case))
        if nvidia_on_bus(facts)
        else says("container-without-gpu", "found", kind=_kind(case)),
        (
            evidence(
                case, "host.gpus_on_bus", observed="an NVIDIA GPU" if nvidia_on_bus(facts) else ""
            ),
            evidence(case, "host.gpu_device_nodes", "/dev/nvidia0 or another"),
            answer(refusal) if refusal else None,
            if_known(case, "host.scheduler", "a GPU granted", observed=_granted(case)),
        ),
        (act("give-gpu", "start-with-gpu"),),
        severity=None if present else Severity.INFO,
    )


def _not_requested(case: Case) -> Found | None:
    """A build file that starts a container or job with a GPU build of TensorFlow and requests no GPU for it. Some clusters and runtimes
    give one unasked, so it is a warning."""
    need_gpu(case)
    if not isinstance(case.need_outcome(case.facts.host.gpu_device_nodes), Absent):
        return None
    return Found(
        says("container-without-gpu", "not-requested"),
        (evidence(case, "host.gpu_device_nodes", "a GPU"),),
        (act("give-gpu", "start-with-gpu"),),
        Confidence.LIKELY,
        Severity.WARNING,
        title=says("container-without-gpu", "not-requested-title"),
    )


def _asked_of_docker_desktop(case: Case) -> bool:
    """A container in the virtual machine of Docker Desktop for Linux or macOS, whose kernel is LinuxKit's, with an image or an
    option that asks for GPUs. On Windows Docker Desktop runs in WSL, which can hand them in.
    """
    facts = case.facts
    asked = hiding.variable(facts, hiding.CONTAINER_VARIABLE) or ""
    inside = isinstance(facts.host.container, Known) and "linuxkit" in value_or(
        facts.host.kernel, ""
    )
    return (
        inside and asked not in ("", "void", "none") and not has_nodes(facts) and not in_wsl(facts)
    )


def _in_docker_desktop(case: Case) -> Found:
    asked = hiding.variable(case.facts, hiding.CONTAINER_VARIABLE)
    return Found(
        says("container-without-gpu", "in-docker-desktop"),
        (
            evidence(case, "host.kernel", "a kernel of the machine itself"),
            Evidence("environment.variables", f"{hiding.CONTAINER_VARIABLE}={asked}", "", "the image or its start asks for GPUs"),
            evidence(case, "host.gpu_device_nodes", "/dev/nvidia0 or another"),
        ),
        (
            act("give-gpu", "use-docker-engine"),
        ),
        severity=None if case.policy.require_gpu else Severity.WARNING,
        title=says("container-without-gpu", "in-docker-desktop-title"),
    )  # fmt: skip


def _nothing_to_hand_in(case: Case) -> None:
    """Without hardware on the bus nothing was held back; where nobody could look, nothing is decided."""
    if not isinstance(boxed(case.facts), Absent) and not has_nodes(case.facts):
        case.need_outcome(case.facts.host.gpus_on_bus)


def _nothing_inside(case: Case) -> bool:
    if no_gpu_given(case.facts):
        no_device = value_or(case.facts.driver.init_code, 0) in (100, 101)
        return no_device or not has_nodes(case.facts)
    case.need_outcome(case.facts.host.gpu_device_nodes)
    return False


def _kind(case: Case) -> str:
    return "container" if isinstance(case.facts.host.container, Known) else "job"


def _granted(case: Case) -> str:
    job = case.facts.host.scheduler
    if not isinstance(job, Known):
        return ""
    gpus = job.value.gpus
    return (
        f"{job.value.kind} granted GPU {gpus.value}"
        if isinstance(gpus, Known)
        else f"{job.value.kind} granted none"
    )


@check("container-lost-gpu", blocks=Ability.DRIVER)
def container_lost_gpu(case: Case) -> Found | None:
    """NVML answers 999, and cuInit finds no GPU or does not know why it fails, in a container whose device nodes are
    still there.
    """
    refusal = refused_as(case, "container-lost-gpu")
    if refusal is None:
        return None
    return Found(
        says("container-lost-gpu", "found"),
        (
            answer(refusal),
            evidence(case, "nvml.init_code", "0"),
            evidence(case, "host.gpu_device_nodes"),
        ),
        (act("restart", "container"), act("give-gpu", "prevent-lost-gpu-with-cdi")),
        Confidence.LIKELY,
    )


@check("vgpu-unlicensed", blocks=Ability.NOTHING)
def vgpu_unlicensed(case: Case) -> Found | None:
    """NVML says unlicensed, or the driver's answer means it: then it is an error."""
    refused = answered_as(case, "vgpu-unlicensed")
    states = (
        [] if refused else [device.vgpu_license for device in case.need(case.facts.nvml.devices)]
    )
    unlicensed = any(known(state) == "unlicensed" for state in states)
    if not refused and not unlicensed:
        for state in states:
            case.need_outcome(state)
        return None
    return Found(
        says("vgpu-unlicensed", "found"),
        (
            answer(refused)
            if refused
            else evidence(case, "nvml.devices", "licensed", observed="a vGPU without a licence"),
        ),
        (act("look", "vgpu-license"),),
        severity=Severity.ERROR if refused else None,
        title=says("vgpu-unlicensed", "title"),
    )


@check("gpu-hidden", blocks=Ability.GPU)
def gpu_hidden(case: Case) -> Found | None:
    """CUDA_VISIBLE_DEVICES or NVIDIA_VISIBLE_DEVICES, read as CUDA and the container runtime read them, against the GPUs
    that exist. A warning where some are left.
    """
    facts = case.facts
    need_gpu(case)
    case.need(facts.environment.variables)
    if hiding.hidden_at_start(facts) and not driver_starts(facts):
        return _hidden_at_start(case)
    request = hiding.hidden_by_cuda(facts)
    if request is None or (driver_starts(facts) and not request.usable):
        return None
    some = bool(request.usable)
    return Found(
        f"CUDA_VISIBLE_DEVICES={request.text!r} hides "
        + (
            "every GPU from this process"
            if not some
            else "GPUs: CUDA reads the list up to the first entry that names none"
        )
        + f": {request.why}.",
        (
            Evidence(
                "environment.variables",
                f"CUDA_VISIBLE_DEVICES={request.text}",
                "numbers or UUIDs of GPUs that exist",
            ),
            if_known(case, "driver.init_code"),
        ),
        (unset(hiding.CUDA_VARIABLE), *_existing(case)),
        severity=Severity.WARNING if some else None,
    )


def _existing(case: Case) -> tuple[Fix, ...]:
    count = hiding.gpu_count(case.facts)
    if not count:
        return ()
    return (unset(hiding.CUDA_VARIABLE, ",".join(str(index) for index in range(count))),)


def _hidden_at_start(case: Case) -> Found:
    given = hiding.variable(case.facts, hiding.CONTAINER_VARIABLE)
    note = (
        "Start a new container with -e NVIDIA_VISIBLE_DEVICES=all, or without that variable and with --gpus all. It is "
        "read when the container starts; setting it inside has no effect."
    )
    return Found(
        says("gpu-hidden", "hidden-at-start", given=repr(given)),
        (
            Evidence(
                "environment.variables",
                f"NVIDIA_VISIBLE_DEVICES={given}",
                "all, or numbers of GPUs",
            ),
            evidence(case, "host.gpu_device_nodes"),
        ),
        (
            Fix("Start the container with another value", note=note),
            act("give-gpu", "start-with-gpu"),
        ),
    )
