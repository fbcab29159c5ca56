"""What to type where a process did not find CUDA's libraries: lead the loader to them, or take the release that looks by itself."""

from __future__ import annotations

from tfdoctor.checks.engine.case import Case
from tfdoctor.checks.log.around.releases import shown
from tfdoctor.checks.log.testimony import Testimony
from tfdoctor.checks.log.unfound.elsewhere import (
    CONDA,
    EXPORTED,
    FILE,
    TERMINAL,
    TOOLKIT_FOLDER,
    Elsewhere,
    elsewhere,
)
from tfdoctor.checks.log.unfound.libraries import missing
from tfdoctor.checks.log.unfound.plain_names import link_fixes
from tfdoctor.facts.outcome import value_or
from tfdoctor.findings.fix import fix
from tfdoctor.findings.model import Fix
from tfdoctor.fixes.commands import interpreter, quoted
from tfdoctor.light.records import replace

_BEHIND = "${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}"
_SITE = "$(python -c 'import sysconfig; print(sysconfig.get_paths()[\"purelib\"])')"

TO_THE_KERNEL = (
    fix("in-terminal-where-works-write-terminals"),
    fix("or-start-jupyter-from-terminal-with"),
    fix("see-what-differs-type-both-lines"),
)  # fmt: skip
TO_THE_EDITOR = (
    fix("in-terminal-where-works-read-library"),
    fix("or-start-editor-from-terminal-with"),
)
_ALL_FOLDERS = fix("lead-loader-to-folders-nvidias-packages")


def reach_fixes(case: Case, told: Testimony) -> tuple[Fix, ...]:
    """() where the log does not show where the libraries are."""
    if linked := link_fixes(case.facts, told):
        return linked
    found = elsewhere(case, told, missing(told))
    if found is None:
        return ()
    if found.kind == CONDA:
        return _conda()
    if found.kind == TERMINAL:
        return TO_THE_KERNEL if shown(case.facts).notebook else TO_THE_EDITOR
    if found.kind in (FILE, TOOLKIT_FOLDER):
        return _folder(found)
    if found.kind == EXPORTED:
        return (_folder(found)[1], _HANDED_ON)
    return forgotten_folders(case) or (_ALL_FOLDERS,)


THERE_ALREADY = replace(
    _ALL_FOLDERS,
    title="Where they are installed in this environment already, lead the loader to their folders, for this shell",
)


def _conda() -> tuple[Fix, ...]:
    return (
        fix("lead-loader-to-environments-own-libraries"),
        fix("to-have-at-each-activation"),
    )


def _folder(found: Elsewhere) -> tuple[Fix, ...]:
    return (
        fix("lead-loader-to-folder-for-shell", folder=found.folder),
        fix("for-whole-machine-and-every-program", quoted=quoted(found.folder)),
    )  # fmt: skip


_HANDED_ON = fix("or-hand-variable-on-to-what")


def forgotten_folders(case: Case, presumed: str = "") -> tuple[Fix, ...]:
    """For a release that does not look into all folders of NVIDIA's wheels; () for the others. `presumed` where the log names none."""
    release = str(value_or(case.facts.tensorflow.version, presumed))
    defects = case.matrix.defects(release) if release else ()
    defect = next((each for each in defects if each.kind == "runpath-incomplete"), None)
    if defect is None:
        return ()
    python, cured = interpreter(case.facts), defect.detail.get("fixed_in", "")
    folders = defect.detail.get("missing", "").split()
    install = f"{python} -m pip install 'tensorflow[and-cuda]=={release}'"
    lead = f'export LD_LIBRARY_PATH="{":".join(f"{_SITE}/{each}" for each in folders)}{_BEHIND}"'
    stay = Fix(
        f"Or stay with {release}, install its libraries and lead the loader to those folders" if _is_final(cured) else "Install its CUDA libraries, and lead the loader to the folder that this release forgets",
        (install, lead),
        f"TensorFlow {release} does not look into {_folders(len(folders))} of NVIDIA's packages by itself. The export holds in this shell; for good, put it at the end of the environment's bin/activate.",
    )  # fmt: skip
    if not _is_final(cured):
        return (stay,)
    newer = fix("install-tensorflow-with-cuda-libraries-does", cured=cured, release=release, python=python)
    return (newer, stay)


def _folders(number: int) -> str:
    return "one of the folders" if number == 1 else f"{number} of the folders"


def _is_final(release: str) -> bool:
    return bool(release) and release.replace(".", "").isdigit()
