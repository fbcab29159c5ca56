"""One run of `tfdoctor fix`: what it asks, tries, keeps or discards, undoes, lists and recovers, and what it says of that."""

from __future__ import annotations

import json
import os
import shlex
import sys
from pathlib import Path
from typing import Any

from tfdoctor.apps.cli.guard import NO_VERDICT, UsageError, flush, say
from tfdoctor.apps.cli.options import LAST_FIX, FixOptions
from tfdoctor.apps.cli.output import (
    Output,
    fold,
    tell_written,
    text_encoding,
    width_of,
    write_result,
)
from tfdoctor.apps.repair.environment import Refusal, directory_of, in_use, refusal
from tfdoctor.apps.repair.fresh import NewWork, planned
from tfdoctor.apps.repair.installer import Installer, InstallerError, installer_for
from tfdoctor.apps.repair.journal import (
    SCHEMA_VERSION,
    BusyError,
    Change,
    Entry,
    JournalError,
    all_entries,
)
from tfdoctor.apps.repair.namespace import ANYWHERE, Namespace, unavailable
from tfdoctor.apps.repair.plan import Changes, Step, judged, of_a_kernel, smallest, steps
from tfdoctor.apps.repair.repair import (
    IncompleteError,
    Job,
    KernelWork,
    UndoRefusedError,
    Work,
    apply,
    interrupted,
    recover,
    undo,
)
from tfdoctor.apps.repair.trial import State, Trial
from tfdoctor.base.user_folders import home
from tfdoctor.facts.codec import to_json
from tfdoctor.facts.outcome import value_or
from tfdoctor.fix.kernel import KERNEL_JSON
from tfdoctor.knowledge.model import Action
from tfdoctor.report.report import Report
from tfdoctor.say.clean import clean, fit

HELPED, NOT_HELPED, NOTHING, INCOMPLETE = 0, 1, 3, 4
_MOST_SHOWN = 12


