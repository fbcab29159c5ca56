"""h5py 3 under a Keras that was written for h5py 2: it gives text where Keras decodes bytes."""

from __future__ import annotations

from tfdoctor.checks.log.candidate import Candidate
from tfdoctor.checks.log.testimony import Testimony, place
from tfdoctor.facts.log_values import Ending
from tfdoctor.facts.model import Facts
from tfdoctor.findings.fix import fix
from tfdoctor.findings.model import Confidence, Fix
from tfdoctor.fixes.commands import interpreter

_READING = ("saving", "topology", "hdf5_format")
"""The modules of Keras that read HDF5 files, in its releases up to 2.3 and TensorFlow's up to 2.3."""
_OF_KERAS = ("keras", "tensorflow", "tensorflow-core")


def decoded(told: Testimony, last: Ending) -> Candidate | None:
    """None where the same error arose in other code, as it does in any program."""
    said = [each for each in told.named("h5py-text-decoded") if place(each) == place(last)]
    if last.package not in _OF_KERAS or not (said or _weights_as_array(last)):
        return None
    words = "h5py 3 gives text where h5py 2 gave bytes. TensorFlow up to 2.3 and Keras up to 2.3 decode these bytes, and fail at the text when they load a model or weights. The file is in order."
    return Candidate("dependency-mismatch", Confidence.LIKELY, (place(last),), words, title="h5py 3 is installed, and this Keras was written for h5py 2.")  # fmt: skip


def _weights_as_array(last: Ending) -> bool:
    """h5py 3 hands the names of a layer's weights out as an array, which that Keras asks whether it is empty (ATCNN#2, 2021-11)."""
    module = last.inside[-1].rpartition(".")[2] if last.inside else ""
    return (
        module in _READING and "truth value of an array with more than one element is ambiguous" in last.what
    )


def decoded_fixes(facts: Facts, told: Testimony) -> tuple[Fix, ...]:
    """() where the run did not end so."""
    raised = [each for each in told.endings if each.how == "exception"]
    if not raised or decoded(told, raised[-1]) is None:
        return ()
    return (
        fix("go-back-to-h5py-2", python=interpreter(facts)),
        fix("or-take-tensorflow-2-4-or-newer"),
    )  # fmt: skip
