"""How a parent speaks of a child that died: lines by which a traceback or a status is seen to pass a death on."""

from __future__ import annotations

from functools import partial

from tfdoctor.signatures.signature import EXCEPTION, FACT, NATIVE, Signature

_fact = partial(Signature, code="", role=FACT)

SIGNATURES = (
    _fact(
        "child-died-with-signal",
        anchor="died with <Signals.",
        form=r"died with <Signals\.(?P<signal>SIG[A-Z0-9]{1,10}): (?P<number>\d{1,2})>",
        speaker=EXCEPTION,
        samples=("subprocess.CalledProcessError: Command '['python', 'w.py']' died with <Signals.SIGKILL: 9>.",),
        near=("CalledProcessError: Command 'x' returned non-zero exit status 1.",),
        sources=("python/cpython:Lib/subprocess.py (2026-11)",),
    ),
    _fact(
        "child-terminated-abruptly",
        anchor="terminated abruptly",
        speaker=EXCEPTION,
        samples=(
            "concurrent.futures.process.BrokenProcessPool: A process in the process pool was terminated abruptly while the future was running or pending.",
        ),
        near=("the connection ended abruptly",),
        sources=("python/cpython:Lib/concurrent/futures/process.py (2026-11)",),
    ),
    _fact(
        "child-unexpectedly-terminated",
        anchor="unexpectedly terminated",
        speaker=EXCEPTION,
        samples=(
            "joblib.externals.loky.process_executor.TerminatedWorkerError: A worker process managed by the executor was unexpectedly terminated.",
        ),
        near=("the string was terminated",),
        sources=("joblib/loky:loky/process_executor.py (2026-11)",),
    ),
    _fact(
        "child-exited-prematurely",
        anchor="exited prematurely: signal ",
        form=r"exited prematurely: signal (?P<number>\d{1,2})",
        speaker=EXCEPTION,
        samples=("billiard.exceptions.WorkerLostError: Worker exited prematurely: signal 9 (SIGKILL) Job: 1.",),
        near=("Worker exited prematurely: exitcode 1.",),
        sources=("celery/billiard:billiard/pool.py (2026-11)",),
    ),
    _fact(
        "child-killed-by-signal",
        anchor="killed by signal",
        form=r"killed by signal:? (?P<signal>[\w ]{1,40})",
        speaker=EXCEPTION,
        samples=("RuntimeError: DataLoader worker (pid 123) is killed by signal: Killed.",),
        near=("it was killed by a user",),
        sources=("pytorch/pytorch:torch/csrc/DataLoader.cpp (2026-11)",),
    ),
    _fact(
        "child-negative-exit-code",
        anchor="exitcode: -",
        form=r"exitcode: -(?P<number>\d{1,2})\b",
        speaker=NATIVE,
        samples=("failed (exitcode: -9) local_rank: 0 (pid: 7) of binary: /usr/bin/python",),
        near=("failed (exitcode: 1) local_rank: 0",),
        sources=("pytorch/pytorch:torch/distributed/elastic/multiprocessing/api.py (2026-11)",),
    ),
    _fact(
        "child-negative-status",
        anchor=" status -",
        form=r" status -(?P<number>\d{1,2})\b",
        speaker=NATIVE,
        samples=("RuntimeError: worker ended with status -11",),
        near=("it ended with status 9",),
    ),
)  # fmt: skip
NAMES = tuple(each.name for each in SIGNATURES)