class FixRun:
    def __init__(self, options: FixOptions, output: Output) -> None:
        self.options, self.output = options, output
        self.entries: list[Entry] = []  # the fixes of this run, the first first
        self.tried: set[tuple[str, str]] = set()
        self._last: State | None = None
        self._no_namespace = ""
        self._lines: list[str] = []

    def run(self) -> int:
        try:
            if self.options.listed:
                return self._list()
            if self.options.undo is not None:
                return self._undo(self.options.undo)
            if self.options.recover:
                return self._recover()
            return self._fix()
        except (BusyError, JournalError, UndoRefusedError) as error:
            say(str(error))
            return NOTHING
        except IncompleteError as error:
            say(f"{error}. `tfdoctor fix --recover` tries again")
            return INCOMPLETE
        finally:
            self._written()

    # what is said

    def _say(self, *lines: str) -> None:
        """Part of the result: at once to the terminal, or with the rest into the file."""
        if self.options.json:
            return
        if self.output.to_file:
            self._lines += lines
            return
        encoding, width = text_encoding(os.environ), width_of(os.environ)
        shown = (line if line.startswith("    ") else fold(line, width, indent=2) for line in lines)
        write_result(
            "".join(f"{fit(line, encoding)}\n" for line in shown).encode(encoding, "replace")
        )

    def _document(self, document: Any) -> None:
        if self.options.json:
            self._lines.append(json.dumps(document, indent=2))

    def _written(self) -> None:
        if self._lines:
            self.output.write(
                "".join(f"{line}\n" for line in self._lines).encode("utf-8", "replace")
            )
            tell_written(self.output, "" if self.options.json else self._lines[-1])
            self._lines = []

    def _tell(self, doing: str) -> None:
        """Progress, for whoever waits."""
        if sys.stderr is not None and sys.stderr.isatty():
            sys.stderr.write(f"  {doing} ...\n")
            sys.stderr.flush()

    # list, undo, recover

    def _list(self) -> int:
        entries = [entry for entry, _ in all_entries()]
        self._document(
            {"schema_version": SCHEMA_VERSION, "fixes": [to_json(each) for each in entries]}
        )
        if not entries:
            self._say("No fix was made yet.")
        for each in entries:
            self._say(
                f"{each.id}  {_state(each)}  {_shown(each.environment)}  {each.at[:16].replace('T', ' ')}",
                f"   {_of(each)}",
            )
        return HELPED

    def _undo(self, which: str) -> int:
        def allowed(place: Path) -> str:
            found = None if self.options.in_use else in_use(place)
            return found.because if found else ""

        entry = undo(0 if which == LAST_FIX else int(which), allowed)
        self._document(to_json(entry))
        how = "is removed again" if entry.is_new else "is as it was"
        self._say(
            f"Undone: {_shown(entry.environment)} {how}{'' if entry.is_new else f' before fix {entry.id} ({_reversed(entry)})'}."
        )
        return HELPED

    def _recover(self) -> int:
        ended = recover()
        self._document(
            {"schema_version": SCHEMA_VERSION, "fixes": [to_json(each) for each in ended]}
        )
        for each in ended:
            self._say(f"Fix {each.id} was interrupted; {_as_before(each)}.")
        if not ended:
            self._say("No fix was interrupted.")
        return HELPED

    # fix

    def _fix(self) -> int:
        for each in () if self.options.dry_run else recover(skip_busy=True):
            say(f"fix {each.id} had been interrupted; {_as_before(each)}")
        self._no_namespace = unavailable()
        goes_on = True
        while goes_on:
            try:
                before = self._last or self._checked()
            except ValueError as error:  # check calls it wrong usage
                raise UsageError(str(error)) from error
            status, goes_on = self._next(before)
        self._end_document()
        return status

    def _checked(self) -> State:
        """Raises ValueError."""
        self._tell("Checking the environment")
        return Trial(None if self._no_namespace else ANYWHERE, self.options.subject).state(None)

    def _end_document(self) -> None:
        documents = [to_json(each) for each in self.entries]
        if self.options.all:
            self._document({"schema_version": SCHEMA_VERSION, "fixes": documents})
        else:
            self._document(documents[-1] if documents else to_json(Entry()))

    def _next(self, before: State) -> tuple[int, bool]:
        """The exit status so far, and whether there is more to do."""
        report, options = before.report, self.options
        if not report.subject.python:
            say(report.summary)
            return NO_VERDICT, False
        open_steps = [each for each in steps(report, options.code) if _key(each) not in self.tried]
        if not open_steps:
            return self._nothing_left(before.report)
        for step in open_steps:
            outcome = self._one(step, before)
            if (
                outcome != NOT_HELPED
                or step is open_steps[-1]
                or open_steps[open_steps.index(step) + 1].finding is not step.finding
            ):
                break
        if self._kept() and self._kept()[-1].is_new:
            return outcome, False
        if options.all and outcome == HELPED:
            if options.dry_run:
                self._say("The next problem shows once this one is fixed.")
            return HELPED, not options.dry_run
        if options.all and self._kept():
            self._say(f"Kept: {', '.join(str(each.id) for each in self._kept())}. Not healthy yet.")
            return (NOT_HELPED if outcome == NOTHING else outcome), False
        return outcome, False

    def _kept(self) -> list[Entry]:
        return [each for each in self.entries if each.state == "kept"]

    def _nothing_left(self, report: Report) -> tuple[int, bool]:
        bad = [each for each in report.findings if each.severity.value != "info"]
        if not bad:
            self._say(f"Nothing {'more ' if self.entries else ''}to fix: {report.summary}")
            return (HELPED if self.options.all else NOTHING), False
        if self.options.code and all(each.code != self.options.code for each in bad):
            self._say(f"{self.options.code} was not found here. {report.summary}")
            return NOTHING, False
        first = next((each for each in bad if each.code == self.options.code), bad[0])
        self._say(first.title, f"  tfdoctor fix has nothing to apply for it{_because_of(first)}.")
        fix = next(iter(first.fixes), None)
        if fix is not None:
            self._say(
                f"  {fix.title}:",
                *(f"    {each}" for each in fix.commands),
                *([f"  {fix.note}"] if fix.note else []),
            )
        return (NOT_HELPED if self._kept() else NOTHING), False

    def _one(self, step: Step, before: State) -> int:
        """Tries one fix, if it can be and the user agrees."""
        self.tried.add(_key(step))
        facts = before.report.facts
        self._say(step.finding.title)
        if (refused := self._refusal(before, step)) is not None:
            return self._not_applied(step, before, refused.because, refused.instead)
        place = directory_of(facts, step.fix)
        looking = None
        if not self._no_namespace:
            looking = ANYWHERE if step.is_new else Namespace(place, place, read_only=True)
        try:
            installer, changes = self._changes(step, before, looking)
        except InstallerError as error:
            return self._not_applied(step, before, str(error))
        if changes.because:
            return self._not_applied(step, before, changes.because)
        self._show_plan(step, changes, place)
        if self.options.dry_run:
            self._plan_entry(step, before, changes)
            return HELPED
        if not self._agreed(step, changes, place):
            self._plan_entry(step, before, changes)
            return NOTHING
        if installer is not None:
            before = Trial(looking, self.options.subject).with_complaints(before, installer)
        site = Path(os.path.realpath(value_or(facts.interpreter.site_packages, ("",))[0]))
        job = Job(
            step, changes, installer, before, place, site, self.options.subject,
            in_place=bool(self._no_namespace), keep=not self.options.no_keep,
        )  # fmt: skip
        way = KernelWork if step.is_of_a_kernel else NewWork if step.is_new else Work
        entry, self._last = apply(job, way, self._tell)
        self.entries.append(entry)
        if entry.state != "kept":
            self._last = None
            self._say(f"It did not help: {clean(entry.reason)}. Nothing was changed.")
            return NOT_HELPED
        self._say(_helped(entry))
        return HELPED

    def _changes(
        self, step: Step, before: State, looking: Namespace | None
    ) -> tuple[Installer | None, Changes]:
        """What is to be changed, and what changes it; None: not an installer, or that of an environment to be made. Raises InstallerError."""
        facts = before.report.facts
        if step.is_of_a_kernel:
            return None, of_a_kernel(step, facts)
        self._tell(
            "Computing what goes into a new environment"
            if step.is_new
            else "Computing the smallest change"
        )
        if step.is_new:
            return None, planned(step, facts, looking)
        executable, has_pip = (
            value_or(facts.interpreter.executable, ""),
            value_or(facts.interpreter.has_pip, False),
        )
        installer = installer_for(executable, looking, has_pip=has_pip)
        return installer, smallest(step, facts, installer)

    def _refusal(self, before: State, step: Step) -> Refusal | None:
        place = str(directory_of(before.report.facts, step.fix))
        if left := [
            each.id for each in interrupted() if each.environment == place
        ]:  # of a dry run, which brings none to an end
            return Refusal(
                f"fix {left[0]} of this environment was interrupted. Bring it to an end",
                ("tfdoctor fix --recover",),
            )
        found = refusal(before.report.facts, step.fix)
        if step.is_new:
            return found
        if found is None and not self.options.in_use and not step.is_of_a_kernel:
            found = in_use(directory_of(before.report.facts))
        if found is None and self._no_namespace and not self.options.in_place:
            found = Refusal(
                f"{self._no_namespace}, so a fix can't be tried without changing the environment. `--in-place` tries it in the "
                "environment itself, and puts the old files back if it does not help. Or type it yourself",
                step.fix.commands,
            )
        return found

    def _show_plan(self, step: Step, changes: Changes, place: Path) -> None:
        rows = _rows(changes)
        width = max(len(name) for name, _ in rows)
        self._say("", f"Fix: {step.fix.title}")
        for name, words in rows[:_MOST_SHOWN]:
            self._say(f"    {name:<{width}}  {clean(words)}")
        if len(rows) > _MOST_SHOWN:
            self._say(f"    and {len(rows) - _MOST_SHOWN} more")
        if step.is_new:
            self._say(f"  They go into {_shown(str(place))}, which is made. Nothing else changes.")
            if changes.left_out:
                self._say(f"  Not taken along: {clean(', '.join(changes.left_out))}.")
        else:
            nothing = (
                f"  Nothing else in {_shown(str(place / KERNEL_JSON))} changes."
                if changes.variables
                else f"  No other package in {_shown(str(place))} changes."
            )
            self._say(nothing, *([f"  {step.fix.note}"] if step.fix.note else []))
        if any(each.after for each in changes.packages):
            self._say(f"  {_to_fetch(changes)}")
        for words in changes.refused:
            self._say(f"  A smaller change is impossible: {clean(words)}")
        self._say("")

    def _agreed(self, step: Step, changes: Changes, place: Path) -> bool:
        if self.options.yes:
            return True
        if sys.stdin is None or not sys.stdin.isatty() or sys.stderr is None:
            say("nothing was changed: there is no terminal to ask on; add --yes to apply it")
            return False
        safe = (
            "It is tried in the environment itself, and put back if it does not help."
            if self._no_namespace
            else "Nothing is changed until it has been shown to help."
        )
        what = _what(changes)
        question = f"Change {what} in {_shown(str(place))}? {safe} [y/N] "
        if step.is_new:
            question = (
                f"Make {_shown(str(place))} with {what}? No other environment is changed. [y/N] "
            )
        flush()
        sys.stderr.write(
            fit(clean(question), getattr(sys.stderr, "encoding", None) or "ascii") + " "
        )
        sys.stderr.flush()
        answer = sys.stdin.readline(100)
        if not answer.endswith("\n"):
            sys.stderr.write("\n")
        if answer.strip().lower() in ("y", "yes"):
            return True
        self._say("Nothing was changed.")
        return False

    def _not_applied(
        self, step: Step, before: State, because: str, instead: tuple[str, ...] = ()
    ) -> int:
        because = clean(because)
        self._say(
            f"  Not applied: {because}{':' if instead else '.'}",
            *(f"    {each}" for each in instead),
        )
        self._plan_entry(step, before, Changes(), because)
        return NOTHING

    def _plan_entry(self, step: Step, before: State, changes: Changes, reason: str = "") -> None:
        self.entries.append(
            Entry(
                code=step.finding.code,
                title=step.fix.title,
                action=step.fix.action or Action(""),
                packages=changes.packages,
                variables=changes.variables,
                left_out=changes.left_out,
                before=judged(before.report),
                environment=str(directory_of(before.report.facts, step.fix)),
                reason=reason,
                examined=shlex.join(self.options.subject),
            )
        )


