"""The ways out where pip's list lacks what was asked for: the release beside it, the Python of its time, its successor."""

from __future__ import annotations

from tfdoctor.checks.engine.case import Case
from tfdoctor.checks.log.fit.present import key
from tfdoctor.checks.log.installers.companions import FILES, OLD_PYTHON, Files, python_for
from tfdoctor.checks.log.installers.listed import AHEAD, BEHIND, BETWEEN, NONE, PREVIEWS, Listed, listed
from tfdoctor.checks.log.installers.lists import (
    TENSORFLOW,
    asked_in_vain,
    elsewhere,
    first_for_arm,
    newest_python,
    of_the_system,
    pythons_of_newest,
    without_index,
)
from tfdoctor.checks.log.installers.told.ignored import newest_in, of_release, running
from tfdoctor.checks.log.installers.told.machines import machine_of_list
from tfdoctor.checks.log.installers.told.systems import (
    apple_fixes,
    arm_part_fixes,
    machine_fixes,
    of_apple,
    of_arm_part,
    of_the_machine,
    old_pip,
    old_pip_fixes,
    to_the_index,
    without_its_line,
)
from tfdoctor.checks.log.testimony import Testimony
from tfdoctor.facts.model import Facts
from tfdoctor.facts.outcome import Known, value_or
from tfdoctor.findings.fix import fix
from tfdoctor.findings.model import Fix
from tfdoctor.fixes.commands import interpreter
from tfdoctor.light.records import replace

_BESIDE = "The present environment stays as it is."


def list_fixes(case: Case, told: Testimony) -> tuple[Fix, ...]:
    """() where pip's list says no more than that nothing was found."""
    there = asked_in_vain(told)
    if there is None or machine_of_list(told, case.matrix)[0]:
        return _of_the_last_line(case, told)
    if without_index(there):
        return to_the_index(case.facts, there)
    if elsewhere(case, there.package):
        return (without_its_line(case.facts, there),)
    if of_the_system(case, told, there):
        return _other_system(case, told, there)
    return _beside_the_list(case, told, there) or _by_the_list(case, told, there)


def _beside_the_list(case: Case, told: Testimony, there: Listed) -> tuple[Fix, ...]:
    """What other lines tell of the very release; () where they tell nothing."""
    if wanted := newest_in(of_release(told, there.release)):
        return (_with_python(wanted, there.asker or f"{there.package}{there.wanted}"),)
    if of_arm_part(there):
        return arm_part_fixes(case.facts, there)
    if old_pip(there):
        return old_pip_fixes(case.facts, there)
    if of_the_machine(case.facts, told, there, newest_python(case, there)):
        return machine_fixes(case.facts, told, there)
    return ()


def _by_the_list(case: Case, told: Testimony, there: Listed) -> tuple[Fix, ...]:
    nowhere = there.kind in (NONE, PREVIEWS)
    if there.package not in TENSORFLOW and (nowhere or _ended_on_windows(case.facts, there)):
        return _of_a_companion(case, there)
    if there.kind == BETWEEN or (there.kind == AHEAD and there.preview):
        return _neighbours(case.facts, there)
    newest = newest_python(case, there)
    if there.package in TENSORFLOW and there.kind == NONE and not newest:
        return _of_another_python(case, told)
    if there.package in TENSORFLOW:
        return _of_tensorflow(case, there, newest)
    if newest:
        return (_with_python(newest, f"{there.package}{there.wanted}"), *_nearest(case.facts, there))
    if there.kind == AHEAD:
        return (_newer_python(there), *_nearest(case.facts, there))
    if there.kind == BEHIND:
        return (_with_an_older(case.facts, told, there), *_nearest(case.facts, there))
    return _nearest(case.facts, there)


def _of_the_last_line(case: Case, told: Testimony) -> tuple[Fix, ...]:
    """pip's last line without its list names the release alone; () where it names none."""
    said = () if asked_in_vain(told) else told.named("no-matching-distribution")
    there = listed(said[0]) if said else None
    if there is None or there.package not in TENSORFLOW or not there.release:
        return ()
    return _of_tensorflow(case, there, newest_python(case, there))


