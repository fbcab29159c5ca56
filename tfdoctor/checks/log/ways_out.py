"""What to type where words alone gave a cause away: the page's commands, for the release that wrote the log.

A page has to name some release. The log's own is the one that it names, or one of those that ask for the libraries that
it names; where neither tells, no version is given, so that what is installed stays.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from tfdoctor.checks.engine.case import Case
from tfdoctor.checks.log.around.hosted import platform_fixes
from tfdoctor.checks.log.around.large_pieces import memory_first_fixes
from tfdoctor.checks.log.around.macs import mac_fixes
from tfdoctor.checks.log.around.open_ends import open_end_fixes
from tfdoctor.checks.log.around.own_errors import stated_fixes
from tfdoctor.checks.log.around.releases import minor, runs_on, span
from tfdoctor.checks.log.around.surroundings import ray_hides
from tfdoctor.checks.log.askers import cudnn_fixes, protobuf_fixes, variable_fixes
from tfdoctor.checks.log.companions import OWN_RELEASE, add_on_fixes, import_fixes
from tfdoctor.checks.log.ends import first_of_two_processes
from tfdoctor.checks.log.fit.dlls import dll_fixes
from tfdoctor.checks.log.fit.older_system import glibc_fixes
from tfdoctor.checks.log.fit.own_files import renaming_fixes
from tfdoctor.checks.log.fit.twice import twice_fixes
from tfdoctor.checks.log.fit.ways import misfit_fixes
from tfdoctor.checks.log.gpu_memory import dumps_of_gpus
from tfdoctor.checks.log.kerases import keras_fixes, legacy_fixes
from tfdoctor.checks.log.kinds.boxes import amd_fixes, no_device_fixes, of_engine
from tfdoctor.checks.log.kinds.drivers import driver_fixes
from tfdoctor.checks.log.kinds.frozen import bundle_fixes
from tfdoctor.checks.log.kinds.generations import newer_cuda_fixes
from tfdoctor.checks.log.kinds.incomplete import missing_fixes, mixture_fixes
from tfdoctor.checks.log.kinds.loaders import loader_fixes
from tfdoctor.checks.log.kinds.mixed import mixed_fixes
from tfdoctor.checks.log.kinds.numpy_names import name_fixes
from tfdoctor.checks.log.kinds.older import older_fixes
from tfdoctor.checks.log.kinds.options import option_fixes
from tfdoctor.checks.log.kinds.ranges import descriptor_fixes, ml_dtypes_fixes, numpy_fixes
from tfdoctor.checks.log.kinds.requires import conflict_fixes
from tfdoctor.checks.log.kinds.tensorflow_1 import rewriting_fixes
from tfdoctor.checks.log.kinds.weights import weights_fixes
from tfdoctor.checks.log.kinds.wheels import wheel_fixes
from tfdoctor.checks.log.kinds.xla import metal_fixes, ptxas_fixes
from tfdoctor.checks.log.own_words import fixes_of
from tfdoctor.checks.log.testimony import Testimony
from tfdoctor.facts.model import Facts
from tfdoctor.facts.outcome import Failed, Known, value_or
from tfdoctor.facts.versions import ComputeCapability, CudnnRelease
from tfdoctor.findings.model import Fix
from tfdoctor.findings.pages import ways_out
from tfdoctor.fixes.commands import interpreter
from tfdoctor.fixes.libraries import bring_libraries, fresh_environment
from tfdoctor.light.records import replace
from tfdoctor.matrix.model import Release
from tfdoctor.planning.batch import largest_batch, most_of_this_batch
from tfdoctor.planning.install import install_commands
from tfdoctor.planning.machine import Machine, machine_from_facts

_KEEPING = (
    "tensorflow-install-broken", "tensorflow-cpu-only", "tensorflow-mixed-distributions", "dependency-mismatch",
    "and-cuda-extra-lost", "custom-op-mismatch", "native-crash", "image-lacks-cuda-libraries", "cuda-libraries-missing",
    "cuda-libraries-wrong-version", "cudnn-incomplete",
)  # fmt: skip
"""Codes whose page installs the release that is there once more, or adds to it."""
_ONE_PROCESS = (
    Fix(
        "Let no other process be started for the data; threads share the object and need no copy",
        note="In your files: use_multiprocessing=False, and workers=1 for a generator, or num_workers=0 for a data loader.",
    ),
    Fix(
        "Or hand over what pickle can copy: a keras.utils.Sequence in place of a generator, a named function of a module in place of a lambda or an inner one"
    ),
)
_OF_RAY = (
    Fix(
        "If this worker shall use a GPU, ask Ray for one where it is made. Else nothing has to be done",
        note="In your files: @ray.remote(num_gpus=1), or .options(num_gpus=1). CUDA_VISIBLE_DEVICES in your shell changes nothing, Ray sets it for each worker.",
    ),
    Fix("See how many GPUs Ray has to give. It changes nothing", ("ray status",)),
)
_OF_MISFITS = ("keras-mismatch", "package-import-failed", "python-exception")
_EXAMPLE = re.compile(r"tensorflow(?P<extra>\[and-cuda\])?==(?P<version>\d[\w.]{1,20})")
_PINNED = re.compile(r"nvidia-[\w-]{3,40}==\d|cuda-libraries-\d")
_PLATFORMS = {"windows": "win_amd64"}
_SOME_GPU = ComputeCapability("8.0")  # the log speaks of CUDA, so there is one to install for


def for_this_log(code: str, case: Case, told: Testimony) -> tuple[Fix, ...]:
    """The ways out of a code that no check found by facts."""
    if surest := _surest(code, case, told):
        return surest
    made = _MADE.get(code)
    found = open_end_fixes(code, case.facts, told) or fixes_of(code, case.facts, told)
    return found or (made(case, told) if made is not None else ()) or _adapted(code, case)


def _surest(code: str, case: Case, told: Testimony) -> tuple[Fix, ...]:
    """Those of what the log itself names: a bundle, a range, a system, a package, a file."""
    facts = case.facts
    return (
        bundle_fixes(code, told)
        or conflict_fixes(code, facts, told)
        or mac_fixes(code, facts, told)
        or dll_fixes(code, facts, told)
        or renaming_fixes(code, facts, told)
        or twice_fixes(code, facts, told)
        or (misfit_fixes(case, told) if code in _OF_MISFITS else ())
        or platform_fixes(code, case, told)
    )


def _adapted(code: str, case: Case) -> tuple[Fix, ...]:
    """The page's, with the log's own release; commands for another release's libraries are left out."""
    if code not in _KEEPING:
        return ways_out(code)
    own = value_or(case.facts.tensorflow.version, "")
    fitting = []
    for fix in ways_out(code):
        named = {found["version"] for line in fix.commands for found in _EXAMPLE.finditer(line)}
        others = any(_PINNED.search(line) for line in fix.commands) or any(
            each in fix.title for each in named
        )
        if not others:
            fitting.append(replace(fix, commands=tuple(_with_release(line, own) for line in fix.commands)))
    return tuple(fitting)


