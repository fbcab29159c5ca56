"""What `tfdoctor fix` says and answers, in the tests' own process: literal findings, real uv, the journal of made fixes."""

from __future__ import annotations

import contextlib
import json
import os
import pty
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import pytest

from tests.unit.apps.repair import standin
from tests.unit.apps.repair.bench import TITLE, Bench, finding, step
from tests.unit.apps.repair.test_apply import kept, made_new
from tfdoctor.apps.cli.fix_run import FixRun, _helped, _of
from tfdoctor.apps.cli.guard import UsageError
from tfdoctor.apps.cli.options import FixOptions
from tfdoctor.apps.cli.output import output_of
from tfdoctor.apps.repair import journal
from tfdoctor.apps.repair.journal import Change, Entry, Journal, Judged
from tfdoctor.apps.repair.plan import Changes, Step
from tfdoctor.apps.repair.trial import State
from tfdoctor.base.records import replace
from tfdoctor.facts.outcome import Known
from tfdoctor.facts.values import Kernelspec
from tfdoctor.knowledge.model import Action, Confidence, Finding, Fix, Severity, Verdict
from tfdoctor.report.report import Report, Subject

NONE_GIVEN = "this system gives you no private namespace"
OPTIONS = FixOptions(
    python="", kernel="", all=False, dry_run=False, yes=False, in_use=False, no_keep=False, in_place=True, undo=None, listed=False,
    recover=False, json=False, output="",
)  # fmt: skip
TYPED = 'python -m pip install "protobuf>=6.31.1,<7"'
UPGRADE = step(install=("protobuf>=6.31.1,<7",))
PLAN = f"""{TITLE}

Fix: Install a matching protobuf
    protobuf  4.25.3 → 6.33.0
  No other package in ~/envs/tf changes.
  Download: unknown beforehand. On the disk: known once it is fetched.

"""

Said = Callable[[], str]
Asked = TypeVar("Asked")


