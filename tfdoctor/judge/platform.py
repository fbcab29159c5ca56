"""The system under TensorFlow: Python, the C library, the CPU, Windows, WSL."""

from __future__ import annotations

import re
from collections.abc import Iterator

from tfdoctor.base.signals import SIGILL
from tfdoctor.facts.outcome import Fact, known
from tfdoctor.facts.values import Library
from tfdoctor.facts.versions import GlibcRelease, PythonRelease, read_release
from tfdoctor.fix.containers import nvidias_container
from tfdoctor.fix.machine import machine_from_facts
from tfdoctor.fix.packages import fitting, in_new_environment
from tfdoctor.fix.variables import leave_out
from tfdoctor.judge.interface import (
    Ability,
    Absent,
    Case,
    Confidence,
    Evidence,
    Failed,
    Fix,
    Found,
    Inconclusive,
    Known,
    Severity,
    act,
    check,
    says,
    value_or,
)
from tfdoctor.judge.interface import evidence as evidence_of
from tfdoctor.judge.questions import packages as environment
from tfdoctor.judge.questions.abilities import abilities_seen
from tfdoctor.judge.questions.build import platform_of, row_of
from tfdoctor.judge.questions.gpu import WSL_FOLDER, libcuda
from tfdoctor.judge.questions.import_failures import by_words
from tfdoctor.judge.questions.search_paths import supplied_by
from tfdoctor.judge.questions.stage_output import died_of, must_have_listened, words
from tfdoctor.judge.questions.variables import variables
from tfdoctor.knowledge.lines import setting
from tfdoctor.knowledge.matrix.model import Release


@check("os-gpu-unsupported", blocks=Ability.GPU)
def os_gpu_unsupported(case: Case) -> Found | None:
    """The build has neither CUDA nor ROCm, a GPU is there, and from this release on the matrix knows no GPU build for
    this platform.
    """
    version = environment.tensorflow_version(case)
    build = case.need(case.facts.tensorflow.build)
    if not isinstance(build.cuda, Absent) or not isinstance(build.rocm, Absent):
        return None
    platform = case.need(platform_of(case.facts))
    if platform == "macosx_arm64" or value_or(case.facts.tensorflow.plugins, ()):
        return None
    gpu = _gpu_for(case, platform)
    if not isinstance(gpu, Known) or environment.has_gpu_build(case, platform, str(version)):
        return None
    cited = (
        f"the matrix {case.matrix.version}: gpu of every release from {version} on for {platform}"
    )
    return Found(
        says("os-gpu-unsupported", "found", version=version),
        (
            Evidence(
                "tensorflow.build", f"{platform}, built without CUDA", "a system with a GPU build: Linux on x86_64",
                cited,
            ),
            Evidence("host.gpus_on_bus", gpu.value) if platform == "macosx_x86_64" else environment.gpu_evidence(case),
        ),
        _gpu_elsewhere(case, platform),
        title=says("os-gpu-unsupported", "no-longer-title", system=_SYSTEM.get(platform, platform))
        if platform == "win_amd64"
        else says("os-gpu-unsupported", "never-title", system=_SYSTEM.get(platform, platform)),
    )  # fmt: skip


_SYSTEM = {
    "win_amd64": "native Windows",
    "linux_aarch64": "Linux on ARM (aarch64)",
    "macosx_x86_64": "macOS on Intel",
}


def _gpu_for(case: Case, platform: str) -> Fact[str]:
    """On an Intel Mac any GPU counts, elsewhere NVIDIA's."""
    bus = case.facts.host.gpus_on_bus
    if platform == "macosx_x86_64" and isinstance(bus, Known) and bus.value:
        return Known(f"{bus.value[0].vendor} GPU at {bus.value[0].address}", "host.gpus_on_bus")
    return case.need_outcome(environment.wanted_gpu(case))


def _gpu_elsewhere(case: Case, platform: str) -> tuple[Fix, ...]:
    own: tuple[Fix, ...] = ()
    if platform == "win_amd64":
        own = (act("install-software", "install-wsl2"),)
    elif platform == "linux_aarch64":
        own = nvidias_container(machine_from_facts(case.facts), case.matrix)
    return *own, act("words", "accept-cpu")


