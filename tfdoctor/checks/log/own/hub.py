"""A folder of TensorFlow Hub's cache that lost its files: by which command of that system it is removed."""

from __future__ import annotations

from tfdoctor.checks.log.testimony import Testimony
from tfdoctor.findings.model import Fix
from tfdoctor.fixes.commands import quoted

_NAME = "hub-folder-empty"


def hub_fixes(told: Testimony) -> tuple[Fix, ...]:
    """() where no such folder is named."""
    said = told.named(_NAME)
    if not said:
        return ()
    folder = (said[0].told.get("file") or said[0].told["value"]).replace("\\\\", "\\")
    windows = "\\" in folder
    command = f'rmdir /s /q "{folder}"' if windows else quoted("rm", "-r", folder)
    lasting = (
        "set TFHUB_CACHE_DIR=%USERPROFILE%\\tfhub_modules"
        if windows
        else "export TFHUB_CACHE_DIR=$HOME/.cache/tfhub_modules"
    )
    return (
        Fix("Delete the folder; TensorFlow Hub then fetches the model again", (command,), "In the command prompt, not in PowerShell." if windows else ""),
        Fix("Keep these models where the system deletes nothing", (lasting,), "For this shell, before the program starts."),
    )  # fmt: skip