def _key(step: Step) -> tuple[str, str]:
    return step.finding.code, f"{step.fix.title} {step.fix.commands}"


def _because_of(finding: Any) -> str:
    if finding.confidence.value != "certain":
        return ": this cause is not certain"
    return ""


def _shown(path: str) -> str:
    """With the user's home as ~."""
    own = home(os.environ)
    return f"~{path[len(own) :]}" if own and own != "/" and path.startswith(f"{own}/") else path


def _from_to(change: Change) -> str:
    if not change.before:
        return f"installs {change.after}"
    if not change.after:
        return f"{change.before} is removed"
    return (
        f"{change.before} (reinstalled)"
        if change.before == change.after
        else f"{change.before} → {change.after}"
    )


def _of_a_variable(change: Change) -> str:
    return f"is set to {change.after}" if change.after else "is unset"


def _rows(done: Changes | Entry) -> list[tuple[str, str]]:
    """Each package and variable with what becomes of it."""
    variables = [(each.name, _of_a_variable(each)) for each in done.variables]
    return [(each.name, _from_to(each)) for each in done.packages] + variables


def _what(done: Changes | Entry) -> str:
    """ "protobuf 4.25.3 → 6.33.0"; of more than three the number."""
    every = _rows(done)
    return f"{len(every)} packages" if len(every) > 3 else ", ".join(map(" ".join, every))