@check("glibc-too-old", blocks=Ability.IMPORT)
def glibc_too_old(case: Case) -> Found | None:
    """The interpreter's own C library, else the host's, against the floor in the wheel's tag, else in the matrix. The
    loader's words prove it without either; a C library that is no glibc is of no use to a manylinux wheel.
    """
    text = words(case.facts, "glibc-too-old")
    if text is None and case.need(case.facts.host.os) != "linux":
        return None
    libc = _libc(case)
    if isinstance(libc, Absent):
        return _musl(case, libc)
    floor = _glibc_floor(case, libc)
    below = None
    if isinstance(floor, Known) and libc < floor.value:
        below = Evidence("host.glibc", str(libc), f">={floor.value}", floor.source)
    elif text is None:
        return None
    return Found(
        says("glibc-too-old", "found", libc=libc),
        (below, text),
        _older_system_fixes(case),
        Confidence.CERTAIN if text else Confidence.LIKELY,
    )


def _libc(case: Case) -> GlibcRelease | Absent:
    """The glibc that the interpreter is linked with, else the host's; Absent: another C library."""
    own = case.facts.interpreter.libc
    if isinstance(own, Known):
        name, _, version = own.value.partition(" ")
        if name != "glibc":
            return Absent(own.value)
        if version:
            return case.need(read_release(GlibcRelease, version, "interpreter.libc"))
    host = case.need_outcome(case.facts.host.glibc)
    return host.value if isinstance(host, Known) else host


def _musl(case: Case, libc: Absent) -> Found | None:
    if "musllinux" in value_or(case.facts.tensorflow.wheel_tag, ""):
        return None
    return Found(
        says("glibc-too-old", "musl"),
        (
            Evidence(
                "interpreter.libc",
                libc.reason,
                "glibc",
                "names of the published wheels (manylinux)",
            ),
        ),
        (act("choose-image", "use-image-or-system-with-glibc"),),
        title=says("glibc-too-old", "musl-title"),
    )


def _glibc_floor(case: Case, libc: GlibcRelease) -> Fact[GlibcRelease]:
    """By the wheel's own tag, else by the matrix. Where no TensorFlow is installed: of a release that this C library serves, else the
    lowest.
    """
    tag = case.facts.tensorflow.wheel_tag
    if isinstance(tag, Known):
        floor = _floor_in(tag.value)
        return (
            Known(floor, f"the wheel's own tag {tag.value}")
            if floor
            else Absent("the wheel's tag names no glibc")
        )
    row = row_of(case)
    if isinstance(row, Known):
        return row.value.glibc
    if isinstance(row, Failed):
        return row
    served = next((each for each in _floors(case) if each.value <= libc), None)
    if served is not None:
        return served
    return min(_floors(case), key=lambda each: each.value, default=Absent("no release is known"))


def _floors(case: Case) -> Iterator[Known[GlibcRelease]]:
    releases = case.matrix.releases(case.need(platform_of(case.facts)))
    return (each.glibc for each in releases if isinstance(each.glibc, Known))


def _floor_in(tag: str) -> GlibcRelease | None:
    """ "2.27" from "cp311-cp311-manylinux_2_27_x86_64"; of several the highest; PEP 600 for the older names."""
    old = {"manylinux1_": "2.5", "manylinux2010": "2.12", "manylinux2014": "2.17"}
    found = [f"{major}.{minor}" for major, minor in re.findall(r"manylinux_(\d+)_(\d+)_", tag)]
    found += [floor for name, floor in old.items() if name in tag]
    return max(map(GlibcRelease, found), default=None)


def _older_system_fixes(case: Case) -> tuple[Fix, ...]:
    older = fitting(case.facts, case.matrix)
    ways = () if older is None else (in_new_environment(case.facts, case.matrix, older),)
    return (act("choose-image", "use-newer-system-or-container"), *ways)


