"""Deaths in the words of services, supervisors and schedulers."""

from __future__ import annotations

import pytest

from tests.logs.judged import judged, log, root

_DEATHS = {
    "INFO exited: app (terminated by SIGKILL; not expected)": "host-oom-killed",
    "Terminated by signal 9.": "host-oom-killed",
    "[2023-01-01, 10:00:00 UTC] {local_task_job.py:208} INFO - Task exited with return code Negsignal.SIGKILL": "host-oom-killed",
    "A/libc    (12345): Fatal signal 11 (SIGSEGV), code 1 (SEGV_MAPERR), fault addr 0x0 in tid 12360": "native-crash",
    "exit_status  137": "host-oom-killed",
    "Container killed on request. Exit code is 137": "container-oom-killed",
    "KernelDied: the kernel exited unexpectedly with code -9": "host-oom-killed",
    "npm ERR! errno 139": "native-crash",
    "This app has gone over its resource limits.": "container-oom-killed",
    "While handling this request, the container instance was found to be using too much memory and was terminated.": "container-oom-killed",
    "runc create failed: container init was OOM-killed (memory limit too low?)": "container-oom-killed",
    "2023-01-01T10:00:30.000Z 8c8 Task timed out after 30.03 seconds": "scheduler-killed",
    "The job exceeded the maximum time limit for jobs, and has been terminated.": "scheduler-killed",
}


@pytest.mark.parametrize("line", _DEATHS)
def test_it_is_told_in_these_words(line: str) -> None:
    assert root(judged(log([line]))) == _DEATHS[line]


@pytest.mark.parametrize(
    "line",
    [
        "INFO stopped: app (terminated by SIGTERM; expected)",
        "exit_status  0",
        "The connection timed out after 30 seconds",
    ],
)
def test_these_are_no_deaths(line: str) -> None:
    assert not judged(log([line])).roots


def test_a_limit_of_time_is_no_question_of_memory() -> None:
    finding = (
        judged(log(["2023-01-01T10:00:30.000Z 8c8 Task timed out after 30.03 seconds"]))
        .roots[0]
        .finding
    )
    assert "time limit" in finding.title
    assert "memory" not in finding.fixes[0].title