def _with_release(line: str, own: str) -> str:
    def put(found: re.Match[str]) -> str:
        extra = found["extra"] or ""
        return f"tensorflow{extra}=={own}" if own else f"tensorflow{extra}"

    if _EXAMPLE.search(line) and not own and "[and-cuda]" not in line:
        return _EXAMPLE.sub(lambda _: f'"tensorflow=={OWN_RELEASE}"', line)
    return _EXAMPLE.sub(put, line)


def _libraries(case: Case, told: Testimony) -> tuple[Fix, ...]:
    """The libraries that the release opens; where the log names them and no release, those of the releases that do."""
    facts, rows = case.facts, _releases(case, told)
    if not rows:
        return ()
    machine = _machine(facts)
    with_extra = [row for row in rows if isinstance(row.and_cuda, Known)]
    if not with_extra:
        fix = fresh_environment(rows[0], machine, case.matrix)
        guessed = not isinstance(facts.tensorflow.version, Known)
        return (replace(fix, note=f"{_by_its_libraries(rows)}{fix.note}") if guessed else fix,)
    if isinstance(facts.tensorflow.version, Known):
        missing = tuple(_wanted(told))
        return bring_libraries(facts, case.matrix, Known(rows[0], "the log's release"), missing)
    return ()  # the page's command without a version suits all that have the extra


def _by_its_libraries(rows: tuple[Release, ...]) -> str:
    first, last = rows[-1].tensorflow, rows[0].tensorflow
    which = f"{first} to {last}" if first != last else last
    return f"The log does not name its TensorFlow; what it shows is of {which}. "


