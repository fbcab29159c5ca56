"""Every probe, those first whose answers take longest: children start while the rest is still being imported."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import Any

from tfdoctor.ask.probes.request import Request
from tfdoctor.ask.probes.runner import Probe
from tfdoctor.facts.model import Facts


def _probe(
    module: str,
    *,
    needs: tuple[str, ...] = (),
    limit_s: float = 5.0,
    begin: Callable[[Request], None] | None = None,
) -> Probe:
    """The probe of `probes/`'s `module` ("host.memory"), imported in its own thread: together they cost 50 ms."""

    def ask(request: Request, facts: Facts) -> Any:
        return import_module(f"tfdoctor.ask.probes.{module}").ask(request, facts)

    return Probe(module.rpartition(".")[2], ask, needs, limit_s, begin)


def _begin_interpreter(request: Request) -> None:
    from tfdoctor.ask.probes.python.interpreter import begin_early

    begin_early(request)


def _begin_record(request: Request) -> None:
    from tfdoctor.ask.probes.python.installed_files import begin_early

    begin_early(request)


_SLOW_DISK_S = 40.0
"""For the files of an environment: on a cold disk beside an installation they took 9 s, on a network's they take longer."""

PROBES: tuple[Probe, ...] = (
    _probe("python.interpreter", limit_s=12.0, begin=_begin_interpreter),  # its child has 10 s
    _probe("driver.driver", limit_s=12.0),  # its child has 10 s
    _probe("driver.nvml", limit_s=12.0),  # its child has 10 s
    _probe(
        "tensorflow.tensorflow", needs=("interpreter",), limit_s=100.0, begin=_begin_record
    ),  # --deep hashes 2 GB
    _probe("host.host"),
    _probe("host.memory"),
    _probe("python.packages", needs=("interpreter",), limit_s=_SLOW_DISK_S),
    _probe("libraries.cuda_libraries", needs=("host", "interpreter"), limit_s=_SLOW_DISK_S),
    _probe("host.kernel_log", limit_s=8.0),
    _probe("python.jupyter", needs=("interpreter",)),
    _probe("host.environment"),
    _probe("plugins", needs=("host", "interpreter"), limit_s=7.0),  # its children have 5 s
)
