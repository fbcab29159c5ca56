"""The outcome of a run is the most telling code; findings say why."""

from __future__ import annotations

import json
from typing import Any

import jsonschema
import pytest

from tests.scenarios.conftest import all_scenarios, base, named
from tests.unit.judge.machines import bundled, changed
from tfdoctor.apps.cli.run_report import cpu_words
from tfdoctor.base.records import replace
from tfdoctor.facts.codec import from_json
from tfdoctor.facts.model import Facts
from tfdoctor.facts.schema import schema_of
from tfdoctor.report.death import RunReport, judge_run, run_from_json, run_to_json
from tfdoctor.say.json_v1 import render_json
from tfdoctor.say.run_view import run_view
from tfdoctor.say.terminal import Page, render_text

SCHEMA = json.loads(schema_of(RunReport, "tfdoctor run report 1.0"))
SAMPLES = ({"t": 0.0, "rss_bytes": 1, "cgroup_bytes": 5, "cgroup_limit_bytes": 10}, {"t": 9.0, "rss_bytes": 8, "cgroup_bytes": 9, "cgroup_limit_bytes": 10})  # fmt: skip
WATCHED = [each for each in all_scenarios() if each.said["base"] == "watched"]


def report(facts: Facts) -> RunReport:
    alone = replace(Facts(), death=facts.death)
    return judge_run(
        alone, bundled(), command=("python", "t.py"), status=137, samples=SAMPLES, interval_s=1.0
    )


def of(**death: Any) -> RunReport:
    """The base run (SIGKILL at its container's limit) with other facts of the death."""
    document = {f"death.{name}": fact for name, fact in death.items()}
    new = from_json(document, Facts).death
    return report(
        changed(
            from_json(base("watched"), Facts), death={name: getattr(new, name) for name in death}
        )
    )


def known(value: Any) -> dict[str, Any]:
    return {"status": "known", "value": value, "from": "test"}


def end(how: str, status: int) -> dict[str, Any]:
    peak = {"status": "failed", "error": "not told"}
    return known(
        {
            "how": how,
            "status": status,
            "core": False,
            "pid": 4711,
            "name": "python",
            "after_s": 3.0,
            "peak_rss": peak,
        }
    )


LOST = known([{"pid": 9, "name": "python", "signal": 9, "status": 0, "known_by": "pidfd", "after_s": 2.0, "peak_rss": 1, "cgroup": "/sys/fs/cgroup/job"}])  # fmt: skip
CRASHED = known([{"pid": 9, "name": "python", "signal": 11, "status": 0, "known_by": "pidfd", "after_s": 2.0, "peak_rss": 1, "cgroup": ""}])  # fmt: skip


def outcome_and_roots(run: RunReport) -> tuple[str, list[str]]:
    return run.outcome, [each.code for each in run.findings if each.role.value == "root"]


TRACEBACK = "Traceback (most recent call last):"
TOO_LATE = "RuntimeError: Physical devices cannot be modified after being initialized"
OOM = "ResourceExhaustedError: OOM when allocating tensor with shape[23170,23170] and type float on /job:localhost/replica:0/task:0/device:GPU:0 by allocator GPU_0_bfc [Op:MatMul]"


@pytest.mark.parametrize(
    ("death", "outcome", "roots"),
    [
        ({}, "container-oom-killed", ["container-oom-killed"]),
        ({"end": end("exit", 0), "lost": LOST}, "success", ["container-oom-killed"]),
        ({"end": end("exit", 0), "said": known([OOM])}, "success", []),
        ({"end": end("exit", 139), "lost": CRASHED}, "native-crash", ["native-crash"]),
        ({"end": end("exit", 1), "lost": CRASHED, "said": known([TRACEBACK, "BrokenProcessPool: x"])}, "native-crash", ["native-crash"]),
        ({"end": end("exit", 1), "said": known([TRACEBACK, "OSError: [Errno 24] Too many open files: 'x'"])}, "file-descriptors-exhausted", ["file-descriptors-exhausted"]),
        ({"end": end("exit", 1), "said": known([TRACEBACK, '  File "t.py", line 3, in <module>', TOO_LATE])}, "device-configured-too-late", ["device-configured-too-late"]),
        ({"end": end("not-started", 2)}, "command-not-started", ["command-not-started"]),
    ],
)  # fmt: skip
def test_the_most_telling_code_is_the_outcome(
    death: dict[str, Any], outcome: str, roots: list[str]
) -> None:
    assert outcome_and_roots(of(**death)) == (outcome, roots)


def shown(run: RunReport) -> str:
    return render_text(run_view(run), Page(100, signed=True))


CALM = {
    "counters": {"status": "failed", "kind": "missing", "error": "no look came in time"},
    "kernel_kills": {"status": "failed", "kind": "missing", "error": "closed"},
    "machine_kills": known(0),
}