def _releases(case: Case, told: Testimony) -> tuple[Release, ...]:
    """Those that can have written the log, the newest first; () where it does not tell."""
    system = value_or(case.facts.host.os, "linux")
    platform = _PLATFORMS.get(system, "linux_x86_64")
    version = case.facts.tensorflow.version
    if isinstance(version, Known):
        row = case.matrix.release(str(version.value), platform=platform)
        return (row.value,) if isinstance(row, Known) else ()
    every = _of_the_span(case, told, platform)
    known = {name for row in every for name in _opens(row)}
    log_opened = case.facts.log.opened
    opened = log_opened.value if isinstance(log_opened, Known) else ()
    wanted = {*_wanted(told), *opened} & known
    if not wanted:
        return (
            every
            if span(case, told).before(2, 14) and len(every) < len(case.matrix.releases(platform))
            else ()
        )
    opening = tuple(row for row in every if wanted <= _opens(row))
    return tuple(row for row in opening if runs_on(row, case.facts)) or opening


def _of_the_span(case: Case, told: Testimony, platform: str) -> tuple[Release, ...]:
    """Those that can have written the log by all else that it shows; all where none can."""
    releases, every = span(case, told), case.matrix.releases(platform)
    fitting = (
        row for row in every if (own := minor(row.tensorflow)) and releases.oldest <= own <= releases.newest
    )
    return tuple(fitting) or every


def _opens(row: Release) -> set[str]:
    return set(row.sonames.value) if isinstance(row.sonames, Known) else set()


def _wanted(told: Testimony) -> list[str]:
    missing = told.of("cuda-libraries-missing", "cuda-libraries-wrong-version")
    return [each.told["library"] for each in missing if each.told.get("library")]


def _machine(facts: Facts) -> Machine:
    machine = machine_from_facts(facts)
    if isinstance(machine.gpus, Known):
        return machine
    return replace(machine, gpus=Known((_SOME_GPU,), "the log speaks of CUDA"))


def _cudnn(case: Case, told: Testimony) -> tuple[Fix, ...]:
    """The cuDNN that the build was compiled with, for the CUDA of the releases that were."""
    floor, system = _compiled_with(told), value_or(case.facts.host.os, "linux")
    if floor is None:
        return ()
    fitting = next(
        (
            row
            for row in _rows(case, system)
            if isinstance(row.cudnn, Known) and _same_minor(row.cudnn.value, floor)
        ),
        None,
    )
    page = ways_out("cudnn-version-mismatch")
    path = tuple(each for each in page if system == "linux" and "unset LD_LIBRARY_PATH" in each.commands)
    if system == "windows":
        title = f"See which copies of cudnn64_{floor.major}.dll Windows finds, the first one being loaded, and take the folder of the old one off PATH"
        path = (Fix(title, (f"where.exe cudnn64_{floor.major}.dll",)),)
    if fitting is not None:
        own = _cudnn_of(fitting, floor, case)
        led = any("LD_LIBRARY_PATH" in line for line in own.commands)  # such a release needs the variable
        return (own, *path) if led else (*path, own)
    title = (
        f"Install cuDNN {floor.major}.{floor.minor} or a newer {floor.major}, for the CUDA of this TensorFlow"
    )
    return (*path, Fix(title, note="NVIDIA keeps it in its archive of cuDNN; conda's channels have it, too."))


def _rows(case: Case, system: str) -> Iterator[Release]:
    """The log's own release, then all, the newest first; each is read from the matrix when it is asked for."""
    platform = _PLATFORMS.get(system, "linux_x86_64")
    every = case.matrix.document["releases"]["tensorflow"]["order"]
    for version in (str(value_or(case.facts.tensorflow.version, "")), *reversed(every)):
        row = case.matrix.release(version, platform=platform)
        if isinstance(row, Known):
            yield row.value


def _compiled_with(told: Testimony) -> CudnnRelease | None:
    """ "8.6.0", or "7004" as old releases wrote it."""
    for each in told.of("cudnn-version-mismatch"):
        wanted = each.told.get("wanted", "").rstrip(".")
        if re.fullmatch(r"\d{4,5}", wanted):
            number = int(wanted)
            wanted = f"{number // 1000}.{number // 100 % 10}.{number % 100}"
        if re.fullmatch(r"\d{1,2}(?:\.\d{1,3}){1,2}", wanted):
            return CudnnRelease.parse(wanted)
    return None


