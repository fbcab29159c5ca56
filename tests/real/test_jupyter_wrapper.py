"""The kernel that `install --wrap` starts, under a launcher that does what VS Code's does; no VS Code is run here."""

from __future__ import annotations

import json
import signal
import subprocess
from pathlib import Path
from typing import Any

import pytest

from tests.needs import MEMORY_GROUP
from tests.real.kernel_deaths import DEATHS, IPYTHON, can_die_here, kernelspecs
from tests.real.test_jupyter import LIMIT_S, Place, place, python  # noqa: F401  # fixtures

pytestmark = [pytest.mark.nightly, pytest.mark.slow, pytest.mark.real]

PROGRAM = Path(__file__).parent / "launcher_program.py"
SOON = "import time; time.sleep(.3)"
"""Only the kernel itself tells the wrapper which cell runs, and one that dies at once may not get to it."""


def launched(place: Place, what: str, kernel: str = IPYTHON) -> dict[str, Any]:  # noqa: F811  # a parameter
    which = ["--python", str(place.python)] if kernel == IPYTHON else ["--kernel", kernel]
    words = [
        str(place.python.parent / "tfdoctor"),
        "jupyter",
        "kernel",
        *which,
        "-f",
        "{connection_file}",
    ]
    done = subprocess.run(
        [str(place.python), str(PROGRAM), what, *words],
        capture_output=True, text=True, env=place.environ, timeout=LIMIT_S, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    answer: dict[str, Any] = json.loads(done.stdout)
    return answer


@pytest.mark.parametrize("name", DEATHS)
def test_it_dies_as_the_kernel_died_and_says_why_twice(
    name: str,
    place: Place,  # noqa: F811  # a fixture
    tmp_path: Path,
) -> None:
    if not can_die_here(name):
        pytest.skip(MEMORY_GROUP)
    death = DEATHS[name]
    with kernelspecs(tmp_path, death.kernel):
        seen = launched(place, f"dies={death.cell(SOON)}", death.kernel)
    assert seen["status"] == death.status, seen["stderr"]
    assert seen["stderr"].splitlines()[-1].startswith(f"tfdoctor: the kernel {death.ended}")
    line, card = seen["messages"][-2:]
    assert (line[0], card[0]) == ("stream", "display_data")
    assert death.ended in line[1]["text"] and death.outcome in line[1]["text"]
    (report,) = place.reports()
    told = (report["outcome"], report["kernel_id"], report["execution_count"])
    assert told == (death.outcome, "launched", 1)


def test_each_signal_comes_once_by_process_and_by_group_and_a_shutdown_leaves_nothing(
    place: Place,  # noqa: F811  # a fixture
) -> None:
    seen = launched(place, "signalled")
    once = [signal.SIGINT, signal.SIGINT, signal.SIGTERM, signal.SIGTERM]
    assert seen["came"] == [once[: count + 1] for count in range(4)]
    assert seen["status"] == 0
    assert place.reports() == []
    assert "tfdoctor" not in seen["stderr"]


def test_a_wrapper_that_is_killed_leaves_no_process(place: Place) -> None:  # noqa: F811  # a fixture
    seen = launched(place, "killed")
    assert seen["kernel"] in seen["before"]
    assert seen["left"] == []
