"""A new environment beside one that no change can help: what goes into it, that it is proven, and that it goes again."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import psutil
import pytest

from tests.unit.apps.repair import standin
from tests.unit.apps.repair.bench import Bench, finding
from tests.unit.apps.repair.standin import Patient
from tests.unit.apps.repair.test_fix import needs_unshare
from tests.unit.ask.probes.fake_environments import add_distribution, facts_of, site_of
from tests.waiting import until
from tfdoctor.apps.repair import environment, journal, tree
from tfdoctor.apps.repair.fresh import NewWork, planned
from tfdoctor.apps.repair.installer import InstallerError
from tfdoctor.apps.repair.journal import Change
from tfdoctor.apps.repair.plan import Changes, Step
from tfdoctor.apps.repair.repair import Job, UndoRefusedError, apply, recover, undo
from tfdoctor.apps.repair.trial import State, Trial
from tfdoctor.base.fix_files import beside
from tfdoctor.base.records import replace
from tfdoctor.facts.model import Facts
from tfdoctor.facts.outcome import Known
from tfdoctor.knowledge.model import Action, Fix, Verdict
from tfdoctor.report.report import Report

FEATURE = f"{sys.version_info.major}.{sys.version_info.minor}"
ACTION = Action("new-environment", "", (("environment", "tensorflow-2.21.0"), ("install", ("tensorflow==2.21.0",)), ("pythons", ("9.9", FEATURE))))  # fmt: skip
FIX = Fix("Install TensorFlow 2.21.0 in a new environment", ("python -m venv tensorflow-2.21.0",), action=ACTION, applies=True)  # fmt: skip


@pytest.fixture
def patient(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Patient:
    made = standin.patient(tmp_path)
    for name, value in made.variables().items():
        monkeypatch.setenv(name, value)
    return made


def facts(patient: Patient) -> Facts:
    found = facts_of(prefix=patient.environment)
    inside = replace(
        found.interpreter,
        environment=Known("venv", "test"),
        site_packages=Known((str(site_of(patient.environment)),), "test"),
    )
    return replace(found, interpreter=inside)


@pytest.mark.slow
def test_it_has_what_the_old_one_had_as_far_as_that_goes_and_is_proven(patient: Patient) -> None:
    site = site_of(patient.environment)
    for name in ("mine", "ours", "gone"):
        add_distribution(site, name, "1.0")
    (site / "mine-1.0.dist-info" / "direct_url.json").write_text("{}")
    standin.wheel(patient.wheels, "ours", "2.0", {"ours.py": ""})
    trial = Trial(None, ("--python", str(patient.environment)))
    before = trial.state(None)
    step = Step(before.report.findings[0], FIX)
    changes = planned(step, facts(patient), None)
    assert {each.name: each.after for each in changes.packages} == {
        "tensorflow": "2.21.0", "protobuf": "6.33.0", "ours": "2.0",
    }  # fmt: skip
    assert changes.left_out == ("gone", "mine")
    place = environment.directory_of(facts(patient), FIX)
    assert place == patient.environment.parent / "tensorflow-2.21.0"
    old = standin.picture(patient.environment)
    job = Job(step, changes, None, before, place, place, ("--python", str(patient.environment)))
    place.mkdir()  # somebody's, since it was found free
    entry, _ = apply(job, NewWork, lambda doing: None)
    assert (entry.state, entry.reason) == ("discarded", f"{place} is there already")
    place.rmdir()
    entry, _ = apply(job, NewWork, lambda doing: None)
    assert (entry.state, entry.left_out) == ("kept", ("gone", "mine")), entry
    assert (site_of(place) / "ours.py").exists()
    assert environment.directory_of(facts(patient), FIX).name == "tensorflow-2.21.0-2"
    (place / "mine.py").write_text("")
    with pytest.raises(UndoRefusedError, match=r"mine\.py\), which --undo would lose"):
        undo(0, lambda place: "")
    (place / "mine.py").unlink()
    assert undo(0, lambda place: "").state == "undone"
    assert patient.beside() == []
    assert standin.picture(patient.environment) == old


def of_the_bench(bench: Bench) -> Facts:
    """And wheels of what uv puts into every environment."""
    for name in ("pip", "setuptools", "wheel"):
        standin.wheel(bench.wheels, name, "1.0", {f"{name}/__init__.py": ""})
    return bench.facts()


def test_the_plan_takes_along_what_can_be_there_beside_tensorflow(bench: Bench) -> None:
    facts = of_the_bench(bench)
    for name in ("mine", "gone", "same", "of-conda", "helper", "optional"):
        add_distribution(bench.site, name, "1.0")
    requires = ("helper", "optional; extra == 'more'", "of no form !")
    metadata = "".join(f"Requires-Dist: {each}\n" for each in requires).rstrip()
    add_distribution(bench.site, "ours", "1.0", {}, metadata)
    add_distribution(bench.site, "broken", "of-today")
    (bench.site / "mine-1.0.dist-info" / "direct_url.json").write_text("{}")
    (bench.site / "of_conda-1.0.dist-info" / "INSTALLER").write_text("conda\n")
    standin.wheel(bench.wheels, "ours", "2.0", {"ours.py": ""})
    standin.wheel(bench.wheels, "same", "1.0", {"same.py": ""}, "below; extra != 'x'")
    standin.wheel(bench.wheels, "below", "1.0", {"below.py": ""})
    changes = planned(step_of(FIX), facts, None)
    assert changes == Changes(
        tuple(
            Change(name, "", version)
            for name, version in {
                "below": "1.0",
                "ours": "2.0",
                "protobuf": "6.33.0",
                "same": "1.0",
                "tensorflow": "2.21.0",
            }.items()
        ),
        left_out=("gone", "optional", "broken", "mine"),
    )


def test_the_plan_of_a_tensorflow_that_no_index_has(bench: Bench) -> None:
    facts = of_the_bench(bench)
    (bench.wheels / "tensorflow-2.21.0-py3-none-any.whl").unlink()
    changes = planned(step_of(FIX), facts, None)
    assert changes.packages == ()
    assert changes.because.startswith("uv finds no way: No solution found when ")


def test_where_no_environment_can_be_made_it_says_why(bench: Bench) -> None:
    """uv can't get what every environment has."""
    with pytest.raises(InstallerError, match=r"^no environment can be made: .*pip"):
        planned(step_of(FIX), bench.facts(), None)


