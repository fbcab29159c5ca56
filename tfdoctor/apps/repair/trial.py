"""What is done in the clone, and whether it helped: the same check before and after, in the same kind of namespace."""

from __future__ import annotations

import os
from collections.abc import Collection, Sequence
from pathlib import Path

from tfdoctor.apps.api import check_words, examined
from tfdoctor.apps.repair.installer import INSTALL_S, Installer, look, pins_of, words_of
from tfdoctor.apps.repair.journal import Change
from tfdoctor.apps.repair.namespace import REFUSED, Namespace, run_in
from tfdoctor.apps.repair.plan import metadata_folders
from tfdoctor.base.expressions import Expression
from tfdoctor.base.processes import own_process
from tfdoctor.base.records import record
from tfdoctor.knowledge.model import Finding, Severity, Verdict
from tfdoctor.report.report import Report, Stage

CHECK_S = 150.0
_POLICY = (
    "TFDOCTOR_REQUIRE_GPU",
    "TFDOCTOR_NO_REQUIRE_GPU",
    "TFDOCTOR_IGNORE",
    "TFDOCTOR_MATRIX",
    "TFDOCTOR_TIMEOUT",
)
"""Variables of `check` that hold for the checks of a fix, too."""
_WORST_LAST = (Verdict.HEALTHY, Verdict.DEGRADED, Verdict.BROKEN, Verdict.UNKNOWN)


@record
class State:
    """An environment at one moment: the report, and the requirements that are not met (`pip check`)."""

    report: Report
    complaints: frozenset[str] = frozenset()


class Trial:
    """Runs installer and check: in a namespace where the clone is seen in the environment's place, or, with None, in the open."""

    def __init__(self, namespace: Namespace | None, subject: Sequence[str]) -> None:
        self.namespace, self._subject = namespace, list(subject)

    def state(self, installer: Installer | None) -> State:
        """A whole check, with the installer's own complaints where there is one."""
        words = [*check_words("", "auto", None, None), *self._subject]
        env = {
            name: value
            for name, value in os.environ.items()
            if name in _POLICY or not name.startswith("TFDOCTOR_")
        }
        ran = run_in(self.namespace, own_process(words), timeout_s=CHECK_S, env=env)
        status = ran.status if ran.how == "exit" and ran.status != REFUSED else 3
        report = examined(
            status, ran.stdout, ran.stderr or ran.describe().encode(), "auto"
        ).document(redact=False)
        return State(report, self._complaints(installer) if installer is not None else frozenset())

    def with_complaints(self, state: State, installer: Installer) -> State:
        """The state with what the installer says of it."""
        return State(state.report, self._complaints(installer))

    def _complaints(self, installer: Installer) -> frozenset[str]:
        ran = look(installer.complain(), self.namespace, INSTALL_S)
        lines = (ran.stdout + b"\n" + ran.stderr).decode("utf-8", "replace").splitlines()
        return frozenset(
            line.strip().partition(", but ")[0] for line in lines if is_complaint(line)
        )

    def install(
        self,
        installer: Installer,
        changes: tuple[Change, ...],
        removed: Sequence[str],
        wheels: Path,
    ) -> str:
        """Why it did not come about, in the installer's words; "" where every command succeeded."""
        commands = [installer.uninstall(removed)] if removed else []
        pins = pins_of(changes)
        commands += [installer.install(pins, wheels)] if pins else []
        for each in commands:
            ran = look(each, self.namespace, INSTALL_S)
            if not ran.ok:
                return f"{installer.name}: {words_of(ran)}"
        return ""


_UNDER_ANOTHER_NAME = Expression(r" requires `?tensorflow(?![\w-]).{0,200} not installed")
"""Of `tensorflow`, beside tensorflow-cpu and the like, which installers don't take for it: whether it is there, the check says."""


def is_complaint(line: str) -> bool:
    """ "a 1 requires b, which is not installed", "a 1 has requirement b<2, but you have b 3" and uv's "The package `a` requires `b`"."""
    about = " requires " in line or " has requirement " in line
    return about and _UNDER_ANOTHER_NAME.search(line) is None


def against(finding: Finding, changed: Collection[str], before: State, after: State) -> str:
    """Why the change did not help, in one clause; "" where it did. `changed`: the packages by name.

    A code stands for one of its problems at a time: one that says another thing, of no package that was changed, was behind it before.
    """
    bad_before, bad_after = _bad(before.report), _bad(after.report)
    if not after.report.subject.python or _is_unknown(after.report) > _is_unknown(before.report):
        return f"the check afterwards came to no verdict: {after.report.summary}"
    titles = [
        each.title for each in after.report.findings if each.code == finding.code and _is_bad(each)
    ]
    if any(each == finding.title or any(name in each for name in changed) for each in titles):
        return "the same problem is still there"
    climbed = _reached(after.report) - _reached(before.report)
    new = [each for each in bad_after if each not in bad_before]
    if new and not climbed:
        return f"a new problem came up: {new[0]}"
    if _rank(after.report) > _rank(before.report) and not _is_unknown(before.report):
        return f"the verdict is worse: {after.report.verdict.value}"
    if lost := passed(before.report) - passed(after.report):
        return f"a test that passed before no longer does: {min(lost)}"
    if complaints := after.complaints - before.complaints:
        return f"another package's requirement is no longer met: {min(complaints)}"
    return ""


def _bad(report: Report) -> tuple[str, ...]:
    return tuple(each.code for each in report.findings if _is_bad(each))


def _is_bad(finding: Finding) -> bool:
    return finding.severity is not Severity.INFO


def _is_unknown(report: Report) -> bool:
    return report.verdict is Verdict.UNKNOWN


def _rank(report: Report) -> int:
    return _WORST_LAST.index(report.verdict)


def _reached(report: Report) -> set[str]:
    """What can show more problems than before: tests that passed, and that TensorFlow's import did."""
    return passed(report) | ({"import"} if starts(report) else set())


def starts(report: Report) -> bool:
    """Whether TensorFlow was seen to be imported."""
    return any(
        each.name == "tensorflow" and _got_past_the_import(each) for each in report.smoke.stages
    )


def _got_past_the_import(stage: Stage) -> bool:
    step = str(stage.detail.get("last_step", ""))
    return stage.status == "passed" or (
        stage.status == "failed" and bool(step) and step != "import tensorflow"
    )


def passed(report: Report) -> set[str]:
    """The tests that passed, by name."""
    return {each.name for each in report.smoke.stages if each.status == "passed"}


def leftovers(site: Path) -> frozenset[str]:
    """What an installer moved aside and did not delete."""
    return frozenset(each.name for each in site.iterdir() if each.name.startswith("~"))


def unfinished(site: Path, changes: tuple[Change, ...], before: frozenset[str]) -> str:
    """What an installer that was stopped leaves behind; "" where everything was written to its end. `before`: the leftovers of others."""
    if left := leftovers(site) - before:
        return f"{min(left)} was left behind"
    folders = metadata_folders(site, {each.name for each in changes if each.after})
    for each in folders:
        for name in ("RECORD", "INSTALLER"):
            if not (each / name).is_file():
                return f"{each.name} has no {name}"
    if len(folders) < len({each.name for each in changes if each.after}):
        return "a package that was to be installed is not there"
    return ""
