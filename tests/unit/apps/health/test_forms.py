"""The forms of an answer, literally: lines, JSON, Nagios, Prometheus, Node Feature Discovery."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from tfdoctor import __version__
from tfdoctor.apps.cli.healthcheck_command import read_options
from tfdoctor.apps.cli.parse import UsageError
from tfdoctor.apps.health.answer import (
    BUSY,
    FAIL,
    FIRST_LINE,
    NO_VERDICT,
    NOTE,
    OK,
    UNKNOWN,
    WARNING,
    WHOLE,
    Answer,
    CheckResult,
    as_json,
    as_line,
    as_lines,
    as_nagios,
    as_nfd,
    as_npd,
    as_prometheus,
    nagios_status,
)

DRIVER = CheckResult("driver", OK, "driver 555.42.02: cuInit and NVML answer")
GPUS = CheckResult("gpus", OK, "2 GPUs (NVIDIA L4)")
EXAMINED = CheckResult("examination", OK, "examined 60 min ago")
LOST = CheckResult("gpus", FAIL, "GPU 1 is lost", "gpu-hardware-fault")
FULL = CheckResult("memory", FAIL, "memory limit: 9 of 9 MiB used", "container-oom-killed")
NO_LOG = CheckResult("xid", UNKNOWN, "the kernel log can't be read")
AT_RISK = CheckResult("examination", WARNING, "examined 60 min ago: degraded (user-site-leak)")
DEVICES = [
    {
        "index": 0,
        "uuid": "GPU-1",
        "name": 'NVIDIA "L4"\\',
        "free": 22,
        "total": 23,
        "ecc": 0,
        "lost": False,
    },
    {"index": 1, "lost": True},
]


def answer(*points: CheckResult, **extra: Any) -> Answer:
    return Answer(list(points), seconds=0.0456, at=1_780_000_000.0, extra=extra)


HEALTHY = answer(EXAMINED, GPUS, DRIVER, NO_LOG, gpus=2, driver_version="555.42.02", devices=DEVICES, examined_at=1_779_996_400.0)  # fmt: skip
FAULTY = answer(FULL, DRIVER, LOST, gpus=2, ignored=["user-site-leak", "driver-old"])


@pytest.mark.parametrize(
    ("given", "line"),
    [
        (HEALTHY, "healthy: 2 GPUs, unseen: xid, examined 60 min ago\n"),
        (answer(DRIVER, EXAMINED), "healthy: driver 555.42.02, examined 60 min ago\n"),
        (answer(CheckResult("driver", OK, "no GPU: this machine has no NVIDIA driver")), "healthy: no GPU\n"),
        (answer(GPUS, AT_RISK), "healthy: 2 GPUs, examined 60 min ago: degraded (user-site-leak)\n"),
        (answer(GPUS, CheckResult("gpus", NOTE, "GPU 1 is lost", "gpu-hardware-fault")), "healthy: GPU not required: GPU 1 is lost\n"),
        (answer(CheckResult("driver", NOTE, "CUDA_VISIBLE_DEVICES hides every GPU", "gpu-hidden")), "healthy: CUDA_VISIBLE_DEVICES hides every GPU\n"),
        (answer(GPUS, EXAMINED, ignored=["driver-old"]), "healthy: 2 GPUs, examined 60 min ago (ignored: driver-old)\n"),
        (answer(GPUS, EXAMINED, ignored=["driver-old", "b"]), "healthy: 2 GPUs, examined 60 min ago (2 ignored)\n"),
        (FAULTY, "unhealthy: GPU 1 is lost (+1 more, 2 ignored) [tfdoctor explain gpu-hardware-fault]\n"),
        (answer(CheckResult("driver", FAIL, "cuInit fails: 999")), "unhealthy: cuInit fails: 999\n"),
        (answer(NO_LOG, CheckResult("driver", BUSY, "another health check is running"), ignored=["b", "c"]), "unknown: another health check is running (2 ignored)\n"),
        (answer(CheckResult("driver", FAIL, "the driver says \x1b[2Jü" + "x" * 99)), "unhealthy: the driver says ?[2J?" + "x" * 45 + "...\n"),
    ],
)  # fmt: skip
def test_one_line(given: Answer, line: str) -> None:
    assert as_line(given) == line
    assert as_npd(given) == line.partition(" [tfdoctor explain")[0].rstrip("\n") + "\n"
    assert len(given.first_line.encode("ascii")) <= FIRST_LINE


@pytest.mark.parametrize(
    ("status", "words", "healthy"),
    [
        (NO_VERDICT, "the examination did not finish", False),
        (BUSY, "another health check is running", True),
    ],
)
def test_what_is_not_known_has_its_word_in_every_form(
    status: str, words: str, healthy: bool
) -> None:
    given = answer(CheckResult("examination", status, words))
    assert as_line(given) == f"unknown: {words}\n"
    assert (given.healthy, nagios_status(given)) == (healthy, 3)
    assert f"tfdoctor_healthy {int(healthy)}\n" in as_prometheus(given)
    assert 'tfdoctor_check_unseen{check="examination"} 1' in as_prometheus(given)
    faulty = answer(*given.points, CheckResult("memory", FAIL, "full"))
    assert as_line(faulty) == "unhealthy: full\n"


def test_lines_for_a_person_begin_with_what_has_to_be_mended_first() -> None:
    assert as_lines(FAULTY) == (
        "unhealthy: GPU 1 is lost (+1 more, 2 ignored)\n"
        "fault   gpus         GPU 1 is lost  [tfdoctor explain gpu-hardware-fault]\n"
        "fault   memory       memory limit: 9 of 9 MiB used  [tfdoctor explain container-oom-killed]\n"
        "ok      driver       driver 555.42.02: cuInit and NVML answer\n"
        "ignored              user-site-leak\n"
        "ignored              driver-old\n"
    )


MANY = answer(LOST, *(CheckResult("vram", OK, f"GPU {at}: {'x' * 280}") for at in range(64)))


@pytest.mark.parametrize("form", [as_lines, as_json, as_nagios])
def test_an_answer_of_many_gpus_fits_into_what_docker_keeps(form: Callable[[Answer], str]) -> None:
    text = form(MANY)
    assert WHOLE - 600 < len(text.encode()) <= WHOLE + 1 and text.endswith("\n")
    assert "GPU 1 is lost" in text


def test_json() -> None:
    assert json.loads(as_json(FAULTY)) == {
        "schema_version": "1.0", "healthy": False, "summary": "unhealthy: GPU 1 is lost (+1 more, 2 ignored)",
        "duration_s": 0.046, "gpus": 2, "ignored": ["user-site-leak", "driver-old"],
        "points": [
            {"check": "gpus", "status": "fault", "detail": "GPU 1 is lost", "code": "gpu-hardware-fault"},
            {"check": "memory", "status": "fault", "detail": "memory limit: 9 of 9 MiB used", "code": "container-oom-killed"},
            {"check": "driver", "status": "ok", "detail": "driver 555.42.02: cuInit and NVML answer", "code": None},
        ],
    }  # fmt: skip


@pytest.mark.parametrize(
    ("given", "status", "text"),
    [
        (HEALTHY, 0, "TFDOCTOR OK - healthy: 2 GPUs, unseen: xid, examined 60 min ago | time=0.046s gpus=2 gpu0_free=22B;;;0;23\n"
                     "unseen: xid: the kernel log can't be read\nok: driver: driver 555.42.02: cuInit and NVML answer\n"
                     "ok: gpus: 2 GPUs (NVIDIA L4)\nok: examination: examined 60 min ago\n"),
        (answer(AT_RISK), 1, "TFDOCTOR WARNING - healthy: examined 60 min ago: degraded (user-site-leak) | time=0.046s gpus=0\n"
                             "warning: examination: examined 60 min ago: degraded (user-site-leak)\n"),
        (answer(LOST, gpus=2, ignored=["driver-old"]), 2, "TFDOCTOR CRITICAL - unhealthy: GPU 1 is lost (1 ignored) | time=0.046s gpus=2\n"
                                                          "fault: gpus: GPU 1 is lost\nignored: driver-old\n"),
        (answer(CheckResult("driver", NO_VERDICT, "a|b")), 3, "TFDOCTOR UNKNOWN - unknown: a/b | time=0.046s gpus=0\nunfinished: driver: a/b\n"),
        (answer(CheckResult("healthcheck", FAIL, "bad settings")), 3, "TFDOCTOR UNKNOWN - unhealthy: bad settings | time=0.046s gpus=0\nfault: healthcheck: bad settings\n"),
    ],
    ids=["ok", "warning", "critical", "unknown", "the check itself failed"],
)  # fmt: skip
def test_nagios(given: Answer, status: int, text: str) -> None:
    assert (nagios_status(given), as_nagios(given)) == (status, text)


def values(text: str) -> dict[str, str]:
    """The samples; what they are is said before each."""
    lines = text.splitlines()
    named = {line.split()[2] for line in lines if line.startswith("# TYPE")}
    samples = dict(line.rsplit(" ", 1) for line in lines if not line.startswith("#"))
    assert {name.partition("{")[0] for name in samples} == named
    return samples


GPU_0 = r'{gpu="0",uuid="GPU-1",name="NVIDIA \"L4\"\\"}'


def test_prometheus() -> None:
    assert values(as_prometheus(HEALTHY)) == {
        "tfdoctor_healthy": "1",
        f'tfdoctor_info{{version="{__version__}",driver_version="555.42.02"}}': "1",
        'tfdoctor_check_ok{check="driver"}': "1",
        'tfdoctor_check_ok{check="examination"}': "1",
        'tfdoctor_check_ok{check="gpus"}': "1",
        'tfdoctor_check_unseen{check="driver"}': "0",
        'tfdoctor_check_unseen{check="examination"}': "0",
        'tfdoctor_check_unseen{check="gpus"}': "0",
        'tfdoctor_check_unseen{check="xid"}': "1",
        "tfdoctor_gpus": "2",
        f"tfdoctor_gpu_memory_free_bytes{GPU_0}": "22",
        f"tfdoctor_gpu_memory_total_bytes{GPU_0}": "23",
        f"tfdoctor_gpu_uncorrectable_errors{GPU_0}": "0",
        "tfdoctor_examined_timestamp_seconds": "1779996400.000",
        "tfdoctor_healthcheck_duration_seconds": "0.046",
        "tfdoctor_healthcheck_timestamp_seconds": "1780000000.000",
    }
    assert values(as_prometheus(FAULTY)) == {
        "tfdoctor_healthy": "0",
        f'tfdoctor_info{{version="{__version__}",driver_version=""}}': "1",
        'tfdoctor_problem{code="gpu-hardware-fault"}': "1",
        'tfdoctor_problem{code="container-oom-killed"}': "1",
        'tfdoctor_ignored{code="user-site-leak"}': "1",
        'tfdoctor_ignored{code="driver-old"}': "1",
        'tfdoctor_check_ok{check="driver"}': "1",
        'tfdoctor_check_ok{check="gpus"}': "0",
        'tfdoctor_check_ok{check="memory"}': "0",
        'tfdoctor_check_unseen{check="driver"}': "0",
        'tfdoctor_check_unseen{check="gpus"}': "0",
        'tfdoctor_check_unseen{check="memory"}': "0",
        "tfdoctor_gpus": "2",
        "tfdoctor_healthcheck_duration_seconds": "0.046",
        "tfdoctor_healthcheck_timestamp_seconds": "1780000000.000",
    }


@pytest.mark.parametrize(
    ("given", "labels"),
    [
        (HEALTHY, ["healthy=true", "gpus=2", "driver=555.42.02"]),
        (FAULTY, ["healthy=false", "gpus=2", "fault=gpu-hardware-fault", "ignored=user-site-leak_driver-old"]),
        (answer(CheckResult("smoke", FAIL, "x"), driver_version="-1/2 ü-"), ["healthy=false", "driver=1-2", "fault=smoke"]),
        (answer(EXAMINED, ignored=["a" * 70]), ["healthy=true", f"ignored={'a' * 63}"]),
    ],
)  # fmt: skip
def test_labels_of_a_node_expire(given: Answer, labels: list[str]) -> None:
    assert as_nfd(given, 600.0).splitlines() == [
        "# +expiry-time=2026-05-28T20:36:40Z",
        *(f"tfdoctor.{each}" for each in labels),
    ]


def test_it_computes_seldom_only_where_tensorflow_computes() -> None:
    assert read_options(["--smoke", "tf", "--every", "10m"], {}).every == 600
    with pytest.raises(UsageError, match="--every goes with --smoke tf"):
        read_options(["--every", "10m"], {})
