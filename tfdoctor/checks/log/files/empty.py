"""Keras found no picture in a folder, said so, and went on: the error comes later and speaks of something else."""

from __future__ import annotations

from tfdoctor.checks.log.outside.reading import OF_THE_PROGRAM, Meant
from tfdoctor.checks.log.testimony import Testimony, place
from tfdoctor.facts.log_values import Ending
from tfdoctor.facts.model import Facts
from tfdoctor.findings.model import Fix
from tfdoctor.signatures.own.files import OF_NOTHING

_SAID = "no-pictures-found"


def of_no_pictures(facts: Facts, told: Testimony, last: Ending) -> Meant | None:
    """None where pictures were found, and for errors that have nothing to do with empty data."""
    said = [each for each in told.named(_SAID) if place(each) < place(last)]
    if not said or OF_NOTHING.search(last.what) is None:
        return None
    words = said[-1].text.strip().rstrip(".")
    title = f"Keras found no picture in the folder that it was given ({words[:80]})."
    meaning = "flow_from_directory looks for pictures in the sub-folders of the folder, one sub-folder for each class, and takes files that end in .png, .jpg, .jpeg, .bmp, .ppm, .tif or .gif. It says that there are none and goes on; what fails later has no data to work with. TensorFlow is in order."
    own = Fix("See what is there: pictures right in the folder are not seen, they have to be one folder deeper", note="In your files: print(os.path.abspath(directory), os.listdir(directory)) before it. For pictures without classes, put them into one sub-folder and name it: classes=['images'], class_mode=None. Names in classes=[…] have to be those of sub-folders; with flow_from_dataframe the paths and endings of the column count.")  # fmt: skip
    return Meant(OF_THE_PROGRAM, title, meaning, (own,))
