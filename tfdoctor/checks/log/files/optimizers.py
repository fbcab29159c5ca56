"""A text in place of a number: in the data, or among what an optimizer was made with."""

from __future__ import annotations

from tfdoctor.checks.log.outside.reading import OF_THE_PROGRAM, Meant
from tfdoctor.checks.log.testimony import Testimony
from tfdoctor.facts.log_values import Ending
from tfdoctor.facts.model import Facts
from tfdoctor.findings.model import Fix
from tfdoctor.fixes.commands import interpreter
from tfdoctor.light.records import replace
from tfdoctor.signatures.outside.paths import CAST_OF_TEXT, OF_AN_OPTIMIZER, WITH_OPTIMIZERS

_OLDER = Fix("Or keep the packages, and take TensorFlow 2.10 in an environment of its own", ("uv venv --python 3.10 tensorflow-2.10", 'uv pip install --python=tensorflow-2.10 "tensorflow==2.10.*" "numpy<2"'), "The present environment stays as it is.")  # fmt: skip
_CASTS = "weight-decay-cast"


def of_cast(facts: Facts, told: Testimony, last: Ending) -> Meant | None:
    """None where the text is in the program's data, as the words themselves say."""
    if CAST_OF_TEXT.search(last.what) is None:
        return None
    through = [each for ending in told.endings for each in ending.through]
    package = next((each for each in WITH_OPTIMIZERS if each in through), "")
    if package:
        title = f"A text came where TensorFlow computes with a number, in code of {package}: mostly its optimizer is made for TensorFlow before 2.11."
        words = f"From TensorFlow 2.11 on an optimizer takes weight_decay where the older ones took their name. A package's own optimizer, as {package} has one, then hands over its name as a number. Else a column of the data is text."
        older = replace(_OLDER, title="Take TensorFlow 2.10, in an environment of its own")
        newer = Fix(f"Or update {package}: newer releases know the newer optimizers", (f"{interpreter(facts)} -m pip install --upgrade {package}",))  # fmt: skip
        return Meant("dependency-mismatch", title, words, (older, newer))
    if OF_AN_OPTIMIZER.search(last.what) is None and not told.named(_CASTS):
        return None
    title = "An optimizer was given a text where it takes a number."
    words = "One of its settings is a text: a learning rate, a momentum or a weight decay that came from the command line or a file, or a name that was handed over by its place. From TensorFlow 2.11 on the optimizers' settings come in another order. The data are not what fails."
    own = Fix("Make numbers of the settings, and hand each of them over by its name", note='In your files: Adam(learning_rate=float(args.lr), weight_decay=1e-4, name="Adam"). Where a package made the optimizer, update it, or take TensorFlow 2.10.')  # fmt: skip
    return Meant(OF_THE_PROGRAM, title, words, (own, _OLDER))