def _same_minor(one: CudnnRelease, other: CudnnRelease) -> bool:
    return (one.major, one.minor) == (other.major, other.minor)


def _cudnn_of(release: Release, floor: CudnnRelease, case: Case) -> Fix:
    cuda = release.cuda.value.major if isinstance(release.cuda, Known) else 0
    if cuda < 11 or floor.major < 8 or value_or(case.facts.host.os, "linux") != "linux":
        return fresh_environment(release, _machine(case.facts), case.matrix)
    name = f"nvidia-cudnn-cu{cuda}"
    command = (
        f"{interpreter(case.facts)} -m pip install '{name}>={floor.major}.{floor.minor},<{floor.major + 1}'"
    )
    if isinstance(release.and_cuda, Known):
        return Fix(f"Install a cuDNN that fits what this TensorFlow was compiled with, {floor}", (command,))
    search = "export LD_LIBRARY_PATH=$(python -c 'import sysconfig; print(sysconfig.get_paths()[\"purelib\"])')/nvidia/cudnn/lib:$LD_LIBRARY_PATH"
    return Fix(
        f"Install a cuDNN that fits what this TensorFlow was compiled with, {floor}",
        (command, search),
        "TensorFlow before 2.14 does not look into that package by itself; the second line leads this shell there.",
    )


def _pythons(case: Case, told: Testimony) -> tuple[Fix, ...]:
    """The release that was asked for, with a Python that it has wheels for; or the newest where any was asked for."""
    asked = next((each.told["wanted"] for each in told.of("python-unsupported") if "wanted" in each.told), "")
    exact = re.fullmatch(r"==(?P<version>\d[\w.]{1,20})", asked)
    row = case.matrix.release(exact["version"]) if exact else Failed("any release", "missing")
    if not isinstance(row, Known):
        return ()
    machine = replace(machine_from_facts(case.facts), python=Failed("another one is needed", "missing"))
    return (
        Fix(
            f"Make an environment of the newest Python that TensorFlow {row.value.tensorflow} has wheels for",
            install_commands(row.value, machine, case.matrix),
            "Nothing that you have is changed. Where that Python is not installed, uv brings it: `uv venv --python VERSION`.",
        ),
        *ways_out("python-unsupported")[:1],
    )


def _smaller_batch(case: Case, told: Testimony) -> tuple[Fix, ...]:
    """By this run's numbers, before the page's ways: by its steps, else by what the allocator could not give."""
    if built := weights_fixes(told):
        return built
    page = ways_out("gpu-out-of-memory")
    training = case.facts.death.training
    known = training.value if isinstance(training, Known) else None
    line = largest_batch(known) if known is not None else None
    if isinstance(line, Known) and line.value.share < 1 and isinstance(line.value.batch, Known):
        seen = "By what earlier steps of this run took: a line through the memory that is held whatever the batch and a step's peak."
        return (Fix(f"Use a batch of {line.value.batch.value:,} at most", note=seen), *page)
    share = most_of_this_batch(dumps_of_gpus(case.facts))
    if share is None:
        return page
    bound = "An upper bound: at least what was in use and what was asked for were needed, and the step might have asked for more."
    batch = known.batch if known is not None else None
    if isinstance(batch, Known):
        most = int(share * batch.value)
        return (Fix(f"Use a batch of {most:,} at most, in place of {batch.value:,}", note=bound), *page)
    return (Fix(f"Use at most {int(share * 100)} % of this batch", note=bound), *page)


def _toolkit(case: Case, told: Testimony) -> tuple[Fix, ...]:
    """Where Docker itself says that it knows no such device, the host lacks the toolkit; to start the container again is no way."""
    if not told.named("docker-no-device-driver", "docker-unknown-runtime"):
        return of_engine(case.facts)
    install = [
        each
        for each in ways_out("container-without-gpu")
        if any("nvidia-ctk" in line for line in each.commands)
    ]
    title = "Install the NVIDIA Container Toolkit on the host, and tell Docker of it"
    note = "apt finds the package once NVIDIA's repository for it is set up; its installation guide has the lines."
    return tuple(replace(each, title=title, note=note) for each in install)


