"""The kernel that `tfdoctor jupyter kernel` starts: which program, and what must be there for it."""

from __future__ import annotations

import os
import sys
from pathlib import Path

from tfdoctor.cli.guard import UsageError
from tfdoctor.jupyter import specs
from tfdoctor.system.sysroot import System

_EXTRA = f"{sys.executable} -m pip install 'tfdoctor[jupyter]'"


def run_wrapped(connection_file: str, python: str, kernel: str) -> int:
    """Raises UsageError where it can't start."""
    if bool(python) == bool(kernel):
        raise UsageError("give --python PATH or --kernel NAME: whose kernel is to be started")
    if sys.platform != "linux":
        raise UsageError("tfdoctor jupyter kernel works on Linux alone: it reads /proc")
    argv = (
        [python, "-m", "ipykernel_launcher", "-f", connection_file]
        if python
        else words_of(kernel, connection_file)
    )
    try:
        from tfdoctor.jupyter.wrapper import run_kernel
    except ImportError as error:
        raise UsageError(f"{error.name} is missing here; type: {_EXTRA}") from error
    return run_kernel(argv, connection_file, kernel or os.path.basename(python))


def words_of(name: str, connection_file: str) -> list[str]:
    """The words that start the kernel, whose variables are set from here on. Raises UsageError where it can't start.

    Behind `env`, a shell or `conda run` the launcher finds its Python itself: its words stay as they are.
    """
    from tfdoctor.cli.jupyter.install import kernels_of
    from tfdoctor.facts.outcome import Known
    from tfdoctor.probes.python.inventory import inventory
    from tfdoctor.probes.python.jupyter import started

    found = next((each for each in kernels_of(inventory(System())) if each.name == name.lower()), None)
    if found is None:
        raise UsageError(f"Jupyter has no kernel {name!r}")
    try:
        document = specs.read(Path(found.folder))
    except specs.SpecError as error:
        raise UsageError(str(error)) from error
    if specs.mark_of(document).get("how") == specs.WRAPPED:
        raise UsageError(f"{name} is itself a kernelspec that starts tfdoctor")
    direct = started(document["argv"]).at_first
    if direct and not isinstance(found.interpreter, Known):
        raise UsageError(f"the kernel {name!r} can't start; see: tfdoctor jupyter status")
    os.environ.update({key: str(value) for key, value in document.get("env", {}).items()})
    words = [str(word) for word in document["argv"]]
    filled = {"{connection_file}": connection_file, "{resource_dir}": found.folder}
    for placeholder, value in filled.items():
        words = [word.replace(placeholder, value) for word in words]
    return [found.interpreter.value, *words[1:]] if isinstance(found.interpreter, Known) and direct else words
