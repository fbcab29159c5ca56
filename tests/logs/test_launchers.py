"""Launchers and schedulers report that a process ended, not why."""

from __future__ import annotations

import pytest

from tests.logs.judged import judged, log, root


@pytest.mark.parametrize(
    ("line", "code", "title"),
    [
        ("mpirun noticed that process rank 3 with PID 4242 on node n17 exited with status 1.", "worker-lost", "mpirun reports that rank 3 ended"),
        ("ORTE has lost communication with a remote daemon.", "worker-lost", "mpirun reports that one of its processes ended"),
        ("Launching horovod task function was not successful:", "worker-lost", "Horovod reports that one of its processes ended"),
        ("      Root cause: The worker lost contact with the service.,", "worker-lost", "Dataflow reports that a worker ended"),
        ("ray.exceptions.RayActorError: The actor died unexpectedly before finishing this task.", "worker-lost", "Ray reports that an actor ended"),
        ("sbatch: error: Batch job submission failed: Requested node configuration is not available", "command-not-started", "Slurm did not start the job: Batch job submission failed"),
        ("There are not enough slots available in the system to satisfy the 4", "command-not-started", "mpirun did not start the job: There are not enough slots"),
        ("TERM_MEMLIMIT: job killed after reaching LSF memory usage limit.", "scheduler-killed", "LSF ended the job: job killed after reaching LSF memory usage limit"),
        ("=>> PBS: job killed: walltime 3615 exceeded limit 3600", "scheduler-killed", "PBS ended the job: job killed: walltime 3615 exceeded limit 3600"),
        ("Container killed by YARN for exceeding memory limits. 5.5 GB of 5.5 GB physical memory used.", "scheduler-killed", "YARN ended the job: Container killed by YARN"),
        ("heroku[web.1]: Error R14 (Memory quota exceeded)", "container-oom-killed", "The hosting service ended the job: Memory quota exceeded"),
        ("Caused by: java.lang.OutOfMemoryError: Java heap space", "host-memory-exhausted", "Java ran out of memory"),
    ],
)  # fmt: skip
def test_the_title_names_the_launcher_and_its_words(line: str, code: str, title: str) -> None:
    finding = judged(log([line])).roots[0].finding
    assert (finding.code, finding.title[: len(title)]) == (code, title)


def test_the_reason_in_the_same_log_is_the_cause() -> None:
    lines = (
        "slurmstepd: error: Detected 1 oom_kill event in StepId=42.0. Some of the step tasks have been OOM Killed.",
        "mpirun noticed that process rank 1 with PID 4242 on node n17 exited on signal 9 (Killed).",
    )
    assert root(judged(log(lines))) == "scheduler-killed"