def _ended_on_windows(facts: Facts, there: Listed) -> bool:
    """A release that is newer than the last one with a file for Windows."""
    files = FILES.get(there.package)
    return (
        there.kind == AHEAD
        and files is not None
        and files.windows != "-"
        and value_or(facts.host.os, "") == "windows"
    )


_NARROW = fix("where-python-files-see-whether-yours")


def _of_tensorflow(case: Case, there: Listed, newest: str) -> tuple[Fix, ...]:
    """What asked for it, with the Python of its time; () where the matrix has the release and knows more."""
    narrow = (_NARROW,) if there.kind == NONE else ()
    if not newest:
        return ()
    if there.asker:
        folder = f"{there.asker}-{newest}"
        title = f"Use Python {newest}, the newest that TensorFlow {there.minor} has files for, to install {there.asker}"
        if newest in _BEFORE_UV:
            return (replace(_with_python(newest, there.asker), title=title), *narrow)
        return (Fix(title, (f"uv venv --python {newest} {folder}", f"uv pip install --python={folder} {there.asker}"), _BESIDE), *narrow)  # fmt: skip
    known = case.matrix.release(there.release) if there.release.count(".") > 1 else None
    if isinstance(known, Known):
        return ()
    return (_with_python(newest, f'{there.package}{there.wanted}" "protobuf<3.21'), *narrow)


def _of_another_python(case: Case, told: Testimony) -> tuple[Fix, ...]:
    """A Python beside the one that has no file; () where the log does not tell which one that is."""
    own = running(case.facts, told)[0]
    if not own:
        return ()
    every = pythons_of_newest(case)
    below = [each for each in every if key(each) < key(own)]
    feature = (below or every)[-1]
    if any("pipenv" in each.text for each in told.named("no-version-satisfies", "no-matching-distribution")):
        own_way = fix("have-pipenv-make-environment-with-python", feature=feature)
        return (own_way, _NARROW)
    return (
        fix("use-python-tensorflow-files-for-in", feature=feature),
        _NARROW,
    )  # fmt: skip


def _with_an_older(facts: Facts, told: Testimony, there: Listed) -> Fix:
    """The release is older than all that this Python has files for, so an older Python is what it was made for."""
    known, (first, _) = python_for(there.package, there.release), running(facts, told)
    feature = known or (OLD_PYTHON if not first or key(first) > key(OLD_PYTHON) else "3.8")
    wanted = there.asker or f"{there.package}{there.wanted}"
    fix = _with_python(feature, wanted)
    title = f"Use Python {feature}, the newest that it has a file for" if known else f"Use an older Python, such as {feature}: the release is older than all that this one has files for"  # fmt: skip
    return replace(fix, title=f"{title}, in an environment of its own")


def _newer_python(there: Listed) -> Fix:
    """For one that has a file of it; NumPy and h5py drop a Python with nearly each minor."""
    fitting = python_for(there.package, there.release) or "3.12"
    folder = f"python-{fitting}"
    return fix(
        "use-newer-python-such-as-in",
        fitting=fitting,
        folder=folder,
        package=there.package,
        wanted=there.wanted,
    )


def _other_system(case: Case, told: Testimony, there: Listed) -> tuple[Fix, ...]:
    if told.named("of-alpine"):
        python = newest_python(case, there) or "3.12"
        return (fix("build-on-debians-image-same-python", python=python),)
    if of_apple(told, there):
        return apple_fixes(case.facts, there)
    if value_or(case.facts.host.os, "") == "macos":
        return (fix("install-tensorflow-itself", python=interpreter(case.facts), package=there.package),)
    newer = fix(
        "take-tensorflow-or-newer-files-for",
        first_for_arm=first_for_arm(case),
        python=interpreter(case.facts),
    )
    return (fix("keep-and-build-image-for-intel", release=there.release), newer)