def _read_it(case: Case, told: Testimony) -> tuple[Fix, ...]:
    """Without what a release before 2.2 does not have; () for any other."""
    raised = [each for each in told.endings if each.how == "exception"]
    if raised and first_of_two_processes(told, raised[-1]) is not raised[-1]:
        return _ONE_PROCESS
    if (
        raised
        and (stated := stated_fixes(case.facts, raised[-1]))
        and raised[-1].package != "tensorflow-core"
    ):
        return stated
    if not raised or raised[-1].package != "tensorflow-core":
        return ()
    return (
        Fix("Read the last line first, then the line of your own file that is named here"),
        *ways_out("python-exception")[1:],
    )


_WITHOUT_LOCKS = ("5", "37", "38", "95", "524")
"""errno of a file system that has no locks to give (Linux, asm-generic/errno.h); 11 and macOS' 35 are somebody else's lock."""


def _locked(case: Case, told: Testimony) -> tuple[Fix, ...]:
    """Where the file system can't lock, looking for another process finds none."""
    page = ways_out("file-locked")
    unlocked = [each for each in page if any("HDF5_USE_FILE_LOCKING" in line for line in each.commands)]
    if any(each.told.get("number") in _WITHOUT_LOCKS for each in told.of("file-locked")):
        title = "Read and write without locks, for the file system has none. Two writers at once would damage the file"
        return tuple(replace(each, title=title) for each in unlocked)
    return ()


_MADE: dict[str, Callable[[Case, Testimony], tuple[Fix, ...]]] = {
    "cuda-libraries-missing": _libraries,
    "cuda-libraries-wrong-version": _libraries,
    "cudnn-version-mismatch": _cudnn,
    "keras-mismatch": lambda case, told: keras_fixes(case.facts, told),
    "custom-op-mismatch": lambda case, told: loader_fixes(case.facts, told) or add_on_fixes(case.facts, told),
    "protobuf-incompatible": lambda case, told: (
        loader_fixes(case.facts, told) or protobuf_fixes(case.facts, told) or descriptor_fixes(case, told)
    ),
    "cuda-libraries-mixed": lambda case, told: cudnn_fixes(case.facts, told) or mixed_fixes(case.facts, told),
    "environment-variable-refused": lambda case, told: variable_fixes(told),
    "numpy-abi-mismatch": numpy_fixes,
    "ml-dtypes-mismatch": ml_dtypes_fixes,
    "package-import-failed": lambda case, told: import_fixes(case.facts, told),
    "driver-too-old": driver_fixes,
    "keras-legacy-needed": lambda case, told: legacy_fixes(case.facts, told),
    "numpy-alias-removed": lambda case, told: name_fixes(case.facts, told),
    "ptxas-too-old": lambda case, told: ptxas_fixes(case.facts, told),
    "python-unsupported": lambda case, told: wheel_fixes(case, told) or _pythons(case, told),
    "dependency-mismatch": lambda case, told: (
        missing_fixes(case.facts, told) or older_fixes(case.facts, told)
    ),
    "shared-library-missing": lambda case, told: loader_fixes(case.facts, told),
    "tensorflow-install-broken": lambda case, told: (
        mixture_fixes(case.facts, told) or loader_fixes(case.facts, told)
    ),
    "foreign-architecture": lambda case, told: loader_fixes(case.facts, told),
    "wsl-driver-shadowed": lambda case, told: loader_fixes(case.facts, told),
    "windows-cudnn-dll-missing": lambda case, told: loader_fixes(case.facts, told),
    "metal-plugin-mismatch": lambda case, told: metal_fixes(told),
    "gpu-out-of-memory": _smaller_batch,
    "exited-nonzero": lambda case, told: option_fixes(told),
    "container-without-gpu": _toolkit,
    "python-exception": lambda case, told: rewriting_fixes(case.facts, told) or _read_it(case, told),
    "file-locked": _locked,
    "glibc-too-old": glibc_fixes,
    "jupyter-kernel-died": lambda case, told: memory_first_fixes(case.facts, told),
    "gpu-hidden": lambda case, told: _OF_RAY if ray_hides(told) else no_device_fixes(told),
    "gpu-absent": lambda case, told: amd_fixes(told),
    "gpu-too-new-for-build": newer_cuda_fixes,
    "ptx-jit-slow-start": lambda case, told: (
        (*newer, *ways_out("ptx-jit-slow-start")) if (newer := newer_cuda_fixes(case, told)[:-1]) else ()
    ),
}
