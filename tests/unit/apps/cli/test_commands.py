"""The program from outside: what it prints where, its exit status, and that no mistake ends in a traceback."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import jsonschema
import pytest

from tests.unit.apps.cli.running import CHECKOUT, environment, machine, tfdoctor
from tfdoctor import __version__
from tfdoctor.apps.cli.app import COMMANDS
from tfdoctor.base.foreign_json import MOST_BYTES

pytestmark = pytest.mark.slow  # each test starts the program


def test_bare_it_says_what_to_type() -> None:
    ran = tfdoctor()
    assert (ran.returncode, ran.stderr) == (0, "")
    assert "tfdoctor check " in ran.stdout


def test_its_version() -> None:
    assert tfdoctor("--version").stdout == f"tfdoctor {__version__}\n"


def test_a_place_for_every_state_is_no_fault_of_a_saved_report() -> None:
    saved = ("check", "--facts", machine("healthy-gpu"), "--json")
    assert tfdoctor(*saved, env={"TFDOCTOR_STATE": "/no/such/folder/state"}).stderr == ""


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (("chek",), "did you mean 'check'"),
        (("matrix", "shwo"), "no such command 'shwo'; did you mean 'show'?"),
        (("check", "--bogus"), "--bogus"),
        (("check", "--ignore", "driver-to-old"), "did you mean driver-too-old"),
        (
            ("check", "--facts", "/no/such/file"),
            "/no/such/file: can't be read (No such file or directory)",
        ),
        (("check", "--matrix", "/no/such/file"), "/no/such/file: can't be read"),
        (("check", "--sysroot", "/no/such/folder"), "--sysroot /no/such/folder isn't a directory"),
        (("check", "--python", "a", "--kernel", "b"), "--python and --kernel"),
        (("check", "--python", "/no/such/python"), "/no/such/python"),
        (("check", "-o", "/no/such/folder/x"), "-o /no/such/folder/x: can't be written"),
        (("check", "--facts", "/dev/zero"), "/dev/zero: can't be read (not a file"),
        (("diff", "/dev/zero", "/dev/zero"), "/dev/zero: can't be read (not a file"),
        (("matrix", "show", "2.10"), "it knows 2.10.0 and 2.10.1"),
        (("plan", "--gpu", "4091"), "did you mean 'RTX 409"),
        (("check", "-o", "/"), "-o /: can't be written (it is a folder)"),
        (("check", "--state", "--facts", "x"), "--state is kept of this machine alone"),
        (("explain", "driver-to-old"), "did you mean driver-too-old"),
        (("explain", "--search", "zzzzzz"), "no page mentions 'zzzzzz'"),
        (("diff", "/no/a", "/no/b"), "/no/a: can't be read"),
        (("diff", "x"), "name two reports"),
    ],
)
def test_a_mistake_is_told_in_one_line(arguments: tuple[str, ...], told: str) -> None:
    ran = tfdoctor(*arguments)
    assert ran.returncode == 2
    assert ran.stdout == ""
    assert told in ran.stderr
    assert ran.stderr.count("\n") == 1


@pytest.mark.parametrize(
    "content",
    ["", "{", "[]", "null", '{"facts": 1}', '{"facts": {"host.os": {}}}', "\x00", "[" * 100_000],
)
def test_a_broken_report_is_told_in_one_line(content: str, tmp_path: Path) -> None:
    file = tmp_path / "broken.json"
    file.write_text(content)
    ran = tfdoctor("check", "--facts", str(file))
    assert ran.returncode == 2
    assert ran.stderr.startswith(f"tfdoctor: {file}: ")
    assert ran.stderr.count("\n") == 1


def test_a_report_that_never_ends_is_not_waited_for(tmp_path: Path) -> None:
    pipe, large = tmp_path / "pipe", tmp_path / "large.json"
    os.mkfifo(pipe)
    with large.open("wb") as file:
        file.truncate(MOST_BYTES + 1)
    for name, told in ((pipe, "a pipe, or a device"), (large, "larger than 4 MiB")):
        ran = tfdoctor("check", "--facts", str(name))
        assert (ran.returncode, ran.stderr.count("\n")) == (2, 1)
        assert told in ran.stderr


@pytest.mark.parametrize(
    ("name", "content", "told"),
    [
        ("pyproject.toml", "[tool.tfdoctor]\nrequire-gpu = 'yes'", "true or false"),
        ("tfdoctor.toml", "timeout = 0", "timeout must be a number of seconds from 1 on"),
        ("tfdoctor.toml", "smoke = 'all'", "smoke must be one of auto, none, driver, tf"),
    ],
)
def test_a_broken_settings_file_is_told_in_one_line(
    name: str, content: str, told: str, tmp_path: Path
) -> None:
    (tmp_path / name).write_text(content)
    ran = tfdoctor("check", "--facts", machine("healthy-cpu"), cwd=tmp_path)
    assert ran.returncode == 2
    assert told in ran.stderr
    assert ran.stderr.count("\n") == 1


@pytest.mark.parametrize(
    "command",
    [
        "check --smoke none", "diagnose no-such.log", "run -- touch ran", "plan", "diff a b", "explain --list",
        "matrix show", "fleet summarize x",
    ],
)  # fmt: skip
def test_a_broken_settings_file_is_wrong_usage_of_every_command(
    command: str, tmp_path: Path
) -> None:
    (tmp_path / "tfdoctor.toml").write_text("colour = 1")
    (tmp_path / "inner").mkdir()
    ran = tfdoctor(*command.split(), cwd=tmp_path / "inner")
    assert (ran.returncode, ran.stdout, ran.stderr.count("\n")) == (2, "", 1)
    assert "tfdoctor.toml: unknown setting 'colour'" in ran.stderr
    assert os.listdir(tmp_path / "inner") == []


@pytest.mark.parametrize("words", ["--version", "--help", "check --help", "plan -h", ""])
def test_a_broken_settings_file_takes_no_help_away(words: str, tmp_path: Path) -> None:
    (tmp_path / "tfdoctor.toml").write_text("colour = 1")
    ran = tfdoctor(*words.split(), cwd=tmp_path)
    assert (ran.returncode, ran.stderr) == (0, "")


def test_a_state_that_was_asked_for_and_can_not_be_written_is_wrong_usage(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    for name in (
        "/proc/nowhere/state.json",
        str(tmp_path),
        f"{tmp_path}/file/state.json",
        "/dev/null",
    ):
        begun = ["check", "--smoke", "none", "--json", "--state", name]
        for words, more in ((begun, {}), (begun[:-2], {"TFDOCTOR_STATE": name})):
            ran = tfdoctor(*words, env=more)
            assert (ran.returncode, ran.stdout, ran.stderr.count("\n")) == (2, "", 1)
            assert f"--state {name}: can't be written (" in ran.stderr


@pytest.mark.parametrize(
    "command", ["check --smoke none --json", "plan", "run -- true", "diagnose --json log"]
)
def test_warnings_that_the_user_turned_into_errors_are_none_of_ours(
    command: str, tmp_path: Path
) -> None:
    (tmp_path / "log").write_text("Epoch 1/2\n")
    quiet = tfdoctor(*command.split(), cwd=tmp_path)
    ran = tfdoctor(*command.split(), cwd=tmp_path, env={"PYTHONWARNINGS": "error"})
    assert (ran.returncode, ran.stderr) == (quiet.returncode, "")


def test_the_schema_is_printed() -> None:
    ran = tfdoctor("check", "--schema")
    assert ran.returncode == 0
    jsonschema.Draft202012Validator.check_schema(json.loads(ran.stdout))


@pytest.mark.parametrize(
    ("name", "status"), [("healthy-cpu", 0), ("healthy-gpu", 0), ("no-cuda-libraries", 1)]
)
def test_saved_facts_are_judged_again(name: str, status: int) -> None:
    ran = tfdoctor("check", "--json", "--facts", machine(name))
    told = json.loads(ran.stdout)
    assert (ran.returncode, ran.stderr) == (status, "")
    assert told["schema_version"] == "1.0"
    jsonschema.Draft202012Validator(json.loads(tfdoctor("check", "--schema").stdout)).validate(told)
    assert told["facts"].keys() >= json.loads(Path(machine(name)).read_text())["facts"].keys()


def test_ignored_codes_do_not_count() -> None:
    ran = tfdoctor(
        "check",
        "--json",
        "--facts",
        machine("no-cuda-libraries"),
        "--ignore",
        "cuda-libraries-missing,ptxas-missing",
    )
    told = json.loads(ran.stdout)
    assert "cuda-libraries-missing" in {item["code"] for item in told["ignored"]}
    assert "cuda-libraries-missing" not in {item["code"] for item in told["findings"]}


def test_a_report_in_a_file_is_there_whole_or_not_at_all(tmp_path: Path) -> None:
    file = tmp_path / "report.html"
    file.write_text("old")
    file.chmod(0o640)
    ran = tfdoctor("check", "--facts", machine("healthy-cpu"), "--format", "html", "-o", str(file))
    assert (ran.returncode, ran.stdout, ran.stderr) == (0, "", "")
    assert file.read_text().startswith("<!DOCTYPE html>")
    assert file.stat().st_mode & 0o777 == 0o640
    assert os.listdir(tmp_path) == ["report.html"]
    assert tfdoctor("check", "--facts", "/no/such", "-o", str(file)).returncode == 2
    assert file.read_text().startswith("<!DOCTYPE html>")
    assert os.listdir(tmp_path) == ["report.html"]


def test_the_plain_locale_gets_plain_characters(tmp_path: Path) -> None:
    told = json.loads(Path(machine("healthy-gpu")).read_text())
    told["facts"]["host.distribution"]["value"]["pretty"] = "Línux 日本 ≥ 1"
    file = tmp_path / "report.json"
    file.write_text(json.dumps(told))
    arguments = ("check", "--facts", str(file))
    assert "Línux 日本 ≥ 1" in tfdoctor(*arguments).stdout
    for variables in ({"LANG": "C"}, {"LC_ALL": "C"}, {"LC_ALL": "POSIX"}, {"LANG": ""}):
        assert "L?nux ?? >= 1" in tfdoctor(*arguments, env=variables).stdout
    assert "Línux 日本 ≥ 1" in tfdoctor(*arguments, "--json", env={"LANG": "C"}).stdout


def test_colour_only_where_it_is_wished() -> None:
    arguments = ("check", "--facts", machine("healthy-cpu"))
    assert "\x1b" not in tfdoctor(*arguments).stdout
    assert "\x1b[" in tfdoctor(*arguments, env={"FORCE_COLOR": "1"}).stdout
    assert "\x1b" not in tfdoctor(*arguments, env={"FORCE_COLOR": "1", "NO_COLOR": "1"}).stdout
    assert "\x1b" not in tfdoctor(*arguments, "--json", env={"FORCE_COLOR": "1"}).stdout


@pytest.mark.parametrize("entry", ["{folder}", ""])
def test_a_module_that_shadows_a_standard_one_does_not_stop_the_doctor(
    entry: str, tmp_path: Path
) -> None:
    (tmp_path / "re.py").write_text("raise SystemExit(3)\n")
    path = os.pathsep.join([entry.format(folder=tmp_path), environment()["PYTHONPATH"]])
    program = "import sys; from tfdoctor.apps.cli.entry import main; sys.exit(main())"  # as an installed script does
    words = ["check", "--json", "--smoke", "none", "--python", sys.executable]
    ran = subprocess.run(
        [sys.executable, "-c", f"import sys; sys.path[:1] = []; {program}", *words],
        env=environment(PYTHONPATH=path), cwd=tmp_path, capture_output=True, timeout=60, encoding="utf-8",
    )  # fmt: skip
    assert ran.stderr == ""
    assert "tensorflow-shadowed" in [
        finding["code"] for finding in json.loads(ran.stdout)["findings"]
    ]


def test_isolated_it_starts_whatever_lies_on_the_path(tmp_path: Path) -> None:
    """As the README says: `python -I -m tfdoctor`. The checkout is put on the path here by what an installation has: a .pth file."""
    site = tmp_path / "venv/lib/python{}.{}/site-packages".format(*sys.version_info)
    subprocess.run(
        [sys.executable, "-m", "venv", "--without-pip", str(tmp_path / "venv")],
        check=True,
        timeout=60,
    )
    installed = [folder for folder in sys.path if folder.endswith("-packages")]
    (site / "tfdoctor.pth").write_text("\n".join([str(CHECKOUT), *installed, ""]))
    own = tmp_path / "own"
    own.mkdir()
    for name in ("re", "types", "functools", "warnings", "json", "typing", "random"):
        (own / f"{name}.py").write_text("raise SystemExit(3)\n")
    ran = subprocess.run(
        [tmp_path / "venv/bin/python", "-I", "-m", "tfdoctor", "check", "--json", "--smoke", "none", "--python", sys.executable],
        env=environment(PYTHONPATH=str(own)), cwd=own, capture_output=True, timeout=60, encoding="utf-8",
    )  # fmt: skip
    assert ran.stderr == ""
    assert "tensorflow-shadowed" in [
        finding["code"] for finding in json.loads(ran.stdout)["findings"]
    ]


def test_a_closed_pipe_ends_it_quietly() -> None:
    with subprocess.Popen(
        [sys.executable, "-m", "tfdoctor", "check", "--json", "--facts", machine("healthy-gpu")],
        env=environment(), stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    ) as process:  # fmt: skip
        assert process.stdout is not None and process.stderr is not None
        process.stdout.close()
        assert process.stderr.read() == b""
        assert process.wait() == -13


def test_a_full_disk_is_told_in_one_line() -> None:
    for arguments in (
        ["check", "--facts", machine("healthy-gpu")],
        ["explain", "--list"],
        ["--version"],
    ):
        with open("/dev/full", "w") as full:
            ran = subprocess.run(
                [sys.executable, "-m", "tfdoctor", *arguments],
                env=environment(),
                stdout=full,
                stderr=subprocess.PIPE,
                text=True,
            )
        assert ran.returncode == 3
        assert ran.stderr == "tfdoctor: No space left on device\n"


def test_explain_prints_the_page_the_list_and_what_was_searched() -> None:
    assert (
        tfdoctor("explain", "driver-too-old")
        .stdout.split("\n")[0]
        .strip()
        .startswith("The driver is too old")
    )
    listed = tfdoctor("explain", "--list").stdout
    assert "  gpu-absent " in listed
    assert "gpu-hidden" in tfdoctor("explain", "--search", "environment variable hides").stdout
    assert tfdoctor("explain").stdout == listed
    matching = tfdoctor("explain", "numpy").stdout
    assert (
        "  numpy-abi-mismatch " in matching
        and "numpy-alias-removed " in matching
        and "gpu-absent" not in matching
    )


def test_the_list_marks_what_check_does_not_find() -> None:
    lines = tfdoctor("explain", "--list").stdout.splitlines()
    assert any(line.startswith("  driver-too-old ") for line in lines)
    assert any(line.startswith("* gpu-out-of-memory ") for line in lines)
    assert lines[-1].startswith("* not found by check; most show in logs: tfdoctor diagnose")


def test_diff_says_what_matters_first() -> None:
    ran = tfdoctor("diff", machine("healthy-gpu"), machine("driver-too-old"))
    assert ran.returncode == 1
    assert "tfdoctor explain driver-too-old" in ran.stdout
    assert ran.stdout.index("kernel module") < ran.stdout.index("driver (NVML)")
    same = tfdoctor("diff", machine("healthy-gpu"), machine("healthy-gpu"), "--json")
    assert same.returncode == 0
    assert json.loads(same.stdout)["same"] is True


def test_completion_is_offered() -> None:
    by_name = {"_TYPER_COMPLETE_TEST_DISABLE_SHELL_DETECTION": "1"}
    assert "_TFDOCTOR_COMPLETE" in tfdoctor("--show-completion", "bash", env=by_name).stdout
    typed = {"_TFDOCTOR_COMPLETE": "complete_bash", "COMP_WORDS": "tfdoctor ex", "COMP_CWORD": "1"}
    assert tfdoctor(env=typed).stdout.split() == ["explain"]
    typed["COMP_WORDS"], typed["COMP_CWORD"] = "tfdoctor explain driver-too", "2"
    assert "driver-too-old-for-ptx" in tfdoctor(env=typed).stdout.split()


def test_the_name_behind_o_says_the_form(tmp_path: Path) -> None:
    for name, begins in (
        ("r.json", "{"),
        ("r.md", "## tfdoctor"),
        ("r.html", "<!DOCTYPE html>"),
        ("r.txt", "✓"),
    ):
        tfdoctor("check", "--facts", machine("healthy-gpu"), "-o", str(tmp_path / name))
        assert (tmp_path / name).read_text("utf-8").startswith(begins)
    tfdoctor("check", "--facts", machine("healthy-gpu"), "--json", "-o", str(tmp_path / "typed.md"))
    assert (tmp_path / "typed.md").read_text("utf-8").startswith("{"), (
        "what is typed goes before the name"
    )
    assert (
        "use .json, .md, .html, .txt, .sarif or .xml"
        in tfdoctor("check", "-o", str(tmp_path / "r.pdf")).stderr
    )


def test_every_command_has_its_example_in_the_help() -> None:
    told = tfdoctor("--help").stdout
    assert [
        name
        for name in COMMANDS
        if f"\n  {name:<12} " not in told or f"tfdoctor {name} " not in told
    ] == []
    assert tfdoctor("-V").stdout == tfdoctor("--version").stdout


def test_a_saved_report_is_named_with_its_date() -> None:
    told = " ".join(tfdoctor("check", "--facts", machine("healthy-gpu")).stdout.split())
    with open(machine("healthy-gpu"), encoding="utf-8") as file:
        written = json.load(file)["generated_at"]
    assert f"Saved report of {written[:10]}; this machine was not checked." in told


@pytest.mark.parametrize(
    "chosen_by", ["--python", "--kernel tf-2.21", "VIRTUAL_ENV", "python3 on PATH"]
)
def test_what_to_ask_for_a_missing_gpu_names_no_other_target(
    chosen_by: str, tmp_path: Path
) -> None:
    """A command printed here would examine whatever is active where it is typed."""
    report = json.loads(Path(machine("healthy-cpu")).read_text("utf-8"))
    report["facts"]["interpreter.chosen_by"] = {
        "status": "known",
        "value": chosen_by,
        "from": "the command line",
    }
    (tmp_path / "report.json").write_text(json.dumps(report), "utf-8")
    ran = tfdoctor("check", "--facts", "report.json", cwd=tmp_path)
    assert "Should it have one? Check again with --require-gpu.\n" in ran.stdout
    assert "tfdoctor check --require-gpu" not in ran.stdout
