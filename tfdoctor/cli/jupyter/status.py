"""Whether the death of each kernel would be seen, and why not."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from tfdoctor.cli.jupyter.install import kernels_of
from tfdoctor.facts.outcome import Absent, Known
from tfdoctor.jupyter import specs
from tfdoctor.probes.python.inventory import Choices, inventory
from tfdoctor.system.sysroot import System

if TYPE_CHECKING:
    from tfdoctor.facts.values import Kernelspec

_DEFAULT = "JUPYTER_DEFAULT_PROVISIONER_NAME"


def status_lines() -> Iterator[str]:
    known = inventory(System())
    kernels = kernels_of(known)
    if not kernels:
        yield "Jupyter has no kernel here."
    for kernel in kernels:
        watched, why = seen_and_why(kernel, known)
        yield f"{kernel.name}: a death {'would be seen' if watched else 'would not be seen'}"
        yield f"  {why}"
        yield f"  {kernel.folder}"
    servers = [each for each in known.environments if each.starts_kernels]
    for each in servers:
        there = "tfdoctor is there" if "tfdoctor" in each.distributions else "tfdoctor is not there"
        yield f"Kernels are started from {each.prefix} ({each.found_by}): {there}"
    if not servers:
        yield "No environment that starts kernels was found: neither an active one nor one whose jupyter is on PATH has jupyter_client."


def seen_and_why(kernel: Kernelspec, known: Choices) -> tuple[bool, str]:
    try:
        document = specs.read(Path(kernel.folder))
    except specs.SpecError as error:
        return False, f"Its kernelspec is broken: {error}"
    if not isinstance(kernel.interpreter, Known):
        told = kernel.interpreter
        return False, f"It can't start: {told.reason if isinstance(told, Absent) else told.error}"
    if specs.mark_of(document).get("how") == specs.WRAPPED:
        return True, "It is started by tfdoctor itself, for every client."
    named = specs.provisioner_of(document) or os.environ.get(_DEFAULT, "")
    if named and named != specs.PROVISIONER:
        return False, f"Another provisioner starts it: {named}"
    if not named:
        return (
            False,
            f"Jupyter's own provisioner starts it; type: tfdoctor jupyter install --kernel {kernel.name}",
        )
    return _by_provisioner(known)


def _by_provisioner(known: Choices) -> tuple[bool, str]:
    """The provisioner is loaded by the server, from the server's own environment."""
    servers = [each for each in known.environments if each.starts_kernels]
    without = [each for each in servers if "tfdoctor" not in each.distributions]
    if without:
        first = without[0]
        return False, (
            f"tfdoctor is missing where the server runs ({first.prefix}, {first.found_by}), so the kernel would not even start there;"
            f" type: {first.python} -m pip install 'tfdoctor[jupyter]'"
        )
    if not servers:
        return False, "No environment with a Jupyter server was found that could use the provisioner."
    return (
        True,
        "By the provisioner tfdoctor, in servers that know provisioners (JupyterLab, Notebook, papermill; not VS Code).",
    )
