"""A TensorFlow that crashes, hangs, floods, eats memory or talks nonsense: the stage always answers and says where.

Each `tensorflow` here is a small package made for the test, put before all others by PYTHONPATH.
"""

from __future__ import annotations

import os
import sys
import time
from pathlib import Path

import psutil
import pytest

from tests.waiting import gone, until
from tfdoctor.ask.probes.request import Request
from tfdoctor.ask.probes.smoke.ladder import Ladder, run
from tfdoctor.base.sysroot import System
from tfdoctor.facts.model import Driver, Facts, Interpreter, Memory, TensorFlow
from tfdoctor.facts.outcome import Absent, Failed, Known
from tfdoctor.facts.smoke_values import Stage, TensorFlowSmoke

NO_DRIVER = Driver(library=Absent("none"), init_code=Absent("none"), devices=Absent("none"))


def facts(**groups: object) -> Facts:
    known = {
        "driver": NO_DRIVER,
        "interpreter": Interpreter(executable=Known(sys.executable, "t")),
        "tensorflow": TensorFlow(location=Known("/somewhere", "t")),
    }
    return Facts(**{**known, **groups})  # type: ignore[arg-type]  # the groups by their names


def request_for(folder: Path, text: str, **variables: str) -> Request:
    (folder / "tensorflow").mkdir()
    (folder / "tensorflow" / "__init__.py").write_text(text)
    environ = {
        "PATH": os.environ["PATH"],
        "PYTHONPATH": str(folder),
        "HOME": str(folder),
        **variables,
    }
    return Request(system=System(environ=environ))


def tried(
    folder: Path, text: str, *, limit_s: float = 20.0, case: Facts | None = None
) -> tuple[TensorFlowSmoke, Stage]:
    deadline = time.monotonic() + limit_s
    smoke, stages = run(request_for(folder, text), case or facts(), smoke="auto", deadline=deadline)
    assert isinstance(smoke.tensorflow, Known)
    return smoke.tensorflow.value, stages[2]


def test_an_import_error_is_its_type_and_first_line(tmp_path: Path) -> None:
    smoke, stage = tried(tmp_path, "raise ImportError('\\nlibfoo.so.1: cannot open\\nmore')")
    assert smoke.import_error == Known("ImportError: libfoo.so.1: cannot open", "import tensorflow")
    assert stage.status == "failed"
    assert any("Traceback" in line for line in smoke.log)


def test_the_loaders_error_is_taken_out_of_tensorflows_page_of_text(tmp_path: Path) -> None:
    text = (
        "try:\n raise ImportError('libstdc++.so.6: version GLIBCXX_3.4.29 not found')\n"
        "except ImportError as error:\n raise ImportError(f'Traceback ...\\n\\nFailed to load the native TensorFlow runtime.')\n"
    )
    smoke, _ = tried(tmp_path, text)
    assert smoke.import_error == Known(
        "ImportError: libstdc++.so.6: version GLIBCXX_3.4.29 not found", "import tensorflow"
    )


@pytest.mark.parametrize(
    ("text", "how", "status", "words"),
    [
        (
            "import os, signal; os.kill(os.getpid(), signal.SIGSEGV)",
            "signal",
            11,
            "import tensorflow died of SIGSEGV",
        ),
        ("import os; os.abort()", "signal", 6, "import tensorflow died of SIGABRT"),
        (
            "import os, signal; os.kill(os.getpid(), signal.SIGILL)",
            "signal",
            4,
            "import tensorflow died of SIGILL",
        ),
        ("import os; os._exit(3)", "exit", 3, "import tensorflow ended the process with status 3"),
        ("import os; os._exit(0)", "exit", 0, "import tensorflow ended the process with status 0"),
    ],
)
def test_a_death_at_import_is_named(
    tmp_path: Path, text: str, how: str, status: int, words: str
) -> None:
    smoke, stage = tried(tmp_path, text)
    assert (smoke.end.how, smoke.end.status) == (how, status)
    assert smoke.import_error == Failed(words, "died" if how == "signal" else "ended")
    assert (stage.status, stage.detail["error"]) == ("failed", words)


def test_a_crash_leaves_its_stack_in_the_log(tmp_path: Path) -> None:
    smoke, _ = tried(tmp_path, "import ctypes; ctypes.string_at(0)")
    assert smoke.end.status == 11
    assert any("Segmentation fault" in line for line in smoke.end.stderr_tail)