def _of_a_companion(case: Case, there: Listed) -> tuple[Fix, ...]:
    facts, files = case.facts, FILES.get(there.package)
    whole = FILES.get(there.asker)
    if files is not None and not files.windows and value_or(facts.host.os, "") == "windows":
        return (*_on_windows(there, files), *_instead(facts, whole or files))
    if whole is not None and (files is None or key(whole.python) < key(files.python)):
        return (_with_python(whole.python, there.asker), *_instead(facts, whole))
    if files is None:
        return (
            fix("see-releases-are-and-for-pythons", package=there.package, python=interpreter(facts)),
        )  # fmt: skip
    windows = value_or(facts.host.os, "") == "windows"
    if windows and files.windows != "-":
        return (*_on_windows(there, files), *_instead(facts, files))
    older = _with_python(newest_python(case, there) or files.python, f"{there.package}{there.wanted}")
    untold = not there.wanted and not isinstance(facts.interpreter.version, Known)
    if (
        untold and files.windows != "-" and not files.instead
    ):  # nor is the system told: Linux is only supposed
        look = Fix("See which Python and which system this is: Windows has no file of it" + (f" after {files.windows}" if files.windows else ""), (f"{interpreter(facts)} -c 'import sys, platform; print(sys.version, platform.platform())'",))  # fmt: skip
        return (
            look,
            replace(older, title=f"On Linux, {older.title[0].lower()}{older.title[1:]}"),
            *_on_windows(there, files),
            *_instead(facts, files),
        )
    return (*_instead(facts, files), older) if there.package == "tflite-runtime" else (older, *_instead(facts, files))  # fmt: skip


def _on_windows(there: Listed, files: Files) -> tuple[Fix, ...]:
    wsl = fix("do-in-wsl2-linux-inside-windows-3", value=there.asker or f"tensorflow {there.package}")
    if there.package != "tensorflow-text":
        return (wsl,)
    own = fix("or-take-tensorflow-2-10-last-release")
    return (wsl, own)


def _instead(facts: Facts, files: Files) -> tuple[Fix, ...]:
    if not files.instead:
        return ()
    return (fix("take-took-place", instead=files.instead, python=interpreter(facts)),)


_BEFORE_UV = ("3.5", "3.6")
"""Pythons that uv does not bring, and conda-forge does."""


def _with_python(feature: str, wanted: str) -> Fix:
    folder = f"python-{feature}"
    if feature in _BEFORE_UV:
        return fix("use-python-newest-file-for-in-2", feature=feature, folder=folder, wanted=wanted)
    return fix("use-python-newest-file-for-in", feature=feature, folder=folder, wanted=wanted)


def _neighbours(facts: Facts, there: Listed) -> tuple[Fix, ...]:
    """The nearest that exists: a release of the same minor, else the one before, else its preview or the next."""
    python, order = interpreter(facts), (there.below, there.above)
    same = [each for each in order if each.startswith(f"{there.minor}.")]
    chosen = next(iter(same), "") or there.preview or there.below or there.above
    if there.asker in TENSORFLOW and there.below:
        whole = f"{there.asker}=={there.below}"
        return (
            fix("take-whose", asker=there.asker, below=there.below, package=there.package, python=python, whole=whole),
            fix("or-see-whether-come-out-since", release=there.release, python=python, package=there.package),
        )  # fmt: skip
    line = "" if there.asker else "In a file of requirements, change the line. "
    others = [each for each in dict.fromkeys((there.below, there.above, there.preview)) if each and each != chosen]  # fmt: skip
    more = f"Also there: {', '.join(others)}." if others else ""
    return (
        Fix(f"Ask for {there.package} {chosen} in place of {there.release}", (f'{python} -m pip install "{there.package}=={chosen}"',), line + more),
        fix("see-whether-come-out-since", release=there.release, python=python, package=there.package),
    )  # fmt: skip


def _nearest(facts: Facts, there: Listed) -> tuple[Fix, ...]:
    """What this Python can have; () where nothing is listed."""
    chosen = there.below or there.above
    if not chosen:
        return ()
    python, version = interpreter(facts), facts.interpreter.version
    here = f" for Python {version.value.feature}" if isinstance(version, Known) else ""
    word = "newest" if there.below else "oldest"
    return (
        fix("or-take-one-here", package=there.package, chosen=chosen, word=word, here=here, python=python),
    )
