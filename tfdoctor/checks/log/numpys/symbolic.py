"""NumPy 1.20 and newer beside TensorFlow 2.5 and older: TensorFlow's own code hands NumPy a tensor that has no values yet.

NumPy 1.20 asks each object for its array (`__array__`) where older ones took its pieces, and TensorFlow's symbolic tensors refuse that
by an exception. TensorFlow up to 2.5 asks for NumPy 1.19 in its metadata (2.4 and 2.5: ~=1.19.2; read 2026-11-22); 2.6 does no
such call any more. The same words stand where a program's own line calls NumPy with a tensor, which is another matter.
"""

from __future__ import annotations

from tfdoctor.checks.log.candidate import Candidate
from tfdoctor.checks.log.companions import keeping_tensorflow
from tfdoctor.checks.log.testimony import Testimony, place
from tfdoctor.facts.log_values import Ending, Saying
from tfdoctor.facts.model import Facts
from tfdoctor.findings.fix import fix
from tfdoctor.findings.model import Confidence, Fix
from tfdoctor.fixes.commands import interpreter

NAME = "numpy-symbolic"
_SHAPE = "strided_slice"
"""A number taken out of a tensor's shape: layers make it themselves, for a batch whose size is not known yet."""
_TITLE = "The installed NumPy is too new for this TensorFlow: 1.20 or newer beside TensorFlow 2.5 or older."


def numpy_too_new(told: Testimony) -> Candidate | None:
    """Certain where TensorFlow's own code calls NumPy, likely where only the tensor's name is told; None for a program's own call."""
    saying, sure = next(
        ((each, sure) for each in told.named(NAME) if (sure := _sure(told, each))), (None, None)
    )
    if saying is None or sure is None:
        return None
    caller = "TensorFlow's own code" if sure is Confidence.CERTAIN else "Mostly TensorFlow's own code, in a layer such as LSTM or GRU,"  # fmt: skip
    words = (
        f"{caller} asks NumPy to multiply the sizes of a shape, one of which is a tensor without a value yet. NumPy up to 1.19 takes that, and NumPy 1.20 "
        "asks the tensor for its array and is refused. The message speaks of your program's call to NumPy; here it is not yours."
    )
    return Candidate("dependency-mismatch", sure, (place(saying),), words, title=_TITLE)


def _sure(told: Testimony, saying: Saying) -> Confidence | None:
    at = [each for each in told.endings if each.how == "exception" and place(each) == place(saying)]
    if at and at[0].inside:
        return Confidence.CERTAIN if _called_by_tensorflow(at[0]) else None
    return Confidence.LIKELY if _SHAPE in saying.told.get("symbol", "") else None


def _called_by_tensorflow(last: Ending) -> bool:
    """The frame before NumPy's is TensorFlow's own module of array operations, which calls nobody else's code."""
    before = [each for each in last.inside if not each.startswith("numpy.")]
    callers = [each for each in before if not each.endswith((".framework.ops", ".util.dispatch"))]
    return bool(callers) and callers[-1].endswith(".python.ops.array_ops")


def symbolic_fixes(facts: Facts, told: Testimony) -> tuple[Fix, ...]:
    """() where this was not said."""
    if numpy_too_new(told) is None:
        return ()
    python = interpreter(facts)
    return (
        fix("go-back-to-numpy-1-19-tensorflow", python=python, keeping=keeping_tensorflow(facts)),
        fix("update-tensorflow-to-2-6-or-newer", python=python),
    )
