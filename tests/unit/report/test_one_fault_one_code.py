"""One fault, one code: build files, an installed environment and a plan are told the same of 60 sets of versions."""

from __future__ import annotations

from pathlib import Path

import pytest

from tfdoctor.ask.builds.files import read
from tfdoctor.base.version_ranges import contains
from tfdoctor.facts.model import Driver, Facts, Host, Interpreter, Packages, TensorFlow
from tfdoctor.facts.outcome import Absent, Known, known
from tfdoctor.facts.values import CudaDevice, Distribution, PciGpu, Requirement, TensorFlowBuild
from tfdoctor.facts.versions import PythonRelease
from tfdoctor.fix.install import recipe_for
from tfdoctor.fix.machine import Machine, described, machine_from_facts
from tfdoctor.fix.plan import plan
from tfdoctor.judge.engine.case import Case
from tfdoctor.judge.judge import finding_of
from tfdoctor.knowledge.matrix.load import load_bundled
from tfdoctor.knowledge.matrix.model import Release
from tfdoctor.report.lint import lint

MATRIX = load_bundled()

MACHINES = """
2.21.0 3.12 RTX-3090  470.57.02  driver-too-old
2.21.0 3.12 RTX-3090  525.60.13  -
2.21.0 3.12 RTX-3090  580.95.05  -
2.21.0 3.12 RTX-4090  470.57.02  driver-too-old
2.21.0 3.12 RTX-4090  535.104.05 -
2.21.0 3.12 RTX-5090  535.104.05 driver-lacks-gpu
2.21.0 3.12 RTX-5090  570.26     driver-lacks-gpu
2.21.0 3.12 GTX-1080  590.44.01  driver-lacks-gpu
2.21.0 3.12 GTX-1080  580.95.05  -
2.21.0 3.12 V100      590.44.01  driver-lacks-gpu
2.21.0 3.12 V100      535.104.05 -
2.21.0 3.12 T4        590.44.01  -
2.21.0 3.12 H100      535.104.05 driver-too-old-for-ptx
2.21.0 3.12 H100      555.42.02  -
2.20.0 3.12 H100      535.104.05 driver-too-old-for-ptx
2.20.0 3.12 RTX-5090  580.95.05  gpu-too-new-for-build
2.19.1 3.12 RTX-5090  580.95.05  gpu-too-new-for-build
2.18.1 3.12 RTX-5090  580.95.05  gpu-too-new-for-build
2.18.1 3.12 RTX-3090  470.57.02  driver-too-old
2.17.1 3.12 RTX-5090  580.95.05  gpu-too-new-for-build
2.16.2 3.12 H100      535.104.05 -
2.16.2 3.12 RTX-5090  580.95.05  gpu-too-new-for-build
2.15.1 3.11 RTX-3090  470.57.02  driver-too-old
2.15.1 3.11 RTX-3090  525.60.13  -
2.14.1 3.11 RTX-3090  470.57.02  -
2.14.1 3.11 RTX-3090  418.39     driver-too-old
2.10.1 3.10 RTX-3090  470.57.02  -
2.10.1 3.10 RTX-3090  440.33     driver-too-old
2.10.1 3.10 3.0       470.57.02  compute-capability-too-low
2.5.3  3.9  GTX-1080  470.57.02  -
""".strip().splitlines()  # fmt: skip

PYTHONS = """
2.21.0 3.9  python-unsupported
2.21.0 3.14 python-unsupported
2.20.0 3.14 python-unsupported
2.20.0 3.8  python-unsupported
2.18.1 3.13 python-unsupported
2.16.2 3.8  python-unsupported
2.15.1 3.12 python-unsupported
2.15.1 3.11 -
2.10.1 3.11 python-unsupported
2.4.4  3.9  python-unsupported
""".strip().splitlines()

PACKAGES = """
2.10.1 3.10 numpy      2.0.0  numpy-abi-mismatch
2.10.1 3.10 numpy      1.26.4 -
2.15.1 3.11 numpy      2.1.0  numpy-abi-mismatch
2.17.1 3.12 numpy      2.0.0  numpy-abi-mismatch
2.18.1 3.12 numpy      2.0.2  -
2.21.0 3.12 numpy      2.3.5  -
2.10.1 3.10 protobuf   4.25.8 protobuf-incompatible
2.10.1 3.10 protobuf   3.19.6 -
2.5.3  3.9  protobuf   4.21.0 protobuf-incompatible
2.20.0 3.12 protobuf   5.28.0 protobuf-incompatible
2.20.0 3.12 protobuf   5.29.5 -
2.21.0 3.12 protobuf   5.29.5 protobuf-incompatible
2.21.0 3.12 protobuf   6.31.1 -
2.21.0 3.12 protobuf   7.36.0 -
2.21.0 3.12 keras      2.15.0 keras-mismatch
2.21.0 3.12 keras      3.12.0 -
2.16.2 3.12 keras      2.15.0 keras-mismatch
2.18.1 3.12 keras      3.5.0  -
2.15.1 3.11 keras      2.15.0 -
2.12.1 3.11 keras      2.15.0 keras-mismatch
""".strip().splitlines()


def test_there_are_sixty() -> None:
    assert len(MACHINES) + len(PYTHONS) + len(PACKAGES) == 60


def release(version: str) -> Release:
    found = known(MATRIX.release(version))
    assert found is not None
    return found


def machine(python: str, gpu: str, driver: str) -> Machine:
    said = {"gpu": gpu.replace("-", " "), "driver": driver} if gpu else {"gpu": "none"}
    return described(machine_from_facts(Facts()), MATRIX, os="linux", python=python, **said)