def step_of(fix: Fix) -> Step:
    return Step(finding(fix), fix)


def in_place(bench: Bench, changes: Changes) -> Job:
    place = environment.directory_of(bench.facts(), FIX)
    report = Report(
        verdict=Verdict.BROKEN, findings=(finding(FIX), finding(code="tensorflow-missing"))
    )
    subject = ("--python", str(bench.environment))
    return Job(step_of(FIX), changes, None, State(report), place, place, subject, in_place=True)


def test_it_is_made_proven_and_removed_again(bench: Bench) -> None:
    of_the_bench(bench)
    job, said = in_place(bench, NEW), list[str]()
    entry, _ = apply(job, NewWork, said.append)
    assert (entry.state, entry.reason, entry.packages) == ("kept", "", NEW.packages)
    assert said == ["Making the environment", "Downloading", "Installing", "Checking it"]
    assert (site_of(job.place) / "tensorflow" / "__init__.py").exists()
    assert bench.installed()["protobuf"] == "4.25.3"
    assert undo(0, lambda place: "").state == "undone"
    assert bench.beside() == []


@pytest.mark.parametrize(
    ("packages", "why"),
    [
        ((Change("protobuf", "", "6.33.0"),), "TensorFlow does not start in it: "),
        ((Change("protobuf", "", "99"),), "uv could not get the packages: No solution found"),
    ],
)
def test_it_is_removed_again_where_it_does_not_help(
    bench: Bench, packages: tuple[Change, ...], why: str
) -> None:
    of_the_bench(bench)
    entry, _ = apply(in_place(bench, Changes(packages)), NewWork, lambda doing: None)
    assert entry.state == "discarded"
    assert entry.reason.startswith(why)
    assert bench.beside() == []


def test_what_is_in_its_place_stays(bench: Bench) -> None:
    """Somebody's, since it was found free."""
    job = in_place(bench, NEW)
    job.place.mkdir()
    (job.place / "mine").write_text("")
    entry, _ = apply(job, NewWork, lambda doing: None)
    assert (entry.state, entry.reason) == ("discarded", f"{job.place} is there already")
    assert (job.place / "mine").exists()
    assert bench.beside() == [job.place.name]


NEW = Changes((Change("tensorflow", "", "2.21.0"), Change("protobuf", "", "6.33.0")))


def make(root: str) -> None:
    """The whole of it, in a process that is killed."""
    patient = Patient(Path(root), Path(root, "envs", "tf"), Path(root, "wheels"))
    subject = ("--python", str(patient.environment))
    before = Trial(None, subject).state(None)
    place = environment.directory_of(facts(patient), FIX)
    job = Job(Step(before.report.findings[0], FIX), NEW, None, before, place, place, subject)
    apply(job, NewWork, lambda doing: None)


