"""A TensorFlow whose import does its worst: one JSON document in time, the right code, little memory, nothing left."""

from __future__ import annotations

import hashlib
import subprocess
import sys
from base64 import urlsafe_b64encode
from pathlib import Path

import pytest

from tests.real.command import EXIT, Run, doctor
from tests.real.environments import site_packages
from tests.waiting import gone

pytestmark = [pytest.mark.real, pytest.mark.slow, pytest.mark.xdist_group("hostile")]

DOCTORS_MEMORY_KB = 150 << 10
LIMIT_S = 12.0
BUILD_INFO = (
    "build_info = {'is_cuda_build': False, 'is_rocm_build': False, 'is_tensorrt_build': False}\n"
)


def environment_with(folder: Path, import_runs: str) -> Path:
    """An environment in which `import tensorflow` runs this code. Metadata and RECORD are in order."""
    subprocess.run(
        [sys.executable, "-m", "uv", "venv", "--quiet", "--python", sys.executable, str(folder)],
        check=True,
    )
    python = folder / "bin" / "python"
    packages = site_packages(python)
    files = {
        "tensorflow/__init__.py": import_runs,
        "tensorflow/python/platform/build_info.py": BUILD_INFO,
        "tensorflow_cpu-2.21.0.dist-info/METADATA": "Metadata-Version: 2.1\nName: tensorflow-cpu\nVersion: 2.21.0\n",
        "tensorflow_cpu-2.21.0.dist-info/WHEEL": "Wheel-Version: 1.0\nRoot-Is-Purelib: false\n",
        "tensorflow_cpu-2.21.0.dist-info/INSTALLER": "pip\n",
    }
    record = ""
    for name, text in files.items():
        (packages / name).parent.mkdir(parents=True, exist_ok=True)
        (packages / name).write_text(text)
        digest = urlsafe_b64encode(hashlib.sha256(text.encode()).digest()).rstrip(b"=").decode()
        record += f"{name},sha256={digest},{len(text.encode())}\n"
    (packages / "tensorflow_cpu-2.21.0.dist-info" / "RECORD").write_text(
        record + "tensorflow_cpu-2.21.0.dist-info/RECORD,,\n"
    )
    return python


FORKS = """
import os, time
child = os.fork()
if child == 0:
    time.sleep(600)
with open({marker!r}, "w") as file:
    file.write(str(child))
raise ImportError("the parent is gone, its child holds the pipes")
"""
WORST = {
    "segfault": ("import ctypes; ctypes.string_at(0)", "native-crash", "SIGSEGV"),
    "abort": ("import os; os.abort()", "native-crash", "SIGABRT"),
    "illegal": ("import os, signal; os.kill(os.getpid(), signal.SIGFPE)", "native-crash", "SIGFPE"),
    "killed": ("import os, signal; os.kill(os.getpid(), signal.SIGKILL)", "smoke-tensorflow-failed", "SIGKILL"),
    "hang": ("import time; time.sleep(600)", "smoke-timeout", "import tensorflow"),
    "deaf": (
        "import signal, time\nfor each in (1, 2, 15): signal.signal(each, signal.SIG_IGN)\ntime.sleep(600)",
        "smoke-timeout", "import tensorflow",
    ),
    "busy": ("while True: pass", "smoke-timeout", "import tensorflow"),
    "exit-0": ("import os; os._exit(0)", "smoke-tensorflow-failed", "status 0"),
    "exit-3": ("import os; os._exit(3)", "smoke-tensorflow-failed", "status 3"),
    "sys-exit": ("raise SystemExit(0)", "smoke-tensorflow-failed", "SystemExit"),
    "interrupts": ("raise KeyboardInterrupt", "smoke-tensorflow-failed", "KeyboardInterrupt"),
    "flood": (
        "import sys\nfor _ in range(200): sys.stdout.write('x' * 999_999 + chr(10)); sys.stderr.write('y' * 999_999 + chr(10))\nraise ImportError('enough')",
        "smoke-tensorflow-failed", "enough",
    ),
    "lies": (
        "import os\nos.write(1, b'\\n@tfdoctor {\"say\": \"imported\", \"version\": [1], \"file\": null, \"seconds\": \"x\"}\\n@tfdoctor {{{\\n')\nos._exit(0)",
        "smoke-tensorflow-failed", "import tensorflow",
    ),
    "closes": ("import os, time\nos.close(1); os.close(2); time.sleep(600)", "smoke-timeout", "import tensorflow"),
    "replaces-itself": ("import os; os.execv('/bin/true', ['true'])", "smoke-tensorflow-failed", "status 0"),
}  # fmt: skip


def check(python: Path, *options: str, limit_s: float = LIMIT_S) -> Run:
    run = doctor(
        "check", "--python", python, "--json", "--no-redact", "--timeout", f"{limit_s:g}", *options
    )
    assert run.status == EXIT[run.report["verdict"]]
    assert 0 < run.peak_kb < DOCTORS_MEMORY_KB
    return run


@pytest.mark.parametrize(
    "worst",
    [
        pytest.param(each, marks=pytest.mark.nightly) if each in ("busy", "closes") else each
        for each in WORST
    ],
)
def test_an_import_that_does_its_worst(worst: str, tmp_path: Path) -> None:
    program, code, said = WORST[worst]
    run = check(environment_with(tmp_path / "environment", program))
    assert (run.report["verdict"], run.status, run.roots) == ("broken", 1, [code])
    assert any(said in each["observed"] for each in run.finding(code)["evidence"]), run.finding(
        code
    )["evidence"]


def test_an_import_that_eats_memory_is_ended_at_the_bound(tmp_path: Path) -> None:
    program = (
        "import time\nkept = []\nwhile True: kept.append(b'x' * (64 << 20)); time.sleep(0.01)\n"
    )
    run = check(environment_with(tmp_path / "environment", program), limit_s=60)
    assert (run.report["verdict"], run.status) == ("broken", 1)
    end = run.report["facts"]["smoke.tensorflow"]["value"]["end"]
    assert end["how"] == "memory-bound"
    assert end["peak_rss"]["value"] < 6 << 30
    assert run.roots == ["host-memory-exhausted"], run.report["summary"]


def test_a_child_of_its_own_that_hangs_is_not_waited_for_and_not_left_behind(
    tmp_path: Path,
) -> None:
    marker = tmp_path / "pid"
    run = check(environment_with(tmp_path / "environment", FORKS.format(marker=str(marker))))
    assert run.roots == ["smoke-tensorflow-failed"], "it is not waited for up to the limit"
    gone([int(marker.read_text())])


@pytest.mark.parametrize("worst", ["segfault", "hang"])
def test_without_the_stage_it_is_not_imported_at_all(worst: str, tmp_path: Path) -> None:
    run = check(environment_with(tmp_path / "environment", WORST[worst][0]), "--smoke", "none")
    assert (run.report["verdict"], run.roots) == ("healthy", [])
