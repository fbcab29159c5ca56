"""A TensorFlow stage that died: of a crash in native code, or of an internal check of TensorFlow's own."""

from __future__ import annotations

import signal

from tfdoctor.checks.engine.case import Ability, Case, Found, check
from tfdoctor.checks.questions.last_words import last_words, why
from tfdoctor.checks.questions.stage_output import failed_stage, must_have_listened, said, words
from tfdoctor.checks.smoke.again import repeat
from tfdoctor.facts.outcome import Known, value_or
from tfdoctor.facts.smoke_values import TensorFlowSmoke
from tfdoctor.findings.fix import fix
from tfdoctor.findings.model import Evidence, Fix, Severity
from tfdoctor.fixes.packages import reinstall

_CRASHES = {
    4: "SIGILL",
    6: "SIGABRT",
    7: "SIGBUS",
    8: "SIGFPE",
    11: "SIGSEGV",
    31: "SIGSYS",
}  # signal(7), Linux


@check(
    "native-crash",
    prevents=Ability.NOTHING,
    explains=("smoke-tensorflow-failed", "python-exception", "exited-nonzero"),
)
def native_crash(case: Case) -> Found | None:
    """The TensorFlow stage died of a signal that native code raises; an abort that TensorFlow explained is check-failed."""
    if isinstance(case.facts.death.end, Known):
        from tfdoctor.checks.death.crashes import native_crash as of_watched

        return of_watched(case)
    must_have_listened(case)
    smoke, stage = case.facts.smoke.tensorflow, failed_stage(case.facts)
    if stage is None and isinstance(smoke, Known) and smoke.value.end.how == "signal":
        return _on_its_way_out(case, smoke.value)
    if stage is None or stage.end.how != "signal" or stage.end.status not in _CRASHES:
        return None
    if stage.end.status == signal.SIGABRT and words(case.facts, "check-failed") is not None:
        return None  # TensorFlow ended itself and said why: check-failed
    name, frame = _CRASHES[stage.end.status], _frame(case)
    where = f" in {frame}" if frame else ""
    step = f" at the step {stage.last_step}" if stage.last_step else ""
    sentence = why(case.facts)
    return Found(
        f"Python died of {name}{where}{step}. Nothing that Python code does can cause or catch that.",
        (
            Evidence("smoke.tensorflow", f"died of {name}{step}", "ends well", "the TensorFlow stage"),
            *(
                (Evidence("smoke.tensorflow", frame, "", "the innermost Python frame (faulthandler)"),)
                if frame
                else ()
            ),
            *last_words(case.facts),
        ),
        (*repeat(case.facts), *_whole_files(case)),
        title=f"Python died of {name}{step}: {sentence}." if sentence else f"Python died of {name}{step}.",
    )


def _on_its_way_out(case: Case, stage: TensorFlowSmoke) -> Found:
    name = _CRASHES.get(stage.end.status, f"signal {stage.end.status}")
    return Found(
        f"TensorFlow computed everything right, and then the process died of {name} while it was ending. Results are not "
        f"touched, but programs report status {128 + stage.end.status} though their work is done: whatever runs when Python "
        "ends (atexit, destructors of native libraries) is where to look.",
        (Evidence("smoke.tensorflow", f"died of {name} after the last computation", "ends with status 0", "the TensorFlow stage"),),
        repeat(case.facts),
        severity=Severity.WARNING,
        title=f"TensorFlow computes right, and its process dies of {name} while it ends.",
    )  # fmt: skip


def _frame(case: Case) -> str:
    """The innermost Python frame that faulthandler wrote, as "function (file:line)"."""
    frame = said(case.facts, "faulthandler-frame")
    return f"{frame.told['function']} ({frame.told['file']}:{frame.told['line']})" if frame else ""


def _whole_files(case: Case) -> tuple[Fix, ...]:
    """Files that differ from those of the wheel can crash; where they were compared and are whole, that is no way out."""
    record = case.facts.tensorflow.record
    whole = isinstance(record, Known) and not (
        record.value.missing_count or record.value.wrong_size_count or record.value.wrong_hash_count
    )
    return () if whole or not isinstance(case.facts.tensorflow.version, Known) else (reinstall(case.facts),)


@check("check-failed", prevents=Ability.NOTHING, explains=("smoke-tensorflow-failed", "native-crash"))
def check_failed(case: Case) -> Found | None:
    """The TensorFlow stage aborted (SIGABRT) and its words show a failed check."""
    text, aborted = words(case.facts, "check-failed"), _watched_aborted(case)
    if aborted is None:
        must_have_listened(case)
        stage = failed_stage(case.facts)
        aborted = stage is not None and (stage.end.how, stage.end.status) == ("signal", signal.SIGABRT)
    if text is None or not aborted:
        return None
    version = value_or(case.facts.tensorflow.version, "its version")
    return Found(
        "TensorFlow found itself in a state that must not be and ended the program.",
        last_words(case.facts) or (text,),
        (
            *repeat(case.facts),
            fix("look-for-line-in-tensorflows-issues", version=version),
        ),
        title=f"TensorFlow aborted: {why(case.facts)}.",
    )


def _watched_aborted(case: Case) -> bool | None:
    """Whether a watched program, or a process of its, aborted itself; None where none was watched."""
    if not isinstance(case.facts.death.end, Known):
        return None
    from tfdoctor.checks.death.crashes import crashed

    dead = crashed(case)
    return dead is not None and dead.signal == signal.SIGABRT