@check("libstdcxx-too-old", blocks=Ability.IMPORT)
def libstdcxx_too_old(case: Case) -> Found | None:
    """By the loader's words alone, which name the missing GLIBCXX version: no file tells which copy comes first."""
    must_have_listened(case)
    text = words(case.facts, "libstdcxx-too-old")
    if text is None:
        return None
    path, folder = (
        variables(case.facts).get("LD_LIBRARY_PATH", ""),
        supplied_by(case, "libstdc++.so.6"),
    )
    without = (
        leave_out(case.facts, "LD_LIBRARY_PATH", folder)
        if folder
        else act("unset-variable", "unset-ld-library-path-as-a-test")
    )
    return Found(
        "",
        (text, Evidence("environment.variables", f"LD_LIBRARY_PATH={path}") if path else None),
        (without if path else None, act("change-packages", "cpp-packages-from-one-source")),
    )


@check("cpu-instructions-missing", blocks=Ability.COMPUTE)
def cpu_instructions_missing(case: Case) -> Found | None:
    """The instruction sets in the build's own information against the CPU's flags. That the stage died of SIGILL makes
    it certain.
    """
    needed = case.need(case.facts.tensorflow.build).cpu_flags
    if not needed:
        return None
    flags: tuple[str, ...] = case.need(case.facts.host.cpu_flags)
    missing = [flag for flag in needed if flag not in flags]
    if not missing:
        return None
    died = died_of(case.facts, SIGILL)
    hidden = _hypervisor(case)
    by_whom = f" The hypervisor ({hidden}) hides them or the host has none." if hidden else ""
    evidence = [
        Evidence(
            "host.cpu_flags", f"without {', '.join(missing)}", f"with {', '.join(needed)}",
            "the instruction sets that this build was compiled for",
        )
    ]  # fmt: skip
    if died:
        evidence.append(
            Evidence("smoke.tensorflow", "died of SIGILL", "ends well", "the TensorFlow stage")
        )
    return Found(
        says("cpu-instructions-missing", "found", by_whom=by_whom),
        tuple(evidence),
        (
            act("change-setting", "vm-cpu") if hidden else None,
            act("change-packages", "use-cpu-with-instructions"),
        ),
        Confidence.CERTAIN if died else Confidence.LIKELY,
        title=f"This CPU{' (a virtual one)' if hidden else ''} lacks {', '.join(each.upper() for each in missing)}, which this build uses.",
    )


def _hypervisor(case: Case) -> str:
    model = value_or(case.facts.host.cpu_model, "")
    by_model = next((name for name in ("QEMU", "KVM") if name in model), "")
    return value_or(case.facts.host.hypervisor, by_model)


@check("foreign-architecture", blocks=Ability.NOTHING)
def foreign_architecture(case: Case) -> Found | None:
    """The interpreter's machine against the host's; 32-bit x86 on a 64-bit CPU is no emulation. An error until
    TensorFlow was seen to compute.
    """
    own = environment.architecture(case.need(case.facts.interpreter.machine))
    host = environment.architecture(case.need(case.facts.host.machine))
    evidence = Evidence(
        "interpreter.machine", own, host, "the machine's own architecture (host.machine)"
    )
    if own == host or {own, host} == {"x86", "x86_64"}:
        if not _apple_behind_x86(case):
            return None
        host, evidence = (
            "aarch64",
            evidence_of(case, "host.cpu_model", "the name of a real x86 processor", _ROSETTA),
        )
    text = words(case.facts, "foreign-architecture")
    works = Ability.COMPUTE in abilities_seen(case.facts)
    loss = "It works, but slowly" if works else "Emulators lack instructions that TensorFlow uses"
    return Found(
        says("foreign-architecture", "found", loss=loss),
        (evidence, text),
        (_native_image(case, host),),
        severity=Severity.WARNING if works else Severity.ERROR,
        title=says("foreign-architecture", "title", own=own, host=host),
    )


_ROSETTA = "Rosetta names its processor VirtualApple and keeps AVX from Linux programs (Apple, Running Intel binaries in Linux VMs, 2026-11)"


def _apple_behind_x86(case: Case) -> bool:
    """In a container under Rosetta even the kernel's own answer is x86_64; the processor's name is not translated."""
    return "VirtualApple" in value_or(case.facts.host.cpu_model, "")


