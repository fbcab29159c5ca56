"""What comes first at this place: the page's order is that of the usual one."""

from __future__ import annotations

from collections.abc import Callable

from tfdoctor.checks.engine.case import Case
from tfdoctor.checks.log.around.own_steps import advice_first
from tfdoctor.checks.log.around.releases import shown
from tfdoctor.checks.log.around.settings import Setting
from tfdoctor.checks.log.first.cards import taken
from tfdoctor.checks.log.first.drivers import desktop, differing, engine, lost_gpu, newer_driver, newer_image
from tfdoctor.checks.log.first.libraries import compiler, fresh, hosted_alone
from tfdoctor.checks.log.first.memory import TAKE_HALF, array, memory
from tfdoctor.checks.log.testimony import Testimony
from tfdoctor.checks.log.ways.tensors import SMALLER
from tfdoctor.findings.model import Finding, Fix
from tfdoctor.light.records import replace

Step = Callable[[Finding, Case, Testimony, Setting], tuple[Fix, ...]]


_MOST = 4


def first_steps(finding: Finding, case: Case, told: Testimony, here: Setting) -> tuple[Fix, ...]:
    """The finding's ways out, with those of this place before them."""
    made = _FIRST.get(finding.code)
    first = made(finding, case, told, here) if made is not None else ()
    if first and (
        finding.code in ("driver-versions-differ", "container-lost-gpu")
        or (finding.code == "wsl-container-toolkit-old" and here.has("desktop"))
        or (finding.code in _ALONE and here.has("serving", "jax"))
    ):
        return first
    fixes = advice_first(finding, told, _without(finding.fixes, first), first)
    return tuple(_of_the_notebook(each, shown(case.facts).notebook) for each in fixes[:_MOST])


_ALONE = (
    "gpu-out-of-memory",
    "gpu-memory-fragmented",
    "gpu-memory-held",
    "ptxas-missing",
    "libdevice-missing",
    "gpu-too-new-for-build",
)
"""Here a server or JAX has ways of its own, and none of the page's."""


def _without(fixes: tuple[Fix, ...], first: tuple[Fix, ...]) -> tuple[Fix, ...]:
    known = {each.commands for each in first if each.commands} | {(each.title,) for each in first}
    halved = any(each.title == TAKE_HALF or each.title.startswith(SMALLER) for each in first)
    return tuple(
        each
        for each in fixes
        if each.commands not in known
        and (each.title,) not in known
        and not (halved and "batch_size=" in each.note)
    )


def _of_the_notebook(fix: Fix, notebook: str) -> Fix:
    """With the notebook's own name in place of the example's."""
    if not notebook.endswith(".ipynb") or not any("train.ipynb" in line for line in fix.commands):
        return fix
    stem = notebook.removesuffix(".ipynb")
    lines = (line.replace("train.ipynb", notebook).replace("train.py", f"{stem}.py") for line in fix.commands)
    return replace(fix, commands=tuple(lines))


_FIRST: dict[str, Step] = {
    "wsl-container-toolkit-old": desktop,
    "cuda-context-poisoned": taken,
    "driver-library-unreachable": engine,
    "container-without-gpu": engine,
    "gpu-absent": engine,
    "gpu-out-of-memory": memory,
    "gpu-memory-fragmented": memory,
    "gpu-memory-held": memory,
    "ptxas-missing": compiler,
    "libdevice-missing": compiler,
    "host-memory-exhausted": array,
    "cuda-libraries-missing": fresh,
    "cuda-libraries-wrong-version": fresh,
    "cuda-libraries-unreachable": hosted_alone,
    "image-lacks-cuda-libraries": fresh,
    "cudnn-version-mismatch": hosted_alone,
    "driver-versions-differ": differing,
    "container-lost-gpu": lost_gpu,
    "gpu-too-new-for-build": newer_image,
    "driver-too-old": newer_driver,
    "driver-too-old-for-ptx": newer_driver,
}
