"""Whether the CUDA libraries of two majors overwrote each other: wheels for CUDA 11, 12 and 13 share folders.

The version does not tell: cuDNN 9.28 exists for CUDA 12 and for CUDA 13, and libcudnn.so.9 itself is the same file
in both. What tells is the size that each wheel's RECORD gives its files.
"""

from __future__ import annotations

from tfdoctor.checks.engine.case import Ability, Case, Found, check
from tfdoctor.checks.libraries.lacks import FOLLOWS
from tfdoctor.checks.questions.build import build_of
from tfdoctor.checks.questions.gpu import need_gpu
from tfdoctor.facts.outcome import Known
from tfdoctor.facts.values import ChangedWheel
from tfdoctor.findings.model import Evidence, Fix, Severity
from tfdoctor.fixes.commands import pip_reinstall, pip_uninstall
from tfdoctor.fixes.libraries import again

_MAJORS = ("-cu11", "-cu12", "-cu13")
_SHOWN = 3
_FOR_SEVERAL_GPUS = "nvidia-nccl-"


@check(
    "cuda-libraries-mixed",
    prevents=Ability.GPU,
    explains=(*FOLLOWS, "cudnn-version-mismatch", "cudnn-drops-gpu"),
)
def cuda_libraries_mixed(case: Case) -> Found | None:
    """A wheel's files have the sizes that RECORD of the same library's wheel for another CUDA major lists, in a folder
    from which this build opens a library.
    """
    need_gpu(case)
    suffix = f"-cu{case.need(build_of(case).cuda).major}"
    wheels = {wheel.name for wheel in case.need(case.facts.cuda_libraries.wheels)}
    if not any(rival in wheels for name in wheels if name.endswith(suffix) for rival in _rivals(name)):
        return None
    overwritten = [
        each
        for each in case.need(case.facts.cuda_libraries.changed_wheels)
        if each.name.endswith(suffix)
        and each.changed_by.partition(" ")[0] in _rivals(each.name)
        and _opened(case, each)
    ]
    return _mixed(case, overwritten) if overwritten else None


def _rivals(name: str) -> list[str]:
    """The same library's wheels for the other CUDA majors; from 13 on most have no ending, and a folder of their own."""
    part = name.rpartition("-cu")[0]
    return [other for other in (part, *(part + major for major in _MAJORS)) if other != name]


def _opened(case: Case, wheel: ChangedWheel) -> bool:
    """Whether this build opens a library of the folder that was overwritten. Copies that come before it make that harmless."""
    if wheel.name.startswith(_FOR_SEVERAL_GPUS):
        return True
    libraries = case.need(case.facts.cuda_libraries.libraries)
    used = [each.path.value.rpartition("/")[0] for each in libraries if isinstance(each.path, Known)]
    return any(folder.endswith("/" + path.rpartition("/")[0]) for folder in used for path in wheel.changed)


def _mixed(case: Case, overwritten: list[ChangedWheel]) -> Found:
    pairs = " and ".join(f"{each.changed_by} over {each.name} {each.version}" for each in overwritten)
    return Found(
        f"Two wheels write files of the same names, and the last one installed won: {pairs}. These files are made for another "
        "CUDA major than this TensorFlow's: they ask for that CUDA's libraries and driver, and fail at first use where one of these is not there.",
        tuple(
            Evidence(
                "cuda_libraries.changed_wheels",
                f"{_files(each)}: as in {each.changed_by}",
                f"as in {each.name} {each.version}",
                "sizes in RECORD of both",
            )
            for each in overwritten
        ),
        _ways_out(case, overwritten),
        severity=_severity(case, overwritten),
    )


def _files(wheel: ChangedWheel) -> str:
    more = len(wheel.changed) - _SHOWN
    shown = ", ".join(path.rpartition("/")[2] for path in wheel.changed[:_SHOWN])
    return f"{shown} and {more} more" if more > 0 else shown


def _ways_out(case: Case, overwritten: list[ChangedWheel]) -> tuple[Fix, ...]:
    needed = [f"{each.name}=={each.version}" for each in overwritten]
    rivals = list(dict.fromkeys(each.changed_by.partition(" ")[0] for each in overwritten))
    return (
        again(
            case.facts,
            *needed,
            title="Install the needed one last",
            note="Versions stay. It puts TensorFlow's files over the other's, whose framework may then fail in turn.",
        ),
        Fix(
            "Better: one CUDA major in an environment",
            (pip_uninstall(case.facts, *rivals), pip_reinstall(case.facts, *needed)),
            f"Removing {' and '.join(rivals)} takes the shared files along, so TensorFlow's are reinstalled. What asked for it "
            "belongs into an environment of its own, or into a release for TensorFlow's CUDA.",
        ),
    )


def _severity(case: Case, overwritten: list[ChangedWheel]) -> Severity | None:
    """NCCL alone is met by programs on several GPUs only."""
    if not all(each.name.startswith(_FOR_SEVERAL_GPUS) for each in overwritten):
        return None
    devices = case.facts.driver.devices
    return Severity.WARNING if isinstance(devices, Known) and len(devices.value) > 1 else Severity.INFO