def test_an_exit_by_sys_exit_is_an_answer_of_the_import(tmp_path: Path) -> None:
    smoke, _ = tried(tmp_path, "raise SystemExit(3)")
    assert smoke.import_error == Known("SystemExit: 3", "import tensorflow")


@pytest.mark.slow  # waits for a limit
def test_a_hang_ends_at_the_deadline_and_is_named(tmp_path: Path) -> None:
    smoke, stage = tried(tmp_path, "import time; time.sleep(600)", limit_s=1.5)
    assert smoke.end.how == "timeout"
    assert smoke.last_step == "import tensorflow"
    assert "import tensorflow did not return" in stage.detail["error"]


@pytest.mark.slow  # waits for a limit
def test_a_child_that_defies_signals_ends_with_all_that_it_started(tmp_path: Path) -> None:
    text = (
        "import signal, subprocess, sys, time\n"
        "for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP): signal.signal(number, signal.SIG_IGN)\n"
        f"child = subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(600)'])\n"
        f"open({str(tmp_path / 'pid')!r}, 'w').write(str(child.pid))\n"
        "time.sleep(600)\n"
    )
    smoke, _ = tried(tmp_path, text, limit_s=2.0)
    assert smoke.end.how == "timeout"
    gone([int((tmp_path / "pid").read_text())])


@pytest.mark.slow  # writes them
def test_two_hundred_megabytes_of_output_stay_outside(tmp_path: Path) -> None:
    text = (
        "import os\nblock = b'flood ' * 170_000\n"
        "for _ in range(100):\n os.write(1, block); os.write(2, block + b'\\n')\nraise ImportError('after the flood')\n"
    )
    before = psutil.Process().memory_info().rss
    smoke, _ = tried(tmp_path, text, limit_s=60.0)
    assert smoke.import_error == Known("ImportError: after the flood", "import tensorflow")
    assert psutil.Process().memory_info().rss - before < 50 << 20
    assert sum(map(len, smoke.log)) < 1 << 20


@pytest.mark.slow  # half a second
def test_a_child_that_eats_memory_is_ended_at_its_bound(tmp_path: Path) -> None:
    text = (
        "import time\nkept = []\nwhile True:\n kept.append(bytearray(1 << 24)); time.sleep(0.005)\n"
    )
    smoke, stage = tried(
        tmp_path, text, case=facts(memory=Memory(ram_available=Known(400 << 20, "t")))
    )
    assert smoke.end.how == "memory-bound"
    assert isinstance(smoke.end.peak_rss, Known) and 300 << 20 < smoke.end.peak_rss.value < 1 << 30
    assert "import tensorflow was ended at" in stage.detail["error"]


@pytest.mark.slow  # half a second
def test_memory_that_its_children_eat_counts_too(tmp_path: Path) -> None:
    eater = "import time; kept = bytearray(1 << 28); time.sleep(60)"
    text = f"import subprocess, sys, time\nsubprocess.Popen([sys.executable, '-c', {eater!r}])\ntime.sleep(60)\n"
    smoke, _ = tried(tmp_path, text, case=facts(memory=Memory(ram_available=Known(200 << 20, "t"))))
    assert smoke.end.how == "memory-bound"


def test_nonsense_in_our_own_words_is_no_answer(tmp_path: Path) -> None:
    text = (
        "import os\nos.write(1, b'\\n@tfdoctor {\"say\": nonsense\\n@tfdoctor 7\\n')\nos._exit(0)\n"
    )
    smoke, stage = tried(tmp_path, text)
    assert isinstance(smoke.imported, Failed)
    assert "can't be read" in stage.detail["error"]


def test_a_module_of_another_kind_is_no_tensorflow(tmp_path: Path) -> None:
    smoke, _ = tried(tmp_path, "x = 1")
    assert isinstance(smoke.import_error, Known) and "__version__" in smoke.import_error.value


def test_a_module_without_what_we_need_names_the_step(tmp_path: Path) -> None:
    smoke, stage = tried(tmp_path, "__version__ = '2.99.0'")
    assert smoke.imported == Known("2.99.0", "import tensorflow")
    assert stage.status == "failed"
    assert (smoke.end.how, smoke.end.status) == ("exit", 1)