def _reversed(entry: Entry) -> str:
    packages, variables = (
        tuple(Change(each.name, each.after, each.before) for each in done)
        for done in (entry.packages, entry.variables)
    )
    return _what(Changes(packages, variables))


def _to_fetch(changes: Changes) -> str:
    new = [each for each in changes.packages if each.after]
    unknown = sum(not each.size for each in new)
    known = f"at most {_megabytes(sum(each.size for each in new))}"
    if unknown:
        known = (
            f"{known} and {unknown} of unknown size" if unknown < len(new) else "unknown beforehand"
        )
    return f"Download: {known}. On the disk: known once it is fetched."


def _megabytes(number: int) -> str:
    return f"{number / 1e6:.1f} MB" if number < 10_000_000 else f"{number / 1e6:.0f} MB"


def _size(number: int) -> str:
    return f"{max(number, 1 << 20) >> 20} MB"


def _helped(entry: Entry) -> str:
    change = f"{entry.before.verdict} → {entry.after.verdict}"
    if entry.is_new:
        place = _shown(entry.environment)
        return (
            f"Helped: TensorFlow starts in {place} ({change}). Activate it: . {shlex.quote(entry.environment + '/bin/activate')}. "
            f"It has {_what(entry)}; no other environment was changed. Undo: tfdoctor fix --undo {entry.id} "
            f"(removes it, {_size(entry.kept_bytes)})."
        )
    undo = (
        f"Undo: tfdoctor fix --undo {entry.id} ({_size(entry.kept_bytes)} kept)."
        if entry.kept
        else "The old files were not kept."
    )
    gone = f"{'one ' if entry.code in entry.after.codes else ''}{entry.code}"
    return f"Helped: {gone} is gone ({change}). Changed: {_what(entry)}, nothing else. {undo}"


def _as_before(entry: Entry) -> str:
    place = _shown(entry.environment)
    return (
        f"what it had made of {place} is removed"
        if entry.is_new
        else f"{place} is as it was before it"
    )


def _state(entry: Entry) -> str:
    return entry.state if entry.state in ("kept", "discarded", "undone") else "interrupted"


def _of(entry: Entry) -> str:
    how = (
        f": {clean(entry.reason)}"
        if entry.reason
        else f" ({_size(entry.kept_bytes)} kept)"
        if entry.kept
        else ""
    )
    return f"{entry.code}: {_what(entry)}{how}"
