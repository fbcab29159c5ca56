"""What hosted services and their runtimes say when they end a program: too much memory, too long."""

from __future__ import annotations

from tfdoctor.signatures.signature import CONTAINER, LIKELY, SCHEDULER, Signature

SIGNATURES = (
    Signature(
        "memory-told-in-words",
        "container-oom-killed",
        "too much memory",
        also=("OOM-killed", "OOM-Killed", "its resource limits"),
        form=r"\b(?:using|use[ds]) too much memory and was (?:terminated|killed|stopped|restarted)|\b(?:killed|terminated|stopped|evicted|restarted)\b.{0,60}\bused too much memory|\bwas OOM-[Kk]illed\b|\bgone over its resource limits",
        speaker=CONTAINER,
        sure=LIKELY,
        samples=(
            "While handling this request, the container instance was found to be using too much memory and was terminated.",
            "runc create failed: unable to start container process: container init was OOM-killed (memory limit too low?)",
            "Oh no. Error running app. This app has gone over its resource limits.",
            "The process has been killed because it used too much memory",
        ),
        near=("Take care not to use too much memory", "It asks for too much memory"),
        sources=("kubeflow/trainer#1661 (2022-09)",),
    ),
    Signature(
        "platform-time-limit",
        "scheduler-killed",
        " timed out after ",
        also=("exceeded the max",),
        form=r"\bTask timed out after \d{1,6}(?:\.\d{1,4})? seconds|\bexceeded the max(?:imum)? (?:time limit|(?:allowed )?execution (?:time|duration))\b",
        speaker=SCHEDULER,
        samples=(
            "2023-01-01T10:00:30.000Z 8c8 Task timed out after 30.03 seconds",
            "The job exceeded the maximum time limit for jobs, and has been terminated.",
            "The job running on runner GitHub Actions 2 has exceeded the maximum execution time of 360 minutes.",
            "Your notebook was stopped because it exceeded the max allowed execution duration.",
        ),
        near=("The connection timed out after 30 seconds", "the value exceeded the maximum"),
        releases="AWS Lambda, GitHub Actions, Travis, Kaggle",
    ),
)  # fmt: skip
