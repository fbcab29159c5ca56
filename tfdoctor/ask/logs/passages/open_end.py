"""Where a log ends after something began and before anything came of it."""

from __future__ import annotations

from collections.abc import Sequence

from tfdoctor.base.expressions import Expression
from tfdoctor.base.records import record

_BEGINS = (
    ("epoch", "Epoch ", Expression(r"\bEpoch \d{1,7}/\d{1,7}\s{0,9}$")),
    ("epoch", "poch", Expression(r"^\W{0,9}[Ee]poch\W{1,3}[01](?: of \d{1,7}|/\d{1,7})?\W{0,3}$")),
    ("progress", "0/", Expression(r"(?:^|\s)0%[| ].{0,80}\b0/\d{1,12} \[\d\d:\d\d<")),
    ("server", "Started server with target", Expression(r"Started server with target: ?\S")),
    (
        "nccl",
        "NCCL INFO ",
        Expression(r"NCCL INFO .{0,300}(?:Init COMPLETE|Connected all (?:rings|trees))"),
    ),
    ("gpus", "oaded cuDNN", Expression(r"[Ll]oaded cuDNN version \d")),
    (
        "gpus",
        "all_reduce",
        Expression(
            r"(?:batch_all_reduce|[Cc]ollective ?[Aa]ll_?[Rr]educe).{0,80}\b(?:nccl|NCCL)|all-reduces with algorithm"
        ),
    ),
    (
        "server",
        "Waiting for the cluster, timeout",
        Expression(r"Waiting for the cluster, timeout = "),
    ),
    (
        "shuffle",
        "Filling up shuffle buffer",
        Expression(r"Filling up shuffle buffer \(this may take a while\): \d"),
    ),
    (
        "celery",
        "eceived",
        Expression(
            r"\b(?:Task \S{1,200}\[[\w-]{36}\] received|Received task: \S{1,200}\[[\w-]{36}\])"
        ),
    ),
    ("large-alloc", "tcmalloc: large alloc ", Expression(r"tcmalloc: large alloc \d{9}")),
)
GOES_ON = Expression(
    r"\d/\d{1,12} (?:\[[=>.]|━)|/step\b|[1-9]\d{0,2}%\||[1-9]\d{0,11}/\d{1,12} \[\d\d:\d\d<| ETA: |\b[Ss]teps?\W{1,3}\d|(?:\b|_)(?:loss|acc|accuracy|mae|mse|auc)\W{1,3}\d"
    r"|\bTask \S{1,200}\[[\w-]{36}\] (?:succeeded|raised|retry|ignored)|\bTask handler raised|\biteration\W{1,3}\d|\bCluster is ready\.|\bEpoch (?:[2-9]|[1-9]\d{1,6})/\d"
)
"""A step, or a second epoch: the run has got beyond its beginning."""
_LOGGED = Expression(
    r"^\s{0,9}(?:(?:\^[CZ]\s{0,3}){1,9}$|\^CTraceback |\^\\Quit\b|KeyboardInterrupt\s{0,3}$|zsh: suspended |\[|[IWE] tensorflow/|\d{4}-\d\d-\d\d|[IWEF]\d{4} |WARNING|INFO|DEBUG|tcmalloc|/\S{1,200}:\d{1,6}: \w{1,40}Warning)|NCCL (?:INFO|WARN)"
)
"""What libraries write while a program waits, and what a terminal shows where somebody waits no longer; other words behind the head of an epoch are the program's own, so it goes on."""
_OF_ANY_PROGRAM = ("epoch", "progress")
"""What every training begins with; behind the other kinds somebody who pressed Ctrl+C had waited for something that has a name."""
_OF_THE_PROGRAM = {"epoch", "progress", "server", "shuffle"}
_CLUSTER = Expression(
    r"Initialize GrpcChannelCache for job (?P<job>\w{1,60}) -> \{(?P<tasks>.{1,2000}?)\}"
)
_TASK = Expression(r"-> ?(?P<host>\[?[\w.:-]{1,255}?\]?):\d{1,5}\b")
_HERE = ("localhost", "127.0.0.1", "[::1]")
_GPU = Expression(r"device:GPU:(\d{1,3})")
_BY_NCCL = "all-reduces with algorithm = nccl"
"""MirroredStrategy says so where it has several GPUs (tensorflow/python/distribute/cross_device_ops.py of 2.3; tensorflow/tensorflow#44976, 2020-11)."""
BY_HAND = Expression(r"^\s{0,9}(?:\^C\s{0,3}){1,9}$")
"""A line of ^C alone: people press it again where nothing happens."""
_TO_QUIT = Expression(r"(?i)\bctrl[ +-]c\b")
_IN_WORKERS = Expression(r"(?i)tensorflow|\bkeras\b")
_FAR = 3  # lines behind which a large allocation is no longer the end


