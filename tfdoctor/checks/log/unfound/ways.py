"""What to type where a process did not find CUDA's libraries: lead the loader to them, or take the release that looks by itself."""

from __future__ import annotations

from tfdoctor.checks.engine.case import Case
from tfdoctor.checks.log.around.releases import shown
from tfdoctor.checks.log.order.kernels import KERNEL
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
from tfdoctor.findings.model import Fix
from tfdoctor.fixes.commands import interpreter, quoted
from tfdoctor.light.records import replace

_BEHIND = "${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}"
_SITE = "$(python -c 'import sysconfig; print(sysconfig.get_paths()[\"purelib\"])')"
_NOT_PATH = "LD_LIBRARY_PATH, not PATH: PATH is for programs. It has to be set before Python starts; a notebook or an IDE has to be started from this shell."

TO_THE_KERNEL = (
    Fix(
        "In the terminal where it works: write that terminal's Python and library path into a kernel of its own",
        ("python -m pip install ipykernel", KERNEL),
        "Then choose the kernel tensorflow-gpu in the notebook.",
    ),
    Fix("Or start Jupyter from that terminal, with the environment activated: its kernels inherit the variable", ("jupyter notebook",)),
    Fix(
        "See what differs: type both lines there, and with ! before them in a cell. It changes nothing",
        ("echo $LD_LIBRARY_PATH", "python -c 'import sys; print(sys.executable)'"),
    ),
)  # fmt: skip
TO_THE_EDITOR = (
    Fix(
        "In the terminal where it works, read its library path and its Python; then give both to the editor's run configuration",
        ("echo $LD_LIBRARY_PATH", "python -c 'import sys; print(sys.executable)'"),
        "The first line is the value of the variable LD_LIBRARY_PATH in the run configuration's environment, the second the interpreter to choose there.",
    ),
    Fix(
        "Or start the editor from that terminal, with the environment activated: what it runs inherits the variable"
    ),
)
_ALL_FOLDERS = Fix(
    "Lead the loader to the folders of NVIDIA's packages, for this shell",
    (f'export LD_LIBRARY_PATH="$(echo {_SITE}/nvidia/*/lib | tr " " :){_BEHIND}"',),
    f"TensorFlow before 2.14 looks into none of them by itself, 2.16.1 and 2.21.0 not into all. {_NOT_PATH}",
)


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
        Fix(
            "Lead the loader to the environment's own libraries, in the activated environment",
            (f'export LD_LIBRARY_PATH="$CONDA_PREFIX/lib{_BEHIND}"',),
            _NOT_PATH,
        ),
        Fix(
            "To have it so at each activation",
            (
                'conda env config vars set LD_LIBRARY_PATH="$CONDA_PREFIX/lib"',
                'conda activate "$CONDA_DEFAULT_ENV"',
            ),
        ),
    )


def _folder(found: Elsewhere) -> tuple[Fix, ...]:
    return (
        Fix("Lead the loader to that folder, for this shell", (f'export LD_LIBRARY_PATH="{found.folder}{_BEHIND}"',), _NOT_PATH),
        Fix(
            "For the whole machine and every program, once",
            (f"echo {quoted(found.folder)} | sudo tee /etc/ld.so.conf.d/cuda.conf", "sudo ldconfig"),
        ),
    )  # fmt: skip


_HANDED_ON = Fix(
    "Or hand the variable on to what the launcher starts, also on other machines",
    ("mpirun -np 2 -H localhost:2 -x LD_LIBRARY_PATH -x PATH python train.py",),
    "horovodrun hands it on where it is exported in the shell that starts it; sudo and ssh do not.",
)


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
    newer = Fix(
        f"Install TensorFlow {cured} with its CUDA libraries: {release} does not look into all of their folders, and {cured} is the same with that repaired",
        (f"{python} -m pip install 'tensorflow[and-cuda]=={cured}'",),
    )
    return (newer, stay)


def _folders(number: int) -> str:
    return "one of the folders" if number == 1 else f"{number} of the folders"


def _is_final(release: str) -> bool:
    return bool(release) and release.replace(".", "").isdigit()