def environment(row: Release, python: str, **packages: str) -> Facts:
    """As probes find it: the distribution with the build that its wheel has, and what is beside it."""
    own = Distribution("tensorflow", row.tensorflow, "", "pip", False)
    beside = [Distribution(name, version, "", "pip", False) for name, version in packages.items()]
    requires = []
    for name, version in packages.items():
        spec = next(each.spec for each in (known(row.requires) or {})[name])
        requires.append(
            Requirement(name, spec, Known(version, "METADATA"), "", contains(spec, version))
        )
    build = TensorFlowBuild(row.cuda, row.cudnn, row.nccl, Absent("no ROCm"), known(row.sass) or (), known(row.ptx) or (), ())  # fmt: skip
    return Facts(
        host=Host(os=Known("linux", "a test"), machine=Known("x86_64", "a test")),
        interpreter=Interpreter(version=Known(PythonRelease(python), "a test"), machine=Known("x86_64", "a test")),
        packages=Packages(installed=Known((own, *beside), "a test"), requirements=Known(tuple(requires), "a test")),
        tensorflow=TensorFlow(
            distributions=Known((own,), "a test"), distribution=Known("tensorflow", "a test"),
            version=Known(row.tensorflow, "a test"), build=Known(build, "a test"),
        ),
    )  # fmt: skip


def checked(facts: Facts, code: str, asked: tuple[str, ...]) -> str:
    """The code where `check` finds it, else the first other of these that it finds."""
    case = Case(facts, MATRIX)
    return next((each for each in (code, *asked) if each != "-" and finding_of(case, each)), "-")


def linted(folder: Path, text: str, python: str, where: Machine | None) -> set[str]:
    (folder / "requirements.txt").write_text(text, encoding="utf-8")
    found = lint(read([str(folder)]), MATRIX, where, python).findings
    assert not any("you have" in f"{each.title} {each.explanation}" for each in found)
    assert not any("this machine" in each.title.lower() for each in found)
    return {each.code for each in found if each.severity.value == "error"} or {"-"}


DRIVERS = (
    "driver-too-old",
    "driver-lacks-gpu",
    "driver-too-old-for-ptx",
    "gpu-too-new-for-build",
    "compute-capability-too-low",
)


@pytest.mark.parametrize("row", MACHINES)
def test_of_machines(row: str, tmp_path: Path) -> None:
    version, python, gpu, driver, code = row.split()
    where = machine(python, gpu, driver)
    made = plan(where, MATRIX, spec=f"=={version}")
    codes = {each.code for item in made.excluded for each in item.because}
    assert (code in codes) if code != "-" else not codes
    extra = "[and-cuda]" if known(release(version).and_cuda) else ""
    pins = "numpy<2\nprotobuf<4\n" if version.startswith(("2.5", "2.10")) else ""
    assert code in linted(tmp_path, f"tensorflow{extra}=={version}\n{pins}", python, where)
    gpus = known(where.gpus) or ()
    served = code != "driver-lacks-gpu"
    device = CudaDevice(
        0, where.models[0] if where.models else "a GPU", gpus[0], 0, "0000:01:00.0", ""
    )
    bus = PciGpu("0000:01:00.0", "nvidia", {"RTX-5090": "2b85", "GTX-1080": "1b80", "V100": "1db1"}.get(gpu, ""), Known("nvidia", "a test"))  # fmt: skip
    facts = environment(release(version), python)
    facts = type(facts)(**{
        **{each: getattr(facts, each) for each in ("interpreter", "packages", "tensorflow")},
        "host": Host(os=Known("linux", "a test"), machine=Known("x86_64", "a test"), gpus_on_bus=Known((bus,), "a test")),
        "driver": Driver(
            version=where.driver, module_version=where.driver, devices=Known((device,) if served else (), "a test")
        ),
    })  # fmt: skip
    assert checked(facts, code, DRIVERS) == code


@pytest.mark.parametrize("row", PYTHONS)
def test_of_pythons(row: str, tmp_path: Path) -> None:
    version, python, code = row.split()
    made = plan(machine(python, "", ""), MATRIX, spec=f"=={version}")
    assert {each.code for item in made.excluded for each in item.because} == ({code} - {"-"})
    assert linted(tmp_path, f"tensorflow=={version}\nnumpy<2\nprotobuf<4\n", python, None) >= {code}
    assert checked(environment(release(version), python), code, ("python-unsupported",)) == code


@pytest.mark.parametrize("row", PACKAGES)
def test_of_packages(row: str, tmp_path: Path) -> None:
    version, python, name, present, code = row.split()
    others = "".join(
        f"{each}\n"
        for each in ("numpy<2", "protobuf<4")
        if version < "2.12" or version == "2.5.3"
        if not each.startswith(name)
    )
    assert code in linted(
        tmp_path, f"tensorflow=={version}\n{others}{name}=={present}\n", python, None
    )
    codes = ("numpy-abi-mismatch", "protobuf-incompatible", "keras-mismatch")
    assert checked(environment(release(version), python, **{name: present}), code, codes) == code
    made = plan(machine(python, "", ""), MATRIX, spec=f"=={version}").options[0]
    recipe = recipe_for(made.release, machine(python, "", ""), MATRIX)
    ranges = [each.removeprefix(name) for each in recipe.packages if each.startswith(name)]
    ranges += [each.spec for each in (known(made.release.requires) or {}).get(name, ())]
    allowed = all(contains(each, present) for each in ranges)
    assert allowed == (code == "-")