def test_the_status_of_a_kill_alone_says_that_nobody_saw_one() -> None:
    run = of(end=end("exit", 137), **CALM)
    assert run.outcome == "killed-by-user"
    assert "status 137 means SIGKILL, but no process was seen to be killed" in " ".join(
        shown(run).split()
    )


@pytest.mark.parametrize(
    "line", ["SyntaxError: invalid syntax", "IndentationError: unexpected indent"]
)
def test_a_program_that_python_could_not_read_is_told_with_file_and_line(line: str) -> None:
    run = of(end=end("exit", 1), said=known(['  File "t.py", line 1', "    def f(:", line]), **CALM)
    assert outcome_and_roots(run) == ("python-exception", ["python-exception"])
    raised = (
        f"not an environment problem: your program raised {line.partition(':')[0]} in t.py, line 1"
    )
    assert f"after 3.0 s: {raised} " in " ".join(shown(run).split())
    elsewhere = of(end=end("exit", 4), said=known([line, "usage: t"]), **CALM)
    assert elsewhere.outcome == "exited-nonzero", "a program may speak of such an error"


@pytest.mark.parametrize(
    ("words", "outcome"),
    [
        (['Fatal Python error: config_init_hash_seed: PYTHONHASHSEED must be "random" or an integer in range [0; 4294967295]', "Python runtime state: preinitialized"], "environment-variable-refused"),
        (["Traceback (most recent call last):", "FileNotFoundError: [Errno 2] No usable temporary directory found in ['/tmp', '/']"], "temporary-folder-missing"),
        (["OpenBLAS blas_thread_init: pthread_create failed for thread 1 of 2: Operation not permitted", "Traceback (most recent call last):", "KeyboardInterrupt"], "threads-forbidden"),
        (["Could not load dynamic library 'libcudnn.so.8'; dlerror: libcudnn.so.8: cannot open shared object file: No such file or directory", "step 1", "step 2", "Traceback (most recent call last):", '  File "t.py", line 9, in <module>', "ValueError: 7"], "python-exception"),
    ],
)  # fmt: skip
def test_words_that_a_check_of_the_machine_does_not_hear(words: list[str], outcome: str) -> None:
    """The command's variables, folders and limits were its own; a warning about a library is no end."""
    assert of(end=end("exit", 1), said=known(words), **CALM).outcome == outcome


@pytest.mark.parametrize(
    ("scenario", "last", "outcome"),
    [
        ("setuptools-lacks-pkg-resources/hub", "ModuleNotFoundError: No module named 'pkg_resources'", "setuptools-lacks-pkg-resources"),
        ("setuptools-lacks-pkg-resources/hub", "ValueError: bad batch", "python-exception"),
        ("keras-legacy-needed/tensorflow-probability", "ModuleNotFoundError: No module named 'tf_keras'", "keras-legacy-needed"),
        ("keras-legacy-needed/tensorflow-probability", "KeyError: 'x'", "python-exception"),
    ],
)  # fmt: skip
def test_companion_that_ended_it_is_the_cause_with_the_fix_of_this_environment(
    scenario: str, last: str, outcome: str
) -> None:
    environment = named(scenario).facts()
    words = ["Traceback (most recent call last):", '  File "/srv/t.py", line 1, in <module>', last]
    death = of(end=end("exit", 1), said=known(words), **CALM).facts.death
    run = judge_run(replace(environment, death=death), bundled(), command=("python", "t.py"), status=1, samples=SAMPLES, interval_s=1.0)  # fmt: skip
    assert outcome_and_roots(run) == (outcome, [outcome])
    root = next(each for each in run.findings if each.code == outcome)
    assert (root.severity.value, bool(root.fixes[0].commands)) == (
        "error",
        outcome != "python-exception",
    )


def test_an_error_inside_of_a_tf_function_is_named() -> None:
    said = ("Traceback (most recent call last):", '  File "t.py", line 7, in <module>', "TypeError: in user code:", '    File "t.py", line 4, in f  *', "    TypeError: Input 'y' has type float64")  # fmt: skip
    run = of(end=end("exit", 1), said=known(list(said)), **CALM)
    assert "The last line: TypeError: Input 'y' has type float64" in " ".join(shown(run).split())


def test_nobody_was_killed_for_want_of_memory_while_it_ran() -> None:
    run = of(end=end("signal", 9), **CALM)
    assert run.outcome == "killed-by-user" and not run.undecided
    somebody = of(end=end("signal", 9), **{**CALM, "machine_kills": known(1)})
    assert somebody.outcome == "container-oom-killed", "its use was at the limit"


def test_whoever_presses_ctrl_c_is_told_no_more_than_that() -> None:
    words = shown(of(end=end("signal", 2), **CALM)).splitlines()
    assert words == [
        "✗ tfdoctor: the command was ended by SIGINT after 3.0 s: the command was interrupted, as by Ctrl-C"
    ]