def _native_image(case: Case, host: str) -> Fix:
    title = f"Use a Python or an image for {host}"
    if not isinstance(case.facts.host.container, Known):
        return Fix(title, note=_native(case))
    platform = {"aarch64": "linux/arm64", "x86_64": "linux/amd64"}.get(host, host)
    note = (
        "Set it on the host before starting the container, and remove any other `platform` from Dockerfile and compose file. If "
        "there is no such image, build one on this machine."
    )
    return Fix(title, (setting({"DOCKER_DEFAULT_PLATFORM": platform}),), note, where="host")


def _native(case: Case) -> str:
    if known(case.facts.host.os) == "macos":
        return "python.org's installer and Miniforge for arm64 are native; `arch` in the terminal must print arm64. Create a new environment with it."
    return "For containers: --platform linux/arm64, or an image of that architecture."


BITS = 64


@check("python-unsupported", blocks=Ability.IMPORT)
def python_unsupported(case: Case) -> Found | None:
    """By the kind of interpreter, then by the installed wheel's own tag; without a tag or an installation, by the
    Pythons that the matrix names. tensorflow-gpu has had no wheel for any since 2.12.
    """
    removed = _of_no_python(case)
    if removed is not None:
        return removed
    kind = _wrong_kind(case)
    if kind is not None:
        return Found(says("python-unsupported", "other-interpreter"), (kind,), _other_python(case))
    python = _python(case)
    present = case.need_outcome(case.facts.tensorflow.version)
    if isinstance(present, Known):
        return _installed_for_another(case, python, present.value)
    return _none_for(case, python)


def _of_no_python(case: Case) -> Found | None:
    """tensorflow-gpu of the version whose setup only says that the package was removed: build files ask for it."""
    present = value_or(case.facts.tensorflow.distributions, ())
    gone = [
        each
        for each in present
        if each.name == "tensorflow-gpu" and environment.fits(each.version, ">=2.12")
    ]
    if not gone:
        return None
    return Found(
        says("python-unsupported", "removed"),
        (
            Evidence(
                "tensorflow.distributions",
                f"tensorflow-gpu {gone[0].version}",
                "tensorflow",
                "setup.py of tensorflow-gpu 2.12.0, the only file of that release on the index (2026-11-29)",
            ),
        ),
        (act("change-packages", "tensorflow-not-tensorflow-gpu"),),
        explains=frozenset(("tensorflow-mixed-distributions",)),
        title=says("python-unsupported", "removed-title"),
    )


def _python(case: Case) -> PythonRelease:
    return PythonRelease(case.need(case.facts.interpreter.version).feature)


def _wrong_kind(case: Case) -> Evidence | None:
    """A Python that no wheel is for, whatever its version."""
    facts = case.facts.interpreter
    source = "names of the published wheels (Python and ABI tags)"
    if isinstance(facts.implementation, Known) and facts.implementation.value.lower() != "cpython":
        return Evidence("interpreter.implementation", facts.implementation.value, "cpython", source)
    if isinstance(facts.pointer_bits, Known) and facts.pointer_bits.value != BITS:
        return Evidence(
            "interpreter.pointer_bits", f"{facts.pointer_bits.value} bits", f"{BITS} bits", source
        )
    if isinstance(facts.free_threaded, Known) and facts.free_threaded.value:
        return Evidence(
            "interpreter.free_threaded",
            "a free-threaded build",
            "a build with the global lock",
            source,
        )
    return None


def _installed_for_another(case: Case, python: PythonRelease, version: str) -> Found | None:
    """By the wheel's own tag; where it has none, by the matrix."""
    tag = case.facts.tensorflow.wheel_tag
    feature = f"{python.major}.{python.minor}"
    made_for = _pythons_in(tag.value) if isinstance(tag, Known) else ()
    if made_for:
        if feature in made_for:
            return None
        expected, source = ", ".join(made_for), "the installed wheel's own tag"
    else:
        row = row_of(case)
        if not isinstance(row, Known):
            return None  # what is installed without a tag was not made by a wheel: nobody says for which Python
        pythons = case.need(row.value.python)
        if python in pythons:
            return None
        expected = ", ".join(each.feature for each in pythons)
        source = str(row.value.sources.get("python", row.source))
    return Found(
        says(
            "python-unsupported",
            "installed-for-another",
            version=version,
            expected=expected,
            feature=feature,
        ),
        (Evidence("interpreter.version", feature, expected, source),),
        (*_built_with(case, expected), *_other_python(case)),
        Confidence.CERTAIN if made_for else Confidence.LIKELY,
    )


