"""Errors of a service's own parts: Colab's TensorFlow 1 that a cell took the files of, SageMaker's toolkit without a program to start."""

from __future__ import annotations

from tfdoctor.checks.log.modules.absent import in_a_notebook
from tfdoctor.checks.log.outside.reading import OF_THE_PROGRAM, Meant
from tfdoctor.checks.log.testimony import Testimony
from tfdoctor.facts.log_values import Ending
from tfdoctor.facts.model import Facts
from tfdoctor.findings.model import Fix

_CORE = ("No module named 'tensorflow_core.", "No module named 'tensorflow_core'")
_NO_NAME = "'NoneType' object has no attribute 'endswith'"


def of_loaded_before(facts: Facts, told: Testimony, last: Ending) -> Meant | None:
    """A notebook whose TensorFlow up to 2.1 was loaded, and exchanged on the disk after that. None outside notebooks."""
    here = in_a_notebook(facts, last) or "<ipython-input-" in last.frame
    if (
        not here
        or last.package not in ("tensorflow", "tensorflow-core")
        or not any(each in last.what for each in _CORE)
    ):
        return None
    part = last.what.partition("No module named '")[2].partition("'")[0][:100]
    title = f"This notebook's TensorFlow was exchanged while it was loaded: it looks for {part}, which is not where it was."
    words = "Up to 2.1 TensorFlow's files are in a folder tensorflow_core, and its first file looks there at the first use of each part. A cell installed another TensorFlow, or Colab's %tensorflow_version chose one, after this one had been imported: what is in memory and what is on the disk belong to two releases."
    restart = Fix("Restart the runtime, and import TensorFlow only behind the cell that installs or chooses it", note="In Colab: Runtime, Restart session; elsewhere: Kernel, Restart.")  # fmt: skip
    one = Fix("Where it comes back, let one of the two go: a line `%tensorflow_version` and a cell that installs TensorFlow do not go together")  # fmt: skip
    return Meant(OF_THE_PROGRAM, title, words, (restart, one))


def of_no_program(facts: Facts, told: Testimony, last: Ending) -> Meant | None:
    """SageMaker's toolkit, which asks how the name of the script ends."""
    if last.package != "sagemaker-training" or _NO_NAME not in last.what:
        return None
    title = "SageMaker's container was started without an entry point: it has no script to run."
    words = "The toolkit asks how the script's name ends, and there is no name: SAGEMAKER_PROGRAM is not set, and the job names no entry_point. The training itself never began; TensorFlow is not what fails."
    name = Fix("Name the script where the job is made", note='In your files: Estimator(image_uri=…, entry_point="train.py", source_dir="src", …); the folder holds the script.')  # fmt: skip
    build = Fix("Or name it in the image, where the script is a part of it", note="In the Dockerfile: COPY train.py /opt/ml/code/train.py and ENV SAGEMAKER_PROGRAM train.py")  # fmt: skip
    return Meant(OF_THE_PROGRAM, title, words, (name, build))
