"""Crashes of programs that are no Python's: Node.js and R have witnesses of their own, and Python's sees nothing of them."""

from __future__ import annotations

from tfdoctor.checks.log.around.releases import shown
from tfdoctor.checks.log.candidate import Candidate
from tfdoctor.checks.log.testimony import Testimony, place
from tfdoctor.facts.log_values import Saying
from tfdoctor.facts.model import Facts
from tfdoctor.findings.model import Confidence, Fix

_ABORTED = "r-session-aborted"
_TITLE = "The R session died in compiled code, and RStudio does not show in which library."
_WORDS = (
    "RStudio says this where the process of R, in which Python and TensorFlow run as well, ended without R's knowing. Neither R nor Python code alone can cause that: compiled code of a package did, mostly because R and Python "
    "brought the same library in two builds (libstdc++, OpenMP, HDF5, OpenSSL), or because the Python that R took is not the one that TensorFlow is installed for. What it wrote last is lost with the session."
)
_OF_R = (
    Fix(
        "Run the same lines in R itself, in a terminal: what is written before the end stays there",
        ("Rscript script.R",),
        "With your script's name. If it runs there, the clash is with RStudio's own libraries: update RStudio.",
    ),
    Fix(
        "See which Python R takes, and whether TensorFlow alone can be loaded by it",
        ('Rscript -e "reticulate::py_config(); tensorflow::tf_config()"',),
    ),
    Fix(
        "Update the packages that join R and Python, and let R make its environment again, in a new session of R",
        ("Rscript -e \"chooseCRANmirror(ind = 1); install.packages(c('reticulate', 'tensorflow', 'keras3'))\"", "Rscript -e \"tensorflow::install_tensorflow(envname = 'r-tensorflow')\""),
    ),
)  # fmt: skip
_OF_NODE = (
    Fix(
        "See whether TensorFlow.js' native part alone crashes",
        ("node -e \"require('@tensorflow/tfjs-node')\"",),
        "If it does, the installation or the processor is at fault, else what the program hands to it.",
    ),
    Fix(
        "Install the native part again, for the Node.js that is there now",
        ("npm uninstall @tensorflow/tfjs-node", "npm install @tensorflow/tfjs-node"),
    ),
    Fix(
        "If neither helps, look where in the compiled code it is, and report it there",
        ("gdb -batch -ex run -ex bt --args node app.js 2>&1 | tail -n 40",),
        "With your program's name in place of app.js.",
    ),
)


def of_r_session(saying: Saying) -> Candidate | None:
    """None for all but RStudio's words."""
    if saying.name != _ABORTED:
        return None
    return Candidate(saying.code, Confidence.LIKELY, (place(saying),), _WORDS, title=_TITLE)


def witnesses(facts: Facts, told: Testimony) -> tuple[Fix, ...]:
    """() for a program of Python's."""
    if told.named("r-at-work"):
        return _OF_R
    return _OF_NODE if shown(facts).node else ()