def _pythons_in(tag: str) -> tuple[str, ...]:
    """("3.11",) from "cp311-cp311-manylinux_2_17_x86_64"; () from "py3-none-any"."""
    found = [
        each
        for each in tag.split("-")[0].split(".")
        if each.startswith("cp3") and each[3:].isdigit()
    ]
    return tuple(f"3.{each[3:]}" for each in found)


def _none_for(case: Case, python: PythonRelease) -> Found | None:
    """No TensorFlow is installed: is there one for this Python and this machine?"""
    platform = case.need_outcome(platform_of(case.facts))
    feature = f"{python.major}.{python.minor}"
    if isinstance(platform, Absent):
        proof = Evidence(
            "interpreter.machine",
            platform.reason,
            "x86_64 or arm64",
            "names of the published wheels",
        )
        return Found(says("python-unsupported", "no-wheel-at-all"), (proof,))
    if any(
        _serves(each, python) and _is_stable(each) for each in case.matrix.releases(platform.value)
    ):
        return None
    releases = tuple(case.matrix.releases(platform.value))
    if not releases:
        raise Inconclusive(f"the matrix knows no TensorFlow for {platform.value}")
    stable = [each for each in releases if _is_stable(each)]
    newest = stable[0] if stable else releases[0]
    expected = ", ".join(each.feature for each in value_or(newest.python, ()))
    pre = [each.tensorflow for each in releases if _serves(each, python)]
    hint = f" Only the prerelease {pre[0]} has one." if pre else ""
    return Found(
        says("python-unsupported", "none-for", feature=feature, platform=platform.value, hint=hint),
        (
            Evidence(
                "interpreter.version",
                feature,
                expected,
                f"TensorFlow {newest.tensorflow}: {newest.sources['python']}",
            ),
        ),
        (*_built_with(case, expected), *_other_python(case)),
    )


def _serves(release: Release, python: PythonRelease) -> bool:
    return isinstance(release.python, Known) and python in release.python.value


def _is_stable(release: Release) -> bool:
    return not environment.version_of(release.tensorflow).is_prerelease


def _built_with(case: Case, pythons: str) -> tuple[Fix, ...]:
    """The newest of these in what is to be built, whose TensorFlow was chosen."""
    if not case.policy.to_be_built or not pythons:
        return ()
    return (act("choose-image", "python", feature=pythons.rpartition(" ")[2]),)


def _other_python(case: Case) -> tuple[Fix, ...]:
    """In an environment of its own: in the present one pip would call the requirement satisfied, and the other packages are as foreign."""
    release = fitting(case.facts, case.matrix, any_python=True)
    return () if release is None else (in_new_environment(case.facts, case.matrix, release),)


_WSL2 = 2
_LITTLE = 4 << 30
"""Bytes. WSL2 takes half of Windows' memory by default (Microsoft, "Advanced settings configuration in WSL", 2026-11);
below 4 GiB the import (0.6 GB), CUDA's context and any data set crowd each other."""
_GIB = 1 << 30


@check("wsl-memory-limit", blocks=Ability.NOTHING)
def wsl_memory(case: Case) -> Found | None:
    """In WSL2, less memory in all than a program with data needs: a rule of thumb."""
    if case.need(case.facts.host.wsl) != _WSL2:
        return None
    total = case.need(case.facts.memory.ram_total)
    if total >= _LITTLE:
        return None
    return Found(
        says("wsl-memory-limit", "found"),
        (Evidence("memory.ram_total", f"{total / _GIB:.1f} GiB", ">=4 GiB for TensorFlow with data", "Microsoft, Advanced settings configuration in WSL (2026-11)"),),
        (
            act("raise-limit", "wsl-memory"),
        ),
        Confidence.POSSIBLE,
    )  # fmt: skip