def test_what_was_typed_is_named() -> None:
    missing = known({**end("not-started", 2)["value"], "name": "pyton", "pid": 0})
    assert "the command was not started: there is no program pyton on PATH" in shown(
        of(end=missing)
    )


def test_a_gpu_that_ran_out_of_memory_by_words_alone() -> None:
    said = known(["Traceback (most recent call last):", '  File "t.py", line 3, in <module>', OOM])
    run = of(end=end("exit", 1), said=said)
    assert outcome_and_roots(run) == ("gpu-out-of-memory", ["gpu-out-of-memory"])
    assert any("GPU_0_bfc" in each.observed for each in run.evidence)


@pytest.mark.parametrize("scenario", WATCHED, ids=lambda each: each.name)
def test_every_watched_scenario_makes_a_report(scenario: Any) -> None:
    made = report(scenario.facts())
    document = json.loads(render_json(run_to_json(made)))
    jsonschema.Draft202012Validator(SCHEMA).validate(document)
    assert run_to_json(run_from_json(document)) == run_to_json(made)
    words = shown(made)
    for each in made.findings:
        assert len({fix.title for fix in each.fixes}) == len(each.fixes), each.code
    assert words.startswith("✗ tfdoctor: ") or made.outcome == "success"
    assert render_text(run_view(made), Page(encoding="ascii", signed=True)).isascii()
    assert "  Fix " in "\n".join(words.splitlines()[:4]) or not any(
        each.fixes for each in made.findings[:1]
    )
    if scenario.said["expect"] == "fires" and scenario.code not in ("success",):
        assert scenario.code in {each.code for each in made.findings}


def test_the_schema_is_one() -> None:
    jsonschema.Draft202012Validator.check_schema(SCHEMA)


LIBRARIES = (
    "W0000 00:00:1741242560.1 123 gpu_device.cc:2344] Cannot dlopen some GPU libraries. Please make sure the missing libraries mentioned above are installed properly if you would like to use GPU.",
    "Skipping registering GPU devices...",
)
NO_DEVICE = ("E0000 00:00:1741242560.1 123 cuda_platform.cc:52] failed call to cuInit: INTERNAL: CUDA error: Failed call to cuInit: CUDA_ERROR_NO_DEVICE: no CUDA-capable device is detected",)  # fmt: skip


def on_the_cpu(
    *said: str, driver: bool = True, ended: bool = False, lost: bool = False
) -> RunReport:
    """A run on a healthy machine with a GPU."""
    seen = known({"pid": 9, "name": "python", "driver": driver, "ended": ended, "lost": lost})
    how = end("signal", 15) if ended else end("exit", 0)
    document = {"death.end": how, "death.cpu_only": seen, "death.said": known(list(said))}
    death = from_json(
        {f"death.{name.partition('.')[2]}": each for name, each in document.items()}, Facts
    ).death
    healthy = from_json(base("gpu"), Facts)
    return judge_run(replace(healthy, death=death), bundled(), command=("python", "t.py"), status=1, samples=SAMPLES, interval_s=1.0)  # fmt: skip


def test_a_run_on_the_cpu_succeeds_and_names_why_it_had_no_gpu() -> None:
    run = on_the_cpu(*LIBRARIES)
    assert run.outcome == "success"
    assert cpu_words(run).startswith("tfdoctor: TensorFlow computed on the CPU, not on a GPU: ")
    assert cpu_words(run).endswith(" (tfdoctor explain cuda-libraries-missing).\n")


def test_a_run_that_lost_its_gpu_names_what_took_it() -> None:
    run = on_the_cpu("InternalError: GPU sync failed: unspecified launch failure", lost=True)
    assert run.outcome == "success"
    assert cpu_words(run).startswith("tfdoctor: TensorFlow lost its GPU while the command worked, ")
    assert cpu_words(run).endswith(" (tfdoctor explain cuda-context-poisoned).\n")


def test_a_gpu_that_the_program_itself_hid_is_no_fault() -> None:
    assert cpu_words(on_the_cpu(*NO_DEVICE)) == ""


def test_no_cause_is_made_up_where_none_is_known() -> None:
    assert cpu_words(on_the_cpu("done", driver=False)) == (
        "tfdoctor: TensorFlow computed on the CPU and loaded no GPU driver. To see why, run: tfdoctor check --require-gpu\n"
    )


@pytest.mark.parametrize(
    ("said", "outcome"), [(LIBRARIES, "cuda-libraries-missing"), (NO_DEVICE, "gpu-hidden"), (("done",), "probe-failed")]
)  # fmt: skip
def test_an_end_for_want_of_a_gpu_is_called_by_its_cause(
    said: tuple[str, ...], outcome: str
) -> None:
    run = on_the_cpu(*said, driver=False, ended=True)
    assert run.outcome == outcome
    assert "ended for want of a GPU (--require-gpu) after 3.0 s" in " ".join(shown(run).split())


