"""Whether the CUDA libraries of two majors overwrote each other: some wheels of cu11, cu12 and cu13 share folders."""

from __future__ import annotations

from tfdoctor.checks.build import build_of
from tfdoctor.checks.case import Ability, Case, Found, check
from tfdoctor.checks.gpu import need_gpu
from tfdoctor.checks.libraries import FOLLOWS, tried_to_open
from tfdoctor.facts.outcome import Known
from tfdoctor.findings.model import Evidence
from tfdoctor.planning.library_fixes import again, exact


@check("cuda-libraries-mixed", prevents=Ability.GPU, explains=(*FOLLOWS, "cudnn-version-mismatch"))
def cuda_libraries_mixed(case: Case) -> Found | None:
    """Libraries of two CUDA majors are mixed (cu11 and cu12 wheels share folders; of CUDA 13, cuDNN does, while the runtime lies in nvidia/cu13)."""
    need_gpu(case)
    cuda = case.need(build_of(case).cuda)
    wheels = {wheel.name: wheel.version for wheel in case.need(case.facts.cuda_libraries.wheels)}
    suffix = f"-cu{cuda.major}"
    shared = [name for name in wheels if name.endswith(suffix) for other in _rivals(name, suffix) if other in wheels]
    if not shared:
        return None
    for name in shared:
        rival = next(other for other in _rivals(name, suffix) if other in wheels)
        foreign = _file_is_of(case, name, wheels[name], wheels[rival])
        if foreign:
            return _mixed(case, name, wheels[name], rival, wheels[rival], foreign)
    return None


def _rivals(name: str, suffix: str) -> list[str]:
    """Wheels of another CUDA major that write into the same folder: all of cu11 and cu12, of cu13 cuDNN and NCCL."""
    part = name.removesuffix(suffix)
    both = [f"{part}-cu11", f"{part}-cu12"]
    thirteen = [f"{part}-cu13"] if part in ("nvidia-cudnn", "nvidia-nccl", "nvidia-cusparselt", "nvidia-nvshmem") else []
    return [each for each in (*both, *thirteen) if each != name]


def _file_is_of(case: Case, name: str, own: str, rival: str) -> str:
    """The version of the file that is loaded, where it is the rival's and not the needed wheel's; "" otherwise."""
    part = name.removeprefix("nvidia-").rpartition("-cu")[0].replace("-", "")
    opened = tried_to_open(case)
    for library in case.need(case.facts.cuda_libraries.libraries):
        if not library.soname.removeprefix("lib").startswith(part):
            continue
        said = opened[library.soname].version if library.soname in opened else library.version
        version = said.value if isinstance(said, Known) else ""
        if version and _same(version, rival) and not _same(version, own):
            return version
    return ""


def _same(file: str, wheel: str) -> bool:
    """ "9.3.0" is of the wheel 9.3.0.75."""
    return file.count(".") >= 1 and (wheel + ".").startswith(file + ".")


def _mixed(case: Case, name: str, own: str, rival: str, other: str, file: str) -> Found:
    return Found(
        f"{name} {own} and {rival} {other} write the same files, and the last one installed won: the file is {rival}'s, made "
        "for another CUDA major than this TensorFlow's.",
        (
            Evidence("cuda_libraries.wheels", f"{name} {own}, {rival} {other}", f"{name} alone"),
            Evidence("cuda_libraries.libraries", f"the file is of version {file}", own),
        ),
        (
            again(case.facts, f"{name}=={own}", title="Install the needed wheel last", note=f"It puts {name}'s files over the other's, whose packages may then fail in turn."),
            exact(case.facts, f"{name}=={own}", title="Better: one CUDA major in an environment", note=f"After removing {rival} and what asks for it; keep the other framework in an environment of its own."),
        ),
    )
