"""The forms in which one message is met: another release's prefix, a collector's, a narrow terminal, colours, other ranks between."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Callable, Iterable, Sequence

Lines = Sequence[str]
_OWN_PREFIX = re.compile(
    r"^(?:\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d{6}: )?[IWEF] \S+\.cc:\d+\] |^[IWEF]\d{4} \d\d:\d\d:[\d.]+ +\d+ \S+\.cc:\d+\] "
)
_STYLES = (
    "2019-03-02 09:00:00.000001: {level} tensorflow/stream_executor/cuda/cuda_driver.cc:300] ",
    "2023-12-01 09:00:00.000001: {level} external/local_xla/xla/stream_executor/cuda/cuda_driver.cc:274] ",
    "{level}0000 00:00:1790000000.100000    4242 cuda_platform.cc:52] ",
)


def other_release(lines: Lines) -> str:
    """The last line, where it is one of TensorFlow's log, with the prefix of other releases in turn."""
    said = lines[-1]
    if (own := _OWN_PREFIX.match(said)) is None:
        return _log(lines)
    level = next(letter for letter in own[0] if letter in "IWEF")
    style = _STYLES[len(said) % len(_STYLES)].format(level=level)
    return _log([*lines[:-1], style + said[own.end() :]])


def coloured(lines: Lines) -> str:
    return _log(
        [
            f"\x1b[0;3{number % 8}m{line[:7]}\x1b[1m{line[7:]}\x1b[0m\x1b[K"
            for number, line in enumerate(lines)
        ]
    )


def wrapped(lines: Lines) -> str:
    """As a terminal of 80 columns gives it to the clipboard."""
    return _log(
        part
        for line in lines
        for part in textwrap.wrap(line, 80, drop_whitespace=False, break_on_hyphens=False) or [""]
    )


def interleaved(lines: Lines) -> str:
    """`srun --label` of four ranks, of which the third has it."""
    told = [f"{rank}: step {number} loss 0.5" for number in range(20) for rank in (0, 1, 3)]
    for number, line in enumerate(lines):
        told += [f"2: {line}", f"{(0, 1, 3)[number % 3]}: step {number + 20} loss 0.4"]
    return _log(told)


def journal(lines: Lines) -> str:
    return _log(
        f"Nov 22 04:00:{number % 60:02} n17 train[4242]: {line}"
        for number, line in enumerate(lines)
    )


def kubernetes(lines: Lines) -> str:
    return _log(
        f"2026-11-22T04:00:{number % 60:02}.123456789Z stderr F {line}"
        for number, line in enumerate(lines)
    )


def mail(lines: Lines) -> str:
    return _log(f"> {line}" for line in lines)


def lsf(lines: Lines) -> str:
    """LSF's report stands before the output, and tells its end first."""
    return _log(
        [
            "Sender: LSF System <lsfadmin@n17>",
            "Subject: Job 4242: <python train.py> in cluster <c1> Exited",
            "",
            "Job <python train.py> was submitted from host <login1> by user <someone> in cluster <c1> at Sun Nov 22 04:00:00 2026",
            "# LSBATCH: User input",
            "python train.py",
            "------------------------------------------------------------",
            "",
            "Exited with exit code 1.",
            "",
            "Resource usage summary:",
            "",
            "    CPU time :                                   12.00 sec.",
            "    Max Memory :                                 512 MB",
            "    Max Swap :                                   -",
            "",
            "The output (if any) follows:",
            "",
            *lines,
            "",
            "PS:",
            "",
            "Read file <err.4242> for stderr output of this job.",
        ]
    )


def pbs(lines: Lines) -> str:
    """What PBS' daemon on the node and its epilogue write around the output."""
    stamp = "11/22/2026 04:00:01;0008;pbs_mom;Job;4242.head;"
    return _log(
        [
            f"{stamp}Started, pid = 4242",
            *lines,
            f"{stamp}kill_job",
            f"{stamp}Obit sent",
            "resources_used.walltime=00:01:12",
        ]
    )


def yarn(lines: Lines) -> str:
    return _log(
        [
            "Container: container_1790000000000_0001_01_000002 on n17_45454",
            "LogAggregationType: AGGREGATED",
            "=====================================================================",
            "LogType:stderr",
            "LogLastModifiedTime:Sun Nov 22 04:00:01 +0000 2026",
            "LogLength:4242",
            "LogContents:",
            "26/11/22 04:00:00 INFO executor.CoarseGrainedExecutorBackend: Registered signal handlers for [TERM, HUP, INT]",
            *lines,
            "",
            "End of LogType:stderr",
            "***********************************************************************",
        ]
    )


def _log(lines: Iterable[str]) -> str:
    return "\n".join(lines) + "\n"


FORMS: dict[str, Callable[[Lines], str]] = {
    each.__name__: each
    for each in (
        other_release,
        coloured,
        wrapped,
        interleaved,
        journal,
        kubernetes,
        mail,
        lsf,
        pbs,
        yarn,
    )
}
