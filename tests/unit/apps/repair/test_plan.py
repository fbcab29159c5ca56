"""Which fixes are tried, and the smallest change that each needs: real uv on wheels of a few files."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.unit.apps.repair import standin
from tests.unit.apps.repair.bench import Bench, finding, step
from tests.unit.ask.probes.fake_environments import add_distribution, facts_of
from tfdoctor.apps.repair.journal import Change, Judged
from tfdoctor.apps.repair.plan import (
    Changes,
    judged,
    metadata_folders,
    of_a_kernel,
    recorded_files,
    smallest,
    steps,
)
from tfdoctor.base.records import replace
from tfdoctor.facts.outcome import Known
from tfdoctor.facts.values import Distribution
from tfdoctor.knowledge.model import Action, Confidence, Fix, Parameter, Role, Severity, Verdict
from tfdoctor.report.report import Report

UPGRADED = Change("protobuf", "4.25.3", "6.33.0")


def changes(bench: Bench, kind: str = "change-packages", **parameters: Parameter) -> Changes:
    return smallest(step(kind, **parameters), bench.facts(), bench.installer())


def test_one_package_changes_and_every_other_stays(bench: Bench) -> None:
    assert changes(bench, install=("protobuf>=6.31.1,<7",)) == Changes((UPGRADED,))


def test_what_is_there_already_in_the_right_version_does_not_change(bench: Bench) -> None:
    assert changes(bench, install=("protobuf<5", "tensorflow==2.21.0"), alone=("tensorflow==2.21.0",)) == Changes(because="all that it asks for is installed already")  # fmt: skip


def test_where_others_cant_stay_it_says_why(bench: Bench) -> None:
    """Whoever requires more than is there takes it along, and TensorFlow stays."""
    standin.wheel(bench.wheels, "keras", "3.15.1", {"keras.py": ""}, "protobuf>=6")
    found = changes(bench, install=("keras==3.15.1",))
    assert found.packages == (Change("keras", "", "3.15.1"), UPGRADED)
    [why] = found.refused
    assert why.startswith("No solution found when resolving dependencies: Because ")
    assert "protobuf>=6" in why


def test_where_tensorflow_cant_stay_nothing_is_held(bench: Bench) -> None:
    standin.wheel(bench.wheels, "tensorflow", "2.22.0", {"tensorflow/__init__.py": ""})
    standin.wheel(bench.wheels, "tf_keras", "2.22.0", {"tf_keras.py": ""}, "tensorflow>=2.22")
    found = changes(bench, install=("tf-keras==2.22.0",))
    assert found.packages == (
        Change("tensorflow", "2.21.0", "2.22.0"),
        Change("tf-keras", "", "2.22.0"),
    )
    assert len(found.refused) == 2


def test_no_way_at_all_is_said_in_the_installers_words(bench: Bench) -> None:
    found = changes(bench, install=("protobuf>=99",))
    assert found.packages == ()
    assert found.because.startswith(
        "uv finds no way: No solution found when resolving dependencies: Because only protobuf"
    )


def test_no_second_tensorflow_comes_beside_the_first(bench: Bench) -> None:
    standin.wheel(bench.wheels, "tensorflow_cpu", "2.21.0", {"tensorflow/__init__.py": ""})
    standin.wheel(bench.wheels, "tf_models", "1.0", {"tf_models.py": ""}, "tensorflow-cpu")
    found = changes(bench, install=("tf-models==1.0",))
    assert found.because == (
        "uv finds no way: it would install tensorflow-cpu beside the TensorFlow that is there"
    )
    found = changes(bench, install=("tensorflow-cpu",), remove=("tensorflow", "tf-nightly"))
    assert found.packages == (
        Change("tensorflow-cpu", "", "2.21.0"),
        Change("tensorflow", "2.21.0", ""),
    )


def test_a_requirement_that_cant_be_read(bench: Bench) -> None:
    assert changes(bench, install=("protobuf>=6 !",)) == Changes(
        because="a requirement of the fix can't be read"
    )


def test_alone_a_package_comes_without_what_it_requires(bench: Bench) -> None:
    standin.wheel(bench.wheels, "tf_keras", "2.21.0", {"tf_keras.py": ""}, "protobuf>=6")
    found = changes(bench, install=("protobuf<5", "tf-keras==2.21.0"), alone=("tf-keras==2.21.0",))
    assert found == Changes((Change("tf-keras", "", "2.21.0"),))


@pytest.mark.parametrize(
    ("requirement", "version"), [("protobuf==4.25.3", "4.25.3"), ("protobuf", "4.25.3")]
)
def test_what_is_reinstalled_keeps_its_version(
    bench: Bench, requirement: str, version: str
) -> None:
    assert changes(bench, "reinstall", install=(requirement,)) == Changes(
        (Change("protobuf", "4.25.3", version),)
    )


def test_what_the_facts_dont_know_is_reinstalled_in_the_version_that_the_fix_names(
    bench: Bench,
) -> None:
    facts = bench.facts()
    facts = replace(facts, packages=replace(facts.packages, installed=Known((), "test")))
    wanted = step("reinstall", install=("protobuf==4.25.3",))
    assert smallest(wanted, facts, bench.installer()).packages == (
        Change("protobuf", "", "4.25.3"),
    )


def test_a_version_that_no_installer_knows_holds_nothing(bench: Bench) -> None:
    """Metadata may hold any text."""
    facts = bench.facts()
    strange = Distribution("mine", "of today", "/x", "", False)
    packages = replace(
        facts.packages,
        installed=Known((strange, *facts.packages.installed.value), "test"),  # type: ignore[union-attr]  # known on the bench
    )
    wanted = step(install=("protobuf>=6.31.1,<7",))
    found = smallest(wanted, replace(facts, packages=packages), bench.installer())
    assert found == Changes((UPGRADED,))


def test_the_variables_of_a_kernels_file() -> None:
    facts = facts_of()
    facts = replace(
        facts, environment=replace(facts.environment, variables=Known({"A": "1", "B": "2"}, "test"))
    )
    wanted = step("set-variable", set=("A=x=y", "C="), unset=("B",))
    assert of_a_kernel(wanted, facts).variables == (
        Change("A", "1", "x=y"),
        Change("C", "", ""),
        Change("B", "2", ""),
    )


FIX = Fix("Do it", ("do it",), action=Action("reinstall"), applies=True)
OTHER = replace(FIX, title="Or this")
BY_HAND = replace(FIX, applies=False)
CAUSE = finding(BY_HAND, FIX, OTHER, code="cause")
EFFECT = replace(finding(FIX, code="effect"), role=Role.CONSEQUENCE)
REPORT = Report(
    verdict=Verdict.BROKEN,
    findings=(
        replace(CAUSE, code="note", severity=Severity.INFO),
        replace(CAUSE, code="perhaps", confidence=Confidence.LIKELY),
        CAUSE,
        EFFECT,
        replace(EFFECT, severity=Severity.WARNING),
    ),
)


@pytest.mark.parametrize(
    ("code", "tried"),
    [
        ("", [("cause", "Do it"), ("cause", "Or this")]),
        ("cause", [("cause", "Do it"), ("cause", "Or this")]),
        ("effect", [("effect", "Do it"), ("effect", "Do it")]),
        ("note", []),
        ("perhaps", []),
    ],
)
def test_what_is_tried(code: str, tried: list[tuple[str, str]]) -> None:
    assert [(each.finding.code, each.fix.title) for each in steps(REPORT, code)] == tried


def test_what_is_compared_before_and_after() -> None:
    assert judged(REPORT) == Judged("broken", ("perhaps", "cause", "effect"))


def test_the_files_of_the_packages_that_change(tmp_path: Path) -> None:
    add_distribution(tmp_path, "My-Package", "1.0", {"mine/a.py": "", "mine/b,c.py": ""})
    add_distribution(tmp_path, "other", "1.0", {"other.py": ""})
    add_distribution(tmp_path, "bare", "1.0")
    (tmp_path / "bare-1.0.dist-info" / "RECORD").unlink()
    (tmp_path / "~y_package-1.0.dist-info").mkdir()
    wanted = (
        Change("my-package", "1.0", "2.0"),
        Change("bare", "1.0", ""),
        Change("other", "", "2"),
    )
    assert {each for each in recorded_files(tmp_path, wanted) if "dist-info" not in each} == {
        "mine/a.py",
        "mine/b,c.py",
    }
    assert [each.name for each in metadata_folders(tmp_path, {"my-package", "y-package"})] == [
        "My_Package-1.0.dist-info"
    ]
