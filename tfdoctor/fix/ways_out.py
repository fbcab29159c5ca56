"""What to change where no TensorFlow works on a machine as it is: the driver, the Python, a container, or the CPU."""

from __future__ import annotations

from collections.abc import Iterator

from tfdoctor.base.records import replace
from tfdoctor.facts.model import Facts
from tfdoctor.facts.outcome import Absent, Known
from tfdoctor.facts.versions import DriverRelease
from tfdoctor.fix.containers import nvidias_container
from tfdoctor.fix.driver import BRANCH, fitting_driver
from tfdoctor.fix.install import Recipe, commands_of, environment_fix, install_commands, python_for
from tfdoctor.fix.machine import Machine
from tfdoctor.fix.plan import Option, Plan, plan, served_by
from tfdoctor.knowledge.actions import act
from tfdoctor.knowledge.lines import quoted
from tfdoctor.knowledge.matrix.model import GpuDrivers
from tfdoctor.knowledge.matrix.query import Matrix
from tfdoctor.knowledge.model import Fix


def ways_out(made: Plan, matrix: Matrix, facts: Facts) -> tuple[Fix, ...]:
    """What would work after one change, for a plan without options; `facts` name the system that it is made for."""
    machine = made.machine
    if made.options or not made.excluded:
        return ()
    any_python = replace(machine, python=Absent("any Python will do"))
    alone = replace(made, beside=())
    if made.beside and (first := _first(alone, machine, matrix)) is not None:
        other_python = _installed(
            made, any_python, matrix, "Use Python {python}: TensorFlow {version}"
        )
        return tuple(other_python) or (_apart(made, first, matrix),)
    made = alone  # what the machine lacks for TensorFlow itself comes first
    on_cpu = replace(any_python, gpus=Absent("on the CPU"), models=())
    found = [
        *_other_driver(made, matrix, facts),
        *_wsl(machine),
        *_installed(made, any_python, matrix, "Use Python {python}: TensorFlow {version}"),
        *_container(made, matrix),
        *(
            _installed(made, on_cpu, matrix, "Use the CPU: TensorFlow {version}")
            if not isinstance(machine.gpus, Absent)
            else ()
        ),
    ]
    return tuple(found)


def _apart(made: Plan, alone: Option, matrix: Matrix) -> Fix:
    """TensorFlow in one environment, what was to share it in another."""
    packages = [f"{each.framework}{each.specifier}" for each in made.beside]
    other = Recipe(
        alone.release,
        python_for(alone.release, made.machine),
        tuple(packages),
        fetch=made.machine.fetch,
        name="beside-tensorflow",
    )
    commands = (*install_commands(alone.release, made.machine, matrix), *commands_of(other))
    title = f"Use two environments: TensorFlow {alone.release.tensorflow}; {', '.join(packages)}"
    return environment_fix(title, commands)


_DRIVER = frozenset(
    {"driver-too-old", "driver-too-old-for-ptx", "driver-missing", "driver-lacks-gpu"}
)


def way_to_newest(made: Plan, matrix: Matrix, facts: Facts) -> Fix | None:
    """The driver that the newest version needs; None where it needs something else, too."""
    needs = {each.code for each in made.excluded[0].because} if made.excluded else set()
    if not needs or needs - _DRIVER:
        return None
    newest = replace(made, asked=f"=={made.excluded[0].release.tensorflow}")
    return next(iter(_other_driver(newest, matrix, facts)), None)


def _wsl(machine: Machine) -> list[Fix]:
    if machine.platform != "win_amd64" or not isinstance(machine.gpus, Known):
        return []
    named = [name or str(gpu) for name, gpu in machine.named]
    note = "On Windows itself, 2.10 was the last with GPU support."
    return [Fix("Use WSL2", (quoted("tfdoctor", "plan", "--os", "wsl2", "--gpu", named[0]),), note)]


def _first(made: Plan, machine: Machine, matrix: Matrix) -> Option | None:
    options = plan(machine, matrix, spec=made.asked, beside=made.beside).options
    return options[0] if options else None


def _other_driver(made: Plan, matrix: Matrix, facts: Facts) -> list[Fix]:
    """The usual branch, a newer one where the GPU needs it, or the last one that serves the GPU."""
    machine = made.machine
    rows = [each.value for each in served_by(machine, matrix) if isinstance(each, Known)]
    for driver in _drivers(rows):
        if _first(made, replace(machine, driver=Known(driver, "the way out")), matrix) is not None:
            if machine.driver_os == "windows":
                return [
                    act(
                        "install-driver",
                        "install-driver-in-windows",
                        major=driver.major,
                        because="",
                    )
                ]
            module = next((each.module_of(driver.major) for each in rows), "")
            return [fitting_driver(facts, matrix, driver.major, module)]
    return []


def _drivers(rows: list[GpuDrivers]) -> Iterator[DriverRelease]:
    yield DriverRelease(f"{BRANCH.major}.999")  # the newest release of that branch
    for row in rows:
        yield from (row.first.value,) if isinstance(row.first, Known) else ()
        yield from (DriverRelease(f"{row.last}.999"),) if row.last else ()


def _installed(made: Plan, machine: Machine, matrix: Matrix, title: str) -> list[Fix]:
    """The best version for that machine, with the command that gets its Python where this one is another."""
    option = _first(made, machine, matrix)
    if option is None:
        return []
    python = python_for(option.release, made.machine)
    own = isinstance(made.machine.python, Known) and made.machine.python.value.feature == python
    if own and "{python}" in title:
        return []
    installed_on = replace(machine, python=made.machine.python, fetch=machine.fetch or not own)
    commands = install_commands(option.release, installed_on, matrix, *option.beside)
    version = " and ".join(
        each.replace("==", " ") for each in (option.release.tensorflow, *option.beside)
    )
    return [environment_fix(title.format(python=python, version=version), commands)]


def _container(made: Plan, matrix: Matrix) -> list[Fix]:
    """Another build of TensorFlow; it needs a driver that serves the GPU, too."""
    machine = made.machine
    codes = {each.code for item in made.excluded for each in item.because}
    usable = machine.platform.startswith("linux") and isinstance(machine.gpus, Known)
    if not usable or "driver-lacks-gpu" in codes:
        return []
    return [*nvidias_container(machine, matrix)]
