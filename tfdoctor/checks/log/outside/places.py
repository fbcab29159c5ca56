"""Errors that come of where a program runs: a notebook's own event loop, an application without a console, what Colab has taken away."""

from __future__ import annotations

from collections.abc import Mapping

from tfdoctor.checks.log.modules.absent import in_a_notebook
from tfdoctor.checks.log.outside.reading import OF_THE_PROGRAM, Meant
from tfdoctor.checks.log.testimony import Testimony
from tfdoctor.checks.log.ways.meaning import PYTHON, Meaning
from tfdoctor.facts.log_values import Ending
from tfdoctor.facts.model import Facts
from tfdoctor.findings.model import Fix
from tfdoctor.fixes.commands import interpreter
from tfdoctor.signatures.outside.errors import LOOP, NO_TF_1, SILENT


def of_colab(facts: Facts, told: Testimony, last: Ending) -> Meant | None:
    """The magic that once chose TensorFlow 1. None for other errors."""
    if NO_TF_1.search(last.what) is None:
        return None
    title = "The notebook asks Colab for TensorFlow 1, which Colab has not had since August 2022."
    words = "The line %tensorflow_version 1.x chose TensorFlow 1 in Colab once. It is gone, and Colab's Python is newer than any that TensorFlow 1 has files for, so pip can't bring it either."
    port = Fix("Have TensorFlow's own tool rewrite the notebook for TensorFlow 2, and leave the line with %tensorflow_version out", ('!tf_upgrade_v2 --infile "notebook.ipynb" --outfile "new_notebook.ipynb"',), "It lists what has to be done by hand: tf.contrib, for instance, has no successor.")  # fmt: skip
    little = Fix("A program without tf.contrib may run as it is", note="In your files: import tensorflow.compat.v1 as tf; tf.disable_v2_behavior()")  # fmt: skip
    own = Fix("Or run it on a machine of your own, with Python 3.7 and TensorFlow 1.15", ("uv venv --python 3.7 tensorflow-1", "uv pip install --python=tensorflow-1 'tensorflow==1.15.*' 'protobuf<3.21'"))  # fmt: skip
    return Meant(OF_THE_PROGRAM, title, words, (port, little, own))


def of_loop(facts: Facts, told: Testimony, last: Ending) -> Meant | None:
    """A notebook's kernel runs an event loop all the time, and asyncio runs no second one in its thread."""
    if LOOP.search(last.what) is None:
        return None
    who = f"{last.package} starts" if last.package else "The program starts"
    title = f"{who} an event loop where one runs already, as in every notebook."
    words = "Jupyter's kernel works in an event loop of asyncio, and so do some consoles and servers; asyncio refuses to start a second one in the same thread. As a script the same lines work. TensorFlow is not what fails."
    by = "%pip" if in_a_notebook(facts, last) else f"{interpreter(facts)} -m pip"
    nest = Fix("Let loops be nested, which a small package does", (f"{by} install nest_asyncio",), "Then in the notebook's first cell: import nest_asyncio; nest_asyncio.apply()")  # fmt: skip
    script = Fix("Or run it as a script, where no loop runs yet", ("jupyter nbconvert --to script notebook.ipynb",), "Then the script by Python itself, with the names of your own files.")  # fmt: skip
    return Meant(OF_THE_PROGRAM, title, words, (nest, script))


def of_silence(facts: Facts, told: Testimony, last: Ending) -> Meant | None:
    """A program that prints where nobody gave it a place to print: sys.stdout and sys.stderr are None."""
    found = SILENT.search(last.what)
    if found is None or (last.package and last.package not in _WHO_PRINTS):
        return None
    title = "Something was to be printed, and this Python has nowhere to print: sys.stdout and sys.stderr are None."
    words = "Python started without a console has no such places: by pythonw, by a program that was bundled without a window for text (PyInstaller's --noconsole), by another application that holds Python inside (RStudio, a service). Keras prints its progress bar and notes, and stops there."
    own = Fix("Give it a place before Keras is imported", note='In your files, as the first lines: import os, sys; sys.stdout = sys.stdout or open(os.devnull, "w"); sys.stderr = sys.stderr or open(os.devnull, "w")')  # fmt: skip
    quiet = Fix("Or have Keras print nothing", note="In your files: verbose=0 in fit, evaluate and predict")
    r = Fix("In R, bring reticulate up to date, which gives Python such places", ("Rscript -e \"chooseCRANmirror(ind = 1); install.packages('reticulate')\"",), "In RStudio: install.packages('reticulate'), then Session, Restart R.")  # fmt: skip
    return Meant(OF_THE_PROGRAM, title, words, (r, own, quiet) if told.named("r-call") else (own, quiet))


_WHO_PRINTS = ("keras", "tensorflow", "tensorflow-core", "tf-keras", "tqdm", "absl-py")
_NO_BACKEND = Meaning(
    "Colab hands out the GPUs that are free, and had none to give to this session: the quota of this account is used up for now, or all are in use. Nothing is wrong with the notebook.",
    (
        Fix("Go on without a GPU for now, and save what the work needs later", note='In Colab: "Runtime", "Change runtime type", "CPU".'),
        Fix("Try again after some hours, with all other sessions closed", note='In Colab: "Runtime", "Manage sessions", and end those that are not used.'),
    ),
)  # fmt: skip
_BOARD = Meaning(
    "The notebook or editor started TensorBoard and waited for its sign that it is ready. Either TensorBoard ended with an error, which only a terminal shows, or it is slow to start, mostly because it imports all of TensorFlow; "
    "or a note of an earlier TensorBoard leads to one that is gone.",
    (
        Fix("Start it in a terminal, with the same Python, and read what it says", (f"{PYTHON} -m tensorboard.main --logdir logs",), "With the folder of your logs. Once it shows an address, open that in a browser."),
        Fix("Remove the notes of earlier ones, which are in the temporary folder, and try again", (f"{PYTHON} -c \"import shutil, tempfile, os; shutil.rmtree(os.path.join(tempfile.gettempdir(), '.tensorboard-info'), ignore_errors=True)\"",)),
    ),
)  # fmt: skip
OF_PLACES: Mapping[str, Meaning] = {"colab-no-backend": _NO_BACKEND, "tensorboard-timed-out": _BOARD}
TITLES_OF_PLACES: Mapping[str, str] = {
    "colab-no-backend": "Colab has no GPU to give to this session.",
    "tensorboard-timed-out": "TensorBoard did not come up in the time that the notebook or editor gives it; these lines do not say why.",
}
"""Both by the signature's name."""