@check("wsl-driver-shadowed", blocks=Ability.GPU)
def wsl_driver(case: Case) -> Found | None:
    """In WSL2, the libcuda that the loader finds is not the one in Windows' folder, or that one is not on its path."""
    if case.need(case.facts.host.wsl) != _WSL2:
        return None
    found, path = known(case.need_outcome(case.facts.driver.library)), libcuda(case.facts)
    if path.startswith(WSL_FOLDER):
        if text := words(case.facts, "libcuda-plain-name"):
            return _without_number(text)
        return _unreachable(path) if found is not None and found.found_via == "wsl" else None
    windows = _windows_copy(case, found)
    if not windows:
        return None
    return _shadowed(path, windows) if path else _unreachable(windows)


def _without_number(text: Evidence) -> Found:
    """cuDNN 8 asks for libcuda.so, and the loader's cache knows libcuda.so.1 alone, which WSL's folder names first."""
    return Found(
        says("wsl-driver-shadowed", "without-number"),
        (text, Evidence("driver.library", f"{WSL_FOLDER} by the loader's cache alone", "a folder that is searched by name", "microsoft/WSL issue 8587")),
        (
            act("change-path", "put-wsl-libraries-first"),
        ),
        title=says("wsl-driver-shadowed", "without-number-title"),
        explains=frozenset(("smoke-tensorflow-failed", "native-crash", "check-failed", "cudnn-incomplete", "cudnn-bug", "driver-library-unreachable")),
    )  # fmt: skip


def _windows_copy(case: Case, library: Library | None) -> str:
    """The libcuda that Windows' driver puts into WSL; "" where there is none: no NVIDIA GPU, or an old Windows driver."""
    copies = [
        *value_or(case.need_outcome(case.facts.driver.other_libraries), ()),
        *((*library.shadows, *library.elsewhere) if library else ()),
    ]
    return next((copy for copy in copies if copy.startswith(WSL_FOLDER)), "")


def _shadowed(path: str, windows: str) -> Found:
    return Found(
        says("wsl-driver-shadowed", "shadowed"),
        (Evidence("driver.library", path, windows, "NVIDIA, CUDA on WSL user guide (2026-11)"),),
        (
            act("change-path", "put-wsl-libraries-first"),
            act("install-software", "remove-linux-driver-from-wsl"),
        ),
    )


def _unreachable(path: str) -> Found:
    return Found(
        says("wsl-driver-shadowed", "unreachable"),
        (Evidence("driver.library", f"{path}, not on the loader's path", "libcuda.so.1 found by the loader", "dlopen(3)"),),
        (
            act("change-path", "put-wsl-libraries-first"),
            act("change-path", "add-wsls-library-directory-permanently"),
        ),
        title=says("wsl-driver-shadowed", "unreachable-title"),
    )  # fmt: skip


by_words(
    "static-tls-exhausted",
    "A library that is loaded late finds no room left in the loader's table for thread-local data. This has nothing to do with RAM.",
    act("edit-program", "import-named-library-first"),
    act("set-variable", "enlarge-loaders-tls-table"),
)
by_words("windows-runtime-missing", "", act("install-software", "install-visual-c-redistributable"))
by_words(
    "windows-file-blocked",
    "TensorFlow's DLLs are not signed.",
    act("change-setting", "smart-app-control"),
    act("ask", "smart-app-control"),
    act("install-software", "use-wsl2-without-windows-policies"),
)
by_words(
    "windows-cudnn-dll-missing",
    "cuDNN opens further DLLs at its first use.",
    act("change-path", "put-dll-on-path"),
)
by_words(
    "windows-dll-init-failed",
    "",
    act("install-software", "update-visual-c-redistributable"),
    act("edit-program", "import-tensorflow-before-other-dlls"),
)
by_words(
    "windows-pagefile-too-small",
    "Windows promises no more memory than RAM and page file together, and each process that imports TensorFlow asks for much.",
    act("raise-limit", "use-fewer-workers-or-larger-page-file"),
)