@pytest.fixture(autouse=True)
def plain(monkeypatch: pytest.MonkeyPatch) -> None:
    """The language is that of the bench, and nobody types."""
    for name in ("LC_ALL", "LC_CTYPE"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(sys, "stdin", None)


@pytest.fixture
def said(capsysbinary: pytest.CaptureFixture[bytes]) -> Said:
    """What was printed since, on standard output and behind it on standard error."""
    return lambda: b"".join(capsysbinary.readouterr()).decode()


@pytest.fixture
def place(bench: Bench) -> Path:
    return bench.root / "envs" / "other"


def report(bench: Bench, *findings: Finding, summary: str = "It is so.") -> Report:
    return Report(
        subject=Subject(str(bench.environment / "bin" / "python")),
        verdict=Verdict.BROKEN if findings else Verdict.HEALTHY,
        findings=findings,
        summary=summary,
        facts=bench.facts(),
    )


def run(found: Report, no_namespace: str = NONE_GIVEN, **options: Any) -> tuple[FixRun, int, bool]:
    """The run behind a check that found this; its status, and whether it goes on."""
    asked = replace(OPTIONS, **options)
    made = FixRun(asked, output_of(asked.output))
    made._no_namespace = no_namespace
    status, goes_on = made._next(State(found))
    return made, status, goes_on


def test_a_plan_is_shown_and_nothing_changed(bench: Bench, said: Said) -> None:
    before = standin.picture(
        bench.site
    )  # above it uv leaves its lock where no namespace keeps it out
    made, status, _ = run(report(bench, UPGRADE.finding), dry_run=True)
    assert (status, said()) == (0, PLAN)
    [entry] = made.entries
    assert (entry.state, entry.id, entry.packages) == (
        "planned",
        0,
        (Change("protobuf", "4.25.3", "6.33.0"),),
    )
    assert (entry.environment, entry.before.codes) == (
        str(bench.environment),
        ("protobuf-incompatible",),
    )
    assert standin.picture(bench.site) == before
    assert journal.all_entries() == []


def test_a_plan_of_all_is_that_of_the_first_problem(bench: Bench, said: Said) -> None:
    """What comes next only the check behind it finds."""
    other = finding(*UPGRADE.finding.fixes, code="numpy-abi-mismatch", title="Another one.")
    made, status, goes_on = run(report(bench, UPGRADE.finding, other), dry_run=True, all=True)
    assert (status, goes_on, len(made.entries)) == (0, False, 1)
    assert said() == f"{PLAN}The next problem shows once this one is fixed.\n"


def test_a_plan_of_a_kernels_own_file(bench: Bench, said: Said) -> None:
    kernel = Kernelspec("tf", "TF", str(bench.root / "kernels" / "tf"), ("python",), Known("x", "test"), ("A", "B"))  # fmt: skip
    Path(kernel.folder).mkdir(parents=True)
    wanted = step("set-variable", unset=("A",), set=("B=2",))
    wanted = Step(wanted.finding, replace(wanted.fix, where="kernel.json"))
    found = report(bench, finding(wanted.fix))
    facts = replace(
        found.facts,
        jupyter=replace(found.facts.jupyter, examined_kernel=Known(kernel, "test")),
        environment=replace(found.facts.environment, variables=Known({"A": "1"}, "test")),
    )
    made, status, _ = run(replace(found, facts=facts), dry_run=True)
    assert (status, said()) == (
        0,
        f"{TITLE}\n\nFix: Install a matching protobuf\n    B  is set to 2\n    A  is unset\n"
        "  Nothing else in ~/kernels/tf/kernel.json changes.\n\n",
    )
    assert made.entries[0].environment == kernel.folder


def test_without_a_terminal_nobody_is_asked(bench: Bench, said: Said) -> None:
    _, status, _ = run(report(bench, UPGRADE.finding))
    assert (status, said()) == (
        3,
        f"{PLAN}tfdoctor: nothing was changed: there is no terminal to ask on; add --yes to apply it\n",
    )


@pytest.mark.parametrize("answer", ["\n", "n\n", "yess\n", "\x04"])
def test_what_is_no_yes_changes_nothing(
    bench: Bench, said: Said, monkeypatch: pytest.MonkeyPatch, answer: str
) -> None:
    status, shown = answered(monkeypatch, answer, lambda: run(report(bench, UPGRADE.finding))[1])
    assert (status, said()) == (3, f"{PLAN}Nothing was changed.\n")
    assert "  Computing the smallest change ...\r\n" in shown
    assert "Change protobuf 4.25.3 → 6.33.0 in ~/envs/tf? It is tried in the environment itself, and put back if it does not help. [y/N] " in shown  # fmt: skip


def answered(
    monkeypatch: pytest.MonkeyPatch, answer: str, ask: Callable[[], Asked]
) -> tuple[Asked, str]:
    """What comes of it where a person types this on a terminal, and what they see there."""
    own, theirs = pty.openpty()
    with open(theirs, encoding="utf-8") as typed, open(os.dup(theirs), "w", encoding="utf-8") as seen:  # fmt: skip
        monkeypatch.setattr(sys, "stdin", typed)
        monkeypatch.setattr(sys, "stderr", seen)
        os.write(own, answer.encode())
        got = ask()
    shown = b""
    with (
        contextlib.suppress(OSError),
        open(own, "rb", buffering=0) as screen,
    ):  # EIO: the other end is closed
        while data := screen.read(1 << 16):
            shown += data
    return got, shown.decode()


@pytest.mark.parametrize("answer", ["y\n", "YES\n", " yes \n"])
def test_yes_is_one(bench: Bench, monkeypatch: pytest.MonkeyPatch, answer: str) -> None:
    new = Changes((Change("tensorflow", "", "2.21.0"),))
    made = FixRun(OPTIONS, output_of(""))
    yes, shown = answered(monkeypatch, answer, lambda: made._agreed(step("new-environment"), new, bench.root / "new"))  # fmt: skip
    assert yes
    assert "Make ~/new with tensorflow installs 2.21.0? No other environment is changed. [y/N] " in shown  # fmt: skip


def test_the_second_fix_of_a_problem_is_tried_where_the_first_does_not_help(
    bench: Bench, said: Said
) -> None:
    first = step("reinstall", install=("protobuf==4.25.3",)).fix
    (bench.wheels / "protobuf-4.25.3-py3-none-any.whl").unlink()
    both = finding(replace(first, title="Install it again"), UPGRADE.fix)
    made, status, goes_on = run(
        report(bench, both), yes=True, all=True, python=str(bench.environment)
    )
    assert (status, goes_on) == (0, True)
    text = " ".join(said().split())
    assert "Fix: Install it again protobuf 4.25.3 (reinstalled) No other package" in text
    assert "It did not help: uv could not get the packages: No solution found " in text
    assert ". Nothing was changed." in text
    assert "Helped: protobuf-incompatible is gone (broken → " in text
    assert "Changed: protobuf 4.25.3 → 6.33.0, nothing else. Undo: tfdoctor fix --undo 2 (" in text
    assert [each.state for each in made.entries] == ["discarded", "kept"]
    assert made._next(State(report(bench, both))) == (1, False)
    assert (
        said()
        == f"{TITLE}\n  tfdoctor fix has nothing to apply for it.\n  Install it again:\n    {TYPED}\n"
    )
    assert bench.installed()["protobuf"] == "6.33.0"


def test_a_dry_run_as_a_document(bench: Bench, said: Said) -> None:
    """The whole run, with the check and uv in namespaces where this system gives them."""
    asked = replace(
        OPTIONS, python=str(bench.environment), dry_run=True, json=True, output=str(bench.root / "plan.json"),
    )  # fmt: skip
    assert FixRun(asked, output_of(asked.output)).run() == 0
    document = json.loads((bench.root / "plan.json").read_text())
    assert (document["state"], document["code"]) == ("planned", "protobuf-incompatible")
    assert document["packages"] == [{"name": "protobuf", "from": "4.25.3", "to": "6.33.0"}]
    assert document["examined"] == f"--python {bench.environment}"
    assert said() == ""


def test_an_environment_that_is_not_there_is_wrong_usage(
    bench: Bench, place: Path, said: Said
) -> None:
    """What was interrupted is brought to its end first."""
    kept(place, "applied")
    asked = replace(OPTIONS, python=str(bench.root / "nowhere"))
    with pytest.raises(UsageError, match="nowhere"):
        FixRun(asked, output_of("")).run()
    assert said() == ("tfdoctor: fix 1 had been interrupted; ~/envs/other is as it was before it\n")


def test_all_as_a_document_where_nothing_is_to_be_fixed(bench: Bench, said: Said) -> None:
    made = FixRun(replace(OPTIONS, all=True, json=True), output_of(""))
    made._last = State(report(bench))
    assert made.run() == 0
    assert json.loads(said()) == {"schema_version": "1.0", "fixes": []}


def test_a_check_without_a_python(bench: Bench, said: Said) -> None:
    found = replace(report(bench), subject=Subject(), summary="No Python was found.")
    _, status, _ = run(found)
    assert (status, said()) == (3, "tfdoctor: No Python was found.\n")


NOTE = replace(finding(code="note"), severity=Severity.INFO)
BY_HAND = Fix("Load the module", ("sudo modprobe nvidia",), "It needs root.")
UNSURE = replace(finding(BY_HAND, title="It may be the driver."), confidence=Confidence.LIKELY)


@pytest.mark.parametrize(
    ("findings", "options", "status", "text"),
    [
        ((), {}, 3, "Nothing to fix: It is so.\n"),
        ((NOTE,), {}, 3, "Nothing to fix: It is so.\n"),
        ((), {"all": True}, 0, "Nothing to fix: It is so.\n"),
        ((UNSURE,), {"code": "driver-too-old"}, 3, "driver-too-old was not found here. It is so.\n"),
        ((finding(BY_HAND),), {}, 3, f"{TITLE}\n  tfdoctor fix has nothing to apply for it.\n  Load the module:\n    sudo modprobe nvidia\n  It needs root.\n"),
        ((UNSURE,), {}, 3, "It may be the driver.\n  tfdoctor fix has nothing to apply for it: this cause is not certain.\n  Load the module:\n    sudo modprobe nvidia\n  It needs root.\n"),
        ((finding(title="The first one."), UNSURE), {}, 3, "The first one.\n  tfdoctor fix has nothing to apply for it.\n"),
        ((finding(), UNSURE), {"code": UNSURE.code}, 3, f"{TITLE}\n  tfdoctor fix has nothing to apply for it.\n"),
    ],
)  # fmt: skip
def test_where_nothing_can_be_applied(bench: Bench, said: Said, findings: tuple[Finding, ...], options: dict[str, Any], status: int, text: str) -> None:  # fmt: skip
    made, got, goes_on = run(report(bench, *findings), **options)
    assert (got, goes_on, said()) == (status, False, text)
    assert made.entries == []


def test_all_ends_with_what_was_kept(bench: Bench, said: Said) -> None:
    made = FixRun(replace(OPTIONS, all=True), output_of(""))
    made.entries.append(Entry(id=4, state="kept"))
    assert made._next(State(report(bench))) == (0, False)
    assert made._next(State(report(bench, finding(BY_HAND)))) == (1, False)
    conda = replace(bench.facts().interpreter, environment=Known("conda", "test"))
    found = report(bench, UPGRADE.finding)
    found = replace(found, facts=replace(found.facts, interpreter=conda))
    assert made._next(State(found)) == (1, False)
    text = said()
    assert text.startswith("Nothing more to fix: It is so.\n")
    assert text.endswith("Kept: 4. Not healthy yet.\n")


def interrupted(bench: Bench) -> None:
    Journal.begin(Entry(environment=str(bench.environment), state="cloned"))


def of_conda(bench: Bench) -> None:
    (bench.environment.parent / "uv.lock").write_text("")


def without_uv(bench: Bench) -> None:
    (bench.root / "bin" / "uv").unlink()


def without_wheels(bench: Bench) -> None:
    for each in bench.wheels.iterdir():
        each.unlink()


def nothing(bench: Bench) -> None: ...


def healed(bench: Bench) -> None:
    """As where its files are damaged, and its metadata is right."""
    (bench.site / "protobuf-4.25.3.dist-info").rename(bench.site / "protobuf-6.33.0.dist-info")
    for each in (bench.site / "protobuf-6.33.0.dist-info").iterdir():
        each.write_text(each.read_text().replace("4.25.3", "6.33.0"))


@pytest.mark.parametrize(
    ("circumstance", "options", "because", "instead"),
    [
        (interrupted, {}, "fix 1 of this environment was interrupted. Bring it to an end", ["tfdoctor fix --recover"]),
        (of_conda, {}, "uv.lock beside it says what is installed here, and the next install from it would undo the fix. Change the project", ["cd {envs}", 'uv add "protobuf>=6.31.1,<7"']),
        (without_uv, {}, "the environment has no pip, and uv is not on PATH; run `python -m ensurepip` in it, or install uv", []),
        (without_wheels, {}, "uv finds no way: No solution found when resolving dependencies: Because protobuf was not found", []),
        (healed, {}, "all that it asks for is installed already", []),
        (nothing, {"in_place": False}, f"{NONE_GIVEN}, so a fix can't be tried without changing the environment. `--in-place` tries it in the environment itself, and puts the old files back if it does not help. Or type it yourself", [TYPED]),
    ],
)  # fmt: skip
def test_it_is_not_applied_and_why(bench: Bench, said: Said, circumstance: Callable[[Bench], None], options: dict[str, Any], because: str, instead: list[str]) -> None:  # fmt: skip
    circumstance(bench)
    made, status, goes_on = run(report(bench, UPGRADE.finding), yes=True, **options)
    assert (status, goes_on) == (3, False)
    lines = said().splitlines()
    commands = [each[4:] for each in lines if each.startswith("    ")]
    assert commands == [each.format(envs=bench.environment.parent) for each in instead]
    text = " ".join(each.strip() for each in lines if not each.startswith("    "))
    assert text.startswith(f"{TITLE} Not applied: {because}")
    assert text[-1] == (":" if instead else ".")
    [entry] = made.entries
    assert (entry.state, entry.packages) == ("planned", ())
    assert entry.reason.startswith(because)


def test_a_new_environment_of_a_python_that_nobody_has(bench: Bench, said: Said) -> None:
    without_uv(bench)
    wanted = step("new-environment", environment="new", pythons=("9.8", "9.9"), install=("tensorflow==2.21.0",))  # fmt: skip
    _, status, _ = run(report(bench, wanted.finding), yes=True)
    assert (status, said()) == (
        3,
        f"{TITLE}\n  Not applied: neither Python 9.8 nor 9.9 is here, nor uv, which gets one.\n",
    )


def plan(bench: Bench, said: Said, made_of: Changes, kind: str = "change-packages", **fix: Any) -> str:  # fmt: skip
    """As it is shown, in one line a line."""
    shown = step(kind)
    shown = replace(shown, fix=replace(shown.fix, **fix))
    FixRun(OPTIONS, output_of(""))._show_plan(shown, made_of, bench.environment)
    return said()


def test_a_plan_of_many_packages_and_why_no_smaller_one(bench: Bench, said: Said) -> None:
    many = tuple(Change(f"package-{number}", "1", "2", 5_000_000) for number in range(14))
    refused = "No solution found when resolving dependencies: Because a depends on b>=2 and b==1 is required"
    lines = plan(bench, said, Changes(many, refused=(refused,)), note="Restart the kernel.").split("\n")  # fmt: skip
    assert lines[2:4] == ["    package-0   1 → 2", "    package-1   1 → 2"]
    assert lines[13:15] == ["    package-11  1 → 2", "    and 2 more"]
    assert "  Restart the kernel." in lines
    assert "  Download: at most 70 MB. On the disk: known once it is fetched." in lines
    assert " ".join(" ".join(lines).split()).endswith(f"A smaller change is impossible: {refused}")


def test_a_plan_of_what_is_removed_fetches_nothing(bench: Bench, said: Said) -> None:
    text = plan(bench, said, Changes((Change("keras", "2.15.0", ""),)))
    assert "    keras  2.15.0 is removed\n" in text
    assert "Download" not in text


def test_a_plan_of_a_kernels_file(bench: Bench, said: Said) -> None:
    variables = (Change("A", "1", ""), Change("LONGER", "", "x"))
    text = plan(bench, said, Changes(variables=variables), where="kernel.json")
    assert "    A       is unset\n    LONGER  is set to x\n" in text
    assert "  Nothing else in ~/envs/tf/kernel.json changes.\n" in text


def test_a_plan_of_a_new_environment(bench: Bench, said: Said) -> None:
    changes = Changes((Change("tensorflow", "", "2.21.0"),), left_out=("mine", "ours"))
    text = plan(bench, said, changes, action=Action("new-environment"))
    assert "    tensorflow  installs 2.21.0\n" in text
    assert "  They go into ~/envs/tf, which is made. Nothing else changes.\n" in text
    assert "  Not taken along: mine, ours.\n" in text


def entry(**fields: Any) -> Entry:
    return Entry(id=3, state="kept", code="a-code", environment="/envs/tf", before=Judged("broken", ("a-code",)), after=Judged("healthy"), packages=(Change("p", "1", "2"),), **fields)  # fmt: skip


@pytest.mark.parametrize(
    ("made", "words"),
    [
        (entry(kept="/x", kept_bytes=3 << 20), "Helped: a-code is gone (broken → healthy). Changed: p 1 → 2, nothing else. Undo: tfdoctor fix --undo 3 (3 MB kept)."),
        (entry(), "Helped: a-code is gone (broken → healthy). Changed: p 1 → 2, nothing else. The old files were not kept."),
        (replace(entry(), after=Judged("degraded", ("a-code",))), "Helped: one a-code is gone (broken → degraded). Changed: p 1 → 2, nothing else. The old files were not kept."),
        (replace(entry(kept="/x"), packages=tuple(Change(each, "", "1") for each in "abcd")), "Helped: a-code is gone (broken → healthy). Changed: 4 packages, nothing else. Undo: tfdoctor fix --undo 3 (1 MB kept)."),
        (replace(entry(action=Action("new-environment"), kept_bytes=2 << 30), environment="/my envs/tf"), "Helped: TensorFlow starts in /my envs/tf (broken → healthy). Activate it: . '/my envs/tf/bin/activate'. It has p 1 → 2; no other environment was changed. Undo: tfdoctor fix --undo 3 (removes it, 2048 MB)."),
    ],
)  # fmt: skip
def test_how_it_says_that_it_helped(made: Entry, words: str) -> None:
    assert _helped(made) == words


@pytest.mark.parametrize(
    ("made", "words"),
    [
        (entry(), "a-code: p 1 → 2"),
        (entry(kept="/x", kept_bytes=5 << 20), "a-code: p 1 → 2 (5 MB kept)"),
        (entry(reason="it was interrupted"), "a-code: p 1 → 2: it was interrupted"),
        (replace(entry(), packages=(), variables=(Change("A", "1", ""),)), "a-code: A is unset"),
    ],
)
def test_how_a_fix_is_listed(made: Entry, words: str) -> None:
    assert _of(made) == words


def ran(**options: Any) -> int:
    return FixRun(replace(OPTIONS, **options), output_of(options.get("output", ""))).run()


def test_the_list_of_what_was_done(place: Path, said: Said) -> None:
    assert ran(listed=True) == 0
    assert said() == "No fix was made yet.\n"
    kept(place)
    Journal.begin(Entry(code="a-code", environment="/envs/tf", at="2026-11-29T12:34:56Z"))
    assert ran(listed=True) == 0
    lines = said().splitlines()
    assert lines[:2] == ["2  interrupted  /envs/tf  2026-11-29 12:34", "   a-code: "]
    assert lines[2].startswith("1  kept  ~/envs/other  ")
    assert lines[3] == "   protobuf-incompatible: protobuf 4.25.3 → 6.33.0 (1 MB kept)"


def test_the_list_in_a_file_as_a_document(place: Path, tmp_path: Path, said: Said) -> None:
    kept(place)
    file = str(tmp_path / "list.json")
    assert ran(listed=True, json=True, output=file) == 0
    document = json.loads(Path(file).read_text())
    assert [each["state"] for each in document["fixes"]] == ["kept"]
    assert ran(listed=True, output=file) == 0
    assert "1  kept  ~/envs/other" in Path(file).read_text()
    assert said() == ""


def test_it_is_undone(place: Path, said: Said) -> None:
    kept(place)
    assert ran(undo="1") == 0
    assert said() == (
        "Undone: ~/envs/other is as it was before fix 1 (protobuf 6.33.0 → 4.25.3).\n"
    )
    assert ran(undo="last") == 3
    assert said() == (
        "tfdoctor: there is no fix that can be undone; tfdoctor fix --list shows all\n"
    )


def test_an_environment_that_was_made_is_removed_again(place: Path, said: Said) -> None:
    made_new(place)
    assert ran(undo="last") == 0
    assert said() == "Undone: ~/envs/other is removed again.\n"


def test_nothing_is_changed_under_a_running_program(bench: Bench, said: Said) -> None:
    words = [str(bench.environment / "bin" / "python"), "-c", "print(flush=True); input()"]
    with subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as program:
        assert program.stdout is not None
        program.stdout.readline()
        refused, forced = (
            run(report(bench, UPGRADE.finding), dry_run=True, in_use=each)[1]
            for each in (False, True)
        )
        program.communicate(b"\n")
    assert (refused, forced) == (3, 0)
    text = said()
    assert f"(PID {program.pid}). End it first, or go on with --in-use" in " ".join(text.split())
    assert text.endswith(PLAN)


def test_nothing_is_undone_while_another_is_at_it(place: Path, said: Said) -> None:
    kept(place)
    with journal.locked(place):
        assert ran(undo="last", in_use=True) == 3
    assert said() == f"tfdoctor: another tfdoctor is fixing {place}\n"


def test_what_was_interrupted_is_recovered(place: Path, said: Said) -> None:
    assert ran(recover=True) == 0
    assert said() == "No fix was interrupted.\n"
    kept(place, "applied")
    assert ran(recover=True, json=True) == 0
    [document] = json.loads(said())["fixes"]
    assert (document["state"], document["reason"]) == ("discarded", "it was interrupted")
    assert [each.name for each in place.iterdir()] == ["a.py"]


def test_recovering_says_what_became_of_it(place: Path, said: Said) -> None:
    kept(place, "applied")
    made = replace(Entry(), environment=str(place.parent / "new"), action=Action("new-environment"))
    Journal.begin(made)
    assert ran(recover=True) == 0
    assert said() == (
        "Fix 2 was interrupted; what it had made of ~/envs/new is removed.\n"
        "Fix 1 was interrupted; ~/envs/other is as it was before it.\n"
    )