@pytest.mark.slow
def test_killed_in_the_middle_it_takes_its_programs_along(patient: Patient) -> None:
    needs_unshare()
    place = patient.environment.parent / "tensorflow-2.21.0"
    words = [sys.executable, "-c", f"from {__name__} import make; make({str(patient.root)!r})"]
    program = subprocess.Popen(words, env=patient.variables())
    until((place / "pyvenv.cfg").exists)
    program.kill()
    program.wait()
    time.sleep(0.3)
    every = (each.info["cmdline"] or () for each in psutil.process_iter(["cmdline"]))
    assert not [each for each in every if any(str(place) in word for word in each)]
    assert [each.state for each in recover()] == ["discarded"]
    assert patient.beside() == []


@pytest.mark.slow
def test_killed_while_it_plans_nothing_stays_behind(patient: Patient, tmp_path: Path) -> None:
    (tmp_path / "tmp").mkdir()
    code = f"from {__name__} import *; planned(Step(None, FIX), facts(Patient(*map(Path, {[*map(str, (patient.root, patient.environment, patient.wheels))]!r}))), None)"
    words = [sys.executable, "-c", code]
    program = subprocess.Popen(words, env=patient.variables(TMPDIR=str(tmp_path / "tmp")))
    until(lambda: any((tmp_path / "tmp").glob("*/*/environment/pyvenv.cfg")))
    program.kill()
    program.wait()
    patient.fix("--dry-run", TMPDIR=str(tmp_path / "tmp"))
    assert [*(tmp_path / "tmp").glob("tfdoctor-*")] == []  # pip leaves something of its own


def begun(place: Path, state: str) -> None:
    _, first = journal.Journal.begin(journal.Entry(action=ACTION, environment=str(place)))
    book = journal.all_entries()[0][1]
    place.mkdir()
    (place / "pyvenv.cfg").write_text("")
    inodes, generations = (0, os.lstat(place).st_ino), (0, tree.generation(place))
    book.add(replace(first, state=state, inodes=inodes, generations=generations))


def test_one_that_was_interrupted_is_removed(bench: Bench) -> None:
    place = bench.environment.parent / "tensorflow-2.21.0"
    begun(place, "applied")
    assert [each.state for each in recover()] == ["discarded"]
    assert bench.beside() == []


@pytest.mark.parametrize(
    "goes", [shutil.rmtree, lambda place: os.rename(place, place.with_name("aside"))]
)
def test_what_came_into_its_place_since_stays(goes: Callable[[Path], None], bench: Bench) -> None:
    """ext4 gives the inode number of what was removed again."""
    place = bench.environment.parent / "tensorflow-2.21.0"
    begun(place, "applied")
    goes(place)
    place.mkdir()
    (place / "mine").write_text("")
    recover()
    assert (place / "mine").exists()


def test_one_that_is_kept_is_not_recovered_away(bench: Bench) -> None:
    place = bench.environment.parent / "tensorflow-2.21.0"
    begun(place, "kept")
    assert recover() == [] and place.is_dir()


def test_one_that_was_made_again_is_not_undone(bench: Bench) -> None:
    place = bench.environment.parent / "tensorflow-2.21.0"
    begun(place, "kept")
    with pytest.raises(
        UndoRefusedError, match=r"nobody can tell what was changed since$"
    ):  # its manifest is gone
        undo(1, lambda place: "")
    shutil.rmtree(place)
    place.mkdir()
    with pytest.raises(
        UndoRefusedError, match=r"what it made is no longer at .*, so fix 1 can't be undone"
    ):
        undo(1, lambda place: "")
    assert place.is_dir()


def test_an_undo_that_was_interrupted_is_brought_to_its_end(bench: Bench) -> None:
    place = bench.environment.parent / "tensorflow-2.21.0"
    begun(place, "kept")
    aside = beside(place) / "1"
    aside.mkdir(parents=True)
    os.rename(place, aside / "tree")
    assert [each.state for each in recover()] == ["undone"]
    assert bench.beside() == []


def test_no_python_that_fits(bench: Bench) -> None:
    (bench.root / "bin" / "uv").unlink()
    none = replace(FIX, action=ACTION.with_values(pythons=("9.8", "9.9")))
    with pytest.raises(InstallerError, match=r"neither Python 9\.8 nor 9\.9 is here, nor uv"):
        planned(Step(None, none), bench.facts(), None)  # type: ignore[arg-type]  # asks for no finding


def test_it_is_not_made_where_others_write(bench: Bench) -> None:
    assert environment.refusal(bench.facts(), FIX) is None
    bench.environment.parent.chmod(0o777)
    found = environment.refusal(bench.facts(), FIX)
    assert found is not None and "is not yours alone to write" in found.because
    assert found.instead == FIX.commands
