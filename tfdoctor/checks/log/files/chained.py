"""A file that is missing in the end because it could not be written before: the first exception of a chain tells why."""

from __future__ import annotations

from pathlib import PurePosixPath

from tfdoctor.checks.log.outside.reading import OF_THE_PROGRAM, Meant
from tfdoctor.checks.log.testimony import Testimony
from tfdoctor.facts.log_values import Ending
from tfdoctor.facts.model import Facts
from tfdoctor.findings.model import Fix
from tfdoctor.fixes.commands import interpreter, quoted
from tfdoctor.light.expressions import (
    Expression,
)  # reads no log: the words of an exception that was read already

_REFUSED = Expression(
    r"(?:OSError|PermissionError): \[Errno (?P<number>13|28|30|122)\] (?P<why>[^:\n]{1,60}): ?['\"](?P<file>[^'\"\n]{1,400})['\"]"
)
_WHY = {
    "13": "this user may not write there",
    "28": "the disk is full",
    "30": "that file system can only be read",
    "122": "the quota is used up",
}
_OF_KERAS = "model.weights.h5"
"""What Keras 3 takes out of a .keras file; 3.4.0 writes it beside the file (keras-team/keras#19921, 2024-06), later ones read it in memory first (keras/src/saving/saving_lib.py)."""


def of_first_refusal(facts: Facts, _told: Testimony, last: Ending) -> Meant | None:
    """None where no file was refused before, or the last words are about another one."""
    found = next((match for each in last.chained if (match := _REFUSED.search(each)) is not None), None)
    if found is None or found["file"] not in last.what:
        return None
    file, why = found["file"], _WHY[found["number"]]
    folder = str(PurePosixPath(file.replace("\\", "/")).parent)
    title = f"{PurePosixPath(file).name} could not be written into {folder}: {why} ({found['why']})."
    words = "The first exception of the chain is the cause. What is said last, that the file is missing, only follows from it: it was never written."
    look = Fix("See how that folder is mounted, and who may write there. It changes nothing", (f"findmnt -T {quoted(folder)}", f"ls -ld {quoted(folder)}"))  # fmt: skip
    if PurePosixPath(file).name != _OF_KERAS:
        return Meant(OF_THE_PROGRAM, title, words, (look,))
    copy = Fix("Copy the model to a place that can be written, and load it from there", note="In your files: model = load_model(shutil.copy(FILE, tempfile.mkdtemp()))")  # fmt: skip
    newer = Fix("Or update Keras: newer releases read the weights in memory where there is room for them", (f"{interpreter(facts)} -m pip install --upgrade keras",))  # fmt: skip
    return Meant(OF_THE_PROGRAM, title, f"{words} Keras 3 unpacks a .keras file before it reads the weights, in some releases into the folder of the file itself.", (copy, newer, look))  # fmt: skip