def test_the_working_folder_is_not_on_the_path_and_pythonpath_is(tmp_path: Path) -> None:
    text = "import sys\nraise ImportError(repr([p for p in sys.path if p in ('', '.') or 'smoke' in p]))\n"
    request = request_for(tmp_path, text)
    environ = {**request.system.environ, "PYTHONPATH": f":{tmp_path}:"}
    smoke, _ = run(
        Request(system=System(environ=environ)),
        facts(),
        smoke="auto",
        deadline=time.monotonic() + 20,
    )
    assert isinstance(smoke.tensorflow, Known)
    assert smoke.tensorflow.value.import_error == Known("ImportError: []", "import tensorflow")


def test_what_it_writes_goes_into_a_folder_that_is_removed(tmp_path: Path) -> None:
    text = (
        "import os, tempfile\nfor name in ('KERAS_HOME', 'CUDA_CACHE_PATH', 'XDG_CACHE_HOME', 'MPLCONFIGDIR'):\n"
        " open(os.path.join(os.environ[name], 'x'), 'w').write('x')\n"
        "tempfile.NamedTemporaryFile(delete=False).write(b'x')\n"
        "raise ImportError(os.environ['KERAS_HOME'] + ' ' + open(os.environ['KERAS_HOME'] + '/keras.json').read())\n"
    )
    (tmp_path / ".keras").mkdir()
    (tmp_path / ".keras" / "keras.json").write_text('{"backend": "jax"}')
    smoke, _ = tried(tmp_path, text)
    assert isinstance(smoke.import_error, Known)
    folder, _, settings = smoke.import_error.value.removeprefix("ImportError: ").partition(" ")
    assert settings == '{"backend": "jax"}'
    assert not Path(folder).exists()
    assert sorted(path.name for path in tmp_path.rglob("*")) == [
        ".keras", "__init__.py", "keras.json", "tensorflow",
    ]  # fmt: skip


def test_an_import_that_is_not_needed_is_ended(tmp_path: Path) -> None:
    text = f"import os, time\nopen({str(tmp_path / 'pid')!r}, 'w').write(str(os.getpid()))\ntime.sleep(600)\n"
    ladder = Ladder(request_for(tmp_path, text), "auto", time.monotonic() + 30)
    ladder.update("interpreter", facts())
    until(lambda: (tmp_path / "pid").exists() and (tmp_path / "pid").read_text())
    smoke, stages = ladder.run(facts(tensorflow=TensorFlow(location=Absent("not there"))))
    ladder.end()
    assert isinstance(smoke.tensorflow, Failed) and smoke.tensorflow.error.startswith("skipped: ")
    assert not psutil.pid_exists(int((tmp_path / "pid").read_text()))
    assert [stage.status for stage in stages] == ["skipped"] * 3


def test_an_interpreter_that_can_not_be_started_is_a_failed_stage(tmp_path: Path) -> None:
    case = facts(interpreter=Interpreter(executable=Known(str(tmp_path / "nothing"), "t")))
    smoke, stages = run(
        request_for(tmp_path, ""), case, smoke="auto", deadline=time.monotonic() + 5
    )
    assert isinstance(smoke.tensorflow, Failed) and "could not be started" in smoke.tensorflow.error
    assert stages[2].status == "failed"


@pytest.mark.parametrize(
    ("asked", "reason"), [("none", "--smoke none"), ("driver", "--smoke driver")]
)
def test_stages_that_nobody_asked_for_are_skipped(tmp_path: Path, asked: str, reason: str) -> None:
    smoke, stages = run(
        request_for(tmp_path, "raise SystemExit"),
        facts(),
        smoke=asked,
        deadline=time.monotonic() + 5,
    )
    assert smoke.tensorflow == Failed(f"skipped: {reason}", "skipped")
    assert [stage.status for stage in stages] == ["skipped"] * 3


def test_a_driver_that_does_not_start_keeps_tensorflow_from_being_tried(tmp_path: Path) -> None:
    broken = Driver(
        library=Failed("file too short", "missing"), init_code=Failed("file too short", "missing")
    )
    request = request_for(tmp_path, "raise ImportError('x')")
    smoke, _ = run(request, facts(driver=broken), smoke="auto", deadline=time.monotonic() + 20)
    assert smoke.tensorflow == Failed("skipped: libcuda can't be loaded: file too short", "skipped")
    asked, stages = run(request, facts(driver=broken), smoke="tf", deadline=time.monotonic() + 20)
    assert isinstance(asked.tensorflow, Known)
    assert [stage.status for stage in stages] == ["skipped", "skipped", "failed"]