@pytest.mark.parametrize(
    ("text", "fix"),
    [
        ("history.append(model(x))", "Keep less of what each turn makes"),
        ('x = numpy.load("train.npy")', "Read the data piece by piece"),
        ("model.fit(x, y, batch_size=4096)", "Halve the batch size until it fits"),
        ("data = data.cache()", "Use smaller buffers"),
        ("work()", "Use less memory"),
    ],
)
def test_the_line_during_which_memory_grew_is_named_and_its_fix_comes_first(
    text: str, fix: str
) -> None:
    line = {
        "file": "/srv/train.py",
        "line": 17,
        "function": "main",
        "text": text,
        "grew": 10**9,
        "whole": 2 * 10**9,
    }
    run = of(grown_line=known(line))
    root = run.findings[0]
    assert (
        root.title
        == "Memory grew by 1.0 GB while train.py, line 17 ran, up to the limit of 2.0 GB of its container or job."
    )
    assert root.fixes[0].title == fix
    assert (
        f"memory grew by 1.0 GB of 2.0 GB while train.py, line 17, in main ran: {text}"
        in " ".join(shown(run).split())
    )


@pytest.mark.parametrize(
    ("text", "how", "fix", "title"),
    [
        ("y = model(x)", "keeps", "Keep less of what each turn makes", " and line 19 kept what each turn makes"),
        ('x = np.load(name)', "keeps", "Keep less of what each turn makes", " and line 19 kept what each turn makes"),
        ("model.fit(data)", "keeps", "Keep less of what each turn makes", " and line 19 kept what each turn makes"),
        ("kept.append(y)", "keeps", "Keep less of what each turn makes", " and line 19 kept what each turn makes"),
        ("model.fit(data)", "buffers", "Use smaller buffers", " and line 19 buffered"),
        ('x = np.load("x.npy")', "buffers", "Read the data piece by piece", ""),
    ],
)  # fmt: skip
def test_the_line_that_holds_what_another_made_is_named_too(
    text: str, how: str, fix: str, title: str
) -> None:
    holder = {"how": how, "line": 19, "text": "held.append(y)"}
    line = {"file": "/srv/train.py", "line": 17, "function": "main", "text": text, "grew": 10**9, "whole": 10**9, "holders": [holder]}  # fmt: skip
    root = of(grown_line=known(line)).findings[0]
    assert root.title.startswith(f"Memory grew by 1.0 GB while train.py, line 17 ran{title}, up to")
    assert root.fixes[0].title == fix
    assert any("train.py, line 19, " in each.observed for each in root.evidence)


@pytest.mark.parametrize(
    ("kind", "fix"),
    [
        ("loading", "Read the data piece by piece"),
        ("per-step", "Store numbers, not tensors"),
        ("per-epoch", "Build once before training, not per epoch"),
        ("rising", "Use less memory"),
    ],
)
def test_without_a_line_the_phase_in_which_memory_grew_decides(kind: str, fix: str) -> None:
    absent = {"status": "absent", "reason": "-"}
    growth = {"kind": kind, "per_unit": known(1e6), "unit": "step", "units": 90, "grew": 10**9, "limit": absent, "until_limit": absent}  # fmt: skip
    missing = {
        "status": "failed",
        "kind": "missing",
        "error": "py-spy is not installed beside tfdoctor",
    }
    killed = of(growth=known(growth), grown_line=missing).finding("container-oom-killed")
    assert killed is not None and killed.fixes[0].title == fix


def test_what_does_not_fit_and_is_swapped_is_named_by_the_line_that_made_it() -> None:
    scenario = named("swap-thrashing/while-it-ran")
    line = {"file": "/srv/t.py", "line": 5, "function": "main", "text": 'x = np.load("x.npy")', "grew": 10**9, "whole": 10**9}  # fmt: skip
    death = replace(
        scenario.facts().death, grown_line=of(grown_line=known(line)).facts.death.grown_line
    )
    swapped = report(replace(scenario.facts(), death=death)).finding("swap-thrashing")
    assert swapped is not None
    assert (
        swapped.title
        == "Memory grew by 1.0 GB while t.py, line 5 ran, and what does not fit is in swap."
    )
    assert [each.title for each in swapped.fixes] == [
        "Read the data piece by piece",
        "Use less memory",
    ]


def test_it_is_said_why_no_line_is_named() -> None:
    run = of(
        grown_line={
            "status": "failed",
            "kind": "missing",
            "error": "py-spy is not installed beside tfdoctor",
        }
    )
    assert (
        "The line at which memory grew is not known: py-spy is not installed beside tfdoctor."
        in " ".join(shown(run).split())
    )
