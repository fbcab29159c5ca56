"""Which fixes a log of each code gets: what the log names first, then what its kind needs, then the page's."""

from __future__ import annotations

from collections.abc import Callable

from tfdoctor.judge.engine.case import Case
from tfdoctor.judge.log import (
    companions,
    containers,
    endings,
    fitting,
    gpus,
    installed_here,
    installers,
    libraries,
    words,
)
from tfdoctor.judge.log.testimony import Testimony
from tfdoctor.judge.log.user_site import with_user_site
from tfdoctor.knowledge.actions import act
from tfdoctor.knowledge.model import Fix
from tfdoctor.knowledge.pages import ways_out


def for_this_log(
    code: str, case: Case, told: Testimony, chosen: tuple[Fix, ...] = ()
) -> tuple[Fix, ...]:
    """The ways out of a code that no check found by facts, about packages that are there: those that its message or rule chose first."""
    fixes = with_user_site(code, told, chosen or _for_this_log(code, case, told))
    return tuple(
        each for fix in fixes if (each := installed_here.about_what_is_named(fix, case.facts))
    )


def _for_this_log(code: str, case: Case, told: Testimony) -> tuple[Fix, ...]:
    made = _MADE.get(code)
    found = words.fixes_of(code, case.facts, told)
    found = found or (made(case, told) if made is not None else ()) or ways_out(code)
    if code == "cuda-libraries-missing" and libraries.may_have_no_gpu(case.facts, told):
        return (*(containers.with_nv(case.facts) or (libraries.LOOK_FIRST,)), *found)
    if code == "cuda-libraries-missing" and containers.told_so_alone(case.facts, told, code):
        return (act("words", "nothing-to-do-without-gpu"), *found)
    return found


_MADE: dict[str, Callable[[Case, Testimony], tuple[Fix, ...]]] = {
    "cuda-libraries-missing": libraries.library_fixes,
    "cuda-libraries-wrong-version": libraries.library_fixes,
    "keras-mismatch": lambda case, told: (
        words.fix_here(case.facts, "change-packages", "keras-that-tensorflow-requires"),
    ),
    "package-import-failed": lambda case, told: companions.import_fixes(case.facts, told),
    "driver-too-old": gpus.driver_fixes,
    "python-unsupported": fitting.pythons,
    "gpu-out-of-memory": endings.smaller_batch,
    "installer-stopped": lambda case, told: installers.stopped_fixes(case.facts),
    "container-without-gpu": fitting.toolkit,
    "python-exception": endings.read_it,
    "glibc-too-old": libraries.glibc_fixes,
    "gpu-too-new-for-build": gpus.newer_cuda_fixes,
    "compute-capability-too-low": lambda case, told: gpus.old_gpu_fixes(case),
    "ptx-jit-slow-start": lambda case, told: (
        (*newer, *ways_out("ptx-jit-slow-start"))
        if (newer := gpus.newer_cuda_fixes(case, told)[:-1])
        else ()
    ),
}