@record
class Ended:
    """The last thing that began: its kind and line."""

    kind: str
    line: int


def last_begun(lines: Sequence[tuple[int, str]]) -> Ended | None:
    """What began last, where no progress is told in the whole run; None else."""
    stopped = _stopped(lines)
    if not stopped and not any(anchor in text for _, text in lines for _, anchor, _ in _BEGINS):
        return None  # of most logs no line has to be looked at closely
    found: dict[str, int] = {}
    first: dict[str, int] = {}
    hosts: list[str] = []
    gpus: set[str] = set()
    last = 0
    filled = any("Shuffle buffer filled" in text for _, text in lines)
    for number, text in lines:
        last = number if text.strip() else last
        if GOES_ON.search(text) and "NCCL" not in text:
            return None
        begun = [kind for kind, anchor, form in _BEGINS if anchor in text and form.search(text)]
        begun = [kind for kind in begun if kind != "shuffle" or not filled]
        for kind in begun:
            found[kind] = number
            first.setdefault(kind, number)
        if (
            not begun
            and found.keys() & _OF_THE_PROGRAM
            and text.strip()
            and not _LOGGED.search(text)
        ):
            return None
        if cluster := _CLUSTER.search(text):
            hosts += [task["host"] for task in _TASK.finditer(cluster["tasks"])]
        if "device:GPU:" in text or _BY_NCCL in text:
            gpus.update(("0", "1") if _BY_NCCL in text else _GPU.findall(text))
    allocated = found.pop("large-alloc", 0)
    if (found or stopped) and allocated and last - allocated <= _FAR:
        return Ended("large-alloc", first["large-alloc"])
    waits = _told(_of_several(_of_celery(found, lines), len(gpus)), hosts)
    if stopped and (waits is None or waits.kind in _OF_ANY_PROGRAM):
        return Ended("stopped", stopped)
    return waits


def _of_celery(found: dict[str, int], lines: Sequence[tuple[int, str]]) -> dict[str, int]:
    """Without a task of Celery's, where nothing shows that TensorFlow is at work in its workers."""
    if "celery" in found and not any(_IN_WORKERS.search(text) for _, text in lines):
        del found["celery"]
    return found


def _stopped(lines: Sequence[tuple[int, str]]) -> int:
    """The line of the ^C with which the log ends; 0 where it ends otherwise, or a server says that it is ended so."""
    said = next((each for each in reversed(lines) if each[1].strip()), (0, ""))
    if not BY_HAND.search(said[1]) or any(_TO_QUIT.search(text) for _, text in lines):
        return 0
    return said[0]


def _of_several(found: dict[str, int], gpus: int) -> dict[str, int]:
    """Without what only counts where several GPUs work together; with it, the waiting is theirs."""
    at = found.pop("gpus", 0)
    if gpus < 2 or "nccl" in found or "server" in found:
        return found
    begun = max(at, found.get("epoch", 0), found.get("progress", 0))
    return {"gpus": begun} if begun else found


def _told(found: dict[str, int], hosts: list[str]) -> Ended | None:
    if not found:
        return None
    kind, line = max(found.items(), key=lambda each: each[1])
    if kind == "nccl" and "epoch" not in found:
        return Ended("nccl-alone", line)
    if kind in _OF_ANY_PROGRAM and "nccl" in found:
        return Ended("nccl", line)
    if kind == "server" and len(hosts) > 1 and all(each in _HERE for each in hosts):
        return Ended("server-localhost", line)
    return Ended(kind, line)
