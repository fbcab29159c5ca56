"""Programs that were frozen into one file or folder: what pip changes does not reach into them."""

from __future__ import annotations

from tfdoctor.checks.log.candidate import Candidate
from tfdoctor.checks.log.testimony import Testimony
from tfdoctor.findings.model import Fix
from tfdoctor.light.records import replace

_SIGNS = ("frozen-pyinstaller", "frozen-pyinstaller-folder", "frozen-cx-freeze", "frozen-nuitka")
CONCERNED = (
    "windows-dll-init-failed", "windows-runtime-missing", "tensorflow-install-broken", "package-import-failed", "shared-library-missing",
    "tensorflow-missing", "dependency-mismatch", "custom-op-mismatch", "windows-cudnn-dll-missing", "setuptools-lacks-pkg-resources",
)  # fmt: skip
"""What is wrong with files that the program carries along."""
_RUNTIME = ("windows-dll-init-failed", "windows-runtime-missing")


def is_frozen(told: Testimony) -> bool:
    return bool(told.named(*_SIGNS))


def in_a_bundle(each: Candidate, told: Testimony) -> Candidate:
    """The same with where it happens; unchanged for all others."""
    if each.code not in CONCERNED or not is_frozen(told):
        return each
    what = "This program was frozen (PyInstaller, cx_Freeze or Nuitka): it brings its own Python, its own TensorFlow and its own DLLs, which may be older than the system's or incomplete."
    return replace(each, explanation=f"{each.explanation} {what}".strip())


def bundle_fixes(code: str, told: Testimony) -> tuple[Fix, ...]:
    """() where the program is no bundle. pip and the system's packages do not reach into one."""
    if code not in CONCERNED or not is_frozen(told):
        return ()
    unfrozen = Fix(
        "See first whether TensorFlow works unfrozen, on the same machine and in the environment that the program was built from",
        ('python -c "import tensorflow as tf; print(tf.__version__)"',),
        "If it fails there as well, tfdoctor check tells why; if not, the bundle is what has to change.",
    )
    build = Fix(
        "Build the program again with all of TensorFlow in it",
        ("pyinstaller --clean --collect-all tensorflow PROGRAM.py",),
        "Leave msvcp140.dll and vcruntime140.dll out of the bundle, or take current ones: an old copy beside the program is found before the system's.",
    )
    runtime = Fix("Bring the Visual C++ runtime of the machine that runs it up to date, in PowerShell", ("winget install Microsoft.VCRedist.2015+.x64",))  # fmt: skip
    return (unfrozen, runtime, build) if code in _RUNTIME else (unfrozen, build)
