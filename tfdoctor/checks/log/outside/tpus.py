"""A notebook or program for a TPU that finds none, or a TensorFlow that was built without TPUs."""

from __future__ import annotations

from tfdoctor.checks.log.around.releases import shown
from tfdoctor.checks.log.outside.reading import OF_THE_PROGRAM, Meant
from tfdoctor.checks.log.testimony import Testimony
from tfdoctor.facts.log_values import Ending
from tfdoctor.facts.model import Facts
from tfdoctor.facts.outcome import Known
from tfdoctor.facts.versions import PythonRelease
from tfdoctor.findings.model import Fix
from tfdoctor.signatures.outside.errors import NO_TPU_BUILD, TPU_NAME

_COLAB = Fix(
    "In Colab, choose a runtime with a TPU first",
    note='"Runtime", "Change runtime type", a TPU. Its TensorFlow may have to be installed then: those runtimes do not all bring one.',
)
_KAGGLE = Fix("In Kaggle, choose the TPU first", note='In the notebook\'s side panel: "Session options", "Accelerator".')  # fmt: skip
_LOCAL = Fix(
    "Where the TPU is in the machine itself, say so: TensorFlow asks for an address otherwise",
    note="In your files: tf.distribute.cluster_resolver.TPUClusterResolver(tpu=\"local\"). Colab's and Kaggle's TPUs are of that kind now; their first ones had an address in COLAB_TPU_ADDR.",
)
_PYTHON_OF_LOCAL = PythonRelease("3.10")
"""Colab's and Kaggle's machines of 2023 and later have it; their TPUs are in the machine itself since 2024."""
_ELSE = Fix("To run without a TPU, take the strategy of a GPU or of the processor", note="In your files: strategy = tf.distribute.get_strategy() in place of TPUStrategy(resolver)")  # fmt: skip
_BUILD = Fix(
    "Install the TensorFlow that is built for TPUs in place of this one",
    note="On the package index it is called tensorflow-tpu, in the releases of TensorFlow itself from 2.16 on; TensorFlow's own guide to installation has the line. Restart the kernel or program after it.",
)


def of_tpu(facts: Facts, told: Testimony, last: Ending) -> Meant | None:
    """None where no TPU is asked for."""
    if (found := NO_TPU_BUILD.search(last.what)) is not None:
        title = f"This TensorFlow is built without support for TPUs: it has no {found['op']}."
        words = "The program starts the TPU system, and the installed TensorFlow does not hold the operations for that. The package tensorflow has code for processors and NVIDIA GPUs alone; TPUs have a build of their own."
        return Meant(OF_THE_PROGRAM, title, words, (_BUILD, _LOCAL, _ELSE))
    if TPU_NAME.search(last.what) is None:
        return None
    service = shown(facts).service
    choose = {"colab": (_COLAB,), "kaggle": (_KAGGLE,)}.get(service, ())
    title = "The program looks for a TPU at an address, and finds none: no TPU was chosen, or it is in the machine itself."
    words = "A TPU that is reached over the network has a name or an address, which the place hands over in a variable. None is there. Newer TPUs are in the machine that runs the program and have no address."
    python = facts.interpreter.version
    in_the_machine = isinstance(python, Known) and python.value >= _PYTHON_OF_LOCAL
    ways = (_LOCAL, *choose) if in_the_machine else (*choose, _LOCAL)
    return Meant(OF_THE_PROGRAM, title, words, (*ways, _ELSE))
